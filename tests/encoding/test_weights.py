import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.data.assembly import RowOrder
from privgate.encoding import DenseEncoder, Distance, entropy_weighted, entropy_weights, space_of
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import encoded

COLUMNS = {
    "c": {"type": "categorical", "role": "other"},
    "k": {"type": "categorical", "role": "other"},
    "o": {"type": "ordinal", "role": "other", "levels": ["low", "mid", "high"]},
    "x": {"type": "numeric", "role": "other"},
}
TRAIN = {
    "c": ["a", "a", "a", None],
    "k": ["u", "u", "u", "u"],
    "o": ["low", "mid", "high", "high"],
    "x": [0.0, 1.0, np.nan, 9.0],
}
SYNTHETIC = {
    "c": ["a", "b"],
    "k": ["u", "v"],
    "o": ["low", "high"],
    "x": [4.0, np.nan],
}
LN2 = np.log(2)
ENTROPY = {"c": 2 * LN2 - 0.75 * np.log(3), "o": 1.5 * LN2, "x": 2 * LN2}


@pytest.fixture
def release():
    return release_from_frames(
        train=pd.DataFrame(TRAIN),
        synthetic=pd.DataFrame(SYNTHETIC),
        columns=COLUMNS,
        row_order=RowOrder.GIVEN,
    )


def test_weights_are_inverse_entropies_with_missing_as_a_value(release):
    weights = entropy_weights(release)
    assert weights["k"] == 0
    for name, value in ENTROPY.items():
        assert weights[name] == pytest.approx(1 / value)


def test_weighted_distance_is_that_of_multiplied_coordinates(release):
    plain = space_of(release, Distance.EUCLIDEAN)
    space = entropy_weighted(plain, release)
    encoder = DenseEncoder.fitted(plain)
    # o, x, missing x, then the indicators of c (missing, a, b, others) and of k (u, v, others)
    factors = 1 / np.array([ENTROPY[name] for name in ("o", "x", "x", "c", "c", "c", "c")])
    scaled = [
        encoder.matrix(rows) * np.append(factors, [0, 0, 0])
        for rows in (plain.train, plain.synthetic)
    ]
    expected = np.linalg.norm(scaled[0][:, None] - scaled[1][None], axis=2)
    assert space.train.distances(space.synthetic) == pytest.approx(expected)
    assert space.constant == space.varying == ("k",)


def test_weighted_gower_is_a_weighted_mean(release):
    space = entropy_weighted(space_of(release, Distance.GOWER), release)
    c, o, x = (1 / ENTROPY[name] for name in ("c", "o", "x"))
    expected = [
        [x * 4 / 9, c + o + x],
        [o / 2 + x * 3 / 9, c + o / 2 + x],
        [o + x, c],
        [c + o + x * 5 / 9, c + x],
    ]
    assert space.train.distances(space.synthetic) == pytest.approx(np.array(expected) / (c + o + x))


def test_weights_survive_taking_and_joining_rows(release):
    rows = entropy_weighted(space_of(release, Distance.GOWER), release).train
    again = rows.take(np.arange(2)).joined(rows.take(slice(2, 4)))
    assert np.array_equal(again.distances(rows), rows.distances(rows))
    assert (np.diag(rows.distances(rows)) == 0).all()


def test_nothing_that_varies_is_nothing_to_weigh():
    with pytest.raises(NotAssessable, match="no column varies"):
        encoded([1.0, 1.0], [1.0, 2.0]).weighted_neighbours()


@pytest.mark.parametrize("distance", [Distance.EUCLIDEAN, Distance.GOWER])
def test_inputs_search_the_weighted_space_once(survey_release, distance):
    inputs = Inputs(release=survey_release)
    weighted = inputs.weighted_neighbours(distance)
    assert weighted is inputs.weighted_neighbours(distance)
    assert weighted.space.real.levels is inputs.neighbours(distance).space.real.levels
    assert not np.array_equal(
        weighted.real_to_synthetic.distance, inputs.neighbours(distance).real_to_synthetic.distance
    )
