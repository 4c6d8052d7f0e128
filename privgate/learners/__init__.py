"""The only door to scikit-learn and LightGBM: typed, seeded, same figures on any thread count."""

from privgate.learners.attackers import (
    MIN_ROWS,
    Attacker,
    fit_classifier,
    fit_regressor,
    settings,
)
from privgate.learners.boosting import Predictor
from privgate.learners.cells import cells_around
from privgate.learners.detection import Detection, detect, network_settings
from privgate.learners.features import FeatureEncoder
from privgate.learners.separation import fit_separation, separation_settings

__all__ = [
    "MIN_ROWS",
    "Attacker",
    "Detection",
    "FeatureEncoder",
    "Predictor",
    "cells_around",
    "detect",
    "fit_classifier",
    "fit_regressor",
    "fit_separation",
    "network_settings",
    "separation_settings",
    "settings",
]
