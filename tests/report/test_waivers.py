"""How the report tells of findings that somebody let stand, and of waivers that did not count."""

from __future__ import annotations

import re
from html import unescape

import pytest
from rich.console import Console

from privgate.policy.verdict import Outcome
from privgate.report import Audience, build_view, render_html
from privgate.report.formats import render_text, verdict_table


def text_of(html):
    visible = re.sub(r"<style.*?</style>|<svg.*?</svg>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", visible)).split())


def section(html, anchor):
    return text_of(re.search(rf'<section[^>]* id="{anchor}".*?</section>', html, re.DOTALL)[0])


@pytest.fixture(scope="module")
def waived(sample):
    return sample.sample_waived()


@pytest.fixture(scope="module")
def html(waived):
    return render_html(build_view(*waived, audience=Audience.SHAREABLE))


@pytest.fixture(scope="module")
def internal(waived):
    return render_html(build_view(*waived, audience=Audience.INTERNAL))


def test_report_with_waivers_is_what_was_reviewed(waived, html, golden):
    golden("waived.html", html)
    golden("waived.txt", render_text(waived[1], waived[0]))


def test_no_place_says_met_without_the_waivers(waived, html):
    view = build_view(*waived, audience=Audience.SHAREABLE)
    assert view.headline == "This release meets the policy with 3 waivers"
    assert view.badge.text == "Met with 3 waivers"
    assert view.badge.outcome == "waived"
    assert view.running.endswith("Met with 3 waivers")
    assert "The gate is open only because of 3 waivers" in section(html, "summary")
    assert not re.search(r"meets the policy(?! with 3 waivers)", text_of(html))
    assert not re.search(r"The gate is open(?! only because of 3 waivers)", text_of(html))
    assert "Every blocking rule is met" not in text_of(html)
    assert "0 of 3 blocking rules are met, waivers cover the others" in text_of(html)
    status = dict(view.status)
    assert status["Waivers"] == "3 of 7 counted; see section 16"
    assert status["Blocking rules"] == "0 met · 0 violated · 0 not assessed · 3 waived"
    assert status["Advisory rules"] == "1 met · 2 violated · 0 not assessed · 0 waived"


def test_one_waiver_is_one(sample, waived):
    evidence, verdict = waived
    met = tuple(
        rule.model_copy(update={"outcome": Outcome.MET, "waiver": None})
        if rule.id in {"nearness", "no-leaks"}
        else rule
        for rule in verdict.rules
    )
    one = sample.judge(evidence, Outcome.MET, met, coverage={})
    view = build_view(evidence, one, audience=Audience.SHAREABLE)
    assert view.headline == "This release meets the policy with 1 waiver"


def test_a_waived_advisory_rule_opens_no_gate(sample):
    evidence, verdict = sample.sample("met")
    first = verdict.rules[0].model_copy(
        update={"severity": "advisory", "outcome": Outcome.VIOLATED}
    )
    told = sample.waived(evidence, (first, *verdict.rules[1:]), (first.id,))
    view = build_view(evidence, told, audience=Audience.SHAREABLE)
    assert view.headline == "This release meets the policy"
    counted = "1 of 5 counted, of these for advisory rules: 1; see section 16"
    assert dict(view.status)["Waivers"] == counted


def test_section_16_lists_every_waiver_and_the_finding(waived, html):
    text = section(html, "waivers")
    for told in waived[1].waivers:
        if told.counted:
            assert f"Let stand by {told.approved_by} until {told.expires}." in text
        else:
            assert told.why in text
        for given in (told.rule, told.reason, told.compensating_measure):
            assert given is None or given in text
    assert text.count("Did not count") == 4
    assert text.count("Violated") == 5  # three that are waived, two of known rules that are not
    assert "2026-11-30" in text
    assert "9" * 64 in text


def test_the_finding_stands_beside_the_waiver(html):
    verdict = section(html, "verdict")
    assert "violated without a waiver, which lasts until 2027-03-31" in verdict
    assert "fictitious test persons" in verdict
    assert "+3.3 pp, at worst +3.9 pp; the policy allows at most 0.5 pp." in verdict
    assert "A waiver covers this finding; it stands." in section(html, "summary")
    assert "Findings that waivers let stand" in section(html, "residual-risk")
    assert "2027-03-31" in section(html, "review-plan")
    assert "After 2027-03-31 the first of them no longer counts" in section(html, "summary")


def test_small_counts_stay_inside_where_a_waiver_covers_them(html, internal):
    shown = "7; the policy requires exactly 0."
    assert shown in section(internal, "waivers")
    assert shown not in text_of(html)
    assert "The figure breaks the limit. It comes to 1 to 10 records" in section(html, "waivers")


def test_the_words_of_a_waiver_are_text(html):
    assert "<b>Trust us</b>" not in html
    assert "&lt;b&gt;Trust us&lt;/b&gt; &amp; {let} it {{ through }}" in html


def test_a_waiver_that_did_not_count_is_told_in_the_summary(sample):
    evidence, verdict = sample.sample("violated")
    told = sample.waived(evidence, verdict.rules, ())
    ignored = sample.judge(
        evidence,
        Outcome.VIOLATED,
        verdict.rules,
        waivers=told.waivers,
        waivers_file=told.waivers_file,
    )
    page = render_html(build_view(evidence, ignored, audience=Audience.SHAREABLE))
    expired = "The waiver for rule “membership” did not count: it expired on 2026-11-29"
    assert expired in section(page, "summary")
    assert "waiver for rule “no-leak”" not in section(page, "summary")
    assert "0 of 4 counted; see section 16" in text_of(page)
    assert "This release does not meet the policy" in section(page, "summary")


def test_no_waiver_and_an_empty_file_are_told_apart(sample, waived):
    evidence, verdict = sample.sample("met")
    plain = render_html(build_view(evidence, verdict, audience=Audience.SHAREABLE))
    assert "No waiver was given." in section(plain, "waivers")
    file = waived[1].waivers_file
    empty = sample.judge(evidence, Outcome.MET, verdict.rules, waivers_file=file)
    shown = render_html(build_view(evidence, empty, audience=Audience.SHAREABLE))
    assert "lists no waiver" in section(shown, "waivers")


def test_plain_lines_and_terminal_name_all_waivers(waived):
    evidence, verdict = waived
    lines = render_text(verdict, evidence)
    assert lines.startswith("MET WITH 3 WAIVERS: This release meets the policy with 3 waivers\n")
    assert lines.count("[counted] waiver for rule") == 3
    assert lines.count("[did not count] waiver for rule") == 4
    assert "\n- Excess of copied records over the holdout (copied-records)" in lines
    console = Console(width=160, file=None, record=True, quiet=False)
    console.print(verdict_table(verdict, evidence))
    shown = console.export_text()
    assert "~ This release meets the policy with 3 waivers" in shown
    assert "waiver for rule membership: did not count: it expired" in shown
