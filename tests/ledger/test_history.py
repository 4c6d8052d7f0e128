"""What is written down, and what it tells about later evaluations."""

from __future__ import annotations

import json

import pytest

from privgate.evidence import RunEvidence, canonical_bytes, digest
from privgate.policy import check


def test_the_first_evaluation_begins_the_ledger(book):
    evidence, verdict = book.write()
    heading, entry = book.ledger.intact().lines
    assert (heading.n, heading.previous, heading.kind) == (0, None, "ledger")
    assert (entry.n, entry.previous) == (1, heading.sha256)
    facts = evidence.ledger
    assert (facts.entry, facts.previous, facts.earlier) == (1, heading.sha256, 0)
    assert (facts.other_candidates, facts.same_candidate, facts.tries) == (0, 0, ())
    assert entry.outcome == str(verdict.outcome)
    assert entry.evidence_sha256 == digest(evidence) == verdict.evidence_sha256
    assert entry.verdict_sha256 == digest(verdict)
    assert (entry.seed, entry.seed_source) == (1, "given")
    assert set(entry.tables) == {"train", "synthetic"}
    (rule,), (judged,) = entry.rules, verdict.rules
    assert (rule.id, rule.value, rule.high) == ("copies", judged.value, judged.high)
    head = json.loads(book.head.read_bytes())
    assert head == {"n": 1, "sha256": entry.sha256}


def test_a_history_worked_by_hand(book, make_policy):
    strict = make_policy(version="2.0.0", most=0.001)
    book.write(seed=1)
    book.write(seed=1)
    book.write(seed=2, seed_source="derived")
    book.write(seed=1, bound=strict)  # 0 of 120 leaves more than 0.1 % open: not assessed
    book.write(seed=1, synthetic="b")
    book.write(seed=1, synthetic="c")
    book.write(seed=3, synthetic="b", train="another")  # not against this train table
    facts = book.write(seed=9)[0].ledger
    assert facts.entry == 8
    assert facts.outcomes == {"met": 5, "violated": 0, "not_assessed": 1}
    assert facts.earlier == 6
    assert facts.other_candidates == 2
    assert (facts.policies, facts.seeds, facts.declarations) == (2, 2, 1)
    assert facts.seeds_given == 5
    assert facts.same_candidate == 4
    told = [(t.policy, t.seed, t.seed_source, t.evaluations) for t in facts.tries]
    assert told == [
        ("test 1.0.0", 1, "given", 2),
        ("test 1.0.0", 2, "derived", 1),
        ("test 2.0.0", 1, "given", 1),
    ]
    assert facts.tries[2].outcomes == {"met": 0, "violated": 0, "not_assessed": 1}


def test_another_declaration_of_the_columns_is_told_apart(book):
    book.write()
    *others, last = book.evidence.release.columns
    columns = (*others, last.model_copy(update={"role": "ignore"}))
    release = book.evidence.release.model_copy(update={"columns": columns})
    assert release.declaration_sha256 != book.evidence.release.declaration_sha256
    book.evidence = book.evidence.model_copy(update={"release": release})
    assert book.write()[0].ledger.declarations == 1
    facts = book.write()[0].ledger
    assert facts.declarations == 2
    assert [entry.evaluations for entry in facts.tries] == [1, 1]


@pytest.mark.parametrize("kept", ["sha256", "content_sha256"])
def test_a_table_is_known_by_its_bytes_or_by_its_content(book, kept):
    book.write()
    tables = {
        name: table.model_copy(
            update={part: digest(name) for part in ("sha256", "content_sha256") if part != kept}
        )
        for name, table in book.evidence.release.tables.items()
    }
    release = book.evidence.release.model_copy(update={"tables": tables})
    book.evidence = book.evidence.model_copy(update={"release": release})
    facts = book.write()[0].ledger
    assert (facts.earlier, facts.same_candidate, facts.other_candidates) == (1, 1, 0)


def test_a_hundred_reruns_are_told(book):
    for seed in range(100):
        book.write(seed=seed)
    facts = book.write(seed=1000)[0].ledger
    assert facts.entry == 101
    assert facts.earlier == facts.same_candidate == facts.seeds == facts.seeds_given == 100
    assert len(facts.tries) == 100
    assert facts.other_candidates == 0


def test_no_record_value_is_written(book, evidence):
    book.write()
    keys = set(json.loads(book.lines[1]))
    assert keys == {
        *("kind", "n", "previous", "created", "sha256", "tool", "release", "tables", "outcome"),
        *("declaration_sha256", "policy", "seed", "seed_source", "rules"),
        *("evidence_sha256", "verdict_sha256"),
    }
    assert not any(column.name.encode() in book.lines[1] for column in evidence.release.columns)


def test_the_ledger_changes_nothing_else_in_the_evidence(book):
    known, _ = book.write()
    assert known.model_copy(update={"ledger": None}) == book.evidence
    assert RunEvidence.model_validate_json(canonical_bytes(known)) == known


def test_evidence_from_before_there_were_ledgers_is_read(evidence):
    content = json.loads(canonical_bytes(evidence))
    assert content.pop("ledger") is None
    assert RunEvidence.model_validate(content) == evidence


def test_a_required_ledger_is_judged_from_evidence_alone(book, make_policy):
    asks = make_policy(ledger="true")
    verdict = check(asks, book.evidence)
    assert verdict.outcome == "not_assessed"
    (demand,) = verdict.requirements
    assert (demand.name, demand.seen, demand.satisfied) == ("ledger", False, False)
    assert demand.reason in verdict.reasons
    known, verdict = book.write(bound=asks)
    assert (verdict.outcome, verdict.requirements[0].satisfied) == ("met", True)
    assert check(asks, known) == verdict


def test_a_policy_that_asks_for_no_ledger_keeps_its_digest(make_policy):
    without = make_policy().policy
    assert "ledger" not in without.model_dump(mode="json")["requires"]
    assert make_policy(ledger="true").policy.model_dump()["requires"]["ledger"] is True
    # The digest of this very document before policies could ask for a ledger.
    assert digest(without) == "4b5bdfb2bc3a248171f3a880fa40ccee124a7525d5ab66ea2acce2a5627d5f5e"
