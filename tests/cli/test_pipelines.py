from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from privgate.report.formats.github import Annotation
from privgate.testing.samples import survey

FILES = ["gl-code-quality-report.json", "junit.xml", "privgate.sarif", "summary.md"]
LEAKY = {"synthetic": survey(250, 1)}  # the train table itself


def formats(*names):
    return ("--format", ",".join(names))


def test_one_check_writes_all_the_files_that_pipelines_read(judge, privgate, tmp_path):
    result = judge(*formats("junit", "sarif", "gitlab", "markdown"), **LEAKY)
    assert result.code == 1
    assert result.out.startswith("VIOLATED: ")
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert [name for name in written if name in FILES] == FILES
    text = (tmp_path / "out" / "junit.xml").read_text("utf-8")
    suite = ET.fromstring(text).find("testsuite")  # noqa: S314 - we wrote it
    assert int(suite.get("failures")) >= 2
    assert privgate("verify", "out").code == 0


def test_a_line_for_programs_is_all_there_is_on_stdout(judge):
    result = judge(*formats("line-json"), **LEAKY)
    assert result.out.count("\n") == 1
    told = json.loads(result.out)
    assert (told["outcome"], told["exit_code"], result.code) == ("violated", 1, 1)
    assert "written to " in result.err
    copies = next(case for case in told["cases"] if case["id"] == "copies")
    assert copies["standing"] == "violated"


def test_annotations_follow_lines_that_hold_no_command(judge, tmp_path, monkeypatch):
    summary = tmp_path / "step"
    summary.write_text("earlier step\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = judge(*formats("github"), name="x ##[add-mask]y", **LEAKY)
    first, *lines = result.out.splitlines()
    assert first.startswith("::stop-commands::")
    end = lines.index(f"::{first.removeprefix('::stop-commands::')}::")
    assert "##[add-mask]" in "".join(lines[:end])
    assert all(line.startswith(("::error ", "::warning ")) for line in lines[end + 1 :])
    assert any("title=copies%3A" in line for line in lines[end + 1 :])
    text = summary.read_text("utf-8")
    assert text.startswith("earlier step\n## ")
    assert r"##\[add-mask\]" in text


@pytest.mark.parametrize("file", [None, "nowhere/step"])
def test_a_summary_that_cannot_be_written_changes_no_exit_code(judge, monkeypatch, tmp_path, file):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    if file is not None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / file))
    result = judge(*formats("github"), **LEAKY)
    assert result.code == 1
    assert "warning: " in result.err
    assert "job summary" in result.err


def test_stdout_takes_one_format(judge):
    result = judge(*formats("github", "line-json"))
    result.require_refused("--format", "github and line-json", "choose one of them")


def test_small_counts_are_not_told_to_all_who_see_a_project(judge):
    result = judge(*formats("github"), "--internal")
    result.require_refused("--internal", "seen by all who see the project")


def test_a_check_after_cleaning_prints_lines_for_people(privgate, write_release, policy):
    result = privgate("clean", write_release(), "-p", policy, "--format", "line-json")
    result.require_refused("unknown format line-json", "choose from html")


def leak_into(monkeypatch, render, shown):
    def leaking(_view):
        return shown

    monkeypatch.setattr(f"privgate.report.formats.{render}", leaking)


@pytest.mark.parametrize(
    ("render", "shown", "place"),
    [
        ("render_markdown", "# of Hinterwinkeltal", "the job summary.md"),
        ("annotated", (Annotation("error", "x", "Hinterwinkeltal"),), "the annotations"),
        ("render_line_json", '{"of": "\\u0048interwinkeltal"}', "the printed line.json"),
    ],
)
def test_what_would_show_a_value_is_not_printed(
    judge, monkeypatch, frames, *, render, shown, place
):
    train = frames["train"].assign(region=["Hinterwinkeltal", *frames["train"]["region"][1:]])
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    leak_into(monkeypatch, render, shown)
    name = "line-json" if render == "render_line_json" else "github"
    judge(*formats(name), train=train).require_refused(place, "column 'region'")


@pytest.mark.slow
def test_render_draws_again_what_was_there(judge, privgate, tmp_path):
    judge(*formats("junit", "sarif", "gitlab"), **LEAKY)
    before = {name: (tmp_path / "out" / name).read_bytes() for name in FILES}
    (tmp_path / "out" / "junit.xml").write_text("altered", "utf-8")
    assert privgate("render", "out").code == 0
    assert {name: (tmp_path / "out" / name).read_bytes() for name in FILES} == before
