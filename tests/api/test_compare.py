"""Several results side by side, and what changed since the last release."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import privgate
from privgate.errors import InputError, IntegrityError
from privgate.testing.samples import survey

ROLES = {"age": "quasi_identifier", "income": "sensitive"}
SOURCE = privgate.Source(kind="house", ref="release board")


def made_rule(metric, severity, **limit):
    return privgate.Rule(
        id=metric, metric=metric, require=privgate.Limit(**limit), severity=severity, source=SOURCE,
        rationale="an example",
    )  # fmt: skip


POLICY = privgate.Policy(
    id="useful", version="1.0.0", title="Useful",
    rules=[
        made_rule("crp", "blocking", max=0.2),
        made_rule("dcr", "blocking", max=0.65),
        made_rule("domias", "blocking", max=0.7),
        made_rule("marginals", "advisory", min=0.9),
        made_rule("associations", "advisory", min=0.9),
    ],
)  # fmt: skip


@pytest.fixture(scope="module")
def results():
    people = {"train": survey(400, 1), "holdout": survey(400, 2)}
    rng = np.random.default_rng(1)  # each column in an order of its own
    shuffled = survey(400, 3).apply(lambda column: rng.permutation(column.to_numpy()))
    made = {"copy": survey(400, 1), "honest": survey(400, 3), "shuffled": shuffled}
    return {
        name: privgate.check(**people, synthetic=table, columns=ROLES, policy=POLICY, name=name)
        for name, table in made.items()
    }


def test_the_copy_comes_last_although_it_is_the_most_useful(results):
    found = privgate.compare(*results.values())
    ranking = found.ranking.set_index("name")
    assert found.differences == ()
    assert ranking.index[-1] == "copy"
    assert ranking.loc["copy", "outcome"] == "violated"
    assert ranking.loc["copy", "utility"] == 1.0
    assert ranking.loc["copy", "risk"] > 1 >= ranking.loc["honest", "risk"]
    assert ranking.loc["honest", "utility"] > ranking.loc["shuffled", "utility"]


def test_what_is_saved_is_what_the_command_writes(results, tmp_path):
    folders = [results[name].save(tmp_path / name, formats="json") for name in ("copy", "honest")]
    one = privgate.compare(*folders).save(tmp_path / "one", formats=["html"])
    other = privgate.compare(results["copy"], results["honest"])
    two = other.save(tmp_path / "two", formats="html")
    assert {file.name for file in one.iterdir()} == {"compare.json", "compare.html"}
    for name in ("compare.json", "compare.html"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    page = (one / "compare.html").read_text(encoding="utf-8")
    assert 'id="plane-t"' in page
    assert page.count('class="dot t-') >= 2
    stored = json.loads((one / "compare.json").read_text(encoding="utf-8"))
    assert [it["name"] for it in stored["releases"]] == other.ranking["name"].tolist()


def test_every_rule_is_there_for_every_release(results):
    rules = privgate.compare(*results.values()).rules
    assert rules.groupby("id").size().to_dict() == dict.fromkeys(rules["id"].unique(), 3)
    margins = rules[rules["id"] == "dcr"].set_index("label")["margin"]
    assert (margins < 0).sum() == 1


def test_a_notebook_shows_names_as_text(results):
    people = {"train": survey(400, 1), "holdout": survey(400, 2)}
    named = privgate.check(
        **people, synthetic=survey(400, 5), columns=ROLES, policy=POLICY, name="<script>x</script>"
    )
    shown = privgate.compare(results["honest"], named)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "at least two"),
        ((3, 4), "a int is no check"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        privgate.compare(*given)


def test_an_unknown_language_and_format_are_refused(results, tmp_path):
    with pytest.raises(InputError, match="'fr' is not known"):
        privgate.compare(*results.values(), language="fr")
    with pytest.raises(InputError, match="unknown format junit"):
        privgate.compare(*results.values()).save(tmp_path / "x", formats="junit")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("stored", [False, True])
def test_the_report_tells_what_changed_since_the_baseline(results, tmp_path, stored):
    before = results["copy"].save(tmp_path / "before", formats="json")
    now = privgate.check(
        train=survey(400, 1), holdout=survey(400, 2), synthetic=survey(400, 3), columns=ROLES,
        policy=POLICY, name="now", baseline=before if stored else results["copy"],
    )  # fmt: skip
    folder = now.save(tmp_path / "now", formats="html")
    facts = json.loads((folder / "baseline.json").read_text(encoding="utf-8"))
    assert (facts["release"], facts["outcome"]) == ("copy", "violated")
    assert 'id="changes"' in (folder / "report.html").read_text(encoding="utf-8")


def test_a_baseline_that_was_altered_or_is_none_is_refused(results, tmp_path):
    folder = results["copy"].save(tmp_path / "before", formats="json")
    verdict = Path(folder, "verdict.json")
    verdict.write_bytes(verdict.read_bytes().replace(b"violated", b"met", 1))
    again = {
        "train": survey(400, 1), "holdout": survey(400, 2), "synthetic": survey(400, 3),
        "columns": ROLES, "policy": POLICY,
    }  # fmt: skip
    with pytest.raises((InputError, IntegrityError)):
        privgate.check(**again, baseline=folder)
    with pytest.raises(InputError, match="a list is no check"):
        privgate.check(**again, baseline=[])
