"""DCR and authenticity: worked examples, laws and reference values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.data import load_release, release_from_frames
from privgate.data.assembly import RowOrder
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens.auth import AuthParams, auth
from privgate.metrics.screens.crp import CrpParams, crp
from privgate.metrics.screens.dcr import EXCHANGED, DcrParams, dcr
from privgate.metrics.screens.nndr import NndrParams, nndr
from privgate.testing.samples import encoded


def rng():
    return np.random.default_rng([0, 0])


def measure_dcr(inputs):
    return dcr.measure(inputs, DcrParams(), rng())


def measure_auth(inputs):
    return auth.measure(inputs, AuthParams(), rng())


def test_dcr_of_the_worked_example(example_a):
    found = measure_dcr(example_a)
    assert found.raw == 7.125
    assert found.risk == pytest.approx(8 / 65, abs=1e-15)
    assert found.diagnostics["mean distance from train rows to the release"] == 1.375
    assert found.figures["median"].value == 2.25
    assert found.figures["zero_share"].value == 0.25


@pytest.mark.parametrize(("screen", "params"), [(dcr, DcrParams()), (nndr, NndrParams())])
def test_records_at_distance_0_from_people_behind_the_release_only_are_named(screen, params):
    def named(*tables):
        (entry,) = screen.measure(encoded(*tables), params, rng()).records
        return entry.named.tolist()

    people, made = [0, 1, 4, 6], [0, 2.5, 4, 30]
    assert named(people, made) == [True, False, True, False]
    assert named(people, made, [4, 2.5, 7, 8]) == [True, False, False, False]


def test_auth_of_the_worked_example(example_a):
    found = measure_auth(example_a)
    assert (found.raw, found.risk) == (0.25, 0.75)
    assert found.figures["auth_per_synthetic"].value == 0.75
    assert found.diagnostics["ties"] == 1


def test_authenticity_needs_two_people():
    with pytest.raises(NotAssessable, match="at least 2"):
        measure_auth(encoded([1.0], [2.0]))


def test_an_honest_release_is_nearer_to_train_half_of_the_time():
    drawn = np.random.default_rng(11).normal(size=(3000, 4))
    found = measure_dcr(encoded(drawn[:1000], drawn[1000:2000], drawn[2000:]))
    share = found.figures["share_nearer_train"]
    assert share.low < 0.5 < share.high
    exposed = measure_auth(encoded(drawn[:1000], drawn[1000:2000], drawn[2000:]))
    assert exposed.figures["gap"].low < 0 < exposed.figures["gap"].high
    assert exposed.risk == pytest.approx(1000 / 1999, abs=0.04)


def test_a_release_made_of_the_holdout_is_told():
    drawn = np.random.default_rng(11).normal(size=(600, 4))
    train, holdout = drawn[:300], drawn[300:]
    made = train + 0.1
    assert EXCHANGED not in measure_dcr(encoded(train, made, holdout)).notes
    assert EXCHANGED in measure_dcr(encoded(holdout, made, train)).notes
    assert EXCHANGED not in measure_dcr(encoded(train, made)).notes


def test_an_honest_release_tells_no_exchange():
    drawn = np.random.default_rng(12).normal(size=(3000, 4))
    assert EXCHANGED not in measure_dcr(encoded(drawn[:1000], drawn[1000:2000], drawn[2000:])).notes


def test_ties_between_train_and_holdout_count_half():
    found = measure_dcr(encoded([0.0, 5.0], [2.0, 2.0, 6.0], [4.0, 9.0]))
    assert found.figures["share_nearer_train"].value == pytest.approx((0.5 + 0.5 + 1) / 3)


@given(st.integers(0, 40))
def test_a_copied_person_never_lowers_a_screen(copies):
    drawn = np.random.default_rng(12).normal(size=(120, 2))
    train, holdout, fresh = drawn[:40], drawn[40:80], drawn[80:]
    few = np.vstack([train[:copies], fresh[copies:]])
    swapped, added = few.copy(), np.vstack([few, train[-1:]])
    swapped[min(copies, 39)] = train[min(copies, 39)]
    for measure, figure, more in (
        (measure_dcr, "zero_share", swapped),
        (measure_auth, "risk", added),
    ):
        before = measure(encoded(train, few, holdout)).figures[figure].value
        assert measure(encoded(train, more, holdout)).figures[figure].value >= before


def test_far_data_is_no_risk():
    drawn = np.random.default_rng(13).normal(size=(200, 2))
    far = encoded(drawn[:100], drawn[100:] + 1e6)
    assert measure_auth(far).risk == 0
    assert measure_dcr(far).risk < 1e-5


@pytest.mark.parametrize("twice", [False, True])
def test_a_copy_of_train_is_full_risk(twice):
    drawn = np.random.default_rng(14).normal(size=(60, 3))
    table = np.vstack([drawn, drawn]) if twice else drawn
    shuffled = table[np.random.default_rng(15).permutation(len(table))]
    for synthetic in (table, shuffled):
        assert measure_dcr(encoded(table, synthetic)).risk == 1
        assert measure_auth(encoded(table, synthetic)).risk == 1


REFERENCE = {
    "avatar": {
        "crp": 0.4225941422594142,
        "auth": 0.18410041841004185,
        # 46/478 in the catalogue, whose script broke ties by the last bit of a distance; the tie
        # rule it states gives 48/478 in any order of columns (docs/adr/0006).
        "auth_per_synthetic": 48 / 478,
        "dcr": 0.4186893500454049,
        "exposed": (0.8927, 0.7171, 0.6207),
        "dcr equal size": (0.5183, 0.6373),
    },
    "synthpop": {
        "crp": 0.4476987447698745,
        "auth": 0.20502092050209206,
        "auth_per_synthetic": 0.28661087866108786,
        "dcr": 0.6932915027945583,
        "exposed": (0.9171, 0.7951, 0.5952),
        "dcr equal size": (0.8368, 0.9028),
    },
    "ctgan": {
        "crp": 0.35355648535564854,
        "auth": 0.3807531380753138,
        "auth_per_synthetic": 0.4686192468619247,
        "dcr": 1.2180127282175444,
        "exposed": (0.7024, 0.7024, 0),
        "dcr equal size": (1.3523, 1.3748),
    },
}


@pytest.mark.parametrize("generator", REFERENCE)
def test_reference_values_on_breast_cancer_data(shared, generator):
    release = load_release(shared / "releases" / f"wbcd-{generator}.yaml", row_order=RowOrder.GIVEN)
    inputs, expected = Inputs(release=release), REFERENCE[generator]
    common = crp.measure(inputs, CrpParams(), rng())
    exposed, nearest = measure_auth(inputs), measure_dcr(inputs)
    assert common.raw == pytest.approx(expected["crp"], abs=1e-12)
    assert exposed.raw == pytest.approx(expected["auth"], abs=1e-12)
    assert exposed.figures["auth_per_synthetic"].value == pytest.approx(
        expected["auth_per_synthetic"], abs=1e-12
    )
    assert nearest.raw == pytest.approx(expected["dcr"], abs=1e-9)
    figures = exposed.figures
    assert [figures[name].value for name in ("train_risk", "holdout_risk", "excess")] == (
        pytest.approx(expected["exposed"], abs=5e-5)
    )
    assert [nearest.figures[name].value for name in ("train_mean", "holdout_mean")] == (
        pytest.approx(expected["dcr equal size"], abs=5e-5)
    )


def test_copies_by_distance_are_copies_by_value(shared):
    for generator in REFERENCE:
        release = load_release(shared / "releases" / f"wbcd-{generator}.yaml")
        inputs = Inputs(release=release)
        joined = crp.measure(inputs, CrpParams(), rng()).figures["copied_synthetic_share"].value
        assert measure_dcr(inputs).figures["zero_share"].value == joined


def test_a_column_that_varies_only_in_the_release_is_noted():
    release = Inputs(
        release=release_from_frames(
            train=pd.DataFrame({"x": [1.0, 2, 3], "k": [5.0, 5, 5]}),
            synthetic=pd.DataFrame({"x": [1.0, 2, 3], "k": [5.0, 5, 6]}),
            columns={
                "x": {"type": "numeric", "role": "other"},
                "k": {"type": "numeric", "role": "other"},
            },
        )
    )
    assert "'k' is constant in train" in measure_dcr(release).notes[0]
