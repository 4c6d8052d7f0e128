from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from string import Formatter

import pytest

from privgate.engine import assess
from privgate.metrics import all_metrics
from privgate.policy import bind, policy_from_text
from privgate.policy.verdict import Outcome, RequirementVerdict
from privgate.policy.waivers import waivers_from_text
from privgate.policy.waiving import apply_waivers
from privgate.report import Audience, build_view, languages, render_html
from privgate.report.demand_view import view_demand
from privgate.report.formats import render_text
from privgate.report.translation import translated_verdict
from privgate.report.wording import Wording, load_wording
from privgate.resources import resource_folder
from privgate.testing.samples import survey_release

# What no report may claim, whatever its language.
FORBIDDEN = {
    "en": r"anonymous|gdpr[- ]compliant|certified safe",
    "de": r"anonym|dsgvo[- ]konform|nachweislich sicher|garantiert sicher|unbedenklich",
}
ENGLISH = re.compile(
    r"\b(the|of|and|people|with|not|is|are|from|to|by|this|that|which|records?|holdout table)\b"
)
OTHERS = tuple(name for name in languages() if name != "en")


def catalogue(language):
    path = resource_folder("templates") / "wording" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def leaves(table, prefix=""):
    """Yield the key of every text, list entries by place."""
    for name, value in table.items() if isinstance(table, dict) else enumerate(table):
        key = f"{prefix}{name}"
        if isinstance(value, dict | list):
            yield from leaves(value, f"{key}.")
        else:
            yield key, value


def gaps(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def fixed(language):
    return dict(leaves({k: v for k, v in catalogue(language).items() if k != "texts"}))


def visible(html):
    body = re.sub(r"(?s)<(style|pre|code)\b.*?</\1>", " ", html)
    return [" ".join(text.split()) for text in re.findall(r">([^<>]+)<", body) if text.strip()]


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_texts_with_the_same_gaps(language):
    english, other = fixed("en"), fixed(language)
    assert set(other) == set(english)
    differing = [key for key in english if gaps(english[key]) != gaps(other[key])]
    assert differing == []


@pytest.mark.parametrize("language", OTHERS)
def test_translated_sentences_keep_their_gaps(language):
    texts = catalogue(language)["texts"]
    named = re.compile(r"\{([a-z_]+)\}")
    assert len(texts) > 500
    for english, other in texts.items():
        assert other.strip()
        assert set(named.findall(english)) == set(named.findall(other)), english


@pytest.mark.parametrize("language", languages())
def test_no_language_promises_what_it_must_not(language):
    text = json.dumps(catalogue(language), ensure_ascii=False)
    assert not re.search(FORBIDDEN[language], text, re.IGNORECASE)


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_a_card_is_translated(language):
    known = set(catalogue(language)["texts"])
    for metric in all_metrics().values():
        card = metric.card
        texts = {card.title, card.question, *card.limits, card.formula}
        texts |= {text for _, text in card.threat_model or ()}
        texts |= {text for spec in card.figures.values() for text in (spec.title, spec.meaning)}
        assert texts <= known, card.name


def test_a_sentence_is_translated_by_its_own_words_only():
    words = load_wording("de")
    assert words.said("Success on train") == "Erfolg beim Training"
    assert words.said("Success on train, but otherwise") == "Success on train, but otherwise"
    assert load_wording("en").said("Success on train") == "Success on train"


def test_what_stands_in_a_gap_is_translated_by_itself():
    words = Wording(
        {
            "numbers": {"decimal": ",", "thousands": ".", "percent": " %", "points": " PP"},
            "texts": {"{part}: {reason}": "{part} – {reason}", "too few": "zu wenige"},
        },
        language="test",
    )
    assert words.said("net_assets: too few") == "net_assets – zu wenige"
    assert words.said("net_assets: 1,234.5%") == "net_assets – 1.234,5 %"
    assert words.said("(.*): {x}") == "(.*) – {x}"
    assert words.said("1.2.3") == "1.2.3"


@pytest.mark.parametrize("piece", ["; ", ": ", " of ", "{first}", "x"])
def test_a_hostile_name_costs_no_time_and_stays_what_it_is(piece):
    words = load_wording("de")
    for length in (100, 10_000):
        name = piece * length
        assert words.said(name) == name
        said = words.said(f"Column {name} is constant in train.")
        assert name in said


def test_days_have_the_form_of_the_language():
    words = load_wording("de")
    assert words.date(date(2026, 11, 3)) == "3. November 2026"
    assert words.day(date(2026, 3, 1)) == "01.03.2026"
    assert words.day("2026-13-01") == "2026-13-01"
    assert load_wording("en").day("2026-03-01") == "2026-03-01"


@pytest.mark.parametrize("name", ["met", "violated", "not_assessed"])
def test_figures_of_a_german_report_have_german_signs(sample, name):
    evidence, verdict = sample.sample(name)
    html = render_html(build_view(evidence, verdict, audience=Audience.SHAREABLE, language="de"))
    assert '<html lang="de-DE">' in html
    shown = " ".join(visible(html))
    assert not re.search(r"\d\.\d+\s?(%|PP\b)|\d ?pp\b", shown)
    assert "3. November 2026" in shown
    assert "4.637" in shown


def test_german_withholds_what_english_withholds(sample):
    evidence, verdict = sample.sample("violated")
    text = render_text(verdict, evidence, language="de")
    assert "+3,3 PP" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "(no-leaks): 7" not in text
    assert "<11" in text
    internal = render_text(verdict, evidence, language="de", audience=Audience.INTERNAL)
    assert "(no-leaks): 7; die Richtlinie verlangt genau 0." in internal


def test_german_report_is_what_was_reviewed(sample, golden):
    evidence, verdict = sample.sample("violated")
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE, language="de")
    golden("violated.de.html", render_html(view))
    golden("violated.de.txt", render_text(verdict, evidence, language="de"))


POLICY = """\
privgate: policy/v1
id: probe
version: 1.0.0
title: Probe
owner: Probe
review_by: 2099-06-30
requires: {holdout: true, min_rows: {train: 100, holdout: 100}, coverage: [inference, linkability]}
rules:
"""
RULE = """\
  - id: r-NUMBER
    metric: METRIC
    PARAMS
    require: {LIMIT}
    severity: SEVERITY
    source: {kind: house, ref: Probe}
    rationale: Probe
"""
RULES = (
    ("rapid", "params: {tau: 0.3, groups: [sex]}", "max: 0.05", "blocking"),
    ("linkability", "params: {groups: [sex]}", "max: 0.05", "blocking"),
    ("inference", "params: {groups: [sex, outliers]}", "max: 0.05", "blocking"),
    ("privet", "params: {permutations: 19}", "above: 0.05", "blocking"),
    ("hidden_rate", "params: {}", "max: 0.05", "advisory"),
    ("singling_out", "params: {attacks: 100}", "max: 0.05", "advisory"),
    ("domias", "params: {}", "max: 0.6", "advisory"),
    ("crp", "params: {}", "max: 0.05", "blocking"),
    ("dcr", "params: {}", "max: 0.6", "advisory"),
)


@pytest.fixture(scope="module")
def measured():
    rules = [
        RULE.replace("NUMBER", str(number))
        .replace("METRIC", metric)
        .replace("PARAMS", params)
        .replace("LIMIT", limit)
        .replace("SEVERITY", severity)
        for number, (metric, params, limit, severity) in enumerate(RULES)
    ]
    loaded = policy_from_text(POLICY + "".join(rules))
    return assess(
        survey_release(400),
        bind(loaded, all_metrics()),
        seed=1,
        jobs=1,
    )


@pytest.mark.parametrize("audience", Audience)
def test_a_german_report_of_real_measurements_has_no_english_sentence(measured, audience):
    view = build_view(measured.evidence, measured.verdict, audience=audience, language="de")
    cited = {text for card in measured.evidence.cards.values() for text in card.references}
    left = [text for text in visible(render_html(view)) if ENGLISH.search(text)]
    assert [text for text in dict.fromkeys(left) if text not in cited] == []


def test_a_german_summary_is_as_plain_as_the_english_one(measured):
    view = build_view(
        measured.evidence, measured.verdict, audience=Audience.SHAREABLE, language="de"
    )
    assert view.outcome in {str(outcome) for outcome in Outcome}
    told = json.dumps([f.question for f in view.summary.findings], ensure_ascii=False)
    assert "schützenswert" in told
    assert not re.search(r"AUC|PRIVET|RAPID|DOMIAS|τ", told)


def test_a_sentence_inside_another_is_not_swallowed_by_its_first_gap():
    inner = (
        "65 people the generator never saw are too few to speak about a false alarm rate of 1.0%; "
        "the test part needs 100"
    )
    german = load_wording("de").said(f"The figure has no value: {inner}.")
    assert german.startswith("Die Kennzahl hat keinen Wert: 65 Menschen, die der Generator nie")
    assert "bei 1,0\N{NO-BREAK SPACE}% Fehlalarmen" in german


def test_days_in_sentences_have_the_form_of_the_language():
    german = load_wording("de").said("it expired on 2026-11-29, and the day is 2026-11-30")
    assert german == "sie lief am 29.11.2026 ab, und der Tag ist der 30.11.2026"


def test_a_stated_number_has_german_signs(sample):
    evidence, verdict = sample.sample("met")
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE, language="de")
    (facts,) = (block for block in view.sections[3].blocks if block.kind == "facts")
    assert dict(facts.items)["Auswahlsatz"] == "0,02"


POLICY_OF_WAIVERS = """privgate: policy/v1
id: p
version: 1.0.0
title: t
owner: o
review_by: 2027-06-30
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.01}, severity: blocking,
     rationale: r, source: {kind: house, ref: r}}
"""
MALFORMED = """privgate: waivers/v1
waivers:
  - {rule: "Bad Rule", reason: "", approved_by: 5, granted: soon; or not, expires: 2026-02-30,
     release_sha256: xyz, colour: red}
  - {rule: copies, reason: "  ", approved_by: "a\u202eb", granted: 2026-11-01, expires: 2027-01-01,
     release_sha256: "DIGEST", reasn: x}
  - {rule: copies, reason: R, approved_by: A, granted: 2026-11-01, expires: 2026-10-01,
     release_sha256: "DIGEST"}
  - {rule: no-leaks, reason: R, approved_by: A, granted: 2026-11-01, expires: 2026-11-02,
     release_sha256: "DIGEST"}
  - {rule: elsewhere, reason: R, approved_by: A, granted: 2026-11-01, expires: 2026-11-02,
     release_sha256: "DIGEST"}
  - {rule: [1], reason: {a: b}, approved_by: "LONG", granted: null, expires: 7, release_sha256: 0}
  - all
  - {}
""".replace("DIGEST", "0" * 64).replace("LONG", "z" * 300)
ENGLISH_OF_WAIVERS = re.compile(
    r"\b(is|no|not|the|value|should|have|characters?|write|add|remove|missing|unknown|known|did|it)\b"
)


def test_a_german_report_tells_in_german_why_a_malformed_waiver_does_not_count(sample):
    evidence, verdict = sample.sample("met")
    waivers = waivers_from_text(MALFORMED)
    bound = bind(policy_from_text(POLICY_OF_WAIVERS), all_metrics())
    _, told = apply_waivers(waivers, verdict.rules, bound, evidence)
    assert all("; " in one.why or one.position in {2, 6} for one in told)
    german = translated_verdict(verdict.model_copy(update={"waivers": told}), load_wording("de"))
    for before, after in zip(told, german.waivers, strict=True):
        outside_quotes = re.sub(r"'[^']*'", "", after.why)
        assert not ENGLISH_OF_WAIVERS.search(outside_quotes), after.why
        if "…" not in before.why:
            assert re.findall(r"'[^']*'", before.why) == re.findall(r"'[^']*'", after.why)
    english = translated_verdict(verdict.model_copy(update={"waivers": told}), load_wording("en"))
    assert english.waivers == told


def test_numbers_in_sentences_of_a_study_have_german_signs():
    said = load_wording("de").said("0.5 % of the records copied")
    assert said == "0,5\u00a0% der Datensätze kopiert"


def test_a_german_report_names_the_kind_of_a_release_in_german():
    demand = RequirementVerdict(
        name="kind", required="table", seen="array", satisfied=False, reason="another kind"
    )
    shown = view_demand(demand, load_wording("de"))
    assert (shown.required, shown.seen) == ("Tabelle", "Array")


@pytest.mark.parametrize(
    ("language", "label"), [("en", "Random draws"), ("de", "Zufallsziehungen")]
)
def test_behind_a_p_value_stand_draws_and_no_records(sample, language, label):
    view = build_view(*sample.sample("met"), audience=Audience.SHAREABLE, language=language)
    section = next(section for section in view.whole if section.anchor == "verdict")
    cards = {it.identity: dict(it.facts) for it in section.blocks if it.kind == "rule"}
    records = view.words("verdict.n")
    assert records in cards["nearness"]
    assert label not in cards["nearness"]
    assert label in cards["membership"]
    assert records not in cards["membership"]
