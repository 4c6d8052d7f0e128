"""A run that is killed goes on where it stopped, and writes what it would have written."""

from __future__ import annotations

import os
import signal

import pytest

from privgate.engine.cache import Cache

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")


# The last measurement waits, so that the signal finds it under way however slow the machine is.
WAITS = """
import time
from privgate.engine import run as running

real = running._measured

def slow(entry, *arguments):
    if entry.metric.name == "rapid":
        time.sleep(600)
    return real(entry, *arguments)

running._measured = slow
"""


def check(release, policy, out, *options):
    formats = ("--format", "html", "--records")
    return ("check", release, "--policy", policy, "--out", out, *formats, *options)


def written(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def stopped_at(process, stage, number):
    """Read what a process tells until a stage begins, and send it a signal."""
    for line in process.stderr:
        if line.startswith(f"measuring {stage} "):
            process.send_signal(number)
            break
    return process.communicate(timeout=180)


@pytest.fixture
def one_day(privgate, monkeypatch):
    """Set the clock of runs in this process, once ``privgate`` has taken away what was set."""
    assert privgate is not None
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")


@pytest.mark.slow
@posix
@pytest.mark.usefixtures("one_day")
def test_a_killed_run_goes_on_and_writes_the_same_bytes(
    spawn, privgate, write_release, policy, tmp_path
):
    release, kept = write_release(), tmp_path / "kept"
    killed = spawn(*check(release, policy, "out", "--cache", kept), code=WAITS)
    stopped_at(killed, 4, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert len(list(kept.glob("run-*/*.result"))) == 3
    again = privgate(*check(release, policy, "out", "--cache", kept, "--jobs", 1))
    assert again.code == 0, again.err
    assert "going on where a run was interrupted: 3 finished measurements" in again.err
    assert list(kept.iterdir()) == []
    assert privgate(*check(release, policy, "plain", "--no-cache")).code == 0
    assert written(tmp_path / "out") == written(tmp_path / "plain")
    assert "records/crp-" in " ".join(written(tmp_path / "out"))


@pytest.mark.slow
@posix
def test_who_interrupts_a_run_is_told_what_is_kept(spawn, write_release, policy, tmp_path):
    kept = tmp_path / "kept"
    process = spawn(*check(write_release(), policy, "out", "--cache", kept), code=WAITS)
    _, err = stopped_at(process, 4, signal.SIGINT)
    assert process.returncode == 130
    assert "finished measurements are kept (3)" in err
    assert "stopped; nothing that was not finished was written" in err


def test_a_finished_run_leaves_nothing(privgate, write_release, policy, cache_folder):
    assert privgate(*check(write_release(), policy, "out")).code == 0
    assert list(cache_folder.glob("run-*")) == []


def test_without_cache_nothing_is_kept(privgate, write_release, policy, tmp_path, monkeypatch):
    monkeypatch.setattr(Cache, "open", lambda *_: pytest.fail("a cache was opened"))
    assert privgate(*check(write_release(), policy, "out", "--no-cache")).code == 0
    refused = privgate(*check("r", "p", "o", "--no-cache", "--cache", tmp_path / "kept"))
    assert refused.code == 2


def test_the_place_is_shown_and_cleared(privgate, tmp_path, monkeypatch):
    monkeypatch.setenv("PRIVGATE_CACHE", str(tmp_path / "place"))
    run = tmp_path / "place" / ("run-" + "0" * 32)
    run.mkdir(parents=True)
    (run / "a.result").write_bytes(b"x" * 2**20)
    shown = privgate("cache", "show").out
    assert "1 (1.0 MiB)" in shown
    assert str(tmp_path / "place") in shown
    assert shown.strip() in privgate("doctor").out
    assert "1 interrupted run had left" in privgate("cache", "clear").out
    assert not run.exists()
    assert "0 (0.0 MiB)" in privgate("cache", "show").out
