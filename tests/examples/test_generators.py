from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML
from scipy.stats import ks_2samp, spearmanr

from privgate.trials.generators import gaussian_copula, sequential_trees

DEMO = Path(__file__).parents[2] / "examples" / "demo"
NUMBERS = ["age", "inc", "fsize", "nettfa"]


@pytest.fixture(scope="module")
def demo():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DEMO))
        yield SimpleNamespace(
            prepare=import_module("prepare"),
            gaussian_copula=gaussian_copula,
            sequential_trees=sequential_trees,
        )
        sys.modules.pop("prepare")


@pytest.fixture(scope="module")
def tables(demo):
    return demo.prepare.tables(demo.prepare.SEED)


@pytest.fixture(params=["synthetic-copula.csv", "synthetic-trees.csv"])
def synthetic(request, tables):
    return tables[request.param]


def share_found_in(rows: pd.DataFrame, people: pd.DataFrame) -> float:
    return len(rows.merge(people.drop_duplicates(), how="inner")) / len(rows)


def run_prepare(folder: Path, *, threads: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": threads, "OMP_NUM_THREADS": threads}
    script = str(DEMO / "prepare.py")
    subprocess.run([sys.executable, script, str(folder)], env=environment, check=True)


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path):
    run_prepare(tmp_path / "a b", threads="1")
    run_prepare(tmp_path / "c", threads="2")
    written = {path.name: path.read_bytes() for path in (tmp_path / "a b").iterdir()}
    again = {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()}
    assert len(written) == 7
    assert written == again
    assert b"\r" not in written["train.csv"]


@pytest.mark.slow
def test_a_copy_of_the_example_can_write_into_its_own_folder(tmp_path):
    shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    script = str(tmp_path / "demo" / "prepare.py")
    subprocess.run([sys.executable, script, "."], cwd=tmp_path / "demo", check=True)
    assert (tmp_path / "demo" / "synthetic-trees.csv").is_file()


def test_another_seed_gives_other_people_and_other_rows(demo, tables):
    for name, other in demo.prepare.tables(7).items():
        assert not other.reset_index(drop=True).equals(tables[name].reset_index(drop=True)), name


def test_every_person_is_in_exactly_one_half(demo, tables):
    train, holdout = tables["train.csv"], tables["holdout.csv"]
    assert (len(train), len(holdout)) == (4638, 4637)
    assert sorted([*train.index, *holdout.index]) == list(range(9275))
    assert not {"incsq", "agesq"} & set(demo.prepare.COLUMNS)


@pytest.mark.parametrize("name", ["copula", "trees"])
def test_release_file_declares_the_columns_and_files_that_are_written(demo, tables, name):
    release = YAML(typ="safe").load(DEMO / f"{name}.release.yaml")
    assert set(release["columns"]) == set(demo.prepare.COLUMNS)
    assert (
        {source["path"] for source in release["data"].values()}
        == {
            "train.csv",
            "holdout.csv",
            f"synthetic-{name}.csv",
        }
        <= set(tables)
    )


def test_both_releases_differ_only_in_the_synthetic_table():
    copula, trees = (
        YAML(typ="safe").load(DEMO / f"{name}.release.yaml") for name in ("copula", "trees")
    )
    for release in (copula, trees):
        for own in ("name", "generator"):
            release.pop(own)
        release["data"].pop("synthetic")
    assert copula == trees


def test_synthetic_tables_have_the_columns_and_number_formats_of_train(synthetic, tables):
    train = tables["train.csv"]
    assert len(synthetic) == len(train)
    pd.testing.assert_series_equal(synthetic.dtypes, train.dtypes)
    assert synthetic.equals(synthetic.round(3))


def test_marginals_are_close(synthetic, tables):
    train = tables["train.csv"]
    # Two samples of this size from one population differ by more once in a thousand times.
    far = {
        c: d
        for c in train
        if (d := ks_2samp(train[c], synthetic[c], method="asymp").statistic) > 0.04
    }
    assert far == {}


def test_numbers_move_together_as_they_do_in_train(synthetic, tables):
    real, made = (spearmanr(t[NUMBERS]).statistic for t in (tables["train.csv"], synthetic))
    assert np.abs(real - made).max() < 0.06


def test_trees_republish_real_people_and_the_copula_does_not(tables):
    train, holdout = tables["train.csv"], tables["holdout.csv"]
    trees, copula = tables["synthetic-trees.csv"], tables["synthetic-copula.csv"]
    assert 0.01 < share_found_in(trees, train) < 0.06
    assert share_found_in(trees, holdout) < 0.001
    assert share_found_in(copula, train) < 0.001


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_holds_for_other_seeds(demo, seed):
    test_trees_republish_real_people_and_the_copula_does_not(demo.prepare.tables(seed))


def test_tree_values_are_real_values_column_by_column(tables):
    train, trees = tables["train.csv"], tables["synthetic-trees.csv"]
    for column in train:
        assert set(trees[column]) <= set(train[column]), column


def test_leaf_holds_the_values_of_the_people_who_fell_into_it(demo):
    known = np.repeat([[0.0], [1.0]], 6, axis=0)
    values = np.array([1, 2, 3, 4, 5, 6, 101, 102, 103, 104, 105, 106])
    leaves = demo.sequential_trees.fit_leaves(known, values)
    rng = np.random.default_rng(0)
    low = leaves.draw(np.zeros((500, 1)), rng)
    high = leaves.draw(np.ones((500, 1)), rng)
    assert set(low) == set(values[:6])
    assert set(high) == set(values[6:])


def test_a_tree_of_fewer_than_two_leaves_still_draws(demo):
    leaves = demo.sequential_trees.fit_leaves(np.zeros((4, 1)), np.array([7, 8, 9, 10]))
    assert set(leaves.draw(np.zeros((200, 1)), np.random.default_rng(0))) == {7, 8, 9, 10}


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([1.0, 2.0], 0), ([0.5, 2.0], 1), ([0.25, 1.0], 2), ([0.125, 1.0], 3), ([1 / 3, 1.0], 3)],
)
def test_decimals_in_use(demo, values, decimals):
    assert demo.gaussian_copula.decimals_in_use(np.array(values)) == decimals


def test_values_between_real_ones_are_interpolated_and_rounded(demo):
    real = np.array([0.0, 1.0, 10.0])
    assert demo.gaussian_copula.values_at(real, np.array([0, 0.25, 0.5, 0.74, 1])).tolist() == [
        0,
        0,  # 0.5 rounds to even
        1,
        5,
        10,
    ]
    assert demo.gaussian_copula.values_at(real / 4, np.array([0.75])).tolist() == [1.38]


def test_two_valued_columns_come_back_through_a_threshold(demo):
    real = np.array([0, 0, 0, 1], dtype=float)
    ranks = np.array([0.1, 0.74, 0.76, 0.99])
    assert demo.gaussian_copula.values_at(real, ranks).tolist() == [0, 0, 1, 1]


def test_normal_scores_are_symmetric_and_ties_share_one(demo):
    scores = demo.gaussian_copula.normal_scores(np.array([5, 1, 3, 3]))
    assert scores[2] == scores[3] == 0
    assert scores[0] == pytest.approx(-scores[1])
