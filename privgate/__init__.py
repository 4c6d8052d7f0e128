"""A release gate for synthetic data: measure, judge against a written policy, keep the evidence.

A policy written in Python and one written in YAML are the same thing:

>>> import privgate
>>> policy = privgate.Policy(
...     id="mine", version="1.0.0", title="Mine",
...     rules=[
...         privgate.Rule(
...             id="copies", metric="crp", measure="share", require=privgate.Limit(max=0.01),
...             source=privgate.Source(kind="house", ref="privacy board"), rationale="an example",
...         )
...     ],
... )
>>> bound = privgate.bind(policy, privgate.all_metrics())

:func:`check` judges data frames, arrays or a release file in one call, :func:`split` divides real
people into train and holdout before, and :func:`evaluate_generator` judges a generator by folds.

``privgate.assess(release, bound)`` returns evidence and verdict without the search for values of
records; its release is from ``privgate.load_release``, ``privgate.release_from_frames`` or
``privgate.release_from_arrays``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privgate.api.check import check
    from privgate.api.comparison import ComparisonResult, compare
    from privgate.api.generator_result import GeneratorResult
    from privgate.api.generators import evaluate_generator
    from privgate.api.result import CheckResult
    from privgate.api.split import Split, split
    from privgate.data import Release, load_release, release_from_arrays, release_from_frames
    from privgate.engine import Assessment, assess
    from privgate.errors import NotAssessedError, PrivgateError, PrivgateWarning, ViolatedError
    from privgate.evidence import RunEvidence
    from privgate.metrics import all_metrics
    from privgate.policy import (
        Limit,
        Outcome,
        Policy,
        Requirements,
        Rule,
        Source,
        Verdict,
        Waiver,
        bind,
        load_waivers,
        open_policy,
    )

_HOMES = {
    "Assessment": "engine",
    "CheckResult": "api.result",
    "ComparisonResult": "api.comparison",
    "GeneratorResult": "api.generator_result",
    "Limit": "policy",
    "NotAssessedError": "errors",
    "Outcome": "policy",
    "Policy": "policy",
    "PrivgateError": "errors",
    "PrivgateWarning": "errors",
    "Release": "data",
    "Requirements": "policy",
    "Rule": "policy",
    "RunEvidence": "evidence",
    "Source": "policy",
    "Split": "api.split",
    "Verdict": "policy",
    "ViolatedError": "errors",
    "Waiver": "policy",
    "all_metrics": "metrics",
    "assess": "engine",
    "bind": "policy",
    "check": "api.check",
    "compare": "api.comparison",
    "evaluate_generator": "api.generators",
    "load_release": "data",
    "load_waivers": "policy",
    "open_policy": "policy",
    "release_from_arrays": "data",
    "release_from_frames": "data",
    "split": "api.split",
}

__all__ = [
    "Assessment",
    "CheckResult",
    "ComparisonResult",
    "GeneratorResult",
    "Limit",
    "NotAssessedError",
    "Outcome",
    "Policy",
    "PrivgateError",
    "PrivgateWarning",
    "Release",
    "Requirements",
    "Rule",
    "RunEvidence",
    "Source",
    "Split",
    "Verdict",
    "ViolatedError",
    "Waiver",
    "all_metrics",
    "assess",
    "bind",
    "check",
    "compare",
    "evaluate_generator",
    "load_release",
    "load_waivers",
    "open_policy",
    "release_from_arrays",
    "release_from_frames",
    "split",
]


def __getattr__(name: str) -> object:
    """Return a public name from its home, loaded on first use: ``privgate --help`` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'privgate' has no attribute {name!r}")
    value = getattr(import_module(f"privgate.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
