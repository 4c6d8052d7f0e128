"""``privgate explain``: every word that an output may hold is explained."""

import pytest

from privgate.cli.meanings import WORDS
from privgate.errors import ExitCode
from privgate.evidence import Criterion, Status
from privgate.metrics import all_metrics
from privgate.policy import built_in_policies, load_policy
from privgate.policy.model import Judge, Severity
from privgate.policy.verdict import Outcome


def test_every_code_and_word_of_outputs_has_a_meaning():
    enums = (Outcome, Status, Criterion, Severity, Judge)
    words = {member.value for enum in enums for member in enum}
    assert words | {str(int(code)) for code in ExitCode} <= set(WORDS)


def test_no_other_word_has_one():
    enums = (Outcome, Status, Criterion, Severity, Judge)
    words = {member.value for enum in enums for member in enum}
    codes = {str(int(code)) for code in ExitCode} | {"130", "143"}
    assert set(WORDS) - words - codes == {"unusable"}


@pytest.mark.parametrize("code", ["1", "3"])
def test_an_exit_code_is_explained_with_what_to_do(privgate, code):
    done = privgate("explain", code)
    assert done.code == 0
    assert done.out.startswith(f"exit code {code}: ")
    assert "What to do: " in done.out


def test_every_rule_of_a_built_in_policy_is_explained(privgate):
    name = "card-example"
    assert name in built_in_policies()
    for rule in load_policy(name).policy.rules:
        done = privgate("explain", rule.id, "--policy", name)
        assert done.code == 0
        assert f"rule {rule.id} of card-example" in done.out
        assert rule.source.ref in done.out
        assert "What to do when it is broken" in done.out


def test_a_metric_is_found_by_both_its_names(privgate):
    crp = all_metrics()["crp"].card
    for name in ("crp", "CRP"):
        assert f"metric crp: {crp.title}" in privgate("explain", name).out


def test_a_word_with_several_meanings_is_given_all(privgate):
    out = privgate("explain", "singling_out").out
    assert "WP29" in out
    assert "metric singling_out: " in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("violatd",), "did you mean 'violated'?"),
        (("rapidd",), "did you mean 'rapid'?"),
        (("rapid", "--policy", "card-example"), "has no rule 'rapid'"),
        (("acme.k_map",), "no plug-in 'acme' is installed here"),
        (("x", "--policy", "gone.yaml"), "gone.yaml"),
    ],
)
def test_an_unknown_word_is_refused_with_a_remedy(privgate, arguments, told):
    privgate("explain", *arguments).require_refused(told)
