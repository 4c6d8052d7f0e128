"""A release with other rows in its tables: what a repeated check is made on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.canonical import CanonicalColumn
from privgate.data.coherence import holdout_overlap
from privgate.data.copies import row_ranks
from privgate.data.fingerprint import content_digest
from privgate.data.matrices import matrix_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.data.columns import Table
    from privgate.data.digests import Digests
    from privgate.data.release import Release
    from privgate.evidence import TableFacts, TableName


def with_tables(release: Release, tables: Mapping[TableName, Table]) -> Release:
    """Return the release with other tables of the same columns, and true facts about them.

    Rows stay in the order given: no measurement depends on it. A table made here has no file, so
    both of its digests are those of its content. The holdout may be given to a release without one.

    Examples
    --------
    >>> from privgate.testing.samples import survey_release
    >>> release = survey_release(60)
    >>> smaller = with_tables(release, {"synthetic": release.synthetic.take(np.arange(10))})
    >>> smaller.synthetic.rows, smaller.facts.tables["synthetic"].rows, smaller.train.rows
    (10, 10, 60)
    """
    known = {**release.facts.tables}
    model = known["train"]
    for name, table in tables.items():
        known[name] = _facts(release, table, known.get(name, model))
    fresh = replace(
        release,
        train=tables.get("train", release.train),
        synthetic=tables.get("synthetic", release.synthetic),
        holdout=tables.get("holdout", release.holdout),
        facts=release.facts.model_copy(update={"tables": known}),
    )
    overlap, _ = holdout_overlap(fresh)
    facts = fresh.facts.model_copy(update={"holdout_overlap": overlap})
    return replace(fresh, facts=facts)


def _facts(release: Release, table: Table, model: TableFacts) -> TableFacts:
    digests, distinct = (
        _content(release, table)
        if table.matrix is None
        else matrix_content(table.matrix, dimensions=model.columns)[1:]
    )
    return model.model_copy(
        update={
            "sha256": digests.content,
            "content_sha256": digests.content,
            "salt": digests.salt,
            "rows": table.rows,
            "distinct_rows": distinct,
        }
    )


def _content(release: Release, table: Table) -> tuple[Digests, int]:
    """Return the digests of a table's columns and its number of distinct rows."""
    columns = {
        column.name: CanonicalColumn(
            table.values[column.name], column.levels if column.type.has_levels else None
        )
        for column in (*release.columns, *release.identifiers)
        if column.name in table.values
    }
    measured = [columns[column.name].values for column in release.columns]
    ranks = row_ranks(measured, table.rows)
    order = np.argsort(row_ranks([ranks, *(c.values for c in columns.values())], table.rows))
    return content_digest(columns, order), int(ranks.max()) + 1
