"""How far a run is and how long it may still take."""

import pytest

from privgate.engine.progress import Pace, Reporting, Silent
from privgate.executors import SERIAL, Threads


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def take(self, seconds):
        self.now += seconds


def begun(expected, stages, clock):
    pace = Pace(expected, clock=clock)
    pace.started(stages)
    pace.stage()
    return pace


def test_nothing_is_told_before_anything_is_known():
    clock = Clock()
    assert Pace(clock=clock).left() is None
    assert begun((), 3, clock).left() is None


def test_what_was_foreseen_is_corrected_by_what_stages_really_take():
    clock = Clock()
    pace = begun((10, 100, 20), 3, clock)
    assert pace.left() == 130
    clock.take(25)
    pace.stage()
    # Stages took (5 + 25)/(5 + 10) = 2 times what was foreseen.
    assert pace.left() == 240
    clock.take(150)
    assert pace.left() == 90
    clock.take(500)
    assert pace.left() == 40  # overdue: nothing is told of this stage, all of the next


def test_stages_taken_up_from_an_interrupted_run_say_nothing_of_the_speed():
    clock = Clock()
    pace = begun((100, 100, 10), 3, clock)
    clock.take(0.01)
    pace.stage()
    assert pace.left() == 110


def test_parts_tell_how_long_a_stage_goes_on():
    clock = Clock()
    pace = begun((1, 5), 2, clock)
    for done in range(1, 11):
        clock.take(2)
        pace.part(done, 40)
    assert pace.left() == 30 * 2 + 5
    pace.part(1, 2)  # another computation begins: its first part tells nothing yet
    assert pace.left() == 5


def test_without_foresight_stages_take_as_long_as_those_before():
    clock = Clock()
    pace = begun((), 4, clock)
    clock.take(10)
    pace.stage()
    clock.take(4)
    assert pace.left() == 6 + 20
    for _ in range(3):
        pace.stage()
    assert pace.left() is None  # more stages than were announced


@pytest.mark.parametrize("executor", [SERIAL, Threads(3)])
def test_parts_are_told_in_order_and_results_are_those_of_the_executor(executor):
    told = []

    class Listener(Silent):
        def part(self, done, parts):
            told.append((done, parts))

    reporting = Reporting(executor, Listener())
    assert reporting.jobs == executor.jobs
    found = list(reporting.map(lambda shared, part: shared * part, 3, [4, 5, 6]))
    assert found == [12, 15, 18]
    assert told == [(1, 3), (2, 3), (3, 3)]
