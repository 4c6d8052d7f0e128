from __future__ import annotations

import pytest

from privgate.evidence import Criterion, Estimate, FigureKind, FigurePart
from privgate.metrics import all_metrics
from privgate.policy.verdict import Outcome
from privgate.report import Audience, build_view
from privgate.report.blocks import Picture, Subheading, Table
from privgate.report.subject import criteria_words
from privgate.report.wording import load_wording

PARTS = {
    "fraction": FigurePart.ATTACK,
    "holdout_fraction": FigurePart.CONTROL,
    "gap": FigurePart.EXCESS,
}


def section(view, number):
    return next(found for found in view.sections if found.number == number)


def with_parts(sample, name="met", **changes):
    """Return a sample whose attack states which part each of its figures plays."""
    evidence, verdict = sample.sample(name)
    rapid = sample.RAPID
    figures = {
        key: spec.model_copy(update={"part": PARTS.get(key)}) for key, spec in rapid.figures.items()
    }
    cards = {**evidence.cards, "rapid": rapid.model_copy(update={"figures": figures})}
    evidence = evidence.model_copy(update={"cards": cards, **changes})
    return evidence, sample.judge(evidence, Outcome(name), verdict.rules)


@pytest.mark.parametrize("metric", all_metrics().values(), ids=lambda metric: metric.card.name)
def test_no_two_figures_of_a_metric_play_the_same_part(metric):
    parts = [spec.part for spec in metric.card.figures.values() if spec.part is not None]
    assert len(parts) == len(set(parts))


def test_attacks_that_compare_rates_say_so():
    for name in ("air", "gcap", "inference", "linkability", "mir", "rapid", "singling_out", "zcap"):
        parts = {spec.part for spec in all_metrics()[name].card.figures.values()}
        assert {FigurePart.ATTACK, FigurePart.CONTROL, FigurePart.EXCESS} <= parts


def test_attacks_stand_under_their_first_criterion(sample):
    view = build_view(*with_parts(sample), audience=Audience.SHAREABLE)
    titles = [(b.level, b.text) for b in section(view, 9).blocks if isinstance(b, Subheading)]
    criteria = [view.words(f"criterion.{criterion}") for criterion in Criterion]
    assert [text for level, text in titles if level == 3][1:] == criteria
    assert titles.index((4, "Extreme nearness")) == titles.index((3, "Singling out")) + 1
    told = [text for b in section(view, 9).blocks for text in getattr(b, "paragraphs", ())]
    assert (
        "No attack that was run speaks to this criterion. This report says nothing about it."
        in told
    )
    assert any("“Extreme nearness” speaks to this criterion, too" in text for text in told)


def test_attack_control_and_excess_are_drawn_side_by_side(sample):
    view = build_view(*with_parts(sample), audience=Audience.SHAREABLE)
    (picture,) = [
        b for b in section(view, 9).blocks if isinstance(b, Picture) and "control" in b.title
    ]
    rows = ("attack: 24.6%", "control: 23.9%", "excess: +0.70 pp")
    places = [picture.svg.index(f"net_assets, {row}") for row in rows]
    assert places == sorted(places)
    assert picture.svg.index("net_assets, attack") < picture.svg.index("pension, attack")


def test_a_baseline_is_read_as_the_share_it_is(sample):
    evidence, _ = sample.sample("met")
    card = sample.RAPID
    score = card.figures["fraction"].model_copy(
        update={"kind": FigureKind.SCORE, "part": FigurePart.BASELINE}
    )
    attack = card.figures["fraction"].model_copy(update={"part": FigurePart.ATTACK})
    card = card.model_copy(
        update={"figures": card.figures | {"fraction": attack, "null_mean": score}}
    )
    rapid = evidence.measurements[3]
    figures = rapid.parts[0].figures | {"null_mean": Estimate(value=0.2, n=sample.N)}
    rapid = rapid.model_copy(update={"parts": (), "figures": figures})
    measurements = (*evidence.measurements[:3], rapid, *evidence.measurements[4:])
    evidence = evidence.model_copy(
        update={"cards": {**evidence.cards, "rapid": card}, "measurements": measurements}
    )
    verdict = sample.judge(evidence, Outcome.MET, sample.sample("met")[1].rules)
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    svgs = [b.svg for b in section(view, 9).blocks if isinstance(b, Picture)]
    assert any("baseline: 20.0%" in svg for svg in svgs)


def test_a_withheld_figure_is_not_drawn(sample):
    evidence, _ = with_parts(sample)
    rapid = evidence.measurements[3]
    few = {"fraction": Estimate(value=5 / sample.N, n=sample.N)}
    figures = {**rapid.parts[0].figures, **few}
    parts = (rapid.parts[0].model_copy(update={"figures": figures}),)
    changed = rapid.model_copy(update={"parts": parts, "figures": figures})
    measurements = (*evidence.measurements[:3], changed, *evidence.measurements[4:])
    view = build_view(*with_parts(sample, measurements=measurements), audience=Audience.SHAREABLE)
    svgs = [b.svg for b in section(view, 9).blocks if isinstance(b, Picture)]
    assert not any("account, attack" in svg for svg in svgs)


def test_the_matrix_shows_each_outcome_under_what_the_rule_speaks_to(sample):
    view = build_view(*sample.sample("violated"), audience=Audience.SHAREABLE)
    table = next(
        b for b in section(view, 9).blocks
        if isinstance(b, Table) and b.caption == view.words("results.matrix_caption")
    )  # fmt: skip
    found = {row[0].text: [cell.badge is not None for cell in row[1:]] for row in table.rows}
    assert found["attribute-inference"] == [False, False, True, False, False]
    assert found["membership"] == [False, False, False, True, False]
    assert found["copied-records"] == [False, False, False, False, True]


def test_the_worst_group_is_drawn_beside_everybody(sample):
    evidence, _ = sample.sample("met")
    rapid = evidence.measurements[3]
    worst = Estimate(value=0.21, low=0.12, high=0.34, level=0.975, method="Newcombe", n=900)
    part = rapid.parts[0].model_copy(
        update={"figures": rapid.parts[0].figures | {"worst_group_gap": worst}}
    )
    spec = sample.RAPID.figures["gap"]
    card = sample.RAPID.model_copy(
        update={"figures": sample.RAPID.figures | {"worst_group_gap": spec}}
    )
    changed = rapid.model_copy(
        update={"parts": (part, *rapid.parts[1:]), "params": {"groups": ["sex"]}}
    )
    measurements = (*evidence.measurements[:3], changed, *evidence.measurements[4:])
    cards = {**evidence.cards, "rapid": card}
    evidence = evidence.model_copy(update={"measurements": measurements, "cards": cards})
    verdict = sample.judge(evidence, Outcome.MET, sample.sample("met")[1].rules)
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    (picture,) = [b for b in section(view, 11).blocks if isinstance(b, Picture)]
    assert picture.svg.index("account: everybody: +0.60 pp") < picture.svg.index("worst group: +21")


def test_the_command_repeats_a_seed_that_was_given(sample):
    evidence, _ = sample.sample("met")
    run = evidence.run.model_copy(update={"seed_source": "given", "seed": 7})
    evidence = evidence.model_copy(update={"run": run})
    verdict = sample.judge(evidence, Outcome.MET, sample.sample("met")[1].rules)
    facts = dict(
        section(build_view(evidence, verdict, audience=Audience.SHAREABLE), 19).blocks[1].items
    )
    assert (
        facts["Command that repeats the run"]
        == "privgate check RELEASE.yaml --policy demo --seed 7"
    )


def test_utility_speaks_to_no_criterion_and_not_to_nearness():
    words = load_wording("en")
    cards = {name: all_metrics()[name].card for name in ("marginals", "crp")}
    assert criteria_words((), cards["marginals"], words) == "what the data are good for"
    assert criteria_words((), cards["crp"], words) == "copies and nearness"
