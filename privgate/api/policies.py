"""The policy that a call names or brings along, and what people should know about it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from privgate.engine import misgivings
from privgate.errors import InputError, PrivgateWarning, Problem
from privgate.metrics import all_metrics
from privgate.policy import (
    BoundPolicy,
    Policy,
    Waivers,
    bind,
    load_waivers,
    open_policy,
    waivers_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privgate.data import Release
    from privgate.policy import Waiver

AnyPolicy: TypeAlias = "str | os.PathLike[str] | Policy | BoundPolicy"
AnyWaivers: TypeAlias = "str | os.PathLike[str] | Waivers | Iterable[Waiver]"


def bound_policy(policy: AnyPolicy | None) -> BoundPolicy:
    """Return a policy ready to judge, with a warning of what makes it unfit to be relied on.

    Raises
    ------
    InputError
        If none was given.
    PolicyError
        If it cannot be used.
    """
    if isinstance(policy, BoundPolicy):
        bound = policy
    elif isinstance(policy, Policy):
        bound = bind(policy, all_metrics())
    elif isinstance(policy, str | os.PathLike) and os.fspath(policy):
        bound = open_policy(os.fspath(policy), all_metrics())
    else:
        given = "no policy was named" if not policy else f"{type(policy).__name__} is no policy"
        remedy = "give the name of a built-in policy, the path of a file or a privgate.Policy; "
        remedy += "`privgate policy list` shows the built-in ones"
        raise InputError(Problem(given, path="policy", remedy=remedy))
    for told in misgivings.of_policy(bound):
        warn(told)
    return bound


def given_waivers(
    waivers: AnyWaivers | None, policy: BoundPolicy, release: Release
) -> Waivers | None:
    """Return waivers ready to judge with, with a warning of each that will not count.

    Raises
    ------
    PolicyError
        If they cannot be read for certain.
    """
    if waivers is None:
        return None
    if isinstance(waivers, str | os.PathLike):
        found = load_waivers(Path(waivers))
    else:
        found = waivers if isinstance(waivers, Waivers) else waivers_of(waivers)
    for told in misgivings.of_waivers(found, policy, release):
        warn(told)
    return found


def warn(text: str) -> None:
    """Tell people, once for each place that calls."""
    warnings.warn(text, PrivgateWarning, stacklevel=4)
