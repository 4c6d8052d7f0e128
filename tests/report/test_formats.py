from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from uuid import UUID

import pytest

from privgate.evidence import ColumnFacts
from privgate.policy.verdict import Outcome
from privgate.report import Audience, build_view
from privgate.report.formats import (
    render_dpia_html,
    render_dpia_markdown,
    render_github,
    render_gitlab,
    render_junit,
    render_markdown,
    render_oscal,
    render_rules_csv,
    render_sarif,
)

EXPORTS = {
    "dpia.md": render_dpia_markdown,
    "dpia.html": render_dpia_html,
    "oscal.json": render_oscal,
    "rules.csv": render_rules_csv,
    "junit.xml": render_junit,
    "sarif.json": render_sarif,
    "gl-code-quality-report.json": render_gitlab,
    "summary.md": render_markdown,
    "github.txt": render_github,
}
HOSTILE = ("<script>alert(1)</script>", "a|b\n# c", "=cmd|' /C calc'!A0", "[x](javascript:y) *z*",
           "{{ 7 * 7 }}", "\u202eabc", "+1")  # fmt: skip


def view_of(sample, name="violated", audience=Audience.SHAREABLE, language="en"):
    given = sample.sample_waived() if name == "waived" else sample.sample(name)
    return build_view(*given, audience=audience, language=language)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.attributes = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("file", EXPORTS)
def test_exports_are_what_was_reviewed(sample, golden, file):
    golden(f"violated.{file}", EXPORTS[file](view_of(sample)))


@pytest.mark.parametrize("render", EXPORTS.values())
def test_exports_withhold_small_counts_and_show_them_only_inside(sample, render):
    shareable = render(view_of(sample))
    internal = render(view_of(sample, audience=Audience.INTERNAL))
    assert "no-leaks" in shareable.replace("\\", "")
    assert not re.search(r"\b7; the policy|: 7 \(", shareable)
    assert re.search(r"\b7\b", internal)
    told = shareable.replace("&lt;", "<").replace("\\", "")
    assert "<11" in told or "comes to 1 to 10 records" in told


@pytest.mark.parametrize("render", EXPORTS.values())
def test_exports_speak_the_language_of_the_report(sample, render):
    german = render(view_of(sample, language="de")).replace("\N{NO-BREAK SPACE}", " ")
    assert "die Richtlinie erlaubt höchstens 0,5" in german
    assert "the policy allows" not in german


def test_an_impact_assessment_names_the_articles_and_leaves_signatures_blank(sample):
    text = render_dpia_markdown(view_of(sample))
    for letter in "abcd":
        assert f"Article 35(7)({letter}) GDPR" in text
    assert "| Residual risk approved by |  |  |  |" in text
    assert "privgate measures nothing of this" in text


def test_an_impact_assessment_is_html_that_a_word_processor_can_take(sample):
    tags = Tags()
    tags.feed(render_dpia_html(view_of(sample)))
    assert not {"script", "style", "svg", "div", "span", "img", "details"} & set(tags.seen)
    assert "class" not in tags.attributes
    assert tags.seen.count("h1") == 1
    assert tags.seen.count("h2") == 5


def hostile_view(sample, nasty):
    evidence, verdict = sample.sample("met")
    column = ColumnFacts(name=nasty, type="numeric", role="other", treatment=nasty)
    release = evidence.release.model_copy(
        update={"name": nasty, "columns": (column,), "context": {"purpose": nasty}}
    )
    evidence = evidence.model_copy(update={"release": release})
    source = {"kind": "house", "ref": nasty}
    rules = tuple(
        rule.model_copy(update={"source": source, "part": nasty}) for rule in verdict.rules
    )
    return build_view(
        evidence, sample.judge(evidence, Outcome.MET, rules), audience=Audience.INTERNAL
    )


@pytest.mark.parametrize("nasty", HOSTILE)
def test_names_are_text_in_every_export(sample, nasty):
    view = hostile_view(sample, nasty)
    tags = Tags()
    tags.feed(render_dpia_html(view))
    assert "script" not in tags.seen
    markdown = render_dpia_markdown(view)
    assert "<script" not in markdown.replace("\\<script", "")
    assert not re.search(r"(?m)^# c", markdown)
    assert "](javascript" not in markdown.replace("\\]", "")
    rows = [line for line in markdown.split("\n") if line.startswith("| copied")]
    assert {row.count("|") - row.count("\\|") for row in rows} == {7}
    json.loads(render_oscal(view))
    for row in csv.reader(io.StringIO(render_rules_csv(view))):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_every_rule_is_a_row_of_the_csv(sample):
    view = view_of(sample, "waived")
    rows = list(csv.DictReader(io.StringIO(render_rules_csv(view))))
    assert [row["rule"] for row in rows] == [rule.verdict.id for rule in view.rules]
    waived = next(row for row in rows if row["rule"] == "copied-records")
    assert (waived["outcome"], waived["finding"]) == ("waived", "violated")
    assert waived["waived_until"] == "2027-03-31"


def results_of(view):
    return json.loads(render_oscal(view))["assessment-results"]


def uuids(value):
    if isinstance(value, dict):
        yield from [value["uuid"]] if "uuid" in value else []
        for item in value.values():
            yield from uuids(item)
    elif isinstance(value, list):
        for item in value:
            yield from uuids(item)


@pytest.mark.parametrize("name", ["met", "violated", "not_assessed", "waived"])
def test_oscal_refers_to_what_it_holds(sample, name):
    results = results_of(view_of(sample, name))
    (result,) = results["results"]
    named = list(uuids(results))
    assert len(named) == len(set(named))
    assert all(UUID(one).version == 5 for one in named)
    controls = {c["control-id"] for s in result["reviewed-controls"]["control-selections"]
                for c in s["include-controls"]}  # fmt: skip
    for finding in result["findings"]:
        assert finding["target"]["target-id"] in controls
        assert {o["observation-uuid"] for o in finding["related-observations"]} <= set(named)
        assert {r["risk-uuid"] for r in finding.get("related-risks", ())} <= set(named)
    assert results["import-ap"]["href"].removeprefix("#") in named


def test_oscal_says_satisfied_of_met_rules_only(sample):
    view = view_of(sample, "waived")
    (result,) = results_of(view)["results"]
    states = {
        finding["title"].split(":")[0]: finding["target"]["status"]["state"]
        for finding in result["findings"]
    }
    for rule in view.rules:
        met = rule.verdict.outcome is Outcome.MET
        assert states[rule.verdict.id] == ("satisfied" if met else "not-satisfied")
    waived = [risk for risk in result["risks"] if risk["status"] == "deviation-approved"]
    assert len(waived) == 3
    assert all(risk["deadline"] == "2027-03-31T23:59:59Z" for risk in waived)


def test_oscal_carries_the_policy_and_the_digests(sample):
    evidence, verdict = sample.sample("met")
    policy, *others = results_of(view_of(sample, "met"))["back-matter"]["resources"]
    assert b64decode(policy["base64"]["value"]).decode() == verdict.policy.text
    digests = {r["title"]: r["rlinks"][0]["hashes"][0]["value"] for r in others}
    assert digests["evidence"] == verdict.evidence_sha256
    assert digests["train"] == evidence.release.tables["train"].sha256


@pytest.mark.parametrize("name", ["met", "violated", "not_assessed", "waived"])
@pytest.mark.parametrize("audience", Audience)
def test_oscal_follows_the_published_schema(sample, name, audience):
    """Runs where compliance-trestle is installed, whose models are made from NIST's schema."""
    models = pytest.importorskip("trestle.oscal.assessment_results")
    models.Model.model_validate_json(render_oscal(view_of(sample, name, audience)))


@pytest.mark.parametrize("render", [render_dpia_html, render_dpia_markdown])
def test_what_a_list_of_the_assessment_says_in_two_parts_stays_apart(case, render):
    view = build_view(*case("waived"), audience=Audience.SHAREABLE)
    (advisory,) = (rule for rule in view.rules if rule.verdict.id == "membership")
    text = render(view).replace("\\", "")
    assert f"membership: {advisory.title}. {advisory.finding}" in text
    assert f"{advisory.title} {advisory.finding}" not in text
