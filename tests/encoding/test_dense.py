import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.encoding import (
    DenseEncoder,
    Distance,
    EuclideanRows,
    Projection,
    Space,
    coordinates_of,
    space_of,
)
from privgate.errors import NotAssessable


def test_distances_of_the_matrix_are_those_of_the_space(survey_release):
    space = space_of(survey_release, Distance.EUCLIDEAN)
    encoder = DenseEncoder.fitted(space)
    here, there = encoder.matrix(space.train), encoder.matrix(space.synthetic)
    apart = np.linalg.norm(here[:, None] - there[None, :], axis=2)
    assert apart == pytest.approx(space.train.distances(space.synthetic), abs=1e-12)


def letters(counts):
    return pd.DataFrame(
        {"a": np.repeat(list(counts), list(counts.values())), "x": np.arange(sum(counts.values()))}
    )


COLUMNS = {
    "a": {"type": "categorical", "role": "other"},
    "x": {"type": "numeric", "role": "other"},
}


@pytest.mark.parametrize("names", ["pqrst", "tsrqp"])
def test_the_most_frequent_levels_are_known_and_the_rest_share_one(names):
    p, q, r, s, t = names
    train = letters({p: 5, q: 4, r: 2, s: 2, t: 1})
    release = release_from_frames(train=train, synthetic=train, columns=COLUMNS)
    space = space_of(release, Distance.EUCLIDEAN)
    indicators = DenseEncoder.fitted(space, most=3).matrix(space.train)[:, 1:]
    assert sorted(indicators.sum(axis=0).tolist()) == [4, 5, 5], "r and s tie, so neither is known"
    assert np.all(indicators.sum(axis=1) == 1)


def test_a_level_that_no_real_row_has_is_one_of_the_rest():
    train = letters({"p": 5, "q": 4, "r": 2, "s": 1})
    release = release_from_frames(
        train=train, synthetic=letters({"new": 6, "p": 1}), columns=COLUMNS
    )
    space = space_of(release, Distance.EUCLIDEAN)
    matrix = DenseEncoder.fitted(space, most=4).matrix(space.synthetic)
    assert matrix[:, -1].tolist().count(1.0) == 6


def test_wide_tables_keep_fewer_levels_of_each_column():
    codes = np.random.default_rng(1).integers(0, 60, (500, 200)).astype(np.int32)
    rows = EuclideanRows(np.empty((500, 0)), codes)
    encoder = DenseEncoder.fitted(Space.of(Distance.EUCLIDEAN, rows, rows, None))
    assert encoder.matrix(rows).shape[1] <= 4096 + 200
    assert max(map(len, encoder.known)) == 20


def test_the_projection_keeps_what_varies_most():
    rng = np.random.default_rng(1)
    sample = rng.normal(size=(300, 4)) * [5, 3, 0.1, 0.1]
    projection = Projection.fitted(sample, 2)
    kept = projection.coordinates(sample)
    assert kept.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert kept.var(axis=0).sum() > 0.99 * sample.var(axis=0).sum()
    whole = Projection.fitted(sample, 9).coordinates(sample)
    apart = np.linalg.norm(sample[:, None] - sample[None], axis=2)
    assert np.linalg.norm(whole[:, None] - whole[None], axis=2) == pytest.approx(apart, abs=1e-9)


def test_directions_that_vary_alike_are_kept_together():
    square = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 3], [0, 0, -3]])
    assert Projection.fitted(square, 1).axes.shape == (3, 1)
    assert Projection.fitted(square, 2).axes.shape == (3, 3)


def test_a_sample_without_variation_has_no_directions():
    with pytest.raises(NotAssessable, match="do not vary"):
        Projection.fitted(np.full((30, 3), 0.1), 1)


def test_coordinates_are_those_of_the_dense_encoder(survey_release):
    space = space_of(survey_release, Distance.EUCLIDEAN)
    expected = DenseEncoder.fitted(space).matrix(space.holdout)
    assert np.array_equal(coordinates_of(space)(space.holdout), expected)
    with pytest.raises(NotAssessable, match="gower distance have no coordinates"):
        coordinates_of(space_of(survey_release, Distance.GOWER))
