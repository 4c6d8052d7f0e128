"""What travels to a worker and back."""

import pickle

import numpy as np
import pytest

from privgate.errors import ExecutorError, NotAssessable, Problem

pytest.importorskip("distributed")

from privgate.executors.parcels import Answer, Parcel, installed, work


def _quotient(shared: float, part: float) -> float:
    return shared / part


def done(task, shared, part, asked=None):
    own = Parcel.of((task, part, installed() if asked is None else asked))
    return work(Parcel.of(shared), own)


def test_a_worker_answers_with_what_the_task_returned():
    assert done(_quotient, 10, 4).value == 2.5


def test_what_a_task_raises_comes_back_as_an_answer_because_a_worker_logs_what_is_raised():
    assert isinstance(done(_quotient, 1, 0).error, ZeroDivisionError)


def test_an_error_that_cannot_travel_is_told_by_its_kind_alone():
    class StrangeError(Exception):
        pass

    def strange(_shared, _part):
        raise StrangeError("Smith, 1961-04-07")

    error = done(strange, None, None).error
    assert isinstance(error, RuntimeError)
    assert str(error) == "a task stopped with StrangeError"


def test_no_content_shows_in_a_log():
    for sent in (Parcel.of(["Smith"]), Answer("Smith"), Answer(error=ValueError("Smith"))):
        assert "Smith" not in f"{sent!r} {sent}"


def test_the_size_of_a_parcel_counts_its_arrays():
    assert 8_000_000 < Parcel.of({"rows": np.zeros(1_000_000)}).__sizeof__() < 8_001_000


def test_a_worker_that_came_later_with_other_versions_does_nothing():
    answer = done(_quotient, 10, 4, {**installed(), "numpy": "0.1"})
    assert isinstance(answer.error, ExecutorError)
    assert "in place of 0.1" in str(answer.error)
    assert answer.value is None


def test_the_code_itself_is_part_of_the_version():
    assert installed()["privgate"].startswith("0.1.0 (code ")


def test_an_error_keeps_its_problems_on_the_way():
    problem = Problem("no", file="f.yaml", line=3, path="rules[0]", remedy="yes")
    for kind in (NotAssessable, ExecutorError):
        again = pickle.loads(pickle.dumps(kind(problem)))
        assert type(again) is kind
        assert again.problems == (problem,)
