"""Shell completion: the scripts are made, and the shells that are here complete with them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALL = "from privgate.cli.main import run; run()"
# What each shell does when the tabulator key is pressed, the words being $@ or $argv.
PRESSED = {
    "bash": (
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _privgate_completion privgate; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    ),
    "zsh": (
        'function _arguments { print -r -- "$@" }; words=("$@"); CURRENT=$#; _privgate_completion'
    ),
    "fish": 'complete -C "$argv"',
}
READ = {
    "bash": 'eval "$(_PRIVGATE_COMPLETE=source_bash privgate)"',
    "zsh": 'function compdef { }; eval "$(_PRIVGATE_COMPLETE=source_zsh privgate)"',
    "fish": "env _PRIVGATE_COMPLETE=source_fish privgate | source",
}


@pytest.fixture
def environment(tmp_path):
    """The environment of a shell in which privgate is a command, in an empty home."""
    command = tmp_path / "bin" / "privgate"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{CALL}' \"$@\"\n")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}


@pytest.fixture
def run(environment, tmp_path):
    """Return a function that runs a script in a shell, if that is here."""

    def once(shell, script, *words):
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        done = subprocess.run(
            [shell, "-c", script, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    return once


@pytest.fixture
def press(run):
    """Return a function that tells what a shell, with the script read, proposes for a last word."""

    def once(shell, *words):
        given = [" ".join(words)] if shell == "fish" else ["it", *words]
        done = run(shell, f"{READ[shell]}\n{PRESSED[shell]}", *given)
        assert done.stderr == ""
        return re.findall(r"[\w-]+", done.stdout)

    return once


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "pwsh"])
def test_a_script_is_made_for_each_shell(tmp_path, shell):
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "_PRIVGATE_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    asks = f"complete_{'powershell' if shell == 'pwsh' else shell}"
    assert f"_PRIVGATE_COMPLETE={asks}" in done.stdout.replace(' = "', "=")
    assert str(tmp_path) not in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX systems")
@pytest.mark.parametrize("shell", PRESSED)
def test_shells_complete_commands_and_options(press, shell):
    commands = press(shell, "privgate", "che")
    assert "check" in commands
    assert "clean" not in commands
    assert {"lint", "list"} <= set(press(shell, "privgate", "policy", "li"))
    options = press(shell, "privgate", "check", "--pol")
    assert "--policy" in options
    assert "--out" not in options


@pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX systems")
@pytest.mark.parametrize("shell", PRESSED)
def test_installing_teaches_the_shell_that_asks(run, tmp_path, shell):
    # The shell stays, so that it can be seen.
    done = run(shell, "privgate --install-completion; true")
    assert f"{shell} completion installed in" in done.stdout
    places = {"bash": ".bash_completions/privgate.sh", "zsh": ".zfunc/_privgate"}
    place = places.get(shell, ".config/fish/completions/privgate.fish")
    assert f"_PRIVGATE_COMPLETE=complete_{shell}" in (tmp_path / place).read_text("utf-8")
