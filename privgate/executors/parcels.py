"""What travels to a worker and back; none of it shows its content in a log.

A failed task is logged with its arguments by the worker. So arguments travel in parcels, and what a
task raises comes back as an answer.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from platform import python_version_tuple
from typing import TYPE_CHECKING, Any

import cloudpickle
from threadpoolctl import threadpool_limits

from privgate.errors import ExecutorError, Problem
from privgate.resources import code_sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGES = (
    "cloudpickle",
    "distributed",
    "lightgbm",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scikit-learn",
    "scipy",
)


@dataclass(frozen=True, repr=False)
class Parcel:
    """Something sent to a worker, and how many bytes it has there."""

    content: Any
    size: int

    @classmethod
    def of(cls, content: object) -> Parcel:
        """Return something as a parcel."""
        return cls(content, sent_size(content))

    def __sizeof__(self) -> int:
        """Return the size that a worker's memory is planned with."""
        return self.size


@dataclass(frozen=True, repr=False)
class Answer:
    """What a task returned, or what it raised."""

    value: Any = None
    error: Exception | None = None


def sent_size(content: object) -> int:
    """Return how many bytes are sent, without a copy of the arrays among them.

    Examples
    --------
    >>> import numpy as np
    >>> 8000 < sent_size(np.zeros(1000)) < 9000
    True
    """
    buffers: list[pickle.PickleBuffer] = []
    head = cloudpickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    return len(head) + sum(buffer.raw().nbytes for buffer in buffers)


def work(shared: Parcel, own: Parcel) -> Answer:
    """Do a task on a worker: ``own`` holds the function, its part and what the client runs."""
    _one_blas_thread()
    task, part, asked = own.content
    if differing := differences(asked, installed()):  # of a worker that came later
        return Answer(error=ExecutorError(mismatch(differing)))
    try:
        return Answer(task(shared.content, part))
    except Exception as error:  # noqa: BLE001 - raised again where the task came from
        return Answer(error=_sendable(error))


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return what is installed on a worker in another version than on the client.

    Examples
    --------
    >>> differences({"numpy": "2.4.0", "scipy": "1.17"}, {"numpy": "2.3.1", "scipy": "1.17"})
    ['numpy 2.3.1 in place of 2.4.0']
    """
    return [
        f"{name} {found.get(name, 'missing')} in place of {version}"
        for name, version in wanted.items()
        if found.get(name) != version
    ]


def mismatch(differing: Sequence[str]) -> Problem:
    """Return the problem of a worker on which something else is installed."""
    return Problem(
        f"a worker has {', '.join(differing)}, so its digits could differ",
        path="--cluster",
        remedy="give client and workers one environment, such as one container image",
    )


@cache
def installed() -> Mapping[str, str]:
    """Return what has to be the same on client and workers for the same digits to come out."""
    found = {name: version(name) for name in PACKAGES}
    found["Python"] = ".".join(python_version_tuple()[:2])
    return found | {"privgate": f"{version('privgate')} (code {code_sha256()[:12]})"}


@cache
def _one_blas_thread() -> None:
    """Pin BLAS for as long as the worker lives: sums in another order would change digits."""
    import scipy.linalg  # noqa: F401, PLC0415 - brings a BLAS of its own, which must be loaded

    threadpool_limits(1, user_api="blas")


def _sendable(error: Exception) -> Exception:
    """Return an error that arrives: one of a strange make is told by its kind alone."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - just pickled
    except Exception:  # noqa: BLE001 - whatever it is, it does not travel
        return RuntimeError(f"a task stopped with {type(error).__name__}")
    return error
