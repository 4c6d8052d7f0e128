"""Where a command computes: in threads, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from privgate.cli.console import say
from privgate.errors import InputError, Problem
from privgate.executors import Threads, threads_of

if TYPE_CHECKING:
    from privgate.executors import Executor

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


@contextmanager
def computing(jobs: int, cluster: str | None, worker_memory: str | None) -> Iterator[Executor]:
    """Yield what a command computes with, and leave the cluster afterwards.

    Raises
    ------
    InputError
        If the options cannot be used.
    ExecutorError
        If there is no such cluster.
    """
    threads = threads_of(jobs)
    if cluster is None:
        if worker_memory is not None:
            problem = "without --cluster there are no workers to limit"
            raise InputError(Problem(problem, path="--worker-memory", remedy="leave it out"))
        yield Threads(threads)
        return
    from privgate.executors.dask import on_cluster

    if cluster.startswith("tcp://") and urlsplit(cluster).hostname not in _HERE:
        say(
            "warning: records go to this cluster unencrypted, and anybody who reaches its "
            "scheduler can read them and run code there; tls:// prevents it (docs/cluster.md)"
        )
    with on_cluster(cluster, jobs=threads, worker_memory=worker_memory) as executor:
        yield executor
