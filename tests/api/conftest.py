"""A policy that takes a moment, and people to judge under it."""

from __future__ import annotations

import pytest

import privgate
from privgate.testing.samples import survey


def rule(name, metric, measure, severity="blocking", **limit):
    return privgate.Rule(
        id=name,
        metric=metric,
        measure=measure,
        require=privgate.Limit(**limit),
        severity=severity,
        source=privgate.Source(kind="house", ref="tests"),
        rationale="a test",
    )


@pytest.fixture(scope="session")
def policy():
    return privgate.Policy(
        id="copies",
        version="1.0.0",
        title="Copies",
        rules=[
            rule("common-rows", "crp", "gap", max=0.05),
            rule("nearness", "dcr", "share_nearer_train", severity="advisory", max=0.7),
        ],
    )


@pytest.fixture(scope="session")
def tables():
    return {"train": survey(400, 1), "holdout": survey(300, 2), "synthetic": survey(350, 3)}
