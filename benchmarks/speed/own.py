"""Serves jobs of privgate: metrics on a release."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from measuring import serve
from threadpoolctl import threadpool_limits

from privgate.data import load_release
from privgate.errors import NotAssessable
from privgate.metrics import Inputs, all_metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from privgate.data import Release

loaded = cache(load_release)


def prepared(job: dict[str, Any]) -> Callable[[], object]:
    """Return the run of the metrics of a job, after one on a few rows that loads what they need."""
    metrics = {name: job.get("params", {}) for name in job["metrics"] or sorted(all_metrics())}
    run(loaded(Path(job["small"]) / "release.yaml"), metrics)
    return partial(run, loaded(Path(job["folder"]) / "release.yaml"), metrics)


def run(release: Release, metrics: dict[str, dict[str, Any]]) -> None:
    """Measure a release with some metrics, which share their searches, in one thread."""
    inputs = Inputs(release=release)
    with threadpool_limits(1, user_api="blas"):
        for name, params in metrics.items():
            metric = all_metrics()[name]
            with suppress(NotAssessable):  # of so few rows, or of a table
                metric.measure(inputs, metric.params(**params), np.random.default_rng(1))


if __name__ == "__main__":
    for folder in sys.argv[1:]:  # before the forks, which then need not load them
        loaded(Path(folder) / "release.yaml")
    serve(prepared)
