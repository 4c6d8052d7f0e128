"""Columns of Parquet files: read when asked for, from the file that was opened, or refused."""

from __future__ import annotations

import os
import pickle
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privgate.data import arrow_files
from privgate.data.arrow_files import ParquetColumns
from privgate.errors import InputError

SENTINEL = "Zarathustra"


def stored(tmp_path, columns=None, **options):
    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table(columns or {"a": [1, None, 3], "b": ["x", SENTINEL, "z"]}), path, **options
    )
    return path


def test_nothing_is_read_but_the_column_asked_for(tmp_path, parquet_reads):
    columns = ParquetColumns.of(stored(tmp_path))
    assert list(columns) == ["a", "b"]
    assert (len(columns), columns.rows) == (2, 3)
    assert "a" in columns
    assert "c" not in columns
    assert not {"c"} & columns.keys()
    assert parquet_reads == []
    assert columns["a"].to_pylist() == [1, None, 3]
    assert parquet_reads == [["a"]]
    with pytest.raises(KeyError):
        columns["c"]


def test_a_part_of_a_nested_column_is_not_taken_for_the_column_of_its_name(tmp_path):
    nested = {"s": [{"b": 1}, {"b": 2}], "s.b": ["x", "y"], "s.b.c": [3, 4], "": [5, 6]}
    columns = ParquetColumns.of(stored(tmp_path, nested))
    assert {name: column.to_pylist() for name, column in columns.items()} == nested


def test_columns_in_several_row_groups_and_dictionaries_are_whole(tmp_path):
    values = pa.array(["x", "y", None, "x"] * 5).dictionary_encode()
    path = stored(tmp_path, {"a": values, "b": range(20)}, row_group_size=3)
    columns = ParquetColumns.of(path)
    assert columns["a"].to_pylist() == values.to_pylist()
    assert columns["b"].to_pylist() == list(range(20))
    assert columns["a"].type == values.type


def test_the_digest_is_that_of_the_bytes(tmp_path):
    path = stored(tmp_path)
    assert ParquetColumns.of(path).sha256() == sha256(path.read_bytes()).hexdigest()


def test_what_travels_is_no_cell_and_finds_the_file_from_another_folder(tmp_path, monkeypatch):
    stored(tmp_path, write_statistics=False)
    monkeypatch.chdir(tmp_path)
    columns = ParquetColumns.of(Path("t.parquet"))
    sent = pickle.dumps(columns)
    assert SENTINEL.encode() not in sent
    assert SENTINEL not in repr(columns)
    monkeypatch.chdir("/")
    assert pickle.loads(sent)["b"].to_pylist() == ["x", SENTINEL, "z"]


def test_statistics_of_the_footer_are_not_shown(tmp_path):
    columns = ParquetColumns.of(stored(tmp_path))
    assert SENTINEL not in f"{columns!r} {columns}"


def refused(columns, expected):
    for read in (lambda: columns["b"], columns.sha256):
        with pytest.raises(InputError, match=expected) as caught:
            read()
        [problem] = caught.value.problems
        assert problem.file == str(columns.path)
        assert SENTINEL not in str(problem)


def test_a_file_that_has_changed_is_refused(tmp_path):
    path = stored(tmp_path)
    columns = ParquetColumns.of(path)
    os.utime(path, ns=(0, 0))
    refused(columns, r"the file was changed while it was read; start again")
    columns = ParquetColumns.of(path)
    path.write_bytes(path.read_bytes() + b"!")
    refused(columns, "was changed")
    path.unlink()
    refused(columns, "there is no such file")


def test_another_file_of_the_same_size_and_time_is_refused(tmp_path):
    path = stored(tmp_path, {"b": ["x", "y"]})
    columns, was = ParquetColumns.of(path), path.stat()
    stored(tmp_path, {"b": ["x", "z"]})
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_size == was.st_size
    refused(columns, "was changed")


def test_a_file_that_is_cut_while_it_is_read_has_changed(tmp_path, monkeypatch):
    path = stored(tmp_path)
    columns = ParquetColumns.of(path)

    def cut(*_, **__):
        os.truncate(path, 10)
        raise OSError("Corrupt snappy compressed data")

    monkeypatch.setattr(pq.ParquetFile, "read", cut)
    with pytest.raises(InputError, match="was changed"):
        columns["b"]


def test_damage_is_told_without_a_cell_and_only_where_it_is(tmp_path):
    path = stored(
        tmp_path, {"a": [1, 2, 3], "b": [SENTINEL] * 3}, compression="none", use_dictionary=False
    )
    raw = path.read_bytes()
    place = raw.index(SENTINEL.encode())
    path.write_bytes(raw[: place - 4] + b"\xff\xff\xff\x7f" + raw[place:])
    columns = ParquetColumns.of(path)
    assert columns["a"].to_pylist() == [1, 2, 3]
    with pytest.raises(InputError, match=r"the file is not a readable .parquet file; write") as it:
        columns["b"]
    assert SENTINEL not in str(it.value)
    assert it.value.__cause__ is None


def test_text_that_is_no_text_is_damage(tmp_path):
    path = stored(tmp_path, {"b": [SENTINEL, "x"]}, compression="none", write_statistics=False)
    path.write_bytes(path.read_bytes().replace(SENTINEL.encode(), b"\xff" * len(SENTINEL)))
    with pytest.raises(InputError, match=r"not a readable .parquet file"):
        ParquetColumns.of(path)["b"]


def test_a_column_shorter_than_the_footer_says_is_damage(tmp_path, monkeypatch):
    columns = ParquetColumns.of(stored(tmp_path))
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: pa.table({"a": [1]}))
    with pytest.raises(InputError, match=r"not a readable .parquet file"):
        columns["a"]


def test_what_the_system_says_of_a_file_is_told_as_that(tmp_path, monkeypatch):
    columns = ParquetColumns.of(stored(tmp_path))

    def broken(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(arrow_files.pq.ParquetFile, "read", broken)
    with pytest.raises(InputError, match=r"cannot be read \(Input/output error\)"):
        columns["a"]
