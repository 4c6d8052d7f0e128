from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from privgate.data import (
    TableSource,
    guess_declarations,
    load_release,
    read_tables,
    render_release_file,
)

TRAIN = """\
person_id,Age,sex,smoker,income,visit,"odd ""label"": #1",town,free
1,30,f,yes,100.5,2026-01-01,5,A,x1
2,31,m,no,,2026-01-02,6,A,x2
3,32,f,NA,90,,7,B,x3
"""
SYNTHETIC = """\
person_id,Age,sex,smoker,income,visit,"odd ""label"": #1",town,free
4,30,f,yes,95,2026-01-01,high,A,x1
5,33,m,no,96,2026-01-02,6,B,x4
"""
EXPECTED = {
    "person_id": ("numeric", "identifier"),
    "Age": ("numeric", "quasi_identifier"),
    "sex": ("categorical", "quasi_identifier"),
    "smoker": ("boolean", "other"),
    "income": ("numeric", "sensitive"),
    "visit": ("datetime", "other"),
    'odd "label": #1': ("categorical", "other"),
    "town": ("categorical", "other"),
    "free": ("categorical", "other"),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.csv").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "synthetic.csv").write_text(SYNTHETIC, encoding="utf-8")
    return tmp_path


def guesses(folder):
    return guess_declarations(
        read_tables({"train": folder / "train.csv", "synthetic": folder / "synthetic.csv"})
    )


def test_types_are_guessed_from_all_tables_and_roles_from_names(folder):
    found = guesses(folder)
    assert {
        name: (guess.declaration.type.value, guess.declaration.role.value)
        for name, guess in found.items()
    } == EXPECTED
    assert "is this an identifier or free text?" in found["free"].because


def test_an_identifier_by_name_whose_values_repeat_is_not_guessed_one(folder):
    text = TRAIN.replace("\n2,", "\n1,")
    (folder / "train.csv").write_text(text, encoding="utf-8")
    assert guesses(folder)["person_id"].declaration.role.value == "other"


def test_the_rendered_file_marks_every_guess_and_loads(folder):
    text = render_release_file(
        guesses(folder),
        sources={it: TableSource(path=f"{it}.csv") for it in ("train", "synthetic")},
        name='a "quoted" name',
    )
    loaded = YAML(typ="safe", pure=True).load(text)
    assert {n: (c["type"], c["role"]) for n, c in loaded["columns"].items()} == EXPECTED
    lines = [line for line in text.splitlines() if "{type:" in line]
    assert len(lines) == len(EXPECTED)
    assert all("# guess: " in line for line in lines)
    assert "x1" not in text
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    release = load_release(folder / "release.yaml")
    assert release.facts.name == 'a "quoted" name'
    assert [column.name for column in release.identifiers] == ["person_id"]
