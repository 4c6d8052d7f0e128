"""Public helpers for the authors of metrics."""
