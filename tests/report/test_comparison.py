"""Releases side by side: the order worked out by hand, ties, and what may not be compared."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from types import SimpleNamespace

import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.errors import InputError
from privgate.evidence import FigureKind, FigureSpec, SafeSide, digest
from privgate.policy.verdict import RuleVerdict
from privgate.report.comparison import Candidate, compare_checks, comparison_files
from privgate.report.comparison.position import MOST_RISK, position, used_up
from privgate.report.comparison.ranking import Standing, deciding, overshoot, ranks

NAMES = ("met", "violated", "not_assessed")


def candidate(evidence, verdict, *, place="folder"):
    return Candidate(
        place=place,
        evidence=evidence,
        verdict=verdict,
        evidence_sha256=digest(evidence),
        verdict_sha256=digest(verdict),
    )


def renamed(evidence, verdict, **changes):
    """Return a check of a release that differs in some facts, with a verdict on just that."""
    release = evidence.release.model_copy(update=changes)
    evidence = evidence.model_copy(update={"release": release})
    return evidence, verdict.model_copy(update={"evidence_sha256": digest(evidence)})


@pytest.fixture
def candidates(sample):
    """Return a check of each outcome, of releases called after it."""
    return [candidate(*renamed(*sample.sample(name), name=f"{name}-one")) for name in NAMES]


def verdict_of(judged, require):
    return RuleVerdict(
        id="rule", metric="crp", measure="share", measurement="rule", outcome="violated",
        severity="blocking", judge="bound", judged=judged, require=require, source={}, reason="so",
    )  # fmt: skip


def spec(kind):
    return FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=kind)


@pytest.mark.parametrize(
    ("judged", "require", "kind", "expected"),
    [
        (0.6, {"max": 0.2}, FigureKind.SHARE, 0.5),  # 0.4 of the 0.8 from 0.2 to 1
        (0.6, {"max": 0.2}, FigureKind.DIFFERENCE, 0.5),
        (0.005, {"above": 0.01}, FigureKind.P_VALUE, 0.5),  # 0.005 of the 0.01 down to 0
        (3, {"equals": 0}, FigureKind.COUNT, 0.75),  # 3 / (3 + 1)
        (30, {"max": 10}, FigureKind.COUNT, 20 / 30),
        (0.01, {"above": 0.01}, FigureKind.P_VALUE, 0.0),
        (0.1, {"max": 0.2}, FigureKind.SHARE, 0.0),
        (1.0, {"max": 0.2}, FigureKind.SHARE, 1.0),
        (None, {"max": 0.2}, FigureKind.SHARE, None),
    ],
)
def test_overshoot_is_the_way_from_the_limit_to_the_worst_value(judged, require, kind, expected):
    assert overshoot(verdict_of(judged, require), spec(kind)) == pytest.approx(expected)


def test_a_figure_that_the_card_does_not_know_has_no_worst_value():
    assert overshoot(verdict_of(3.0, {"max": 1.0}), None) == pytest.approx(2 / 3)


def stands(outcome="violated", violated=1, overshoot=0.5, unshown=0):
    return Standing(outcome=outcome, violated=violated, overshoot=overshoot, open=unshown)


def test_the_order_is_that_of_the_stated_rule():
    ordered = [
        stands("met", 0, 0.0),
        stands("met_waived", 0, 0.0),
        stands("not_assessed", 0, 0.0, 1),
        stands("not_assessed", 0, 0.0, 2),
        stands(violated=1, overshoot=0.1, unshown=9),
        stands(violated=1, overshoot=0.2),
        stands(violated=1, overshoot=None),  # what is not known is no better than what is
        stands(violated=2, overshoot=0.0),
    ]
    assert ranks(ordered) == [1, 2, 3, 4, 5, 6, 7, 8]
    reasons = [deciding(one, other) for one, other in pairwise(ordered)]
    assert reasons == [
        "outcome", "outcome", "open", "outcome", "overshoot", "overshoot", "violated",
    ]  # fmt: skip


def test_equal_releases_share_a_place_and_the_next_place_is_skipped():
    assert ranks([stands(violated=2), stands(), stands(), stands(violated=3)]) == [3, 1, 1, 4]


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.floats(0, 1)), min_size=1), st.data())
def test_a_place_does_not_depend_on_the_order_of_the_releases(given_, data):
    found = [stands(violated=count, overshoot=share) for count, share in given_]
    order = data.draw(st.permutations(range(len(found))))
    assert ranks([found[n] for n in order]) == [ranks(found)[n] for n in order]


def test_the_best_comes_first_whatever_order_the_checks_come_in(candidates):
    compared = compare_checks(candidates).comparison
    assert [it.name for it in compared.releases] == ["met-one", "not_assessed-one", "violated-one"]
    assert [(it.label, it.rank, it.tied) for it in compared.releases] == [
        ("A", 1, False), ("B", 2, False), ("C", 3, False),
    ]  # fmt: skip
    assert "then fewer violated blocking rules" in compared.ranked_by
    one, other = (
        comparison_files(compare_checks(given_), pdf=False)
        for given_ in (candidates, candidates[::-1])
    )
    assert one == other


def test_ties_are_shown_as_ties(sample, candidates):
    twin = candidate(*renamed(*sample.sample("met"), name="a-twin"))
    compared = compare_checks([*candidates, twin])
    assert [(it.name, it.rank) for it in compared.comparison.releases] == [
        ("a-twin", 1), ("met-one", 1), ("not_assessed-one", 3), ("violated-one", 4),
    ]  # fmt: skip
    html = comparison_files(compared, pdf=False)["compare.html"].decode()
    assert html.count("1, shared") == 2
    assert "It shares its place with B." in html


def test_the_page_says_why_a_release_loses(candidates):
    compared = compare_checks(candidates)
    html = comparison_files(compared, pdf=False)["compare.html"].decode()
    why = html[html.index('id="why"') :]
    loser = compared.shown[-1]
    assert loser.view.outcome == "violated"
    broken = [r for r in loser.view.rules if r.verdict.outcome == "violated" and r.stops]
    assert len(broken) == loser.standing.violated > 1
    for rule in broken:
        assert rule.verdict.id in why
    known = next(rule for rule in broken if rule.verdict.judged is not None)
    assert f"Margin to the limit: {known.margin}." in why
    assert "It stands behind B, whose outcome is better: Violated here, Not assessed there." in why


def test_small_counts_are_withheld_and_what_is_withheld_ranks_last(candidates):
    compared = compare_checks(candidates).comparison
    rule = next(rule for rule in compared.rules if rule.id == "no-leaks")
    exact = next(r for r in candidates[1].verdict.rules if r.id == "no-leaks")
    assert exact.value == 7
    withheld = rule.results["C"]
    assert (withheld.value, withheld.judged, withheld.margin) == (None, None, None)
    assert compared.releases[-1].overshoot is None
    html = comparison_files(compare_checks(candidates), pdf=False)["compare.html"].decode()
    assert "not known or withheld" in html


def test_releases_of_other_people_stand_side_by_side_without_ranks(sample, candidates):
    evidence, verdict = sample.sample("met")
    tables = evidence.release.tables
    other = tables["train"].model_copy(update={"content_sha256": "7" * 64})
    changed = renamed(evidence, verdict, name="other", tables={**tables, "train": other})
    compared = compare_checks([*candidates, candidate(*changed)])
    assert compared.comparison.differences == ("train",)
    assert {it.rank for it in compared.comparison.releases} == {None}
    html = comparison_files(compared, pdf=False)["compare.html"].decode()
    assert "These releases are not ranked" in html
    assert "the train table" in html
    assert "stands behind" not in html


def test_what_cannot_be_compared_is_refused(sample, candidates):
    with pytest.raises(InputError, match="at least two"):
        compare_checks(candidates[:1])
    with pytest.raises(InputError, match="the same check as folder"):
        compare_checks([candidates[0], candidates[0]])
    evidence, verdict = sample.sample("met")
    policy = verdict.policy.model_copy(update={"sha256": "8" * 64, "version": "2.0.0"})
    other = candidate(evidence, verdict.model_copy(update={"policy": policy}), place="second")
    with pytest.raises(InputError, match=r"second: judged under another policy.*demo 2\.0\.0"):
        compare_checks([candidates[1], other])


def test_a_german_page_is_german(candidates):
    page = comparison_files(compare_checks(candidates, language="de"), language="de", pdf=False)
    html = page["compare.html"].decode()
    body = re.sub(r"(?s)<(style|code|svg)\b.*?</\1>", " ", html)
    assert "Rangfolge" in body
    assert "Abstand zur Grenze" in body
    assert not re.search(r"\b(stands|releases|judged|measured|beyond|limits?)\b", body)


def test_the_pdf_carries_the_numbers_and_is_the_same_each_time(candidates):
    compared = compare_checks(candidates)
    files = comparison_files(compared)
    assert comparison_files(compared)["compare.pdf"] == files["compare.pdf"]
    reader = pypdf.PdfReader(io.BytesIO(files["compare.pdf"]))
    assert reader.attachments["compare.json"] == [files["compare.json"]]
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    assert "Why each stands where it stands" in text
    assert len(reader.pages) < 12


def test_many_releases_have_a_letter_each_and_are_all_ranked(sample):
    found = [candidate(*renamed(*sample.sample("met"), name=f"r{n:03}")) for n in range(60)]
    compared = compare_checks(found)
    labels = [it.label for it in compared.comparison.releases]
    assert (labels[25:28], len(set(labels))) == (["Z", "A1", "B1"], 60)
    page = comparison_files(compared, pdf=False)["compare.html"].decode()
    assert [n for n in range(60) if f": r{n:03}<" not in page] == []
    assert "It shares its place with B, C, D, E, F, G, 53 more." in page


def test_a_hostile_name_stays_a_name(sample, candidates):
    name = "<script>alert(1)</script>" + "\u202e" + "x" * 5000
    hostile = candidate(*renamed(*sample.sample("met"), name=name))
    files = comparison_files(compare_checks([*candidates, hostile]), pdf=False)
    html = files["compare.html"].decode()
    assert "<script" not in html
    assert "\u202e" not in html
    assert "x" * 121 not in html


@pytest.mark.parametrize(
    ("judged", "require", "expected"),
    [
        (0.02, {"max": 0.05}, 0.4),
        (0.05, {"below": 0.05}, 1.0),
        (-0.01, {"max": 0.05}, 0.0),
        (0.04, {"above": 0.01}, 0.25),
        (0.001, {"above": 0.01}, MOST_RISK),
        (-0.2, {"min": 0.5}, MOST_RISK),
        (0.6, {"min": 0.3, "max": 0.8}, 0.75),  # the greater of 0.5 and 0.75
        (0, {"max": 0}, 0.0),
        (1, {"max": 0}, MOST_RISK),
        (0, {"below": 0}, MOST_RISK),
        (0, {"above": 0}, MOST_RISK),
        (0.1, {"min": -0.5}, 0.0),
        (7, {"equals": 7}, 0.0),
        (8, {"equals": 7}, MOST_RISK),
    ],
)
def test_risk_is_the_part_of_a_limit_that_is_used_up(judged, require, expected):
    assert used_up(judged, require) == pytest.approx(expected)


@given(st.floats(-2, 2), st.floats(0.01, 1), st.sampled_from(["max", "below", "min", "above"]))
def test_a_limit_is_used_up_by_more_than_all_of_it_if_and_only_if_it_is_broken(judged, limit, name):
    kept = judged <= limit if name in {"max", "below"} else judged >= limit
    assert (used_up(judged, {name: limit}) <= 1) == kept


def rule(severity, judged=None, *, finding="met", value=None, measure=None):
    verdict = SimpleNamespace(
        severity=severity, judged=judged, require={"max": 0.5}, finding=finding, value=value
    )
    return SimpleNamespace(verdict=verdict, measure=measure)


def test_a_position_by_hand():
    rules = [
        rule("blocking", 0.1), rule("blocking", 0.4), rule("advisory", 9.0),
        rule("advisory", value=0.9), rule("advisory", value=1.5),
    ]  # fmt: skip
    found = position(SimpleNamespace(rules=rules), [3, 4])
    assert (found.risk, found.risk_is_least) == (pytest.approx(0.8), False)
    assert found.utility == pytest.approx(0.95)  # more than all of it counts as all
    assert position(SimpleNamespace(rules=rules), []).utility is None


@pytest.mark.parametrize(
    ("judged", "finding", "expected"),
    [
        (0.4, "met", True),  # the withheld number may use up all of its limit
        (0.6, "met", False),  # but not more than that
        (0.6, "not_assessed", True),
        (0.6, "violated", True),
    ],
)
def test_a_withheld_number_leaves_open_how_great_the_risk_is(judged, finding, expected):
    rules = [rule("blocking", judged), rule("blocking", finding=finding)]
    assert position(SimpleNamespace(rules=rules), []).risk_is_least is expected


def test_nothing_known_is_no_risk_of_zero():
    assert position(SimpleNamespace(rules=[rule("blocking")]), []).risk is None


def test_a_policy_without_rules_on_utility_gets_no_picture_and_is_told_what_to_add(candidates):
    page = comparison_files(compare_checks(candidates), pdf=False)["compare.html"].decode()
    assert "marginals, associations and tstr" in page
    assert 'id="plane-t"' not in page


def test_a_column_that_is_ignored_does_not_keep_releases_apart(sample):
    evidence, verdict = sample.sample("met")
    column = evidence.release.columns[0]
    ignored = column.model_copy(update={"name": "line", "role": "ignore"})
    more = (*evidence.release.columns, ignored)
    other = (*evidence.release.columns, ignored.model_copy(update={"role": "other"}))
    checks = [
        candidate(*renamed(evidence, verdict, name=name, columns=columns))
        for name, columns in (("a", evidence.release.columns), ("b", more), ("c", other))
    ]
    assert compare_checks(checks[:2]).comparison.differences == ()
    assert compare_checks(checks[1:]).comparison.differences == ("declaration",)
