"""The set-up script tells people what is missing, before it has changed anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VENV_DISTANT = """#!/bin/sh
case "$2" in *ensurepip*) exit 1 ;; *) exec '{python}' "$@" ;; esac
"""
TOO_OLD = """#!/bin/sh
case "$1" in --version) echo Python 3.10.9 ;; *) exit 1 ;; esac
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and sh are for Linux and macOS")


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "a check out"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "environment.sh", folder / "scripts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def command(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def set_up(checkout: Path, *, python: str | Path, **environment: str):
    return subprocess.run(
        ["/bin/sh", "scripts/environment.sh"],
        cwd=checkout,
        env=os.environ | {"PYTHON": str(python)} | environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (TOO_OLD, ["Python 3.10.9 is too old", "3.11"]),
        (VENV_DISTANT.format(python=sys.executable), ["venv", "apt-get install python3-venv"]),
    ],
)
def test_unfit_interpreter_is_named_with_the_remedy(checkout, script, words):
    python = command(checkout / "bin" / "python", script)
    done = set_up(checkout, python=python)
    assert done.returncode == 1
    assert all(word in done.stderr for word in words), done.stderr
    assert not (checkout / ".venv").exists()


def test_missing_interpreter_is_named_with_the_remedy(checkout):
    done = set_up(checkout, python="python-that-is-not-there")
    assert done.returncode == 1
    assert "python-that-is-not-there" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr


PIP = """#!/bin/sh
case "$*" in *'-m pip'*) echo "$*" >>pip.log ;; esac
"""


@pytest.fixture
def offline(checkout):
    """Stand-ins for pip and for a Debian without Pango and without root."""
    venv = f"""#!/bin/sh
if [ "$1 $2" = '-m venv' ]; then
    mkdir -p "$3/bin"; cp pip-stand-in "$3/bin/python"; exit
fi
exec '{sys.executable}' "$@"
"""
    command(checkout / "pip-stand-in", PIP)
    command(checkout / "bin" / "dpkg-query", "#!/bin/sh\nexit 1\n")
    command(checkout / "bin" / "id", "#!/bin/sh\necho 1000\n")
    command(checkout / "bin" / "apt-get", "#!/bin/sh\nexit 1\n")
    python = command(checkout / "bin" / "python", venv)
    search = f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return lambda: set_up(checkout, python=python, PATH=search)


def test_without_root_the_command_for_pango_is_printed_and_set_up_goes_on(offline):
    done = offline()
    assert done.returncode == 0, done.stderr
    assert "sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0" in done.stderr


def test_second_run_does_nothing_until_the_requirements_change(offline, checkout):
    def installs() -> int:
        return len((checkout / "pip.log").read_text(encoding="utf-8").splitlines())

    offline()
    first = installs()
    again = offline()
    assert first == 2
    assert (again.returncode, again.stderr, installs()) == (0, "", first)
    with (checkout / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    offline()
    assert installs() == 2 * first


def test_moved_checkout_gets_a_new_environment(offline, checkout):
    offline()
    (checkout / ".venv" / "old").touch()
    (checkout / ".venv" / ".place").write_text("elsewhere\n", encoding="utf-8")
    (checkout / ".venv" / ".fits").unlink()
    assert offline().returncode == 0
    assert not (checkout / ".venv" / "old").exists()
