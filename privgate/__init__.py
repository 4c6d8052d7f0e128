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

``privgate.assess(release, bound)`` then returns evidence and verdict of a release from
``privgate.load_release``, ``privgate.release_from_frames`` or ``privgate.release_from_arrays``. Its
``waivers`` are from ``privgate.load_waivers`` or a list of ``privgate.Waiver``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privgate.data import Release, load_release, release_from_arrays, release_from_frames
    from privgate.engine import Assessment, assess
    from privgate.errors import PrivgateError
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
    "Limit": "policy",
    "Outcome": "policy",
    "Policy": "policy",
    "PrivgateError": "errors",
    "Release": "data",
    "Requirements": "policy",
    "Rule": "policy",
    "RunEvidence": "evidence",
    "Source": "policy",
    "Verdict": "policy",
    "Waiver": "policy",
    "all_metrics": "metrics",
    "assess": "engine",
    "bind": "policy",
    "load_release": "data",
    "load_waivers": "policy",
    "open_policy": "policy",
    "release_from_arrays": "data",
    "release_from_frames": "data",
}

__all__ = [
    "Assessment",
    "Limit",
    "Outcome",
    "Policy",
    "PrivgateError",
    "Release",
    "Requirements",
    "Rule",
    "RunEvidence",
    "Source",
    "Verdict",
    "Waiver",
    "all_metrics",
    "assess",
    "bind",
    "load_release",
    "load_waivers",
    "open_policy",
    "release_from_arrays",
    "release_from_frames",
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
