"""A policy bound to the metrics it names, so that every word of it means something."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from privgate.data.documents import Document, parse_document
from privgate.data.explanations import did_you_mean, explain
from privgate.errors import PolicyError, Problem
from privgate.evidence import canonical_bytes, digest, document
from privgate.metrics.plugins import installed_plugins, with_plugins
from privgate.policy.limits import limit_complaints
from privgate.policy.load import load_document
from privgate.policy.loaded import LoadedPolicy
from privgate.policy.resolved import resolved_text
from privgate.policy.verdict import PolicyReference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.evidence import FigureSpec, JsonValue
    from privgate.metrics.contract import Metric, Params
    from privgate.policy.model import Limit, Policy, Rule, RulePath

RuleProblem = tuple["RulePath", str, str | None]


@dataclass(frozen=True)
class BoundRule:
    """A rule with the metric, parameters and figure it speaks about."""

    rule: Rule
    metric: Metric[Any]
    params: Params
    measure: str

    @property
    def figure(self) -> FigureSpec:
        """Return what the judged figure means."""
        return self.metric.card.figures[self.measure]

    @property
    def measurement_id(self) -> str:
        """Return the id of the measurement that the rule judges."""
        return measurement_id(self.metric, self.params)


@dataclass(frozen=True)
class BoundPolicy:
    """A resolved policy whose rules are all bound, with the text it was written in.

    Of a policy that extends others, ``parents`` are those, the nearest first, and ``resolved`` is
    the text of what they make together.
    """

    policy: Policy
    rules: tuple[BoundRule, ...]
    text: str
    parents: tuple[PolicyReference, ...] = ()
    resolved: str | None = None


def measurement_id(metric: Metric[Any], params: Params) -> str:
    """Return the id that a metric's measurement with these parameters has in evidence.

    Two rules with equal parameters, written out or left to their defaults, share a measurement.
    """
    content: dict[str, JsonValue] = {
        "metric": metric.name,
        "version": metric.card.version,
        "params": document(params),
    }
    return f"{metric.name}-{digest(content)[:8]}"


def bind(
    policy: Policy | LoadedPolicy,
    metrics: Mapping[str, Metric[Any]],
    *,
    parents: Sequence[Policy] = (),
) -> BoundPolicy:
    """Return the policy ready to judge, with everything it extends.

    The canonical text of a policy written in Python stands for its file; what it extends is looked
    up by id among ``parents``, then as a built-in policy or a path from the current folder. The
    plug-in of a metric that a rule names and that is not among ``metrics`` is loaded.

    Raises
    ------
    PolicyError
        With everything that a policy written in Python loosens in its parents; every unknown
        metric, parameter and figure, every limit that guards nothing, and every criterion that no
        blocking rule can satisfy.
    PluginError
        If a plug-in that a rule names is installed and cannot be used.
    """
    if isinstance(policy, LoadedPolicy):
        return _bind(policy, metrics)
    known = {parent.id: _written_out(parent) for parent in parents}
    own = _written_out(policy)
    try:
        return _bind(load_document(own, known), metrics)
    except PolicyError as error:
        in_python = {own.name, *(document.name for document in known.values())}
        raise PolicyError(
            _without_file(problem) if problem.file in in_python else problem
            for problem in error.problems
        ) from None


def _bind(loaded: LoadedPolicy, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    policy = loaded.policy
    metrics = with_plugins(metrics, (rule.metric for rule in policy.rules))
    problems = [
        loaded.problem(("rules", position, *place), message, remedy)
        for position, rule in enumerate(policy.rules)
        for place, message, remedy in rule_problems(rule, metrics)
    ]
    bound = [] if problems else [_bound(rule, metrics[rule.metric]) for rule in policy.rules]
    if not problems:
        problems += _unfillable(loaded, bound)
    if problems:
        raise PolicyError(problems)
    return BoundPolicy(
        policy,
        tuple(bound),
        loaded.document.text,
        parents=tuple(reference(parent.policy) for parent in loaded.parents),
        resolved=resolved_text(loaded) if loaded.parents else None,
    )


def rule_problems(rule: Rule, metrics: Mapping[str, Metric[Any]]) -> Iterator[RuleProblem]:
    """Yield place, message and remedy of everything in a rule that its metric does not know."""
    metric = metrics.get(rule.metric)
    if metric is None:
        yield unknown_metric(rule.metric, metrics)
        return
    yield from params_problems(rule.params, metric)
    yield from figure_problems(rule.measure, rule.require, metric)


def unknown_metric(name: str, metrics: Mapping[str, Metric[Any]]) -> RuleProblem:
    """Return the problem that a rule names a metric that is not there."""
    known_as = {
        metric.card.review_name.lower(): metric
        for metric in metrics.values()
        if metric.card.review_name
    }
    meant = known_as.get(name.lower())
    if meant is not None:
        remedy = f"the review's {meant.card.review_name} is called {meant.name!r} here"
    elif "." in name:
        remedy = _missing_plugin(name.partition(".")[0], metrics)
    else:
        remedy = did_you_mean(name, metrics)
    return ("metric",), f"there is no metric {name!r}", remedy


def _missing_plugin(prefix: str, metrics: Mapping[str, Metric[Any]]) -> str:
    """Return the remedy for a name of a plug-in: what the plug-in has, or that there is none."""
    own = [name for name in metrics if name.startswith(f"{prefix}.")]
    if own:
        return f"the plug-in {prefix!r} has " + ", ".join(map(repr, sorted(own)))
    here = sorted({plugin.prefix for plugin in installed_plugins()})
    return (
        f"no plug-in {prefix!r} is installed here (plug-ins: {', '.join(here) or 'none'}); install "
        "the distribution that brings it into the environment of privgate"
    )


def params_problems(params: Mapping[str, JsonValue], metric: Metric[Any]) -> Iterator[RuleProblem]:
    """Yield every parameter that the metric refuses."""
    try:
        _params(params, metric)
    except ValidationError as error:
        found = explain(error, content=dict(params), model=metric.params)
        for place, message, remedy in found:
            yield ("params", *place), message, remedy


def figure_problems(
    measure: str | None, limit: Limit | None, metric: Metric[Any]
) -> Iterator[RuleProblem]:
    """Yield what is wrong with the judged figure and, if it can be read, with its limit."""
    measure = metric.card.headline if measure is None else measure
    if measure not in metric.card.figures:
        remedy = did_you_mean(measure, metric.card.figures)
        yield ("measure",), f"the metric {metric.name!r} has no figure {measure!r}", remedy
        return
    if limit is None:
        return
    for operator, message, hint in limit_complaints(limit, metric.card.figures[measure]):
        yield ("require", operator), f"{message} (figure {measure!r})", hint


def _params(params: Mapping[str, JsonValue], metric: Metric[Any]) -> Params:
    found: Params = metric.params.model_validate_json(json.dumps(params), strict=True)
    return found


def _bound(rule: Rule, metric: Metric[Any]) -> BoundRule:
    measure = metric.card.headline if rule.measure is None else rule.measure
    return BoundRule(rule, metric, _params(rule.params, metric), measure)


def _unfillable(loaded: LoadedPolicy, rules: list[BoundRule]) -> Iterator[Problem]:
    """Yield the required criteria that no blocking rule can satisfy."""
    within_reach = {
        criterion
        for bound in rules
        if bound.rule.is_blocking
        for criterion in bound.figure.satisfies
    }
    for position, criterion in enumerate(loaded.policy.requires.coverage):
        if criterion not in within_reach:
            yield loaded.problem(
                ("requires", "coverage", position),
                f"coverage {criterion.value!r} is required but no blocking rule can satisfy it",
                "add a blocking rule on an attack that can, or take the criterion out",
            )


def reference(policy: Policy) -> PolicyReference:
    """Return which policy is meant, by name and content."""
    return PolicyReference(id=policy.id, version=policy.version, sha256=digest(document(policy)))


def _written_out(policy: Policy) -> Document:
    """Return the document of a policy written in Python; a child states only what it was given."""
    content = document(policy)
    if policy.extends is not None:
        stated = policy.model_dump(mode="json", exclude_unset=True)
        content = {"privgate": policy.privgate, **stated}
    text = canonical_bytes(content).decode("utf-8")
    return parse_document(text, name=f"policy {policy.id}", error=PolicyError)


def _without_file(problem: Problem) -> Problem:
    return replace(problem, file=None, line=None)
