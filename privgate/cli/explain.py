"""``privgate explain``: what a rule, a metric or a code in an output means, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit
from privgate.cli.meanings import WORDS
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from privgate.evidence import Card
    from privgate.metrics import Metric
    from privgate.policy.bind import BoundPolicy, BoundRule


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Id of a rule, name of a metric, exit code, outcome or criterion."
        ),
    ],
    policy: Annotated[
        str, typer.Option("--policy", "-p", help="The policy whose rule is meant.")
    ] = "",
) -> None:
    """Tell what a word in an output means, and what to do.

    That is the id of a rule, a metric, an exit code, an outcome or a criterion. Without --policy,
    rules are looked for in the built-in policies. A metric of a plug-in is loaded.
    """
    from privgate.data.explanations import did_you_mean
    from privgate.metrics import all_metrics
    from privgate.metrics.plugins import with_plugins
    from privgate.policy.bind import unknown_metric

    metrics = with_plugins(all_metrics(), [name])
    policies = _policies(policy, metrics)
    texts = [] if policy or name not in WORDS else [_word(name)]
    texts += [] if policy else list(_metrics(name, metrics))
    texts += [_rule(rule, it) for it in policies for rule in it.rules if rule.rule.id == name]
    if not texts:
        rules = {rule.rule.id for it in policies for rule in it.rules}
        known = rules if policy else {*rules, *metrics, *WORDS}
        where = f"the policy {policy} has no rule" if policy else "nothing is called"
        plugin = "." in name and not policy
        remedy = unknown_metric(name, metrics)[2] if plugin else did_you_mean(name, known)
        raise InputError(Problem(f"{where} {name!r}", remedy=remedy))
    emit("\n\n".join(texts))


def _policies(policy: str, metrics: Mapping[str, Metric[Any]]) -> list[BoundPolicy]:
    from privgate.policy import built_in_policies, open_policy

    return [open_policy(it, metrics) for it in ([policy] if policy else built_in_policies())]


def _word(name: str) -> str:
    meaning = WORDS[name]
    kind = "exit code " if name.isdigit() else ""
    lines = [f"{kind}{name}: {meaning.means}."]
    return "\n".join(lines if meaning.do == "nothing" else [*lines, f"What to do: {meaning.do}."])


def _metrics(name: str, metrics: Mapping[str, Metric[Any]]) -> Iterator[str]:
    """Yield what the metric is that has this name, here or in the review."""
    for metric in metrics.values():
        card = metric.card
        if name != card.name and name.lower() != (card.review_name or "").lower():
            continue
        spec = card.figures[card.headline]
        better = "better" if card.is_utility else "harmless"
        headline = f"{card.headline}, {better} when {spec.safe_side}"
        model = card.threat_model
        yield "\n".join(
            [
                f"metric {card.name}: {card.title}. {card.question}",
                "Nobody attacks: it tells what the data are good for."
                if model is None
                else f"Who attacks: {model.attacker}, knows {model.knows}, wants {model.wants}.",
                f"Judged by default: {headline}. {spec.meaning}",
                f"In a policy: {_role(card)}.",
                *(f"Limit: {limit}" for limit in card.limits),
                f"All of it: privgate metric show {card.name}",
            ]
        )


def _role(card: Card) -> str:
    if card.can_satisfy:
        return "an attack; a rule on it can satisfy " + ", ".join(card.can_satisfy)
    if card.is_utility:
        return "it informs, stops nothing and satisfies no criterion"
    return "it can stop a release and satisfies no criterion"


def _rule(bound: BoundRule, policy: BoundPolicy) -> str:
    rule, spec, card = bound.rule, bound.figure, bound.metric.card
    limits = " and ".join(
        f"{operator} {value:g}" for operator, value in rule.require.stated.items()
    )
    judged = "the unfavourable end of its interval" if spec.has_interval else "its exact value"
    if spec.has_interval and rule.judge == "point":
        judged = "its value"
    lines = [
        f"rule {rule.id} of {policy.policy.id} {policy.policy.version}, {rule.severity}",
        f"Asks: {card.question} ({card.name})",
        f"Judges: {bound.measure}, {judged}: {limits}. {spec.meaning}",
        f"Limit from: {rule.source.kind.value}, {rule.source.ref}",
    ]
    if rule.rationale:
        lines.append(f"Why: {rule.rationale}")
    lines.append(f"What to do when it is broken: {_remedy(bound)}.")
    lines.append(f"More: privgate explain {card.name}")
    return "\n".join(lines)


def _remedy(bound: BoundRule) -> str:
    if not bound.rule.is_blocking:
        return "nothing has to be done; it is there to be read"
    if bound.metric.card.family == "screen":
        return (
            "look for copies and near copies of people in the table; `privgate clean` takes out "
            "the rows that a metric names, which proves nothing about the others"
        )
    return (
        "the generator gives away people it was trained on: train it with more noise, less detail "
        "or fewer columns, make the table anew and check again"
    )
