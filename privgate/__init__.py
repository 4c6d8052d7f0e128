"""A release gate for synthetic data: measure, judge against a written policy, keep the evidence."""
