"""Small metrics with every kind of figure, and evidence written down by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from pydantic import Field
from ruamel.yaml import YAML

from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    Measurement,
    OverlapFacts,
    Part,
    ReleaseFacts,
    RunEvidence,
    RunFacts,
    SafeSide,
    TableFacts,
    ThreatModel,
    document,
)
from privgate.metrics.contract import Measured, Metric, Params
from privgate.policy import Policy, bind, measurement_id


class GuessParams(Params):
    tau: float = Field(default=0.3, ge=0, le=1, description="gain from which a record is at risk")
    attackers: tuple[str, ...] = Field(default=("tree",), description="models that guess")


class NoParams(Params):
    pass


def _spec(kind, *, high=False, interval=False, satisfies=(), **ends):
    return FigureSpec(
        title=kind.value,
        meaning=f"A {kind.value}.",
        safe_side=SafeSide.HIGH if high else SafeSide.LOW,
        kind=kind,
        has_interval=interval,
        satisfies=satisfies,
        **ends,
    )


def _metric(name, figures, *, family=Family.ATTACK, params=NoParams):
    card = Card(
        name=name,
        version=1,
        title=name,
        question="Is it so?",
        family=family,
        threat_model=ThreatModel(attacker="a", knows="b", wants="c"),
        criteria=(),
        formula="x",
        headline=next(iter(figures)),
        figures=figures,
        references=("none",),
        limits=("a fake",),
    )
    return Metric(card, params, lambda _inputs, _params, _rng: Measured())


KIND = FigureKind
INFERENCE, MEMBERSHIP = (Criterion.INFERENCE,), (Criterion.MEMBERSHIP,)
METRICS = {
    metric.name: metric
    for metric in (
        _metric(
            "guess",
            {
                "gap": _spec(KIND.DIFFERENCE, interval=True, satisfies=INFERENCE),
                "fraction": _spec(KIND.SHARE, interval=True),
                "at_risk": _spec(KIND.COUNT),
            },
            params=GuessParams,
        ),
        _metric(
            "privet",
            {
                "npl": _spec(KIND.COUNT),
                "n_leaks": _spec(KIND.COUNT),
                "n_leaks_tail": _spec(KIND.COUNT),
                "pl": _spec(KIND.SCORE, high=True),
                "p_pl": _spec(KIND.P_VALUE, high=True, satisfies=MEMBERSHIP),
            },
        ),
        _metric(
            "copies",
            {
                "share": _spec(KIND.SHARE, interval=True),
                "distance": _spec(KIND.DISTANCE, high=True),
                "spread": _spec(KIND.DISTANCE, high=True, interval=True),
            },
            family=Family.SCREEN,
        ),
    )
}


def estimate(given, level=0.95):
    """A number is exact; [value, low, high, n] has an interval; a text is why there is none."""
    if isinstance(given, str):
        return Estimate(value=None, reason=given)
    if not isinstance(given, list):
        return Estimate(value=given)
    value, low, high, *n = given
    n = n[0] if n else None
    return Estimate(value=value, low=low, high=high, level=level, method="Wilson", n=n)


def figures(given, level=0.95):
    return {name: estimate(value, level) for name, value in given.items()}


def part(given):
    status = given.get("status", "measured")
    return Part(
        of=given["of"],
        status=status,
        reason=given.get("reason"),
        figures=figures(given.get("figures", {})),
    )


@dataclass(frozen=True)
class Bench:
    """Builds policies and evidence from short notes."""

    metrics: dict = field(default_factory=lambda: dict(METRICS))

    def rule(self, **given):
        base = {
            "id": "the-rule",
            "metric": "guess",
            "require": {"max": 0.05},
            "source": {"kind": "house", "ref": "a test"},
        }
        return base | given

    def policy(self, rules, **given):
        head = {"id": "p", "version": "1.0.0", "title": "t"}
        return Policy.model_validate(head | given | {"rules": rules})

    def bind(self, rules, **given):
        return self.bound(self.policy(rules, **given))

    def bound(self, policy, parents=()):
        return bind(policy, self.metrics, parents=parents)

    def measurement(self, bound, metric, given):
        of_metric = [rule for rule in bound.rules if rule.metric.name == metric]
        found = self.metrics[metric]
        params = of_metric[0].params if of_metric else found.params()
        content = {
            "id": measurement_id(found, params),
            "metric": metric,
            "version": given.get("version", 1),
            "params": document(params) | given.get("params", {}),
            "status": given.get("status", "measured"),
            "reason": given.get("reason"),
            "figures": figures(given.get("figures", {}), given.get("level", 0.95)),
            "parts": tuple(part(item) for item in given.get("parts", ())),
        }
        return Measurement(**content)

    def evidence(self, bound, measured, *, rows=None, overlap=0.0, confidence=0.95):
        rows = rows or {"train": 1000, "holdout": 500, "synthetic": 1000}
        tables = {
            name: TableFacts(
                file=f"{name}.csv",
                format="csv",
                sha256="0" * 64,
                content_sha256="1" * 64,
                rows=count,
                columns=2,
                distinct_rows=count,
            )
            for name, count in rows.items()
        }
        shared = None if overlap is None else OverlapFacts(rows=0, share=overlap)
        return RunEvidence(
            release=ReleaseFacts(
                name="r", unit="person", tables=tables, columns=(), holdout_overlap=shared
            ),
            run=RunFacts(
                seed=1,
                seed_source="given",
                confidence=confidence,
                created=datetime(2026, 1, 1, tzinfo=UTC),
                tool="privgate",
                python="3.11",
                packages={},
            ),
            cards={name: metric.card for name, metric in self.metrics.items()},
            measurements=tuple(
                self.measurement(bound, name, given) for name, given in measured.items()
            ),
        )


@pytest.fixture(scope="session")
def bench():
    return Bench()


def pytest_generate_tests(metafunc):
    """Give a test that asks for ``<name>_case`` every case of ``cases/<name>.yml``."""
    for fixture in metafunc.fixturenames:
        if fixture.endswith("_case"):
            folder = metafunc.definition.path.parent / "cases"
            text = (folder / f"{fixture.removesuffix('_case')}.yml").read_text(encoding="utf-8")
            cases = YAML(typ="safe", pure=True).load(text)
            assert len({case["case"] for case in cases}) == len(cases)
            metafunc.parametrize(fixture, cases, ids=[case["case"] for case in cases])
