"""What is said of two policies that differ."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from privgate.metrics import all_metrics
from privgate.policy import compare_policies, difference_schema, open_policy

SAME, LOOSER = (True, False), (False, True)
TIGHTER = (False, False)
NPL = {"id": "npl", "metric": "privet", "require": {"equals": 0}}

# name: changes of the policy's head, rules of the old and the new policy, entries expected
CASES = {
    "nothing": ({}, {}, [{}], [{}], [], SAME),
    "lower max": ({}, {}, [{}], [{"require": {"max": 0.01}}], ["require tighter"], TIGHTER),
    "higher max": ({}, {}, [{}], [{"require": {"max": 0.1}}], ["require looser"], LOOSER),
    "max to below": ({}, {}, [{}], [{"require": {"below": 0.05}}], ["require tighter"], TIGHTER),
    "below to max": ({}, {}, [{"require": {"below": 0.05}}], [{}], ["require looser"], LOOSER),
    "pair moved": (
        {},
        {},
        [{"require": {"min": 0.1, "max": 0.2}}],
        [{"require": {"min": 0.15, "max": 0.3}}],
        ["require changed"],
        LOOSER,
    ),
    "higher above": (
        {},
        {},
        [{"metric": "privet", "measure": "p_pl", "require": {"above": 0.01}}],
        [{"metric": "privet", "measure": "p_pl", "require": {"min": 0.05}}],
        ["require tighter"],
        TIGHTER,
    ),
    "defaults written out": (
        {},
        {},
        [{}],
        [{"params": {"tau": 0.3}, "measure": "gap", "judge": "bound"}],
        [],
        SAME,
    ),
    "another parameter": ({}, {}, [{}], [{"params": {"tau": 0.5}}], ["params changed"], LOOSER),
    "another figure": (
        {},
        {},
        [{}],
        [{"measure": "fraction", "require": {"max": 0.01}}],
        ["measure changed", "require changed"],
        LOOSER,
    ),
    "another metric": (
        {},
        {},
        [{}],
        [{"metric": "copies", "require": {"max": 0.05}}],
        ["metric changed"],
        LOOSER,
    ),
    "made advisory": (
        {},
        {},
        [{}, NPL],
        [{"severity": "advisory"}, NPL],
        ["severity looser"],
        LOOSER,
    ),
    "judged on the point": ({}, {}, [{}], [{"judge": "point"}], ["judge looser"], LOOSER),
    "no longer waivable": ({}, {}, [{}], [{"waivable": False}], ["waivable tighter"], TIGHTER),
    "another reason": (
        {},
        {},
        [{}],
        [{"rationale": "so", "source": {"kind": "paper", "ref": "x"}}],
        ["source reworded", "rationale reworded"],
        SAME,
    ),
    "rule added": ({}, {}, [{}], [{}, NPL], ["rule added"], TIGHTER),
    "rule removed": ({}, {}, [{}, NPL], [{}], ["rule removed"], LOOSER),
    "rule renamed": ({}, {}, [{}], [{"id": "x"}], ["rule removed", "rule added"], LOOSER),
    "rules in another order": ({}, {}, [{}, NPL], [NPL, {}], [], SAME),
    "higher confidence": ({}, {"confidence": 0.99}, [{}], [{}], ["confidence tighter"], TIGHTER),
    "lower confidence": ({}, {"confidence": 0.9}, [{}], [{}], ["confidence looser"], LOOSER),
    "head": (
        {"owner": "a", "review_by": "2026-01-01"},
        {"title": "u", "version": "1.0.1", "review_by": "2028-01-01"},
        [{}],
        [{}],
        ["version reworded", "title reworded", "owner reworded", "review_by reworded"],
        SAME,
    ),
    "data": (
        {"requires": {"holdout": True, "min_rows": {"train": 9, "synthetic": 2}}},
        {"requires": {"min_rows": {"train": 10}, "max_holdout_overlap": 0.05}},
        [{}],
        [{}],
        [
            "requires.holdout looser",
            "requires.min_rows.synthetic looser",
            "requires.min_rows.train tighter",
            "requires.max_holdout_overlap tighter",
        ],
        LOOSER,
    ),
    "a ledger": (
        {},
        {"requires": {"ledger": True}},
        [{}],
        [{}],
        ["requires.ledger tighter"],
        TIGHTER,
    ),
    "no ledger any more": (
        {"requires": {"ledger": True}},
        {},
        [{}],
        [{}],
        ["requires.ledger looser"],
        LOOSER,
    ),
    "more coverage": (
        {},
        {"requires": {"coverage": ["inference"]}},
        [{}],
        [{}],
        ["requires.coverage tighter"],
        TIGHTER,
    ),
    "less coverage": (
        {"requires": {"coverage": ["inference"]}},
        {},
        [{}],
        [{}],
        ["requires.coverage looser"],
        LOOSER,
    ),
    "sampled": ({}, {"sample": 500}, [{}], [{}], ["sample changed"], LOOSER),
    "larger sample": ({"sample": 500}, {"sample": 900}, [{}], [{}], ["sample tighter"], TIGHTER),
    "smaller sample": ({"sample": 900}, {"sample": 500}, [{}], [{}], ["sample looser"], LOOSER),
    "other coverage": (
        {"requires": {"coverage": ["inference"]}},
        {"requires": {"coverage": ["membership"]}},
        [{}, {"id": "p", "metric": "privet", "measure": "p_pl", "require": {"above": 0.1}}],
        [{}, {"id": "p", "metric": "privet", "measure": "p_pl", "require": {"above": 0.1}}],
        ["requires.coverage changed"],
        LOOSER,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_difference(bench, name):
    before, after, old, new, expected, (same, loosened) = CASES[name]
    found = compare_policies(
        bench.bind([bench.rule(**rule) for rule in old], **before),
        bench.bind([bench.rule(**rule) for rule in new], **after),
    )
    assert [f"{change.entry} {change.effect}" for change in found.changes] == expected
    assert (found.same, found.loosened) == (same, loosened)
    Draft202012Validator(difference_schema()).validate(
        json.loads(found.model_dump_json(by_alias=True))
    )


def test_differences_are_told_in_words(bench):
    old = bench.bind([bench.rule(rationale="so\x1b[31m")], requires={"coverage": ["inference"]})
    new = bench.bind([bench.rule(require={"min": 0.01, "max": 0.5}), bench.rule(**NPL)])
    assert [str(change) for change in compare_policies(old, new).changes] == [
        "looser: requires.coverage: inference → none",
        "changed: rule 'the-rule': require: max 0.05 → max 0.5, min 0.01",
        "added: rule 'npl': privet npl, equals 0, blocking",
        "reworded: rule 'the-rule': rationale: so [31m → not given",
    ]


def test_resolved_policies_are_compared(tmp_path):
    head = "privgate: policy/v1\nid: mine\nversion: 1.0.0\ntitle: t\nextends: card-example\n"
    (tmp_path / "mine.yaml").write_text(head, "utf-8")
    parent = open_policy("card-example", all_metrics())
    found = compare_policies(parent, open_policy(str(tmp_path / "mine.yaml"), all_metrics()))
    assert found.same
    assert found.old.sha256 != found.new.sha256
