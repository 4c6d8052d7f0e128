import numpy as np

from privgate.learners import cells_around


def test_plain_clusters_are_cells_of_all_tables():
    rng = np.random.default_rng(1)
    sample, other = (rng.normal(size=(60, 2)) + 40 * (np.arange(60) % 3)[:, None] for _ in range(2))
    own, foreign = cells_around(sample, [other], cells=3, seed=1)
    for start in range(3):
        assert len(set(own[start::3].tolist()) | set(foreign[start::3].tolist())) == 1
    assert len(set(own.tolist())) == 3


def test_fewer_distinct_rows_than_cells_leave_cells_empty():
    (own,) = cells_around(np.array([[0.0], [0.0], [1.0]]), [], cells=5, seed=1)
    assert len(set(own.tolist())) == 2
