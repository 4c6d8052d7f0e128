"""How often the data were judged before, as far as a ledger tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from privgate.evidence import Judged
from privgate.report.blocks import Cell, Facts, Prose, Table, table_head
from privgate.report.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.evidence import EarlierTries, LedgerFacts
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

# Counts of evaluations say nothing about people, so none is withheld in the shareable edition.


def history_blocks(subject: Subject) -> Iterator[Block]:
    """Yield what the ledger tells about earlier evaluations, or that there was none."""
    words, facts = subject.words, subject.evidence.ledger
    if facts is None:
        yield Prose((words("history.no_ledger"),))
        return
    if facts.same_candidate:
        told = words(
            "history.again",
            count=count_text(facts.same_candidate, words.numbers),
            outcomes=_outcome_words(_sum(facts.tries), words),
        )
        yield Prose((told,), stress=True)
    yield Facts(tuple(_told(facts, words)))
    if facts.tries:
        yield _tries_table(facts, subject)
    yield Prose((words("history.limits"),))


def history_line(facts: LedgerFacts, words: Wording) -> str:
    """Return in one line how often train table and synthetic table were judged before."""
    counts = {"number": facts.earlier + 1, "again": facts.same_candidate}
    return words(
        "history.line", **{name: count_text(it, words.numbers) for name, it in counts.items()}
    )


def _told(facts: LedgerFacts, words: Wording) -> Iterator[tuple[str, str]]:
    values = {
        "number": count_text(facts.earlier + 1, words.numbers),
        "outcomes": _outcome_words(facts.outcomes, words),
        "candidates": count_text(facts.other_candidates + 1, words.numbers),
        "different": words(
            "history.different_value",
            policies=count_text(facts.policies, words.numbers),
            seeds=count_text(facts.seeds, words.numbers),
            declarations=count_text(facts.declarations, words.numbers),
        ),
        "seeds_given": count_text(facts.seeds_given, words.numbers),
        "interrupted": count_text(facts.interrupted, words.numbers),
        "entry": words("history.entry_value", entry=str(facts.entry), previous=facts.previous),
    }
    for name, value in values.items():
        if facts.earlier or name not in {"outcomes", "different", "seeds_given"}:
            yield words(f"history.{name}"), value


def _tries_table(facts: LedgerFacts, subject: Subject) -> Table:
    words = subject.words
    names = ("policy", "seed", "differs", "times", *get_args(Judged))
    heads = table_head(
        *(words(f"history.head_{name}") for name in names), numeric=frozenset({3, 4, 5, 6})
    )
    rows = tuple(
        (
            Cell(tries.policy),
            Cell(words(f"annex.seed_{tries.seed_source}", seed=str(tries.seed))),
            Cell(_differences(tries, subject)),
            Cell(count_text(tries.evaluations, words.numbers)),
            *(
                Cell(count_text(tries.outcomes.get(outcome, 0), words.numbers))
                for outcome in get_args(Judged)
            ),
        )
        for tries in facts.tries
    )
    return Table(caption=words("history.caption"), headings=heads, rows=rows)


def _differences(tries: EarlierTries, subject: Subject) -> str:
    """Return in what an earlier evaluation of this synthetic table was another than this one."""
    words, evidence = subject.words, subject.evidence
    same = {
        "policy": tries.policy_sha256 == subject.verdict.policy.sha256,
        "seed": tries.seed == evidence.run.seed,
        "declaration": tries.declaration_sha256 == evidence.release.declaration_sha256,
    }
    found = [words(f"history.another_{name}") for name, is_same in same.items() if not is_same]
    return ", ".join(found) or words("history.nothing")


def _sum(tries: tuple[EarlierTries, ...]) -> dict[Judged, int]:
    outcomes: tuple[Judged, ...] = get_args(Judged)
    return {name: sum(entry.outcomes.get(name, 0) for entry in tries) for name in outcomes}


def _outcome_words(outcomes: Mapping[Judged, int], words: Wording) -> str:
    counts = {name: count_text(outcomes.get(name, 0), words.numbers) for name in get_args(Judged)}
    return words("history.outcomes_value", **counts)
