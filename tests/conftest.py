"""Data and settings that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from privgate.data import release_from_frames
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey

settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
os.environ.setdefault("COLUMNS", "200")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """Keep what runs finish out of the cache of whoever runs the tests; return where it goes."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("PRIVGATE_CACHE")
    os.environ["PRIVGATE_CACHE"] = str(folder)
    yield folder
    os.environ.pop("PRIVGATE_CACHE")
    if before is not None:
        os.environ["PRIVGATE_CACHE"] = before


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with real data beside the checkout; skip the test where there is none."""
    if not (SHARED / "data").is_dir():
        pytest.skip("no folder with real data beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def survey_release():
    """Return a release of invented people, the synthetic ones drawn afresh."""
    return release_from_frames(
        train=survey(400, 1),
        holdout=survey(300, 2),
        synthetic=survey(350, 3),
        columns=SURVEY_COLUMNS,
    )


@pytest.fixture
def example_a():
    """Return the encoded set Y = (0, 1, 4, 6), Z = (0, 2.5, 9, 30)."""
    return encoded([0, 1, 4, 6], [0, 2.5, 9, 30])
