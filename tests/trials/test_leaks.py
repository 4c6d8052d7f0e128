import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import release_from_arrays, release_from_frames, row_ids
from privgate.metrics import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey, survey_release
from privgate.trials import Leak, plant


@pytest.fixture(scope="module")
def release():
    return survey_release(120)


@pytest.fixture(scope="module")
def nearest(release):
    neighbours = Inputs(release=release).neighbours()
    return neighbours.real_to_synthetic.index[neighbours.train]


def copies(release):
    ids = row_ids(release)
    return np.isin(ids["synthetic"], ids["train"])


def test_a_verbatim_leak_makes_just_so_many_copies_and_leaves_the_rest_alone(release, nearest):
    assert not copies(release).any()
    leaking, rows = plant(release, Leak(0.1), nearest, np.random.default_rng(1))
    assert np.array_equal(np.flatnonzero(copies(leaking)), rows)
    assert len(rows) == 12
    for name, array in release.synthetic.values.items():
        untouched = np.delete(np.arange(120), rows)
        assert np.array_equal(
            leaking.synthetic.values[name][untouched], array[untouched], equal_nan=True
        )
    assert leaking.train is release.train
    assert leaking.facts.tables["synthetic"].content_sha256 != (
        release.facts.tables["synthetic"].content_sha256
    )


def test_each_leaked_record_belongs_to_another_person(release, nearest):
    leaking, rows = plant(release, Leak(1.0), nearest, np.random.default_rng(2))
    ids = row_ids(leaking)
    assert len(rows) == 120
    assert np.array_equal(np.sort(ids["synthetic"]), np.sort(ids["train"]))


def test_a_partial_leak_copies_the_stated_share_of_fields(release, nearest):
    leaking, rows = plant(release, Leak(0.2, 0.5), nearest, np.random.default_rng(3))
    before, after = release.synthetic.values, leaking.synthetic.values
    changed = sum(
        ~((before[c.name] == after[c.name]) | (before[c.name] != before[c.name])).astype(bool)[rows]
        for c in release.columns
    )
    assert len(rows) == 24
    assert (changed <= 4).all()  # half of eight columns, fewer where both had the value already
    assert changed.sum() > 24


def test_a_perturbed_leak_lies_near_a_person_and_is_equal_to_none(release, nearest):
    leaking, rows = plant(release, Leak(0.1, perturbed=True), nearest, np.random.default_rng(4))
    assert not copies(leaking).any()
    neighbours = Inputs(release=leaking).neighbours()
    distance = neighbours.synthetic_to_real.nearest(neighbours.train).distance
    others = np.delete(distance, rows)
    assert distance[rows].max() < others.min()
    assert distance[rows].min() > 0


def test_whole_numbers_stay_whole(release, nearest):
    leaking, _ = plant(release, Leak(0.5, perturbed=True), nearest, np.random.default_rng(5))
    ages = leaking.synthetic.values["age"]
    assert np.array_equal(ages, np.round(ages))


def test_a_perturbed_record_without_numbers_keeps_one_level_of_its_own():
    columns = {name: SURVEY_COLUMNS[name] for name in ("sex", "region", "smoker", "married")}
    frames = [survey(60, seed)[list(columns)] for seed in (1, 2)]
    release = release_from_frames(train=frames[0], synthetic=frames[1], columns=columns)
    nearest = np.arange(60)
    leaking, rows = plant(release, Leak(0.5, perturbed=True), nearest, np.random.default_rng(6))
    kept = np.zeros(len(rows), int)
    for column in release.columns:
        own = leaking.synthetic.values[column.name][rows]
        kept += own == release.synthetic.values[column.name][rows]
    assert (kept >= 1).all()


@settings(max_examples=25, deadline=None)
@given(share=st.floats(0.001, 1), fields=st.floats(0.01, 1), seed=st.integers(0, 99))
def test_planting_never_changes_the_size_and_always_leaks_somebody(
    release, nearest, share, fields, seed
):
    leak = Leak(share, fields)
    leaking, rows = plant(release, leak, nearest, np.random.default_rng(seed))
    again, same = plant(release, leak, nearest, np.random.default_rng(seed))
    assert leaking.synthetic.rows == 120
    assert 1 <= len(rows) == len(np.unique(rows)) == leak.records(120)
    assert np.array_equal(rows, same)
    assert leaking.facts.tables == again.facts.tables


def test_a_share_of_records_is_rounded_up_but_not_by_rounding_errors():
    assert [Leak(share).records(1000) for share in (0.0001, 0.01, 0.07, 0.0701)] == [1, 10, 70, 71]


@pytest.fixture(scope="module", params=["hamming", "euclidean", "cosine"])
def arrays(request):
    rng = np.random.default_rng(8)
    drawn = [rng.normal(size=(60, 150)) for _ in range(3)]
    train, holdout, synthetic = [d > 0 if request.param == "hamming" else d for d in drawn]
    return release_from_arrays(
        train=train, holdout=holdout, synthetic=synthetic, distance=request.param
    )


def planted(release, leak):
    neighbours = Inputs(release=release).neighbours()
    nearest = neighbours.real_to_synthetic.index[neighbours.train]
    leaking, rows = plant(release, leak, nearest, np.random.default_rng(9))
    found = Inputs(release=leaking).neighbours()
    return leaking, rows, found.synthetic_to_real.nearest(found.train).distance


def test_rows_of_arrays_are_copied_and_the_facts_follow(arrays):
    leaking, rows, distance = planted(arrays, Leak(0.1))
    assert len(rows) == 6
    assert np.array_equal(np.flatnonzero(distance == 0), rows)
    assert copies(leaking).sum() == 6
    assert leaking.facts.tables["synthetic"].content_sha256 != (
        arrays.facts.tables["synthetic"].content_sha256
    )


def test_moved_rows_of_arrays_are_near_and_equal_to_none(arrays):
    _, rows, distance = planted(arrays, Leak(0.1, perturbed=True))
    assert distance[rows].min() > 0
    assert distance[rows].max() < 0.5 * np.delete(distance, rows).min()


def test_a_part_of_the_positions_is_copied(arrays):
    leaking, rows, _ = planted(arrays, Leak(0.1, 0.2))
    if leaking.train.matrix.dtype.kind == "f":
        changed = (leaking.synthetic.matrix != arrays.synthetic.matrix).sum(axis=1)
        assert (changed[rows] == 30).all()
        assert np.delete(changed, rows).sum() == 0
    else:
        unequal = np.bitwise_count(leaking.synthetic.matrix ^ arrays.synthetic.matrix).sum(axis=1)
        assert (unequal[rows] <= 30).all()
        assert np.delete(unequal, rows).sum() == 0
        assert unequal[rows].min() > 0
