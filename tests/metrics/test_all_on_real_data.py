"""A policy that uses every metric, on real releases with and without a holdout."""

import pytest

import privgate
from privgate.data import load_release
from privgate.evidence import Need, SafeSide, Status
from privgate.metrics import all_metrics

PARAMS = {"gcap": {"bins": 5}, "zcap": {"bins": 5}, "privet": {"permutations": 59}}
WORST = {
    SafeSide.LOW: lambda spec: {"max": 0.5 if spec.maximum else 10.0},
    SafeSide.HIGH: lambda spec: {"min": 0.001},  # noqa: ARG005 - one form for both sides
}


def every_metric():
    rules = []
    for name, metric in all_metrics().items():
        spec = metric.card.figures[metric.card.headline]
        rules.append(
            privgate.Rule(
                id=name.replace("_", "-"),
                metric=name,
                params=PARAMS.get(name, {}),
                require=privgate.Limit(**WORST[spec.safe_side](spec)),
                source=privgate.Source(kind="house", ref="test"),
                rationale="to run everything",
            )
        )
    policy = privgate.Policy(id="everything", version="1.0.0", title="Everything", rules=rules)
    return privgate.bind(policy, all_metrics())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["penguins-noise-baseline", "wbcd-avatar", "student-placements"])
def test_every_metric_measures_or_says_why_not(shared, name):
    release = load_release(shared / "releases" / f"{name}.yaml")
    made = privgate.assess(release, every_metric(), jobs=2, debug=True)
    assert len(made.evidence.measurements) == len(all_metrics())
    for measurement in made.evidence.measurements:
        needs = made.evidence.cards[measurement.metric].needs
        assert measurement.status is not Status.FAILED
        if Need.HOLDOUT in needs and release.holdout is None:
            assert measurement.status is Status.NOT_ASSESSED
            assert "no holdout" in measurement.reason
        if Need.CORRESPONDENCE in needs and name != "wbcd-avatar":
            assert measurement.status is Status.NOT_ASSESSED
    assert made.verdict.outcome != "met"
