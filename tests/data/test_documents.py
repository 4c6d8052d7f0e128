from __future__ import annotations

from datetime import date
from typing import Literal

import pytest
from pydantic import Field

from privgate.data.documents import dotted, parse_document, problem_at, read_document, validate
from privgate.errors import InputError, PolicyError
from privgate.evidence import Frozen


class Limit(Frozen):
    max: float | None = None
    n: int = 1


class Rule(Frozen):
    id: str
    require: Limit
    severity: Literal["blocking", "advisory"] = "blocking"


class Sheet(Frozen):
    title: str
    review_by: date | None = None
    active: bool = True
    rules: tuple[Rule, ...] = Field(min_length=1)
    named: dict[str, Rule] = Field(default_factory=dict)


GOOD = """\
title: on
review_by: 2027-06-30
rules:
  - {id: a, require: {max: 1e-3}}
  - id: b
    require:
      max: 1
"""


def parse(text):
    return parse_document(text, name="sheet.yaml", error=PolicyError)


def messages(text):
    with pytest.raises(PolicyError) as caught:
        validate(parse(text), Sheet, error=PolicyError)
    return [str(problem) for problem in caught.value.problems]


def test_a_good_document_becomes_its_model():
    sheet = validate(parse(GOOD), Sheet, error=PolicyError)
    assert sheet.title == "on"
    assert sheet.review_by == date(2027, 6, 30)
    assert [rule.require.max for rule in sheet.rules] == [0.001, 1.0]


def test_every_entry_knows_its_line():
    document = parse(GOOD)
    assert document.line(()) == 1
    assert document.line(("rules",)) == 3
    assert document.line(("rules", 0, "require", "max")) == 4
    assert document.line(("rules", 1)) == 5
    assert document.line(("rules", 1, "require", "max")) == 7
    assert document.line(("rules", 1, "require", "min")) == 6  # the nearest entry around it


def test_all_problems_are_reported_at_once_each_with_its_place():
    text = GOOD + "tittle: x\nnamed:\n  x: {id: a, require: {maxx: 2}, severity: bloking}\n"
    assert messages(text) == [
        "sheet.yaml:10: named.x.require.maxx: unknown key 'maxx'; did you mean 'max'?",
        (
            "sheet.yaml:10: named.x.severity: 'bloking' is not one of 'blocking' or 'advisory'; "
            "did you mean 'blocking'?"
        ),
        "sheet.yaml:8: tittle: unknown key 'tittle'; did you mean 'title'?",
    ]


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("9%", "write 0.09"),
        ("'0,09'", "write 0.09"),
        ("'0.09'", "write 0.09"),
        ("0.5 %", "write 0.005"),
        ("low", "write a number"),
    ],
)
def test_text_is_no_number_and_the_remedy_says_what_to_write(written, remedy):
    found = messages(f"title: x\nrules:\n  - {{id: a, require: {{max: {written}}}}}\n")
    assert len(found) == 1
    assert found[0].startswith("sheet.yaml:3: rules[0].require.max: ")
    assert found[0].endswith(remedy)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("active: yes", "sheet.yaml:2: active: "),
        ("active: 1", "sheet.yaml:2: active: "),
        ("review_by: 30.06.2027", "sheet.yaml:2: review_by: "),
        ("review_by: 2027-02-30", "sheet.yaml:2: review_by: "),
        ("named: [1]", "sheet.yaml:2: named: "),
        ("rules: []", "sheet.yaml:2: rules: there is nothing in this list; write at least one"),
    ],
)
def test_values_of_another_kind_are_refused(line, expected):
    text = f"title: x\n{line}\n" + (
        "" if line.startswith("rules") else "rules: [{id: a, require: {max: 1}}]\n"
    )
    found = messages(text)
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_a_missing_entry_is_reported_at_the_entry_around_it():
    assert messages("title: x\nrules:\n  - id: a\n") == [
        "sheet.yaml:3: rules[0].require: 'require' is missing; add it"
    ]


def test_booleans_are_no_numbers():
    found = messages("title: x\nrules: [{id: a, require: {n: true}}]")
    assert found[0].startswith("sheet.yaml:2: rules[0].require.n: ")


BROKEN = {
    "empty": ("", 1, "the file is empty"),
    "only a comment": ("# nothing\n", 1, "the file is empty"),
    "a list": ("- a\n- b", 1, "no keys at its top level"),
    "a word": ("word", 1, "no keys at its top level"),
    "a tab": ("a:\n\tb: 1", 2, "indent with spaces"),
    "a duplicate key": ("a: 1\nb: 2\na: 3", 3, "first given on line 1"),
    "a nested duplicate": ("r:\n  - {a: 1, a: 1}", 2, "given twice"),
    "not a number": ("a: 1\nb: .nan", 2, "cannot be used"),
    "infinity": ("b: -.inf", 1, "cannot be used"),
    "overflow": ("b: 1e999", 1, "cannot be used"),
    "an integer beyond JSON": ("b: 9007199254740992", 1, "cannot be used"),
    "an alias": ("a: &x [1]\nb: *x", 2, "alias"),
    "a recursive alias": ("a: &x [*x]", 1, "alias"),
    "a merge": ("a: 1\n<<: {b: 1}", 2, "merges"),
    "a tag": ("a: !!set {x}", 1, "tag"),
    "a python tag": ("a: !!python/object:os.system x", 1, "tag"),
    "an open bracket": ("a: [1", 1, "cannot be read"),
    "an open quote": ("a: 'x", 1, "cannot be read"),
    "two documents": ("a: 1\n---\nb: 1", 2, "cannot be read"),
    "a directive": ("%YAML 1.1\n---\na: yes", 1, "directive"),
    "a key that is a list": ("? [a]\n: 1", 1, "a key is not a word"),
    "a null byte": ("a: \x00", None, "not YAML text"),
    "deep nesting": ("[" * 20_000, None, "nested too deeply"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_text_has_a_clear_message(case):
    text, line, expected = BROKEN[case]
    with pytest.raises(PolicyError) as caught:
        parse(text)
    [problem] = caught.value.problems
    assert problem.line == line
    assert problem.file == "sheet.yaml"
    assert expected in str(problem)


def test_yaml_is_version_1_2():
    found = parse("a: yes\nb: no\non: off\nc: 1e3\nd: 0o7\ne: 0x10\nf: ~\ng: 2027-01-01\nh: 1_000")
    assert found.content == {
        "a": "yes",
        "b": "no",
        "on": "off",
        "c": 1000.0,
        "d": 7,
        "e": 16,
        "f": None,
        "g": "2027-01-01",
        "h": "1_000",
    }


def test_files_that_cannot_be_read(tmp_path):
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("a: 1\nb: caf\u00e9".encode("latin-1"))
    for path, line, expected in [
        (tmp_path / "nothing.yaml", None, "there is no such file"),
        (tmp_path, None, "this is a folder"),
        (latin, 2, "not UTF-8"),
    ]:
        with pytest.raises(InputError, match=expected) as caught:
            read_document(path, error=InputError)
        assert caught.value.problems[0].line == line
        assert caught.value.problems[0].file == str(path)


def test_a_byte_order_mark_is_tolerated(tmp_path):
    path = tmp_path / "mark.yaml"
    path.write_text("a: 1\n", encoding="utf-8-sig")
    assert read_document(path, error=InputError).content == {"a": 1}


def test_problems_can_be_made_for_any_entry():
    problem = problem_at(parse(GOOD), ("rules", 1, "id"), "is odd", "change it")
    assert str(problem) == "sheet.yaml:5: rules[1].id: is odd; change it"
    assert dotted(()) == ""
