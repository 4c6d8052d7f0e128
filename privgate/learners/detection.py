"""A network that learns to tell two tables apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue

_NETWORK: dict[str, Any] = {
    "hidden_layer_sizes": (100,),
    "activation": "relu",
    "solver": "adam",
    "alpha": 1e-4,
    "learning_rate_init": 1e-3,
}


@dataclass(frozen=True)
class Detection:
    """Area under the ROC curve of each fold, and how many trainings ran out of epochs."""

    aucs: tuple[float, ...]
    unfinished: int


def network_settings() -> dict[str, JsonValue]:
    """Return the fixed settings of the network, for the evidence."""
    return {**_NETWORK, "hidden_layer_sizes": list(_NETWORK["hidden_layer_sizes"])}


def detect(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    folds: int,
    epochs: int,
    seed: int,
) -> Detection:
    """Return how well a multilayer perceptron tells rows of ``second`` from rows of ``first``.

    Stratified cross-validation; features are standardised on the training part of each fold, and
    rows of equal score count half. Both tables need at least ``folds`` rows.
    """
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - slow to import
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415 - slow to import

    features = np.vstack([first, second])
    label = np.repeat([0, 1], [len(first), len(second)])
    aucs, unfinished = [], 0
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in split.split(features, label):
        network = _trained(features[train], label[train], epochs, seed)
        score = network.predict_proba(features[test])[:, 1]
        aucs.append(float(roc_auc_score(label[test], score)))
        unfinished += int(network[-1].n_iter_ >= epochs)
    return Detection(tuple(aucs), unfinished)


def _trained(
    features: NDArray[np.float64], label: NDArray[np.int64], epochs: int, seed: int
) -> Any:
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - slow to import
    from sklearn.neural_network import MLPClassifier  # noqa: PLC0415 - slow to import
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - slow to import
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - slow to import

    network = MLPClassifier(**_NETWORK, max_iter=epochs, random_state=seed)
    with warnings.catch_warnings():  # the number of unfinished trainings is reported instead
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(StandardScaler(), network).fit(features, label)
