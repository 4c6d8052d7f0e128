"""Figures of the papers, beside which the scripts of this folder put their own.

RAPID: Templ, Thees and Mueller 2026, arXiv 2602.09235. PRIVET: Szatkownik et al. 2025, arXiv
2510.24233; its heat maps and RAPID's curve on Adult were read off figures, to within about 5 %.
Names that end in ``BEFORE`` are no publication: another implementation of the published formulas,
run on the same data before this one was written.
"""

from __future__ import annotations

from typing import NamedTuple

# The share of people at risk of a random forest, by kappa, at each tau; mean of 10 replicates.
RAPID_TAUS = (0.2, 0.3, 0.4, 0.5)
RAPID_SIMULATION = {
    0: (0.327, 0.235, 0.160, 0.099),
    5: (0.803, 0.763, 0.722, 0.678),
    10: (0.887, 0.866, 0.838, 0.807),
    20: (0.931, 0.918, 0.902, 0.879),
    50: (0.962, 0.952, 0.941, 0.925),
}
# Share at risk and accuracy at kappa 10 and tau 0.3, mean of 50 replicates.
RAPID_ATTACKERS = {
    "random_forest": (0.864, 0.891),
    "cart": (0.876, 0.879),
    "lightgbm": (0.875, 0.881),
}

# Five replicates at tau 0.3, and the curve.
ADULT_REPLICATES = (0.719, 0.720, 0.721, 0.716, 0.728)
ADULT_CURVE = {
    0.0: 0.82,
    0.1: 0.79,
    0.2: 0.755,
    0.3: 0.72,
    0.4: 0.68,
    0.5: 0.64,
    0.6: 0.59,
    0.7: 0.535,
    0.8: 0.47,
    0.9: 0.383,
    0.95: 0.31,
    1.0: 0.0,
}
# A forest of 200 trees: share at risk at tau 0.3, by class, accuracy; then with half of the people
# behind the release train, holdout, gap and the level of refits.
ADULT_BEFORE = {"at risk": 0.738, "<=50K": 0.755, ">50K": 0.686, "accuracy": 0.873}
ADULT_HALVES_BEFORE = (0.735, 0.712, 0.023, 0.17)


class Copies(NamedTuple):
    """What PRIVET said of a release of which a share ``f_fake`` copies a share ``f_copy``."""

    npl: float
    recall: float
    precision: float


PRIVET_ROWS = 1668
PRIVET_COPIES = {
    (0.2, 0.1): Copies(610, 0.72, 0.42),
    (0.2, 0.2): Copies(770, 1.0, 0.45),
    (0.4, 0.1): Copies(840, 0.77, 0.62),
    (0.4, 0.2): Copies(1110, 1.0, 0.61),
}
# Recall and precision of In-Auth in the authors' public notebook.
IN_AUTH_NOTEBOOK = {(0.2, 0.2): (0.42, 0.2), (0.4, 0.2): (0.55, 0.4)}
# The least f_copy at which leaks appear among 66 haplotypes, by f_fake; the most leaks, and where.
FRONT = {0.04: 0.12, 0.4: 0.05}
FEW_ROWS = 66
MOST_LEAKS = ((0.4, 0.2), 33)


class Before(NamedTuple):
    """The same from another implementation; In-Auth's count, recall and precision, and so on."""

    npl: float
    recall: float | None
    precision: float | None
    in_auth: float
    in_auth_recall: float | None
    in_auth_precision: float | None
    c_t: float
    privacy_loss: float


PRIVET_BEFORE = {
    (0.0, 0.0): Before(0.2, None, None, 85, None, None, -0.06, -0.004),
    (0.05, 0.2): Before(21, 0.54, 0.48, 96, 0.97, 0.16, -1.1, 0.015),
    (0.2, 0.1): Before(65, 0.42, 0.44, 122, 0.86, 0.45, -2.4, 0.065),
    (0.2, 0.15): Before(99, 0.67, 0.44, 127, 0.94, 0.47, -3.2, 0.076),
    (0.2, 0.2): Before(122, 0.90, 0.48, 130, 0.98, 0.48, -3.9, 0.075),
    (0.4, 0.2): Before(184, 0.95, 0.66, 177, 0.98, 0.71, -7.9, 0.153),
    (0.2, 0.5): Before(130, 1.0, 0.50, 131, 1.0, 0.49, -4.4, 0.099),
}
DECIMATED_RECALL_BEFORE = {(0.2, 0.2): 0.04, (0.2, 0.5): 0.95, (0.2, 1.0): 1.0}
POINT_RECALL_BEFORE = {(0.2, 0.2): 0.29, (0.2, 0.5): 1.0, (0.2, 1.0): 1.0}
FEW_BEFORE = {
    (0.0, 0.0): Copies(0.07, float("nan"), float("nan")),
    (0.4, 0.05): Copies(1.2, 0.02, 0.39),
    (0.4, 0.1): Copies(11, 0.25, 0.60),
    (0.4, 0.2): Copies(36, 0.89, 0.68),
}
# PL without a leak by rows of train and holdout: carried over by the hazard rule, and not at all.
SIZES_BEFORE = {
    (200, 400): (-0.07, 0.93),
    (160, 480): (-0.08, 1.93),
    (400, 200): (0.30, -0.13),
    (480, 160): (0.53, -0.15),
    (270, 130): (1.9, None),
}
