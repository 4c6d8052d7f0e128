"""A release judged in one call, from a notebook or a script."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from privgate.api.policies import bound_policy, given_waivers
from privgate.api.progress import shown_progress
from privgate.api.releases import release_of
from privgate.api.result import CheckResult
from privgate.api.stored import opened
from privgate.data import Release, load_release
from privgate.engine import assess
from privgate.errors import InputError, Problem
from privgate.executors import Threads, threads_of
from privgate.ledger import Ledger
from privgate.report import Audience, languages

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import ArrayLike

    from privgate.api.policies import AnyPolicy, AnyWaivers
    from privgate.api.releases import Columns
    from privgate.attest import StoredCheck
    from privgate.data import Distance
    from privgate.engine import Progress
    from privgate.evidence import TableName
    from privgate.executors import Executor
    from privgate.policy import BoundPolicy

AudienceName = Literal["shareable", "internal"]


def check(
    release: Release | str | os.PathLike[str] | None = None,
    policy: AnyPolicy | None = None,
    *,
    train: pd.DataFrame | ArrayLike | None = None,
    synthetic: pd.DataFrame | ArrayLike | None = None,
    holdout: pd.DataFrame | ArrayLike | None = None,
    columns: Columns | None = None,
    distance: Distance | str | None = None,
    name: str = "release",
    unit: str = "person",
    seed: int | None = None,
    sample: int | None = None,
    jobs: int = 0,
    waivers: AnyWaivers | None = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    baseline: CheckResult | str | os.PathLike[str] | None = None,
    language: str = "en",
    audience: AudienceName = "shareable",
    progress: Progress | None = None,
) -> CheckResult:
    """Return what a policy makes of a release; only a result that is *met* is true.

    Parameters
    ----------
    release
        The path of a release file, or a :class:`~privgate.Release`. Or leave it out and give the
        tables themselves.
    policy
        The name of a built-in policy, the path of a policy file, or a :class:`~privgate.Policy`.
    train, synthetic, holdout
        Data frames, or numeric arrays with one row per record. Without a holdout most rules cannot
        be assessed.
    columns
        What each column of data frames is: a role (``"quasi_identifier"``, ``"sensitive"``,
        ``"other"``, ``"identifier"``, ``"ignore"``), or a declaration as in a release file. If all
        are declarations, every column needs one. If there is a mere role, or nothing at all, types
        are guessed, columns not named are ``other``, or left out if they look like identifiers, and
        evidence and report say so.
    distance
        ``"hamming"``, ``"euclidean"`` or ``"cosine"``; always needed with arrays.
    name, unit
        What the release is called and what one row stands for, where tables are given.
    seed
        By default it follows from data and policy; a given one is recorded.
    sample
        Measures at most so many rows of the largest table and an equal share of the others: can
        find a release violated, never met.
    jobs
        Threads, 0 for all; changes no figure.
    waivers
        Findings that may stand: the path of a file, or a list of :class:`~privgate.Waiver`.
    ledger
        The file in which the evaluation is written down.
    baseline
        The check of the last release, as a result or its output folder: the saved reports tell what
        changed since.
    language
        Of what is shown and saved: ``"en"`` or ``"de"``.
    audience
        ``"shareable"`` withholds small counts in all that is shown and saved for people;
        ``"internal"`` does not.
    progress
        Told about the stages; by default a bar on terminals and in notebooks with ipywidgets.

    Returns
    -------
    CheckResult
        Outcome, rules and figures. ``evidence`` and ``verdict`` are exact, for internal eyes.

    Raises
    ------
    InputError
        If release, tables, columns or options cannot be used.
    PolicyError
        If policy or waivers cannot be used.
    DisclosureError
        If evidence or verdict would show the value of a record.

    Warns
    -----
    PrivgateWarning
        If the policy is unfit to be relied on, such as past its review, or a waiver will not count.

    Examples
    --------
    >>> import privgate
    >>> from privgate.testing.samples import survey
    >>> result = privgate.check(
    ...     train=survey(600, 1), holdout=survey(600, 2), synthetic=survey(600, 1),
    ...     columns={"age": "quasi_identifier", "income": "sensitive"}, policy="ci-smoke",
    ... )
    >>> print(result.outcome, bool(result))
    violated False
    """
    require_known(language, audience, jobs)
    bound = bound_policy(policy)
    tables: dict[str, pd.DataFrame | ArrayLike | None]
    tables = {"train": train, "holdout": holdout, "synthetic": synthetic}
    others: dict[str, object] = {**tables, "columns": columns, "distance": distance}
    threads = Threads(threads_of(jobs))
    found = _given(release, others, threads) or release_of(
        _present(tables), columns=columns, distance=distance, name=name, unit=unit
    )
    return judged(
        found,
        bound,
        seed=seed,
        sample=sample,
        jobs=jobs,
        waivers=waivers,
        ledger=ledger,
        baseline=baseline,
        language=language,
        audience=Audience(audience),
        progress=progress,
    )


def judged(
    release: Release,
    policy: BoundPolicy,
    *,
    seed: int | None = None,
    sample: int | None = None,
    jobs: int = 0,
    waivers: AnyWaivers | None = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    baseline: CheckResult | str | os.PathLike[str] | None = None,
    language: str = "en",
    audience: Audience = Audience.SHAREABLE,
    progress: Progress | None = None,
) -> CheckResult:
    """Return the result of one release under one policy.

    Raises
    ------
    InputError, PolicyError
        If seed, ledger, waivers or baseline cannot be used.
    IntegrityError
        If the folder of the baseline was altered.
    DisclosureError
        If evidence or verdict would show the value of a record.
    """
    given = given_waivers(waivers, policy, release)
    earlier = None if baseline is None else _stored(baseline)
    assessment = assess(
        release,
        policy,
        seed=seed,
        jobs=threads_of(jobs),
        progress=progress or shown_progress("measuring"),
        waivers=given,
        ledger=Ledger(Path(ledger)) if isinstance(ledger, str | os.PathLike) else ledger,
        sample=sample,
    )
    result = CheckResult(
        evidence=assessment.evidence,
        verdict=assessment.verdict,
        records=assessment.records,
        release=release,
        measured=assessment.measured,
        audience=audience,
        language=language,
        earlier=earlier,
    )
    result.require_no_values_shown()
    return result


def _stored(baseline: object) -> StoredCheck:
    """Return the check of the last release: better opened before measuring."""
    return (
        baseline.stored if isinstance(baseline, CheckResult) else opened(baseline, path="baseline")
    )


def _given(release: object, others: Mapping[str, object], executor: Executor) -> Release | None:
    """Return the release that was given whole, or None if tables were."""
    named = [name for name, value in others.items() if value is not None]
    if release is None:
        return None
    if named:
        message = f"a release and {', '.join(named)} were both given"
        raise InputError(Problem(message, remedy="give either the release, or tables and columns"))
    if isinstance(release, Release):
        return release
    if isinstance(release, str | os.PathLike):
        return load_release(Path(release), executor=executor)
    message = f"a {type(release).__name__} is no release"
    remedy = "give the path of a release file, or tables by name: train=…, synthetic=…, holdout=…"
    raise InputError(Problem(message, path="release", remedy=remedy))


def _present(
    tables: dict[str, pd.DataFrame | ArrayLike | None],
) -> dict[TableName, pd.DataFrame | ArrayLike]:
    found: dict[TableName, pd.DataFrame | ArrayLike] = {}
    names: tuple[TableName, ...] = ("train", "holdout", "synthetic")
    for name in names:
        table = tables[name]
        if table is not None:
            found[name] = table
    if "train" not in found or "synthetic" not in found:
        message = "there is nothing to check"
        remedy = "give a release file, or at least train=… and synthetic=…"
        raise InputError(Problem(message, remedy=remedy))
    return found


def require_known(language: str, audience: str, jobs: int) -> None:
    """Return if language and audience are known and the number of threads is one.

    Raises
    ------
    InputError
        With every option that is not: better said before measuring.
    """
    problems = []
    for path, value, known in (
        ("language", language, languages()),
        ("audience", audience, [choice.value for choice in Audience]),
    ):
        if value not in known:
            remedy = f"choose from {', '.join(known)}"
            problems.append(Problem(f"{value!r} is not known", path=path, remedy=remedy))
    if jobs < 0:
        problems.append(
            Problem(f"{jobs} threads are too few", path="jobs", remedy="give 0 for all")
        )
    if problems:
        raise InputError(problems)
