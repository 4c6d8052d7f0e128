from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import privgate
from privgate.api.progress import shown_progress
from privgate.engine import Silent
from privgate.errors import DisclosureError, InputError
from privgate.leakscan import scan_outputs
from privgate.live_progress import LiveProgress
from privgate.testing.samples import SURVEY_COLUMNS, survey

POLICY = """\
privgate: policy/v1
id: copies
version: 1.0.0
title: Copies
rules:
  - id: common-rows
    metric: crp
    measure: gap
    require: {max: 0.05}
    source: {kind: house, ref: tests}
    rationale: a test
"""
ROLES = {"age": "quasi_identifier", "sex": "quasi_identifier", "income": "sensitive"}


@pytest.fixture(autouse=True)
def _no_warnings_of_the_policy():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "every blocking rule is a screen")
        yield


@pytest.fixture
def check(policy, tables):
    """Return a function that judges the tables, some of them replaced."""

    def judge(columns=SURVEY_COLUMNS, **options):
        given = tables | {"policy": policy, "columns": columns} | options
        return privgate.check(**given)

    return judge


def test_answers_of_the_three_kinds(check, tables):
    violated = check(synthetic=tables["train"])
    unknown = check(holdout=None)
    assert (violated.outcome, violated.exit_code, bool(violated)) == ("violated", 1, False)
    assert (unknown.outcome, unknown.exit_code, bool(unknown)) == ("not_assessed", 3, False)
    with pytest.raises(privgate.ViolatedError, match="common-rows") as refused:
        violated.raise_for_violation()
    assert refused.value.exit_code == 1
    with pytest.raises(privgate.NotAssessedError, match="holdout") as refused:
        unknown.raise_for_violation()
    assert refused.value.exit_code == 3
    assert not issubclass(privgate.NotAssessedError, privgate.ViolatedError)
    assert "violated: 'release' under 'copies'" in repr(violated)


def test_only_met_is_true(check, policy):
    attack = privgate.Rule(
        id="inference",
        metric="rapid",
        measure="gap",
        params={"tau": 0.3},
        require=privgate.Limit(max=0.5),
        source=privgate.Source(kind="house", ref="tests"),
        rationale="a test",
    )
    result = check(policy=policy.model_copy(update={"rules": (attack, *policy.rules)}))
    assert (result.outcome, result.exit_code, bool(result)) == ("met", 0, True)
    assert result.raise_for_violation() is None


def test_rules_are_a_table_that_says_what_the_verdict_says(check):
    result = check(synthetic=survey(400, 1))
    rules = result.rules.set_index("id")
    for rule in result.verdict.rules:
        row = rules.loc[rule.id]
        assert (row["outcome"], row["judged"], row["severity"]) == (
            rule.outcome,
            rule.judged,
            rule.severity,
        )
    assert rules.loc["common-rows", "limit"] == "at most 5 pp"
    figures = result.figures.set_index(["metric", "figure"])
    assert figures.loc[("crp", "share"), "value"] == 1


def some_copies(tables, count):
    return pd.concat([tables["synthetic"], tables["train"].head(count)], ignore_index=True)


def test_small_counts_are_withheld_unless_the_audience_is_internal(check, tables):
    few = some_copies(tables, 4)
    shareable, internal = (check(synthetic=few, audience=a) for a in ("shareable", "internal"))
    share = pd.Series({"metric": "crp", "figure": "share"})
    values = [
        r.figures.loc[(r.figures[share.index] == share).all(axis=1), "value"].item()
        for r in (shareable, internal)
    ]
    assert np.isnan(values[0])
    assert values[1] == pytest.approx(4 / 400)
    judged = [r.rules.set_index("id").loc["common-rows", "judged"] for r in (shareable, internal)]
    assert np.isnan(judged[0])
    assert judged[1] > 0
    # The decision is made on exact figures either way.
    assert shareable.outcome == internal.outcome
    assert shareable.verdict.rules == internal.verdict.rules
    exact = internal._view.rules[0]
    for kind in ("text/html", "text/plain"):
        assert exact.measured in internal._repr_mimebundle_()[kind]
        assert exact.measured not in shareable._repr_mimebundle_()[kind]
        assert exact.judged not in shareable._repr_mimebundle_()[kind]


def test_displays_show_names_escaped_and_load_nothing(policy, tables):
    name = "<img src=//x.org/a.png onerror=alert(1)>[red]"
    result = privgate.check(**tables, columns=SURVEY_COLUMNS, policy=policy, name=name)
    html = result._repr_mimebundle_()["text/html"]
    assert html == result._repr_html_()
    assert "<img" not in html
    assert "&lt;img" in html
    assert (
        re.findall(r"\b(?:src|href|url|import|script)\s*[=(]", html.replace("&lt;img src=", ""))
        == []
    )
    screen = Console(file=StringIO(), width=160)
    screen.print(result)
    assert "[red]" in screen.file.getvalue()
    assert "common-rows" in screen.file.getvalue()


def test_displays_hold_no_value_of_a_record(check, tables):
    result = check(synthetic=tables["train"])
    shown = {
        "display.html": result._repr_html_().encode(),
        "rules.csv": result.rules.to_csv().encode(),
        "figures.csv": result.figures.to_csv().encode(),
        "repr": repr(result).encode(),
    }
    assert scan_outputs(shown, result.release) == ()
    planted = {"display.html": f"<p>{tables['train']['income'].dropna().iloc[0]}</p>".encode()}
    assert scan_outputs(planted, result.release) != ()


def test_a_result_that_would_show_a_value_is_refused(policy, tables):
    """A metric that quotes a record gives no result at all, as on the command line."""
    crp = privgate.all_metrics()["crp"]

    def quoting(*arguments):
        return replace(crp.measure(*arguments), notes=("someone of Zanzibar was found",))

    metrics = {**privgate.all_metrics(), "crp": replace(crp, measure=quoting)}
    bound = privgate.bind(policy, metrics)
    train = tables["train"].assign(region=["Zanzibar", *tables["train"]["region"][1:]])
    with pytest.raises(DisclosureError, match="column 'region'") as refused:
        privgate.check(**tables | {"train": train}, columns=SURVEY_COLUMNS, policy=bound)
    assert "zanzibar" not in str(refused.value).lower()


def run(*arguments, **environment):
    """Run the command line and return its exit code and messages."""
    call = "from privgate.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", call, *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.fixture
def folder(tables, tmp_path):
    """Return a folder with the tables, a release file and the policy."""
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    release = {
        "privgate": "release/v1",
        "name": "survey",
        "data": {name: {"path": f"{name}.csv"} for name in tables},
        "columns": {name: dict(entry) for name, entry in SURVEY_COLUMNS.items()},
    }
    (tmp_path / "release.yaml").write_text(json.dumps(release), "utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_roles_alone_are_guessed_like_on_the_command_line(tables, folder):
    given = {name: pd.read_csv(folder / f"{name}.csv") for name in tables}
    result = privgate.check(**given, columns=ROLES, policy=folder / "policy.yaml")
    facts = result.evidence.release
    columns = {column.name: (column.type, column.role) for column in facts.columns}
    assert columns["age"] == ("numeric", "quasi_identifier")
    assert columns["since"] == ("datetime", "other")
    assert any("guessed" in note for note in facts.notes)
    paths = [f"--{name}={folder / name}.csv" for name in tables]
    roles = ["--quasi=age,sex", "--sensitive=income", "-p", folder / "policy.yaml"]
    code, told = run("check", *paths, *roles, "--format=json", f"--out={folder / 'out'}")
    assert code == result.exit_code, told
    stored = json.loads((folder / "out" / "evidence.json").read_text("utf-8"))
    assert columns == {
        column["name"]: (column["type"], column["role"]) for column in stored["release"]["columns"]
    }
    content = {name: table.content_sha256 for name, table in facts.tables.items()}
    assert content == {
        name: table["content_sha256"] for name, table in stored["release"]["tables"].items()
    }


def test_a_declaration_beside_roles_is_kept(tables, policy):
    columns = ROLES | {"health": SURVEY_COLUMNS["health"], "smoker": "ignore"}
    result = privgate.check(**tables, columns=columns, policy=policy)
    found = {column.name: column for column in result.evidence.release.columns}
    assert (found["health"].type, found["smoker"].role) == ("ordinal", "ignore")


@pytest.mark.slow
def test_saved_files_are_those_of_the_command_line(folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    options = ("--records", "--format=html,csv", "--language=de", f"--out={folder / 'cli'}")
    code, told = run("check", folder / "release.yaml", "-p", folder / "policy.yaml", *options)
    result = privgate.check(folder / "release.yaml", folder / "policy.yaml", language="de")
    assert code == result.exit_code, told
    saved = result.save(folder / "api", formats={"html", "csv"}, records=True)
    files = {
        place.name: {p.relative_to(place).as_posix(): p.read_bytes() for p in place.rglob("*.*")}
        for place in (folder / "cli", saved)
    }
    assert files["cli"] == files["api"]
    assert {"report.html", "rules.csv", "manifest.json"} < set(files["api"])


def test_what_is_searched_is_what_is_saved(check, tmp_path, monkeypatch):
    result = check()
    income = result.release.train.values["income"]
    shown = f"<p>{float(income[0])}</p>".encode()
    monkeypatch.setattr(type(result), "_drawn", lambda *_: {"report.html": shown})
    with pytest.raises(DisclosureError, match="income"):
        result.save(tmp_path / "out", formats="html")
    assert not (tmp_path / "out").exists()


def test_arrays_are_judged(policy):
    rng = np.random.default_rng(5)
    train, holdout, synthetic = (rng.random((200, 40)) < 0.4 for _ in range(3))
    judged = {"policy": policy, "distance": "hamming", "train": train, "holdout": holdout}
    assert privgate.check(synthetic=train, **judged).outcome == "violated"
    assert privgate.check(synthetic=synthetic, **judged).outcome != "violated"


def test_seed_jobs_waivers_and_ledger_pass_through(check, tables, tmp_path):
    ledger = tmp_path / "ledger.jsonl"
    result = check(seed=7, jobs=1, ledger=ledger)
    assert (result.evidence.run.seed, result.evidence.run.seed_source) == (7, "given")
    assert check(ledger=ledger).evidence.ledger.earlier == 1
    today = pd.Timestamp.now(tz="UTC").date()
    waiver = privgate.Waiver(
        rule="common-rows",
        reason="a test of waivers",
        approved_by="the tests",
        granted=today,
        expires=today + pd.Timedelta(days=10),
        release_sha256=check(synthetic=tables["train"]).evidence.release.tables["synthetic"].sha256,
    )
    waived = check(synthetic=tables["train"], waivers=[waiver])
    assert waived.rules.set_index("id").loc["common-rows", "outcome"] == "waived"
    with pytest.warns(privgate.PrivgateWarning, match="release_sha256"):
        assert check(waivers=[waiver]).verdict.waivers[0].counted is False


def test_people_are_told_what_a_policy_cannot_show(tables, policy):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.warns(privgate.PrivgateWarning, match="every blocking rule is a screen"):
            privgate.check(**tables, columns=SURVEY_COLUMNS, policy=policy)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"train": None}, "at least train=… and synthetic=…"),
        ({"policy": None}, "no policy was named"),
        ({"policy": "public-release-strikt"}, "public-release-strict"),
        ({"policy": 3}, "int is no policy"),
        ({"columns": {"agee": "quasi_identifier"}}, "did you mean 'age'?"),
        ({"columns": {"age": "quasi"}}, "columns.age: 'quasi' is not a role"),
        ({"columns": {"age": {"type": "numeric", "role": "other"}}}, "income"),
        ({"columns": {"age": {"type": "numbr", "role": "other"}}}, "columns.age.type"),
        ({"train": np.zeros((3, 2))}, "give data frames only, or arrays only"),
        ({"train": [[1]]}, "a list is neither a data frame nor an array"),
        ({"distance": "euclidean"}, "they take no distance"),
        ({"release": "release.yaml"}, "were both given"),
        (
            {"release": pd.DataFrame(), "train": None, "holdout": None, "synthetic": None}
            | {"columns": None},
            "a DataFrame is no release; give the path of a release file, or tables by name",
        ),
        ({"language": "fr"}, "choose from"),
        ({"audience": "public"}, "'public' is not known"),
        ({"jobs": -1}, "too few"),
        ({"seed": -1}, "out of range"),
    ],
)
def test_what_cannot_be_judged_is_an_input_error(check, options, words):
    with pytest.raises(privgate.PrivgateError) as refused:
        check(**options)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2


def test_arrays_need_a_distance_and_have_no_columns(policy):
    array = np.zeros((3, 2))
    with pytest.raises(InputError) as refused:
        privgate.check(train=array, synthetic=array, columns=ROLES, policy=policy)
    assert [problem.path for problem in refused.value.problems] == ["columns", "distance"]


def test_other_frames_are_told_how_to_become_ours(policy):
    class Foreign:
        def to_pandas(self):
            raise AssertionError

    with pytest.raises(InputError, match="to_pandas"):
        privgate.check(train=Foreign(), synthetic=Foreign(), policy=policy)


@pytest.mark.parametrize(
    ("formats", "words"), [("docx", "unknown format docx"), ((), "no format was named")]
)
def test_unknown_formats_are_refused(check, tmp_path, formats, words):
    with pytest.raises(InputError, match=words):
        check().save(tmp_path / "out", formats=formats)


def test_a_folder_with_other_files_is_left_alone(check, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", "utf-8")
    with pytest.raises(InputError, match=re.escape("thesis.txt")):
        check().save(tmp_path, formats="json")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_progress_is_quiet_where_nobody_looks(monkeypatch):
    assert isinstance(shown_progress("measuring"), Silent)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes this for a terminal
    assert isinstance(shown_progress("measuring"), LiveProgress)
