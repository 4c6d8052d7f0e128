"""CVP, DVP and NSND, which are functions of one scaled distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.errors import NotAssessable
from privgate.metrics.screens.cvp import CvpParams, cvp
from privgate.metrics.screens.dvp import DvpParams, dvp
from privgate.metrics.screens.nsnd import NsndParams, nsnd
from privgate.testing.samples import encoded

METRICS = {"cvp": (cvp, CvpParams), "dvp": (dvp, DvpParams), "nsnd": (nsnd, NsndParams)}


def measured(name, inputs, **params):
    metric, model = METRICS[name]
    return metric.measure(inputs, model(**params), np.random.default_rng(0))


def risks(inputs):
    return {name: measured(name, inputs).risk for name in METRICS}


def test_worked_example(example_a):
    assert measured("cvp", example_a).raw == 0.25
    assert measured("dvp", example_a).raw == 0.25
    assert measured("nsnd", example_a).raw == pytest.approx(11 / 24, abs=1e-15)
    assert risks(example_a) == {"cvp": 0.25, "dvp": 0.75, "nsnd": pytest.approx(13 / 24, abs=1e-15)}


def test_thresholds_are_inclusive_and_ties_count():
    # distances 0, 1, ..., 10, so the scaled ones are 0, 0.1, ..., 1.0
    eleven = encoded(1000.0 * np.arange(11) + np.arange(11), 1000.0 * np.arange(11))
    assert measured("cvp", eleven, threshold=0.3).raw == pytest.approx(4 / 11)
    assert measured("dvp", eleven, threshold=0.7).raw == pytest.approx(4 / 11)
    assert measured("cvp", eleven, threshold=0.3).diagnostics["ties with the threshold"] == 1


@pytest.mark.parametrize("twice", [False, True])
def test_a_copy_is_full_risk_in_any_order(twice):
    table = np.random.default_rng(1).normal(size=(30, 2))
    table = np.vstack([table, table]) if twice else table
    turned = table[np.random.default_rng(2).permutation(len(table))]
    for synthetic in (table, turned):
        assert set(risks(encoded(table, synthetic)).values()) == {1}


def test_a_copy_with_one_changed_row_stays_risky():
    table = np.random.default_rng(3).normal(size=(50, 2))
    changed = table.copy()
    changed[7] += 40
    found = risks(encoded(table, changed))
    assert all(risk >= 1 - 1 / 50 for risk in found.values())


@pytest.mark.parametrize("name", METRICS)
def test_equal_positive_distances_have_no_scale(name):
    with pytest.raises(NotAssessable, match="equally far"):
        measured(name, encoded([0.0, 10.0, 20.0], [1.0, 11.0, 21.0]))
    with pytest.raises(NotAssessable, match="equally far"):
        measured(name, encoded([5.0], [7.0]))


@pytest.mark.parametrize("name", METRICS)
def test_equal_up_to_the_last_digits_is_equal(name):
    with pytest.raises(NotAssessable, match="equally far"):
        measured(name, encoded([0.0, 10.0], [1.0, 11.0 + 1e-12]))


whole_numbers = st.lists(st.integers(0, 9), min_size=1, max_size=15)


@settings(max_examples=50)
@given(whole_numbers, whole_numbers, st.integers(-3, 3), st.randoms())
def test_laws(train, synthetic, power, random):
    inputs = encoded(train, synthetic)
    try:
        found = risks(inputs)
    except NotAssessable:
        return
    assert found["cvp"] <= found["dvp"] + 1e-12
    assert all(0 <= risk <= 1 for risk in found.values())
    scale = 2.0**power
    assert risks(encoded(scale * np.array(train), scale * np.array(synthetic))) == found
    random.shuffle(train)
    random.shuffle(synthetic)
    turned = risks(encoded(train, synthetic))
    assert turned == {name: pytest.approx(risk, abs=1e-12) for name, risk in found.items()}
