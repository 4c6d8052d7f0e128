"""The example notebook runs in a kernel, shows what it says and no value of a person."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from privgate.data import release_from_frames
from privgate.leakscan import scan_outputs
from privgate.testing.samples import SURVEY_COLUMNS, survey

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "judge_a_release.ipynb"


def stored() -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def shown(notebook: nbformat.NotebookNode) -> dict[str, bytes]:
    """Return everything that the cells of a notebook show, as files."""
    files = {}
    for place, cell in enumerate(notebook.cells):
        for number, output in enumerate(cell.get("outputs", ())):
            texts = {"text/plain": output.get("text", "")} | dict(output.get("data", {}))
            for kind, text in texts.items():
                name = f"cell-{place}-{number}.{'html' if kind == 'text/html' else 'txt'}"
                files[name] = files.get(name, b"") + text.encode()
    return files


def test_the_stored_notebook_holds_no_output():
    assert shown(stored()) == {}


@pytest.mark.slow
def test_the_notebook_runs_and_shows_nobody(tmp_path):
    notebook = stored()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    files = shown(notebook)
    text = b"".join(files.values()).decode()
    assert "Violated on 2 of 2 folds" in text
    assert "does not meet the policy" in text
    assert "report.html" in text
    assert all("stderr" not in output.get("name", "") for c in notebook.cells
               for output in c.get("outputs", ()))  # fmt: skip
    people = survey(1200, seed=1)
    release = release_from_frames(train=people, synthetic=people, columns=SURVEY_COLUMNS)
    assert scan_outputs(files, release) == ()
    income = str(people["income"].dropna().iloc[0])
    assert scan_outputs({"cell.txt": income.encode()}, release) != ()
