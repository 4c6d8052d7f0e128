"""Tables read by an executor: the same release whoever reads, and the caller has the last word."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from threading import Lock
from time import sleep
from weakref import ref

import numpy as np
import pyarrow.parquet as pq
import pytest

from privgate.data import (
    assembly,
    guess_declarations,
    load_release,
    read_tables,
    release_from_tables,
)
from privgate.data.reading import UNSEEN
from privgate.errors import InputError, PrivgateWarning
from privgate.executors import SERIAL, Threads
from privgate.testing.samples import survey

TABLES = ("train", "holdout", "synthetic")
COLUMNS = {
    "age": {"type": "numeric", "role": "quasi_identifier"},
    "income": {"type": "numeric", "role": "sensitive"},
    "note": {"type": "categorical", "role": "ignore"},
}
TEXT = """\
privgate: release/v1
name: survey
data:
  train: {path: train.parquet}
  holdout: {path: holdout.parquet}
  synthetic: {path: synthetic.parquet}
columns:
  age: {type: numeric, role: quasi_identifier}
  income: {type: numeric, role: sensitive}
  note: {type: categorical, role: ignore}
"""


@pytest.fixture
def release_file(tmp_path):
    for seed, name in enumerate(TABLES):
        frame = survey(200, seed)[["age", "income"]].assign(note="Zarathustra")
        frame.to_parquet(tmp_path / f"{name}.parquet", compression=None)
    path = tmp_path / "release.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


class Blind:
    """An executor on which a table has another name, as on a machine without its folder."""

    jobs = 1

    def __init__(self, table):
        self.table = table

    def map(self, task, shared, parts):
        for part in parts:
            with self.moved():
                found = task(shared, part)
            yield found

    @contextmanager
    def moved(self):
        away = self.table.with_name("away")
        self.table.rename(away)
        try:
            yield
        finally:
            away.rename(self.table)


def same(one, other):
    assert one.facts == other.facts
    for name, table in one.tables.items():
        for column, values in table.values.items():
            assert np.array_equal(values, other.tables[name].values[column], equal_nan=True)


def test_threads_read_what_one_thread_reads(release_file):
    same(load_release(release_file), load_release(release_file, executor=Threads(3)))


def test_each_declared_column_is_read_once_and_no_other(release_file, parquet_reads):
    load_release(release_file)
    assert sorted(parquet_reads) == [["age"]] * 3 + [["income"]] * 3


def test_what_a_worker_does_not_see_is_read_here_and_told(release_file):
    with pytest.warns(PrivgateWarning, match="not every worker sees the tables") as told:
        found = load_release(release_file, executor=Blind(release_file.with_name("train.parquet")))
    assert {str(it.message) for it in told} == {UNSEEN}
    same(found, load_release(release_file))


def test_a_worker_that_sees_another_file_is_not_believed(release_file):
    class Elsewhere(Blind):
        @contextmanager
        def moved(self):
            with super().moved():
                survey(200, 9).to_parquet(self.table)
                yield

    with pytest.warns(PrivgateWarning):
        found = load_release(
            release_file, executor=Elsewhere(release_file.with_name("synthetic.parquet"))
        )
    same(found, load_release(release_file))


@pytest.mark.parametrize("executor", [SERIAL, Threads(2)])
def test_damage_of_a_file_is_told_once_and_that_of_every_file(release_file, executor):
    for name in ("train", "synthetic"):
        path = release_file.with_name(f"{name}.parquet")
        footer = pq.ParquetFile(path).metadata.row_group(0)
        raw = bytearray(path.read_bytes())
        for place in (0, 1):  # the header of the first page of both columns
            column = footer.column(place)
            start = column.dictionary_page_offset or column.data_page_offset
            raw[start : start + 8] = b"\xff" * 8
        path.write_bytes(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            load_release(release_file, executor=executor)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{release_file.with_name(f'{name}.parquet')}: the file is not a readable .parquet file; "
        "write it again"
        for name in ("train", "synthetic")
    ]


def test_a_file_changed_between_two_columns_is_refused(release_file, monkeypatch):
    read, changed = pq.ParquetFile.read, release_file.with_name("holdout.parquet")

    def late(self, columns=None, **options):
        if columns == ["income"]:
            changed.write_bytes(changed.read_bytes())
        return read(self, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", late)
    with pytest.raises(InputError) as caught:
        load_release(release_file)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{changed}: the file was changed while it was read; start again when nothing writes to it"
    ]


def test_tables_of_two_kinds_make_one_release(release_file):
    folder = release_file.parent
    survey(200, 1)[["age", "income"]].to_csv(folder / "holdout.csv", index=False)
    paths = {name: folder / f"{name}.parquet" for name in TABLES}
    mixed = release_from_tables(
        **{**paths, "holdout": folder / "holdout.csv"},
        columns=COLUMNS,
        name="survey",
        executor=Threads(2),
    )
    pure = release_from_tables(**paths, columns=COLUMNS, name="survey")
    assert (
        mixed.facts.tables["holdout"].content_sha256 == pure.facts.tables["holdout"].content_sha256
    )
    assert mixed.facts.tables["train"] == pure.facts.tables["train"]


def test_guesses_are_those_of_one_thread(release_file, parquet_reads):
    tables = read_tables({name: release_file.with_name(f"{name}.parquet") for name in TABLES})
    here = guess_declarations(tables)
    assert guess_declarations(tables, Threads(2)) == here
    assert len(parquet_reads) == 18


def test_threads_do_not_hold_many_columns_as_they_were_stored(release_file, monkeypatch):
    read, lock, under_way, most = pq.ParquetFile.read, Lock(), [], []

    def slow(self, columns=None, **options):
        with lock:
            under_way.append(columns)
            most.append(len(under_way))
        sleep(0.02)
        try:
            return read(self, columns=columns, **options)
        finally:
            with lock:
                under_way.pop()

    monkeypatch.setattr(pq.ParquetFile, "read", slow)
    load_release(release_file, executor=Threads(50))
    assert 1 < max(most) <= 4


def test_columns_as_they_were_read_are_freed_once_their_rows_are_in_order(
    release_file, monkeypatch
):
    ordered, columns, left = assembly._ordered, [], []

    def noted(content, *others):
        left.append(sum(it() is not None for it in columns))
        columns.extend(ref(column) for column in content.values())
        return ordered(content, *others)

    monkeypatch.setattr(assembly, "_ordered", noted)
    load_release(release_file)
    assert left == [0, 0, 0]
    assert len(columns) == 6
