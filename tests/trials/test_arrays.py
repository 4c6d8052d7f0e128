"""The repeated checks on releases without columns."""

import numpy as np
import pytest

from privgate.data import release_from_arrays, row_ids, with_tables
from privgate.data.matrices import unpacked
from privgate.metrics import Inputs
from privgate.trials import Leak, PowerPlan, measure_power, plant
from privgate.trials.nulls import holdout_as_synthetic, relabelled

ROWS, WIDTH = 60, 200
DISTANCES = ["hamming", "euclidean", "cosine"]


@pytest.fixture(params=DISTANCES)
def release(request):
    rng = np.random.default_rng(1)
    draw = {
        "hamming": lambda: rng.integers(0, 2, (ROWS, WIDTH)),
        "euclidean": lambda: rng.normal(size=(ROWS, WIDTH)),
        "cosine": lambda: rng.normal(size=(ROWS, WIDTH)),
    }[request.param]
    tables = {name: draw() for name in ("train", "holdout", "synthetic")}
    return release_from_arrays(**tables, distance=request.param)


def nearest(release):
    neighbours = Inputs(release=release).neighbours()
    return neighbours.real_to_synthetic.index[neighbours.train]


def numbers(table):
    return unpacked(table.matrix, WIDTH)


def planted(release, leak):
    return plant(release, leak, nearest(release), np.random.default_rng(2))


def test_a_verbatim_leak_makes_just_so_many_copies(release):
    leaking, rows = planted(release, Leak(0.1))
    ids = row_ids(leaking)
    assert len(rows) == 6
    assert np.array_equal(np.flatnonzero(np.isin(ids["synthetic"], ids["train"])), rows)
    untouched = np.delete(np.arange(ROWS), rows)
    assert np.array_equal(leaking.synthetic.matrix[untouched], release.synthetic.matrix[untouched])
    before = release.facts.tables["synthetic"]
    assert leaking.facts.tables["synthetic"].content_sha256 != before.content_sha256
    assert leaking.facts.tables["synthetic"].distinct_rows == ROWS


def test_a_partial_leak_copies_the_stated_share_of_positions(release):
    leaking, rows = planted(release, Leak(0.2, 0.5))
    before, after = numbers(release.synthetic)[rows], numbers(leaking.synthetic)[rows]
    changed = (before != after).sum(axis=1)
    assert (changed <= WIDTH / 2).all()
    assert (changed > WIDTH / 10).all()


def test_a_perturbed_leak_lies_near_a_person_and_is_equal_to_none(release):
    leaking, rows = planted(release, Leak(0.1, perturbed=True))
    ids = row_ids(leaking)
    assert not np.isin(ids["synthetic"], ids["train"]).any()
    neighbours = Inputs(release=leaking).neighbours()
    distance = neighbours.synthetic_to_real.nearest(neighbours.train).distance
    assert distance[rows].max() < np.delete(distance, rows).min() / 2


def test_other_rows_have_the_facts_of_a_release_made_of_them(release):
    part = release.synthetic.take(np.arange(10))
    smaller = with_tables(release, {"synthetic": part}).facts.tables["synthetic"]
    made = release_from_arrays(
        train=numbers(release.train),
        synthetic=np.random.default_rng(3).permutation(numbers(part)),
        distance=release.distance,
    ).facts.tables["synthetic"]
    assert smaller.content_sha256 == made.content_sha256
    assert (smaller.rows, smaller.distinct_rows, smaller.columns) == (10, 10, WIDTH)


def test_honest_releases_are_made_of_the_same_people(release):
    halved = holdout_as_synthetic(release, np.random.default_rng(1))
    assert (halved.synthetic.rows, halved.holdout.rows) == (ROWS / 2, ROWS / 2)
    divided = relabelled(release, np.random.default_rng(1))
    people = [
        np.sort(np.concatenate([numbers(r.train), numbers(r.holdout)]), axis=0)
        for r in (release, divided)
    ]
    assert np.array_equal(*people)
    assert not np.array_equal(divided.train.matrix, release.train.matrix)
    assert divided.distance is release.distance


def test_a_policy_catches_large_leaks_in_arrays(release, policy):
    plan = PowerPlan(shares=(0.5,), fields=(1.0,), trials=2)
    study = measure_power(release, policy, plan, seed=1)
    verbatim = [leak for leak in study.planted if not leak.perturbed]
    assert [leak.stopped for leak in verbatim] == [2]
    assert study.unplanted.stopped == 0
