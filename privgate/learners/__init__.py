"""The only door to scikit-learn and LightGBM: typed, seeded, same figures on any thread count."""

from privgate.learners.attackers import (
    MIN_ROWS,
    Attacker,
    ClassPredictor,
    NumberPredictor,
    fit_classifier,
    fit_regressor,
    settings,
)
from privgate.learners.detection import Detection, detect, network_settings
from privgate.learners.features import FeatureEncoder

__all__ = [
    "MIN_ROWS",
    "Attacker",
    "ClassPredictor",
    "Detection",
    "FeatureEncoder",
    "NumberPredictor",
    "detect",
    "fit_classifier",
    "fit_regressor",
    "network_settings",
    "settings",
]
