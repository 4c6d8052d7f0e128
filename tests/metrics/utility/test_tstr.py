"""Train on synthetic, test on real: examples worked by hand, and what is lost is seen."""

import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.evidence import Status
from privgate.metrics.inputs import Inputs
from privgate.metrics.utility.tstr import TstrParams, tstr
from privgate.stats.skill import ClassPredictions, NumberPredictions, drawn_weights

COLUMNS = {
    "x": {"type": "categorical", "role": "quasi_identifier"},
    "ill": {"type": "categorical", "role": "sensitive"},
}
KEEPING = {("a", "yes"): 30, ("a", "no"): 10, ("b", "yes"): 10, ("b", "no"): 30}
OTHERS = {row: 2 * count for row, count in KEEPING.items()}


def table(counts):
    rows = [row for row, count in counts.items() for _ in range(count)]
    return pd.DataFrame(rows, columns=["x", "ill"])


def found(release, **params):
    return tstr.measure(Inputs(release=release), TstrParams(**params), np.random.default_rng(0))


def release(synthetic, holdout=OTHERS, train=KEEPING):
    return release_from_frames(
        train=table(train), holdout=table(holdout), synthetic=table(synthetic), columns=COLUMNS
    )


def figures(release_, **params):
    (part,) = found(release_, **params).parts
    return part.figures


def test_areas_and_skill_worked_by_hand():
    """Scores .9 .5 | .5 .1 of two classes: 3.5 of 4 pairs; the first row thrice: 7.5 of 8."""
    scores = np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.1, 0.9]])
    predicted = ClassPredictions.of(scores, np.array([0, 0, 1, 1]), [0, 1])
    assert predicted.areas(np.ones(4)) == pytest.approx([0.875, 0.875], abs=1e-12)
    assert predicted.skill(np.ones(4)) == pytest.approx(0.75, abs=1e-12)
    assert predicted.skill(np.array([3.0, 1, 1, 1])) == pytest.approx(2 * 7.5 / 8 - 1, abs=1e-12)
    turned = ClassPredictions.of(scores[::-1], np.array([0, 0, 1, 1]), [0, 1])
    assert turned.skill(np.ones(4)) == 0


def test_variance_explained_worked_by_hand():
    """Truth 1, 2, 3 around 2: spread 2; missed 1: 1/2. Weights (2, 1, 1): mean 7/4."""
    predicted = NumberPredictions(np.array([1.0, 2, 4]), np.array([1.0, 2, 3]))
    assert predicted.skill(np.ones(3)) == pytest.approx(0.5, abs=1e-12)
    spread = 2 * 0.75**2 + 0.25**2 + 1.25**2
    assert predicted.skill(np.array([2.0, 1, 1])) == pytest.approx(1 - 1 / spread, abs=1e-12)
    assert NumberPredictions(np.array([9.0, 9]), np.array([1.0, 2])).skill(np.ones(2)) == 0


def test_groups_keep_their_sizes_in_every_draw():
    groups = np.array([5, 1, 5, 5, 1, 9])
    weights = drawn_weights(groups, np.random.default_rng(1))
    assert [weights[groups == own].sum() for own in (1, 5, 9)] == [2, 3, 1]


def test_the_example_worked_by_hand():
    """30 + 10 against 10 + 30: with equal scores half, (30·30 + 30·10) / 40² = 0.75, skill 1/2.

    A release that says the opposite has area 0.25, so its skill is 0 and nothing is retained.
    """
    same = figures(release(KEEPING))
    assert same["skill"].value == pytest.approx(0.5, abs=1e-12)
    assert same["real_skill"].value == pytest.approx(0.5, abs=1e-12)
    assert same["difference"].value == 0
    assert (same["difference"].low, same["difference"].high) == (0, 0)
    assert same["retained"].value == pytest.approx(1, abs=1e-12)
    turned = {(x, {"yes": "no", "no": "yes"}[y]): n for (x, y), n in KEEPING.items()}
    lost = figures(release(turned))
    assert lost["skill"].value == 0
    assert lost["difference"].value == pytest.approx(-0.5, abs=1e-12)
    assert lost["retained"].value == 0
    assert lost["difference"].low < -0.5 < lost["difference"].high < 0


def test_a_release_of_one_class_teaches_nothing():
    assert figures(release({("a", "yes"): 40, ("b", "yes"): 40}))["skill"].value == 0


def test_what_cannot_be_learned_from_train_has_no_ratio():
    even = dict.fromkeys(KEEPING, 20)
    retained = figures(release(KEEPING, train=even))["retained"]
    assert retained.value is None
    assert "hardly better than guessing" in retained.reason


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"holdout": {("a", "yes"): 30, ("b", "no"): 10}}, "at least 11 people"),
        ({"train": {("a", "yes"): 40, ("b", "yes"): 40}}, "single value in train"),
        ({"synthetic": {("a", "yes"): 20, ("b", "no"): 19}}, "fewer than 40 rows"),
    ],
)
def test_what_cannot_be_asked_is_said(changed, why):
    (part,) = found(release(**{"synthetic": KEEPING, **changed})).parts
    assert part.status is Status.NOT_ASSESSED
    assert why in part.reason


def test_targets_are_named_or_the_sensitive_columns():
    named = found(release(KEEPING), target=("x", "nothing")).parts
    assert [part.of for part in named] == ["x", "nothing"]
    assert "no measured column 'nothing'" in named[1].reason
    without = {name: {**entry, "role": "other"} for name, entry in COLUMNS.items()}
    tables = {"train": KEEPING, "holdout": OTHERS, "synthetic": KEEPING}
    frames = {name: table(counts) for name, counts in tables.items()}
    bare = release_from_frames(**frames, columns=without)
    with pytest.raises(NotAssessable, match="no target is named"):
        found(bare)


def numbers(rows, seed, slope):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    return pd.DataFrame({"x": x, "y": slope * x + 0.3 * rng.normal(size=rows)})


@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_numbers_of_any_size_are_predicted(scale):
    columns = {"x": {"type": "numeric", "role": "other"}, "y": COLUMNS["ill"] | {"type": "numeric"}}
    real = {name: numbers(400, seed, 1.0) for seed, name in enumerate(("train", "holdout"))}
    values = []
    for slope in (1.0, 0.0):
        tables = real | {"synthetic": numbers(400, 7, slope)}
        tables = {name: own.assign(y=own["y"] * scale) for name, own in tables.items()}
        values.append(figures(release_from_frames(**tables, columns=columns)))
    kept, lost = values
    assert kept["real_skill"].value > 0.8
    assert kept["difference"].value == pytest.approx(0, abs=0.05)
    assert lost["difference"].high < -0.7
