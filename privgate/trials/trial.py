"""One release to be made and judged, told so that it can be sent to where it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.trials.leaks import plant

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from privgate.data import Release
    from privgate.metrics import Inputs
    from privgate.trials.leak import Leak


@dataclass(frozen=True)
class Trial:
    """One release to be made and judged; ``key`` names it and seeds everything random in it.

    ``title`` tells people what it is about. ``make`` gets the inputs of the release under study; as
    every trial is sent by itself, it is a function of a module, with small things as a partial.
    """

    key: str
    title: str
    make: Callable[[Inputs, Generator], Release]


def unaltered(inputs: Inputs, rng: Generator) -> Release:
    """Return the release under study itself."""
    del rng
    return inputs.release


def altered(
    make: Callable[[Release, Generator], Release], inputs: Inputs, rng: Generator
) -> Release:
    """Return what a function makes of the release under study."""
    return make(inputs.release, rng)


def with_leak(leak: Leak, inputs: Inputs, rng: Generator) -> Release:
    """Return the release under study with a leak planted."""
    neighbours = inputs.neighbours()
    nearest = neighbours.real_to_synthetic.index[neighbours.train]
    return plant(inputs.release, leak, nearest, rng)[0]
