"""FLD and PQMass: what they see, what they cannot, and where they refuse."""

import numpy as np
import pytest

from privgate.encoding import binary_space
from privgate.errors import NotAssessable
from privgate.metrics.screens.fld import CARD as FLD_CARD
from privgate.metrics.screens.fld import FldParams, fld
from privgate.metrics.screens.pqmass import CARD as PQMASS_CARD
from privgate.metrics.screens.pqmass import PqmassParams, _references, pqmass
from privgate.neighbors import Neighbours
from privgate.testing.samples import EncodedInputs, encoded

METRICS = {"fld": (fld, FldParams), "pqmass": (pqmass, PqmassParams)}
WORSE = {"fld": -1, "pqmass": 1}


def measured(name, inputs, *, seed=0, **params):
    metric, model = METRICS[name]
    return metric.measure(inputs, model(**params), np.random.default_rng([seed, 0]))


def drawn(seed, rows=300, columns=6):
    return np.random.default_rng(seed).normal(size=(3, rows, columns))


@pytest.mark.parametrize("name", METRICS)
def test_half_copied_is_worse_than_each_of_ten_honest_releases(name):
    train, holdout, fresh = drawn(0)
    leaky = np.vstack([train[:150] + 1e-3, fresh[150:]])
    seen = WORSE[name] * measured(name, encoded(train, leaky, holdout)).raw
    honest = []
    for seed in range(1, 11):
        other = drawn(seed)
        honest.append(WORSE[name] * measured(name, encoded(other[0], other[2], other[1])).raw)
    assert seen > max(honest)


def test_no_gap_between_tables_of_one_population_in_many_coordinates():
    gaps = []
    for seed in range(6):
        train, holdout, synthetic = drawn(seed, rows=150, columns=30)
        gaps.append(measured("fld", encoded(train, synthetic, holdout)).raw)
    assert abs(np.mean(gaps)) < 3  # with the 6 columns of the test above it is about -7


def test_a_copied_table_is_beyond_doubt_and_noted():
    train, holdout, _ = drawn(2, rows=80)
    found = measured("fld", encoded(train, train[::-1], holdout))
    assert found.figures["gap"].value < -1000
    assert found.figures["fld"].value > 1000
    assert any("coincide with train rows" in note for note in found.notes)


def test_memorised_people_and_their_records_have_the_highest_scores():
    train, holdout, synthetic = drawn(3, rows=120)
    synthetic[7] = train[50] + 1e-6
    found = measured("fld", encoded(train, synthetic, holdout))
    of_train, of_records = (entry.scores["memorisation"] for entry in found.records)
    assert [entry.table for entry in found.records] == ["train", "synthetic"]
    assert (of_train.argmax(), of_records.argmax()) == (50, 7)


def test_large_tables_are_sampled_and_all_of_train_is_scored():
    train, holdout, synthetic = drawn(4, rows=140)
    found = measured("fld", encoded(train, synthetic, holdout), most_rows=100)
    assert "A seeded sample of 100 of the 140 synthetic rows stands for all of them." in found.notes
    assert [entry.table for entry in found.records] == ["train"]
    assert len(found.records[0].scores["memorisation"]) == 140


def test_coordinates_constant_in_the_holdout_are_dropped():
    train, holdout, synthetic = drawn(5, rows=60, columns=3)
    holdout[:, 1] = 4.0
    found = measured("fld", encoded(train, synthetic, holdout))
    assert found.diagnostics["coordinates"] == 2
    assert found.diagnostics["coordinates dropped, constant in the holdout"] == 1
    without = [table[:, [0, 2]] for table in (train, synthetic, holdout)]
    assert found.raw == pytest.approx(measured("fld", encoded(*without)).raw, rel=1e-6)
    holdout[:] = 4.0
    with pytest.raises(NotAssessable, match="no coordinate varies"):
        measured("fld", encoded(train, synthetic, holdout))


def test_positions_of_packed_rows_are_their_coordinates(monkeypatch):
    bits = np.random.default_rng(6).integers(0, 2, (3, 60, 70))
    packed = EncodedInputs(Neighbours(binary_space(*bits)))
    assert measured("fld", packed).raw == measured("fld", encoded(*bits)).raw
    monkeypatch.setattr("privgate.encoding.dense.MOST_COORDINATES", 180 * 128 - 1)
    with pytest.raises(NotAssessable, match="180 rows of 128 positions"):
        measured("fld", packed)


def test_a_density_needs_rows_and_a_scale():
    train, holdout, synthetic = drawn(6, rows=40)
    with pytest.raises(NotAssessable, match="at least 4 rows"):
        measured("fld", encoded(train, synthetic[:3], holdout))
    synthetic[0] = 1e200
    with pytest.raises(NotAssessable, match="too far"):
        measured("fld", encoded(train, synthetic, holdout))


def test_chi_squared_is_as_expected_for_two_samples_of_one_population():
    train, holdout, synthetic = drawn(7, rows=1500, columns=3)
    found = measured("pqmass", encoded(train, synthetic, holdout), tessellations=60)
    assert found.diagnostics["references"] == 100
    for side in ("train", "holdout"):
        # One pair of samples: their own deviation, seen through many tessellations, is about 7.
        assert found.figures[f"chi2_{side}"].value == pytest.approx(99, abs=25)
        assert 9 < found.diagnostics[f"standard deviation over tessellations, {side}"] < 20


def test_shared_rows_lie_far_below_the_expected():
    train, holdout, _ = drawn(8, rows=500, columns=3)
    found = measured("pqmass", encoded(train, train[::-1], holdout), tessellations=20)
    assert found.figures["chi2_train"].value < 60
    assert found.figures["chi2_holdout"].value > 85


def test_small_tables_get_fewer_references_and_very_small_ones_none():
    train, holdout, synthetic = drawn(9, rows=30)
    found = measured("pqmass", encoded(train, synthetic, holdout))
    assert found.diagnostics["references"] == 12
    assert "Only 12 of 100 references" in found.notes[0]
    with pytest.raises(NotAssessable, match="too few rows"):
        measured("pqmass", encoded(train[:4], synthetic[:4], holdout[:4]))
    with pytest.raises(NotAssessable, match="no holdout"):
        measured("pqmass", encoded(train, synthetic))


def test_identical_rows_lie_in_one_cell_and_are_not_compared():
    same = np.zeros((40, 2))
    with pytest.raises(NotAssessable, match="one cell"):
        measured("pqmass", encoded(same, same, same))


def test_references_come_from_both_samples_by_their_sizes():
    rng = np.random.default_rng(10)
    counts = []
    for _ in range(300):
        chosen = _references(30, 70, 20, rng)
        assert len(set(chosen.tolist())) == 20
        assert chosen.max() < 100
        counts.append((chosen < 30).sum())
    assert np.mean(counts) == pytest.approx(6, abs=4 * np.sqrt(20 * 0.3 * 0.7 / 300))
    assert all((_references(2, 19, 20, rng) < 2).sum() >= 1 for _ in range(20))


def test_haplotypes_partly_copied_raise_the_pqmass_gap_of_any_distance():
    rng = np.random.default_rng(11)
    train, holdout, fresh = rng.integers(0, 2, (3, 200, 60))
    leaky = np.vstack([train[:120], fresh[120:]])
    honest, copied = (
        measured("pqmass", EncodedInputs(Neighbours(binary_space(train, synthetic, holdout)))).raw
        for synthetic in (fresh, leaky)
    )
    assert copied > honest + 5


def test_both_inform_only():
    for card in (FLD_CARD, PQMASS_CARD):
        assert card.criteria == card.can_satisfy == ()
        assert "Informs only" in card.limits[0]
