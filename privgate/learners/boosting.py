"""LightGBM, seeded and on one thread: the same digits on any machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


def boosted(
    features: NDArray[np.float64],
    target: NDArray[Any],
    options: Mapping[str, Any],
    *,
    rounds: int,
    seed: int,
) -> Any:
    """Return a booster fitted with the given options."""
    import lightgbm  # noqa: PLC0415 - slow to import

    fixed = {
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    return lightgbm.train(
        {**options, **fixed}, lightgbm.Dataset(features, target), num_boost_round=rounds
    )
