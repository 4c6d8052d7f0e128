import importlib.util
import sys
from pathlib import Path

import pytest

from privgate.evidence import PlantedLeak, PowerStudy
from privgate.metrics import all_metrics
from privgate.policy import open_policy

FILE = Path(__file__).parents[2] / "benchmarks" / "power.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("power_page", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["power_page"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["power_page"]


def leak(share, caught, *, perturbed=False):
    return PlantedLeak(
        share=share,
        fields=1,
        perturbed=perturbed,
        records=round(200 * share),
        trials=20,
        caught={"copies": caught},
        stopped=caught // 2,
    )


def test_a_study_becomes_a_table_for_each_kind_of_leak(script):
    study = PowerStudy(
        release="r",
        tables={},
        policy="p",
        policy_version="1.0.0",
        policy_sha256="0" * 64,
        seed=1,
        seed_source="given",
        tool="privgate",
        rules={"copies": "blocking"},
        unplanted=leak(0, 1),
        planted=(leak(0.05, 20), leak(0.01, 8), leak(0.01, 2, perturbed=True)),
    )
    verbatim, moved = script.section("Some people", study).split("\n\n")[2::2]
    assert verbatim.splitlines() == [
        "| leaking records | none | 1 % (2) | 5 % (10) |",
        "| -- | --: | --: | --: |",
        "| **the whole policy** | 0 | 4 | 10 |",
        "| `copies` | 1 | 8 | 20 |",
    ]
    assert moved.splitlines()[-1] == "| `copies` | 1 | 2 |"


def test_without_data_nothing_is_written(script, tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys, "argv", ["power", "--data", str(tmp_path), "--out", str(tmp_path / "page.md")]
    )
    with pytest.raises(SystemExit, match="nothing written"):
        script.main()
    assert not list(tmp_path.iterdir())


def test_the_page_speaks_of_the_policy_as_it_is_now(script):
    now = open_policy(script.POLICY, all_metrics()).policy
    stored = script.PAGE.read_text(encoding="utf-8")
    begin, _, tables = stored.partition("\n## ")
    assert now.version in begin
    for rule in now.rules:
        assert f"`{rule.id}`" in begin + tables
