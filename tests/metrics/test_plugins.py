"""Metrics of third parties: found by metadata, imported when named, refused when they are wrong."""

import sys
from pathlib import Path

import pytest

from privgate.data.documents import parse_document
from privgate.engine import assess
from privgate.errors import ExitCode, PluginError, PolicyError
from privgate.evidence import PluginFacts, RunEvidence, canonical_bytes
from privgate.metrics import all_metrics
from privgate.metrics.plugins import installed_plugins, plugin_metrics, with_plugins
from privgate.policy import open_document, open_policy
from privgate.report import Audience, build_view, render_html

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"
POLICY = """\
privgate: policy/v1
id: p
version: 1.0.0
title: t
rules:
  - id: r
    metric: {metric}
    require: {{max: 0.5}}
    severity: blocking
    source: {{kind: house, ref: board}}
    rationale: an example
"""
MAKE = """
from dataclasses import replace
from privgate.metrics import all_metrics
def named(*names):
    crp = all_metrics()["crp"]
    return [replace(crp, card=crp.card.model_copy(update={"name": name})) for name in names]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that lets a distribution appear to be installed."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(prefix, code, *, distribution="made-up", module="made_up_plugin"):
        info = tmp_path / f"{distribution.replace('-', '_')}-2.5.dist-info"
        info.mkdir()
        head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.5\n"
        (info / "METADATA").write_text(head, encoding="utf-8")
        entries = f"[privgate.metrics]\n{prefix} = {module}:metrics\n"
        (info / "entry_points.txt").write_text(entries, encoding="utf-8")
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return make


@pytest.fixture
def example(install, tmp_path, monkeypatch):
    """Install the example from the checkout, by metadata alone."""
    monkeypatch.syspath_prepend(EXAMPLE)
    install("acme", "", distribution="acme-metrics", module="unused")
    entries = "[privgate.metrics]\nacme = acme_metrics:metrics\n"
    info = tmp_path / "acme_metrics-2.5.dist-info"
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_metrics"]:
        monkeypatch.delitem(sys.modules, name)


def opened(metric, policy=POLICY):
    text = policy.format(metric=metric)
    return open_document(parse_document(text, name="p.yaml", error=PolicyError), all_metrics())


def refused(metric, policy=POLICY):
    with pytest.raises(PluginError) as caught:
        opened(metric, policy)
    assert caught.value.exit_code is ExitCode.UNUSABLE
    (problem,) = caught.value.problems
    assert problem.remedy
    return problem.message


@pytest.mark.usefixtures("example")
def test_a_plug_in_is_imported_only_if_a_policy_names_it():
    assert [(it.prefix, it.distribution, it.version) for it in installed_plugins()] == [
        ("acme", "acme-metrics", "2.5")
    ]
    opened("crp")
    assert "acme.k_map" not in all_metrics()
    assert "acme_metrics" not in sys.modules
    (rule,) = opened("acme.k_map").rules
    assert rule.metric.card.plugin == PluginFacts(distribution="acme-metrics", version="2.5")
    assert "acme_metrics" in sys.modules


@pytest.mark.usefixtures("example")
def test_evidence_and_report_say_which_distribution_a_metric_came_with(survey_release, monkeypatch):
    judged = assess(survey_release, opened("acme.k_map"))
    stored = RunEvidence.model_validate_json(canonical_bytes(judged.evidence))
    assert stored.cards["acme.k_map"].plugin.distribution == "acme-metrics"
    monkeypatch.setattr(
        "privgate.metrics.plugins.installed_plugins",
        lambda: pytest.fail("a report needs no plug-in"),
    )
    html = render_html(build_view(stored, judged.verdict, audience=Audience.SHAREABLE))
    assert "acme-metrics 2.5" in html
    assert "fewer than k real people" in html


@pytest.mark.usefixtures("example")
def test_the_example_policy_binds():
    bound = open_policy(str(EXAMPLE / "policy.yaml"), all_metrics())
    assert [rule.metric.name for rule in bound.rules] == ["singling_out", "acme.k_map"]


@pytest.mark.usefixtures("example")
def test_a_misspelt_metric_of_a_plug_in_is_told_what_it_has():
    with pytest.raises(PolicyError, match=r"p.yaml:7: .*'acme.kmap'; .* has 'acme.k_map'"):
        opened("acme.kmap")


@pytest.mark.usefixtures("example")
def test_a_policy_of_a_plug_in_that_is_not_there_says_so():
    with pytest.raises(PolicyError) as caught:
        opened("other.k_map")
    (problem,) = caught.value.problems
    assert problem.message == "there is no metric 'other.k_map'"
    assert "no plug-in 'other' is installed here (plug-ins: acme)" in problem.remedy


def test_metrics_that_are_given_are_not_looked_for(install):
    install("made", "raise RuntimeError")
    given = {"made.crp": all_metrics()["crp"]}
    assert with_plugins(given, ["made.crp"]) is given


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_module_7351", "ModuleNotFoundError: No module named"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("def metrics(): raise ValueError('boom')", "ValueError: boom"),
        ("metrics = 3", "TypeError: 'int' object is not callable"),
        ("pass", "AttributeError"),
        ("def metrics(): yield from [1, 2][5]", "IndexError"),
        ("def metrics(): return 3", "returns a int, not metrics"),
        ("def metrics(): return []", "returns nothing, not metrics"),
        ("def metrics(): return ['crp']", "returns a str as metric"),
        (f"{MAKE}\ndef metrics(): return named('crp')", "metric 'crp' lacks the prefix 'made.'"),
        (f"{MAKE}\ndef metrics(): return named('other.a')", "'other.a' lacks the prefix 'made.'"),
        (f"{MAKE}\ndef metrics(): return named('made.a', 'made.a')", "two of its metrics"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_an_error_with_its_name(install, code, said):
    install("made", code)
    message = refused("made.crp")
    assert message.startswith("the plug-in 'made' of made-up 2.5")
    assert said in message


def test_what_is_wrong_with_plug_in_and_policy_is_told_at_once(install):
    install("made", "raise RuntimeError('boom')")
    with pytest.raises(PolicyError) as caught:
        opened("made.crp", POLICY.replace("severity: blocking", "severity: sometimes"))
    told = "\n".join(map(str, caught.value.problems))
    assert "sometimes" in told
    assert "the plug-in 'made' of made-up 2.5 does not load" in told


def test_two_plug_ins_of_one_prefix_are_refused(install):
    good = f"{MAKE}\ndef metrics(): return named('made.crp')"
    install("made", good)
    install("made", good, distribution="rival", module="rival_plugin")
    assert refused("made.crp") == "2 plug-ins have the prefix 'made': made-up 2.5 and rival 2.5"


def test_a_prefix_that_no_policy_could_name_is_told(install):
    install("Made-Up", "")
    with pytest.raises(PluginError, match="no usable prefix"):
        plugin_metrics()


def test_an_author_cannot_claim_another_origin(install):
    code = """
from privgate.evidence import PluginFacts
def metrics():
    (it,) = named("made.crp")
    plugin = PluginFacts(distribution="privgate", version="9")
    return [replace(it, card=it.card.model_copy(update={"plugin": plugin}))]
"""
    install("made", MAKE + code)
    assert plugin_metrics()["made.crp"].card.plugin.distribution == "made-up"
