"""Checks side by side: which release stands where under one policy, and what it is good for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from privgate.api.policies import warn
from privgate.api.result import CheckResult
from privgate.api.stored import given_formats, opened
from privgate.dossier import (
    COMPARISON_FILES,
    NO_PAGES_OF_COMPARISONS,
    drawn_comparison,
    require_free,
    stored_candidate,
    write_folder,
)
from privgate.errors import InputError, Problem
from privgate.leakscan import declared_texts, require_no_values
from privgate.report import languages
from privgate.report.comparison import compare_checks

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from privgate.report.comparison import Candidate, Compared, ComparedRule


@dataclass(frozen=True, repr=False, eq=False)
class ComparisonResult:
    """Releases under one policy, the best first, in the numbers that shareable reports show.

    ``differences`` names what was not the same for all, such as ``"train"``; if there is anything,
    no release has a place.
    """

    compared: Compared
    results: tuple[CheckResult, ...]
    language: str

    @property
    def differences(self) -> tuple[str, ...]:
        """Return what is not the same for all releases, so that they have no places."""
        return self.compared.comparison.differences

    @property
    def ranking(self) -> pd.DataFrame:
        """Return a row per release, the best first; a number that nobody knows is missing.

        ``risk`` is the greatest part of its limit that a blocking rule uses up, 1 being at the
        limit and 3 all that is greater; it may be greater where ``risk_is_least``. ``utility`` is
        the mean of the figures of the policy's rules on utility. Neither moves a place.
        """
        columns = (
            "rank", "tied", "label", "name", "outcome", "violated", "overshoot", "open", "risk",
            "risk_is_least", "utility",
        )  # fmt: skip
        rows = [it.model_dump(mode="json") for it in self.compared.comparison.releases]
        found = pd.DataFrame([{name: row[name] for name in columns} for row in rows])
        numbers = {"rank": "Int64", "overshoot": "float64", "risk": "float64", "utility": "float64"}
        return found.astype(numbers)

    @property
    def rules(self) -> pd.DataFrame:
        """Return a row per rule and release: outcome, figure, what was judged, margin to limit."""
        rows = [row for rule in self.compared.comparison.rules for row in _rows(rule)]
        return pd.DataFrame(rows)

    def save(
        self, folder: str | os.PathLike[str], *, formats: str | Collection[str] | None = None
    ) -> Path:
        """Write the files of ``privgate compare``, whole or not at all, and return their folder.

        Parameters
        ----------
        folder
            A new or empty folder, or one that holds an earlier comparison, which is replaced.
        formats
            ``"html"``, ``"pdf"``, or ``"json"`` for none beside compare.json; by default HTML, and
            PDF where it can be drawn.

        Raises
        ------
        InputError
            If a format is unknown, or the folder holds something else or cannot be written.
        RenderError
            If a format that was asked for cannot be drawn.
        DisclosureError
            If a file would show the value of a record of a result whose data are at hand.
        """
        place = Path(folder)
        asked = given_formats(formats, but=NO_PAGES_OF_COMPARISONS)
        require_free(place, replaceable=COMPARISON_FILES)
        files = drawn_comparison(self.compared, asked, language=self.language, tell=warn)
        self._require_no_values_shown(files)
        write_folder(place, files, replaceable=COMPARISON_FILES)
        return place

    def _require_no_values_shown(self, files: dict[str, bytes]) -> None:
        candidates = [it.candidate for it in self.compared.shown]
        stated = [text for it in candidates for text in declared_texts(it.evidence, it.verdict)]
        for result in self.results:
            require_no_values(files, result.release, declared=stated)

    def __repr__(self) -> str:
        releases = self.compared.comparison.releases
        return f"<ComparisonResult of {len(releases)}: {', '.join(it.name for it in releases)}>"

    def _repr_html_(self) -> str:
        """Return the display of a notebook."""
        return self.ranking.to_html(index=False, float_format="{:.3f}".format, na_rep="unknown")


def compare(
    *checks: CheckResult | str | os.PathLike[str], language: str = "en"
) -> ComparisonResult:
    """Return several checks under one policy side by side.

    Parameters
    ----------
    checks
        Results of :func:`privgate.check`, or output folders of checks, which are verified first.
    language
        Of the saved pages: ``"en"`` or ``"de"``.

    Returns
    -------
    ComparisonResult
        Ranks if train, holdout, declarations, sample and metrics are the same for all.

    Raises
    ------
    InputError
        If there are fewer than two, one is there twice, one is no check, or the policies differ.
    IntegrityError
        If a folder was altered.

    Examples
    --------
    >>> import privgate
    >>> from privgate.testing.samples import survey
    >>> people = {"train": survey(600, 1), "holdout": survey(600, 2)}
    >>> roles = {"age": "quasi_identifier", "income": "sensitive"}
    >>> copy, honest = (
    ...     privgate.check(
    ...         **people, synthetic=survey(600, seed), columns=roles, policy="ci-smoke", name=name
    ...     )
    ...     for name, seed in (("copy", 1), ("honest", 3))
    ... )
    >>> privgate.compare(copy, honest).ranking["name"].tolist()
    ['honest', 'copy']
    """
    if language not in languages():
        remedy = f"choose from {', '.join(languages())}"
        raise InputError(Problem(f"{language!r} is not known", path="language", remedy=remedy))
    candidates = [_candidate(place, it) for place, it in enumerate(checks, start=1)]
    return ComparisonResult(
        compared=compare_checks(candidates, language=language),
        results=tuple(it for it in checks if isinstance(it, CheckResult)),
        language=language,
    )


def _candidate(number: int, it: object) -> Candidate:
    place = f"check {number}"
    if isinstance(it, CheckResult):
        return stored_candidate(place, it.stored)
    return stored_candidate(str(it), opened(it, path=place))


def _rows(rule: ComparedRule) -> list[dict[str, object]]:
    own = {"id": rule.id, "metric": rule.metric, "measure": rule.measure, "severity": rule.severity}
    return [
        own | {"label": label} | result.model_dump(mode="json")
        for label, result in rule.results.items()
    ]
