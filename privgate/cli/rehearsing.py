"""``privgate policy test``: whom a policy would have stopped, and by which rule."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, emit_table, say
from privgate.cli.progress import progress
from privgate.errors import ExitCode, InputError, PolicyError, Problem
from privgate.executors import threads_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.policy import BoundPolicy
    from privgate.policy.cases import CaseResult, Cases
    from privgate.trials.fixtures import Fixture
    from privgate.trials.rehearsal import Rehearsed


def rehearse_policy(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of a built-in policy, or a policy file.")
    ],
    fixture: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this fixture (SOURCE/TREATMENT), source or treatment; may be repeated."
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="File of test cases; by default tests/NAME.yaml beside the policy."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Stop at one source of records for each kind of data.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0 for all. Changes no figure.")] = 0,
) -> None:
    """Try a policy on releases whose truth is known and on test cases.

    Honest releases must not be violated, leaking ones must be. Fixtures are made of real records
    that come with other packages; what is not installed, or not of the size and kind that the
    policy admits, is said and counts for nothing. Exit code: 0 if all came out as it must, 1 if
    not, 2 if the policy or its test cases cannot be used, 3 if no honest or no leaking release
    could be tried.
    """
    from privgate.metrics import all_metrics
    from privgate.policy import open_policy
    from privgate.trials.rehearsal import rehearse

    bound = open_policy(name, all_metrics())
    stated = _cases(name, cases, bound)
    chosen = _chosen(fixture or [], bound, quick=quick)
    results = stated.results(bound) if stated else ()
    found = rehearse(
        bound,
        chosen,
        exempt=stated.exempt if stated else {},
        jobs=threads_of(jobs),
        progress=progress("fixture"),
    )
    _show(found)
    _show_cases(results)
    raise typer.Exit(_concluded(name, found, results))


def _cases(name: str, given: Path | None, bound: BoundPolicy) -> Cases | None:
    from privgate.policy.cases import cases_beside, open_cases
    from privgate.policy.load import policy_file
    from privgate.trials.fixtures import Truth
    from privgate.trials.fixtures.catalogue import TREATMENTS

    path = given or cases_beside(policy_file(name))
    if given is None and not path.is_file():
        return None
    cases = open_cases(path, bound)
    leaks = [treatment.name for treatment in TREATMENTS if treatment.truth is Truth.LEAKS]
    if strange := [leak for leak in cases.exempt if leak not in leaks]:
        raise PolicyError(
            Problem(
                f"there is no leak {strange[0]!r}",
                file=str(path),
                path="exempt",
                remedy=f"known: {', '.join(leaks)}",
            )
        )
    return cases


def _chosen(asked: Sequence[str], bound: BoundPolicy, *, quick: bool) -> list[Fixture]:
    from privgate.data.explanations import did_you_mean
    from privgate.trials.fixtures import built_in_fixtures
    from privgate.trials.rehearsal import representative

    fixtures = built_in_fixtures()
    known = {word for it in fixtures for word in (it.name, it.source.name, it.treatment.name)}
    if strange := [word for word in asked if word not in known]:
        remedy = did_you_mean(strange[0], known)
        raise InputError(Problem(f"there is no fixture {strange[0]!r}", remedy=remedy))
    chosen = [
        it
        for it in fixtures
        if not asked or {it.name, it.source.name, it.treatment.name} & set(asked)
    ]
    absent = sorted({it.source.package for it in chosen if not it.source.is_installed})
    if asked and absent:
        message = f"the records of {', '.join(asked)} are not installed ({', '.join(absent)})"
        raise InputError(Problem(message, remedy="pip install 'privgate[demo]'"))
    return representative(chosen, bound) if quick else chosen


def _show(found: Sequence[Rehearsed]) -> None:
    """Print what became of each fixture that was tried, then what was not."""
    from privgate.trials.rehearsal import UNTRIED

    rows = [
        (
            it.fixture.name,
            it.fixture.truth,
            it.outcome.replace("_", " ") if it.outcome else "",
            it.answer,
            ", ".join(it.stopped_by)
            or (f"open: {', '.join(it.open_rules)}" if it.open_rules else ""),
        )
        for it in found
        if it.answer not in UNTRIED
    ]
    emit_table(("fixture", "truth", "outcome", "answer", "stopped by"), rows)
    untried = Counter(
        (it.fixture.source.name, it.answer, it.reason) for it in found if it.answer in UNTRIED
    )
    for (source, answer, reason), count in untried.items():
        emit(f"{source}, {count} fixtures {answer}: {reason}")
    for leak, reason in {
        it.fixture.treatment.name: it.reason for it in found if it.excused
    }.items():
        emit(f"{leak}, exempt: {reason}")


def _show_cases(results: Sequence[CaseResult]) -> None:
    for result in results:
        emit(f"case {result.name!r}: {'; '.join(result.differences) or 'as expected'}")


def _concluded(name: str, found: Sequence[Rehearsed], results: Sequence[CaseResult]) -> ExitCode:
    from privgate.policy import Outcome
    from privgate.trials.fixtures import Truth
    from privgate.trials.rehearsal import Answer

    wrong = sum(it.answer is Answer.WRONG for it in found)
    unlike = sum(bool(result.differences) for result in results)
    counts = {answer: sum(it.answer is answer for it in found) for answer in Answer}
    said = ", ".join(f"{count} {answer}" for answer, count in counts.items() if count) or "none"
    agree = len(results) - unlike
    say(f"{name}: fixtures: {said}; cases: {agree} as expected, {unlike} not")
    if wrong or unlike:
        return ExitCode.VIOLATED
    known = {it.fixture.truth for it in found if it.answer is Answer.RIGHT}
    if lacking := [truth for truth in Truth if truth not in known]:
        say(
            f"{name}: no fixture with the truth '{' or '.join(lacking)}' was answered rightly, so "
            "nothing is known of this policy; `pip install 'privgate[demo]'` brings more records"
        )
        return ExitCode.NOT_ASSESSED
    if all(it.outcome is not Outcome.MET for it in found):
        say(
            f"{name}: note: no honest release was met: too small for these limits, or a mere screen"
        )
    return ExitCode.MET
