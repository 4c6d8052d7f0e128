from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from privgate.testing import compare_with_golden

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden" / "report"


@pytest.fixture(scope="session")
def sample():
    name = "report_sample"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, HERE / "sample.py")
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        found.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def golden():
    """Compare with a stored file; PRIVGATE_REGOLD=1 writes it anew, to be reviewed as a diff."""

    def compare(name, text):
        compare_with_golden(text, GOLDEN / name)

    return compare
