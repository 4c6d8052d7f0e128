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
    model = card.threat_model
    lines = [
        f"# {card.title}",
        "",
        f"`{card.name}`, version {card.version}, {card.family}. {card.question}",
        "",
        *_origin(card),
        f"The attacker is {model.attacker}, knows {model.knows}, and wants {model.wants}.",
        "",
        cleandoc(sys.modules[metric.measure.__module__].__doc__ or ""),
        "",
        f"- Criteria: {', '.join(card.criteria) or 'none'}",
        f"- Can satisfy: {', '.join(card.can_satisfy) or 'none (it can only stop a release)'}",
        f"- Needs: {', '.join(card.needs) or 'train and synthetic'}",
        "",
        f"Formula: `{card.formula}`",
        "",
        "## Figures",
        "",
        "| figure | harmless when | interval | meaning |",
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


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(str(entry) for entry in value) + "]"
    return str(value)
