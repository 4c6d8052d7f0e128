"""What waivers do to rules: each counts, or is listed with why it does not.

A waiver only ever replaces *violated* or *not assessed* by *waived*, on the one rule it names.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING

from privgate.data.documents import dotted
from privgate.data.explanations import did_you_mean
from privgate.policy.verdict import AppliedWaiver, Outcome, WaiversFacts, WaiverVerdict
from privgate.policy.waivers import waivers_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from privgate.errors import Problem
    from privgate.evidence import JsonValue, RunEvidence
    from privgate.policy.bind import BoundPolicy
    from privgate.policy.verdict import RuleVerdict, Verdict
    from privgate.policy.waivers import Waiver, Waivers

_LONGEST = 2000  # letters of a malformed entry that are kept: what is well formed is no longer


@dataclass(frozen=True)
class Fault:
    """Why a well-formed waiver does not count: the field concerned, a clause, and what to do."""

    field: str
    message: str
    remedy: str | None = None

    @property
    def clause(self) -> str:
        """Return the message with the remedy."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


def run_day(evidence: RunEvidence) -> date:
    """Return the day, in UTC, on which a run was made: the day for which waivers are judged."""
    created = evidence.run.created
    return (created.astimezone(UTC) if created.tzinfo else created).date()


def waivers_facts(waivers: Waivers | None, day: date) -> WaiversFacts | None:
    """Return what a verdict keeps of a waivers file, enough to judge by it again."""
    if waivers is None:
        return None
    digest = sha256(waivers.document.text.encode()).hexdigest()
    return WaiversFacts(day=day, sha256=digest, text=waivers.document.text)


def stored_waivers(verdict: Verdict) -> Waivers | None:
    """Return the waivers that a verdict was passed with, to judge again."""
    stored = verdict.waivers_file
    return None if stored is None else waivers_from_text(stored.text)


def apply_waivers(
    waivers: Waivers | None,
    rules: tuple[RuleVerdict, ...],
    bound: BoundPolicy,
    evidence: RunEvidence,
) -> tuple[tuple[RuleVerdict, ...], tuple[WaiverVerdict, ...]]:
    """Return the rules as waivers leave them, and what became of each waiver.

    The first waiver that counts covers its rule; later ones for the same rule are listed as such.
    """
    if waivers is None:
        return rules, ()
    after = {rule.id: rule for rule in rules}
    covered: dict[str, int] = {}
    told = []
    for position, entry in enumerate(waivers.entries):
        against = [_clause(problem) for problem in entry.problems]
        if entry.waiver is not None:
            against = [fault.clause for fault in _faults(entry.waiver, bound, evidence)]
            against = against or [*_idle(entry.waiver, after, covered)]
            if not against:
                covered[entry.waiver.rule] = position
                after[entry.waiver.rule] = _waived(after[entry.waiver.rule], entry.waiver)
        told.append(_told(waivers, position, against))
    return tuple(after[rule.id] for rule in rules), tuple(told)


def rule_faults(waiver: Waiver, bound: BoundPolicy) -> Iterator[Fault]:
    """Yield why a policy has no rule that the waiver may cover."""
    rules = {rule.rule.id: rule.rule for rule in bound.rules}
    if waiver.rule not in rules:
        remedy = did_you_mean(waiver.rule, rules)
        yield Fault("rule", f"the policy has no rule {waiver.rule!r}", remedy)
    elif not rules[waiver.rule].waivable:
        yield Fault("rule", f"the policy does not let rule {waiver.rule!r} be waived")


def file_faults(waiver: Waiver, sha256: str | None) -> Iterator[Fault]:
    """Yield that a waiver is bound to another synthetic file than the one with this digest."""
    if waiver.release_sha256 != sha256:
        yield Fault(
            "release_sha256", "it was granted for another synthetic file: the SHA-256 differs"
        )


def day_faults(waiver: Waiver, day: date) -> Iterator[Fault]:
    """Yield why a waiver does not count on a day; its last day is still one of its days."""
    if day < waiver.granted:
        yield Fault("granted", f"it is granted from {waiver.granted} on, and the day is {day}")
    if day > waiver.expires:
        yield Fault("expires", f"it expired on {waiver.expires}, and the day is {day}")


def _faults(waiver: Waiver, bound: BoundPolicy, evidence: RunEvidence) -> Iterator[Fault]:
    """Yield why a well-formed waiver can cover no rule of this policy on this evidence."""
    synthetic = evidence.release.tables.get("synthetic")
    yield from rule_faults(waiver, bound)
    yield from file_faults(waiver, None if synthetic is None else synthetic.sha256)
    yield from day_faults(waiver, run_day(evidence))


def _idle(
    waiver: Waiver, rules: Mapping[str, RuleVerdict], covered: Mapping[str, int]
) -> Iterator[str]:
    """Yield why a waiver that could cover its rule has nothing to cover."""
    if waiver.rule in covered:
        yield f"{dotted(('waivers', covered[waiver.rule]))} already covers the rule"
    elif rules[waiver.rule].outcome is Outcome.MET:
        yield "it is not needed: the rule is met"


def _waived(rule: RuleVerdict, waiver: Waiver) -> RuleVerdict:
    applied = AppliedWaiver.model_validate(
        {
            "finding": rule.outcome.value,
            **waiver.model_dump(exclude={"rule", "release_sha256"}),
        }
    )
    return rule.model_copy(update={"outcome": Outcome.WAIVED, "waiver": applied})


def _told(waivers: Waivers, position: int, against: list[str]) -> WaiverVerdict:
    given = waivers.entries[position].given
    written = given if isinstance(given, dict) else {}
    names = WaiverVerdict.model_fields.keys() - {"position", "line", "counted", "why"}
    why = "; ".join(against) or "it covers the finding of its rule, which stands"
    return WaiverVerdict(
        position=position,
        line=waivers.document.line(("waivers", position)),
        counted=not against,
        why=_printable(why),
        **{name: _text(written.get(name)) for name in names},
    )


def _text(value: JsonValue) -> str | None:
    """Return a text as it was written; of a malformed one, what can be printed."""
    return _printable(value) if isinstance(value, str) else None


def _printable(text: str) -> str:
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return "".join(
        s if s.isprintable() or s == "\n" else "\N{REPLACEMENT CHARACTER}" for s in shown
    )


def _clause(problem: Problem) -> str:
    """Return a problem without file and line, and with its place inside the waiver only."""
    place = (problem.path or "").partition("].")[2]
    said = f"{problem.message}; {problem.remedy}" if problem.remedy else problem.message
    return f"{place}: {said}" if place else said
