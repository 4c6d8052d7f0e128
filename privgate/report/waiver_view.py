"""What the report says about waivers, and about an outcome that rests on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.numbers import count_text
from privgate.report.subject import badge

if TYPE_CHECKING:
    from privgate.policy.verdict import Verdict, WaiverVerdict
    from privgate.report.blocks import Badge
    from privgate.report.wording import Wording

_DIGITS = 12  # of a digest, enough to compare by eye; the verdict holds all


@dataclass(frozen=True, kw_only=True)
class WaiverView:
    """One waiver in words: what the approver wrote, as given, and whether it counted."""

    rule: str
    counted: bool
    state: str
    why: str
    reason: str
    terms: tuple[str, ...]


def view_waiver(waiver: WaiverVerdict, words: Wording) -> WaiverView:
    """Return what to say about a waiver, whether or not it counted."""
    absent = words("columns.absent")
    approved_by = waiver.approved_by or absent
    terms = [
        words("waivers.approved_by", name=approved_by),
        words(
            "waivers.days",
            first=words.day(waiver.granted or absent),
            last=words.day(waiver.expires or absent),
        ),
        words("waivers.bound_to", digest=_short(waiver.release_sha256) or absent),
    ]
    if waiver.compensating_measure:
        terms.append(words("waivers.measure", text=waiver.compensating_measure))
    why = waiver.why
    if waiver.counted:
        last = words.day(waiver.expires or absent)
        why = words("waivers.why_counted", name=approved_by, last=last)
    return WaiverView(
        rule=waiver.rule or absent,
        counted=waiver.counted,
        state=words(f"waivers.{'counted' if waiver.counted else 'ignored'}"),
        why=why,
        reason=waiver.reason or absent,
        terms=tuple(terms),
    )


def _short(digest: str | None) -> str:
    shown = digest or ""
    return shown if len(shown) <= _DIGITS else f"{shown[:_DIGITS]}…"


def waiver_count(verdict: Verdict, words: Wording) -> str:
    """Return how many blocking rules are kept from stopping by waivers only, as in "2 waivers"."""
    number = len(verdict.waived)
    return (
        words("waivers.one")
        if number == 1
        else words("waivers.many", count=count_text(number, words.numbers))
    )


def outcome_words(section: str, verdict: Verdict, words: Wording) -> str:
    """Return a text about the outcome; a release that is met thanks to waivers has its own."""
    if verdict.outcome == Outcome.MET and verdict.waived:
        return words(f"{section}.met_waived", waivers=waiver_count(verdict, words))
    return words(f"{section}.{verdict.outcome}")


def outcome_badge(verdict: Verdict, words: Wording) -> Badge:
    """Return the badge of the release: that of a waived rule where waivers opened the gate."""
    rests = verdict.outcome == Outcome.MET and verdict.waived
    plain = badge(Outcome.WAIVED if rests else verdict.outcome, words)
    return type(plain)(plain.outcome, outcome_words("outcome", verdict, words), plain.sign)


def first_expiry(verdict: Verdict, words: Wording) -> str:
    """Return the day after which the first waiver that was applied no longer counts, if any."""
    days = [rule.waiver.expires for rule in verdict.rules if rule.waiver is not None]
    return words.day(min(days)) if days else ""
