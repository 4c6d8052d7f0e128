"""k-map: how many published records single out one of fewer than k real people.

An attacker who knows the quasi-identifiers of a person looks for published records that have them.
Where at least one real person and fewer than k have the quasi-identifiers of a record, that record
points at few.

share = (1/m) Σ_j 1[1 ≤ c_j < k] over the m published records, c_j the number of train rows with the
same quasi-identifiers.

Worked example: train (f, 30), (f, 30), (m, 40), published (f, 30), (m, 40), (m, 50), k = 2 give
counts 2, 1, 0, so one of three records points at fewer than two people: 1/3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import Role, row_ids
from privgate.errors import NotAssessable
from privgate.evidence import Card, Criterion, Family, FigureSpec, Need, ThreatModel
from privgate.metrics import Measured, Params, Records, metric
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics import Inputs


class KMapParams(Params):
    """Parameters of k-map."""

    k: int = Field(default=11, ge=2, le=1000, description="Smallest number of people to hide in.")


CARD = Card(
    name="acme.k_map",
    version=1,
    title="k-map",
    question="How many published records point at fewer than k real people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="a neighbour or colleague",
        knows="the quasi-identifiers of a person",
        wants="to find that person's record",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="share = (1/m) Σⱼ 1[1 ≤ cⱼ < k]",
    headline="share",
    figures={
        "share": FigureSpec.share(
            "Published records that point at few people",
            "Share of the published records whose quasi-identifiers at least one and fewer than k "
            "of the people behind the release have.",
        )
    },
    needs=(Need.QUASI_IDENTIFIERS,),
    references=("Sweeney 2002, doi 10.1142/S0218488502001648",),
    limits=(
        "Only as good as the declaration of what an attacker can know.",
        "Blind to quasi-identifiers that are published a little altered.",
        "A screen can stop a release; finding no small group does not clear it.",
    ),
)


@metric(CARD, params=KMapParams)
def k_map(inputs: Inputs, params: KMapParams, rng: Generator) -> Measured:
    """Return the share of published records that point at few people."""
    del rng
    release = inputs.release
    ids = row_ids(release, release.with_role(Role.QUASI_IDENTIFIER))
    distinct, sizes = np.unique(ids["train"], return_counts=True)
    if len(distinct) == 1:
        raise NotAssessable("all train rows have the same quasi-identifiers")
    at = np.minimum(np.searchsorted(distinct, ids["synthetic"]), len(distinct) - 1)
    people = np.where(distinct[at] == ids["synthetic"], sizes[at], 0)
    few = (people > 0) & (people < params.k)
    return Measured(
        figures={"share": wilson(int(few.sum()), len(few), level=inputs.confidence)},
        raw=float(few.mean()),
        records=(Records(table="synthetic", scores={"people_with_these_values": people}),),
    )
