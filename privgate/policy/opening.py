"""Policies opened to judge with: read, resolved and bound, every problem told at once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from privgate.data.documents import Document, parse_document, problem_at
from privgate.errors import PluginError, PolicyError, Problem
from privgate.metrics.plugins import with_plugins
from privgate.policy.bind import (
    BoundPolicy,
    bind,
    figure_problems,
    params_problems,
    unknown_metric,
)
from privgate.policy.extends import merged
from privgate.policy.load import lineage, load_document, read_policy_document, shaped_policy
from privgate.policy.model import Limit, Rule, conflicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.metrics.contract import Metric
    from privgate.policy.bind import RuleProblem
    from privgate.policy.verdict import PolicyFacts

M = TypeVar("M", bound=BaseModel)


def open_policy(name_or_path: str, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    """Return a policy ready to judge.

    Raises
    ------
    PolicyError
        With every problem of shape and every problem with metrics, figures and limits, at once.
    """
    faults: list[Problem] = []
    document = read_policy_document(name_or_path, faults=faults)
    if not faults:
        return open_document(document, metrics)
    try:
        open_document(document, metrics)
    except PolicyError as error:
        told = {(fault.file, fault.path) for fault in faults}
        faults += [it for it in error.problems if (it.file, it.path) not in told]
    raise PolicyError(faults)


def open_document(document: Document, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    """Return the policy of a document ready to judge.

    Raises
    ------
    PolicyError
        With every problem of shape and every problem with metrics, figures and limits, at once.
    """
    try:
        loaded = load_document(document)
    except PolicyError as error:
        chain, _ = lineage(document)
        further: list[Problem] = []
        try:
            metrics = with_plugins(metrics, (name for link in chain for name in _named(link)))
        except PluginError as broken:
            further += broken.problems
        further += (problem for link in chain for problem in _further_problems(link, metrics))
        raise PolicyError([*error.problems, *further]) from None
    return bind(loaded, metrics)


def reopen_policy(stored: PolicyFacts, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    """Return the policy that a verdict carries, ready to judge again; no parent is looked up.

    The stored text of a child does not hold what its parents said, so the stored resolved text is
    bound. That it follows from the child is shown by merging the child into it: nothing changes.

    Raises
    ------
    PolicyError
        If what is stored cannot be read or does not fit together.
    """
    written = parse_document(stored.text, name="policy in verdict.json", error=PolicyError)
    if "extends" not in written.content:
        return open_document(written, metrics)
    name = "resolved policy in verdict.json"
    resolved = open_document(
        parse_document(stored.resolved or "", name=name, error=PolicyError), metrics
    )
    if merged(shaped_policy(written), resolved.policy) != resolved.policy or not stored.parents:
        message = "the resolved policy does not follow from the text of the policy"
        raise PolicyError(Problem(message, file="verdict.json", path="policy"))
    return replace(resolved, text=stored.text, parents=stored.parents, resolved=stored.resolved)


def _named(document: Document) -> Iterator[str]:
    """Yield the metrics that a broken file names, as far as it can be read."""
    entries = document.content.get("rules")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(name := entry.get("metric"), str):
            yield name


def _further_problems(document: Document, metrics: Mapping[str, Metric[Any]]) -> Iterator[Problem]:
    """Yield what is wrong with those rules of a broken file that can be understood."""
    entries = document.content.get("rules")
    if not isinstance(entries, list):
        return
    is_child = "extends" in document.content
    for position, entry in enumerate(entries):
        for place, message, remedy in _readable_problems(entry, metrics, is_child=is_child):
            yield problem_at(document, ("rules", position, *place), message, remedy)
    read = {position: _read_or_none(Rule, entry) for position, entry in enumerate(entries)}
    rules = {position: rule for position, rule in read.items() if rule is not None}
    if len(rules) < len(entries):  # otherwise the model has already compared the rules
        for place, message in conflicts(rules):
            yield problem_at(document, ("rules", *place), message)


def _readable_problems(
    entry: object, metrics: Mapping[str, Metric[Any]], *, is_child: bool
) -> Iterator[RuleProblem]:
    """Yield what a metric has to say about those entries of a rule that can be read."""
    if not isinstance(entry, dict) or not isinstance(entry.get("metric"), str):
        return
    metric = metrics.get(entry["metric"])
    if metric is None:
        yield unknown_metric(entry["metric"], metrics)
        return
    if isinstance(params := entry.get("params", {}), dict):
        yield from params_problems(params, metric)
    if is_child and "measure" not in entry:
        return  # a parent may say which figure is judged
    if isinstance(measure := entry.get("measure"), str | None):
        yield from figure_problems(measure, _read_or_none(Limit, entry.get("require")), metric)


def _read_or_none(model: type[M], entry: object) -> M | None:
    try:
        return model.model_validate_json(json.dumps(entry), strict=True)
    except ValidationError:
        return None
