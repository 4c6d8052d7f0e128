"""Tests of the example: its law-abidingness in one call, and the example worked by hand."""

import pandas as pd
import pytest
from acme_metrics.k_map import k_map

from privgate.data import release_from_frames
from privgate.testing import Subject, check_conformance

COLUMNS = {
    "sex": {"type": "categorical", "role": "quasi_identifier"},
    "age": {"type": "numeric", "role": "quasi_identifier"},
}


def test_keeps_the_laws():
    check_conformance(
        k_map,
        exempt={"missing_holdout_is_told": "who can be found in train is a question about train"},
    )


def test_the_example_worked_by_hand():
    release = release_from_frames(
        train=pd.DataFrame({"sex": ["f", "f", "m"], "age": [30, 30, 40]}),
        synthetic=pd.DataFrame({"sex": ["f", "m", "m"], "age": [30, 40, 50]}),
        columns=COLUMNS,
    )
    found = Subject(metric=k_map, params={"k": 2}).measured(release)
    assert found.figures["share"].value == pytest.approx(1 / 3)
