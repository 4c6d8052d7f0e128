import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from privgate.evidence import Estimate, unknown
from privgate.stats.extremes import FitMode

FILE = Path(__file__).parents[2] / "benchmarks" / "privet_null.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("privet_null", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["privet_null"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["privet_null"]


def null(script, p_values, decimated):
    figures = [
        {
            "p_pl": Estimate(value=p),
            "p_npl": Estimate(value=1.0),
            "p_exact": Estimate(value=1.0),
            "npl_decimated": Estimate(value=count),
        }
        for p, count in zip(p_values, decimated, strict=True)
    ]
    return script.Null(script.SETTINGS[0], FitMode.CENSORED_MLE, figures)


def test_bounds_are_those_set_beforehand(script):
    fine = null(script, [0.05] * 3 + [0.06] * 27, [1] * 2 + [0] * 28)
    assert fine.misses == []
    assert script.verdict(fine) == "hold"
    bad = null(script, [0.05] * 4 + [0.06] * 26, [1] * 3 + [0] * 27)
    assert bad.misses == ["p_pl", "npl_decimated"]
    assert script.verdict(bad) == "**missed: p_pl, npl_decimated**"


def test_a_figure_that_is_not_known_is_not_counted_as_fine(script):
    found = null(script, [0.5, 0.5], [0, 0])
    found.figures[1]["p_pl"] = unknown("so")
    with pytest.raises(ValueError, match="p_pl is not known"):
        found.rejected("p_pl")


def test_the_page_is_written_from_the_data_that_are_there(script, tmp_path):
    draw = np.random.default_rng(0)
    matrix = draw.integers(0, 2, (960, 2000)).astype(np.uint8)
    (tmp_path / "kgp-805").mkdir()
    file = tmp_path / "kgp-805" / "haplotypes.npz"
    np.savez(file, bits=np.packbits(matrix, axis=1), n_snps=2000)
    out = tmp_path / "page.md"
    given = ["--data", str(tmp_path), "--splits", "2", "--permutations", "5", "--out", str(out)]
    assert script.main(given) == 0
    lines = [text for text in out.read_text("utf-8").splitlines() if text.startswith("| kgp")]
    assert len(lines) == 2
    assert all("2 of 2" in text for text in lines)


def test_without_data_nothing_is_written(script, tmp_path):
    out = tmp_path / "page.md"
    assert script.main(["--data", str(tmp_path), "--out", str(out)]) == 0
    assert not out.exists()
