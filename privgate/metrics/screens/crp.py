"""Common rows proportion: how many real people reappear in the synthetic table, value for value.

An attacker who holds the release looks for complete rows of real people. A row counts as common
when every measured attribute is equal after parsing by declared type (missing equals missing),
numbers rounded first if `decimals` is given.

CRP = (1/n) Σ_i 1[y_i is a row of Z], over the n train rows y_i. Rows recur by chance in small
discrete domains, so the same share among people the generator never saw is reported beside it.

Worked example: Y = (a,1), (a,1), (b,2), (c,3) and Z = (a,1), (c,3), (c,9), (c,3) give 0.75.

The review divides the number of distinct common rows by that of all train rows, so a copy of a
table with every row twice would score 0.5; here each train row counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import replayed_rows, row_ids
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Params, Records, metric
from privgate.metrics.rounding import rounded
from privgate.stats.intervals import newcombe, wilson

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics.inputs import Inputs


class CrpParams(Params):
    """Parameters of the common rows proportion."""

    decimals: int | None = Field(
        default=None,
        ge=0,
        le=15,
        description="Decimals that numbers are rounded to before rows are compared; none if empty.",
    )


CARD = Card(
    name="crp",
    version=1,
    title="Common rows proportion",
    question="Do complete records of real people reappear in the release?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release, and perhaps the full record of a person they look for",
        wants="to find a real person's complete record",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="CRP = (1/n) Σᵢ 1[yᵢ ∈ Z] over the n train rows; gap = CRP(train) − CRP(holdout)",
    review_name="CRP",
    headline="gap",
    figures={
        "share": FigureSpec.share(
            "Train rows in the release",
            "Share of the people behind the release whose complete record is in it.",
        ),
        "holdout_share": FigureSpec.share(
            "Holdout rows in the release",
            "The same share among people the generator never saw: what chance produces.",
        ),
        "gap": FigureSpec.difference(
            "Common rows beyond chance",
            "By how much the share among the people behind the release exceeds the share "
            "among people the generator never saw.",
        ),
        "copied_synthetic_share": FigureSpec.share(
            "Synthetic rows that are train rows",
            "Share of the published records that are identical to a real person's record.",
        ),
        "identifier_replays": FigureSpec.count(
            "Replayed identifiers",
            "Number of published records that carry an identifier of a real person.",
        ),
    },
    references=(
        "Trudslev et al. 2025, arXiv 2507.11324 (review, section on common rows proportion)",
        "Qian et al. 2023, arXiv 2301.07573 (Synthcity)",
    ),
    limits=(
        "Blind to a copy with one digit changed.",
        "In small discrete domains common rows recur by chance; compare with the holdout.",
        "A screen can stop a release; finding no copy does not clear it.",
    ),
)


@metric(CARD, params=CrpParams)
def crp(inputs: Inputs, params: CrpParams, rng: Generator) -> Measured:
    """Return how many train, holdout and synthetic rows have an identical counterpart."""
    del rng
    release, level = rounded(inputs.release, params.decimals), inputs.confidence
    ids = row_ids(release)
    found = np.isin(ids["train"], ids["synthetic"])
    copied = np.isin(ids["synthetic"], ids["train"])
    named, replays = copied, replayed_rows(release)
    figures = {
        "share": wilson(int(found.sum()), len(found), level=level),
        "copied_synthetic_share": wilson(int(copied.sum()), len(copied), level=level),
        "identifier_replays": Estimate(
            value=max((int(rows.sum()) for rows in replays.values()), default=0),
            n=release.synthetic.rows,
        ),
    }
    if "holdout" in ids:
        chance = np.isin(ids["holdout"], ids["synthetic"])
        named = copied & ~np.isin(ids["synthetic"], ids["holdout"])
        figures["holdout_share"] = wilson(int(chance.sum()), len(chance), level=level)
        figures["gap"] = newcombe(
            int(found.sum()), len(found), int(chance.sum()), len(chance), level=level
        )
    else:
        figures["holdout_share"] = figures["gap"] = unknown("there is no holdout table")
    share = float(found.mean())
    return Measured(
        figures=figures,
        raw=share,
        risk=share,
        diagnostics={
            "distinct train rows in the release": int(np.unique(ids["train"][found]).size),
            "identifier columns in the release": len(replays),
        },
        records=(
            Records(table="train", scores={"identical_in_synthetic": found}),
            Records(
                table="synthetic",
                scores={"identical_in_train": copied},
                named=np.logical_or.reduce([named, *replays.values()]),
            ),
        ),
    )
