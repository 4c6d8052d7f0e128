import pytest

from privgate.trials.fixtures.sources import Source

POLICY = """\
privgate: policy/v1
id: copies
version: 1.0.0
title: Copies
requires: {holdout: true}
rules:
  - {id: no-copies, metric: crp, measure: gap, require: {max: 0.02}, source: {kind: paper, ref: x}}
"""
CASES = """\
privgate: policy-tests/v1
exempt: [{leak: near-copies-10-percent, reason: only equal rows are looked for}]
tests: [{name: clean, figures: {no-copies: {value: 0, low: 0, high: 0.01}}, expect: met}]
"""


@pytest.fixture(autouse=True)
def _policy(tmp_path):
    (tmp_path / "copies.yaml").write_text(POLICY, encoding="utf-8")


def ask(privgate, *fixtures, options=()):
    named = [word for fixture in fixtures for word in ("--fixture", fixture)]
    return privgate("policy", "test", "copies.yaml", *named, *options)


def test_says_which_rule_stopped_what(privgate):
    result = ask(privgate, "tumours/holdout", "tumours/copies-all")
    assert result.code == 0, result
    honest, leaking = (line.split() for line in result.out.splitlines()[1:3])
    assert honest == ["tumours/holdout", "honest", "met", "right"]
    assert leaking == ["tumours/copies-all", "leaks", "violated", "right", "no-copies"]


def test_a_missed_leak_is_exit_code_1(privgate):
    result = ask(
        privgate, "tumours/holdout", "tumours/copies-all", "tumours/near-copies-10-percent"
    )
    assert result.code == 1, result
    assert "wrong" in result.out


def test_cases_beside_the_policy_are_found_and_exempt(privgate, tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "copies.yaml").write_text(CASES, encoding="utf-8")
    named = ("tumours/holdout", "tumours/copies-all", "tumours/near-copies-10-percent")
    result = ask(privgate, *named)
    assert result.code == 0, result
    assert "case 'clean': as expected" in result.out
    assert "near-copies-10-percent, exempt: only equal rows are looked for" in result.out


def test_a_case_that_comes_out_otherwise_is_exit_code_1(privgate, tmp_path):
    (tmp_path / "own.yaml").write_text(CASES.replace("value: 0,", "value: 0.01,"), encoding="utf-8")
    named = ("tumours/holdout", "tumours/copies-all")
    assert ask(privgate, *named, options=("--cases", "own.yaml")).code == 0
    wrong = CASES.replace("expect: met", "expect: violated")
    (tmp_path / "own.yaml").write_text(wrong, encoding="utf-8")
    result = ask(privgate, *named, options=("--cases", "own.yaml"))
    assert result.code == 1, result
    assert "case 'clean': expected violated, is met" in result.out


def test_honest_releases_alone_prove_nothing(privgate):
    result = ask(privgate, "tumours/holdout")
    assert result.code == 3, result
    assert "no fixture with the truth 'leaks'" in result.err


def test_unusable_words(privgate, tmp_path):
    ask(privgate, "tumors").require_refused("no fixture 'tumors'", "did you mean 'tumours'")
    ask(privgate, options=("--cases", "none.yaml")).require_refused("there is no such file")
    (tmp_path / "own.yaml").write_text(CASES.replace("near-copies", "copys"), encoding="utf-8")
    ask(privgate, options=("--cases", "own.yaml")).require_refused("no leak 'copys-10-percent'")


def test_named_records_that_are_not_installed_are_refused(privgate, monkeypatch):
    monkeypatch.setattr(Source, "is_installed", property(lambda _: False))
    ask(privgate, "savings").require_refused("not installed", "pip install 'privgate[demo]'")


def test_without_any_records_nothing_is_known(privgate, monkeypatch):
    monkeypatch.setattr(Source, "is_installed", property(lambda _: False))
    result = ask(privgate)
    assert result.code == 3, result
    assert "not installed" in result.out


def test_a_policy_that_never_lets_anybody_out_is_told_so(privgate, tmp_path):
    strict = POLICY.replace("{holdout: true}", "{holdout: true, full_policy: true}")
    (tmp_path / "copies.yaml").write_text(strict, encoding="utf-8")
    result = ask(privgate, "tumours/holdout", "tumours/copies-all")
    assert result.code == 0, result
    assert "no honest release was met" in result.err
