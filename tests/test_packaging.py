from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from privgate.testing.samples import survey

ROOT = Path(__file__).parents[1]
SHIPPED = ("policies", "templates", "examples/demo")

pytestmark = pytest.mark.slow


def run(*arguments: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_in(folder: str) -> set[str]:
    """Files below a folder of the checkout, without what Python leaves behind."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", ".pytest_cache"}.intersection(path.parts)
    }


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist, and the wheel built from it and not from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT), cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(distributions, tmp_path_factory):
    """A folder with the wheel installed, far from the checkout."""
    target = tmp_path_factory.mktemp("elsewhere") / "site"
    wheel = str(distributions[1])
    run(
        *("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)),
        wheel,
        cwd=target.parent,
    )
    return target


def call(installed: Path, code: str, *arguments: str) -> str:
    return run("-c", code, *arguments, cwd=installed.parent, PYTHONPATH=str(installed))


def privgate(installed: Path, *arguments: str) -> str:
    return call(installed, "from privgate.cli.main import run; run()", *arguments)


def test_sdist_holds_everything_that_building_and_testing_need(distributions):
    with tarfile.open(distributions[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    top = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "pyproject.toml"}
    folders = ("privgate", "policies", "templates", "tests", "examples", "docs", "scripts")
    top |= {"action.yml", ".pre-commit-hooks.yaml"}
    needed = top.union(*(files_in(folder) for folder in folders))
    assert needed - names == set()


def test_wheel_ships_policies_templates_and_the_demo(distributions):
    with zipfile.ZipFile(distributions[1]) as archive:
        names = set(archive.namelist())
    for folder in SHIPPED:
        files = files_in(folder)
        assert files, f"{folder} is empty"
        assert {f"privgate/_data/{name}" for name in files} - names == set()
    assert files_in("privgate") - names == set()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith("tests/") or name.endswith(".pyc")]


def test_wheel_makes_the_command_and_the_plug_in_of_pytest_known(distributions):
    with zipfile.ZipFile(distributions[1]) as archive:
        (name,) = [it for it in archive.namelist() if it.endswith("entry_points.txt")]
        text = archive.read(name).decode()
    assert "[console_scripts]\nprivgate = privgate.cli.main:run" in text
    assert "[pytest11]\nprivgate = privgate.pytest_plugin" in text


@pytest.mark.parametrize("kind", ["policies", "templates", "examples"])
def test_installed_package_finds_its_files_away_from_the_checkout(installed, kind):
    code = (
        "import sys; from privgate.resources import resource_folder; "
        "print(resource_folder(sys.argv[1]))"
    )
    folder = Path(call(installed, code, kind).strip())
    assert folder == installed / "privgate" / "_data" / kind
    assert any(folder.rglob("*.*"))


def test_checkout_finds_its_own_files():
    code = "from privgate.resources import resource_folder; print(resource_folder('policies'))"
    assert Path(run("-c", code, cwd=ROOT).strip()) == ROOT / "policies"


def test_installed_command_lists_and_shows_the_built_in_policies(installed):
    listed = privgate(installed, "policy", "list")
    for policy in (ROOT / "policies").glob("*.yaml"):
        assert policy.stem in listed
    assert "card-example" in privgate(installed, "policy", "show", "card-example")


def test_installed_demo_writes_its_tables(installed, tmp_path):
    script = installed / "privgate" / "_data" / "examples" / "demo" / "prepare.py"
    run(str(script), str(tmp_path / "out"), cwd=tmp_path)
    assert len(list((tmp_path / "out").iterdir())) == 7


@pytest.fixture(scope="module")
def with_plugin(installed, tmp_path_factory):
    """The installed wheel beside the example of a plug-in, installed from a copy."""
    source = tmp_path_factory.mktemp("plugin") / "source"
    shutil.copytree(
        ROOT / "examples" / "plugin", source, ignore=shutil.ignore_patterns("__pycache__")
    )
    target = source.parent / "site"
    flags = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(target))
    run("-m", "pip", "install", *flags, str(source), cwd=source.parent)
    return os.pathsep.join((str(installed), str(target)))


def test_own_tables_come_to_a_verdict_away_from_the_checkout(with_plugin, tmp_path):
    """What a newcomer does: three CSV files, init, check; then explain, and a plug-in."""
    for seed, name in enumerate(("train", "holdout", "synthetic"), start=1):
        survey(300, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    shutil.copy(ROOT / "examples" / "plugin" / "policy.yaml", tmp_path / "acme.yaml")

    def command(*arguments: str, codes: frozenset[int] = frozenset({0})) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "from privgate.cli.main import run; run()", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": with_plugin},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in codes, done.stderr
        return done.stdout + done.stderr

    command("init", "train.csv", "synthetic.csv", "--holdout", "holdout.csv")
    verdicts = frozenset({0, 1, 3})
    command("check", "release.yaml", "--policy", "card-example", "--out", "out", codes=verdicts)
    assert (tmp_path / "out" / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "What to do" in command("explain", "3")
    judged = ("check", "release.yaml", "--policy", "acme.yaml", "--format", "json", "--out", "acme")
    command(*judged, codes=verdicts)
    assert "acme-metrics" in (tmp_path / "acme" / "evidence.json").read_text("utf-8")
    command("policy", "lint", "acme.yaml")
