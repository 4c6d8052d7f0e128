"""What a check found: figures to work with, a display that shows no record, files to keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from privgate.api.policies import warn
from privgate.api.stored import as_stored, given_formats
from privgate.dossier import (
    Format,
    baseline_file,
    dossier_files,
    require_free,
    with_pdf_if_possible,
    write_dossier,
)
from privgate.errors import NotAssessedError, Problem, ViolatedError
from privgate.leakscan import declared_texts, require_no_values
from privgate.policy import Outcome
from privgate.record_scores import record_files
from privgate.report import PLAIN, Audience, build_view, redact_evidence
from privgate.report.formats import render_notebook, render_text, verdict_table

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping

    from rich.console import RenderableType

    from privgate.attest import StoredCheck
    from privgate.data import Release
    from privgate.evidence import Estimate, Measurement, RunEvidence
    from privgate.metrics import Records
    from privgate.policy import Verdict
    from privgate.report import Brand, ReportView
    from privgate.report.rule_view import RuleView

_SHOWN = "what is shown"


@dataclass(frozen=True, repr=False, eq=False)
class CheckResult:
    """What a policy makes of a release. It is true only if the policy is met.

    ``evidence`` and ``verdict`` are exact, with small counts, and ``records`` scores of single
    people in ``measured``, the release or the part of it that was sampled: for internal eyes.
    ``rules``, ``figures`` and every display withhold small counts unless the check was made for an
    internal audience. ``release`` is what was judged, and holds the data: do not pickle a result
    into a place where the data must not be. ``earlier`` is the check of the last release, from
    which the saved reports tell what changed.
    """

    evidence: RunEvidence
    verdict: Verdict
    records: Mapping[str, tuple[Records, ...]] = field(repr=False)
    release: Release = field(repr=False)
    measured: Release = field(repr=False)
    audience: Audience = Audience.SHAREABLE
    language: str = "en"
    earlier: StoredCheck | None = field(default=None, repr=False)

    @property
    def outcome(self) -> Outcome:
        """Return the answer of the gate: met, violated or not assessed."""
        return self.verdict.outcome

    @property
    def exit_code(self) -> int:
        """Return what the command line would exit with: 0 met, 1 violated, 3 not assessed."""
        return int(self.verdict.exit_code)

    def __bool__(self) -> bool:
        return self.outcome is Outcome.MET

    @property
    def rules(self) -> pd.DataFrame:
        """Return a row per rule of the policy, its figure and what was held against the limit.

        A number that is withheld from the audience is missing, and ``reason`` says so.
        """
        return pd.DataFrame([_rule_row(rule) for rule in self._view.rules])

    @property
    def figures(self) -> pd.DataFrame:
        """Return a row per measured figure, and per part of it, such as a sensitive column."""
        evidence = self.evidence
        if self.audience is Audience.SHAREABLE:
            evidence = redact_evidence(evidence)
        rows = [row for entry in evidence.measurements for row in _figure_rows(entry)]
        return pd.DataFrame(rows, columns=_FIGURE_COLUMNS)

    def raise_for_violation(self) -> None:
        """Return if the policy is met.

        Raises
        ------
        ViolatedError
            If a rule is violated.
        NotAssessedError
            If nothing is violated, but something the policy asks for could not be shown.
        """
        if self:
            return
        # An exception ends in logs, which many read.
        view = self._view_for(Audience.SHAREABLE)
        kind = ViolatedError if self.outcome is Outcome.VIOLATED else NotAssessedError
        raise kind(
            Problem(reason, file=view.release, path=self.verdict.policy.id)
            for reason in (view.headline, *view.reasons)
        )

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        formats: str | Collection[str] | None = None,
        records: bool = False,
        brand: Brand = PLAIN,
    ) -> Path:
        """Write the files of the check, whole or not at all, and return their folder.

        They are those of ``privgate check`` for the same release, byte for byte.

        Parameters
        ----------
        folder
            A new or empty folder, or one that holds an earlier check, which is replaced.
        formats
            ``"html"``, ``"pdf"``, ``"dpia-md"``, ``"dpia-html"``, ``"oscal"``, ``"csv"``, or
            ``"json"`` for none beside evidence, verdict and manifest; by default HTML, and PDF
            where it can be drawn.
        records
            Also write scores of single records, for internal eyes.
        brand
            The report's look, from :func:`privgate.report.load_brand`.

        Raises
        ------
        InputError
            If a format is unknown, or the folder holds something else or cannot be written.
        RenderError
            If a format that was asked for cannot be drawn.
        DisclosureError
            If a file would show the value of a record.
        """
        place = Path(folder)
        asked = given_formats(formats)
        require_free(place)
        files = self._drawn(asked, brand)
        if records:
            files |= record_files(self.records, self.measured)
        self.require_no_values_shown(files)
        write_dossier(place, files, self.evidence, self.verdict)
        return place

    def require_no_values_shown(self, files: Mapping[str, bytes] | None = None) -> None:
        """Return if neither files nor what is shown hold a value of the release.

        Parameters
        ----------
        files
            By default evidence and verdict, of which everything that is shown is made.

        Raises
        ------
        DisclosureError
            If one does.
        """
        evidence, verdict = self.evidence, self.verdict
        searched = dict(self._files(frozenset(), PLAIN) if files is None else files)
        searched[_SHOWN] = self._text.encode()
        stated = [*declared_texts(evidence, verdict)]
        if self.earlier is not None:
            stated += declared_texts(self.earlier.evidence, self.earlier.verdict)
        require_no_values(searched, self.release, declared=stated)

    def _drawn(self, asked: frozenset[Format] | None, brand: Brand) -> dict[str, bytes]:
        if asked is not None:
            return self._files(asked, brand)
        told: list[str] = []
        files = with_pdf_if_possible(
            lambda formats: self._files(formats, brand), {Format.HTML}, told.append
        )
        for text in told:
            warn(text)
        return files

    def _files(self, formats: frozenset[Format], brand: Brand) -> dict[str, bytes]:
        return dossier_files(
            self.evidence,
            self.verdict,
            formats=formats,
            audience=self.audience,
            language=self.language,
            stored=self._beside,
            brand=brand,
        )

    @property
    def _beside(self) -> dict[str, bytes]:
        if self.earlier is None:
            return {}
        return baseline_file(self.earlier, self.stored.policy, self.evidence)

    @cached_property
    def stored(self) -> StoredCheck:
        """Return the check as it is once it has been saved, to be compared with others."""
        return as_stored(self.evidence, self.verdict)

    @cached_property
    def _view(self) -> ReportView:
        return self._view_for(self.audience)

    def _view_for(self, audience: Audience) -> ReportView:
        return build_view(self.evidence, self.verdict, audience=audience, language=self.language)

    @cached_property
    def _text(self) -> str:
        return render_text(
            self.verdict, self.evidence, audience=self.audience, language=self.language
        )

    def __repr__(self) -> str:
        view = self._view
        return f"<CheckResult {self.outcome}: {view.release!r} under {self.verdict.policy.id!r}>"

    def __rich__(self) -> RenderableType:
        return verdict_table(
            self.verdict, self.evidence, audience=self.audience, language=self.language
        )

    def _repr_html_(self) -> str:
        """Return the display of a notebook."""
        return render_notebook(self._view)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the displays of a notebook, for those that show HTML and for those that do not."""
        del include, exclude
        return {"text/html": self._repr_html_(), "text/plain": self._text}


_FIGURE_COLUMNS = (
    "measurement", "metric", "part", "figure", "value", "low", "high", "level", "method", "n",
    "reason",
)  # fmt: skip


def _rule_row(rule: RuleView) -> dict[str, object]:
    found = rule.verdict
    return {
        "id": found.id,
        "metric": found.metric,
        "measure": found.measure,
        "part": found.part,
        "outcome": str(found.outcome),
        "value": _number(found.value),
        "low": _number(found.low),
        "high": _number(found.high),
        "judged": _number(found.judged),
        "limit": rule.limit,
        "severity": found.severity,
        "reason": rule.reason,
    }


def _figure_rows(measurement: Measurement) -> Iterator[dict[str, object]]:
    parts: list[tuple[str | None, Mapping[str, Estimate]]] = [(None, measurement.figures)]
    parts += [(part.of, part.figures) for part in measurement.parts]
    for part, figures in parts:
        for name, figure in figures.items():
            yield {
                "measurement": measurement.id,
                "metric": measurement.metric,
                "part": part,
                "figure": name,
                "value": _number(figure.value),
                "low": _number(figure.low),
                "high": _number(figure.high),
                "level": _number(figure.level),
                "method": figure.method,
                "n": _number(figure.n),
                "reason": figure.reason,
            }


def _number(value: float | None) -> float:
    """Return a number for a column of numbers; NaN, which keeps no limit, where there is none."""
    return float("nan") if value is None else float(value)
