"""What a new version of a policy asks more, less or differently, rule by rule."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.evidence import Frozen, JsonValue, document
from privgate.policy.bind import reference
from privgate.policy.extends import limit_words
from privgate.policy.limits import is_within
from privgate.policy.requirements import MinimumRows
from privgate.policy.verdict import PolicyReference  # noqa: TC001 - pydantic reads it at run time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.policy.bind import BoundPolicy, BoundRule
    from privgate.policy.model import Policy, Rule


class Effect(StrEnum):
    """What a change does to a release: ``CHANGED`` asks something else, ``REWORDED`` nothing."""

    LOOSER = "looser"
    REMOVED = "removed"
    CHANGED = "changed"
    TIGHTER = "tighter"
    ADDED = "added"
    REWORDED = "reworded"


class Change(Frozen):
    """One entry that differs; ``rule`` is absent where it is about the whole policy."""

    rule: str | None = None
    entry: str  # as it is named in a policy file, such as requires.min_rows.train
    effect: Effect
    before: JsonValue
    after: JsonValue

    def __str__(self) -> str:
        place = f"rule {self.rule!r}" if self.rule else self.entry
        if self.rule and self.entry != "rule":
            place += f": {self.entry}"
        if self.effect in {Effect.ADDED, Effect.REMOVED}:
            asked = self.after if self.before is None else self.before
            return f"{self.effect}: {place}: {_words(asked)}"
        return f"{self.effect}: {place}: {_words(self.before)} → {_words(self.after)}"


class PolicyDifference(Frozen):
    """Every difference between two policies, the gravest first.

    ``same`` says that both ask the same of every release, in whatever words; ``loosened`` that the
    new policy asks less somewhere, or something that cannot be compared.
    """

    schema_: Literal["privgate/policy-difference/v1"] = Field(
        default="privgate/policy-difference/v1", alias="schema"
    )
    old: PolicyReference
    new: PolicyReference
    same: bool
    loosened: bool
    changes: tuple[Change, ...]


_Entry = tuple[str, Effect, JsonValue, JsonValue]
_LOOSENING = {Effect.LOOSER, Effect.REMOVED, Effect.CHANGED}


def compare_policies(old: BoundPolicy, new: BoundPolicy) -> PolicyDifference:
    """Return what a new policy asks more, less or differently than an old one.

    Both are compared as they are resolved; rules are those of the same id, and parameters and
    figures that are left to their defaults equal those written out.
    """
    changes = [*_frame_changes(old.policy, new.policy), *_rules_changes(old, new)]
    order = list(Effect)
    changes.sort(key=lambda change: order.index(change.effect))
    effects = {change.effect for change in changes}
    return PolicyDifference(
        old=reference(old.policy),
        new=reference(new.policy),
        same=effects <= {Effect.REWORDED},
        loosened=bool(effects & _LOOSENING),
        changes=tuple(changes),
    )


def _frame_changes(old: Policy, new: Policy) -> Iterator[Change]:
    before, after = document(old), document(new)
    for name in ("id", "version", "title", "owner", "review_by"):
        if before[name] != after[name]:
            yield _change(None, (name, Effect.REWORDED, before[name], after[name]))
    for entry in chain(_confidence(old, new), _sample(old, new), _requirements(old, new)):
        yield _change(None, entry)


def _confidence(old: Policy, new: Policy) -> Iterator[_Entry]:
    if old.confidence != new.confidence:
        tighter = new.confidence > old.confidence
        yield "confidence", _effect(tighter=tighter), old.confidence, new.confidence


def _sample(old: Policy, new: Policy) -> Iterator[_Entry]:
    if old.sample != new.sample:
        # Fewer rows see less, but only a whole release can be met: neither is simply tighter.
        both = None not in {old.sample, new.sample}
        tighter = both and (new.sample or 0) > (old.sample or 0)
        effect = _effect(tighter=tighter) if both else Effect.CHANGED
        yield "sample", effect, old.sample, new.sample


def _requirements(old: Policy, new: Policy) -> Iterator[_Entry]:
    before, after = old.requires, new.requires
    if before.kind != after.kind:
        other = None not in {before.kind, after.kind}
        change = Effect.CHANGED if other else _effect(tighter=before.kind is None)
        yield "requires.kind", change, before.kind, after.kind
    for name in ("holdout", "ledger", "full_policy"):
        was, wanted = getattr(before, name), getattr(after, name)
        if was != wanted:
            yield f"requires.{name}", _effect(tighter=wanted), was, wanted
    for table in MinimumRows.model_fields:
        least, rows = (getattr(requires.min_rows, table) for requires in (before, after))
        if least != rows:
            tighter = (rows or 0) > (least or 0)
            yield f"requires.min_rows.{table}", _effect(tighter=tighter), least, rows
    most, share = before.max_holdout_overlap, after.max_holdout_overlap
    if most != share:
        yield "requires.max_holdout_overlap", _effect(tighter=share < most), most, share
    for name in ("coverage", "declared"):
        asked, asks = set(getattr(before, name)), set(getattr(after, name))
        if asked != asks:
            effect = _effect(tighter=asked <= asks) if asked <= asks or asks <= asked else None
            listed, lists = (document(requires).get(name, []) for requires in (before, after))
            yield f"requires.{name}", effect or Effect.CHANGED, listed, lists


def _rules_changes(old: BoundPolicy, new: BoundPolicy) -> Iterator[Change]:
    before = {bound.rule.id: bound for bound in old.rules}
    after = {bound.rule.id: bound for bound in new.rules}
    for name in (*before, *(name for name in after if name not in before)):
        if name not in after:
            yield _change(name, ("rule", Effect.REMOVED, _summary(before[name]), None))
        elif name not in before:
            yield _change(name, ("rule", Effect.ADDED, None, _summary(after[name])))
        else:
            for entry in _rule_changes(before[name], after[name]):
                yield _change(name, entry)


def _rule_changes(old: BoundRule, new: BoundRule) -> Iterator[_Entry]:
    asked = [*_question_changes(old, new)]
    yield from asked
    yield from _limit_change(old.rule, new.rule, comparable=not asked)
    for name, tighter in (("judge", "bound"), ("severity", "blocking"), ("waivable", False)):
        before, after = getattr(old.rule, name), getattr(new.rule, name)
        if before != after:
            yield name, _effect(tighter=after == tighter), before, after
    for name in ("source", "rationale"):
        before, after = document(old.rule)[name], document(new.rule)[name]
        if before != after:
            yield name, Effect.REWORDED, before, after


def _question_changes(old: BoundRule, new: BoundRule) -> Iterator[_Entry]:
    if old.metric.name != new.metric.name:
        yield "metric", Effect.CHANGED, old.metric.name, new.metric.name
        return
    before, after = document(old.params), document(new.params)
    if before != after:
        differ = {name for name in {**before, **after} if before.get(name) != after.get(name)}
        shown, shows = (
            {name: value for name, value in params.items() if name in differ}
            for params in (before, after)
        )
        yield "params", Effect.CHANGED, shown, shows
    if old.measure != new.measure:
        yield "measure", Effect.CHANGED, old.measure, new.measure


def _limit_change(old: Rule, new: Rule, *, comparable: bool) -> Iterator[_Entry]:
    before, after = old.require, new.require
    if before == after:
        return
    effect = Effect.CHANGED
    if comparable and (is_within(after, before) or is_within(before, after)):
        effect = _effect(tighter=is_within(after, before))
    yield "require", effect, document(before), document(after)


def _summary(bound: BoundRule) -> JsonValue:
    rule = bound.rule
    asked = f"{bound.metric.name} {bound.measure}, {limit_words(rule.require)}"
    return f"{asked}, {rule.severity.value}"


def _effect(*, tighter: bool) -> Effect:
    return Effect.TIGHTER if tighter else Effect.LOOSER


def _change(rule: str | None, entry: _Entry) -> Change:
    name, effect, before, after = entry
    return Change(rule=rule, entry=name, effect=effect, before=before, after=after)


def _words(value: JsonValue) -> str:
    """Return a value for people, in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value)) or "none"
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    visible = "".join(sign if sign.isprintable() else " " for sign in str(value))
    return " ".join(visible.split())
