"""What every executor promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")


class Executor(Protocol):
    """Runs one task on many parts.

    ``jobs`` is the number of threads that a computation on this machine may use by itself.
    """

    @property
    def jobs(self) -> int:
        """Return how many threads may work on this machine."""
        ...

    def map(self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]) -> Iterator[T]:
        """Yield ``task(shared, part)`` of every part, in the order of the parts.

        Parameters
        ----------
        task
            A function of a module, so that it can be sent; it draws no random numbers that do not
            come with its part.
        shared
            What all parts need, sent to each worker once. It is not changed.
        parts
            Small, for each of them is sent by itself.
        """
        ...
