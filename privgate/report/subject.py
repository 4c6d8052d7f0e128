"""What the sections of a report are written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.evidence import Criterion
from privgate.report.blocks import Badge
from privgate.report.svg import icon

if TYPE_CHECKING:
    from privgate.evidence import Card, JsonValue, Measurement, PowerStudy, RunEvidence
    from privgate.policy.verdict import Outcome, Verdict
    from privgate.report.baseline import Baseline
    from privgate.report.redact import Audience
    from privgate.report.rule_view import RuleView
    from privgate.report.waiver_view import WaiverView
    from privgate.report.wording import Wording


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Evidence and verdict as the audience may see them, with the words of its language."""

    evidence: RunEvidence
    verdict: Verdict
    rules: tuple[RuleView, ...]
    words: Wording
    audience: Audience
    report_id: str
    verdict_sha256: str
    power: PowerStudy | None = None
    baseline: Baseline | None = None
    waivers: tuple[WaiverView, ...] = ()

    def stated(self, value: JsonValue) -> str:
        """Return a statement of the release file, or that it makes none."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        text = json_words(value)
        text = self.words.numbers.written(text) if is_number else text
        return text or self.words("document.not_stated")

    def context(self, name: str) -> str:
        """Return what the release file's context says about something."""
        return self.stated(self.evidence.release.context.get(name))

    def card(self, measurement: Measurement) -> Card:
        """Return the card of a measurement's metric."""
        return self.evidence.cards[measurement.metric]

    def rules_on(self, measurement: Measurement) -> tuple[RuleView, ...]:
        """Return the rules that judge a measurement."""
        return tuple(rule for rule in self.rules if rule.verdict.measurement == measurement.id)

    def used_cards(self) -> tuple[Card, ...]:
        """Return the cards of the metrics that were run, by name."""
        names = sorted({measurement.metric for measurement in self.evidence.measurements})
        return tuple(self.evidence.cards[name] for name in names)


def badge(outcome: Outcome | str, words: Wording) -> Badge:
    """Return an outcome with its name and sign."""
    return Badge(str(outcome), words(f"outcome.{outcome}"), icon(str(outcome)))


def criteria_words(criteria: tuple[Criterion, ...], card: Card, words: Wording) -> str:
    """Return the names of criteria, or what a card is about that speaks to none."""
    names = [words(f"criterion.{c}") for c in Criterion if c in criteria]
    return ", ".join(names) or words("verdict.utility" if card.is_utility else "verdict.none")


def json_words(value: JsonValue) -> str:
    """Return a JSON value in words.

    Examples
    --------
    >>> json_words({"epsilon": 1.0, "unit": ["person", "day"]}), json_words(None)
    ('epsilon: 1.0; unit: person, day', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "; ".join(f"{name}: {json_words(item) or '–'}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(json_words(item) or "–" for item in value)
    return str(value).strip()
