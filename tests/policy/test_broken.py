from __future__ import annotations

import pytest

from privgate.data.documents import parse_document
from privgate.errors import ExitCode, PolicyError
from privgate.policy import open_document

WHOLE = """\
privgate: policy/v1
id: p
version: 1.0.0
title: t
review_by: 2027-06-30
requires:
  holdout: true
  min_rows: {train: 10}
  coverage: [inference]
confidence: 0.9
rules:
  - id: first
    metric: guess
    params: {tau: 0.3}
    measure: gap
    require: {max: 0.05}
    judge: bound
    severity: blocking
    source: {kind: house, ref: board}
  - {id: second, metric: privet, measure: p_pl, require: {above: 0.01}, source: {kind: paper, ref: x}}
"""  # noqa: E501


def _open(text, bench):
    return open_document(parse_document(text, name="p.yaml", error=PolicyError), bench.metrics)


def test_the_whole_policy_opens(bench):
    bound = _open(WHOLE, bench)
    assert bound.text == WHOLE
    assert [rule.rule.id for rule in bound.rules] == ["first", "second"]


def test_broken(bench, broken_case):
    text = WHOLE
    for old, new in broken_case["edit"].items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    line = WHOLE[: WHOLE.index(old)].count("\n") + 1
    with pytest.raises(PolicyError) as caught:
        _open(text, bench)
    found = [str(problem) for problem in caught.value.problems]
    assert caught.value.exit_code is ExitCode.UNUSABLE
    assert len(found) == len(broken_case["problems"]), found
    assert all(problem.startswith("p.yaml:") for problem in found)
    for expected in broken_case["problems"]:
        words = expected.replace("LINE", str(line)).split("|")
        assert any(all(word in problem for word in words) for problem in found), (words, found)
