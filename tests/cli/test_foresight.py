"""What people are told before and while a long check runs."""

from __future__ import annotations

import pytest

from privgate.cli.console import messages
from privgate.cli.progress import PlainProgress
from privgate.engine import forecast as foreseeing
from privgate.engine.forecast import Forecast
from privgate.engine.progress import Pace
from privgate.live_progress import LiveProgress, about

GIB = 2.0**30


@pytest.fixture
def takes(monkeypatch):
    """Return a function that lets every check be large and take so much."""

    def set_to(seconds, gib):
        found = Forecast(seconds=(seconds / 2, seconds / 2), memory=gib * GIB)
        monkeypatch.setattr(foreseeing, "is_large", lambda *_: True)
        monkeypatch.setattr(foreseeing, "forecast", lambda *_, **__: found)

    return set_to


def check(privgate, release, policy, *options):
    return privgate("check", release, "--policy", policy, "--format", "json", *options)


def test_a_long_check_is_foretold_and_made(privgate, write_release, policy, takes):
    takes(2400, 1.2)
    result = check(privgate, write_release(), policy)
    assert result.code == 0
    told = result.err.splitlines()
    assert told[0] == "estimating time and memory on small parts of the data"
    assert told[1].startswith(
        "this check will take about 40 minutes and about 1.2 GiB of memory beside the tables; "
        "--cluster computes on more machines; --sample ROWS"
    )


def test_a_check_of_a_minute_is_not(privgate, write_release, policy, takes):
    takes(50, 0.5)
    result = check(privgate, write_release(), policy)
    assert result.code == 0
    assert "this check will take" not in result.err


def test_much_memory_is_told_and_refused_only_where_a_bound_is_given(
    privgate, write_release, policy, takes, tmp_path
):
    takes(50, 3.5)
    told = check(privgate, write_release(), policy)
    assert told.code == 0
    assert "the system may stop it" in told.err
    refused = check(privgate, write_release(), policy, "--memory", 3, "--out", "other")
    assert refused.code == 2
    assert (
        "likely to need 3.5 GiB of memory beside the tables, and --memory allows 3" in refused.err
    )
    assert "--sample ROWS" in refused.err
    assert "measuring" not in refused.err
    assert not (tmp_path / "other").exists()
    assert check(privgate, write_release(), policy, "--memory", 4, "--out", "third").code == 0


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_plain_lines_tell_of_long_stages_now_and_then(capsys):
    clock = Clock()
    shown = PlainProgress("measuring", Pace((300, 600), clock=clock), clock=clock)
    shown.started(2)
    shown.stage("Nearness")
    for done in range(1, 31):
        clock.now += 10
        shown.part(done, 30)
    shown.stage("Guessing")
    shown.finished()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "measuring 1 of 2: Nearness (about 15 minutes left)"
    assert lines[1] == "measuring 1 of 2: Nearness, part 3 of 30 (about 14 minutes left)"
    assert lines[-1] == "measuring 2 of 2: Guessing (about 10 minutes left)"
    assert len(lines) == 2 + 10


def test_a_short_run_has_a_line_for_each_stage_and_no_more(capsys):
    clock = Clock()
    shown = PlainProgress("measuring", Pace(clock=clock), clock=clock)
    shown.started(2)
    for title in ("One", "Two"):
        shown.stage(title)
        shown.part(1, 1)
        clock.now += 1
    shown.finished()
    assert capsys.readouterr().err == "measuring 1 of 2: One\nmeasuring 2 of 2: Two\n"


def test_the_bar_fills_within_a_stage_and_never_beyond_it():
    clock = Clock()
    shown = LiveProgress("measuring", Pace((10, 10), clock=clock), messages())
    task = shown._bar.tasks[0]
    shown.started(2)
    shown.stage("One")
    shown.part(1, 2)
    assert task.completed == 0.5
    shown.part(2, 2)
    assert 0.5 < task.completed < 1
    assert task.fields["stage"] == "1/2"
    shown.stage("Two")
    assert task.completed == 1
    shown.finished()


def test_durations_are_no_more_exact_than_they_are_known():
    assert about(3) == "about 10 seconds"
    assert about(60) == "about 1 minute"
    assert about(5400) == "about 1.5 hours"


def test_a_sample_that_is_not_needed_is_told(privgate, write_release, policy):
    release = write_release()
    result = check(privgate, release, policy, "--sample", 5000)
    assert "no table has more than 5,000 rows: every row was measured, not a sample" in result.err
    assert "--sample" not in check(privgate, release, policy, "--out", "other").err
