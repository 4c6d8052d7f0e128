from __future__ import annotations

import importlib.util
import io
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pypdf
import pytest

from privgate.evidence import PlantedLeak, PowerStudy, canonical_bytes
from privgate.report import Audience, attached_files, build_view, render_pdf
from privgate.testing import compare_with_golden

if TYPE_CHECKING:
    from privgate.report import ReportView

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
    return cache(lambda name: hard_cases.case(sample, name))


@dataclass(frozen=True)
class Drawn:
    """A PDF and what it was drawn from."""

    view: ReportView
    content: bytes
    pages: tuple[str, ...]

    @property
    def text(self):
        return "\n".join(self.pages)

    @property
    def plain(self):
        """The text of all pages, any white space as one space."""
        return " ".join(self.text.split())


@pytest.fixture(scope="session")
def view_of(case):
    """Return a function from the name of a case to the view of its shareable report."""
    return cache(lambda name: build_view(*case(name), audience=Audience.SHAREABLE))


@pytest.fixture(scope="session")
def drawn(case, view_of):
    """Return a function from the name of a case to its PDF, which is drawn when first asked for."""

    @cache
    def draw(name):
        evidence, verdict = case(name)
        view = view_of(name)
        originals = (canonical_bytes(evidence), canonical_bytes(verdict))
        files = attached_files(view, evidence, verdict, originals=originals)
        content = render_pdf(view, attached=files)
        pages = pypdf.PdfReader(io.BytesIO(content)).pages
        return Drawn(view, content, tuple(page.extract_text() for page in pages))

    return draw


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
