"""Metrics that simulate an adversary."""
