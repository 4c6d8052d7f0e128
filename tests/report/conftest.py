from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

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
        path = GOLDEN / name
        if os.environ.get("PRIVGATE_REGOLD") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), f"{name} changed; see PRIVGATE_REGOLD"

    return compare
