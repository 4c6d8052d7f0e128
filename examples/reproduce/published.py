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
# Measures that name nobody, at f_fake .4 and f_copy .2.
AT_MOST_COPIES = {"privacy_loss": 0.19, "c_t": -6.0, "fld": -1.5, "pqmass": 8.0}
# Recall and precision of In-Auth in the authors' public notebook.
IN_AUTH_NOTEBOOK = {(0.2, 0.2): (0.42, 0.2), (0.4, 0.2): (0.55, 0.4)}
# Among 66 haplotypes: the least f_copy at which leaks appear, by f_fake; 33 records are
# named at f_fake .4 and f_copy .2.
FEW_ROWS = 66
FRONT = {0.04: 0.12, 0.4: 0.05}

_SEEN = (
    *("npl", "npl_recall", "npl_precision", "in_auth", "in_auth_recall", "in_auth_precision"),
    *("c_t", "privacy_loss"),
)
_NONE = float("nan")


def _seen(*values: float) -> dict[str, float]:
    return dict(zip(_SEEN, values, strict=True))


# By panel, f_fake and f_copy.
COPIES_BEFORE: dict[str, dict[tuple[float, float], dict[str, float]]] = {
    "kgp-805": {
        (0.0, 0.0): _seen(0.2, _NONE, _NONE, 85, _NONE, _NONE, -0.06, -0.004),
        (0.05, 0.2): _seen(21, 0.54, 0.48, 96, 0.97, 0.16, -1.1, 0.015),
        (0.2, 0.1): _seen(65, 0.42, 0.44, 122, 0.86, 0.45, -2.4, 0.065),
        (0.2, 0.15): _seen(99, 0.67, 0.44, 127, 0.94, 0.47, -3.2, 0.076),
        (0.2, 0.2): _seen(122, 0.90, 0.48, 130, 0.98, 0.48, -3.9, 0.075)
        | {"npl_decimated_recall": 0.04, "npl_decimated_precision": 1, "npl_point_recall": 0.29},
        (0.4, 0.1): {},
        (0.4, 0.2): _seen(184, 0.95, 0.66, 177, 0.98, 0.71, -7.9, 0.153),
        (0.2, 0.5): _seen(130, 1.0, 0.50, 131, 1.0, 0.49, -4.4, 0.099)
        | {"npl_decimated_recall": 0.95, "npl_decimated_precision": 1, "npl_point_recall": 1},
        (0.2, 1.0): {"npl_decimated_recall": 1, "npl_decimated_precision": 1},
    },
    "kgp-chr20": {
        (0.0, 0.0): {"npl": 28},
        (0.2, 0.1): {},
        (0.2, 0.2): {},
        (0.4, 0.1): {},
        (0.4, 0.2): {},
        (0.2, 0.5): {
            "npl_decimated_recall": 0.01,
            "in_auth_recall": 0.99,
            "in_auth_precision": 0.38,
            "c_t": -3.3,
        },
        (0.2, 1.0): {},
    },
}
SHUFFLED_BEFORE = {(0.2, 0.2): (0.393, 0.192), (0.4, 0.2): (0.542, 0.391)}
FEW_BEFORE: dict[str, dict[tuple[float, float], dict[str, float]]] = {
    "kgp-805": {
        (0.0, 0.0): {"npl": 0.07},
        (0.4, 0.05): {"npl": 1.2, "npl_recall": 0.02, "npl_precision": 0.39},
        (0.4, 0.1): {"npl": 11, "npl_recall": 0.25, "npl_precision": 0.60},
        (0.4, 0.2): {"npl": 36, "npl_recall": 0.89, "npl_precision": 0.68},
    },
    "kgp-chr20": {(0.0, 0.0): {}, (0.4, 0.05): {}, (0.4, 0.1): {}, (0.4, 0.2): {}},
}
# PL without a leak by rows of train and holdout: carried over by the hazard rule, and not at all.
# The last, of kgp-chr20, is that of the fit by likelihood.
SIZES_BEFORE = {
    (200, 400): (-0.07, 0.93),
    (160, 480): (-0.08, 1.93),
    (400, 200): (0.30, -0.13),
    (480, 160): (0.53, -0.15),
    (270, 130): (1.9, _NONE),
}
