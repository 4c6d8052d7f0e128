"""How CSV text is written, guessed from the text."""

import pytest

from privgate.data import read_tables
from privgate.data.dialect import guess_source, stated_marks
from privgate.errors import InputError

ROWS = [("Größe", "Ort, Land"), ("1.5", "Köln"), ("-2.25", "Zürich"), ("", "Genf")]


def written(path, *, separator=",", decimal=".", encoding="utf-8"):
    def cell(text):
        text = text.replace(".", decimal)
        return f'"{text}"' if separator in text else text

    lines = [separator.join(map(cell, row)) for row in ROWS]
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    return path


@pytest.mark.parametrize(
    "marks",
    [
        {},
        {"separator": ";"},
        {"separator": ";", "decimal": ","},
        {"separator": "\t", "encoding": "cp1252"},
        {"separator": "|", "decimal": ",", "encoding": "utf-16"},
    ],
)
def test_what_is_unusual_is_found_and_makes_the_table_readable(tmp_path, marks):
    source = guess_source(written(tmp_path / "t.csv", **marks))
    assert stated_marks(source) == marks
    table = read_tables({"train": source})["train"]
    assert list(table.columns) == ["Größe", "Ort, Land"]
    assert table.columns["Ort, Land"].to_pylist() == ["Köln", "Zürich", "Genf"]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    source = guess_source(written(tmp_path / "t.csv", separator=";", encoding="utf-8-sig"))
    assert stated_marks(source) == {"separator": ";"}


def test_bytes_that_windows_does_not_know_are_latin_1(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a\n\x81\n")
    assert guess_source(tmp_path / "t.csv").encoding == "latin-1"


@pytest.mark.parametrize(
    ("text", "separator", "decimal"),
    [
        ("a;b\n1,5;2\n", ";", ","),
        ("a;b\n1,5;2.5\n", ";", "."),  # which of the two is the decimal mark cannot be told
        ("a,b\n1.5,2\n", ",", "."),
        ("a\n1;2\n3\n", ",", "."),  # one column, whose cells hold the sign by chance
        ("a;b;c\n" + "1;2;3\n" * 20 + "1;2\n", ";", "."),  # one bad row, which reading refuses
        ("", ",", "."),
        ('a;"b\n', ";", "."),  # reading refuses the open quotation
    ],
)
def test_signs_are_taken_from_the_rows(tmp_path, text, separator, decimal):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    source = guess_source(tmp_path / "t.csv")
    assert (source.separator, source.decimal) == (separator, decimal)


def test_of_a_long_file_the_beginning_is_looked_at(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + "1,5;20\n" * 60_000, encoding="utf-8")
    source = guess_source(tmp_path / "t.csv")
    assert stated_marks(source) == {"separator": ";", "decimal": ","}


def test_other_files_have_no_such_marks_and_missing_ones_are_told(tmp_path):
    assert stated_marks(guess_source(tmp_path / "t.parquet")) == {}
    (tmp_path / "train.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"trian\.csv: there is no such file; did you mean '.*train"
    ):
        guess_source(tmp_path / "trian.csv")
