"""Policies and release files that cannot be used: every problem with file, line and remedy."""

from __future__ import annotations

import json
import os

import pytest


@pytest.fixture
def judge_under(judge, policy):
    """Return a function that checks an ordinary release under a changed policy."""

    def check(old="", new="", *, text=None):
        before = policy.read_text("utf-8")
        assert text is not None or old in before
        policy.write_text(before.replace(old, new, 1) if text is None else text, "utf-8")
        return judge("--policy", policy)

    return check


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("metric: rapid", "metric: rapyd", ("rules[0].metric", "did you mean 'rapid'?")),
        ("severity", "sverity", ("rules[0]", "did you mean 'severity'?")),
        ("owner: tests", "owner: tests\nowner: me", ("quick.yaml:6", "'owner' is given twice")),
        ("tau: 0.3", "tau: 3", ("rules[0].params.tau", "less than 1")),
        ("tau: 0.3", "taw: 0.3", ("did you mean 'tau'?",)),
        ("measure: gap", "measure: gapp", ("did you mean 'gap'?",)),
        ("max: 0.2", "max: 20%", ("'20%'", "write 0.2")),
        ("max: 0.2", "max: .nan", ("rules[0].require.max", "finite")),
        ("max: 0.2", "max: .inf", ("rules[0].require.max", "finite")),
        ("max: 0.2", "maximum: 0.2", ("'maximum'",)),
        ("version: 1.0.0\n", "", ("'version' is missing",)),
        ("policy/v1", "policy/v9", ("did you mean 'policy/v1'?",)),
        (
            "id: quick",
            "id: quick\nextends: card-example",
            (
                "quick.yaml:7: review_by: 2099-06-30 is later than the parent's",
                "card-example.yaml:",
            ),
        ),
        ("id: quick", "id: quick\nextends: card-exampel", ("did you mean 'card-example'?",)),
        ("id: quick", "id: quick\nextends: /dev/null", ("extends", "check the path")),
        ("id: membership", "id: inference", ("rules[1].id", "already that of rules[0]")),
        ("tests", "\ttests", ("quick.yaml:4", "spaces, not tabs")),
    ],
)
def test_a_mistake_in_a_policy_is_placed_and_explained(judge_under, old, new, words):
    judge_under(old, new).require_refused("quick.yaml", *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("the file is empty",)),
        ("- a\n", ("no keys",)),
        ("a: [b", ("YAML cannot be read",)),
        ("a: &x [1]\nb: *x\n", ("alias",)),
        (
            "privgate: policy/v1\nid: a\nversion: 1.0.0\ntitle: t\nrules: []\n",
            ("rules", "nothing in"),
        ),
        ("privgate: policy/v1\nid: a\nversion: 1.0.0\ntitle: t\n", ("'rules' is missing",)),
        ("privgate: policy/v1\nid: a\nversion: 1.0.0\ntitle: t\nrules:\n", ("rules",)),
    ],
    ids=["empty", "list", "not YAML", "alias", "empty rules", "no rules", "null rules"],
)
def test_a_text_that_is_no_policy_is_refused(judge_under, text, words):
    judge_under(text=text).require_refused("quick.yaml", *words)


def test_a_policy_that_could_stop_nothing_is_refused(judge_under, policy):
    text = policy.read_text("utf-8").replace("blocking", "advisory")
    judge_under(text=text).require_refused("no rule is blocking")


def test_all_mistakes_are_reported_at_once(judge_under, policy):
    text = policy.read_text("utf-8").replace("metric: rapid", "metric: rapyd")
    result = judge_under(text=text.replace("owner", "ownr").replace("max: 0.05", "max: five"))
    result.require_refused("'rapid'", "'owner'", "'five'")


def test_bytes_that_are_no_text_are_refused(judge, policy):
    policy.write_bytes(policy.read_bytes().replace(b"Quick", b"Qu\xefck"))
    judge().require_refused("quick.yaml:4", "not UTF-8")


def test_a_policy_that_does_not_exist_is_refused(judge, tmp_path):
    judge("--policy", "card-exampel").require_refused("did you mean 'card-example'?")
    judge("--policy", "gone.yaml").require_refused("gone.yaml", "no such file")
    judge("--policy", tmp_path).require_refused(str(tmp_path), "folder")
    judge("--policy", "").require_refused("--policy", "privgate policy list")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_an_unreadable_file_is_refused(judge, policy):
    policy.chmod(0)
    judge().require_refused("quick.yaml", "Permission denied")


def test_policy_and_release_file_confused_are_told_apart(privgate, write_release, policy):
    release = write_release()
    swapped = privgate("check", policy, "--policy", policy)
    swapped.require_refused("quick.yaml:1", "this is a policy file", "give a release file")
    assert swapped.err.count("error: ") == 1
    same = privgate("check", release, "--policy", release)
    same.require_refused("release.yaml:1", "this is a release file", "give a policy file")
    assert same.err.count("error: ") == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": {}}, ("data", "train", "synthetic")),
        ({"columns": {}}, ("columns",)),
        ({"colums": {}}, ("did you mean 'columns'?",)),
        ({"columns": {"age": {"type": "number", "role": "other"}}}, ("type", "'number'")),
        ({"columns": {"age": {"type": "numeric", "role": "quasi"}}}, ("'quasi_identifier'",)),
        ({"correspondence": {"key": "nobody"}}, ("'nobody'", "not declared")),
        ({"correspondence": "same_order"}, ("220", "250")),
        ({"data": {"kind": "array"}}, ("array",)),
    ],
)
def test_a_mistake_in_a_release_file_is_placed_and_explained(
    privgate, write_release, policy, change, words
):
    release = write_release()
    content = json.loads(release.read_text("utf-8"))
    release.write_text(json.dumps(content | change), "utf-8")
    result = privgate("check", release, "--policy", policy)
    result.require_refused(*words)


def test_an_overdue_review_is_said_and_changes_no_verdict(judge_under):
    result = judge_under("2099-06-30", "2020-06-30")
    assert result.code == 0
    assert "warning: the review was due by 2020-06-30" in result.err


@pytest.mark.parametrize("given", ["garbage", "-5", "1e9", " ", "1_000", "9" * 20, "٣"])
def test_a_source_date_that_is_none_is_refused(judge, monkeypatch, given):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    result = judge()
    result.require_refused("SOURCE_DATE_EPOCH", "whole seconds")
    assert "measuring" not in result.err


def test_the_source_date_is_the_date_of_the_evidence(judge, monkeypatch, read_json):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert judge().code == 0
    assert read_json("evidence.json")["run"]["created"].startswith("1970-01-02T00:00:00")


@pytest.mark.parametrize("seed", ["-1", str(2**53), "abc", "1.5"])
def test_a_seed_out_of_range_is_refused(judge, seed):
    result = judge("--seed", seed)
    assert result.code == 2
    assert "--seed" in result.err
    assert result.out == ""


def test_a_given_seed_is_recorded(judge, read_json):
    assert judge("--seed", "7").code == 0
    run = read_json("evidence.json")["run"]
    assert (run["seed"], run["seed_source"]) == (7, "given")
