"""RAPID's simulated study: how many people are at risk as dependence grows.

``python rapid_simulation.py`` prints the tables; ``--write`` also puts them into
``docs/reproductions.md``. The data are drawn, nothing is needed.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np
from cart_synthesis import synthesised
from pages import inside, number, publish, table, within
from published import RAPID_ATTACKERS, RAPID_SIMULATION, RAPID_TAUS
from rapid_attack import achieved, null_levels
from simulation import COLUMNS, simulated_people

from privgate.data import release_from_frames
from privgate.learners import Attacker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapid_attack import Achieved

    from privgate.data import Release

FOREST = Attacker.RANDOM_FOREST
ATTACKERS = (FOREST, Attacker.CART, Attacker.LIGHTGBM)
NULL_BAND = (0.08, 0.18)
GAP_BANDS = {0: (0.04, 0.15), 10: (-1.0, 0.04)}

Study = dict[tuple[int, Attacker], "list[Achieved]"]


def simulated_release(kappa: int, replicate: int, rows: int) -> Release:
    """Return people behind a release, as many others, and the release that trees make."""
    rng = np.random.default_rng([7, replicate])
    train, holdout = (simulated_people(rows, kappa, rng) for _ in range(2))
    synthetic = synthesised(train, rng)
    return release_from_frames(train=train, holdout=holdout, synthetic=synthetic, columns=COLUMNS)


def band(kappa: int) -> float:
    """Return how far from the published mean ours may lie."""
    return 0.05 if kappa == 0 else 0.03


def studied(replicates: int, rows: int, jobs: int) -> Study:
    """Return what each attacker achieves in each replicate, by kappa."""
    found: Study = {(kappa, attacker): [] for kappa in RAPID_SIMULATION for attacker in ATTACKERS}
    for kappa in RAPID_SIMULATION:
        sys.stderr.write(f"kappa {kappa}\n")
        for replicate in range(replicates):
            release = simulated_release(kappa, replicate, rows)
            for attacker in ATTACKERS:
                found[kappa, attacker].append(
                    achieved(release, attacker, taus=RAPID_TAUS, seed=replicate, jobs=jobs)
                )
    return found


def curve_table(study: Study) -> str:
    """Return published and own means of the random forest by kappa and tau."""
    rows = []
    for kappa, published in RAPID_SIMULATION.items():
        curves = np.array([one.curve for one in study[kappa, FOREST]])
        for tau, theirs, ours in zip(RAPID_TAUS, published, curves.T, strict=True):
            mean = float(ours.mean())
            rows.append(
                [
                    *(str(kappa), str(tau), number(theirs)),
                    f"{number(mean)} ({number(ours.std(ddof=1))})",
                    number(mean - theirs),
                    f"± {band(kappa)}",
                    within(mean, theirs, band(kappa)),
                ]
            )
    head = ["kappa", "tau", "published", "ours (sd)", "difference", "band", "within"]
    return table(head, rows)


def attacker_table(study: Study) -> str:
    """Return published and own means of each attacker at kappa 10 and tau 0.3."""
    rows = []
    for attacker in ATTACKERS:
        found = study[10, attacker]
        share, right = (np.array([getattr(one, of) for one in found]) for of in FIGURES)
        published, accuracy = RAPID_ATTACKERS[attacker]
        mean = float(share.mean())
        rows.append(
            [
                *(f"`{attacker}`", number(published)),
                f"{number(mean)} ({number(share.std(ddof=1))})",
                *(number(mean - published), within(mean, published, band(10))),
                *(number(accuracy), number(float(right.mean()))),
            ]
        )
    head = ["attacker", "published", "ours (sd)", "difference", "within ± 0.03"]
    return table([*head, "accuracy, published", "accuracy, ours"], rows)


FIGURES = ("at_risk", "accuracy")


def level_table(study: Study, nulls: dict[int, list[float]]) -> str:
    """Return what refits on permuted classes reach, and the gap to people nobody learned from."""
    rows = []
    for kappa, null in nulls.items():
        gap = float(np.mean([one.gap for one in study[kappa, FOREST]]))
        low, high = GAP_BANDS.get(kappa, (None, None))
        level = float(np.mean(null))
        rows.append(
            [
                *(str(kappa), number(level)),
                inside(level, *NULL_BAND),
                number(gap),
                "–" if low is None or high is None else inside(gap, low, high),
            ]
        )
    head = ["kappa", "null level", "within 0.08 … 0.18", "gap to the holdout", "within its band"]
    return table(head, rows)


def main(arguments: Sequence[str]) -> int:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=4, help="syntheses per kappa, 2 or more")
    parser.add_argument("--rows", type=int, default=1000, help="people behind each release")
    parser.add_argument("--refits", type=int, default=20, help="refits on permuted classes")
    parser.add_argument("--jobs", type=int, default=1, help="threads; they change no figure")
    parser.add_argument("--write", action="store_true", help="put the tables into the page, too")
    given = parser.parse_args(arguments)
    if given.replicates < 2:
        parser.error("--replicates must be 2 or more, for a spread")
    study = studied(given.replicates, given.rows, given.jobs)
    nulls = {
        kappa: null_levels(
            simulated_release(kappa, 0, given.rows),
            FOREST,
            refits=given.refits,
            rng=np.random.default_rng([8, kappa]),
            jobs=given.jobs,
        )
        for kappa in RAPID_SIMULATION
    }
    size = f"{given.replicates} replicates of {given.rows} people, {given.refits} refits."
    text = "\n".join(
        [size, "", curve_table(study), attacker_table(study), level_table(study, nulls)]
    )
    publish("rapid-simulation", text, write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
