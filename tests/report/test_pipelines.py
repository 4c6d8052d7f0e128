from __future__ import annotations

import json
import re
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from privgate.evidence import ColumnFacts
from privgate.policy.verdict import CoverageVerdict, Outcome, RequirementVerdict
from privgate.report import Audience, build_view
from privgate.report.formats import (
    inert_lines,
    render_github,
    render_gitlab,
    render_junit,
    render_line_json,
    render_markdown,
    render_sarif,
)
from privgate.report.names import legible_line

OUTCOMES = ("met", "violated", "not_assessed", "waived")
HOSTILE = (
    "]]><failure/>",
    "a\x00b\x1b[31m\x0b\ufffe",
    "100%0A::error::x",
    "a\n::set-output name=x::y\r\n##[error]z",
    "::stop-commands::x",
    "<script>alert(1)</script>",
    "a|b `c` ``d`` *e* _f_ ~g~ [h](javascript:i) ![j](k)",
    "\\|\\`\\@all",
    "see @all, @me/team, #12, a#12, !3, %4, ^5, &6, $7, ~8, GH-1",
    "https://x.example/y www.x.example z@x.example",
    "{0} {{1}} {release}",
    "met\u202edetaloiv\u2028x",
    "&lt;b&gt; &#64;all",
    "# heading",
    "- item",
    "1. item",
)
# Jenkins' junit-10.xsd, as far as it is used here: children and attributes, required ones first.
JUNIT = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {"skipped", "timestamp", "hostname", "id", "package", "time", "file", "url"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"classname", "time", "group"},
    ),
    **dict.fromkeys(("failure", "error", "skipped"), (set(), set(), {"type", "message"})),
    "system-out": (set(), set(), set()),
}


def view_of(sample, name="violated", audience=Audience.SHAREABLE, language="en"):
    given = sample.sample_waived() if name == "waived" else sample.sample(name)
    return build_view(*given, audience=audience, language=language)


def without_a_guilty_rule(sample):
    """A release that is not assessed although every rule is met and nothing is demanded."""
    evidence, verdict = sample.sample("met")
    nothing = {"requirements": (), "coverage": {}, "reasons": ("Unknown.",)}
    found = sample.judge(evidence, Outcome.NOT_ASSESSED, verdict.rules, **nothing)
    return build_view(evidence, found, audience=Audience.SHAREABLE)


def lacking(sample):
    """A release whose rules are all met, and which lacks rows and a criterion."""
    evidence, verdict = sample.sample("met")
    rows = RequirementVerdict(
        name="min_rows.train", required=9000, seen=4637, satisfied=False, reason="too few rows"
    )
    criterion = CoverageVerdict(
        required=True, rules=(), satisfied=False, reason="No rule satisfies it."
    )
    demands = {"requirements": (rows,), "coverage": {"linkability": criterion}}
    found = sample.judge(evidence, Outcome.NOT_ASSESSED, verdict.rules, **demands)
    return build_view(evidence, found, audience=Audience.SHAREABLE)


def hostile_view(sample, nasty):
    """A view in which everything that people name is nasty."""
    evidence, verdict = sample.sample("violated")
    column = ColumnFacts(name=nasty, type="numeric", role="other", treatment=nasty)
    release = evidence.release.model_copy(update={"name": nasty, "columns": (column,)})
    evidence = evidence.model_copy(update={"release": release})
    source = {"kind": "house", "ref": nasty}
    rules = tuple(
        rule.model_copy(update={"source": source, "part": nasty, "rationale": nasty})
        for rule in verdict.rules
    )
    found = sample.judge(evidence, Outcome.VIOLATED, rules)
    policy = found.policy.model_copy(update={"title": nasty})
    found = found.model_copy(update={"policy": policy})
    return build_view(evidence, found, audience=Audience.INTERNAL)


def parsed(text):
    return ET.fromstring(text)  # noqa: S314 - we wrote it


def faults_of(element):
    """What Jenkins' schema does not allow in an element and those inside."""
    children, required, allowed = JUNIT[element.tag]
    names = set(element.attrib)
    found = [f"{element.tag} lacks {name}" for name in required - names]
    found += [f"{element.tag} has {name}" for name in names - required - allowed]
    for child in element:
        if child.tag not in children:
            found.append(f"{element.tag} holds {child.tag}")
        else:
            found += faults_of(child)
    return found


def suite_of(view):
    return parsed(render_junit(view)).find("testsuite")


def stops_junit(view):
    suite = suite_of(view)
    return bool(suite.findall("testcase/failure") + suite.findall("testcase/error"))


def stops_sarif(view):
    (run,) = json.loads(render_sarif(view))["runs"]
    return any(result["level"] == "error" for result in run["results"])


def stops_gitlab(view):
    entries = json.loads(render_gitlab(view))
    return any(entry["severity"] in {"blocker", "critical"} for entry in entries)


def stops_github(view):
    return "::error " in render_github(view)


def stops_line(view):
    return json.loads(render_line_json(view))["exit_code"] != 0


STOPS = (stops_junit, stops_sarif, stops_gitlab, stops_github, stops_line)


@pytest.mark.parametrize("stops", STOPS)
def test_only_a_release_that_is_met_lets_a_pipeline_go_on(sample, stops):
    found = {name: stops(view_of(sample, name)) for name in OUTCOMES}
    assert found == {"met": False, "violated": True, "not_assessed": True, "waived": False}


@pytest.mark.parametrize("stops", STOPS)
def test_what_is_not_met_stops_even_where_no_rule_is_guilty(sample, stops):
    assert stops(without_a_guilty_rule(sample))
    assert stops(lacking(sample))


@pytest.mark.parametrize("name", ["met", "waived"])
@pytest.mark.parametrize("kind", ["junit.xml", "sarif.json", "summary.md", "github.txt"])
def test_outputs_for_open_gates_are_what_was_reviewed(sample, golden, name, kind):
    render = {"junit.xml": render_junit, "sarif.json": render_sarif, "summary.md": render_markdown}
    golden(f"{name}.{kind}", render.get(kind, render_github)(view_of(sample, name)))


def test_the_line_for_programs_is_what_was_reviewed(sample, golden):
    golden("violated.line.json", render_line_json(view_of(sample)))


def test_a_suite_has_a_case_for_the_verdict_each_rule_and_each_demand(sample):
    view = lacking(sample)
    names = [case.get("name") for case in suite_of(view).iter("testcase")]
    rules = [rule.verdict.id for rule in view.rules]
    demands = ["requires.min_rows.train", "requires.coverage.linkability"]
    assert names == ["privgate.verdict", *rules, *demands]
    errors = [case.get("name") for case in suite_of(view).iter("testcase") if case.find("error")
              is not None]  # fmt: skip
    assert errors == ["privgate.verdict", *demands]
    assert all("".join(case.itertext()).strip() for case in suite_of(view).iter("testcase"))


def test_advisory_and_waived_rules_are_skipped_with_their_message(sample):
    suite = suite_of(view_of(sample, "waived"))
    found = {case.get("name"): case.find("skipped") for case in suite.iter("testcase")}
    assert "Advisory: does not open" in found["membership"].get("message")
    assert "A waiver covers this finding" in found["nearness"].get("message")
    assert found["authenticity"] is None
    assert int(suite.get("skipped")) == 6 == sum(it is not None for it in found.values())


@pytest.mark.parametrize("name", OUTCOMES)
def test_junit_counts_and_shape_are_those_that_jenkins_reads(sample, name):
    root = parsed(render_junit(view_of(sample, name)))
    assert faults_of(root) == []
    suite = root.find("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase"))
    for element, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert int(suite.get(count)) == len(suite.findall(f"testcase/{element}"))
    assert suite.get("timestamp") == "2026-11-03T09:30:00"


def test_a_fault_of_junit_would_be_noticed():
    text = "<testsuites><testsuite name='a'><testcase name='b' id='c'><properties/></testcase>"
    found = faults_of(parsed(f"{text}</testsuite></testsuites>"))
    assert {"testsuite lacks tests", "testcase has id", "testcase holds properties"} <= set(found)


def test_figures_are_properties_of_the_suite(sample):
    suite = suite_of(view_of(sample))
    told = {it.get("name"): it.get("value") for it in suite.iter("property")}
    assert told["copied-records.measured"] == "+3.3 pp"
    assert told["copied-records.limit"] == "at most 0.5 pp"
    assert told["no-leaks.measured"] == "<11"
    assert told["outcome"] == "violated"


@pytest.mark.parametrize("nasty", HOSTILE)
def test_junit_is_xml_whatever_the_names(sample, nasty):
    root = parsed(render_junit(hostile_view(sample, nasty)).encode())
    assert faults_of(root) == []
    shown = legible_line(nasty).replace("\ufffe", "?")
    assert any(shown in "".join(case.itertext()) for case in root.iter("testcase"))


def run_of(view):
    (run,) = json.loads(render_sarif(view))["runs"]
    return run


@pytest.mark.parametrize("name", OUTCOMES)
def test_sarif_refers_to_what_it_holds(sample, name):
    view = view_of(sample, name)
    run = run_of(view)
    rules = run["tool"]["driver"]["rules"]
    ids = [rule["id"] for rule in rules]
    assert len(ids) == len(set(ids))
    assert {rule.verdict.id for rule in view.rules} <= set(ids)
    (artifact,) = run["artifacts"]
    lines = artifact["contents"]["text"].splitlines()
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"] == artifact["location"] | {"index": 0}
        assert 1 <= place["region"]["startLine"] <= len(lines)
    assert run["invocations"][0]["exitCode"] == Outcome(view.outcome).exit_code
    keys = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(keys) == len(set(keys))


def test_a_result_points_to_its_rule_in_the_text_of_the_policy(sample):
    run = run_of(view_of(sample))
    lines = run["artifacts"][0]["contents"]["text"].splitlines()
    found = {result["ruleId"]: result["locations"][0] for result in run["results"]}
    line = found["copied-records"]["physicalLocation"]["region"]["startLine"]
    assert lines[line - 1].strip() == "- id: copied-records"
    assert found["membership"]["physicalLocation"]["region"]["startLine"] == 1


def test_sarif_calls_a_waived_finding_accepted_and_nothing_else(sample):
    results = {result["ruleId"]: result for result in run_of(view_of(sample, "waived"))["results"]}
    accepted = {name for name, result in results.items() if "suppressions" in result}
    assert accepted == {"copied-records", "nearness", "no-leaks"}
    (suppression,) = results["nearness"]["suppressions"]
    assert (suppression["kind"], suppression["status"]) == ("external", "accepted")
    assert "A. Example, data protection officer" in suppression["justification"]
    assert results["membership"]["level"] == "warning"


def test_sarif_invents_no_time(sample):
    assert "Utc" not in render_sarif(view_of(sample))


@pytest.mark.parametrize("nasty", HOSTILE)
def test_sarif_messages_hold_no_link_and_no_gap(sample, nasty):
    run = run_of(hostile_view(sample, nasty))
    texts = [result["message"]["text"] for result in run["results"]]
    texts += [rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]]
    for text in texts:
        plain = re.sub(r"\\.", "", text)
        assert "[" not in plain
        assert "]" not in plain
        assert re.sub(r"\{\{|\}\}", "", text).count("{") == 0
    assert not re.search("[\u202a-\u202e\u2028\x00]", "".join(texts))


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_code_quality_report_has_what_gitlab_asks_for(sample, name):
    view = view_of(sample, name)
    entries = json.loads(render_gitlab(view))
    assert bool(entries) is (name != "met")
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert entry["location"]["lines"]["begin"] >= 1
        assert not entry["location"]["path"].startswith(("./", "/"))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_an_entry_is_recognised_again_whatever_the_figures(sample):
    known = {
        name: {e["check_name"]: e["fingerprint"] for e in json.loads(render_gitlab(view))}
        for name, view in ((n, view_of(sample, n)) for n in ("violated", "not_assessed"))
    }
    both = known["violated"].keys() & known["not_assessed"].keys()
    assert "privgate/nearness" in both
    assert all(known["violated"][name] == known["not_assessed"][name] for name in both)


def decoded(text):
    return text.replace("%0A", "\n").replace("%0D", "\r").replace("%3A", ":").replace("%2C", ",")


@pytest.mark.parametrize("nasty", HOSTILE)
def test_an_annotation_is_one_command_whatever_the_names(sample, nasty):
    view = hostile_view(sample, nasty)
    lines = render_github(view).splitlines()
    command = re.compile(r"::(error|warning|notice) title=([^:,\n]+)::(.*)")
    found = [command.fullmatch(line) for line in lines]
    assert all(found)
    messages = [decoded(it[3]).replace("%25", "%") for it in found]
    assert any(legible_line(nasty) in message for message in messages)


def test_ten_annotations_at_most_are_shown_so_the_gravest_come_first(sample):
    levels = re.findall(r"(?m)^::(\w+)", render_github(view_of(sample, "waived")))
    assert levels == ["notice", "warning", "warning", "notice", "notice", "notice"]


def test_lines_for_people_are_no_commands(sample):
    view = view_of(sample)
    start, *lines, end = inert_lines("a\n::error::x\n", view).splitlines()
    assert lines == ["a", "::error::x"]
    assert start == f"::stop-commands::{end.strip(':')}"
    assert view.digests["verdict"] in end


MARKDOWN = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"])


def inline(text):
    return [token for block in MARKDOWN.parse(text) for token in block.children or ()]


@pytest.mark.parametrize("nasty", HOSTILE)
def test_markdown_is_text_whatever_the_names(sample, nasty):
    plain = render_markdown(hostile_view(sample, "plain"))
    text = render_markdown(hostile_view(sample, nasty))
    tokens = inline(text)
    kinds = {token.type for token in tokens}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "html_inline",
                     "softbreak"}  # fmt: skip
    assert {t.content for t in tokens if t.type == "html_inline"} <= {"<br>", "<!-- -->"}
    shape = [token.type for token in MARKDOWN.parse(plain)]
    assert [token.type for token in MARKDOWN.parse(text)] == shape
    shown = unescape(re.sub("<[^>]*>", "", MARKDOWN.render(text)))
    assert legible_line(nasty) in shown


def test_markdown_mentions_nobody(sample):
    text = render_markdown(hostile_view(sample, "see @all, #12, a#12 and !3"))
    assert not re.search(r"(?<!\\)[@!#](?=\w)", text)
    assert r"\@<!-- -->all" in text
    assert r"a\#<!-- -->12" in text


def test_a_summary_of_very_many_rules_says_how_many_are_left_out(sample):
    evidence, verdict = sample.sample("met")
    many = tuple(
        verdict.rules[0].model_copy(update={"id": f"rule-{number}"}) for number in range(203)
    )
    view = build_view(
        evidence, sample.judge(evidence, Outcome.MET, many), audience=Audience.SHAREABLE
    )
    text = render_markdown(view)
    assert "3 more rules are in the report." in text.replace("\\", "")
    assert text.count("| ✓ Met |") == 200


@pytest.mark.parametrize("nasty", HOSTILE)
def test_the_line_is_one_line_of_ascii(sample, nasty):
    text = render_line_json(hostile_view(sample, nasty))
    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert (
        json.loads(text)["release"]
        == build_view(*hostile(sample, nasty), audience=Audience.INTERNAL).release
    )


def hostile(sample, nasty):
    evidence, verdict = sample.sample("violated")
    release = evidence.release.model_copy(update={"name": nasty})
    evidence = evidence.model_copy(update={"release": release})
    return evidence, sample.judge(evidence, Outcome.VIOLATED, verdict.rules)
