"""Detection by a network: rescaling by hand, behaviour on data whose answer is known."""

import numpy as np
import pytest

from privgate.errors import NotAssessable
from privgate.learners import Detection
from privgate.metrics.screens import detection_mlp as module
from privgate.metrics.screens.detection_mlp import DetectionMlpParams, detection_mlp
from privgate.testing.samples import encoded

DRAWN = np.random.default_rng(1).normal(size=(600, 4))
TRAIN, FRESH, OTHERS = DRAWN[:200], DRAWN[200:400], DRAWN[400:]


def measured(inputs, **params):
    return detection_mlp.measure(
        inputs, DetectionMlpParams(**params), np.random.default_rng([0, 0])
    )


@pytest.mark.parametrize(
    ("aucs", "auc", "risk", "signal"),
    [
        ((0.7, 0.8, 0.75), 0.75, 0.5, 0),
        ((1.0, 1.0), 1, 0, 0),
        ((0.5, 0.5), 0.5, 1, 0),
        ((0.25, 0.25), 0.25, 1, 0.5),
        ((0.0, 0.0), 0, 1, 1),
    ],
)
def test_rescaling(monkeypatch, aucs, auc, risk, signal):
    monkeypatch.setattr(module, "detect", lambda *_, **__: Detection(aucs, 0))
    found = measured(encoded(TRAIN, FRESH))
    assert found.raw == pytest.approx(auc, abs=1e-15)
    assert found.risk == pytest.approx(risk, abs=1e-15)
    assert found.figures["copy_signal"].value == pytest.approx(signal, abs=1e-15)
    for figure in ("auc", "risk", "copy_signal"):
        assert found.figures[figure].low <= found.figures[figure].high


def test_unrelated_records_are_told_apart():
    found = measured(encoded(TRAIN, FRESH + 10), epochs=60)
    assert found.raw == pytest.approx(1)
    assert found.risk == pytest.approx(0)


def test_copies_are_noticed_and_fresh_records_are_not():
    copied = measured(encoded(TRAIN, TRAIN, OTHERS), epochs=150)
    assert copied.raw < 0.4
    assert copied.risk == 1
    assert copied.figures["copy_signal"].low > 0
    assert copied.figures["gap"].low > 0
    fresh = measured(encoded(TRAIN, FRESH, OTHERS), epochs=80)
    assert fresh.raw == pytest.approx(0.5, abs=0.1)
    assert fresh.figures["gap"].low < 0 < fresh.figures["gap"].high


def test_constant_columns_tell_nothing():
    found = measured(encoded(np.ones(20), np.ones(20)), epochs=5)
    assert (found.raw, found.risk) == (0.5, 1)


@pytest.mark.parametrize(("train", "synthetic"), [(1, 20), (20, 1), (4, 5)])
def test_too_few_rows(train, synthetic):
    with pytest.raises(NotAssessable, match="10 together"):
        measured(encoded(DRAWN[:train], DRAWN[-synthetic:]))


def test_a_small_holdout_is_not_compared():
    found = measured(encoded(TRAIN, FRESH, OTHERS[:1]), epochs=2)
    assert "too few rows" in found.figures["gap"].reason
    assert found.raw is not None


def test_few_rows_make_fewer_folds():
    found = measured(encoded(TRAIN[:3], FRESH[:20], OTHERS[:3]), epochs=2)
    assert len(found.diagnostics["fold AUCs"]) == 3


def test_a_large_table_is_declared_to_be_sampled():
    inputs = encoded(TRAIN, FRESH[:50], OTHERS)
    found = measured(inputs, epochs=2, most_rows=60)
    assert found.notes == ("A seeded sample of 60 of the 200 train rows stands for all of them.",)
    assert found.figures["auc"].n == 60 + 50
    assert found.figures == measured(inputs, epochs=2, most_rows=60).figures


def test_a_copy_is_drawn_with_its_person(monkeypatch):
    seen = []

    def told(people, records, **_):
        seen.append((people, records))
        return Detection((0.5, 0.5), 0)

    monkeypatch.setattr(module, "detect", told)
    order = np.random.default_rng(2).permutation(200)
    measured(encoded(TRAIN, TRAIN[order], OTHERS), most_rows=40)
    (people, records), (others, again) = seen
    assert sorted(map(tuple, people)) == sorted(map(tuple, records))
    assert np.array_equal(records, again)
    assert len(others) == 40


def test_unfinished_training_is_counted_and_not_warned_of():
    found = measured(encoded(TRAIN[:30], FRESH[:30]), epochs=2)
    assert found.diagnostics["folds that ran out of epochs"] == 5
