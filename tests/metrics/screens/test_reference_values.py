"""Distance screens on the breast cancer data: values computed by an independent script."""

import numpy as np
import pytest

from privgate.data import load_release
from privgate.data.assembly import RowOrder
from privgate.metrics import all_metrics
from privgate.metrics.inputs import Inputs

WHOLE = {
    "avatar": {
        "cvp": 0.6359832635983264,
        "dvp": 0.006276150627615063,
        "nsnd": 0.17432071818420633,
        "auth": 0.18410041841004185,
        "identifiability": 0.28451882845188287,
        "nndr": 0.34805342366493386,
        "dcr": 0.4186893500454049,
        "mdcr": 0.0,
        "nnaa": 0.2384937238493724,
    },
    "synthpop": {
        "cvp": 0.5878661087866108,
        "dvp": 0.016736401673640166,
        "nsnd": 0.22201345110602627,
        "auth": 0.20502092050209206,
        "identifiability": 0.32426778242677823,
        "nndr": 0.46164720144813876,
        "dcr": 0.6932915027945583,
        "mdcr": 0.9999999999999999,
        "nnaa": 0.22071129707112971,
    },
    "ctgan": {
        "cvp": 0.5815899581589958,
        "dvp": 0.008368200836820083,
        "nsnd": 0.19453958275755703,
        "auth": 0.3807531380753138,
        "identifiability": 0.2175732217573222,
        "nndr": 0.6545594214378756,
        "dcr": 1.2180127282175444,
        "mdcr": 3.9066056757644296,
        "nnaa": 0.4351464435146444,
    },
}
IDENTIFIABILITY_RISK = {
    "avatar": 0.6882845188284519,
    "synthpop": 0.7154811715481172,
    "ctgan": 0.5543933054393305,
}
EQUAL_SIZE = {
    "avatar": {
        "auth": (0.8927, 0.7171, 0.6207),
        "identifiability": (0.7951, 0.6683, 0.3824),
        "nndr": (0.5958, 0.5356, None),
        "dcr": (0.5183, 0.6373, None),
    },
    "synthpop": {
        "auth": (0.9171, 0.7951, 0.5952),
        "identifiability": (0.8195, 0.7171, 0.3621),
        "nndr": (0.4649, 0.3943, None),
        "dcr": (0.8368, 0.9028, None),
    },
    "ctgan": {
        "auth": (0.7024, 0.7024, 0.0),
        "identifiability": (0.6537, 0.6244, 0.0779),
        "nndr": (0.3051, 0.3135, None),
        "dcr": (1.3523, 1.3748, None),
    },
}


@pytest.fixture(scope="module", params=WHOLE)
def generator(request):
    return request.param


@pytest.fixture(scope="module")
def measured(shared, generator):
    path = shared / "releases" / f"wbcd-{generator}.yaml"
    inputs = Inputs(release=load_release(path, row_order=RowOrder.GIVEN))
    return {
        name: metric.measure(inputs, metric.params(), np.random.default_rng([0, 0]))
        for name, metric in all_metrics().items()
        if name in WHOLE[generator]
    }


def test_whole_tables(measured, generator):
    found = {name: result.raw for name, result in measured.items()}
    assert found == pytest.approx(WHOLE[generator], abs=1e-9)
    risk = measured["identifiability"].risk
    assert risk == pytest.approx(IDENTIFIABILITY_RISK[generator], abs=1e-12)


def test_equal_size(measured, generator):
    for name, (train, holdout, excess) in EQUAL_SIZE[generator].items():
        sides = ("train_mean", "holdout_mean") if name == "dcr" else ("train_risk", "holdout_risk")
        found = [measured[name].figures[side].value for side in sides]
        assert found == pytest.approx([train, holdout], abs=5e-5), name
        if excess is not None:
            assert measured[name].figures["excess"].value == pytest.approx(excess, abs=5e-5)
    whole = measured["auth"].diagnostics["chance level of the risk"]
    assert whole == pytest.approx(478 / 955)


def test_ratio_of_mean_distances(measured, generator):
    train, holdout, _ = EQUAL_SIZE[generator]["dcr"]
    ratio = measured["dcr"].diagnostics["mean distance to holdout divided by that to train"]
    assert ratio == pytest.approx(holdout / train, abs=3e-4)
