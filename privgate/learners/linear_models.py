"""Linear attackers: multinomial logistic regression and least squares on standardised features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.errors import NotAssessable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.learners.boosting import Predictor

_STEPS = 5000
LOGISTIC_SETTINGS: dict[str, JsonValue] = {
    "features": "standardised",
    "penalty": "L2, C = 1",
    "solver": "lbfgs",
    "max_iter": _STEPS,
}
LINEAR_SETTINGS: dict[str, JsonValue] = {
    "features": "standardised",
    "fit": "least squares of least norm",
}


def logistic_classes(
    features: NDArray[np.float64], classes: NDArray[np.int64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to class probabilities; neither seed nor jobs matter.

    Raises
    ------
    NotAssessable
        If the fit does not converge: a half-fitted attacker would look harmless.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - slow to import
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - slow to import
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - slow to import

    del seed, jobs
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=_STEPS))
    model.fit(features, classes)
    if int(model[-1].n_iter_.max()) >= _STEPS:
        raise NotAssessable(f"the logistic attacker did not converge in {_STEPS} steps")
    predict: Predictor = model.predict_proba
    return predict


def linear_numbers(
    features: NDArray[np.float64], values: NDArray[np.float64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to predicted numbers; neither seed nor jobs matter."""
    from sklearn.linear_model import LinearRegression  # noqa: PLC0415 - slow to import
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - slow to import
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - slow to import

    del seed, jobs
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(features, values)
    predict: Predictor = model.predict
    return predict
