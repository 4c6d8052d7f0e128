"""What the report says where a sample of the rows was measured, or was asked for and not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.numbers import count_text

if TYPE_CHECKING:
    from privgate.evidence import ReleaseFacts, RunFacts, SampleFacts, TableName
    from privgate.report.wording import Wording

_TABLES: tuple[TableName, ...] = ("train", "holdout", "synthetic")


def sample_words(run: RunFacts, release: ReleaseFacts, words: Wording) -> str:
    """Return how many rows of each table were measured, and how they were drawn.

    Empty where every row was measured and nobody asked for less.
    """
    sample = run.sample
    if sample is None:
        return _unneeded(run, words)
    tables = _sampled_tables(sample, release, words)
    drawn, source = words(f"sample.{sample.drawn}"), words(f"sample.by_{sample.source}")
    return words("sample.told", tables=tables, drawn=drawn, source=source)


def sample_in_brief(run: RunFacts, release: ReleaseFacts, words: Wording) -> str:
    """Return how many rows of each table were measured, and what that means, for the cover."""
    if run.sample is None:
        return _unneeded(run, words)
    return words("sample.brief", tables=_sampled_tables(run.sample, release, words))


def _unneeded(run: RunFacts, words: Wording) -> str:
    asked = run.sample_unneeded
    if asked is None:
        return ""
    return words("sample.unneeded", asked=count_text(asked, words.numbers))


def _sampled_tables(sample: SampleFacts, release: ReleaseFacts, words: Wording) -> str:
    return "; ".join(
        words(
            "sample.table",
            table=words(f"data.{name}"),
            rows=count_text(sample.rows[name], words.numbers),
            whole=count_text(release.tables[name].rows, words.numbers),
        )
        for name in _TABLES
        if name in sample.rows and name in release.tables
    )
