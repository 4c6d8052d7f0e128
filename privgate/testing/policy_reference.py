"""Every field of a policy file as a page, made from the models that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privgate.evidence import SafeSide
from privgate.metrics import all_metrics
from privgate.policy import Limit, MinimumRows, Policy, Requirements, Rule, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

PARTS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("The file", Policy),
    ("requires", Requirements),
    ("min_rows", MinimumRows),
    ("A rule", Rule),
    ("require", Limit),
    ("source", Source),
)
WORDS = {
    "string": "text", "number": "number", "integer": "whole number", "boolean": "true or false",
    "object": "names and values",
}  # fmt: skip
BOUNDS = {
    "minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
}  # fmt: skip
HEADING = """# Every field of a policy

Made by `make generate` from the models that read a policy. [What a policy says](policies.md) tells
how it judges. A field that is not listed here is refused.
"""
GUARDS = """**Bold**: judged if a rule names no `measure`. What is harmless when low is guarded by
`max` or `below`, what is harmless when high by `min` or `above`.
"""


def policy_reference() -> str:
    """Return the page: a table for each part of a policy, and the figures rules may judge."""
    parts = [f"## {title}\n\n{_fields(model)}" for title, model in PARTS]
    return "\n".join([HEADING, *parts, f"## Figures\n\n{_figures()}"])


def _fields(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    lines = ["| field | value | if absent | meaning |", "|--|--|--|--|"]
    for name, field in schema["properties"].items():
        absent = "must be there" if name in schema.get("required", ()) else _default(field)
        kind = _kind(field, definitions)
        lines.append(f"| `{name}` | {kind} | {absent} | {field.get('description', '')} |")
    return "\n".join(lines) + "\n"


def _default(field: dict[str, Any]) -> str:
    default = field.get("default")
    written = str(default).lower() if isinstance(default, bool) else str(default)
    return "–" if default is None or isinstance(default, list | dict) else f"`{written}`"


def _kind(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the values that a field takes, in words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        titles = {model.__name__: title for title, model in PARTS}
        if name in titles:
            return f"[fields](#{titles[name].lower().replace(' ', '-')})"
        return _kind(definitions[name], definitions)
    if "anyOf" in field:
        return _kind(next(x for x in field["anyOf"] if x.get("type") != "null"), definitions)
    if "enum" in field or "const" in field:
        return ", ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        return f"list: {_kind(field['items'], definitions)}"
    word = "day" if field.get("format") == "date" else WORDS[field["type"]]
    return ", ".join([word, *_bounds(field)])


def _bounds(field: dict[str, Any]) -> Iterable[str]:
    return (f"{words} {field[key]:g}" for key, words in BOUNDS.items() if key in field)


def _figures() -> str:
    """Return the figures of each metric, by the side on which they are harmless."""
    lines = [
        GUARDS,
        "| metric | figures | harmless when |",
        "|--|--|--|",
    ]
    for name, metric in all_metrics().items():
        for side in SafeSide:
            figures = [f for f, spec in metric.card.figures.items() if spec.safe_side is side]
            marked = [f"**`{f}`**" if f == metric.card.headline else f"`{f}`" for f in figures]
            if figures:
                lines.append(f"| [{name}](metrics/{name}.md) | {', '.join(marked)} | {side} |")
    return "\n".join(lines) + "\n"
