"""Releases of real data, where they lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from privgate.data import identifier_replays, load_release, row_ids

SHARED = Path(__file__).parents[2].parent / "shared" / "releases"
FILES = sorted(SHARED.glob("*.yaml"))

pytestmark = pytest.mark.skipif(
    not FILES, reason="there are no shared releases beside the checkout"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_release_loads(path):
    release = load_release(path)
    for name, table in release.tables.items():
        assert table.rows == release.facts.tables[name].rows > 0
        assert sorted(table.positions) == list(range(1, table.rows + 1))
        for column in release.columns:
            assert len(table.values[column.name]) == table.rows


def copied_share(stem):
    ids = row_ids(load_release(SHARED / f"{stem}.yaml"))
    return float(np.isin(ids["synthetic"], ids["train"]).mean())


def test_train_as_synthetic_is_copied_wholly():
    assert copied_share("census2k-train-as-synthetic") == 1
    assert copied_share("census2k-syn_mostly") == 0


def test_identifiers_that_are_numbers_are_read_as_text():
    release = load_release(SHARED / "student-placements.yaml")
    assert identifier_replays(release) == {"student_id": 0}
    assert "17264" in release.identifiers[0].levels
