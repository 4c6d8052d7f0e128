"""Scores of single records as CSV, for internal eyes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from privgate.report.spreadsheet import inert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.data import Release
    from privgate.metrics import Records


def record_files(records: Mapping[str, tuple[Records, ...]], release: Release) -> dict[str, bytes]:
    """Return per-record scores as CSV files, rows named by their position in the table's file.

    They hold no value of a record, but say which records are exposed: for internal eyes only.
    """
    files = {}
    for measurement, tables in records.items():
        for entry in tables:
            positions = release.tables[entry.table].positions
            order = np.argsort(positions)
            scores = dict(entry.scores)
            if entry.named is not None:
                scores["named"] = entry.named
            columns = [positions, *scores.values()]
            text = io.StringIO()
            np.savetxt(
                text,
                np.column_stack([np.asarray(column, np.float64) for column in columns])[order],
                fmt=["%d", *(_format(column) for column in scores.values())],
                delimiter=",",
                header=",".join(_quoted(name) for name in ("row", *scores)),
                comments="",
            )
            files[f"records/{measurement}-{entry.table}.csv"] = text.getvalue().encode()
    return files


def _format(scores: np.ndarray) -> str:
    return "%d" if scores.dtype.kind in "bui" else "%.17g"


def _quoted(name: str) -> str:
    cell = inert(name)
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\n\r') else cell
