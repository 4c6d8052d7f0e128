"""Executors within this process."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Serial:
    """Does one part after the other.

    Examples
    --------
    >>> list(Serial().map(lambda shared, part: shared + part, 10, [1, 2]))
    [11, 12]
    """

    @property
    def jobs(self) -> int:
        """Return 1."""
        return 1

    def map(self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]) -> Iterator[T]:
        """Yield what the task makes of every part, in their order."""
        return map(partial(task, shared), parts)


@dataclass(frozen=True)
class Threads:
    """Does some parts at a time, each in a thread.

    Examples
    --------
    >>> list(Threads(2).map(lambda shared, part: shared + part, 10, [1, 2]))
    [11, 12]
    """

    jobs: int

    def map(self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]) -> Iterator[T]:
        """Yield what the task makes of every part, in their order."""
        with ThreadPoolExecutor(self.jobs) as pool:
            yield from pool.map(partial(task, shared), parts)


def threads_of(jobs: int) -> int:
    """Return how many threads people mean by ``jobs``: 0 stands for all processors.

    Examples
    --------
    >>> threads_of(3)
    3
    """
    return jobs or os.cpu_count() or 1
