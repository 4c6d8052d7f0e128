"""What a run will take is carried on from small parts, and changes nothing in it."""

from datetime import UTC, datetime

import pytest

from privgate.data import release_from_frames
from privgate.engine import assess
from privgate.engine import forecast as foreseeing
from privgate.engine.forecast import forecast, is_large
from privgate.engine.plan import plan
from privgate.evidence import canonical_bytes
from privgate.metrics import all_metrics
from privgate.policy import open_document, policy_from_text
from privgate.testing.samples import SURVEY_COLUMNS, survey

POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
{sample}
rules:
  - {{id: copies, metric: crp, require: {{max: 0.05}}, source: {{kind: house, ref: t}}}}
  - {{id: cells, metric: reidentification, require: {{max: 0.99}}, source: {{kind: house, ref: t}}}}
"""
MIB = 2.0**20


def policy(sample=""):
    return open_document(policy_from_text(POLICY.format(sample=sample)).document, all_metrics())


@pytest.fixture(scope="module")
def large():
    rows = 13_000
    return release_from_frames(
        train=survey(rows, 1), synthetic=survey(rows // 2, 3), columns=SURVEY_COLUMNS
    )


@pytest.fixture
def tried(monkeypatch):
    """Let parts take what two formulas say, and return the sizes that were tried."""
    sizes = []

    def pretend(_release, _policy, rows, _jobs):
        sizes.append(rows)
        seconds = 0.1 + 1e-5 * rows + 2e-8 * rows**2, 1e-4 * rows
        passing = min(40.0 * rows**2, 64 * MIB)
        return foreseeing._Tried(rows=rows, seconds=seconds, kept=2048 * rows, passing=passing)

    monkeypatch.setattr(foreseeing, "_try", pretend)
    return sizes


@pytest.mark.usefixtures("tried")
def test_each_stage_is_carried_on_by_the_law_that_it_follows(large):
    found = forecast(large, policy(), jobs=1)
    expected = 0.1 + 0.13 + 2e-8 * 13_000**2, 1.3
    assert found.seconds == pytest.approx(expected, rel=1e-6)
    assert found.total == pytest.approx(sum(expected))
    assert found.memory == pytest.approx(2048 * 13_000 + 64 * MIB, rel=1e-6)


def test_what_is_tried_is_a_small_share_of_what_is_foreseen(large, tried):
    found = forecast(large, policy(), jobs=1)
    assert tried[:4] == [100, 400, 800, 1600]
    assert tried[-1] <= 13_000 // 4
    assert 2e-8 * tried[-1] ** 2 < found.total


@pytest.mark.usefixtures("tried")
def test_a_sample_is_foreseen_at_its_own_size(large):
    whole = forecast(large, policy(), jobs=1)
    for part in (
        forecast(large, policy(), jobs=1, sample=6500),
        forecast(large, policy("sample: 6500"), jobs=1),
    ):
        assert part.seconds[1] == pytest.approx(whole.seconds[1] / 2, rel=1e-6)


def test_small_runs_are_not_worth_it(large, survey_release):
    assert is_large(large, policy())
    assert not is_large(large, policy(), 5000)
    assert not is_large(large, policy("sample: 5000"))
    assert not is_large(survey_release, policy())


def test_foreseeing_changes_no_digit(large):
    created = datetime(2026, 1, 1, tzinfo=UTC)
    before = assess(large, policy(), created=created)
    found = forecast(large, policy(), jobs=2)
    after = assess(large, policy(), created=created)
    assert len(found.seconds) == len(plan(policy()))
    assert all(seconds >= 0 for seconds in found.seconds)
    assert found.total > 0
    assert canonical_bytes(before.evidence) == canonical_bytes(after.evidence)
