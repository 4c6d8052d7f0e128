"""What a check will take, told before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import say
from privgate.errors import InputError, Problem
from privgate.live_progress import about

if TYPE_CHECKING:
    from privgate.data import Release
    from privgate.engine.forecast import Forecast
    from privgate.policy import BoundPolicy

Memory = Annotated[
    float | None,
    typer.Option(
        "--memory",
        metavar="GIB",
        min=0.1,
        help="Refuse a check that is likely to need more memory than this beside its tables; "
        "without it, more than 2 GiB is only told.",
    ),
]
_GIB = 2.0**30
_USUAL = 2.0
_WORTH_TELLING = 60.0
_SHORTER = (
    "--cluster computes on more machines; "
    "--sample ROWS measures a part, which can stop the release but not let it out"
)


def foresee(
    release: Release,
    policy: BoundPolicy,
    *,
    jobs: int,
    sample: int | None,
    memory: float | None,
    cluster: str | None = None,
) -> tuple[float, ...]:
    """Tell what a large check will take, and return the seconds of its stages; else nothing.

    What a cluster takes cannot be tried here, so that nothing is told of it.

    Raises
    ------
    InputError
        If it is likely to need more than the GiB of ``memory`` that are allowed.
    """
    from privgate.data.memory import return_unused
    from privgate.engine.forecast import forecast, is_large

    if cluster is not None:
        if memory is not None:
            problem = "--memory is about this machine, and --cluster computes elsewhere"
            raise InputError(Problem(problem, remedy="limit the workers with --worker-memory"))
        return ()
    if not is_large(release, policy, sample):
        return ()
    say("estimating time and memory on small parts of the data")
    found = forecast(release, policy, jobs=jobs, sample=sample)
    return_unused()  # before the whole needs what the parts left behind
    needs = f"{found.memory / _GIB:.1f} GiB of memory beside the tables"
    if memory is not None and found.memory > memory * _GIB:
        message = f"this check is likely to need {needs}, and --memory allows {memory:g}"
        raise InputError(Problem(message, remedy=f"allow more; or {_SHORTER}"))
    if found.total >= _WORTH_TELLING or found.memory > _USUAL * _GIB:
        say(f"this check will take {about(found.total)} and about {needs}; {_advice(found)}")
    return found.seconds


def _advice(found: Forecast) -> str:
    if found.memory > _USUAL * _GIB:
        return f"where that is not free, the system may stop it; {_SHORTER}"
    return _SHORTER
