"""What workers could not read is told to people, and changes nothing of what is written."""

import warnings

import pytest

from privgate.data import reading

POLICY = """\
privgate: policy/v1
id: mine
version: 1.0.0
title: Mine
rules:
  - id: copies
    metric: crp
    measure: share
    require: {max: 0.5}
    judge: point
    severity: blocking
    source: {kind: house, ref: here}
    rationale: an example
"""


@pytest.fixture
def checked(privgate, parquet_release, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764547200")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")

    def check(out):
        asked = ("check", parquet_release, "--policy=policy.yaml", "--format=json", f"--out={out}")
        result = privgate(*asked)
        return result, (tmp_path / out / "evidence.json").read_bytes()

    return check


def test_files_that_workers_do_not_see_are_told_once_and_not_in_the_evidence(checked, monkeypatch):
    usual, evidence = checked("usual")
    assert "not every worker" not in usual.err
    warnings.simplefilter("always")
    monkeypatch.setattr(reading, "_tried", lambda *_: None)
    told, same = checked("told")
    assert told.err.count("warning: not every worker sees the tables as they are here") == 1
    assert (told.code, same) == (usual.code, evidence)


def test_what_libraries_warn_of_is_not_shown(checked, monkeypatch):
    tried = reading._tried

    def noisy(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("Zarathustra", RuntimeWarning, stacklevel=1)
        return tried(*arguments)

    monkeypatch.setattr(reading, "_tried", noisy)
    result, _ = checked("noisy")
    assert "Zarathustra" not in result.err + result.out
