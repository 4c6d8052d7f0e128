from __future__ import annotations

import numpy as np
import pytest

from privgate.data import release_from_frames
from privgate.testing.samples import SURVEY_COLUMNS, survey

COLUMNS = SURVEY_COLUMNS | {
    "village": {"type": "categorical", "role": "other"},
    "note": {"type": "categorical", "role": "other"},
    "person": {"type": "categorical", "role": "identifier"},
}


def people(rows, seed):
    """Return a survey of people who live in one town, with nothing to note, and identifiers."""
    return survey(rows, seed).assign(
        village="Großstadt", note="unremarkable", person=[f"P{seed}-{i:05d}" for i in range(rows)]
    )


@pytest.fixture(scope="session")
def planted():
    """Return a release with values of few people in every column that can have them."""
    train = people(400, 1)
    train.loc[[3, 4], "village"] = "Nether-Süd Wallop"
    train.loc[5, "note"] = "collects rare stamps from islands far away and more"
    train.loc[7, "income"] = 98765432.14
    train.loc[8, "income"] = -765432.19
    train.loc[7, "since"] = "1931-05-17"
    train.loc[9, "age"] = 123457
    train.loc[np.arange(20, 40), "age"] = 54321
    synthetic = people(350, 3)
    synthetic.loc[0, "village"] = "Only Synthetic"
    return release_from_frames(
        train=train, holdout=people(300, 2), synthetic=synthetic, columns=COLUMNS
    )
