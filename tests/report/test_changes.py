"""What changed since the last release: rule by rule, in the data, the tools and the policy."""

from __future__ import annotations

import json
import re

import pytest

from privgate.errors import IntegrityError
from privgate.evidence import canonical_bytes, digest
from privgate.policy.difference import Change, PolicyDifference
from privgate.policy.verdict import PolicyReference
from privgate.report import Audience, Baseline, baseline_facts, build_view, render_html

REFERENCE = {"id": "demo", "version": "1.0.0", "sha256": digest({"id": "demo"})}


def difference(*changes, loosened=False, new=None):
    return PolicyDifference(
        old=PolicyReference(**REFERENCE),
        new=PolicyReference(**(REFERENCE | (new or {}))),
        same=not changes,
        loosened=loosened,
        changes=changes,
    )


@pytest.fixture
def earlier(sample):
    """Return a function that sets the earlier check of one outcome beside a later one."""

    def facts(then, now, found=None, **changes):
        evidence, verdict = sample.sample(then)
        made = baseline_facts(
            evidence,
            verdict,
            found or difference(),
            digests=(digest(evidence), digest(verdict)),
            of_evidence_sha256=digest(sample.sample(now)[0]),
        )
        return made.model_copy(update=changes)

    return facts


def section(sample, now, baseline, language="en"):
    """Return the words of section 21."""
    view = build_view(
        *sample.sample(now), audience=Audience.SHAREABLE, language=language, baseline=baseline
    )
    html = render_html(view)
    found = html[html.index('<section class="section" id="changes"') : html.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def test_a_report_without_an_earlier_check_has_no_such_section(sample):
    html = render_html(build_view(*sample.sample("met"), audience=Audience.SHAREABLE))
    assert 'id="changes"' not in html


def test_outcomes_and_figures_of_every_rule_are_told_then_and_now(sample, earlier):
    text = section(sample, "violated", earlier("met", "violated"))
    assert "The earlier check ended with: Met. This one ends with: Violated." in text
    assert "Met → Violated." in text
    rules = {name: sample.sample(name)[1].rules for name in ("met", "violated")}
    place = next(n for n, rule in enumerate(rules["met"]) if rule.id == "attribute-inference")
    then, now = (100 * rules[name][place].judged for name in ("met", "violated"))
    assert f"Judged: +{then:.1f} pp → +{now:.1f} pp (+{now - then:.1f} pp)." in text
    assert "The policy is the same to the digit: demo 1.0.0." in text


def test_small_counts_of_the_earlier_check_are_kept_nowhere(sample, earlier):
    assert next(r for r in sample.sample("violated")[1].rules if r.id == "no-leaks").value == 7
    made = earlier("violated", "met")
    rule = next(rule for rule in made.rules if rule.id == "no-leaks")
    assert (rule.figure.value, rule.judged) == (None, None)
    assert "A judged number is missing or withheld." in section(sample, "met", made)
    assert Baseline.model_validate_json(canonical_bytes(made)) == made


def test_a_rule_that_asks_something_else_is_not_set_against_its_past(sample, earlier):
    change = {"rule": "attribute-inference", "effect": "changed", "before": {"tau": 0.3},
              "after": {"tau": 0.2}}  # fmt: skip
    for entry, refused in (("params", True), ("measure", True), ("require", False)):
        found = difference(
            Change(entry=entry, **change), loosened=True, new={"version": "2.0.0", "sha256": "a"}
        )
        text = section(sample, "violated", earlier("met", "violated", found))
        row = text[text.index("attribute-inference") :]
        row = row[: row.index("no-leaks")]
        assert ("cannot be compared" in row) is refused, entry
        assert ("Judged: " in row) is not refused, entry
        assert "Something in it asks less now" in text
        assert f"attribute-inference: {entry} changed tau: 0.3 tau: 0.2" in text


def test_another_version_of_a_metric_measures_otherwise(sample, earlier):
    made = earlier("met", "violated")
    rules = tuple(rule.model_copy(update={"metric_version": 99}) for rule in made.rules)
    text = section(sample, "violated", made.model_copy(update={"rules": rules}))
    assert "Judged: " not in text


def test_rules_that_came_and_went_are_named(sample, earlier):
    made = earlier("met", "violated")
    gone = made.rules[0].model_copy(update={"id": "old-rule"})
    text = section(sample, "violated", made.model_copy(update={"rules": (gone, *made.rules[1:])}))
    assert "The rule is gone." in text
    assert "New rule." in text


def test_data_and_tools_are_told_apart(sample, earlier):
    made = earlier("met", "violated")
    text = section(sample, "violated", made)
    assert "Train table the same" in text
    tables = {**made.tables, "synthetic": "0" * 64}
    packages = {**made.packages, "numpy": "1.0.0"}
    made = made.model_copy(
        update={"tables": tables, "packages": packages, "tool": "privgate 0.0.9"}
    )
    text = section(sample, "violated", made)
    assert "Synthetic table different" in text
    assert "privgate 0.0.9 → privgate 0.1.0" in text
    assert "numpy 1.0.0 → 2.4.0" in text


def test_the_section_is_german_in_a_german_report(sample, earlier):
    text = section(sample, "violated", earlier("met", "violated"), language="de")
    assert "Seit der letzten Freigabe verändert" in text
    assert "Trainingstabelle gleich" in text
    assert not re.search(r"\b(earlier|judged|same|rule|then|now)\b", text, re.IGNORECASE)


def test_an_earlier_check_set_beside_another_one_is_refused(sample, earlier):
    with pytest.raises(IntegrityError, match="set beside another one"):
        section(sample, "violated", earlier("met", "met"))
    assert json.loads(canonical_bytes(earlier("met", "met")))["schema"] == "privgate/baseline/v1"
