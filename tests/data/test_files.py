"""Good and broken files: what is read, and what is said about what cannot be read."""

from __future__ import annotations

import gzip
import lzma
from hashlib import sha256

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from privgate.data.files import read_table
from privgate.data.schema import TableSource
from privgate.errors import InputError

SENTINEL = "Zarathustra"
TEXT = b'a,b\n1,x\n2,"y, z"\n'


def read(path, **options):
    return read_table(path, TableSource(path=str(path), **options))


def cells(table):
    return {name: column.to_pylist() for name, column in table.columns.items()}


def written(tmp_path, content, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


COMPRESSORS = {
    "table.csv": bytes,
    "TABLE.CSV": bytes,
    "table.csv.gz": gzip.compress,
    "table.csv.xz": lzma.compress,
    "table.csv.zst": lambda raw: pa.compress(raw, "zstd", asbytes=True),
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_csv_plain_and_compressed(tmp_path, name):
    stored = COMPRESSORS[name](TEXT)
    table = read(written(tmp_path, stored, name))
    assert cells(table) == {"a": ["1", "2"], "b": ["x", "y, z"]}
    assert table.rows == 2
    assert table.sha256 == sha256(stored).hexdigest()
    assert table.file == name
    assert table.format == name.lower().removeprefix("table.")


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (b"a;b\n1,5;x\n", {"separator": ";", "decimal": ","}, {"a": ["1,5"], "b": ["x"]}),
        (b"a\tb\n1\tx", {"separator": "\t"}, {"a": ["1"], "b": ["x"]}),
        (b"\xef\xbb\xbfa,b\r\n1,x\r\n", {}, {"a": ["1"], "b": ["x"]}),
        (b"a,b\r1,x\r", {}, {"a": ["1"], "b": ["x"]}),
        (b'\n\na,b\n1,"x\ny"\n\n2,\n', {}, {"a": ["1", "2"], "b": ["x\ny", ""]}),
        (b'a,"b ""c"""\n1,"""x"""\n', {}, {"a": ["1"], 'b "c"': ['"x"']}),
        ("a\ncaf\u00e9\n".encode("latin-1"), {"encoding": "latin-1"}, {"a": ["caf\u00e9"]}),
        ("a\ncaf\u00e9\n".encode("utf-16"), {"encoding": "utf-16"}, {"a": ["caf\u00e9"]}),
        (b'"a\nb",c\nNA,\n', {}, {"a\nb": ["NA"], "c": [""]}),
        (b'a,b\n5" pipe,x\n', {}, {"a": ['5" pipe'], "b": ["x"]}),
        (b'a\n""\nx\n', {}, {"a": ["", "x"]}),
    ],
)
def test_csv_forms(tmp_path, content, options, expected):
    assert cells(read(written(tmp_path, content), **options)) == expected


def test_a_column_without_name_is_named_as_data_frame_libraries_do(tmp_path):
    table = read(written(tmp_path, b'"",a\n1,2\n'))
    assert list(table.columns) == ["Unnamed: 0", "a"]
    assert table.notes == ("a column without a name is called 'Unnamed: 0'",)


def test_lines_are_known_unless_rows_stretch_over_several(tmp_path):
    assert read(written(tmp_path, TEXT)).first_line == 2
    assert read(written(tmp_path, TEXT.rstrip())).first_line == 2
    assert read(written(tmp_path, b'a,b\n"1\n",x\n')).first_line is None
    assert read(written(tmp_path, b"a,b\n\n1,x\n")).first_line is None


def test_binary_formats(tmp_path):
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    pq.write_table(table, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        found = read(tmp_path / name)
        assert cells(found) == {"a": [1, None], "b": ["x", "y"]}
        assert found.rows == 2
        assert found.first_line is None


S = SENTINEL.encode()
BROKEN = {
    "empty": ("t.csv", b"", "the file is empty", None),
    "blank lines": ("t.csv", b"\n\n", "no header", None),
    "no rows": ("t.csv", b"a,b\n", "a header but no rows", None),
    "one name twice": ("t.csv", b"a,b,a\n1,2,3\n", "columns 1 and 3 have the same name", 1),
    "no header": ("t.csv", b"%b,%b\n%b,x\n" % (S, S, S), "columns 1 and 2 have the same name", 1),
    "a short row": ("t.csv", b"a,b\n1,2\n%b\n" % S, "the first is row 2 with 1", None),
    "a long row": (
        "t.csv",
        b"a,b\n%b,2,3\n1,2\n4,5,6\n" % S,
        "2 rows do not have the 2 cells",
        None,
    ),
    "an open quotation": ("t.csv", b'a,b\n1,"%b\n2,x\n' % S, "quotation", 3),
    "two open quotations": ("t.csv", b'a,b\n1,"%b\n2,"x\n3,y\n' % S, "quotation", 3),
    "more after a quotation": ("t.csv", b'a,b\n1,"x"%b\n' % S, "quotation", 2),
    "not UTF-8": ("t.csv", b"a,b\n1,x\n2,%b\xff\n" % S, "the text is not utf-8", 3),
    "null bytes": ("t.csv", b"a,b\n1,x\n2,%b\0\n" % S, "null bytes", 3),
    "compressed unawares": (
        "t.csv",
        gzip.compress(TEXT),
        "rename the file to end in .csv.gz",
        None,
    ),
    "plain unawares": ("t.csv.gz", TEXT, "rename the file to end in .csv", None),
    "another compression": ("t.csv.xz", gzip.compress(TEXT), "compressed as .gz", None),
    "a cut gz file": ("t.csv.gz", gzip.compress(TEXT * 99)[:-9], "damaged or cut short", None),
    "a damaged xz file": ("t.csv.xz", lzma.compress(TEXT)[:30] + b"????", "damaged", None),
    "a cut zst file": (
        "t.csv.zst",
        pa.compress(TEXT * 99, "zstd", asbytes=True)[:-5],
        "damaged or cut",
        None,
    ),
    "no Parquet": ("t.parquet", TEXT, "not a readable .parquet file", None),
    "no Feather": ("t.feather", TEXT, "not a readable .feather file", None),
    "no Arrow": ("t.arrow", b"ARROW1" + TEXT, "not a readable .arrow file", None),
    "another format": ("t.xlsx", b"PK", "does not end in .csv", None),
    "another gz": ("t.gz", gzip.compress(TEXT), "does not end in .csv", None),
    "no suffix": ("t", TEXT, "does not end in .csv", None),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_have_clear_messages(tmp_path, case):
    name, content, expected, line = BROKEN[case]
    path = written(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        read(path)
    [problem] = caught.value.problems
    assert expected in str(problem)
    assert problem.file == str(path)
    assert problem.line == line
    assert problem.remedy
    assert SENTINEL not in str(problem)
    assert caught.value.__cause__ is None


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "nothing.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path / "folder.csv")


def test_binary_tables_without_content(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="no rows"):
        read(tmp_path / "t.parquet")
    pd.DataFrame(index=[0, 1]).to_parquet(tmp_path / "u.parquet", index=False)
    with pytest.raises(InputError, match="no columns"):
        read(tmp_path / "u.parquet")
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pyarrow.feather.write_feather(twice, tmp_path / "v.feather")
    with pytest.raises(InputError, match="columns 1 and 2"):
        read(tmp_path / "v.feather")
