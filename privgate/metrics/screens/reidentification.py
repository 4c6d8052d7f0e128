"""Re-identification: how few real people share the quasi-identifiers of a published record.

An attacker takes a published record, looks up who in the source has those quasi-identifiers, and
picks one of them. They know who was in the source, so the k people found are all there are.

k_j = #{i : y_i[K] = z_j[K]}, K the declared quasi-identifiers; the probability is 1/k_j, or 0 where
nobody is found; the greatest of all published records is judged. Values are compared after parsing
by declared type, numbers rounded first if `decimals` is given.

A value that is missing in the published record equals a missing one. Where nobody is found that
way, it is left out of the comparison: without an age the other values still point to somebody.

Worked example: Y[K] = (34,f), (34,f), (51,m), (60,f) and Z[K] = (34,f), (34,f), (51,m), (77,m)
give k = (2, 2, 1, 0), so the greatest probability is 1. Without (51,m) in Z it is 1/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import Role, row_ids
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Params, Records, metric
from privgate.metrics.rounding import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Release, Table
    from privgate.metrics.inputs import Inputs

SMALL_GROUP = 11
MOST_PATTERNS = 100


class ReidentificationParams(Params):
    """Parameters of the re-identification probability."""

    decimals: int | None = Field(
        default=None,
        ge=0,
        le=15,
        description="Decimals that numbers are rounded to before they are compared; none if empty.",
    )


CARD = Card(
    name="reidentification",
    version=1,
    title="Re-identification probability",
    question="How few real people have the quasi-identifiers of a published record?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release and knows who is in the source",
        knows="the release and the exact quasi-identifiers of everyone behind it",
        wants="to say which person a published record is about",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="max over j of 1/kⱼ, kⱼ = #{i : yᵢ[K] = zⱼ[K]}, 0 where kⱼ = 0",
    headline="max_probability",
    figures={
        # A score, not a share: its n are the people found, and fewer than 11 are not published.
        "max_probability": FigureSpec.score(
            "Greatest re-identification probability",
            "One divided by the number of real people who share the quasi-identifiers of the "
            "published record that is easiest to attribute; 0 where no record matches anybody.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        "smallest_group": FigureSpec(
            title="Smallest group of people",
            meaning="Least number of real people who share the quasi-identifiers of a published "
            "record, of the records that match anybody.",
            safe_side=SafeSide.HIGH,
            kind=FigureKind.COUNT,
            minimum=1,
        ),
        "share_below_11": FigureSpec.share(
            "Records that point to 1 to 10 people",
            "Share of the published records whose quasi-identifiers 1 to 10 real people have.",
            exact=True,
        ),
    },
    needs=(Need.QUASI_IDENTIFIERS,),
    references=(
        "EMA, external guidance on the implementation of Policy 0070",
        "Health Canada, guidance on the public release of clinical information",
        "Sweeney 2002, doi 10.1142/S0218488502001648 (groups of equal quasi-identifiers)",
    ),
    limits=(
        "Says nothing about whether the other values of a matching record are right.",
        "Blind to values published a little altered: they match nobody, and 0 is no clearance.",
        "Exact ages and places match unique people by chance; such releases rarely keep a limit.",
        "Where train is a sample, who does not know who is in it has more people to choose from.",
        "Only as good as the declaration of what an attacker can know.",
        "A screen can stop a release; finding no small group does not clear it.",
    ),
)


@metric(CARD, params=ReidentificationParams)
def reidentification(inputs: Inputs, params: ReidentificationParams, rng: Generator) -> Measured:
    """Return how few people share the quasi-identifiers of published records."""
    del rng
    people = _people(rounded(inputs.release, params.decimals))
    found = people[people > 0]
    if len(found):
        least = int(found.min())
        greatest = Estimate(value=1 / least, n=least)
        smallest = Estimate(value=least)
    else:
        greatest = Estimate(value=0.0, n=len(people))
        smallest = unknown("no published record has the quasi-identifiers of a train row")
    small = (people > 0) & (people < SMALL_GROUP)
    return Measured(
        figures={
            "max_probability": greatest,
            "smallest_group": smallest,
            "share_below_11": Estimate(value=float(small.mean()), n=len(people)),
        },
        raw=greatest.value,
        risk=greatest.value,
        diagnostics={"published records that match somebody": len(found)},
        records=(Records(table="synthetic", scores={"people_with_these_values": people}),),
    )


def _people(release: Release) -> NDArray[np.int64]:
    """Return for each published record the number of train rows that it can be about."""
    columns = release.with_role(Role.QUASI_IDENTIFIER)
    ids = row_ids(release, columns)
    if len(np.unique(ids["train"])) == 1:
        raise NotAssessable(
            "all train rows have the same quasi-identifiers, which tell nobody apart: declare what "
            "an attacker can know"
        )
    equal = _counted(ids["train"], ids["synthetic"])
    known = _stated(release.synthetic, columns)
    patterns, of = np.unique(known, axis=0, return_inverse=True)
    if len(patterns) > MOST_PATTERNS:
        raise NotAssessable(
            f"{len(patterns)} sets of quasi-identifiers are missing together in published records, "
            f"and at most {MOST_PATTERNS} are compared: declare fewer quasi-identifiers"
        )
    for place, pattern in enumerate(patterns):
        rows = (of.reshape(-1) == place) & (equal == 0)
        if pattern.all() or not rows.any():
            continue
        if not pattern.any():  # nothing is told, so it can be about everybody
            equal[rows] = release.train.rows
            continue
        kept = [column for column, told in zip(columns, pattern, strict=True) if told]
        ids = row_ids(release, kept)
        equal[rows] = _counted(ids["train"], ids["synthetic"][rows])
    return equal


def _stated(table: Table, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Return which values are there, a column each."""
    values = [np.asarray(table.values[column.name], np.float64) for column in columns]
    return np.column_stack(
        [
            own >= 0 if column.type.has_levels else ~np.isnan(own)
            for own, column in zip(values, columns, strict=True)
        ]
    )


def _counted(train: NDArray[np.int64], published: NDArray[np.int64]) -> NDArray[np.int64]:
    distinct, sizes = np.unique(train, return_counts=True)
    at = np.minimum(np.searchsorted(distinct, published), len(distinct) - 1)
    return np.where(distinct[at] == published, sizes[at], 0).astype(np.int64)
