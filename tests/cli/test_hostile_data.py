from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from privgate.testing.samples import SURVEY_COLUMNS, survey

PLANTED = "PLANTEDCELL"
CONSTANTS = {
    "age": 40,
    "sex": "f",
    "region": "north",
    "married": True,
    "health": "good",
    "since": "2001-01-01",
    "income": 5.0,
    "smoker": "no",
}
TABLES = ("train", "holdout", "synthetic")


def riddled(frame, share, seed):
    """Return the frame with a share of its cells missing at random."""
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def with_cell(frame, column, value, row=6):
    return frame.assign(**{column: frame[column].astype(object).mask(frame.index == row, value)})


def without_role(role):
    return {
        name: {**entry, "role": "other" if entry["role"] == role else entry["role"]}
        for name, entry in SURVEY_COLUMNS.items()
    }


def outcomes(verdict):
    return {rule["id"]: rule["outcome"] for rule in verdict["rules"]}


def test_an_ordinary_release_is_met(judge, read_json):
    assert judge().code == 0
    assert set(outcomes(read_json("verdict.json")).values()) == {"met"}


def test_scattered_missing_cells_are_data(judge, frames, read_json):
    holed = {name: riddled(frame, 0.2, seed) for seed, (name, frame) in enumerate(frames.items())}
    assert judge(**holed).code == 0
    missing = {
        entry["name"]: entry["missing"]["train"]
        for entry in read_json("evidence.json")["release"]["columns"]
    }
    assert all(0.1 < share < 0.35 for share in missing.values())


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_missing_cells_do_not_hide_copies(judge, frames, share):
    assert judge(synthetic=riddled(frames["train"], share, 7)).code == 1


def test_one_missing_cell_in_each_row_does_not_hide_copies(judge, frames):
    train = frames["train"]
    holes = np.arange(train.shape[1]) == np.arange(len(train))[:, None] % train.shape[1]
    assert judge(synthetic=train.mask(holes)).code == 1


def test_copies_of_rows_with_missing_cells_are_copies(judge, frames, read_json):
    train = riddled(frames["train"], 0.2, 7)
    assert judge(train=train, synthetic=train).code == 1
    assert outcomes(read_json("verdict.json"))["copies"] == "violated"


@pytest.mark.parametrize("column", SURVEY_COLUMNS)
def test_a_column_without_any_value_is_refused(judge, frames, column):
    empty = {name: frame.assign(**{column: np.nan}) for name, frame in frames.items()}
    judge(**empty).require_refused("train.csv", f"'{column}'", "no value", "role ignore")


def test_tables_without_any_value_are_refused(judge, frames):
    judge(**{name: frame.map(lambda _: np.nan) for name, frame in frames.items()}).require_refused(
        "train.csv", "holdout.csv", "synthetic.csv", *(f"'{column}'" for column in SURVEY_COLUMNS)
    )


def test_one_row_with_values_among_empty_ones_is_no_pass(judge, frames):
    synthetic = frames["synthetic"]
    nothing = np.arange(len(synthetic))[:, None] > np.zeros(synthetic.shape[1])
    assert judge(synthetic=synthetic.mask(nothing)).code in {1, 3}


@pytest.mark.parametrize("column", CONSTANTS)
def test_a_constant_column_is_judged_or_named(judge, frames, read_json, column):
    same = {name: frame.assign(**{column: CONSTANTS[column]}) for name, frame in frames.items()}
    result = judge(**same)
    if SURVEY_COLUMNS[column]["role"] == "sensitive":
        assert result.code == 3
        assert outcomes(read_json("verdict.json"))["inference"] == "not_assessed"
    else:
        assert result.code == 0


def test_constant_tables_are_no_pass(judge, frames, read_json):
    assert judge(**{name: frame.assign(**CONSTANTS) for name, frame in frames.items()}).code == 1
    found = outcomes(read_json("verdict.json"))
    assert found.pop("copies") == "violated"
    assert set(found.values()) == {"not_assessed"}


def test_a_target_with_one_class_in_train_is_not_assessed(judge, frames, read_json):
    assert judge(train=frames["train"].assign(smoker="no")).code == 3
    assert outcomes(read_json("verdict.json"))["inference"] == "not_assessed"


def test_twelve_rows_are_too_few_to_pass(judge, frames, read_json):
    assert judge(**{name: frame[:12] for name, frame in frames.items()}).code == 3
    assert set(outcomes(read_json("verdict.json")).values()) == {"not_assessed"}


def test_twelve_copied_rows_are_violated(judge, frames):
    few = {name: frame[:12] for name, frame in frames.items()}
    assert judge(**(few | {"synthetic": few["train"]})).code == 1


def test_single_rows_are_no_pass(judge, frames):
    one = frames["train"][:1]
    other = one.assign(age=one["age"] + 1)
    result = judge(train=one, holdout=other, synthetic=one)
    assert result.code in {1, 2, 3}
    assert "unexpectedly" not in result.err


def test_the_train_table_as_holdout_is_refused(judge, frames):
    shuffled = frames["train"].sample(frac=1, random_state=1)
    judge(holdout=shuffled).require_refused("holdout.csv", "the holdout is the train table")


def test_a_holdout_that_contains_the_train_table_is_no_pass(judge, frames):
    both = pd.concat([frames["train"], frames["holdout"]])
    assert judge(holdout=both).code == 3
    assert judge(holdout=both, synthetic=frames["train"]).code == 1


def test_without_holdout_nothing_passes(judge):
    result = judge(holdout=None)
    assert result.code == 3
    assert "holdout" in result.out


@pytest.mark.parametrize("role", ["quasi_identifier", "sensitive"])
def test_without_a_role_that_a_metric_needs_nothing_passes(judge, role):
    result = judge(columns=without_role(role))
    assert result.code == 3
    assert role in result.out


def test_without_measured_columns_nothing_is_judged(judge):
    ignored = {name: {**entry, "role": "ignore"} for name, entry in SURVEY_COLUMNS.items()}
    judge(columns=ignored).require_refused("no column is measured")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("age", np.inf, ("not numeric", ":8:", "row 7")),
        ("age", "True", ("not numeric",)),
        ("age", PLANTED, ("not numeric",)),
        ("age", "9" * 400, ("too many digits",)),
        ("age", "9007199254740993", ("too many digits",)),
        ("income", "1,234.5", ("not numeric", "thousands")),
        ("married", PLANTED, ("neither true nor false",)),
        ("health", PLANTED, ("not among the declared levels", "'levels'")),
        ("since", PLANTED, ("ISO 8601",)),
        ("since", "2001-02-30", ("impossible as a date",)),
        ("since", "2001-02-03T04:05+02:00", ("with and without a zone",)),
    ],
)
def test_a_cell_that_cannot_be_read_is_placed_but_not_shown(judge, frames, column, value, words):
    result = judge(synthetic=with_cell(frames["synthetic"], column, value))
    result.require_refused(f"'{column}'", *words)


def test_times_of_several_zones_are_instants(judge, frames):
    def at(frame, hours):
        clock = (frame["since"] + pd.to_timedelta(hours, unit="h")).dt.strftime("%Y-%m-%dT%H:%M")
        return frame.assign(since=clock + [f"+{hour:02}:00" for hour in hours])

    noon = {name: at(frame, np.full(len(frame), 12)) for name, frame in frames.items()}
    mixed = {name: at(frame, np.arange(len(frame)) % 12) for name, frame in frames.items()}
    assert judge(**mixed).code == 0
    assert judge(**(noon | {"synthetic": at(frames["train"], np.arange(250) % 12)})).code == 1


def test_numbers_beyond_exact_ones_are_refused_in_every_table(judge, frames):
    huge = {
        name: frame.assign(age=[str(10**30 + int(age) * 7) for age in frame["age"]])
        for name, frame in frames.items()
    }
    judge(**huge).require_refused("train.csv", "holdout.csv", "synthetic.csv", "too many digits")


def test_missing_undeclared_and_renamed_columns_are_named(judge, frames):
    synthetic = frames["synthetic"]
    judge(synthetic=synthetic.drop(columns="age")).require_refused("synthetic.csv", "'age'")
    judge(synthetic=synthetic.assign(extra=1)).require_refused("'extra'", "not declared")
    judge(synthetic=synthetic.rename(columns={"age": "Age"})).require_refused(
        "did you mean 'age'?", "did you mean 'Age'?"
    )


def test_duplicate_columns_are_refused_by_position(judge, frames):
    doubled = frames["synthetic"].set_axis(["age", "age", *list(SURVEY_COLUMNS)[2:]], axis=1)
    judge(synthetic=doubled).require_refused("synthetic.csv:1", "columns 1 and 2")


def csv_text():
    return survey(220, 3).to_csv(index=False)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ("the file is empty",)),
        (csv_text().splitlines()[0].encode(), ("no rows",)),
        (csv_text().replace("north", "nörth").encode("latin-1"), (":3:", "encoding")),
        (csv_text().encode("utf-16"), ("encoding",)),
        (bytes(range(256)) * 20, ("encoding",)),
        (gzip.compress(csv_text().encode()), (".csv.gz",)),
        (csv_text().replace(",", ";").encode(), ("header", "separator")),
        (f"{csv_text()}1,2,{PLANTED}\n".encode(), ("row 221",)),
        (f'{csv_text()}"{PLANTED},2\n'.encode(), (":222:", "quotation")),
        (f"{PLANTED},{PLANTED}\n1,2\n".encode(), ("columns 1 and 2",)),
    ],
    ids=[
        *("empty", "header only", "latin-1", "utf-16", "binary", "gzip", "semicolons", "ragged"),
        *("open quotation", "no header"),
    ],
)
def test_a_broken_csv_file_is_refused(judge, content, words):
    def spoil(folder):
        (folder / "synthetic.csv").write_bytes(content)

    judge(prepare=spoil).require_refused("synthetic.csv", *words)


@pytest.mark.parametrize(
    ("name", "write", "words"),
    [
        ("s.csv.gz", lambda _, p: p.write_bytes(gzip.compress(csv_text().encode())[:-40]), "short"),
        ("s.csv", lambda f, p: f.to_parquet(p), ".parquet"),
        ("s.csv", lambda f, p: f.to_feather(p), ".feather"),
        ("s.parquet", lambda f, p: f.to_csv(p), "not a readable .parquet"),
        ("s.feather", lambda f, p: f.to_parquet(p), "not a readable .feather"),
        ("s.parquet", lambda f, p: f[:0].to_parquet(p), "no rows"),
        ("s.xlsx", lambda _, p: p.write_bytes(b"PK"), ".csv, .csv.gz"),
        ("s.csv", lambda _, p: p.mkdir(), "folder"),
        ("s.csv", lambda *_: None, "no such file"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(judge, frames, name, write, words):
    result = judge(
        data={"synthetic": {"path": name}},
        prepare=lambda folder: write(frames["synthetic"], folder / name),
    )
    result.require_refused(name, words)


def test_a_truncated_parquet_file_is_refused(judge, frames):
    def cut(folder):
        path = folder / "s.parquet"
        frames["synthetic"].to_parquet(path)
        path.write_bytes(path.read_bytes()[:-30])

    judge(data={"synthetic": {"path": "s.parquet"}}, prepare=cut).require_refused("s.parquet")


def test_every_broken_table_is_reported_at_once(judge, frames):
    bad = {
        name: with_cell(frame, "age", PLANTED, row)
        for row, (name, frame) in enumerate(frames.items())
    }
    judge(**bad).require_refused("train.csv:2", "holdout.csv:3", "synthetic.csv:4")
