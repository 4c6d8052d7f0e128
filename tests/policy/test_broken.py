from __future__ import annotations

import pytest

from privgate.errors import ExitCode, PolicyError
from privgate.policy import open_policy

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
HEAD = "privgate: policy/v1\nid: child\nversion: 1.0.0\ntitle: t\nextends: p.yaml\n"


def _write(folder, case):
    """Write the files of a case; return the one to open, and the line of its last edit."""
    if "child" in case:
        (folder / "p.yaml").write_text(WHOLE, "utf-8")
        for name, text in case.get("files", {}).items():
            (folder / name).write_text(text, "utf-8")
        head = HEAD.replace("p.yaml", case.get("extends", "p.yaml"))
        (folder / "child.yaml").write_text(head + case["child"], "utf-8")
        return "child.yaml", 0
    text, line = WHOLE, 0
    for old, new in case["edit"].items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
        line = WHOLE[: WHOLE.index(old)].count("\n") + 1
    (folder / "p.yaml").write_text(text, "utf-8")
    return "p.yaml", line


def test_the_whole_policy_opens(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bound = open_policy(_write(tmp_path, {"edit": {}})[0], bench.metrics)
    assert bound.text == WHOLE
    assert [rule.rule.id for rule in bound.rules] == ["first", "second"]


def test_a_child_that_says_nothing_opens(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bound = open_policy(_write(tmp_path, {"child": ""})[0], bench.metrics)
    assert [rule.rule.id for rule in bound.rules] == ["first", "second"]


def test_broken(bench, tmp_path, monkeypatch, broken_case):
    monkeypatch.chdir(tmp_path)
    name, line = _write(tmp_path, broken_case)
    with pytest.raises(PolicyError) as caught:
        open_policy(name, bench.metrics)
    found = [str(problem) for problem in caught.value.problems]
    assert caught.value.exit_code is ExitCode.UNUSABLE
    assert len(found) == len(broken_case["problems"]), found
    assert all(problem.startswith(tuple(broken_case.get("in", [f"{name}:"]))) for problem in found)
    for expected in broken_case["problems"]:
        words = expected.replace("LINE", str(line)).split("|")
        assert any(all(word in problem for word in words) for problem in found), (words, found)
