"""The rule by which an engine is chosen."""

import numpy as np
import pytest

from privgate.encoding import EuclideanRows
from privgate.neighbors.engines import Brute, Question, Screen, Tree, engine_for
from privgate.neighbors.engines.choice import intrinsic_dimension


def question(matrix, levels=None, *, base=None):
    codes = np.empty((len(matrix), 0)) if levels is None else levels
    rows = EuclideanRows(np.asarray(matrix, float), np.asarray(codes, np.int32))
    size = len(rows) // 2 if base is None else base
    return Question(
        rows.take(slice(0, len(rows) - size)), rows.take(slice(len(rows) - size, None)), 5
    )


def drawn(*shape):
    return np.random.default_rng(1).normal(size=shape)


@pytest.mark.parametrize(
    ("asked", "engine"),
    [
        pytest.param(question(drawn(1500, 3)), Brute, id="few pairs"),
        pytest.param(question(drawn(5300, 3), base=5000), Tree, id="few dimensions"),
        pytest.param(question(drawn(5300, 3) @ drawn(3, 30), base=5000), Tree, id="near a plane"),
        pytest.param(question(drawn(5300, 30), base=5000), Screen, id="many dimensions"),
        pytest.param(question(drawn(2600, 3)), Screen, id="few rows"),
        pytest.param(
            question(drawn(2600, 2), (10 * drawn(2600, 3)).astype(int)), Brute, id="many levels"
        ),
        pytest.param(question(drawn(2600, 2), drawn(2600, 9) > 0), Screen, id="few levels"),
        pytest.param(question(1e200 * drawn(2600, 9)), Brute, id="squares overflow"),
        pytest.param(
            question(10.0 ** np.linspace(-40, 40, 2600)[:, None] * drawn(2600, 9)),
            Brute,
            id="all scales",
        ),
        pytest.param(
            question(np.tile(drawn(3, 9), (900, 1)) + 1e-9 * drawn(2700, 9)),
            Brute,
            id="narrow clusters",
        ),
    ],
)
def test_the_engine_follows_from_the_rows(asked, engine):
    assert type(engine_for(asked)) is engine


@pytest.mark.parametrize("dimensions", [2, 4])
def test_the_number_of_dimensions_is_that_of_the_plane(dimensions):
    found = intrinsic_dimension(drawn(2000, dimensions) @ drawn(dimensions, 30))
    assert abs(found - dimensions) < 0.4


def test_a_grid_tells_no_dimension():
    grid = np.stack(np.meshgrid(range(9), range(9), range(9)), axis=-1).reshape(-1, 3)
    assert intrinsic_dimension(grid.astype(float)) == float("inf")
