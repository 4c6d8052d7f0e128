"""All metrics together search each distance space three times: across, and within either side."""

from collections import Counter

import numpy as np
import pytest

from privgate.engine.plan import missing_need
from privgate.errors import NotAssessable
from privgate.executors import Serial
from privgate.metrics import Inputs, all_metrics
from privgate.neighbors import search
from privgate.testing.samples import survey_release

SMALL = {
    "air": {"bootstrap": 50},
    "c_t": {"permutations": 5},
    "detection_mlp": {"epochs": 2, "folds": 2},
    "in_auth": {"permutations": 5},
    "nnaa": {"repetitions": 2},
    "pqmass": {"tessellations": 5},
    "privacy_loss": {"permutations": 5, "repetitions": 5},
    "privet": {"permutations": 5},
    "rapid": {"bootstrap": 50},
}


class Counted(Serial):
    """Remembers what was searched: in which distance space, and among which rows."""

    def __init__(self):
        self.searched = []

    def map(self, task, shared, parts):
        if task is search.measured:
            asked = shared[1]
            self.searched.append((space_of(asked.base), kind_of(asked), rows_of(asked)))
        return super().map(task, shared, parts)


def space_of(rows):
    weights = getattr(rows, "number_weights", None)
    return (
        type(rows).__name__,
        rows.numbers.shape[1] + rows.levels.shape[1],
        None if weights is None else weights.tobytes(),
    )


def rows_of(asked):
    """Which rows meet, whichever of them are the queries: spaces of equally many columns differ."""
    return frozenset(
        (rows.numbers.tobytes(), rows.levels.tobytes()) for rows in (asked.queries, asked.base)
    )


def kind_of(asked):
    return f"within {len(asked.base)} rows" if asked.within else "across"


@pytest.fixture(scope="module")
def searched():
    executor = Counted()
    inputs = Inputs(release=survey_release(120), executor=executor)
    for metric in all_metrics().values():
        if missing_need(metric, inputs.release):
            continue
        params = metric.params.model_validate(SMALL.get(metric.card.name, {}))
        try:
            metric.measure(inputs, params, np.random.default_rng(1))
        except NotAssessable:
            continue
    return executor.searched


def test_no_search_is_made_twice(searched):
    assert max(Counter(searched).values()) == 1


def test_the_whole_space_is_searched_three_times(searched):
    by_space = Counter(space for space, *_ in searched)
    assert max(by_space.values()) == 3
    kinds = [kind for space, kind, _ in searched if by_space[space] == 3]
    assert "across" in kinds
    assert len(set(kinds)) == 3
