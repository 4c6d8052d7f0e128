"""The same table stored in another way is the same release."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privgate.data import release_from_frames, release_from_tables, row_ids

COLUMNS = {
    "number": {"type": "numeric", "role": "sensitive"},
    "whole": {"type": "numeric", "role": "other"},
    "code": {"type": "categorical", "role": "quasi_identifier"},
    "word": {"type": "categorical", "role": "other"},
    "flag": {"type": "boolean", "role": "other"},
    "rank": {"type": "ordinal", "role": "other"},
    "when": {"type": "datetime", "role": "other"},
    "pid": {"type": "categorical", "role": "identifier"},
}
ANCHOR = {
    "number": 0.5,
    "whole": 1,
    "code": 1,
    "word": "w",
    "flag": True,
    "rank": 1,
    "when": pd.Timestamp("2020-01-01"),
    "pid": 0,
}  # every table has these values, so that no column is empty or coded differently

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1)
ROW = st.fixed_dictionaries(
    {
        "number": st.none() | finite | st.sampled_from([0.0, -0.0, 0.1]),
        "whole": st.none() | st.integers(-(2**53), 2**53),
        "code": st.none() | st.integers(-5, 5),
        "word": st.none() | words.filter(lambda word: not word[0].isdigit()),
        "flag": st.none() | st.booleans(),
        "rank": st.none() | st.integers(0, 4),
        "when": st.none()
        | st.datetimes(pd.Timestamp(1900, 1, 1), pd.Timestamp(2100, 1, 1)).map(
            lambda moment: pd.Timestamp(moment.replace(microsecond=0))
        ),
        "pid": st.integers(0, 9),
    }
)
TABLE = st.lists(ROW, min_size=1, max_size=12).map(lambda rows: [ANCHOR, *rows])


def typed(rows):
    kinds = {
        "number": "float64",
        "whole": "Int64",
        "code": "Int64",
        "word": "string",
        "flag": "boolean",
        "rank": "Int64",
        "when": "datetime64[us]",
        "pid": "int64",
    }
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in rows]).astype(kind) for name, kind in kinds.items()}
    )


def as_objects(frame):
    return frame.astype("object")


def as_text(frame):
    def text(value):
        return None if pd.isna(value) else str(value)

    return pd.DataFrame({name: [text(v) for v in frame[name]] for name in frame}, dtype="object")


def as_floats(frame):
    whole = ["whole", "code", "rank", "flag"]
    found = frame.copy()
    for name in whole:
        values = [np.nan if pd.isna(value) else float(value) for value in frame[name]]
        found[name] = np.array(values)
    found["flag"] = found["flag"].map({1.0: "YES", 0.0: "no"})
    found["code"] = found["code"].astype("category")
    return found.rename(columns=str)


def as_categories(frame):
    return frame.astype("category")


RESTORED = [as_objects, as_text, as_floats, as_categories]


def outcome(train, synthetic):
    found = release_from_frames(train=train, synthetic=synthetic, columns=COLUMNS)
    return found, found.facts.tables


def assert_same(one, other):
    assert one.columns == other.columns
    assert one.identifiers == other.identifiers
    for name, table in one.tables.items():
        for column, values in table.values.items():
            np.testing.assert_array_equal(values, other.tables[name].values[column])
            assert values.dtype == other.tables[name].values[column].dtype
        assert one.facts.tables[name].content_sha256 == other.facts.tables[name].content_sha256
        assert one.facts.tables[name].distinct_rows == other.facts.tables[name].distinct_rows


@settings(deadline=None, max_examples=40)
@given(TABLE, TABLE, st.data())
def test_types_and_order_of_rows_and_columns_do_not_matter(train, synthetic, data):
    reference, _ = outcome(typed(train), typed(synthetic))
    restored = data.draw(st.sampled_from(RESTORED))
    rows = data.draw(st.permutations(range(len(train))))
    names = data.draw(st.permutations(list(COLUMNS)))
    changed = restored(typed(train).iloc[list(rows)])[list(names)]
    other, _ = outcome(changed, typed(synthetic))
    assert_same(reference, other)
    restored_order = np.asarray(rows)[other.train.positions - 1] + 1
    columns = [np.nan_to_num(v.astype(float), nan=-1e9) for v in reference.train.values.values()]
    cells = np.column_stack(columns)
    by_position = cells[np.argsort(reference.train.positions)]
    np.testing.assert_array_equal(by_position[restored_order - 1], cells)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(table=TABLE)
def test_file_formats_do_not_matter(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("formats")
    frame = typed(table)
    reference, _ = outcome(frame, frame)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.csv.gz", index=False)
    frame.to_parquet(folder / "t.parquet", index=False)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    pyarrow.feather.write_feather(arrow, folder / "t.feather")
    arrow_words = arrow.set_column(3, "word", arrow["word"].dictionary_encode())
    pyarrow.feather.write_feather(arrow_words, folder / "d.arrow")
    names = ["t.csv", "t.csv.gz", "t.parquet", "t.feather", "d.arrow"]
    for name in names:
        found = release_from_tables(
            train=folder / name, synthetic=folder / "t.csv", columns=COLUMNS, name="r"
        )
        assert_same(reference, found)


@settings(deadline=None, max_examples=30)
@given(TABLE, TABLE)
def test_a_digest_does_not_depend_on_the_other_tables(train, synthetic):
    _, alone = outcome(typed(train), typed(train))
    _, beside = outcome(typed(train), typed(synthetic))
    assert alone["train"].content_sha256 == beside["train"].content_sha256


@settings(deadline=None, max_examples=30)
@given(TABLE, st.data())
def test_a_changed_value_changes_the_digest(table, data):
    frame = typed(table)
    changed = frame.copy()
    row = data.draw(st.integers(1, len(frame) - 1))
    changed.loc[row, "number"] = data.draw(
        finite.filter(
            lambda value: pd.isna(frame.loc[row, "number"]) or value != frame.loc[row, "number"]
        )
    )
    _, before = outcome(frame, frame)
    _, after = outcome(changed, frame)
    assert before["train"].content_sha256 != after["train"].content_sha256


@settings(deadline=None, max_examples=30)
@given(TABLE, TABLE)
def test_row_ids_agree_with_comparing_rows_one_by_one(train, synthetic):
    found, _ = outcome(typed(train), typed(synthetic))
    rows = []
    for table in found.tables.values():
        for row in range(table.rows):
            cells = [table.values[column.name][row] for column in found.columns]
            rows.append(tuple(None if value != value else float(value) for value in cells))  # noqa: PLR0124
    ids = np.concatenate(list(row_ids(found).values()))
    for first, one in enumerate(rows):
        for second, other in enumerate(rows):
            assert (ids[first] == ids[second]) == (one == other)
