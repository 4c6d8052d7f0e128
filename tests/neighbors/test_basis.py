import numpy as np

from privgate.metrics import Inputs
from privgate.neighbors import sets
from privgate.testing.samples import survey_release
from privgate.trials import Leak, plant


def test_the_same_people_are_searched_once_for_all_trials(monkeypatch):
    searched = []
    monkeypatch.setattr(
        sets, "search_within", lambda rows, **rest: searched.append(rows) or _within(rows, **rest)
    )
    release = survey_release(80)
    basis = Inputs(release=release)
    base = basis.neighbours()
    nearest = base.real_to_synthetic.index[base.train]
    leaking, _ = plant(release, Leak(0.2), nearest, np.random.default_rng(1))
    trial = Inputs(release=leaking, basis=basis).neighbours()
    alone = Inputs(release=leaking).neighbours()
    assert trial.real_to_real is base.real_to_real
    assert len(searched) == 1
    assert np.array_equal(trial.real_to_real.distances, alone.real_to_real.distances)


def test_other_people_are_searched_anew():
    basis = Inputs(release=survey_release(80))
    other = survey_release(80, seed=7)
    found = Inputs(release=other, basis=basis).neighbours().real_to_real
    alone = Inputs(release=other).neighbours().real_to_real
    assert np.array_equal(found.distances, alone.distances)


_within = sets.search_within
