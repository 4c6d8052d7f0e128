"""Metrics: named measurements with typed parameters, one file each."""

from privgate.metrics.contract import Measured, Metric, Params, Records, metric
from privgate.metrics.inputs import Inputs
from privgate.metrics.registry import all_metrics

__all__ = ["Inputs", "Measured", "Metric", "Params", "Records", "all_metrics", "metric"]
