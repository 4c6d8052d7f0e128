"""From tables to a release: what it holds, and what is refused."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import pandas as pd
import pytest

from privgate.data import (
    Role,
    RowOrder,
    TableSource,
    identifier_replays,
    load_release,
    release_from_frames,
    release_from_tables,
    row_ids,
)
from privgate.errors import InputError

SENTINEL = "Zarathustra"
COLUMNS = {
    "age": {"type": "numeric", "role": "quasi_identifier"},
    "sex": {"type": "categorical", "role": "quasi_identifier"},
    "grade": {"type": "ordinal", "role": "other", "levels": ["low", "mid", "high"]},
    "ill": {"type": "boolean", "role": "sensitive"},
    "seen": {"type": "datetime", "role": "other"},
    "pid": {"type": "numeric", "role": "identifier"},
    "remark": {"type": "categorical", "role": "ignore"},
}


def frame(**changes):
    return pd.DataFrame(
        {
            "age": [30, 20, None],
            "sex": ["f", "m", "f"],
            "grade": ["high", "low", None],
            "ill": [True, False, True],
            "seen": ["2026-01-02", "2026-01-01", None],
            "pid": [7, 8, 9],
            "remark": [SENTINEL, "", None],
        }
        | changes
    )


def release(train=None, synthetic=None, holdout=None, columns=COLUMNS, **options):
    return release_from_frames(
        train=frame() if train is None else train,
        synthetic=frame(age=[20, 20, 40]) if synthetic is None else synthetic,
        holdout=holdout,
        columns=columns,
        **options,
    )


def problems(**arguments):
    with pytest.raises(InputError) as caught:
        release(**arguments)
    assert SENTINEL not in str(caught.value)
    return [str(problem) for problem in caught.value.problems]


def test_a_release_worked_out_by_hand():
    found = release()
    assert [column.name for column in found.columns] == ["age", "grade", "ill", "seen", "sex"]
    assert [column.name for column in found.identifiers] == ["pid"]
    assert [column.levels for column in found.columns] == [
        (),
        ("low", "mid", "high"),
        ("False", "True"),
        (),
        ("f", "m"),
    ]
    train = found.train
    assert train.positions.tolist() == [2, 1, 3]  # by age, missing last
    assert train.values["age"].tolist()[:2] == [20, 30]
    assert np.isnan(train.values["age"][2])
    assert train.values["grade"].tolist() == [0, 2, -1]
    assert train.values["ill"].tolist() == [0, 1, 1]
    assert train.values["seen"].tolist()[:2] == [1767225600, 1767225600 + 86400]
    assert train.values["sex"].tolist() == [1, 0, 0]
    assert train.values["pid"].tolist() == [1, 0, 2]
    assert "remark" not in train.values
    assert [c.name for c in found.with_role(Role.SENSITIVE)] == ["ill"]


def test_arrays_have_the_promised_types_and_cannot_be_changed():
    found = release()
    for name, array in found.train.values.items():
        assert array.dtype == (np.float64 if name in {"age", "seen"} else np.int32)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_facts_describe_columns_in_declared_order():
    facts = release().facts
    assert [column.name for column in facts.columns] == list(COLUMNS)
    assert [(column.levels, column.treatment) for column in facts.columns] == [
        (None, "standardised number"),
        (2, "0/1 indicator per level"),
        (3, "standardised rank"),
        (2, "0/1 indicator per level"),
        (None, "standardised time"),
        (None, "left out: identifier"),
        (None, "left out: to be ignored"),
    ]
    assert facts.columns[0].missing == {"train": 1 / 3, "synthetic": 0}
    assert facts.columns[6].missing == {}
    assert facts.tables["train"].rows == 3
    assert facts.tables["train"].distinct_rows == 3
    assert facts.holdout_overlap is None
    assert SENTINEL not in facts.model_dump_json()


def test_who_decided_on_a_column_is_kept_and_changes_no_declaration():
    columns = {**COLUMNS, "age": {**COLUMNS["age"], "decided_by": "the data board"}}
    named, usual = release(columns=columns).facts, release().facts
    assert [column.decided_by for column in named.columns][:2] == ["the data board", None]
    assert not any(column.guessed for column in named.columns)
    assert named.declaration_sha256 == usual.declaration_sha256


def test_given_order_keeps_the_rows_of_the_file():
    found = release(row_order=RowOrder.GIVEN)
    assert found.train.positions.tolist() == [1, 2, 3]
    assert found.train.values["sex"].tolist() == [0, 1, 0]
    assert found.facts.tables == release().facts.tables


def test_levels_are_united_over_the_tables():
    found = release(
        synthetic=frame(sex=["x", "f", "a"]), holdout=frame(sex=["d", "m", None], age=[9, 25, 40])
    )
    assert found.columns[4].levels == ("a", "d", "f", "m", "x")
    by_row = np.argsort(found.synthetic.positions)
    assert found.synthetic.values["sex"][by_row].tolist() == [4, 2, 0]
    assert "Column 'sex' has levels in the synthetic table that train does not have." in (
        found.facts.notes
    )


def test_numeric_ordinal_levels_are_sorted_as_numbers():
    columns = {"n": {"type": "ordinal", "role": "other"}}
    data = pd.DataFrame({"n": ["10", "9", "2.5", "NA"]})
    found = release_from_frames(train=data, synthetic=data, columns=columns)
    assert found.columns[0].levels == ("2.5", "9", "10")
    text = pd.DataFrame({"n": ["1", SENTINEL]})
    with pytest.raises(InputError, match="list the 'levels'") as caught:
        release_from_frames(train=text, synthetic=data, columns=columns)
    assert SENTINEL not in str(caught.value)


def test_identifiers_and_ignored_columns_may_be_missing_anywhere():
    found = release(synthetic=frame(age=[1, 20, 30]).drop(columns=["pid", "remark"]))
    assert "pid" not in found.synthetic.values
    assert identifier_replays(found) == {}
    bare = frame().drop(columns=["pid", "remark"])
    assert release(train=bare, synthetic=bare).identifiers == ()


def test_identifier_replays_count_synthetic_rows_as_text():
    found = release(synthetic=frame(pid=["7", " 7.0 ", None]))
    assert identifier_replays(found) == {"pid": 2}
    assert identifier_replays(release(synthetic=frame(pid=["007", "77", "70"]))) == {"pid": 0}


def test_equal_rows_have_equal_ids_over_all_tables():
    train = frame(age=[30, 20, None], remark=["a", "b", "c"], pid=[1, 2, 3])
    synthetic = pd.concat([train.iloc[[2, 0]], frame(age=[31, 1, 2])]).assign(pid=0)
    found = release(train=train, synthetic=synthetic, row_order=RowOrder.GIVEN)
    ids = row_ids(found)
    assert ids["synthetic"][0] == ids["train"][2]  # missing equals missing
    assert ids["synthetic"][1] == ids["train"][0]
    assert not np.isin(ids["synthetic"][2:], ids["train"]).any()
    by_sex = row_ids(found, [column for column in found.columns if column.name == "sex"])
    assert by_sex["train"].tolist() == [0, 1, 0]


def test_ids_do_not_merge_rows_that_differ_in_the_last_digit():
    columns = {"x": {"type": "numeric", "role": "other"}}
    train = pd.DataFrame({"x": [0.1, 1.0]})
    synthetic = pd.DataFrame({"x": [np.nextafter(0.1, 1), 1.0]})
    ids = row_ids(release_from_frames(train=train, synthetic=synthetic, columns=columns))
    assert np.isin(ids["synthetic"], ids["train"]).tolist() == [False, True]


def test_undeclared_and_missing_columns_are_all_listed_with_suggestions():
    found = problems(
        train=frame().rename(columns={"age": "Age", "sex": "gender"}),
        synthetic=frame().drop(columns="ill"),
    )
    assert len(found) == 5
    assert "train (data frame): column 'Age': the column is not declared" in found[0]
    assert "did you mean 'age'?" in found[0]
    assert "train (data frame): column 'gender': the column is not declared" in found[1]
    assert "column 'age': the declared column is missing; did you mean 'Age'?" in found[2]
    assert "synthetic (data frame): column 'ill': the declared column is missing" in found[4]


def test_a_file_without_header_does_not_show_its_first_row(tmp_path):
    (tmp_path / "t.csv").write_text(f"{SENTINEL},1\nx,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds none of the declared columns") as caught:
        release_from_tables(
            train=tmp_path / "t.csv", synthetic=tmp_path / "t.csv", columns=COLUMNS, name="r"
        )
    assert SENTINEL not in str(caught.value)


def test_unreadable_values_of_all_tables_and_columns_are_reported_without_content(tmp_path):
    text = "age,sex,grade,ill,seen\n20,f,low,yes,2026-01-01\n"
    bad = f"{SENTINEL},m,{SENTINEL},{SENTINEL},{SENTINEL}\n"
    (tmp_path / "t.csv").write_text(text + bad + "21,m,low,no,\n" + bad, encoding="utf-8")
    (tmp_path / "s.csv").write_text(text + "nan,f,top,no,2026-02-30", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        release_from_tables(
            train=tmp_path / "t.csv", synthetic=tmp_path / "s.csv", columns=COLUMNS, name="r"
        )
    found = [str(problem) for problem in caught.value.problems]
    assert SENTINEL not in str(caught.value)
    head = f"{tmp_path / 't.csv'}:3: column "
    other = f"{tmp_path / 's.csv'}:3: column "
    assert [line.split("; ")[0] for line in found] == [
        f"{head}'age': 2 values are not numeric, the first in row 2",
        f"{head}'grade': 2 values are not among the declared levels, the first in row 2",
        f"{head}'ill': 2 values are neither true nor false, the first in row 2",
        f"{head}'seen': 2 values are not in ISO 8601 form, the first in row 2",
        f"{other}'grade': 1 value is not among the declared levels, in row 2",
        f"{other}'seen': 1 value is impossible as a date or time, in row 2",
    ]
    assert all("; " in line for line in found)


REFUSED = {
    "a column without value": ({"synthetic": frame(age=[None] * 3)}, "the column has no value"),
    "no value in train": ({"train": frame(seen=["NA"] * 3)}, "the column has no value"),
    "another unit": ({"synthetic": frame(age=[2000, 3000, 4000])}, "does not touch the range"),
    "another coding": ({"synthetic": frame(sex=["1", "2", "1"])}, "shares no level with"),
    "another ordinal level": (
        {"train": frame(grade=["low"] * 3), "synthetic": frame(grade=["mid"] * 3)},
        "shares no level with",
    ),
    "another coding in holdout": (
        {"holdout": frame(sex=[SENTINEL, "2", "1"], age=[1, 2, 30])},
        "shares no level with",
    ),
    "mixed zones": (
        {"synthetic": frame(seen=["2026-01-02T00:00Z"] * 3)},
        "times with and without a zone",
    ),
    "holdout is train": ({"holdout": frame()}, "the holdout is the train table"),
    "holdout is train, shuffled": (
        {"holdout": frame().iloc[[2, 0, 1]].astype("object")},
        "the holdout is the train table",
    ),
    "holdout is train, some rows twice": (
        {"holdout": frame().iloc[[2, 0, 1, 1]]},
        "the holdout is the train table",
    ),
    "no train rows": ({"train": frame().iloc[:0]}, "the table has no rows"),
    "no synthetic rows": ({"synthetic": frame().iloc[:0]}, "the table has no rows"),
    "no holdout rows": ({"holdout": frame().iloc[:0]}, "the table has no rows"),
    "no columns": ({"train": pd.DataFrame(index=[0])}, "the table has no columns"),
    "two columns of one name": (
        {"train": frame().rename(columns={"age": "sex"})},
        "columns 1 and 2 have the same name",
    ),
    "nothing to measure": (
        {"columns": {name: {"type": "numeric", "role": "ignore"} for name in COLUMNS}},
        "no column is measured",
    ),
    "an unknown type": (
        {"columns": COLUMNS | {"age": {"type": "number", "role": "other"}}},
        "columns.age.type",
    ),
    "no declaration": ({"columns": COLUMNS | {"age": 5}}, "columns.age: the value should be"),
    "levels of a number": (
        {"columns": COLUMNS | {"age": {"type": "numeric", "role": "other", "levels": ["1"]}}},
        "has no 'levels'",
    ),
    "broken text": (
        {"synthetic": frame().assign(sex=pd.Series(["\ud800", "f", "m"], dtype="object"))},
        "not valid Unicode",
    ),
    "an infinite number": ({"synthetic": frame(age=[20, np.inf, 30])}, "too large or infinite"),
    "numbers as times": ({"synthetic": frame(seen=[1, 2, 3])}, "are not times"),
    "times as numbers": ({"train": frame(age=[dt.date(2026, 1, 1)] * 3)}, "are not numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    arguments, expected = REFUSED[case]
    found = problems(**arguments)
    assert len(found) == 1
    assert expected in found[0]


def test_synthetic_that_is_train_is_measured():
    found = release(synthetic=frame())
    ids = row_ids(found)
    assert ids["train"].tolist() == ids["synthetic"].tolist()
    tables = found.facts.tables
    assert tables["train"].content_sha256 == tables["synthetic"].content_sha256


def test_holdout_rows_that_are_train_rows_are_counted_and_noted():
    holdout = frame(pid=[100, 101, 102], age=[30, 21, 22])
    found = release(holdout=holdout)
    assert found.facts.holdout_overlap.rows == 1
    assert found.facts.holdout_overlap.share == 1 / 3
    assert any("holdout rows are equal to train rows" in note for note in found.facts.notes)
    clean = release(holdout=frame(age=[19, 21, 22]))
    assert clean.facts.holdout_overlap.rows == 0
    assert not any("holdout" in note for note in clean.facts.notes)


def test_a_small_domain_may_coincide_by_chance():
    columns = {"sex": {"type": "categorical", "role": "other"}}
    train = pd.DataFrame({"sex": list("mmmmff")})
    found = release_from_frames(
        train=train, synthetic=train, holdout=pd.DataFrame({"sex": list("mffff")}), columns=columns
    )
    assert found.facts.holdout_overlap.share == 1


def test_constant_columns_are_noted():
    found = release(train=frame(age=[20, 20, None]), synthetic=frame(age=[20, 30, 10]))
    assert "Column 'age' is constant in train, but varies in another table." in found.facts.notes
    assert found.facts.columns[0].treatment == "standardised number, constant in train"


def test_frames_of_awkward_types_are_read_as_their_text_files_would_be():
    def first(cells):
        data = pd.DataFrame({"x": cells})
        columns = {"x": {"type": "categorical", "role": "other"}}
        found = release_from_frames(
            train=data, synthetic=data, columns=columns, row_order=RowOrder.GIVEN
        )
        levels = found.columns[0].levels
        return [None if code < 0 else levels[code] for code in found.train.values["x"]]

    interval = pd.cut(pd.Series([1, 5]), [0, 2, 10])
    assert first(interval) == ["(0, 2]", "(2, 10]"]
    assert first(pd.Series([1, "a", None, 2.0], dtype="object")) == ["1", "a", None, "2"]
    assert first(pd.Categorical([1, None, 2])) == ["1", None, "2"]
    assert first(pd.Categorical([True, None])) == ["True", None]
    assert first(pd.array([1, None], dtype="Int64")) == ["1", None]
    assert first(pd.array([True, None], dtype="boolean")) == ["True", None]
    assert first(pd.array(["a", None], dtype="string")) == ["a", None]
    assert first(pd.period_range("2026-01", periods=2, freq="M")) == ["2026-01", "2026-02"]
    assert first(pd.array([0, 1], dtype="Sparse[int64]")) == ["0", "1"]


RELEASE = """\
privgate: release/v1
name: survey
data:
  train: {path: t.csv, separator: ";", decimal: ",", missing: ["", -9]}
  synthetic: {path: s.csv}
columns:
  "x y": {type: numeric, role: sensitive}
  g: {type: ordinal, role: other, levels: [1, 2.0, no]}
correspondence: same_order
generator: {name: trees, dp: {epsilon: 1.5}}
context: {purpose: research}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text("x y;g\n1,5;no\n-9;1\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("g,x y\n1.0,1.5\n2,0\n", encoding="utf-8")
    return tmp_path


def load(folder, text):
    path = folder / "release.yaml"
    path.write_text(text, encoding="utf-8")
    return load_release(path)


def test_a_release_file(folder):
    found = load(folder, RELEASE)
    assert found.facts.name == "survey"
    assert found.facts.unit == "person"
    assert found.facts.correspondence == "same_order"
    assert found.facts.generator == {"name": "trees", "dp": {"epsilon": 1.5}}
    assert found.facts.context == {"purpose": "research"}
    assert found.facts.tables["train"].file == "t.csv"
    assert found.columns[0].levels == ("1", "2", "no")
    assert found.train.values["g"].tolist() == [0, 2]
    assert np.isnan(found.train.values["x y"][0])
    assert found.synthetic.values["x y"].tolist() == [1.5, 0]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("release/v1", "release/v2", ":1: privgate: 'release/v2' is not one of 'release/v1'"),
        ("role: other", "role: othr", ":8: columns.g.role: 'othr' is not one of"),
        ("type: numeric", "typ: numeric", ":7: columns[\"x y\"].typ: unknown key 'typ'"),
        ('decimal: ","', 'decimal: ";"', ":4: data.train.decimal:"),
        ('separator: ";"', 'separator: ","', ":4: data.train: separator and decimal mark"),
        ("path: s.csv", "path: s.csv, encoding: utf-99", ":5: data.synthetic.encoding:"),
        ("path: s.csv", "path: s.parquet, separator: ;", ":5: data.synthetic:"),
        ("path: s.csv", "path: nothing.csv", "nothing.csv: there is no such file"),
        ("data:", "data:\n  kind: matrix", ":4: data.kind: 'matrix' is not one of 'table' or"),
        ("data:", "data:\n  kind: array", ":7: columns: an array release has no columns"),
        ("path: s.csv", "path: s.npy", "s.npy: this is an array and not a table"),
        ("same_order", "{key: z}", ":9: correspondence.key: the column 'z' is not declared"),
        ("same_order", "shuffled", ":9: correspondence:"),
        ("levels: [1,", "levels: [2,", ":8: columns.g: a level is listed twice"),
        ("  synthetic: {path: s.csv}\n", "", ":3: data.synthetic: 'synthetic' is missing"),
    ],
)
def test_problems_of_a_release_file(folder, old, new, expected):
    assert old in RELEASE
    with pytest.raises(InputError) as caught:
        load(folder, RELEASE.replace(old, new, 1))
    assert any(expected in str(problem) for problem in caught.value.problems)


def test_corresponding_rows_must_be_equally_many(folder):
    (folder / "s.csv").write_text("g,x y\n1,1.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 synthetic rows, but 2 train rows"):
        load(folder, RELEASE)


def test_all_files_are_tried_before_anything_is_said(folder):
    text = RELEASE.replace("t.csv", "a.csv").replace("s.csv", "b.csv")
    with pytest.raises(InputError) as caught:
        load(folder, text)
    assert [problem.message for problem in caught.value.problems] == ["there is no such file"] * 2


def test_paths_with_options_give_the_same_release_as_the_file(folder):
    found = release_from_tables(
        train=TableSource(
            path=str(folder / "t.csv"), separator=";", decimal=",", missing=("", "-9")
        ),
        synthetic=folder / "s.csv",
        columns={
            "x y": {"type": "numeric", "role": "sensitive"},
            "g": {"type": "ordinal", "role": "other", "levels": ["1", "2", "no"]},
        },
        name="survey",
    )
    assert found.facts.tables == load(folder, RELEASE).facts.tables


def test_every_refusal_ends_with_exit_code_2():
    for arguments, _ in itertools.islice(REFUSED.values(), 5):
        with pytest.raises(InputError) as caught:
            release(**arguments)
        assert caught.value.exit_code == 2
