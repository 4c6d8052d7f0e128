"""Outputs of a check × values of the release → the sections that would show one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from privgate.data import ColumnType
from privgate.errors import DisclosureError, Problem
from privgate.leakscan.chance import ROUNDED, beyond_chance, form_of
from privgate.leakscan.passages import json_texts
from privgate.leakscan.rare import FEWEST_PEOPLE, rare_phrases, sorted_numbers
from privgate.leakscan.reading import read_files, read_texts
from privgate.leakscan.tokens import dates, words
from privgate.leakscan.tokens import numbers as read_numbers
from privgate.leakscan.wording import own_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.leakscan.chance import Form
    from privgate.leakscan.rare import SortedNumbers
    from privgate.leakscan.reading import Phrase, Place, Reading
    from privgate.leakscan.tokens import Number, Span

FALSE_ALARMS = 0.01
"""How often chance alone may stop a check, over all columns, for one file and form of number."""

_UNSEARCHED = ("records/",)  # positions and scores by the thousand, for internal eyes
_UNTOLD = "(its title shows the value)"
_LARGEST_DENOMINATOR = 1000


@dataclass(frozen=True, order=True)
class Finding:
    """A section of a file that shows a value of a column; which one is not told."""

    file: str
    section: str
    column: str


def scan_outputs(
    files: Mapping[str, bytes], release: Release, *, declared: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Return every section of the files that shows a value by which somebody could be recognised.

    Parameters
    ----------
    files
        The outputs by name; per-record scores are left out.
    release
        The tables whose values are looked for.
    declared
        Texts that people wrote knowingly, such as the policy. What the release file says of the
        release is always among them.

    Notes
    -----
    A value is looked for if fewer than eleven real people have it, or if it is in an identifier
    column: levels of four letters or more as whole words, numbers of five significant digits or
    more in any notation, also rounded, dates and times. Words and numbers of the program's own
    texts and of ``declared`` ones are no finding; numbers are none where chance explains them.

    Raises
    ------
    RenderError
        If a file cannot be read.
    """
    searched = {n: content for n, content in files.items() if not n.startswith(_UNSEARCHED)}
    reading = read_files(searched)
    known = (_own_reading(), read_texts((*_stated(release), *declared)))
    found = set(_levels_shown(reading, known, release))
    found |= set(_numbers_shown(reading, known, release))
    return tuple(sorted(found))


def require_no_values(
    files: Mapping[str, bytes], release: Release, *, declared: Iterable[str] = ()
) -> None:
    """Return if no file shows a value of the release; see :func:`scan_outputs`.

    Raises
    ------
    DisclosureError
        If one does. The message names file, section and column, never the value.
    RenderError
        If a file cannot be read.
    """
    findings = scan_outputs(files, release, declared=declared)
    if findings:
        raise DisclosureError(_problem(finding) for finding in findings)


@cache
def _own_reading() -> Reading:
    return read_texts(own_texts())


def _problem(finding: Finding) -> Problem:
    return Problem(
        f"the section {finding.section!r} would show a value of column {finding.column!r} that "
        f"fewer than {FEWEST_PEOPLE} people have",
        file=finding.file,
        remedy="nothing was written; if the text is meant to be there, state it in the release "
        "file's context; else report a fault of the metric or of privgate, without the value",
    )


def _stated(release: Release) -> Iterator[str]:
    """Yield what the release file says in words, and the names of files and columns."""
    facts = release.facts
    yield from (facts.name, facts.unit)
    yield from (column.name for column in facts.columns)
    yield from (column.decided_by for column in facts.columns if column.decided_by)
    yield from (table.file for table in facts.tables.values())
    yield from json_texts([facts.context, facts.generator, facts.correspondence])
    yield from (f"{table.sha256} {table.content_sha256}" for table in facts.tables.values())
    yield from (str(count) for t in facts.tables.values() for count in (t.rows, t.distinct_rows))


def _levels_shown(
    reading: Reading, known: Collection[Reading], release: Release
) -> Iterator[Finding]:
    seen = reading.vocabulary()
    columns: defaultdict[Phrase, set[str]] = defaultdict(set)
    for column in (*release.columns, *release.identifiers):
        if column.levels:
            for phrase in rare_phrases(release, column, seen):
                columns[phrase].add(column.name)
    found = reading.where(columns)
    for phrase in found.keys() - {phrase for texts in known for phrase in texts.where(found)}:
        titles = {place: _contains(words(place.section), phrase) for place in found[phrase]}
        for name in columns[phrase]:
            yield from (_finding(place, name, telling=titles[place]) for place in titles)


def _contains(title: Phrase, phrase: Phrase) -> bool:
    return any(title[i : i + len(phrase)] == phrase for i in range(len(title)))


def _finding(place: Place, column: str, *, telling: bool) -> Finding:
    """Return a finding; a title that shows the value itself does not name the section."""
    return Finding(place.file, _UNTOLD if telling else place.section, column)


def _numbers_shown(
    reading: Reading, known: Collection[Reading], release: Release
) -> Iterator[Finding]:
    shown = {
        number: places
        for number, places in reading.numbers.items()
        if number.value
        and not any(number in texts.numbers for texts in known)
        and not _is_simple(number)
    }
    spans = {
        span: places
        for span, places in reading.dates.items()
        if not any(span in texts.dates for texts in known)
    }
    times = {c.name for c in release.columns if c.type is ColumnType.DATETIME}
    if not shown and not (spans and times):
        return
    columns = list(sorted_numbers(release))
    for numbers in columns:
        if numbers.name in times:
            yield from _dates_shown(spans, numbers)
        yield from _hits(shown, numbers, FALSE_ALARMS / len(columns))


def _is_simple(number: Number) -> bool:
    """Return whether a number is a ratio of small ones, such as a third, which many share."""
    if number.decimals < 5:
        return False
    nearest = float(Fraction(number.value).limit_denominator(_LARGEST_DENOMINATOR))
    return abs(number.value - nearest) <= 1e-12 * number.value


def _dates_shown(spans: Mapping[Span, set[Place]], numbers: SortedNumbers) -> Iterator[Finding]:
    starts = np.array([span.start for span in spans], np.float64)
    ends = np.nextafter([span.start + span.seconds for span in spans], -np.inf)
    for span, hit in zip(spans, numbers.rare_between(starts, ends), strict=True):
        if hit:
            for place in spans[span]:
                telling = span in dates(place.section)
                yield _finding(place, numbers.name, telling=telling)


def _hits(
    shown: Mapping[Number, set[Place]], numbers: SortedNumbers, false_alarms: float
) -> Iterator[Finding]:
    listed = list(shown)
    hits = [n for n, hit in zip(listed, _met(listed, numbers), strict=True) if hit]
    for file, form in {(place.file, form_of(n)) for n in hits for place in shown[n]}:
        alike = _alike(listed, shown, file, form)
        candidates = _alike(hits, shown, file, form)
        for number in beyond_chance(candidates, alike, numbers, false_alarms=false_alarms):
            for place in shown[number]:
                if place.file == file:
                    telling = number in read_numbers(place.section)
                    yield _finding(place, numbers.name, telling=telling)


def _alike(
    chosen: Iterable[Number], shown: Mapping[Number, set[Place]], file: str, form: Form
) -> list[Number]:
    """Return the numbers of a form that stand in a file."""
    return [n for n in chosen if form_of(n) == form and any(p.file == file for p in shown[n])]


def _met(listed: list[Number], numbers: SortedNumbers) -> NDArray[np.bool_]:
    """Return which numbers are, or are rounded from, values of few people."""
    values = np.array([number.value for number in listed], np.float64)
    decimals = np.array([number.decimals for number in listed], np.int64)
    half = np.where(decimals <= ROUNDED, 0.5 * 10.0 ** -np.minimum(decimals, ROUNDED), 0.0)
    low, high = (np.nextafter(values + s * half, s * np.inf) for s in (-1, 1))
    return numbers.rare_between(low, high) | numbers.rare_between(-high, -low)
