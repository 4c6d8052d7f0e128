import gzip
import io
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from privgate.data import TableSource, array_without_rows, without_rows
from privgate.data.csv_files import csv_columns
from privgate.errors import InputError


def shorter(path, content, rows, **options):
    path.write_bytes(content)
    source = TableSource(path=path.name, **options)
    return without_rows(path, source, np.array(rows, np.int64))


TEXTS = {
    "plain": (b"a,b\n1,x\n2,y\n3,z\n", b"a,b\n1,x\n3,z\n", {}),
    "no end of the last line": (b"a,b\n1,x\n2,y\n3,z", b"a,b\n1,x\n3,z", {}),
    "CRLF": (b"a,b\r\n1,x\r\n2,y\r\n3,z\r\n", b"a,b\r\n1,x\r\n3,z\r\n", {}),
    "CR alone": (b"a,b\r1,x\r2,y\r3,z\r", b"a,b\r1,x\r3,z\r", {}),
    "a line end in a quotation": (
        b'"a",b\n1,"x\n, ""q"""\n2,"\r\n\n"\n3,"z"\n',
        b'"a",b\n1,"x\n, ""q"""\n3,"z"\n',
        {},
    ),
    "a header on two lines": (
        b'a,"b\nc"\n1,x\n2,y\n3,z\n',
        b'a,"b\nc"\n1,x\n3,z\n',
        {},
    ),
    "empty lines": (b"\na,b\n\n1,x\n\n2,y\n\n3,z\n\n", b"\na,b\n\n1,x\n\n\n3,z\n\n", {}),
    "a quotation mark inside a cell": (b'a,b\n1,5"\n2,6"\n3,7\n', b'a,b\n1,5"\n3,7\n', {}),
    "semicolons and decimal commas": (
        b"a;b\n1,5;x\n2,5;y\n3,50;z\n",
        b"a;b\n1,5;x\n3,50;z\n",
        {"separator": ";", "decimal": ","},
    ),
    "UTF-8 with a mark": (
        b"\xef\xbb\xbfa,b\n1,\xc3\xa4\n2,y\n3,\xe2\x80\xa8z\n",
        b"\xef\xbb\xbfa,b\n1,\xc3\xa4\n3,\xe2\x80\xa8z\n",
        {},
    ),
    "UTF-8 with a mark, so declared": (
        b"\xef\xbb\xbfa,b\n1,x\n2,y\n3,z\n",
        b"\xef\xbb\xbfa,b\n1,x\n3,z\n",
        {"encoding": "utf-8-sig"},
    ),
    "a mark that is declared and not there": (
        b"a,b\n1,x\n2,y\n3,z\n",
        b"a,b\n1,x\n3,z\n",
        {"encoding": "utf-8-sig"},
    ),
    "Latin": (b"a,b\n1,\xe4\x85\n2,y\n3,z\n", b"a,b\n1,\xe4\x85\n3,z\n", {"encoding": "latin-1"}),
    "big-endian UTF-16": (
        b"\xfe\xff" + "a,b\n1,x\n2,y\n3,ä\n".encode("utf-16-be"),
        b"\xfe\xff" + "a,b\n1,x\n3,ä\n".encode("utf-16-be"),
        {"encoding": "utf-16"},
    ),
    "little-endian UTF-16": (
        b"\xff\xfe" + "a,b\n1,x\n2,y\n3,ä\n".encode("utf-16-le"),
        b"\xff\xfe" + "a,b\n1,x\n3,ä\n".encode("utf-16-le"),
        {"encoding": "utf-16"},
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_other_lines_keep_their_bytes(tmp_path, name):
    content, expected, options = TEXTS[name]
    assert shorter(tmp_path / "t.csv", content, [2], **options) == expected


def test_the_last_row_and_none(tmp_path):
    text = b"a,b\n1,x\n2,y"
    assert shorter(tmp_path / "t.csv", text, [2]) == b"a,b\n1,x\n"
    assert shorter(tmp_path / "t.csv", text, []) == text


@pytest.mark.parametrize("suffix", ["gz", "xz", "zst"])
def test_compressed_text_stays_compressed_the_same_way(tmp_path, suffix):
    press = {
        "gz": gzip.compress,
        "xz": lzma.compress,
        "zst": lambda raw: pa.Codec("zstd").compress(raw, asbytes=True),
    }[suffix]
    content, expected, _ = TEXTS["a line end in a quotation"]
    found = shorter(tmp_path / f"t.csv.{suffix}", press(content), [2])
    assert found == shorter(tmp_path / f"t.csv.{suffix}", press(content), [2])
    unpress = {
        "gz": gzip.decompress,
        "xz": lzma.decompress,
        "zst": lambda raw: pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read(),
    }[suffix]
    assert unpress(found) == expected


cells = st.text(st.sampled_from('a,"\n\r 1é\u2028'), max_size=4)


@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=6), st.data())
def test_any_quoted_text_keeps_the_other_rows(tmp_path_factory, rows, data):
    gone = data.draw(st.sets(st.integers(1, len(rows)), max_size=len(rows) - 1))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    kept = [line for place, line in enumerate(quoted, start=1) if place not in gone]
    path = tmp_path_factory.mktemp("any") / "t.csv"
    made = [end.join(["a,b", *lines, ""]).encode() for lines in (quoted, kept)]
    assert shorter(path, made[0], sorted(gone)) == made[1]
    source = TableSource(path="t.csv")
    columns, _, _ = csv_columns(made[1], path, source)
    assert len(columns["a"]) == len(kept)


@pytest.mark.parametrize(
    ("rows", "words"), [([0], "not among the 2 rows"), ([3], "not among"), ([1, 2], "no table")]
)
def test_rows_that_cannot_go_are_refused(tmp_path, rows, words):
    with pytest.raises(InputError, match=words):
        shorter(tmp_path / "t.csv", b"a,b\n1,x\n2,y\n", rows)


def test_text_that_does_not_come_back_the_same_is_refused(tmp_path):
    unusual = "a,b\n1,x\n2,y\n".encode("utf-7").replace(b"x", b"+AHg-")
    with pytest.raises(InputError, match="without a change"):
        shorter(tmp_path / "t.csv", unusual, [1], encoding="utf-7")


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "n": [1.5, np.nan, 3.5, 4.5],
            "c": pd.Categorical(["b", "rare", None, "a"], categories=["rare", "a", "b", "unused"]),
            "when": pd.to_datetime(["2020-01-01", "2021-01-01", None, "2022-01-01"]),
            "i": pd.array([1, 2, None, 4], "Int8"),
        }
    )


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_arrow_tables_keep_schema_and_values_and_forget_lost_levels(tmp_path, frame, suffix):
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path, compression="gzip")
    elif suffix == "feather":
        frame.to_feather(path)
    else:
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    read = {"parquet": pq.read_table, "feather": feather.read_table}.get(
        suffix, lambda file: pa.ipc.open_stream(file).read_all()
    )
    before = read(path)
    raw = without_rows(path, TableSource(path=path.name), np.array([2]))
    assert b"rare" not in raw
    path.write_bytes(raw)
    after = read(path)
    assert after.schema.equals(before.schema, check_metadata=True)
    left = after.to_pandas()
    expected = frame.drop(index=1).reset_index(drop=True)
    expected["c"] = expected["c"].cat.remove_categories(["rare"])
    pd.testing.assert_frame_equal(left, expected)
    if suffix == "parquet":
        assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "GZIP"


def test_a_dictionary_in_several_chunks_is_united(tmp_path):
    chunks = [pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", "x"]).dictionary_encode()]
    path = tmp_path / "t.arrow"
    table = pa.table({"c": pa.chunked_array(chunks)}).unify_dictionaries()
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    raw = without_rows(path, TableSource(path=path.name), np.array([1]))
    column = pa.ipc.open_file(pa.BufferReader(raw)).read_all()["c"]
    assert column.to_pylist() == ["y", "z", "x"]


def test_a_cleaned_archive_holds_the_named_array_and_nothing_else(tmp_path):
    file = tmp_path / "real.npz"
    np.savez_compressed(file, train=np.arange(8).reshape(4, 2), other=np.arange(3))
    left = np.load(io.BytesIO(array_without_rows(file, "train", np.array([2]))))
    assert left.files == ["train"]
    assert left["train"].tolist() == [[0, 1], [4, 5], [6, 7]]


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_damage_where_no_check_has_read_is_told_without_a_cell(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    table = pa.table({"a": [1, 2], "b": ["Zarathustra", "x"]})
    if suffix == "parquet":
        pq.write_table(table, path, compression="none", write_statistics=False)
    else:
        feather.write_feather(table, path, compression="uncompressed")
    damaged = path.read_bytes().replace(b"Zarathustra", b"Zarathust\xff\xff")
    with pytest.raises(InputError, match=f"not a readable .{suffix} file") as caught:
        shorter(path, damaged, [1])
    assert "Zarathust" not in str(caught.value)
