from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from privgate.evidence import PlantedLeak, PowerStudy
from privgate.testing import compare_with_golden

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden" / "report"


def loaded(name):
    """Return a module beside the tests, which are no package."""
    if f"report_{name}" not in sys.modules:
        found = importlib.util.spec_from_file_location(f"report_{name}", HERE / f"{name}.py")
        module = importlib.util.module_from_spec(found)
        sys.modules[f"report_{name}"] = module
        found.loader.exec_module(module)
    return sys.modules[f"report_{name}"]


@pytest.fixture(scope="session")
def sample():
    return loaded("sample")


@pytest.fixture(scope="session")
def hard_cases():
    return loaded("hard_cases")


@pytest.fixture(scope="session")
def case(sample, hard_cases):
    """Return a function from the name of a case to its evidence and verdict."""
    return lambda name: hard_cases.case(sample, name)


def planted_copies(evidence, verdict, *, caught, unplanted=0):
    """Return a canary test in which rules caught 5 % verbatim copies in so many of 20 trials."""
    leak = {"fields": 1.0, "perturbed": False, "trials": 20}
    none = dict.fromkeys(caught, unplanted)
    nothing = PlantedLeak(share=0, records=0, caught=none, stopped=unplanted, **leak)
    most = max(caught.values())
    planted = PlantedLeak(share=0.05, records=50, caught=caught, stopped=most, **leak)
    return PowerStudy(
        release="r",
        tables={name: t.content_sha256 for name, t in evidence.release.tables.items()},
        policy="p",
        policy_version="1.0.0",
        policy_sha256=verdict.policy.sha256,
        seed=1,
        seed_source="derived",
        tool="privgate",
        rules=dict.fromkeys(caught, "blocking"),
        unplanted=nothing,
        planted=(planted,),
    )


@pytest.fixture(scope="session")
def canary():
    return planted_copies


@pytest.fixture
def golden():
    """Compare with a stored file; PRIVGATE_REGOLD=1 writes it anew, to be reviewed as a diff."""

    def compare(name, text):
        compare_with_golden(text, GOLDEN / name)

    return compare
