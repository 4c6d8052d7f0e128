import importlib.util
import sys
from pathlib import Path

FILE = Path(__file__).parents[2] / "benchmarks" / "neighbours.py"


def test_every_data_set_is_measured(monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("neighbours_ratios", FILE)
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "neighbours_ratios", script)  # dataclasses look it up
    spec.loader.exec_module(script)
    monkeypatch.setattr(sys, "argv", ["neighbours.py", "--share", "0.002", "--rounds", "1"])
    assert script.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == list(script.CASES)
    ratios = [float(cell) for line in lines[2:] for cell in line.split("|")[3:7]]
    assert min(ratios) > 0
