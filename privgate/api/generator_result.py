"""What a policy makes of a generator: the results of all folds, and the answer of all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from privgate.errors import NotAssessedError, Problem, ViolatedError
from privgate.policy import Outcome
from privgate.report import build_view
from privgate.report.formats import (
    FoldsView,
    folds_table,
    render_folds_notebook,
    render_folds_text,
    view_folds,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from privgate.api.result import CheckResult


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
