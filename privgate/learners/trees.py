"""A single pruned tree and a forest, with the settings of the RAPID study as far as they exist.

References
----------
Templ, Thees and Mueller 2026, arXiv 2602.09235; Breiman et al. 1984 (cost-complexity pruning).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.learners.boosting import Predictor

_FOREST: dict[str, Any] = {"n_estimators": 500, "min_samples_split": 10}
_CART: dict[str, Any] = {"min_samples_split": 20, "min_samples_leaf": 7}
# A split must remove 1 % of the root's impurity: 0.01 of a standardised number's variance, and
# of a Gini impurity of one half.
_PRUNING = {"classes": 0.005, "numbers": 0.01}

FOREST_SETTINGS: dict[str, JsonValue] = {
    **_FOREST,
    "max_features": "sqrt (classes), 1/3 (numbers)",
}
CART_SETTINGS: dict[str, JsonValue] = {
    **_CART,
    "ccp_alpha": "0.005 (classes), 0.01 (standardised numbers)",
}


def forest_classes(
    features: NDArray[np.float64], classes: NDArray[np.int64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to the class probabilities of a random forest."""
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 - slow to import

    forest = RandomForestClassifier(
        **_FOREST, max_features="sqrt", random_state=seed, n_jobs=jobs
    ).fit(features, classes)
    predict: Predictor = _single_threaded(forest).predict_proba
    return predict


def forest_numbers(
    features: NDArray[np.float64], values: NDArray[np.float64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to the numbers a random forest predicts."""
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 - slow to import

    forest = RandomForestRegressor(
        **_FOREST, max_features=1 / 3, random_state=seed, n_jobs=jobs
    ).fit(features, values)
    predict: Predictor = _single_threaded(forest).predict
    return predict


def cart_classes(
    features: NDArray[np.float64], classes: NDArray[np.int64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to the class shares in the leaf of one pruned tree.

    ``seed`` decides between equally good splits; ``jobs`` changes nothing.
    """
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - slow to import

    del jobs
    tree = DecisionTreeClassifier(**_CART, ccp_alpha=_PRUNING["classes"], random_state=seed)
    predict: Predictor = tree.fit(features, classes).predict_proba
    return predict


def cart_numbers(
    features: NDArray[np.float64], values: NDArray[np.float64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to the mean in the leaf of one pruned tree.

    ``values`` are standardised. ``seed`` decides between equally good splits; ``jobs`` changes
    nothing.
    """
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 - slow to import

    del jobs
    tree = DecisionTreeRegressor(**_CART, ccp_alpha=_PRUNING["numbers"], random_state=seed)
    predict: Predictor = tree.fit(features, values).predict
    return predict


def _single_threaded(forest: Any) -> Any:
    """Return the forest so that it adds up its trees in one order: same digits on any machine."""
    forest.set_params(n_jobs=1)
    return forest
