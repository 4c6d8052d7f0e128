"""What a child policy makes of its parent: it may tighten it, and nothing else.

One rule holds for the whole file: what the child leaves out stays as it is in the parent, and what
it writes must ask at least as much. Only what the policy says of itself (id, version, title, owner)
is always the child's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from privgate.evidence import canonical_bytes
from privgate.policy.limits import is_within
from privgate.policy.model import Judge, Rule
from privgate.policy.requirements import MinimumRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from privgate.policy.model import Limit, Policy, RulePath
    from privgate.policy.requirements import Requirements

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True, kw_only=True)
class Loosening:
    """Something in a child that asks less than the parent, with its place in both."""

    path: RulePath
    parent_path: RulePath
    message: str
    remedy: str


def merged(child: Policy, parent: Policy) -> Policy:
    """Return the policy that a child and its resolved parent make together.

    It is one that may judge only if there are no :func:`loosenings`. A policy that is merged into
    what it has made stays what it is.

    Examples
    --------
    >>> from privgate.policy.model import Limit, Policy, Source
    >>> house = Source(kind="house", ref="board")
    >>> copies = Rule(id="copies", metric="crp", require=Limit(max=0.01), source=house)
    >>> base = Policy(id="base", version="1.0.0", title="Base", rules=[copies], confidence=0.9)
    >>> fewer = copies.model_copy(update={"require": Limit(max=0.001)})
    >>> ward = Policy(id="ward", version="1.0.0", title="Ward", extends="base", rules=[fewer])
    >>> found = merged(ward, base)
    >>> found.id, found.confidence, [rule.require.stated for rule in found.rules]
    ('ward', 0.9, [{'max': 0.001}])
    """
    own = {rule.id: rule for rule in child.rules}
    inherited = {rule.id: rule for rule in parent.rules}
    rules = [_merged_rule(own[rule.id], rule) if rule.id in own else rule for rule in parent.rules]
    rules += [rule for rule in child.rules if rule.id not in inherited]
    requires = _filled(child.requires, parent.requires)
    rows = _filled(child.requires.min_rows, parent.requires.min_rows)
    left_out = {"confidence", "review_by", "sample"} - child.model_fields_set
    return child.model_copy(
        update={
            "extends": None,
            "requires": requires.model_copy(update={"min_rows": rows}),
            "rules": tuple(rules),
            **{name: getattr(parent, name) for name in left_out},
        }
    )


def loosenings(child: Policy, parent: Policy) -> Iterator[Loosening]:
    """Yield everything in a child that asks less than its resolved parent, or something else."""
    whole = merged(child, parent)
    yield from _looser_frame(whole, parent)
    yield from _looser_requirements(whole.requires, parent.requires)
    own = {rule.id: position for position, rule in enumerate(child.rules)}
    inherited = {rule.id: position for position, rule in enumerate(parent.rules)}
    for rule in whole.rules:
        if rule.id not in own:
            continue
        here: RulePath = ("rules", own[rule.id])
        if rule.id in inherited:
            there = inherited[rule.id]
            yield from _looser_rule(rule, parent.rules[there], here, ("rules", there))
        for other in parent.rules:
            if other.id not in own and other.content == rule.content:
                yield Loosening(
                    path=here,
                    parent_path=("rules", inherited[other.id]),
                    message=f"the rule repeats the parent's rule {other.id!r}",
                    remedy=f"remove it, or tighten {other.id!r} under that id",
                )


def _filled(own: M, inherited: M) -> M:
    left_out = type(own).model_fields.keys() - own.model_fields_set
    return own.model_copy(update={name: getattr(inherited, name) for name in left_out})


def _merged_rule(own: Rule, inherited: Rule) -> Rule:
    """Fill a rule from the parent's; a new limit does not come with the reason of the old one."""
    rule = _filled(own, inherited)
    if own.require == inherited.require or "rationale" in own.model_fields_set:
        return rule
    return rule.model_copy(update={"rationale": None})


def _looser_frame(whole: Policy, parent: Policy) -> Iterator[Loosening]:
    if not whole.confidence >= parent.confidence:
        yield Loosening(
            path=("confidence",),
            parent_path=("confidence",),
            message=f"{whole.confidence:g} is lower than the parent's {parent.confidence:g}",
            remedy=f"write {parent.confidence:g} or more, or leave it out",
        )
    due = parent.review_by
    if due is not None and not (whole.review_by is not None and whole.review_by <= due):
        yield Loosening(
            path=("review_by",),
            parent_path=("review_by",),
            message=f"{whole.review_by or 'no day'} is later than the parent's {due}",
            remedy=f"write {due} or an earlier day, or leave it out",
        )
    most, rows = parent.sample, whole.sample
    if rows is not None and not (most is not None and rows >= most):
        measured = "every row" if most is None else f"{most} rows"
        yield Loosening(
            path=("sample",),
            parent_path=("sample",) if most is not None else (),
            message=f"{rows} rows are fewer than the parent's: it measures {measured}",
            remedy="leave it out" if most is None else f"write {most} or more, or leave it out",
        )


_ASKED_FOR = {
    "holdout": "the parent requires a holdout",
    "ledger": "the parent requires a ledger",
    "full_policy": "the parent only screens and lets nothing out",
}


def _looser_requirements(whole: Requirements, parent: Requirements) -> Iterator[Loosening]:
    found: list[tuple[RulePath, str, str]] = [
        ((name,), message, "write true")
        for name, message in _ASKED_FOR.items()
        if getattr(parent, name) and not getattr(whole, name)
    ]
    if parent.kind is not None and whole.kind != parent.kind:
        found.append((("kind",), f"the parent is for {parent.kind}s", f"write {parent.kind}"))
    for table in MinimumRows.model_fields:
        rows, least = (getattr(it.min_rows, table) for it in (whole, parent))
        if least is not None and not (rows is not None and rows >= least):
            message = f"{'no minimum' if rows is None else rows} is less than the parent's {least}"
            found.append((("min_rows", table), message, f"write {least} or more"))
    overlap, most = whole.max_holdout_overlap, parent.max_holdout_overlap
    if not overlap <= most:
        message = f"{overlap:g} is more than the parent's {most:g}"
        found.append((("max_holdout_overlap",), message, f"write {most:g} or less"))
    missing = [name.value for name in parent.coverage if name not in whole.coverage]
    if missing:
        names = ", ".join(map(repr, missing))
        found.append((("coverage",), f"the parent also requires {names}", f"add {names}"))
    undeclared = [place for place in parent.declared if place not in whole.declared]
    if undeclared:
        names = ", ".join(undeclared)
        message = f"the parent also requires {names} to be declared"
        found.append((("declared",), message, f"add {names}"))
    for place, message, remedy in found:
        path: RulePath = ("requires", *place)
        or_not = f"{remedy}, or leave it out"
        yield Loosening(path=path, parent_path=path, message=message, remedy=or_not)


def _looser_rule(rule: Rule, parent: Rule, here: RulePath, there: RulePath) -> Iterator[Loosening]:
    """Yield what a rule asks less than, or differently from, the parent's rule of that id."""
    for name, message, remedy in (*_another_question(rule, parent), *_looser_terms(rule, parent)):
        yield Loosening(
            path=(*here, name), parent_path=(*there, name), message=message, remedy=remedy
        )


def _another_question(rule: Rule, parent: Rule) -> Iterator[tuple[str, str, str]]:
    for name in ("metric", "params", "measure"):
        own, inherited = getattr(rule, name), getattr(parent, name)
        if canonical_bytes(own) == canonical_bytes(inherited):
            continue
        words = "the headline figure" if inherited is None else repr(inherited)
        what = "the headline figure" if own is None else repr(own)
        remedy = "give the rule an id of its own" + (
            "" if name == "metric" else f", or leave {name} out"
        )
        yield name, f"{what} is something else than the parent's {words}", remedy


def _looser_terms(rule: Rule, parent: Rule) -> Iterator[tuple[str, str, str]]:
    asked = limit_words(parent.require)
    if not is_within(rule.require, parent.require):
        message = f"{limit_words(rule.require)!r} allows more than the parent's {asked!r}"
        yield "require", message, f"write {asked} or a tighter limit"
    elif rule.require != parent.require and _has_the_reasons_of(parent, rule):
        message = f"the limit is not the parent's {asked!r} but source and rationale are"
        yield "source", message, f"say who decided on {limit_words(rule.require)!r}, and why"
    if parent.is_blocking and not rule.is_blocking:
        yield "severity", "'advisory' is weaker than the parent's 'blocking'", "write blocking"
    if parent.judge is Judge.BOUND and rule.judge is not Judge.BOUND:
        yield "judge", "'point' asks less than the parent's 'bound'", "write bound"
    if rule.waivable and not parent.waivable:
        yield "waivable", "the parent's rule is not waivable", "write false, or leave it out"


def _has_the_reasons_of(parent: Rule, rule: Rule) -> bool:
    return rule.source == parent.source and rule.rationale in {None, parent.rationale}


def limit_words(limit: Limit) -> str:
    """Return a limit as it is written in a policy.

    Examples
    --------
    >>> from privgate.policy.model import Limit
    >>> limit_words(Limit(min=0.1, max=0.5))
    'max 0.5, min 0.1'
    """
    return ", ".join(f"{operator} {number:.12g}" for operator, number in limit.stated.items())
