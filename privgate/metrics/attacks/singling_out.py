"""Singling out: the release tells what is true of exactly one of the people behind it.

The attacker studies the release for descriptions that fit exactly one of its rows, and claims that
each fits exactly one of the people behind it. Descriptions on one column ("univariate"): a value
that occurs once, or beyond the least or greatest value. On several columns ("multivariate"): the
attributes of a random row in random columns, numbers as half-lines away from the median ("age at
least 81, region north, income at most 9,000").

train_rate = (1/B) Σ_b 1[predicate b matches exactly one of the n train rows]. Outliers of a
population are singled out by chance; what speaks of leakage is the excess over the holdout. As a
description fits exactly one row more or less often in a larger table, the holdout rate says how
often n people would be singled out of whom the generator saw none. With h ≥ n holdout rows, c of
which match, it is the mean chance that exactly one match is among n of them drawn at random,
c C(h - c, n - 1) / C(h, n). With h < n, h random train rows are replaced by the holdout rows and
those singled out among these are counted n/h times: (n/h) 1[c = 1] C(n - t, n - h) / C(n, n - h),
t being the train rows that match. Both are unbiased if the release knows nothing about train.

Predicates that single out the same person rise and fall together. With t_i the successes that fall
on person i, the intervals count B Σ_i t_i / Σ_i t_i² predicates instead of B.

Guessing makes up predicates from random columns, values of the release and random comparisons. It
may single out more people than the attack, for instance when the release is far smaller than train,
and then a reader is told so.

By group: the attacker knows to which group a person belongs, and so learns from the rows of that
group in the release and claims that each description fits exactly one of its people. The same
comparison is made within each group.

Worked example: one numeric column, train (1, 5, 5, 9), holdout (2, 5, 8, 9), Z = (1, 5, 9). The
predicates x = 1, x = 5, x = 9, x ≤ 1, x ≥ 9 match 1, 2, 1, 1, 1 train rows and 0, 1, 1, 0, 1
holdout rows: train_rate 4/5, holdout_rate 3/5, excess 1/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigurePart,
    FigureSpec,
    Need,
    ThreatModel,
    unknown,
)
from privgate.metrics.comparison import NO_HOLDOUT, compared_rates
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.guessing import guessing_figure, guessing_notes
from privgate.metrics.ordered_table import OrderedTable
from privgate.metrics.predicates import (
    Predicates,
    attribute_matrix,
    has_order,
    multivariate_predicates,
    random_predicates,
    univariate_predicates,
)
from privgate.metrics.subgroups import (
    GAP,
    GroupedParams,
    group_figures,
    members,
    without_groups,
    worst_of,
)
from privgate.stats.draws import isolated_in_sample, none_in_sample
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs
    from privgate.metrics.subgroups import Masks


class Kind(StrEnum):
    """On how many columns a predicate speaks."""

    UNIVARIATE = "univariate"
    MULTIVARIATE = "multivariate"


class SinglingOutParams(GroupedParams):
    """Parameters of the singling-out attack."""

    attacks: int = Field(
        default=2000, ge=100, le=100_000, description="Number of predicates asked for."
    )
    kinds: tuple[Kind, ...] = Field(
        default=(Kind.MULTIVARIATE, Kind.UNIVARIATE),
        min_length=1,
        description="On one column, on several, or both; of both, at most half are on one column.",
    )
    columns: int = Field(
        default=3, ge=2, le=50, description="Number of columns of a multivariate predicate."
    )


CARD = Card(
    name="singling_out",
    version=1,
    title="Singling out by learned predicates",
    question="Does the release tell what is true of exactly one real person?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and how many people stand behind it",
        wants="a description that is true of exactly one of those people",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="rate = (1/B) #{predicates unique in Z that match exactly one row}; holdout brought to "
    "the size of train; excess = (train − holdout)/(1 − holdout)",
    headline="excess",
    figures={
        "train_rate": FigureSpec.share(
            "Success on train",
            "Share of the descriptions learned from the release that fit exactly one of the people "
            "behind it.",
            part=FigurePart.ATTACK,
        ),
        "holdout_rate": FigureSpec.share(
            "Success on holdout",
            "The same share among equally many people the generator never saw: what follows from "
            "the population.",
            part=FigurePart.CONTROL,
        ),
        "gap": FigureSpec.difference(
            "Success beyond the holdout",
            "By how much more often a description fits exactly one of the people behind the "
            "release than exactly one of equally many others.",
            satisfies=(Criterion.SINGLING_OUT,),
            part=FigurePart.EXCESS,
        ),
        "excess": FigureSpec.residual(
            "Residual risk",
            "By how much more often a description fits exactly one of the people behind the "
            "release, as a share of the descriptions that would otherwise have failed.",
            satisfies=(Criterion.SINGLING_OUT,),
        ),
        **guessing_figure(
            "Share of made-up descriptions that fit exactly one of the people behind the release."
        ),
        **group_figures(Criterion.SINGLING_OUT),
    },
    needs=(Need.COLUMNS,),
    references=(
        "Giomi et al. 2023, arXiv 2211.10459 (Anonymeter)",
        "Cohen and Nissim 2020, arXiv 1904.06009 (predicate singling out)",
    ),
    limits=(
        "A description that fits one person need not name that person.",
        "Few columns make weak predicates in large tables; ask for more columns as well.",
        "A release much smaller than train teaches predicates that fit several people at once.",
        "The intervals cover predicates and the people they single out, not the synthesis.",
    ),
)


@metric(CARD, params=SinglingOutParams)
def singling_out(inputs: Inputs, params: SinglingOutParams, rng: Generator) -> Measured:
    """Return how many predicates learned from the release match exactly one real person."""
    release = inputs.release
    tables = {
        name: OrderedTable(attribute_matrix(table, release.columns))
        for name, table in release.tables.items()
    }
    ordered = has_order(release.columns)
    learned, tried = _learned(tables["synthetic"], ordered, params, rng)
    attack = learned[Kind.UNIVARIATE].joined(learned[Kind.MULTIVARIATE])
    if not len(attack):
        raise NotAssessable("no description fits exactly one synthetic row, so none can be tried")
    level = inputs.confidence
    tried_on_train, holdout = _tried_on_people(attack, tables, level)
    train = tried_on_train.rate(level)
    guess = _guessed(learned, tables, ordered, rng, level)
    groups, counted = _worst_group(inputs, params, tables, rng)
    return Measured(
        figures=compared_rates(train, holdout) | {"baseline_rate": guess} | groups,
        raw=train.value,
        risk=train.value,
        diagnostics={
            "predicates asked for": params.attacks,
            "candidates tried": tried,
            "train rows singled out": int((tried_on_train.by_row > 0).sum()),
            **_by_kind(learned, tried_on_train.success == 1),
            **counted,
        },
        notes=(*_shortage(len(attack), params.attacks), *guessing_notes(train, guess)),
        records=(Records(table="train", scores={"times_singled_out": tried_on_train.by_row}),),
    )


def _learned(
    synthetic: OrderedTable,
    ordered: NDArray[np.bool_],
    params: SinglingOutParams,
    rng: Generator,
) -> tuple[dict[Kind, Predicates], int]:
    """Return the predicates of each kind, and how many multivariate candidates were tried."""
    wanted, width = params.attacks, min(params.columns, synthetic.matrix.shape[1])
    several = Kind.MULTIVARIATE in params.kinds and width > 1
    single = 0 if Kind.UNIVARIATE not in params.kinds else wanted // 2 if several else wanted
    first = univariate_predicates(synthetic, ordered, limit=single, rng=rng)
    left = wanted - len(first) if several else 0
    second, tried = multivariate_predicates(synthetic, ordered, width=width, limit=left, rng=rng)
    return {Kind.UNIVARIATE: first, Kind.MULTIVARIATE: second}, tried


@dataclass(frozen=True)
class _Tried:
    """Success of each predicate on one table, and how much of it falls on each of its rows."""

    success: NDArray[np.float64]
    by_row: NDArray[np.float64]

    def rate(self, level: float) -> Estimate:
        """Return the success rate; predicates that single out the same people count as fewer."""
        total = float(self.success.sum())
        concentration = float((self.by_row**2).sum()) / total if total else 1.0
        size = max(1, math.floor(len(self.success) / max(concentration, 1.0)))
        share = float(self.success.mean())
        return wilson(share * size, size, level=level)


def _tried_on_people(
    attack: Predicates, tables: Mapping[str, OrderedTable], level: float
) -> tuple[_Tried, Estimate]:
    """Return what the predicates did on train, and their success rate on as many other people."""
    counts = attack.count(tables["train"])
    train = _tried(attack, tables["train"], counts, (counts == 1).astype(float))
    return train, _holdout_rate(attack, counts, tables, level)


def _tried(
    attack: Predicates,
    table: OrderedTable,
    counts: NDArray[np.int64],
    success: NDArray[np.float64],
) -> _Tried:
    share = success / np.maximum(counts, 1)
    return _Tried(success, attack.spread(table, share))


def _holdout_rate(
    attack: Predicates,
    train_counts: NDArray[np.int64],
    tables: Mapping[str, OrderedTable],
    level: float,
) -> Estimate:
    """Return the success on as many people as train has, of whom the generator saw none."""
    if "holdout" not in tables:
        return unknown(NO_HOLDOUT)
    counts = attack.count(tables["holdout"])
    n, h = len(tables["train"]), len(tables["holdout"])
    if h >= n:
        success = isolated_in_sample(counts, h, n)
        return _tried(attack, tables["holdout"], counts, success).rate(level)
    success = (counts == 1) * none_in_sample(train_counts, n, n - h)
    part = _tried(attack, tables["holdout"], counts, success).rate(level)
    ends = [min(float(end or 0) * n / h, 1.0) for end in (part.low, part.value, part.high)]
    return part.model_copy(
        update={"low": ends[0], "value": ends[1], "high": ends[2], "method": "Wilson, scaled"}
    )


def _worst_group(
    inputs: Inputs,
    params: SinglingOutParams,
    tables: Mapping[str, OrderedTable],
    rng: Generator,
) -> tuple[dict[str, Estimate], dict[str, JsonValue]]:
    """Return the gap of the group in which the attack may do best, and how many groups there were.

    Each group is attacked by itself, with predicates learned from its own synthetic rows.
    """
    if not params.groups or "holdout" not in tables:
        return without_groups(params)
    ordered = has_order(inputs.release.columns)

    def gap(masks: Masks, level: float) -> Estimate:
        within: dict[str, OrderedTable] = {
            name: tables[name].take(mask) for name, mask in masks.items()
        }
        if not len(within["synthetic"]):
            return unknown("the release has no row of this group")
        learned, _ = _learned(within["synthetic"], ordered, params, rng)
        attack = learned[Kind.UNIVARIATE].joined(learned[Kind.MULTIVARIATE])
        if not len(attack):
            return unknown("no description fits exactly one synthetic row of this group")
        train, holdout = _tried_on_people(attack, within, level)
        return compared_rates(train.rate(level), holdout)["gap"]

    worst, counted = worst_of(
        inputs,
        params,
        members(inputs, params, ("train", "holdout", "synthetic")),
        size=lambda masks: min(int(masks["train"].sum()), int(masks["holdout"].sum())),
        risk=gap,
    )
    return {GAP: worst}, counted


def _guessed(
    learned: Mapping[Kind, Predicates],
    tables: Mapping[str, OrderedTable],
    ordered: NDArray[np.bool_],
    rng: Generator,
    level: float,
) -> Estimate:
    """Return the success of as many made-up predicates on as many columns each."""
    hits = total = 0
    for predicates in learned.values():
        width = int(predicates.used[:1].sum())
        made_up = random_predicates(
            tables["synthetic"], ordered, width=width, number=len(predicates), rng=rng
        )
        hits += int((made_up.count(tables["train"]) == 1).sum())
        total += len(made_up)
    return wilson(hits, total, level=level)


def _by_kind(learned: Mapping[Kind, Predicates], hit: NDArray[np.bool_]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    start = 0
    for kind, predicates in learned.items():
        own = hit[start : start + len(predicates)]
        found[f"{kind} predicates"] = len(own)
        found[f"success on train ({kind})"] = float(own.mean()) if len(own) else None
        start += len(own)
    return found


def _shortage(made: int, wanted: int) -> tuple[str, ...]:
    if made == wanted:
        return ()
    return (f"Only {made} of {wanted} predicates could be learned; the success refers to these.",)
