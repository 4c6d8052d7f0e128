"""ZCAP asks how often the published records that share a person's keys also hold their secret.

The attacker knows some attributes of a real person (the keys K, here the quasi-identifiers) and
the whole release, looks up the published records with exactly those keys, and guesses the
sensitive value S of one of them at random. Without such a record the attacker gives up, which
counts as a miss.

M_i = {j : z_j[K] = y_i[K]}, c_i = #{j ∈ M_i : z_j[S] = y_i[S]} / |M_i|, or 0 if M_i is empty, and
ZCAP = (1/n) Σ_i c_i. Missing equals missing. The same attack on people the generator never saw
shows what follows from the population alone. Every sensitive column is attacked by itself and the
worst one decides; guessing them all at once is an option.

Numbers and dates take part only in classes, cut at quantiles of train when `bins` is given.

Worked example: Y = (F,DK,yes), (M,DK,no), (M,IT,yes), (F,FR,no) and Z = (F,DK,yes), (F,DK,no),
(M,DK,no), (M,FR,no), (F,IT,yes), S the last: c = (1/2, 1, 0, 0), so ZCAP = 0.375.

The review prints the same formula. We add: if no train person has a match the attack has told
nothing and is not assessed, where a bare 0 would look like privacy; missing keys match each other,
so a copy with missing values does not look safe. A copy of train scores 1 only where the keys
determine the secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from privgate.evidence import Card, Criterion, Family, Need, ThreatModel
from privgate.metrics.attribution import AttributionParams, Keys, attribute, attribution_figures
from privgate.metrics.contract import Measured, metric

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics.inputs import Inputs


class ZcapParams(AttributionParams):
    """Parameters of ZCAP."""


CARD = Card(
    name="zcap",
    version=1,
    title="Zero correct attribution probability",
    question="Do published records with a person's keys also hold that person's secret?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and the exact quasi-identifiers of the people they are after",
        wants="to learn a sensitive attribute of those people",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="ZCAP = (1/n) Σᵢ #{j ∈ Mᵢ : zⱼ[S] = yᵢ[S]} / |Mᵢ|, Mᵢ = {j : zⱼ[K] = yᵢ[K]}, 0 if Mᵢ "
    "is empty; excess = (ZCAP(train) − ZCAP(holdout)) / (1 − ZCAP(holdout))",
    review_name="ZCAP",
    headline="excess",
    figures=attribution_figures(),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    references=(
        "Hittmeir et al. 2020, doi 10.1145/3374664.3375722 (correct attribution probability)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        "Blind to people whose keys are not in the release, so it falls as keys are added.",
        "A high value can be a true pattern of the population; judge the excess over the holdout.",
        "A copy of train scores 1 only where the keys determine the sensitive value.",
        "The intervals cover the sampling of people, not that of the synthesis.",
    ),
)


@metric(CARD, params=ZcapParams)
def zcap(inputs: Inputs, params: ZcapParams, rng: Generator) -> Measured:
    """Return the success of guesses from records with exactly a person's keys."""
    del rng
    return attribute(inputs, params, _from_equal_keys)


def _from_equal_keys(keys: Keys, counts: csr_array) -> csr_array:
    both = np.concatenate([keys.real, keys.synthetic])
    _, ids = np.unique(both, axis=0, return_inverse=True)
    real, published = np.split(ids.reshape(-1), [len(keys.real)])
    at = np.minimum(np.searchsorted(published, real), len(published) - 1)
    found = published[at] == real
    equal = csr_array(
        (found.astype(np.int64), (np.arange(len(real)), at)), shape=(len(real), len(published))
    )
    return csr_array(equal @ counts)
