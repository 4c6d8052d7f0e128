"""Membership inference risk: a learner taught on the release picks out the people behind it.

An attacker holds the release Z and some real people of whom they know that they are not in it, a
part of the holdout. They teach a learner (LightGBM, 100 trees) to tell published rows from those
people's rows, and then ask it about somebody else: who looks published is called a member. The true
positive rate TPR is the share of train rows called members, the false positive rate FPR that of the
other part of the holdout, at equal numbers.

All is repeated with fresh draws (R = 5). The risk is the membership advantage,
max(0, mean TPR - mean FPR): 0 for an attacker who might as well throw a coin.

The intervals count people, not questions: somebody asked about in several repetitions stands for
one person, and where some are asked more often than others the number is (Σ k)² / Σ k².

Worked examples: TPR 0.8 and FPR 0.3 give 0.5; TPR = FPR = 1 gives 0, as calling everybody a member
is no knowledge; TPR 0.2 and FPR 0.6 give 0. A full copy of train does not give 1, since the trees
average: on 200 rows of 4 columns the advantage is about a third.

The review tells real rows from synthetic ones on a split of the very rows the learner was taught
with, and reports the recall. Nobody outside the release takes part, so that measures how well the
synthetic table imitates, not who was in it; and a recall without the false alarms beside it says
nothing: whoever calls everybody a member has recall 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.encoding import DenseEncoder
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigurePart,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.learners import fit_separation, separation_settings
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.intervals import newcombe, wilson
from privgate.stats.ranking import auc, placements
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.encoding import EuclideanRows
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

TEST_PART = 4  # one in four holdout rows is asked about, the others teach
LEAST_TAUGHT = 40  # twice what LightGBM needs to split at all
LEAST_ASKED = 10


class MirParams(GroupedParams):
    """Parameters of the membership inference risk."""

    repetitions: int = Field(
        default=5, ge=1, le=100, description="How often the attack is made, with fresh draws."
    )


CARD = Card(
    name="mir",
    version=1,
    title="Membership inference risk",
    question="Can a learner taught on the release tell who was behind it?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release and knows people who are not in it",
        knows="the release, complete records of people outside it, and the record of a person",
        wants="to know whether that person was among the people behind the release",
    ),
    criteria=(Criterion.MEMBERSHIP,),
    formula="MIR = max(0, TPR − FPR); TPR = share of train rows with P(published) ≥ ½, "
    "FPR = share of unseen holdout rows with P(published) ≥ ½, means of R repetitions",
    review_name="MIR",
    headline="advantage",
    figures={
        "advantage": FigureSpec.difference(
            "Membership advantage",
            "By how much more often people behind the release are called members than people the "
            "generator never saw.",
            satisfies=(Criterion.MEMBERSHIP,),
            part=FigurePart.EXCESS,
        ),
        "tpr": FigureSpec.share(
            "Members recognised",
            "Share of the people behind the release who are called members.",
            part=FigurePart.ATTACK,
        ),
        "fpr": FigureSpec.share(
            "False alarms",
            "Share of people the generator never saw who are called members all the same.",
            part=FigurePart.CONTROL,
        ),
        "auc": FigureSpec(
            title="Area under the curve",
            meaning="Chance that a person behind the release looks more published than one the "
            "generator never saw; one half for an honest release.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.SCORE,
            minimum=0,
            maximum=1,
            has_interval=True,
        ),
        "precision": FigureSpec.score(
            "Precision",
            "Share of those called members who are, with equally many of both asked about.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        "f1": FigureSpec.score(
            "F1",
            "Harmonic mean of precision and members recognised.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        **group_figures(Criterion.MEMBERSHIP),
    },
    needs=(Need.COLUMNS, Need.HOLDOUT),
    references=(
        "Lautrup et al. 2024, doi 10.1007/s10618-024-01081-4 (SynthEval)",
        "Yeom et al. 2018, doi 10.1109/CSF.2018.00027 (membership advantage)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        "One attacker, average case: a low advantage is no proof that no attack works.",
        "A learner that averages misses single copied rows; look at copies as well.",
        "The intervals cover the choice of people, not that of the learner's draws.",
        "Holdout rows that are equal to a train row cannot be told apart by anybody.",
        "Whether membership is a secret depends on the share of the population behind the release.",
    ),
)


@dataclass(frozen=True)
class _Round:
    """Who was asked about in one repetition, and how published they look."""

    members: NDArray[np.int64]
    others: NDArray[np.int64]
    member_scores: NDArray[np.float64]
    other_scores: NDArray[np.float64]

    @property
    def rates(self) -> tuple[float, float]:
        """Return the shares of members and of others who are called members."""
        return float((self.member_scores >= 0.5).mean()), float((self.other_scores >= 0.5).mean())


@metric(CARD, params=MirParams)
def mir(inputs: Inputs, params: MirParams, rng: Generator) -> Measured:
    """Return the membership advantage of a learner, with the rates it comes from."""
    space = inputs.neighbours().space
    train, synthetic, holdout = space.train, space.synthetic, space.holdout
    if holdout is None:
        raise NotAssessable(NO_HOLDOUT)
    _require_rows(len(train), len(synthetic), len(holdout))
    encoder = DenseEncoder.fitted(space)
    shared = train, synthetic, holdout, encoder
    rounds = list(inputs.executor.map(_attack, shared, rng.spawn(params.repetitions)))
    tpr, fpr = np.mean([entry.rates for entry in rounds], axis=0).tolist()
    asked = (
        _by_person(len(train), [(r.members, r.member_scores) for r in rounds]),
        _by_person(len(holdout), [(r.others, r.other_scores) for r in rounds]),
    )
    sizes = _worth(asked[0][1]), _worth(asked[1][1])
    success = [_share(*table) for table in asked]
    grouped, counted = worst_group(inputs, params, success[0], success[1])
    return Measured(
        figures={
            **_rates(tpr, fpr, sizes, inputs.confidence),
            "auc": _auc(rounds, sizes, inputs.confidence),
            **grouped,
        },
        raw=tpr,
        risk=advantage(tpr, fpr),
        diagnostics={**_diagnostics(inputs, rounds, sizes), **counted},
        records=(
            Records(table="train", scores={"called_member": success[0]}),
            Records(table="holdout", scores={"called_member": success[1]}),
        ),
    )


def advantage(tpr: float, fpr: float) -> float:
    """Return the membership advantage, 0 where the attack does worse than a coin.

    Examples
    --------
    >>> advantage(0.8, 0.3), advantage(1.0, 1.0), advantage(0.2, 0.6)
    (0.5, 0.0, 0.0)
    """
    return max(0.0, tpr - fpr)


def _require_rows(train: int, synthetic: int, holdout: int) -> None:
    asked = -(-holdout // TEST_PART)
    taught = min(holdout - asked, synthetic)
    if taught < LEAST_TAUGHT:
        raise NotAssessable(
            f"the learner would be taught with fewer than {LEAST_TAUGHT} rows of each kind: three "
            "quarters of the holdout, and as many synthetic rows"
        )
    if min(asked, train) < LEAST_ASKED:
        raise NotAssessable(
            f"the attack needs {LEAST_ASKED} rows of train and of the test part of the holdout"
        )


def _attack(
    shared: tuple[EuclideanRows, EuclideanRows, EuclideanRows, DenseEncoder], rng: Generator
) -> _Round:
    train, synthetic, holdout, encoder = shared
    shuffled = rng.permutation(len(holdout))
    tested, reference = np.split(shuffled, [-(-len(holdout) // TEST_PART)])
    taught = min(len(reference), len(synthetic))
    published = rng.permutation(len(synthetic))[:taught]
    outside = reference[rng.permutation(len(reference))[:taught]]
    asked = min(len(train), len(tested))
    members = rng.permutation(len(train))[:asked]
    others = tested[rng.permutation(len(tested))[:asked]]
    probability = fit_separation(
        encoder.matrix(synthetic.take(published)),
        encoder.matrix(holdout.take(outside)),
        seed=derived_int(rng),
    )
    return _Round(
        members,
        others,
        probability(encoder.matrix(train.take(members))),
        probability(encoder.matrix(holdout.take(others))),
    )


def _by_person(
    rows: int, asked: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often each row was called a member and how often it was asked about."""
    calls, questions = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for index, scores in asked:
        questions[index] += 1
        calls[index] += scores >= 0.5
    return calls, questions


def _worth(questions: NDArray[np.int64]) -> int:
    """Return the number of independent people that repeated questions are worth."""
    return int(questions.sum() ** 2 / (questions**2).sum())


def _share(calls: NDArray[np.int64], questions: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(questions > 0, calls / np.maximum(questions, 1), np.nan)


def _rates(tpr: float, fpr: float, sizes: tuple[int, int], level: float) -> dict[str, Estimate]:
    n, m = sizes
    figures = {
        "advantage": newcombe(tpr * n, n, fpr * m, m, level=level),
        "tpr": wilson(tpr * n, n, level=level),
        "fpr": wilson(fpr * m, m, level=level),
    }
    if tpr + fpr == 0:
        return figures | dict.fromkeys(("precision", "f1"), unknown("nobody was called a member"))
    return figures | {
        "precision": Estimate(value=tpr / (tpr + fpr), n=n),
        "f1": Estimate(value=2 * tpr / (1 + tpr + fpr), n=n),
    }


def _auc(rounds: Sequence[_Round], sizes: tuple[int, int], level: float) -> Estimate:
    placed = [placements(entry.member_scores, entry.other_scores) for entry in rounds]
    above, below = (np.concatenate(side) for side in zip(*placed, strict=True))
    return auc(above, below, sizes=sizes, level=level)


def _diagnostics(
    inputs: Inputs, rounds: Sequence[_Round], sizes: tuple[int, int]
) -> dict[str, JsonValue]:
    rates = np.array([entry.rates for entry in rounds])
    each = np.column_stack([rates, rates[:, 0] - rates[:, 1]])
    overlap = inputs.release.facts.holdout_overlap
    found: dict[str, JsonValue] = {
        "people behind the release the questions are worth": sizes[0],
        "other people the questions are worth": sizes[1],
        "holdout rows that are train rows": overlap.rows if overlap else 0,
        "learner": separation_settings(),
    }
    if len(rounds) > 1:
        errors = each.std(axis=0, ddof=1) / np.sqrt(len(rounds))
        names = ("TPR", "FPR", "advantage")
        for name, error in zip(names, errors.tolist(), strict=True):
            found[f"standard error of {name} over repetitions"] = error
    return found
