"""JSON Schemas: of policy files, for editors that complete and check them; of evidence and verdict.

A policy file's schema depends on the metrics that are installed. What no schema can say (ids that
differ, coverage that a rule fills, a pair of limits with room between them, what a parent says) is
left to :mod:`privgate.policy.bind`; whatever the schema refuses, loading refuses too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from privgate.evidence import FigureKind, FigureSpec, RunEvidence, SafeSide
from privgate.policy.difference import PolicyDifference
from privgate.policy.limits import figure_range
from privgate.policy.load import built_in_policies
from privgate.policy.model import Policy
from privgate.policy.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from privgate.metrics.contract import Metric
    from privgate.policy.model import Operator

Schema = dict[str, Any]
_PLUGIN_NAME: Schema = {
    "type": "string",
    "pattern": r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$",
    "description": "a plug-in's prefix, a dot and the metric's name",
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def evidence_schema() -> Schema:
    """Return the JSON Schema of ``evidence.json``."""
    return _written(RunEvidence)


def verdict_schema() -> Schema:
    """Return the JSON Schema of ``verdict.json``."""
    return _written(Verdict)


def difference_schema() -> Schema:
    """Return the JSON Schema of what ``privgate policy diff --format json`` prints."""
    return _written(PolicyDifference)


def policy_schema(metrics: Mapping[str, Metric[Any]]) -> Schema:
    """Return the JSON Schema of a policy file in which a rule names one of these metrics.

    A rule is a union told apart by ``metric``; each branch knows the parameters and figures of its
    metric, and which limits guard which figure. A further branch lets rules name metrics of
    plug-ins, which are not imported for this.
    """
    wanted: list[type[BaseModel]] = [Policy, *(metric.params for metric in metrics.values())]
    references, shared = models_json_schema([(model, "validation") for model in wanted])
    definitions: Schema = shared["$defs"]
    policy: Schema = definitions.pop(_name(references[Policy, "validation"]))
    rule: Schema = definitions.pop("Rule")
    definitions.pop("Limit", None)
    for name in sorted(metrics):
        params = references[metrics[name].params, "validation"]
        definitions[f"rule-{name}"] = _rule_branch(rule, metrics[name], params)
    definitions["rule-of-a-plug-in"] = _plugin_branch(rule, metrics)
    branches = [*sorted(metrics), "of-a-plug-in"]
    policy["properties"]["rules"] |= {
        "items": {
            "type": "object",
            "required": ["metric"],
            "properties": {"metric": {"anyOf": [{"enum": sorted(metrics)}, _PLUGIN_NAME]}},
            "oneOf": [{"$ref": f"#/$defs/rule-{name}"} for name in branches],
        },
    }
    policy["required"] = ["privgate", *policy["required"]]
    policy["properties"]["extends"] = _parent(policy["properties"]["extends"])
    policy |= {"if": {"required": ["extends"]}, "else": _alone(metrics)}
    policy["description"] = str(policy["description"]).partition("\n\n")[0]
    return {"$schema": DIALECT, **policy, "title": "privgate policy", "$defs": definitions}


def _parent(extends: Schema) -> Schema:
    """Return the schema of a parent's name, in which editors find the built-in policies."""
    names: list[Schema] = [{"enum": list(built_in_policies())}, {"type": "string", "minLength": 1}]
    return {"description": extends["description"], "anyOf": names}


def _alone(metrics: Mapping[str, Metric[Any]]) -> Schema:
    """Return what only a policy without a parent must keep: no other says what it leaves out."""
    headlines = [
        {
            "if": {
                "properties": {"metric": {"const": name}},
                "required": ["metric"],
                "not": {"required": ["measure"]},
            },
            "then": {"properties": {"require": limit_schema(card.figures[card.headline])}},
        }
        for name, card in ((name, metrics[name].card) for name in sorted(metrics))
    ]
    rules = {
        "minItems": 1,
        "contains": {"properties": {"severity": {"const": "blocking"}}},
        "items": {"allOf": headlines},
    }
    return {"required": ["rules"], "properties": {"rules": rules}}


def _written(model: type[BaseModel]) -> Schema:
    return {"$schema": DIALECT, **model.model_json_schema(mode="serialization", by_alias=True)}


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).removeprefix("#/$defs/")


def _rule_branch(rule: Schema, metric: Metric[Any], params: Mapping[str, Any]) -> Schema:
    card = metric.card
    measure = {
        **rule["properties"]["measure"],
        "enum": [*card.figures, None],
        "description": "which figure is judged; "
        + "; ".join(f"{name}: {spec.meaning}" for name, spec in card.figures.items()),
    }
    measure.pop("anyOf", None)
    known = {
        "metric": {"const": metric.name, "description": f"{card.title}: {card.question}"},
        "params": {**params, "description": f"parameters of {metric.name}"},
        "measure": measure,
        "require": {"description": rule["properties"]["require"]["description"]},
    }
    cases = [
        {"if": _judges(name, headline=card.headline), "then": {"properties": {"require": limit}}}
        for name, limit in ((name, limit_schema(spec)) for name, spec in card.figures.items())
    ]
    return {
        **rule,
        "title": f"rule on {metric.name}",
        "properties": {**rule["properties"], **known},
        "allOf": cases,
    }


def _plugin_branch(rule: Schema, metrics: Mapping[str, Metric[Any]]) -> Schema:
    """Return the schema of a rule on a plug-in's metric, whose parameters are known to it alone."""
    limits = {operator: {"type": "number", "description": text} for operator, text in _SAID.items()}
    known = {
        "metric": {**_PLUGIN_NAME, "not": {"enum": sorted(metrics)}},
        "require": {
            "description": rule["properties"]["require"]["description"],
            "type": "object",
            "additionalProperties": False,
            "properties": limits,
        },
    }
    return {
        **rule,
        "title": "rule on the metric of a plug-in",
        "properties": {**rule["properties"], **known},
    }


def _judges(figure: str, *, headline: str) -> Schema:
    """Return the condition under which a rule judges a figure."""
    names = [figure, None] if figure == headline else [figure]
    return {"properties": {"measure": {"enum": names}}, "required": ["measure"]}


def limit_schema(spec: FigureSpec) -> Schema:
    """Return the JSON Schema of the limits that guard a figure.

    Examples
    --------
    >>> share = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=FigureKind.SHARE)
    >>> limit_schema(share)["properties"]["max"]["exclusiveMaximum"]
    1.0
    """
    low = spec.safe_side is SafeSide.LOW
    guarding, idle = (("max", "below"), ("min", "above"))[:: 1 if low else -1]
    one_guard = [
        {
            "required": [name],
            "not": {"anyOf": [{"required": [other]}, {"required": ["equals"]}]},
        }
        for name, other in (guarding, guarding[::-1])
    ]
    exact = {"required": ["equals"], "maxProperties": 1}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {operator: _bounds(operator, spec) for operator in _SAID},
        "oneOf": [*one_guard, exact],
        "not": {"required": list(idle)},
    }


_SAID: Mapping[Operator, str] = {
    "max": "the figure is at most this",
    "below": "the figure is smaller than this",
    "min": "the figure is at least this",
    "above": "the figure is greater than this",
    "equals": "the figure is exactly this",
}
_NEVER_USEFUL: Mapping[Operator, tuple[bool, bool]] = {  # limit at the least, the greatest value
    "max": (False, True),
    "below": (True, False),
    "min": (True, False),
    "above": (False, True),
    "equals": (False, False),
}


def _bounds(operator: Operator, spec: FigureSpec) -> Schema:
    whole = operator == "equals" and spec.kind is FigureKind.COUNT
    found: Schema = {
        "type": "integer" if whole else "number",
        "description": _SAID[operator],
    }
    least, greatest = figure_range(spec)
    at_least, at_greatest = _NEVER_USEFUL[operator]
    if math.isfinite(least):
        found["exclusiveMinimum" if at_least else "minimum"] = least
    if math.isfinite(greatest):
        found["exclusiveMaximum" if at_greatest else "maximum"] = greatest
    return found
