import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from privgate.evidence import SafeSide
from privgate.testing.samples import survey

FILE = Path(__file__).parents[2] / "benchmarks" / "which_metric_notices.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("which_metric_notices", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["which_metric_notices"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["which_metric_notices"]


def test_one_digit_of_each_row_is_changed(script):
    rows = survey(60, 1)
    changed = script.with_one_digit_changed(rows, ["age", "income"], np.random.default_rng(0))
    numbers = rows[["age", "income"]].astype(float)
    moved = (changed[["age", "income"]] != numbers) & numbers.notna()
    assert moved.sum(axis=1).tolist() == [1] * 60
    assert (changed["age"] - rows["age"]).abs().max() < 10
    assert (changed["income"] - rows["income"]).abs().max() < 10
    others = [name for name in rows if name not in {"age", "income"}]
    assert changed[others].equals(rows[others])


def test_a_figure_has_to_be_worse_than_all_honest_ones(script):
    assert script.notices(0.4, [0.1, 0.3], SafeSide.LOW)
    assert not script.notices(0.3, [0.1, 0.3], SafeSide.LOW)
    assert script.notices(0.05, [0.1, 0.3], SafeSide.HIGH)
    assert not script.notices(0.2, [0.1, 0.3], SafeSide.HIGH)


def test_other_figures_have_to_stand_out_by_more_than_honest_ones_differ(script):
    assert script.shouts(0.51, [0.1, 0.3], SafeSide.LOW)
    assert not script.shouts(0.49, [0.1, 0.3], SafeSide.LOW)
    assert script.shouts(-0.11, [0.1, 0.3], SafeSide.HIGH)
    assert not script.shouts(-0.09, [0.1, 0.3], SafeSide.HIGH)
    assert script.shouts(1, [0, 0], SafeSide.LOW)


def test_leaks_hold_what_they_are_named_after(script):
    people = script.invented(400)
    cases = script.leaks(people, np.random.default_rng(0))
    columns = ["age", "since", "income", "sex"]
    known = {tuple(row) for row in people.train[columns].astype(str).to_numpy()}
    copied = {
        title: sum(
            tuple(row) in known
            for row in case.synthetic.astype({"age": "int64"})[columns].astype(str).to_numpy()
        )
        for title, case in cases.items()
    }
    assert copied == {
        "exact copies": 400,
        "5 % copies": 10,
        "5 % copies, one digit changed": 0,
    }


def test_the_page_says_which_metric_notices(script, tmp_path):
    page = tmp_path / "page.md"
    arguments = ["--honest", "3", "--shared", str(tmp_path), "--out", str(page)]
    assert script.main([*arguments, "--metrics", "crp", "dcr", "auth"]) == 0
    lines = {
        line.split("]")[0].strip("| ["): line
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("| [")
    }
    assert list(lines) == ["crp", "dcr", "auth"]
    assert lines["crp"].count("**notices**") == 2
    assert lines["crp"].endswith("does not (0) |")
    assert "3 honest releases" in page.read_text("utf-8")


def test_kept_rows_stay_and_named_ones_are_made_anew(script, tmp_path):
    page = tmp_path / "page.md"
    arguments = ["--honest", "2", "--shared", str(tmp_path), "--out", str(page)]
    assert script.main([*arguments, "--metrics", "crp", "small_cells"]) == 0
    whole = page.read_text("utf-8")
    page.write_text(whole.replace("**notices** (1)", "**was old** (1)"), "utf-8")
    assert script.main([*arguments, "--metrics", "auth", "crp", "--keep"]) == 0
    text = page.read_text("utf-8")
    rows = [line.split("]")[0].strip("| [") for line in text.splitlines() if line.startswith("| [")]
    assert rows == ["auth", "crp", "small_cells"]
    assert "was old" not in text
    assert text.count("- `small_cells`: the release file does not say") == 1
    assert script.main([*arguments, "--metrics", "auth", "--keep"]) == 0
    assert page.read_text("utf-8") == text
    with pytest.raises(ValueError, match="other releases"):
        script.with_kept(text, text.replace("2 honest", "3 honest"))
