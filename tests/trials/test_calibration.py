import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.data import release_from_frames
from privgate.data.documents import parse_document
from privgate.errors import InputError, PolicyError
from privgate.evidence import FigureKind, FigureSpec, SafeSide
from privgate.metrics import all_metrics
from privgate.policy import Limit, open_document
from privgate.report import MOST_BYTES, calibration_page
from privgate.testing.samples import SURVEY_COLUMNS, survey, survey_release
from privgate.trials import CalibrationPlan, Leak, calibrate, policy_draft
from privgate.trials.proposals import proposed_limit

PLAN = CalibrationPlan(draws=9, false_alarms=0.1, leaks=(Leak(0.2),), leak_trials=2)
SHARE = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=FigureKind.SHARE)
DISTANCE = FigureSpec(title="t", meaning="m", safe_side=SafeSide.HIGH, kind=FigureKind.DISTANCE)
COUNT = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=FigureKind.COUNT)


@pytest.fixture(scope="module")
def release():
    return survey_release(150)


@pytest.fixture(scope="module")
def study(release, policy):
    return calibrate(release, policy, PLAN)


def test_the_proposed_limit_is_the_strictest_that_honest_draws_keep():
    honest = [number / 100 for number in range(1, 20)]
    found, _ = proposed_limit(honest, limit=Limit(max=0.5), spec=SHARE, level=0.05, draws=19)
    assert found == Limit(max=0.19)
    found, _ = proposed_limit(honest, limit=Limit(below=0.5), spec=SHARE, level=0.1, draws=19)
    assert found == Limit(max=0.18)
    found, _ = proposed_limit(honest, limit=Limit(min=0.5), spec=DISTANCE, level=0.1, draws=19)
    assert found == Limit(min=0.02)


def test_a_count_that_honest_releases_never_have_stays_forbidden():
    found, _ = proposed_limit([0.0] * 19, limit=Limit(equals=0), spec=COUNT, level=0.05, draws=19)
    assert found == Limit(equals=0)
    found, _ = proposed_limit([3.0] * 19, limit=Limit(equals=0), spec=COUNT, level=0.05, draws=19)
    assert found == Limit(max=3)


@pytest.mark.parametrize(
    ("honest", "draws", "why"),
    [
        ([0.1] * 10, 10, "19 are needed"),
        ([0.1] * 15, 19, "4 of 19 honest draws gave no figure"),
        ([1.0] * 19, 19, "can never fail"),
    ],
)
def test_where_no_limit_holds_the_level_there_is_none_and_a_reason(honest, draws, why):
    found, reason = proposed_limit(
        honest, limit=Limit(max=0.5), spec=SHARE, level=0.05, draws=draws
    )
    assert found is None
    assert why in reason


@given(
    honest=st.lists(st.floats(0, 0.999), min_size=19, max_size=60),
    level=st.sampled_from([0.05, 0.1, 0.2]),
)
def test_a_proposal_never_raises_more_alarms_than_the_level(honest, level):
    found, reason = proposed_limit(
        honest, limit=Limit(max=0.5), spec=SHARE, level=level, draws=len(honest)
    )
    assert found is not None or "can never fail" in reason
    if found is not None:
        assert sum(number > found.max for number in honest) <= level * (len(honest) + 1)


def test_planted_leaks_break_what_honest_releases_keep(study):
    rule = next(rule for rule in study.rules if rule.id == "no-copies")
    found = {draws.scenario: draws for draws in rule.draws}
    assert found["real people divided anew"].answers["violated"] == 0
    assert found["holdout published as synthetic"].answers["violated"] == 0
    assert found["20 % of the records copied"].proposed["violated"] == 2
    assert rule.proposed["max"] < 0.06


def test_the_same_data_give_the_same_study(release, policy, study):
    assert calibrate(release, policy, PLAN, jobs=2) == study


def test_the_draft_is_a_policy_that_says_where_its_limits_come_from(policy, study):
    text = policy_draft(policy, study)
    draft = open_document(parse_document(text, name="draft", error=PolicyError), all_metrics())
    assert draft.policy.id == "copies-calibrated"
    rule = draft.policy.rules[0]
    assert rule.require.stated == study.rules[0].proposed
    assert rule.source.kind == "house"
    assert "calibration of copies 1.0.0" in rule.source.ref
    assert [rule.severity for rule in draft.policy.rules] == ["blocking", "advisory"]


def test_the_page_shows_every_rule_with_its_picture(study):
    page = calibration_page(study)
    assert page.count('<svg class="chart"') == 2
    assert "no-copies" in page
    assert "honest: a violation is a false alarm" in page


def test_a_page_of_many_rules_is_cut_and_says_where_all_are(study):
    many = tuple(
        study.rules[0].model_copy(update={"id": f"rule-{i}", "title": f"Figure {i} " + "x" * 9000})
        for i in range(400)
    )
    page = calibration_page(study.model_copy(update={"rules": many, "release": "n" * 10_000}))
    assert len(page.encode()) < MOST_BYTES
    assert "of 400 rows shown; all are in calibration.json." in page
    assert "calibration.json has everything." in page
    assert "attached to the PDF" not in page


def test_without_a_holdout_there_is_nothing_to_calibrate_on(policy):
    bare = release_from_frames(train=survey(50, 1), synthetic=survey(50, 2), columns=SURVEY_COLUMNS)
    with pytest.raises(InputError, match="no holdout table"):
        calibrate(bare, policy)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"false_alarms": 0.0}, {"false_alarms": 0.7}])
def test_an_impossible_plan_is_refused(wrong):
    with pytest.raises(InputError):
        CalibrationPlan(**wrong)
