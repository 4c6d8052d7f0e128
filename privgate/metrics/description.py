"""A metric in words: the page that documents it, made from its card."""

from __future__ import annotations

import sys
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privgate.evidence import Card
    from privgate.metrics.contract import Metric


def describe(metric: Metric[Any]) -> str:
    """Return a metric's documentation as Markdown: its story, card and parameters."""
    card = metric.card
    better = "better" if card.is_utility else "harmless"
    lines = [
        f"# {card.title}",
        "",
        f"`{card.name}`, version {card.version}, {card.family}. {card.question}",
        "",
        *_origin(card),
        _attacker(card),
        "",
        cleandoc(sys.modules[metric.measure.__module__].__doc__ or ""),
        "",
        f"- Criteria: {', '.join(card.criteria) or 'none'}",
        f"- Can satisfy: {', '.join(card.can_satisfy) or _satisfies_nothing(card)}",
        f"- Needs: {', '.join(card.needs) or 'train and synthetic'}",
        "",
        f"Formula: `{card.formula}`",
        "",
        "## Figures",
        "",
        f"| figure | {better} when | interval | meaning |",
        "|--|--|--|--|",
    ]
    lines += [
        f"| `{name}`{' (headline)' if name == card.headline else ''} | {spec.safe_side} | "
        f"{'yes' if spec.has_interval else 'exact'} | {spec.meaning} |"
        for name, spec in card.figures.items()
    ]
    lines += ["", "## Parameters", ""]
    fields = metric.params.model_fields
    lines += [
        f"- `{name}` (default `{_default(field.default)}`): {field.description}"
        for name, field in fields.items()
    ] or ["None."]
    lines += ["", "## Limits", "", *(f"- {limit}" for limit in card.limits)]
    lines += ["", "## References", "", *(f"- {entry}" for entry in card.references)]
    return "\n".join(lines) + "\n"


def _origin(card: Card) -> list[str]:
    """Return whose metric it is, where it is not privgate's own."""
    if card.plugin is None:
        return []
    return [f"From the plug-in {card.plugin.distribution} {card.plugin.version}.", ""]


def _attacker(card: Card) -> str:
    model = card.threat_model
    if model is None:
        return "Nobody attacks here. It tells what the data are good for, which proves no privacy."
    return f"The attacker is {model.attacker}, knows {model.knows}, and wants {model.wants}."


def _satisfies_nothing(card: Card) -> str:
    if card.is_utility:
        return "none (it informs; a policy that blocks on it is an error to `policy lint`)"
    return "none (it can only stop a release)"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(str(entry) for entry in value) + "]"
    return str(value)
