"""Linkability: the release tells which two partial records belong to one person.

The attacker holds two lists about the same people, with different columns and no common key, say a
customer list and a patient list. For a person's entry in each list they look up the k nearest rows
of the release, comparing only the columns that the list has. If the two answers share a row, the
attacker concludes that the two entries are one person.

Success of one person: P(N_A ∩ N_B ≠ ∅), where N_A and N_B are the k nearest synthetic rows by the
first and by the second set of columns. Where more rows are equally near than there are places, each
list draws among them, all being equally likely, and the success is the probability over these
draws: for k = 1 it is |T_A ∩ T_B| / (|T_A| |T_B|) for the sets T of tied rows. So neither the order
of the rows nor the names of categories matter. Guessing, two random lists of k of the m synthetic
rows, succeeds with probability 1 - C(m - k, k) / C(m, k).

That two halves of a person resemble the same synthetic row may follow from how the columns depend
on each other in the population. What speaks of leakage is the excess over people the generator
never saw.

Worked example: first column Y = (0, 5, 9), Z = (1, 5, 9, 9); second column Y = (0, 2, 4),
Z = (4, 2, 2, 4); k = 1. First lists {z1}, {z2}, {z3, z4}; second lists {z2, z3}, {z2, z3},
{z1, z4}: success 0, 1/2 and 1/4, rate 1/4. Guessing succeeds with probability 1/4, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from pydantic import Field, model_validator

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
)
from privgate.metrics.comparison import compared, comparison_figures
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams
from privgate.metrics.guessing import held_against_guessing
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.neighbors import View, shared_neighbour

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs

CONCLUSIONS = ("gap", "excess", "worst_group_gap")


class LinkabilityParams(GroupedParams, DistanceParams):
    """Parameters of the linkability attack."""

    first_columns: tuple[str, ...] = Field(
        default=(),
        description="Columns of the attacker's first list; if neither set is given, the measured "
        "columns are dealt out at random by the run's seed, and the evidence states them.",
    )
    second_columns: tuple[str, ...] = Field(
        default=(), description="Columns of the second list; none of them may be in the first."
    )
    k: int = Field(
        default=1, ge=1, le=50, description="How many nearest synthetic rows each list looks up."
    )

    @model_validator(mode="after")
    def _sets_are_disjoint(self) -> Self:
        both = [*self.first_columns, *self.second_columns]
        if bool(self.first_columns) != bool(self.second_columns):
            raise ValueError("give both sets of columns or neither")
        if len(set(both)) < len(both):
            raise ValueError("a column is named twice; the two sets must be disjoint")
        return self


CARD = Card(
    name="linkability",
    version=1,
    title="Linkability of two partial records",
    question="Does the release tell which two partial records belong to the same person?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release and two lists about the same people",
        knows="the release, and for each person one set of columns from one list and another set "
        "from the other",
        wants="to find which entries of the two lists belong to one person",
    ),
    criteria=(Criterion.LINKABILITY,),
    formula="rate = (1/n) Σᵢ P(N_A(i) ∩ N_B(i) ≠ ∅), N the k nearest synthetic rows by one set of "
    "columns, ties drawn at random; excess = (train − holdout)/(1 − holdout)",
    headline="excess",
    figures={
        **comparison_figures("whose two partial records are linked", Criterion.LINKABILITY),
        "baseline_rate": FigureSpec.share(
            "Success of guessing",
            "Chance that two random lists of synthetic records share one.",
            exact=True,
            part=FigurePart.BASELINE,
        ),
        **group_figures(Criterion.LINKABILITY),
    },
    needs=(Need.COLUMNS,),
    references=("Giomi et al. 2023, arXiv 2211.10459 (Anonymeter)",),
    limits=(
        "Speaks for the two sets of columns only; another attacker may hold others.",
        "Columns with few values cannot tell people apart, so even a copy may link nobody.",
        "Depends on the distance: what lies near is not what an expert would call similar.",
        "The intervals cover the sampling of people, not that of the synthesis.",
    ),
)


@dataclass(frozen=True)
class _Sets:
    """The two sets of columns and whether the seed chose them."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    drawn: bool


@metric(CARD, params=LinkabilityParams)
def linkability(inputs: Inputs, params: LinkabilityParams, rng: Generator) -> Measured:
    """Return the share of people whose two partial records meet in a synthetic row."""
    rows = inputs.release.synthetic.rows
    if 2 * params.k > rows:
        raise NotAssessable(
            f"any two lists of {params.k} among {rows} synthetic rows share one, so nothing is "
            "linked; lower k"
        )
    sets = _sets(inputs, params, rng)
    train, others = np.split(_success(inputs, params, sets), [inputs.release.train.rows])
    holdout = None if inputs.release.holdout is None else others
    groups, counted = worst_group(inputs, params, train, holdout)
    baseline = Estimate(value=random_link(rows, params.k), n=rows)
    figures, notes = held_against_guessing(
        compared(train, holdout, level=inputs.confidence) | {"baseline_rate": baseline} | groups,
        conclusions=CONCLUSIONS,
    )
    rate = float(train.mean())
    return Measured(
        figures=figures,
        raw=rate,
        risk=rate,
        diagnostics={
            "first columns": list(sets.first),
            "second columns": list(sets.second),
            "columns drawn by the seed": sets.drawn,
            "train records linked for certain": int((train == 1).sum()),
            **counted,
        },
        notes=notes,
        records=(Records(table="train", scores={"linked": train}),),
    )


def random_link(rows: int, k: int) -> float:
    """Return the chance that two random lists of k among ``rows`` rows share a row.

    Examples
    --------
    >>> random_link(4, 1), round(random_link(10, 2), 12)
    (0.25, 0.377777777778)
    """
    return 1 - math.comb(rows - k, k) / math.comb(rows, k)


def _sets(inputs: Inputs, params: LinkabilityParams, rng: Generator) -> _Sets:
    known = [column.name for column in inputs.release.columns]
    if not params.first_columns:
        if len(known) < 2:
            raise NotAssessable("two sets of columns need at least two measured columns")
        dealt = [known[place] for place in rng.permutation(len(known))]
        half = len(dealt) // 2
        return _Sets(tuple(sorted(dealt[:half])), tuple(sorted(dealt[half:])), drawn=True)
    for name in (*params.first_columns, *params.second_columns):
        if name not in known:
            raise NotAssessable(f"{name!r} is not a measured column")
    return _Sets(params.first_columns, params.second_columns, drawn=False)


def _success(inputs: Inputs, params: LinkabilityParams, sets: _Sets) -> NDArray[np.float64]:
    views = []
    for names in (sets.first, sets.second):
        space = inputs.neighbours(params.distance, columns=names).space
        views.append(View(space.real, space.synthetic))
    return shared_neighbour(*views, k=params.k, executor=inputs.executor)
