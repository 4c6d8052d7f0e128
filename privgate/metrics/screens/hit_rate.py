"""The hitting rate counts the people who nearly reappear in the synthetic table.

An attacker who looks for a real person takes a published record for theirs when it agrees in every
category and is close in every number. A person is hit if some single published record does both:
z_j[a] = y_i[a] for each attribute with levels and |z_j[a] - y_i[a]| ≤ h_a for each number or date,
where h_a = (max - min) / 30 over train. Missing is close to missing only.

HitR = (1/n) Σ_i 1[y_i is hit]. Dense regions are hit by chance, so the same rate among people the
generator never saw is reported beside it.

Worked example: x = (0, 15, 30) with c = (A, A, B) in train and (1, A), (15, B), (29, B) in the
release: h = 1, the first and the last person are hit, HitR = 2/3.

The review prints h = (max - max)/30 = 0, which would ask for equal numbers; the width is the range
of train. Its tool skips columns of some storage types, so that everyone is hit in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data.copies import row_ranks
from privgate.evidence import Card, Criterion, Family, Need, ThreatModel
from privgate.metrics.comparison import compared, comparison_figures
from privgate.metrics.contract import Measured, Params, Records, metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release, TableName
    from privgate.metrics.inputs import Inputs

ROUNDING = 1e-9  # 0.4 - 0.3 is a little more than 0.1 in float64
MOST_PAIRS = 2**21


class HitRateParams(Params):
    """Parameters of the hitting rate."""

    divisor: float = Field(
        default=30.0,
        ge=1,
        le=1e6,
        description="A number is close within the range of train divided by this.",
    )


CARD = Card(
    name="hit_rate",
    version=1,
    title="Hitting rate",
    question="Do published records nearly match real people in every attribute?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release, and about the full record of a person they look for",
        wants="to find a published record that can pass for the person's",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="HitR = (1/n) #{i : some j has zⱼ[a] = yᵢ[a] for every category and "
    "|zⱼ[a] − yᵢ[a]| ≤ (max − min)/30 for every number}; gap = HitR(train) − HitR(holdout)",
    review_name="HitR",
    headline="gap",
    figures=comparison_figures("who nearly match a published record in every attribute", None),
    needs=(Need.COLUMNS,),
    references=(
        "Lautrup et al. 2024, doi 10.1007/s10618-024-01081-4 (SynthEval)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; width corrected to (max − min)/30)",
    ),
    limits=(
        "Falls quickly with the number of columns.",
        "Dense regions are hit by chance; compare with the holdout.",
        "Outliers of train widen what counts as close.",
        "A screen can stop a release; finding no hit does not clear it.",
    ),
)


@metric(CARD, params=HitRateParams)
def hit_rate(inputs: Inputs, params: HitRateParams, rng: Generator) -> Measured:
    """Return how many train and holdout rows nearly match some synthetic row."""
    del rng
    release = inputs.release
    hits = _hits(release, params.divisor)
    rate = float(hits["train"].mean())
    return Measured(
        figures=compared(hits["train"], hits.get("holdout"), level=inputs.confidence),
        raw=rate,
        risk=rate,
        diagnostics={"train rows hit": int(hits["train"].sum())},
        records=tuple(Records(table=name, scores={"hit": hit}) for name, hit in hits.items()),
    )


def _hits(release: Release, divisor: float) -> dict[TableName, NDArray[np.bool_]]:
    """Return for each real table which rows are hit."""
    real: list[TableName] = ["train"] if release.holdout is None else ["train", "holdout"]
    sizes = [release.tables[name].rows for name in real]
    group, numbers, widths = _coordinates(release, [*real, "synthetic"], divisor)
    count = sum(sizes)
    hit = np.zeros(count, bool)
    for person, record in _candidates(group, numbers, widths, count):
        own, found = person, record
        for values, width in zip(numbers, widths, strict=True):
            close = np.abs(values[found] - values[own]) <= width * (1 + ROUNDING)
            own, found = own[close], found[close]
        hit[own] = True
    return dict(zip(real, np.split(hit, np.cumsum(sizes)[:-1]), strict=True))


def _coordinates(
    release: Release, names: list[str], divisor: float
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]], list[float]]:
    """Return the group of each row of all tables, its numbers by column, and their widths.

    Rows of one group agree in every level and miss the same values.
    """
    tables = [release.tables[name] for name in names]
    must_agree: list[NDArray[np.generic]] = []
    numbers, widths = [], []
    for column in release.columns:
        values = np.concatenate([table.values[column.name] for table in tables])
        if column.type.has_levels:
            must_agree.append(values)
            continue
        train = np.asarray(release.train.values[column.name], np.float64)
        must_agree.append(np.isnan(values))
        numbers.append(np.nan_to_num(values))
        widths.append(float(np.nanmax(train) - np.nanmin(train)) / divisor)
    return row_ranks(must_agree, sum(table.rows for table in tables)), numbers, widths


def _candidates(
    group: NDArray[np.int64],
    numbers: list[NDArray[np.float64]],
    widths: list[float],
    people: int,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield pairs of a real and a synthetic row that may be a hit, in batches of bounded size.

    They agree in group and are about close in one number: the one that leaves the fewest pairs.
    """
    still = np.zeros(len(group))
    windows = [
        _window(group, values, width * (1 + 1e3 * ROUNDING), people)
        for values, width in zip(numbers or [still], widths or [0.0], strict=True)
    ]
    order, start, stop = min(windows, key=lambda window: int((window[2] - window[1]).sum()))
    ends = np.cumsum(stop - start)
    first = 0
    while first < people:
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + MOST_PAIRS, side="right")))
        sizes = (stop - start)[first:last]
        person = np.repeat(np.arange(first, last), sizes)
        offset = np.arange(len(person)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        yield person, order[start[person] + offset]
        first = last


def _window(
    group: NDArray[np.int64], values: NDArray[np.float64], width: float, people: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the synthetic rows by group and value, and the stretch of them near each person."""
    own, published = values[:people], values[people:]
    bounds = np.concatenate([published, own - width, own + width])
    _, ranks = np.unique(bounds, return_inverse=True)
    place, low, high = np.split(ranks, [len(published), len(published) + people])
    place = group[people:] * len(bounds) + place
    order = np.argsort(place, kind="stable")
    own_group = group[:people] * len(bounds)
    start = np.searchsorted(place[order], own_group + low, side="left")
    stop = np.searchsorted(place[order], own_group + high, side="right")
    return order + people, start, stop
