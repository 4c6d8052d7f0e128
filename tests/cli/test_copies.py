"""A release that is its train table is stopped, however it is stored."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

REGIONS = {"north": 0, "south": 1, "east": 2, "west": 3}


def coded(frame):
    """Return the survey with the regions as numbers, as categories often are."""
    return frame.assign(region=frame["region"].map(REGIONS).astype("Int64"))


def as_text(frame):
    return frame.assign(
        age=frame["age"].astype(str),
        region=frame["region"].astype(str).replace("<NA>", ""),
        income=[None if np.isnan(value) else repr(value) for value in frame["income"]],
        since=frame["since"].dt.strftime("%Y-%m-%d"),
        married=frame["married"].astype(str),
    )


def as_numbers(frame):
    return frame.assign(
        age=frame["age"].astype("float32"),
        region=frame["region"].astype("float64"),
        married=frame["married"].astype("int8"),
        since=frame["since"].dt.strftime("%Y-%m-%dT00:00:00"),
    )


def as_categories(frame):
    return frame.astype({"region": "category", "sex": "category", "health": "category"}).assign(
        smoker=pd.Categorical(frame["smoker"], categories=["yes", "no", "unused"])
    )


def shuffled(frame):
    return frame.sample(frac=1, random_state=5)


def permuted(frame):
    return frame[list(reversed(frame.columns))]


VARIANTS = {
    "as it is": ("csv", coded),
    "shuffled": ("csv", lambda frame: shuffled(coded(frame))),
    "text in CSV": ("csv", lambda frame: as_text(coded(frame))),
    "lower-case booleans": (
        "csv.gz",
        lambda frame: coded(frame).assign(
            married=frame["married"].map({True: "true", False: "false"})
        ),
    ),
    "text in Parquet": ("parquet", lambda frame: as_text(coded(frame))),
    "other numbers in Parquet": ("parquet", lambda frame: as_numbers(coded(frame))),
    "columns permuted": ("csv", lambda frame: permuted(coded(frame))),
    "Parquet": ("parquet", coded),
    "Feather, shuffled and permuted": ("feather", lambda frame: permuted(shuffled(coded(frame)))),
    "categories in Feather": ("feather", lambda frame: as_categories(coded(frame))),
}


def write(frame, path):
    frame = frame.reset_index(drop=True)
    match path.suffix:
        case ".parquet":
            frame.to_parquet(path)
        case ".feather":
            frame.to_feather(path)
        case _:
            frame.to_csv(path, index=False)


@pytest.fixture
def judge_copy(judge, frames, read_json):
    def check(variant, policy):
        ending, stored_as = VARIANTS[variant]
        name = f"copy.{ending}"
        result = judge(
            "--policy",
            policy,
            train=coded(frames["train"]),
            holdout=coded(frames["holdout"]),
            data={"synthetic": {"path": name}},
            prepare=lambda folder: write(stored_as(frames["train"]), folder / name),
        )
        return result, read_json("evidence.json"), read_json("verdict.json")

    return check


def figures(evidence):
    """Return everything that was measured, without what depends on files and clock."""
    tables = {
        name: {key: facts[key] for key in ("content_sha256", "rows", "columns", "distinct_rows")}
        for name, facts in evidence["release"]["tables"].items()
    }
    return json.dumps(
        [evidence["measurements"], tables, evidence["release"]["columns"], evidence["run"]["seed"]]
    )


# That these differ in nothing that metrics see is shown by the digests among the figures.
FEW = ("as it is", "text in CSV", "other numbers in Parquet", "categories in Feather")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "variants", "stopping"),
    [
        ("public-release-strict", FEW, {"common-rows", "nearer-to-train"}),
        ("card-example", VARIANTS, {"sensitive-values-stay-uncertain"}),
    ],
)
def test_a_copy_of_the_train_table_is_violated_in_every_storage(
    judge_copy, policy, variants, stopping
):
    seen = {}
    for variant in variants:
        result, evidence, verdict = judge_copy(variant, policy)
        assert (variant, result.code, verdict["outcome"]) == (variant, 1, "violated")
        stopped = {rule["id"] for rule in verdict["rules"] if rule["outcome"] == "violated"}
        assert stopping <= stopped
        seen[variant] = figures(evidence)
    assert [variant for variant in seen if seen[variant] != seen["as it is"]] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_row_of_a_copy_is_found(judge_copy, policy, variant):
    result, evidence, _ = judge_copy(variant, policy)
    assert result.code == 1
    (found,) = [entry for entry in evidence["measurements"] if entry["metric"] == "crp"]
    assert found["figures"]["share"]["value"] == 1
    assert found["figures"]["share"]["n"] == 250


def test_figures_differ_when_a_cell_does(judge, frames, read_json):
    train = frames["train"]
    judge(synthetic=train)
    before = figures(read_json("evidence.json"))
    judge(synthetic=train.assign(age=train["age"].where(train.index != 3, train["age"] + 1)))
    assert figures(read_json("evidence.json")) != before
