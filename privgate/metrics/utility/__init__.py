"""Metrics that say what the data are good for: they inform, stop nothing and clear nothing."""
