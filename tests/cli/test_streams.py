"""Terminals, pipes, interrupts and start-up: the command line as a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX systems")
ARRAYS = {"numpy", "pyarrow", "scipy"}
HEAVY = (
    *ARRAYS,
    *("dask", "distributed", "jinja2", "lightgbm", "matplotlib", "pandas", "sklearn", "weasyprint"),
    *("scipy.optimize", "scipy.stats"),
)
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
LIST_LOADED = f"""
import atexit, sys
atexit.register(lambda: print(*sorted(set(sys.modules) & set({HEAVY})), file=sys.stderr))
"""


def check(release, policy, *options):
    return ("check", release, "--policy", policy, "--format", "json", "--out", "out", *options)


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (("--help",), set()),
        (("check", "--help"), set()),
        (("--version",), set()),
        (("verify", "--help"), set()),
        (("policy", "list"), ARRAYS),
        (("policy", "lint", "card-example"), ARRAYS),
    ],
)
def test_a_command_loads_no_more_than_it_needs(spawn, finish, arguments, loaded):
    result = finish(spawn(*arguments, code=LIST_LOADED))
    assert result.code == 0
    assert set(result.err.splitlines()[-1].split()) <= loaded


def test_commands_about_policies_and_metrics_load_no_learners_and_no_tables(spawn, finish):
    commands = [
        ["policy", "show", "card-example"],
        ["policy", "diff", "card-example", "ci-smoke"],
        ["policy", "schema"],
        ["metric", "list"],
        ["metric", "show", "rapid"],
        ["waiver", "lint", "nowhere.yaml"],
    ]
    each = f"""{LIST_LOADED}
from privgate.cli.main import app
from privgate.errors import PrivgateError
for command in {commands}:
    try:
        app(command)
    except (PrivgateError, SystemExit):
        print(command, file=sys.stderr)
sys.argv[1:] = ["--version"]
"""
    result = finish(spawn(code=each))
    told = result.err.splitlines()
    assert sum(str(command) in told for command in commands) == len(commands)
    assert set(told[-1].split()) <= ARRAYS


@pytest.mark.slow
def test_a_pipe_gets_plain_lines_in_utf_8_whatever_the_locale(spawn, finish, write_release, policy):
    result = finish(spawn(*check(write_release(), policy), PYTHONIOENCODING="ascii"))
    assert result.code == 0
    assert not result.out.isascii()
    assert "\x1b" not in result.out + result.err
    assert result.err.splitlines()[0].startswith("measuring 1 of 4: ")
    assert result.out.startswith("MET: ")
    assert result.out.endswith("written to out\n")


@pytest.mark.slow
@posix
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_reader_that_goes_away_changes_no_exit_code(spawn, write_release, policy, closed):
    process = spawn(*check(write_release(), policy))
    getattr(process, closed).close()
    other = process.stderr if closed == "stdout" else process.stdout
    rest = other.read()
    assert "Traceback" not in rest
    assert "unexpectedly" not in rest
    assert process.wait(60) == 0
    process.stdout.close()
    process.stderr.close()


@pytest.mark.slow
@posix
@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_stream_that_was_closed_before_the_start_changes_no_exit_code(
    spawn, finish, write_release, policy, closed
):
    # A process begins without the stream, as after `>&-` in a shell.
    code = f"""
import os, subprocess, sys
if "again" not in os.environ:
    begin = lambda: os.close({closed})
    done = subprocess.run([sys.executable, *sys.orig_argv[1:]], env=os.environ | {{"again": "1"}},
                          preexec_fn=begin)
    sys.exit(done.returncode)
"""
    result = finish(spawn(*check(write_release(), policy), code=code))
    assert result.code == 0, result
    assert "unexpectedly" not in result.out + result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_results_that_cannot_be_written_are_told(spawn, finish):
    code = "import sys; sys.stdout = open('/dev/full', 'w')"
    result = finish(spawn("policy", "list", code=code))
    assert result.code == 2
    assert "error: the standard output cannot be written (No space left on device)" in result.err
    assert "unexpectedly" not in result.err


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_leaves_nothing_behind(spawn, finish, write_release, tmp_path, number):
    release = write_release()
    before = set(tmp_path.iterdir())
    process = spawn(*check(release, "public-release-strict"))
    line = process.stderr.readline()
    assert line.startswith("measuring 1 of")
    process.send_signal(number)
    result = finish(process)
    assert result.code == 128 + number
    assert result.out == ""
    assert result.err.splitlines()[-1].startswith("stopped")
    assert "Traceback" not in result.err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_an_unexpected_fault_shows_no_traceback_and_no_content(
    spawn, finish, write_release, policy
):
    code = """
import privgate.engine
def fail(*_, **__):
    raise ZeroDivisionError("PLANTEDCELL")
privgate.engine.assess = fail
"""
    result = finish(spawn(*check(write_release(), policy), code=code))
    assert result.code == 2
    assert "ZeroDivisionError" in result.err
    assert "--debug" in result.err
    assert "Traceback" not in result.err
    assert "PLANTEDCELL" not in result.err
    shown = finish(spawn(*check("release.yaml", policy), "--debug", code=code))
    assert shown.code not in {0, 3}
    assert "Traceback" in shown.err


def test_debug_shows_where_a_message_comes_from(spawn, finish):
    result = finish(spawn("--debug", "policy", "show", "gone.yaml"))
    assert result.code != 0
    assert "Traceback" in result.err


def on_terminal(arguments, folder, *, columns=100, code="", **environment):
    """Run a command on a terminal of its own; return its exit code and what it shows."""
    import pty  # noqa: PLC0415 - POSIX only

    master, slave = pty.openpty()
    deciding = {"NO_COLOR", "FORCE_COLOR", "CI", "LINES"}
    known = {name: value for name, value in os.environ.items() if name not in deciding}
    script = f"{code}\nfrom privgate.cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=folder,
        env=known | {"TERM": "xterm-256color", "COLUMNS": str(columns)} | environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    shown = b"".join(iter(lambda: read_block(master), b""))
    os.close(master)
    return process.wait(60), shown.decode("utf-8")


def read_block(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.mark.slow
@posix
def test_a_terminal_gets_a_table_in_colour(write_release, policy, tmp_path):
    code, shown = on_terminal(check(write_release(), policy), tmp_path)
    assert code == 0
    assert COLOUR.search(shown)
    assert "╭" in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1, "the cursor comes back"


@pytest.mark.slow
@posix
def test_a_narrow_terminal_without_colour_loses_no_word(write_release, policy, tmp_path):
    command = check(write_release(), policy)
    code, shown = on_terminal(command, tmp_path, columns=40, NO_COLOR="1")
    assert code == 0
    assert not COLOUR.search(shown)
    words = set(re.findall(r"\w+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)))
    assert {"Quick", "rules", "for", "tests", "version", "policy"} <= words


@pytest.mark.slow
@posix
def test_an_interrupt_on_a_terminal_gives_the_cursor_back(write_release, policy, tmp_path):
    code = """
import os, signal
import privgate.engine.run
privgate.engine.run._measured = lambda *_: os.kill(os.getpid(), signal.SIGINT)
"""
    status, shown = on_terminal(check(write_release(), policy), tmp_path, code=code)
    assert status == 130
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1
    assert "stopped" in shown
