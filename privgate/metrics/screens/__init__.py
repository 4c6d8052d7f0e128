"""Metrics that look at distances and copies: they can stop a release, never clear it."""
