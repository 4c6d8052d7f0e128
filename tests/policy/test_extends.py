"""What becomes of a policy that extends another."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from privgate.errors import PolicyError
from privgate.evidence import digest
from privgate.metrics import all_metrics
from privgate.policy import (
    Limit,
    Policy,
    Requirements,
    Rule,
    Source,
    bind,
    built_in_policies,
    check,
    lint,
    load_policy,
    open_policy,
    policy_from_text,
    resolved_text,
)
from privgate.policy.check import policy_facts
from privgate.policy.extends import loosenings, merged

BASE = """\
privgate: policy/v1
id: base
version: 1.4.0
title: Base
owner: Board
review_by: 2027-06-30
requires: {holdout: true, min_rows: {train: 10, synthetic: 5}, coverage: [inference]}
confidence: 0.9
rules:
  - {id: gap, metric: guess, params: {tau: 0.5}, require: {max: 0.2}, source: {kind: paper, ref: x}}
  - {id: npl, metric: privet, require: {max: 3}, severity: advisory, judge: point,
     source: {kind: paper, ref: y}, rationale: as published}
"""
CHILD = """\
privgate: policy/v1
id: child
version: 0.1.0
title: Child
extends: ../base.yaml
requires: {min_rows: {train: 20, holdout: 7}}
rules:
  - {id: more, metric: copies, measure: share, require: {max: 0.1}, source: {kind: house, ref: us}}
  - {id: npl, metric: privet, require: {equals: 0}, severity: blocking, source: {kind: house, ref: us}}
"""  # noqa: E501
GRANDCHILD = """\
privgate: policy/v1
id: grandchild
version: 0.2.0
title: Grandchild
extends: child.yaml
confidence: 0.95
"""


@pytest.fixture
def family(tmp_path):
    (tmp_path / "ward").mkdir()
    (tmp_path / "base.yaml").write_text(BASE, "utf-8")
    (tmp_path / "ward" / "child.yaml").write_text(CHILD, "utf-8")
    (tmp_path / "ward" / "grandchild.yaml").write_text(GRANDCHILD, "utf-8")
    return tmp_path / "ward"


def test_what_a_child_leaves_out_stays_as_in_the_parent(family):
    policy = load_policy(str(family / "child.yaml")).policy
    assert policy.requires.holdout
    assert policy.requires.min_rows.model_dump() == {"train": 20, "holdout": 7, "synthetic": 5}
    assert [criterion.value for criterion in policy.requires.coverage] == ["inference"]
    assert policy.confidence == 0.9
    assert policy.review_by.isoformat() == "2027-06-30"
    assert [rule.id for rule in policy.rules] == ["gap", "npl", "more"]
    npl = policy.rules[1]
    assert (npl.require.stated, npl.is_blocking, npl.judge) == ({"equals": 0}, True, "point")


def test_what_a_policy_says_of_itself_is_its_own(family):
    policy = load_policy(str(family / "child.yaml")).policy
    assert (policy.id, policy.version, policy.title) == ("child", "0.1.0", "Child")
    assert policy.owner is None
    assert policy.extends is None


def test_a_new_limit_does_not_come_with_the_old_reason(family):
    assert load_policy(str(family / "child.yaml")).policy.rules[1].rationale is None


def test_chains_are_resolved_from_the_far_end(bench, family):
    bound = open_policy(str(family / "grandchild.yaml"), bench.metrics)
    assert bound.policy.confidence == 0.95
    assert [rule.rule.id for rule in bound.rules] == ["gap", "npl", "more"]
    assert [(parent.id, parent.version) for parent in bound.parents] == [
        ("child", "0.1.0"),
        ("base", "1.4.0"),
    ]
    base = open_policy(str(family.parent / "base.yaml"), bench.metrics)
    assert bound.parents[1].sha256 == policy_facts(base).sha256


def test_the_digest_is_that_of_the_resolved_policy(bench, family):
    before = policy_facts(open_policy(str(family / "grandchild.yaml"), bench.metrics))
    assert before.text == GRANDCHILD
    assert "extends" not in before.document
    assert before.sha256 == digest(before.document)
    base = family.parent / "base.yaml"
    base.write_text(BASE.replace("max: 0.2", "max: 0.1"), "utf-8")
    after = policy_facts(open_policy(str(family / "grandchild.yaml"), bench.metrics))
    assert after.text == before.text
    assert after.sha256 != before.sha256


def test_a_policy_without_parent_has_the_document_it_ever_had(bench):
    bound = bench.bind([bench.rule()])
    facts = policy_facts(bound)
    assert "extends" not in facts.document
    assert (facts.parents, facts.resolved) == ((), None)


def test_the_resolved_text_is_the_policy_and_says_who_says_what(family):
    loaded = load_policy(str(family / "grandchild.yaml"))
    text = resolved_text(loaded)
    assert policy_from_text(text).policy == loaded.policy
    said = {
        entry.strip(" -"): comment for entry, _, comment in map(_parted, text.splitlines()) if entry
    }
    assert said["confidence: 0.95"] == "from grandchild 0.2.0"
    assert said["holdout: 7"] == "from child 0.1.0"
    assert said["synthetic: 5"] == "from base 1.4.0"
    assert said["max_holdout_overlap: 0.1"] == "default"
    assert said["tau: 0.5"] == "from base 1.4.0"
    assert said["judge: point"] == "from base 1.4.0"
    assert said["equals: 0"] == "from child 0.1.0"
    assert text.startswith("# grandchild 0.2.0, with everything it extends: child 0.1.0 → base 1.4")


def _parted(line):
    return line.partition("  # ")[0].rstrip(), "", line.partition("  # ")[2]


@pytest.mark.parametrize("name", [*built_in_policies(), "template"])
def test_resolved_texts_of_shipped_policies_load_again(name):
    loaded = load_policy(name)
    text = resolved_text(loaded)
    assert policy_from_text(text).policy == loaded.policy
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize(
    "nasty", ["a: b # c", "two\nlines", " led", "x" * 300, "y  z " * 40, "'\"%"]
)
def test_resolved_texts_hold_any_text(bench, nasty):
    policy = bench.policy([bench.rule(rationale=nasty, params={"attackers": [nasty]})])
    loaded = policy_from_text(bind(policy, bench.metrics).text)
    assert policy_from_text(resolved_text(loaded)).policy == policy


def test_a_child_of_a_built_in_policy_judges_the_parents_rules(tmp_path):
    head = CHILD.partition("requires")[0].replace("../base.yaml", "public-release-strict")
    (tmp_path / "mine.yaml").write_text(head, "utf-8")
    bound = open_policy(str(tmp_path / "mine.yaml"), all_metrics())
    parent = open_policy("public-release-strict", all_metrics())
    assert [rule.rule for rule in bound.rules] == [rule.rule for rule in parent.rules]
    assert bound.policy.requires == parent.policy.requires


def test_the_examples_of_the_page_on_policies_open(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "policies.md").read_text("utf-8")
    whole, rule = "", ""
    for block in re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        whole = block if block.startswith("privgate:") else whole
        rule = block if block.startswith("  - id:") else rule
    (tmp_path / "hospital.yaml").write_text(whole + rule, "utf-8")
    bound = open_policy(str(tmp_path / "hospital.yaml"), all_metrics())
    asked = {bound.rule.id: (bound.measure, bound.rule.require.stated) for bound in bound.rules}
    assert asked["attribute-inference"] == ("gap", {"max": 0.02})
    assert asked["nobody-is-copied"] == ("identifier_replays", {"equals": 0})
    assert asked["no-group-left-behind"] == ("worst_group_gap", {"max": 0.15})
    assert [found for found in lint(bound, date(2026, 11, 30)) if found.level == "error"] == []


class TestInPython:
    def child(self, **given):
        head = {"id": "child", "version": "1.0.0", "title": "Child", "extends": "p"}
        return Policy.model_validate(head | given)

    def test_a_parent_is_looked_up_among_those_given(self, bench):
        base = bench.policy([bench.rule()], confidence=0.9)
        bound = bind(self.child(confidence=0.99), bench.metrics, parents=[base])
        assert bound.policy.confidence == 0.99
        assert bound.policy.rules == base.rules
        assert [parent.id for parent in bound.parents] == ["p"]

    def test_only_what_was_given_is_stated(self, bench):
        base = bench.policy([bench.rule()], confidence=0.99, requires={"holdout": True})
        bound = bind(self.child(), bench.metrics, parents=[base])
        assert bound.policy.confidence == 0.99
        assert bound.policy.requires.holdout
        assert "confidence" not in bound.text

    def test_it_judges_like_the_file(self, bench, tmp_path):
        base = bench.policy([bench.rule()])
        tighter = bench.rule(require={"max": 0.01}, source={"kind": "house", "ref": "us"})
        bound = bind(self.child(rules=[tighter]), bench.metrics, parents=[base])
        (tmp_path / "p.yaml").write_text(bind(base, bench.metrics).text, "utf-8")
        (tmp_path / "c.yaml").write_text(bound.text.replace('"p"', '"p.yaml"', 1), "utf-8")
        read = open_policy(str(tmp_path / "c.yaml"), bench.metrics)
        assert (read.policy, read.resolved) == (bound.policy, bound.resolved)
        evidence = bench.evidence(bound, {"guess": {"figures": {"gap": [0.02, 0.01, 0.03]}}})
        assert check(bound, evidence).rules == check(read, evidence).rules

    def test_loosened_parents_are_told_without_a_file(self, bench):
        base = bench.policy([bench.rule()])
        looser = bench.rule(require={"max": 0.5}, source={"kind": "house", "ref": "us"})
        with pytest.raises(PolicyError) as caught:
            bind(self.child(rules=[looser], confidence=0.6), bench.metrics, parents=[base])
        assert sorted((p.file, p.line, p.path) for p in caught.value.problems) == [
            (None, None, "confidence"),
            (None, None, "rules[0].require"),
        ]

    def test_an_unknown_parent_is_refused(self, bench):
        with pytest.raises(PolicyError, match="there is no policy 'p'"):
            bind(self.child(), bench.metrics)

    def test_a_parent_is_checked_too(self, bench):
        base = bench.policy([bench.rule(metric="gues")])
        with pytest.raises(PolicyError, match="did you mean 'guess'"):
            bind(self.child(), bench.metrics, parents=[base])

    def test_a_child_survives_its_document(self):
        child = self.child(confidence=0.9)
        assert Policy.model_validate_json(child.model_dump_json(), strict=True) == child


def test_a_child_cannot_do_without_its_parents_ledger():
    rule = Rule(
        id="copies",
        metric="crp",
        require=Limit(max=0.01),
        source=Source(kind="house", ref="board"),
        rationale="a test",
    )
    head = {"version": "1.0.0", "title": "t", "rules": (rule,)}
    parent = Policy(id="base", requires=Requirements(ledger=True), **head)
    assert merged(Policy(id="child", extends="base", **head), parent).requires.ledger
    loose = Policy(id="child", extends="base", requires=Requirements(ledger=False), **head)
    (found,) = loosenings(loose, parent)
    assert found.path == ("requires", "ledger")
    assert "requires a ledger" in found.message


def test_a_child_measures_no_fewer_rows_than_its_parent():
    rule = Rule(
        id="copies",
        metric="crp",
        require=Limit(max=0.01),
        source=Source(kind="house", ref="board"),
        rationale="a test",
    )
    head = {"version": "1.0.0", "title": "t", "rules": (rule,)}
    sampled = Policy(id="base", sample=500, **head)
    assert merged(Policy(id="child", extends="base", **head), sampled).sample == 500
    for sample, parent, refused in (
        (400, sampled, "measures 500 rows"),
        (900, sampled, None),
        (900, Policy(id="base", **head), "measures every row"),
    ):
        child = Policy(id="child", extends="base", sample=sample, **head)
        found = [loosening.message for loosening in loosenings(child, parent)]
        assert [refused in message for message in found] == ([True] if refused else [])
