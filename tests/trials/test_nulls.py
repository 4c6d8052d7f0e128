import numpy as np
import pytest

from privgate.data import release_from_arrays, release_from_frames, row_ids
from privgate.errors import InputError
from privgate.testing.samples import SURVEY_COLUMNS, survey, survey_release
from privgate.trials.nulls import holdout_as_synthetic, relabelled, shuffled_secrets


@pytest.fixture(scope="module")
def release():
    return survey_release(90)


def test_the_holdout_is_halved_between_synthetic_and_holdout(release):
    honest = holdout_as_synthetic(release, np.random.default_rng(1))
    assert (honest.train.rows, honest.synthetic.rows, honest.holdout.rows) == (90, 45, 45)
    both = np.concatenate([honest.synthetic.positions, honest.holdout.positions])
    assert np.array_equal(np.sort(both), np.arange(1, 91))


def test_relabelling_keeps_the_people_and_the_sizes(release):
    honest = relabelled(release, np.random.default_rng(1))
    assert (honest.train.rows, honest.holdout.rows) == (90, 90)
    assert honest.synthetic is release.synthetic
    ages = [
        np.sort(np.concatenate([r.train.values["age"], r.holdout.values["age"]]))
        for r in (release, honest)
    ]
    assert np.array_equal(*ages)
    moved = np.isin(row_ids(honest)["train"], row_ids(release)["holdout"])
    assert honest.facts.tables["train"].content_sha256 != (
        release.facts.tables["train"].content_sha256
    )
    assert moved.any()


def test_shuffling_keeps_the_secrets_and_breaks_their_link(release):
    honest = shuffled_secrets(release, np.random.default_rng(1))
    before, after = release.synthetic.values, honest.synthetic.values
    assert np.array_equal(np.sort(before["income"]), np.sort(after["income"]), equal_nan=True)
    assert not np.array_equal(before["income"], after["income"], equal_nan=True)
    assert np.array_equal(before["age"], after["age"])


def test_without_a_holdout_nothing_is_known_to_be_honest():
    bare = release_from_frames(train=survey(50, 1), synthetic=survey(50, 2), columns=SURVEY_COLUMNS)
    for make in (holdout_as_synthetic, relabelled):
        with pytest.raises(InputError, match="holdout"):
            make(bare, np.random.default_rng(1))


def test_arrays_are_divided_like_tables():
    rng = np.random.default_rng(3)
    train, holdout, synthetic = (rng.integers(0, 2, (40, 90)) for _ in range(3))
    release = release_from_arrays(
        train=train, holdout=holdout, synthetic=synthetic, distance="hamming"
    )
    honest = relabelled(release, np.random.default_rng(1))
    halved = holdout_as_synthetic(release, np.random.default_rng(1))
    rows = [np.concatenate([r.train.matrix, r.holdout.matrix]) for r in (release, honest)]
    assert np.array_equal(*(np.sort(r.view("V16")[:, 0]) for r in rows))
    assert (halved.synthetic.rows, halved.holdout.rows) == (20, 20)
    with pytest.raises(InputError, match="no secret"):
        shuffled_secrets(release, rng)
