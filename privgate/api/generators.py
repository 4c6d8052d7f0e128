"""A generator judged by folds of real people: not by the luck of one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from privgate.api.check import AudienceName, judged, require_known
from privgate.api.policies import bound_policy
from privgate.api.progress import shown_progress
from privgate.api.releases import declared_columns, is_complete, marked_as_guessed
from privgate.api.split import folds_of
from privgate.api.units import row_labels
from privgate.data import Role
from privgate.engine import Silent
from privgate.errors import InputError, NotAssessedError, Problem, ViolatedError
from privgate.policy import Outcome
from privgate.report import Audience, build_view
from privgate.report.formats import (
    FoldsView,
    folds_table,
    render_folds_notebook,
    render_folds_text,
    view_folds,
)
from privgate.stats.rng import derived_int, generator
from privgate.trials import Fold, release_named, synthesised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.random import Generator
    from rich.console import RenderableType

    from privgate.api.policies import AnyPolicy
    from privgate.api.releases import Columns, Declaration
    from privgate.api.result import CheckResult
    from privgate.data import Release
    from privgate.engine import Progress

FitSample = Callable[[pd.DataFrame, int, int], pd.DataFrame]
"""A function from a train table, a number of rows and a seed to so many synthetic rows."""


@dataclass(frozen=True, repr=False, eq=False)
class GeneratorResult:
    """What a policy makes of a generator. It is true only if the policy is met on every fold.

    ``folds`` holds the result of each fold, in which train are the people of all others.
    """

    folds: tuple[CheckResult, ...]

    @property
    def outcome(self) -> Outcome:
        """Return met if every fold is, violated if one is, and not assessed otherwise."""
        return folds_outcome([fold.outcome for fold in self.folds])

    @property
    def exit_code(self) -> int:
        """Return the exit code that goes with the outcome: 0 met, 1 violated, 3 not assessed."""
        return int(self.outcome.exit_code)

    def __bool__(self) -> bool:
        return self.outcome is Outcome.MET

    @property
    def rules(self) -> pd.DataFrame:
        """Return a row per rule: on how many folds it has which outcome, and the judged figure.

        ``lowest`` and ``highest`` are the range of the figure over the ``known`` folds, those in
        which it is known and not withheld.
        """
        own = pd.concat([fold.rules for fold in self.folds], keys=range(1, len(self.folds) + 1))
        by_rule = own.groupby("id", sort=False)
        first = by_rule[["metric", "measure", "severity", "limit"]].first()
        counts = {
            outcome.value: (own["outcome"] == outcome.value).groupby(own["id"], sort=False).sum()
            for outcome in (Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED)
        }
        figure = by_rule["judged"].agg(known="count", lowest="min", highest="max")
        return pd.concat([first, pd.DataFrame(counts), figure], axis=1).reset_index()

    def raise_for_violation(self) -> None:
        """Return if the policy is met on every fold.

        Raises
        ------
        ViolatedError
            If a fold violates it.
        NotAssessedError
            If none does, but one could not be assessed.
        """
        if self:
            return
        kind = ViolatedError if self.outcome is Outcome.VIOLATED else NotAssessedError
        problems = [Problem(self._view.headline)]
        for fold in self.folds:
            try:
                fold.raise_for_violation()
            except (ViolatedError, NotAssessedError) as error:
                problems += error.problems
        raise kind(problems)

    @cached_property
    def _view(self) -> FoldsView:
        return view_folds(
            [
                build_view(f.evidence, f.verdict, audience=f.audience, language=f.language)
                for f in self.folds
            ],
            self.outcome,
        )

    def __repr__(self) -> str:
        return f"<GeneratorResult {self.outcome}: {self._view.headline}>"

    def __rich__(self) -> RenderableType:
        return folds_table(self._view)

    def _repr_html_(self) -> str:
        """Return the display of a notebook."""
        return render_folds_notebook(self._view)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the displays of a notebook, for those that show HTML and for those that do not."""
        del include, exclude
        return {"text/html": self._repr_html_(), "text/plain": render_folds_text(self._view)}


def folds_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Return *met* only if there are folds and each is met; one violation decides.

    Examples
    --------
    >>> folds_outcome([Outcome.MET, Outcome.NOT_ASSESSED]).value, folds_outcome([]).value
    ('not_assessed', 'not_assessed')
    """
    if Outcome.VIOLATED in outcomes:
        return Outcome.VIOLATED
    if outcomes and all(outcome is Outcome.MET for outcome in outcomes):
        return Outcome.MET
    return Outcome.NOT_ASSESSED


def evaluate_generator(
    fit_sample: FitSample,
    data: pd.DataFrame,
    policy: AnyPolicy,
    *,
    columns: Columns | None = None,
    folds: int = 5,
    rows: int | None = None,
    groups: str | None = None,
    stratify: str | Sequence[str] = (),
    unit: str = "person",
    seed: int = 0,
    jobs: int = 0,
    language: str = "en",
    audience: AudienceName = "shareable",
    progress: Progress | None = None,
) -> GeneratorResult:
    """Return what a policy makes of a generator, each fold of real people held out once.

    Parameters
    ----------
    fit_sample
        A function ``(train, n, seed)`` that fits the generator to a table and returns ``n``
        synthetic rows. Everything random in it should follow from the seed.
    data
        Real people. They must not have helped to build or tune the generator.
    policy
        As for :func:`~privgate.check`. Each fold has to reach its smallest tables: of n people,
        train is n · (k − 1)/k and holdout n/k.
    columns
        As for :func:`~privgate.check`; types are guessed from all of ``data``.
    folds
        How many; 2 gives equal halves, each of which is train once.
    rows
        Synthetic rows for each fold, by default as many as train has.
    groups, stratify
        As for :func:`~privgate.split`: groups stay in one fold. If ``columns`` does not name the
        column of ``groups`` and types are guessed, it is left out of all measurements.
    seed
        Of the folds and of the generator. The seeds of the measurements follow from the data.
    unit, jobs, language, audience, progress
        As for :func:`~privgate.check`.

    Raises
    ------
    InputError
        If the data cannot be divided, or the generator fails or returns something unusable; the
        message names the fold.
    PolicyError
        If the policy cannot be used.
    DisclosureError
        If evidence or verdict of a fold would show the value of a record.

    Notes
    -----
    This says how the generator treats people like these, when it learns from a share (k − 1)/k of
    them. It says nothing about any one table: one that shall be published needs
    :func:`~privgate.check` with a holdout that its own generator never saw. Folds share people, so
    their results are not independent, and k met folds are no interval.

    The result depends on the content of ``data`` and the seed, not on the order of its rows.

    Examples
    --------
    A generator that draws real people with replacement:

    >>> from privgate.testing.samples import survey
    >>> def bootstrap(train, n, seed):
    ...     return train.sample(n, replace=True, random_state=seed)
    >>> result = evaluate_generator(
    ...     bootstrap, survey(1000, 1), "ci-smoke", columns={"age": "quasi_identifier"}, folds=2
    ... )
    >>> print(result.outcome, [str(fold.outcome) for fold in result.folds])
    violated ['violated', 'violated']
    """
    require_known(language, audience, jobs)
    _require_numbers(data, folds, rows)
    bound = bound_policy(policy)
    declared = _declared(data, columns, groups)
    parts = list(_folds(data, folds=folds, groups=groups, stratify=stratify, seed=seed))
    progress = progress or shown_progress("judging")
    progress.started(len(parts))
    found = []
    try:
        for fold in parts:
            progress.stage(fold.name)
            release = _release(
                fit_sample, fold, declared, rows=rows, unit=unit, rng=generator(seed, fold.name)
            )
            found.append(
                judged(
                    release if is_complete(columns) else marked_as_guessed(release),
                    bound,
                    jobs=jobs,
                    language=language,
                    audience=Audience(audience),
                    progress=Silent(),
                )
            )
    finally:
        progress.finished()
    return GeneratorResult(tuple(found))


def _release(
    fit_sample: FitSample,
    fold: Fold,
    declared: Mapping[str, Declaration],
    *,
    rows: int | None,
    unit: str,
    rng: Generator,
) -> Release:
    wanted = len(fold.rest) if rows is None else rows

    def synthesize(train: pd.DataFrame, rng: Generator) -> pd.DataFrame:
        return fit_sample(train, wanted, derived_int(rng))

    made = synthesised(synthesize, fold, _measured(declared), rng)
    if len(made) != wanted:
        message = f"the generator returned {len(made)} rows, and {wanted} were asked for"
        remedy = "return as many as the second argument says"
        raise InputError(Problem(message, path=fold.name, remedy=remedy))
    return release_named(
        fold.name, declared, train=fold.rest, holdout=fold.held_out, synthetic=made, unit=unit
    )


def _measured(declared: Mapping[str, Declaration]) -> dict[str, Declaration]:
    """Return the declarations of columns that every table must have."""
    free = (Role.IDENTIFIER, Role.IGNORE)
    return {
        name: entry
        for name, entry in declared.items()
        if (entry.get("role") if not hasattr(entry, "role") else entry.role) not in free
    }


def _declared(
    data: pd.DataFrame, columns: Columns | None, groups: str | None
) -> Mapping[str, Declaration]:
    if is_complete(columns):
        return columns
    named = dict(columns or {})
    if groups is not None:
        named.setdefault(groups, Role.IGNORE)
    return declared_columns({"train": data}, named)


def _folds(
    data: pd.DataFrame,
    *,
    folds: int,
    groups: str | None,
    stratify: str | Sequence[str],
    seed: int,
) -> Iterator[Fold]:
    """Yield the folds, rows in an order that follows from their content."""
    labels = row_labels(data, groups)
    order = pd.DataFrame({"content": labels.content, "group": labels.group})
    ordered = data.iloc[order.sort_values(["content", "group"], kind="stable").index]
    parts = folds_of(ordered, folds=folds, groups=groups, stratify=stratify, seed=seed)
    for number, held in enumerate(parts, start=1):
        rest, out = (ordered[mask].reset_index(drop=True) for mask in (~held, held))
        yield Fold(number, rest, out)


def _require_numbers(data: object, folds: int, rows: int | None) -> None:
    problems = []
    if not isinstance(data, pd.DataFrame):
        message = f"the table is of type {type(data).__name__}"
        problems.append(Problem(message, path="data", remedy="give a pandas.DataFrame"))
    elif not 2 <= folds <= len(data):
        message = f"{folds} folds of {len(data)} rows cannot be made"
        problems.append(Problem(message, path="folds", remedy="give 2 to the number of rows"))
    if rows is not None and rows < 1:
        message = f"{rows} synthetic rows are too few"
        problems.append(Problem(message, path="rows", remedy="give 1 or more"))
    if problems:
        raise InputError(problems)
