from __future__ import annotations

import ast
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "privgate").rglob("*.py"))
HEAVY = {"dask", "lightgbm", "matplotlib", "scipy.stats", "sklearn", "weasyprint"}


def function_lengths() -> dict[str, int]:
    """Lines of each function without its docstring, which may be as long as it needs to be."""
    lengths = {}
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                first = body[0].lineno if body else node.lineno
                length = (node.end_lineno or first) - first + 1
                lengths[f"{module.relative_to(ROOT)}:{node.lineno} {node.name}"] = length
    return lengths


def test_imports_keep_the_layers(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    config = str(ROOT / "pyproject.toml")
    assert lint_imports(config_filename=config, cache_dir=str(tmp_path), no_logo=True) == 0


def test_a_broken_layer_would_be_noticed(monkeypatch, tmp_path):
    config = tmp_path / "contracts.toml"
    config.write_text(
        '[tool.importlinter]\nroot_package = "privgate"\n'
        '[[tool.importlinter.contracts]]\nname = "upside down"\ntype = "layers"\n'
        'containers = ["privgate"]\nlayers = ["errors", "evidence", "policy"]\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(config), cache_dir=str(tmp_path), no_logo=True) == 1


def test_modules_are_short():
    """At most 300 lines; 400 for a metric, whose file holds its card."""
    lines = {
        str(module.relative_to(ROOT)): len(module.read_text(encoding="utf-8").splitlines())
        for module in MODULES
    }
    kinds = ("attacks", "screens", "utility")
    metrics = tuple(f"privgate/metrics/{kind}" for kind in kinds)
    long = {
        name: count
        for name, count in lines.items()
        if count > (400 if Path(name).parent.as_posix() in metrics else 300)
    }
    assert long == {}


def test_functions_are_short():
    lengths = function_lengths()
    in_order = sorted(lengths.values())
    longest = sorted(lengths.items(), key=lambda item: -item[1])[:10]
    assert statistics.median(in_order) <= 11, longest
    assert in_order[int(len(in_order) * 0.9)] <= 28, longest


def test_no_module_has_a_name_that_says_nothing():
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert [str(m) for m in MODULES if m.stem in empty or m.parent.name in empty] == []


@pytest.mark.parametrize(
    "statement",
    ["import privgate", "from privgate.cli.main import run; sys.argv[1:] = ['--help']; run()"],
    ids=["import privgate", "privgate --help"],
)
def test_first_answer_does_not_wait_for_heavy_packages(statement):
    watch = f"import atexit, sys; atexit.register(lambda: print(*({HEAVY} & set(sys.modules))))"
    done = subprocess.run(
        [sys.executable, "-c", f"{watch}; {statement}"],
        cwd=ROOT,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == []
