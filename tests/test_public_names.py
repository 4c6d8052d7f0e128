from pathlib import Path

import pytest

import privgate
from privgate.testing.samples import SURVEY_COLUMNS, survey


def test_every_public_name_is_there():
    assert sorted(privgate.__all__) == sorted(privgate._HOMES) == dir(privgate)
    for name in privgate.__all__:
        assert getattr(privgate, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'certify'"):
        _ = privgate.certify


def test_types_are_shipped():
    assert (Path(privgate.__file__).parent / "py.typed").is_file()


def test_a_policy_in_python_judges_data_frames():
    policy = privgate.Policy(
        id="mine",
        version="1.0.0",
        title="Mine",
        rules=[
            privgate.Rule(
                id="copies",
                metric="crp",
                measure="share",
                require=privgate.Limit(max=0.01),
                source=privgate.Source(kind="house", ref="board"),
                rationale="an example",
            )
        ],
    )
    bound = privgate.bind(policy, privgate.all_metrics())
    for seed, outcome in ((2, privgate.Outcome.NOT_ASSESSED), (1, privgate.Outcome.VIOLATED)):
        release = privgate.release_from_frames(
            train=survey(300, 1), synthetic=survey(300, seed), columns=SURVEY_COLUMNS
        )
        # 0 of 300 leaves up to 1.3 % open: too few people to show 1 %.
        assert privgate.assess(release, bound).verdict.outcome is outcome
