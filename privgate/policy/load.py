"""Policies from files: built-in ones by name, all others by path."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from privgate.data.documents import Document, parse_document, problem_at, read_document, validate
from privgate.data.explanations import did_you_mean
from privgate.errors import PolicyError, Problem
from privgate.policy.bind import BoundPolicy, bind, figure_problems, params_problems, unknown_metric
from privgate.policy.model import Limit, Policy, Rule, conflicts
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.metrics.contract import Metric
    from privgate.policy.bind import RuleProblem

M = TypeVar("M", bound=BaseModel)
TEMPLATES = ("cnil-anonymeter", "template")  # not complete without the user's own limits or words
SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy and the document it was written in."""

    policy: Policy
    document: Document


def built_in_policies() -> tuple[str, ...]:
    """Return the names of the policies that are shipped and complete, without the templates.

    Examples
    --------
    >>> "card-example" in built_in_policies()
    True
    """
    names = {path.stem for path in resource_folder("policies").glob("*.yaml")}
    return tuple(sorted(names.difference(TEMPLATES)))


def read_policy_document(name_or_path: str) -> Document:
    """Return the document of a built-in policy, or of the policy file at a path.

    Raises
    ------
    PolicyError
        If there is no such policy, or its text cannot be read.
    """
    return read_document(policy_file(name_or_path), error=PolicyError)


def load_policy(name_or_path: str) -> LoadedPolicy:
    """Return the policy with a built-in name or at a path, its shape checked.

    Raises
    ------
    PolicyError
        With every problem of the file.
    """
    return _shaped(read_policy_document(name_or_path))


def policy_from_text(text: str, *, name: str = "policy") -> LoadedPolicy:
    """Return the policy that a text is, its shape checked; ``name`` stands in messages.

    Raises
    ------
    PolicyError
        With every problem of the text.
    """
    return _shaped(parse_document(text, name=name, error=PolicyError))


def open_policy(name_or_path: str, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    """Return a policy ready to judge.

    Raises
    ------
    PolicyError
        With every problem of shape and every problem with metrics, figures and limits, at once.
    """
    return open_document(read_policy_document(name_or_path), metrics)


def open_document(document: Document, metrics: Mapping[str, Metric[Any]]) -> BoundPolicy:
    """Return the policy of a document ready to judge.

    Raises
    ------
    PolicyError
        With every problem of shape and every problem with metrics, figures and limits, at once.
    """
    try:
        loaded = _shaped(document)
    except PolicyError as error:
        raise PolicyError([*error.problems, *_further_problems(document, metrics)]) from None
    return bind(loaded.policy, metrics, document)


def policy_file(name_or_path: str) -> Path:
    """Return where the policy with a built-in name, or at a path, is stored.

    Raises
    ------
    PolicyError
        If the word is neither a built-in name nor looks like a path.
    """
    if name_or_path in {*built_in_policies(), *TEMPLATES}:
        return resource_folder("policies") / f"{name_or_path}.yaml"
    path = Path(name_or_path)
    if path.suffix in SUFFIXES or len(path.parts) > 1 or path.is_file():
        return path
    raise PolicyError(
        Problem(
            f"there is no policy {name_or_path!r}",
            remedy=f"{did_you_mean(name_or_path, built_in_policies())} or give the path of a file",
        )
    )


def _shaped(document: Document) -> LoadedPolicy:
    problems: list[Problem] = []
    if "privgate" not in document.content:
        remedy = "begin the file with 'privgate: policy/v1'"
        problems.append(problem_at(document, (), "the file does not say what it is", remedy))
    try:
        policy = validate(document, Policy, error=PolicyError)
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems]) from None
    if problems:
        raise PolicyError(problems)
    return LoadedPolicy(policy, document)


def _further_problems(document: Document, metrics: Mapping[str, Metric[Any]]) -> Iterator[Problem]:
    """Yield what is wrong with those rules of a broken file that can be understood."""
    entries = document.content.get("rules")
    if not isinstance(entries, list):
        return
    for position, entry in enumerate(entries):
        for place, message, remedy in _readable_problems(entry, metrics):
            yield problem_at(document, ("rules", position, *place), message, remedy)
    read = {position: _read_or_none(Rule, entry) for position, entry in enumerate(entries)}
    rules = {position: rule for position, rule in read.items() if rule is not None}
    if len(rules) < len(entries):  # otherwise the model has already compared the rules
        for place, message in conflicts(rules):
            if place:  # a rule that could not be read may be the blocking one
                yield problem_at(document, ("rules", *place), message)


def _readable_problems(entry: object, metrics: Mapping[str, Metric[Any]]) -> Iterator[RuleProblem]:
    """Yield what a metric has to say about those entries of a rule that can be read."""
    if not isinstance(entry, dict) or not isinstance(entry.get("metric"), str):
        return
    metric = metrics.get(entry["metric"])
    if metric is None:
        yield unknown_metric(entry["metric"], metrics)
        return
    if isinstance(params := entry.get("params", {}), dict):
        yield from params_problems(params, metric)
    if isinstance(measure := entry.get("measure"), str | None):
        yield from figure_problems(measure, _read_or_none(Limit, entry.get("require")), metric)


def _read_or_none(model: type[M], entry: object) -> M | None:
    try:
        return model.model_validate_json(json.dumps(entry), strict=True)
    except ValidationError:
        return None
