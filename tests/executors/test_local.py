"""Executors of one process: the order of the parts, and nothing but the task's own error."""

import pytest

from privgate.executors import SERIAL, Threads


def _sum(shared: int, part: int) -> int:
    return shared + part


@pytest.mark.parametrize("executor", [SERIAL, Threads(1), Threads(3)])
def test_results_keep_the_order_of_the_parts(executor):
    assert list(executor.map(_sum, 100, range(50))) == list(range(100, 150))
    assert list(executor.map(_sum, 100, [])) == []


@pytest.mark.parametrize("executor", [SERIAL, Threads(2)])
def test_an_error_of_a_part_reaches_the_caller(executor):
    with pytest.raises(ZeroDivisionError):
        list(executor.map(lambda shared, part: shared // part, 1, [1, 0, 1]))
