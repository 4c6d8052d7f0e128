"""What the policy makes of the figures, and what people have to make of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigureKind
from privgate.policy.verdict import Outcome
from privgate.report.blocks import (
    Blanks,
    Bullets,
    Cell,
    Facts,
    Prose,
    RuleCard,
    Section,
    Subheading,
    Table,
    plain_items,
    table_head,
)
from privgate.report.demand_view import view_demand
from privgate.report.numbers import count_text, level_text
from privgate.report.sections.pictures import rule_bar
from privgate.report.subject import badge, criteria_words
from privgate.report.waiver_view import first_expiry

if TYPE_CHECKING:
    from privgate.policy.verdict import RequirementVerdict
    from privgate.report.blocks import Block
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording


def verdict_section(subject: Subject) -> Section:
    """Return section 2: the verdict, rule by rule."""
    words = subject.words
    blocks: list[Block] = [_rule_table(subject)]
    blocks.append(Subheading(words("verdict.details")))
    blocks += [_rule_card(rule, subject) for rule in subject.rules]
    if subject.verdict.requirements:
        blocks += [Subheading(words("verdict.requirements")), _requirement_table(subject)]
    return Section(
        number=2,
        anchor="verdict",
        title=words("verdict.title"),
        lead=words("verdict.lead"),
        blocks=tuple(blocks),
    )


def assumptions_section(subject: Subject) -> Section:
    """Return section 13: numbered assumptions, each with its consequence."""
    words, run, release = subject.words, subject.evidence.run, subject.evidence.release
    values = {"unit": release.unit, "confidence": level_text(run.confidence, words.numbers)}
    consequence = words("assumptions.consequence")
    items = tuple(
        (entry["text"].format(**values), f"{consequence} {entry['consequence']}")
        for entry in words.entries("assumptions.items")
        if entry.get("only", release.kind) == release.kind
    )
    return Section(
        number=13,
        anchor="assumptions",
        title=words("assumptions.title"),
        lead=words("assumptions.lead"),
        blocks=(Bullets(items, numbered=True, fixed=True),),
    )


def limits_section(subject: Subject) -> Section:
    """Return section 14: limits of all checks, of each check, and the sources of the policy's."""
    words = subject.words
    blocks: list[Block] = [
        Subheading(words("limits.general")),
        Bullets(plain_items(words.listed("limits.items")), fixed=True),
    ]
    for card in subject.used_cards():
        blocks += [Subheading(card.title), Bullets(plain_items(card.limits))]
    blocks += [Subheading(words("limits.sources")), _source_table(subject)]
    return Section(
        number=14,
        anchor="limits",
        title=words("limits.title"),
        lead=words("limits.lead"),
        blocks=tuple(blocks),
    )


def residual_section(subject: Subject) -> Section:
    """Return section 15: what remains to be weighed."""
    words = subject.words
    names = ("residual_risk", "mitigations")
    stated = tuple((words(f"residual.{name}"), subject.context(name)) for name in names)
    open_rules = [
        (f"{rule.verdict.id}: {rule.title}", rule.finding)
        for rule in subject.rules
        if rule.verdict.severity == "advisory" and rule.verdict.outcome is not Outcome.MET
    ]
    advisory = Bullets(tuple(open_rules)) if open_rules else Prose((words("residual.none"),))
    let_stand = tuple(
        (f"{rule.verdict.id}: {rule.title}", rule.finding)
        for rule in subject.rules
        if rule.is_let_stand
    )
    waived = (Subheading(words("residual.waived")), Bullets(let_stand)) if let_stand else ()
    return Section(
        number=15,
        anchor="residual-risk",
        title=words("residual.title"),
        lead=words("residual.lead"),
        blocks=(Facts(stated), *waived, Subheading(words("residual.advisory")), advisory),
    )


def signoff_section(subject: Subject) -> Section:
    """Return section 17: decisions of people, blank until they are taken."""
    words = subject.words
    names = ("measures", "residual", "advice", "advice_taken", "review")
    heads = tuple(words(f"signoff.{name}") for name in ("subject", "name", "date", "signature"))
    blanks = Blanks(
        caption=words("signoff.caption"),
        headings=heads,
        rows=tuple((words(f"signoff.{name}"), "") for name in names),
    )
    return Section(
        number=17,
        anchor="sign-off",
        title=words("signoff.title"),
        lead=words("signoff.lead"),
        blocks=(blanks,),
    )


def review_section(subject: Subject) -> Section:
    """Return section 18: when to judge again."""
    words, policy = subject.words, subject.verdict.policy
    expiry = first_expiry(subject.verdict, words)
    facts = (
        *(((words("review.waivers"), expiry),) if expiry else ()),
        (words("review.policy"), words.day(subject.stated(policy.review_by))),
        (words("review.owner"), subject.stated(policy.owner)),
        (words("review.plan"), subject.context("review_plan")),
    )
    return Section(
        number=18,
        anchor="review-plan",
        title=words("review.title"),
        lead=words("review.lead"),
        blocks=(Bullets(plain_items(words.listed("review.items"))), Facts(facts)),
    )


def _rule_table(subject: Subject) -> Table:
    words = subject.words
    names = ("rule", "outcome", "measured", "judged", "limit", "margin", "source")
    heads = table_head(*(words(f"verdict.{n}") for n in names), numeric=frozenset({2, 3, 4, 5}))
    rows = tuple(_rule_row(rule, words) for rule in subject.rules)
    note = words("verdict.margin_note")
    return Table(caption=words("verdict.caption"), headings=heads, rows=rows, note=note)


def _rule_row(rule: RuleView, words: Wording) -> tuple[Cell, ...]:
    verdict = rule.verdict
    criteria = criteria_words(rule.criteria, rule.card, words)
    about = f"{criteria} · {words(f'severity.{verdict.severity}')}"
    source = tuple(text for text in (rule.source_ref,) if text)
    return (
        Cell(verdict.id, (rule.title, about)),
        Cell("", _let_stand(rule, words), badge(verdict.outcome, words)),
        Cell(rule.measured, (rule.interval,) if _has_interval(rule, words) else ()),
        Cell(rule.judged),
        Cell(rule.limit),
        Cell(rule.margin),
        Cell(rule.source_kind, source),
    )


def _has_interval(rule: RuleView, words: Wording) -> bool:
    """Return whether there is anything to say of an interval: a figure without value has none."""
    return rule.interval != words("columns.absent")


def _let_stand(rule: RuleView, words: Wording) -> tuple[str, ...]:
    """Return what a waived rule would be, and until when the waiver lasts."""
    waiver = rule.verdict.waiver
    if waiver is None:
        return ()
    finding = words(f"outcome.{waiver.finding}").lower()
    return (words("verdict.waived", finding=finding, last=words.day(waiver.expires)),)


def _waiver_words(rule: RuleView, words: Wording) -> str:
    """Return the waiver of a rule in one sentence, in the approver's words."""
    waiver = rule.verdict.waiver
    if waiver is None:
        return ""
    return words(
        "verdict.waiver_text",
        reason=waiver.reason.strip(),
        name=waiver.approved_by,
        last=words.day(waiver.expires),
    )


def _number_behind(rule: RuleView, words: Wording) -> tuple[str, str]:
    """Return how many records are behind the figure; behind a p value stand random draws."""
    name = "draws" if rule.kind is FigureKind.P_VALUE else "n"
    n = rule.verdict.n
    shown = words("columns.absent") if n is None else count_text(n, words.numbers)
    return words(f"verdict.{name}"), shown


def _rule_card(rule: RuleView, subject: Subject) -> RuleCard:
    words, verdict = subject.words, rule.verdict
    has_interval = _has_interval(rule, words)
    measured = f"{rule.measured} ({rule.interval})" if has_interval else rule.measured
    end = verdict.judge if verdict.low is not None else "point"
    facts = [
        (words("verdict.measured"), measured),
        (words("verdict.judged"), f"{rule.judged}, {words(f'verdict.{end}')}"),
        (words("verdict.limit"), rule.limit),
        _number_behind(rule, words),
        (words("verdict.part"), verdict.part or ""),
        (words("verdict.interval"), rule.method),
    ]
    if verdict.judged is None:
        del facts[1]
    notes = (
        (words("verdict.source"), ": ".join(t for t in (rule.source_kind, rule.source_ref) if t)),
        (words("verdict.rationale"), verdict.rationale or ""),
        (words("verdict.waiver"), _waiver_words(rule, words)),
    )
    return RuleCard(
        identity=verdict.id,
        title=rule.title,
        badge=badge(verdict.outcome, words),
        meaning=rule.meaning,
        reason=rule.reason,
        facts=tuple((name, text) for name, text in facts if text),
        notes=tuple((name, text) for name, text in notes if text),
        svg=rule_bar(rule, words, number=subject.rules.index(rule)),
    )


def _requirement_table(subject: Subject) -> Table:
    words = subject.words
    names = ("requirement", "outcome", "required", "seen")
    heads = table_head(*(words(f"verdict.{n}") for n in names), numeric=frozenset({2, 3}))
    rows = tuple(_requirement_row(item, words) for item in subject.verdict.requirements)
    return Table(caption=words("verdict.requirements"), headings=heads, rows=rows)


def _requirement_row(item: RequirementVerdict, words: Wording) -> tuple[Cell, ...]:
    outcome = Outcome.MET if item.satisfied else Outcome.NOT_ASSESSED
    demand = view_demand(item, words)
    details = (item.reason,) if demand.reason == item.reason else ()
    return (
        Cell(demand.name, details),
        Cell("", badge=badge(outcome, words)),
        Cell(demand.required),
        Cell(demand.seen),
    )


def _source_table(subject: Subject) -> Table:
    words = subject.words
    heads = table_head(*(words(f"verdict.{n}") for n in ("rule", "limit", "source", "rationale")))
    rows = tuple(
        (
            Cell(rule.verdict.id),
            Cell(rule.limit),
            Cell(rule.source_kind, (rule.source_ref,) if rule.source_ref else ()),
            Cell(rule.verdict.rationale or words("columns.absent")),
        )
        for rule in subject.rules
    )
    return Table(caption=words("limits.sources_caption"), headings=heads, rows=rows)
