"""What the report says about earlier evaluations."""

from __future__ import annotations

import pytest

from privgate.evidence import EarlierTries, LedgerFacts, digest
from privgate.report import Audience, build_view
from privgate.report.blocks import Facts, Prose, Table


def tries(seed, *, policy="demo 1.0.0", source="given", met=1, violated=0, **changes):
    fields = {
        "policy": policy,
        "policy_sha256": digest({"id": policy.split()[0]}),
        "seed": seed,
        "seed_source": source,
        "declaration_sha256": digest("another"),
        "outcomes": {"met": met, "violated": violated, "not_assessed": 0},
    }
    return EarlierTries(**{**fields, **changes})


def facts(*found, earlier=0):
    before = sum(entry.evaluations for entry in found)
    return LedgerFacts(
        entry=20,
        previous=digest("before"),
        interrupted=0,
        outcomes={"met": before, "violated": earlier, "not_assessed": 0},
        other_candidates=2 if earlier else 0,
        policies=1,
        seeds=3,
        declarations=1,
        seeds_given=2,
        tries=found,
    )


@pytest.fixture
def view(sample):
    """Return a function from what a ledger told to the status and the blocks of the report."""

    def draw(ledger, audience=Audience.SHAREABLE):
        evidence, verdict = sample.sample("met")
        evidence = evidence.model_copy(update={"ledger": ledger})
        verdict = verdict.model_copy(update={"evidence_sha256": digest(evidence)})
        drawn = build_view(evidence, verdict, audience=audience)
        (annex,) = (section for section in drawn.sections if section.number == 19)
        titles = [getattr(block, "text", "") for block in annex.blocks]
        first = titles.index("Earlier evaluations") + 1
        last = titles.index("Files and their digests (SHA-256)")
        return dict(drawn.status), annex.blocks[first:last]

    return draw


def test_without_a_ledger_the_report_says_that_nothing_is_known(view):
    status, blocks = view(None)
    assert "Ledger" not in status
    (block,) = blocks
    told = (
        "No ledger was kept. How often these data were judged before, with other seeds or under "
        "other policies, cannot be seen from this report."
    )
    assert block.paragraphs == (told,)


def test_a_first_evaluation_is_told_as_one(view):
    status, blocks = view(facts())
    assert status["Ledger"] == (
        "evaluation 1 against this train table; earlier evaluations of this synthetic table: 0"
    )
    told, _ = blocks
    assert isinstance(told, Facts)
    items = dict(told.items)
    assert items["Evaluations against this train table, this one included"] == "1"
    assert items["Entry in the ledger"] == f"20, after the line {digest('before')}"
    assert "Outcomes of the earlier ones" not in items


@pytest.mark.parametrize("audience", Audience)
def test_repeated_evaluations_stand_out_in_both_editions(view, sample, audience):
    evidence = sample.sample("met")[0]
    own = evidence.release.declaration_sha256
    again = tries(evidence.run.seed, source="derived", declaration_sha256=own, met=1, violated=4)
    status, blocks = view(
        facts(again, tries(7), tries(8, policy="loose 1.0.0"), earlier=3), audience
    )
    assert status["Ledger"] == (
        "evaluation 11 against this train table; earlier evaluations of this synthetic table: 7"
    )
    stressed, told, table, _ = blocks
    assert isinstance(stressed, Prose)
    assert stressed.stress
    assert "Earlier evaluations: 7 (3 met · 4 violated · 0 not assessed)" in stressed.paragraphs[0]
    items = dict(told.items)
    assert items["Different synthetic tables judged against it, this one included"] == "3"
    assert items["Earlier evaluations with a seed given by hand"] == "2"
    assert isinstance(table, Table)
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[2] for row in rows] == [
        "nothing",
        "seed, declaration of the columns",
        "policy, seed, declaration of the columns",
    ]
    assert rows[0][3:] == ["5", "1", "4", "0"]
    assert rows[1][1] == "7, given by hand"


def test_a_hundred_tries_are_counted(view):
    status, blocks = view(facts(*(tries(seed) for seed in range(100))))
    assert "this synthetic table: 100" in status["Ledger"]
    assert "Earlier evaluations: 100 (100 met" in blocks[0].paragraphs[0]
