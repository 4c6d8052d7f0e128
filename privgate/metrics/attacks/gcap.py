"""GCAP asks how often the published records nearest to a person's keys hold the person's secret.

The attacker works as in ZCAP, but does not give up when no published record has exactly the
person's keys: they take all records whose keys differ from them in the fewest attributes.

h_ij is the number of keys in which y_i and z_j differ, M_i = {j : h_ij = min_j' h_ij'} with all
ties, c_i = #{j ∈ M_i : z_j[S] = y_i[S]} / |M_i| and GCAP = (1/n) Σ_i c_i. Each published record
counts once. The same attack on people the generator never saw shows what follows from the
population alone. Every sensitive column is attacked by itself and the worst one decides.

Numbers and dates take part only in classes, cut at quantiles of train when `bins` is given.

Worked example: Y = (F,DK,yes), (M,DK,no), (M,IT,yes), (F,FR,no) and Z = (F,DK,yes), (F,DK,no),
(M,DK,no), (M,FR,no), (F,IT,yes), S the last: c = (1/2, 1, 1/3, 1/2), so GCAP = 7/12.

The review prints the same formula. Its tool takes one arbitrary record among those tied, so that
its answer depends on the order of rows; here all of them vote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, vstack

from privgate.encoding import GowerRows
from privgate.evidence import Card, Criterion, Family, Need, ThreatModel
from privgate.metrics.attribution import AttributionParams, Keys, attribute, attribution_figures
from privgate.metrics.contract import Measured, metric
from privgate.neighbors import from_tied_nearest

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs


class GcapParams(AttributionParams):
    """Parameters of GCAP."""


CARD = Card(
    name="gcap",
    version=1,
    title="Generalised correct attribution probability",
    question="Do the published records closest to a person's keys hold that person's secret?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and, about, the quasi-identifiers of the people they are after",
        wants="to learn a sensitive attribute of those people",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="GCAP = (1/n) Σᵢ #{j ∈ Mᵢ : zⱼ[S] = yᵢ[S]} / |Mᵢ|, Mᵢ the records whose keys differ "
    "from yᵢ[K] in the fewest attributes; excess = (GCAP(train) − GCAP(holdout)) / "
    "(1 − GCAP(holdout))",
    review_name="GCAP",
    headline="excess",
    figures=attribution_figures(),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    references=(
        "Hittmeir et al. 2020, doi 10.1145/3374664.3375722 (generalised CAP)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        "Treats all keys alike and ignores the order of their values.",
        "With many keys what is closest becomes arbitrary.",
        "A high value can be a true pattern of the population; judge the excess over the holdout.",
        "A copy of train scores 1 only where the keys determine the sensitive value.",
        "The intervals cover the sampling of people, not that of the synthesis.",
    ),
)


@metric(CARD, params=GcapParams)
def gcap(inputs: Inputs, params: GcapParams, rng: Generator) -> Measured:
    """Return the success of guesses from the records closest to a person's keys."""
    del rng

    def from_closest_keys(keys: Keys, counts: csr_array) -> csr_array:
        blocks = from_tied_nearest(
            _rows(keys.real),
            _rows(keys.synthetic),
            lambda closest: csr_array(closest @ counts),
            executor=inputs.executor,
        )
        return csr_array(vstack(blocks))

    return attribute(inputs, params, from_closest_keys)


def _rows(keys: NDArray[np.int64]) -> GowerRows:
    """Return keys as rows whose distance is the share of unequal ones."""
    return GowerRows(np.empty((len(keys), 0)), keys.astype(np.int32))
