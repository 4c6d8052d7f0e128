"""What is written for people who work in Python runs, in order, as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import privgate

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def snippets() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_snippets_run_and_find_the_leak(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for snippet in snippets():
        exec(compile(snippet, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    told = capsys.readouterr().out
    assert "violated 1" in told
    assert "closed: violated" in told
    assert "does not meet the policy" in told
    assert names["by_folds"].outcome is privgate.Outcome.VIOLATED
    assert {"report.html", "rules.csv"} <= {path.name for path in (tmp_path / "report").iterdir()}


def test_the_page_names_everything_that_is_called():
    text = PAGE.read_text("utf-8")
    assert len(snippets()) >= 6
    for name in ("check", "split", "evaluate_generator", "ViolatedError", "NotAssessedError"):
        assert name in text
