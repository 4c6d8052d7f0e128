"""What the pages tell people to type works: commands run, Python runs, files are accepted.

A block that is not run has a line ``<!-- not run: the reason -->`` above it. Even then its commands
must be ones that the command line understands.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import typer
from ruamel.yaml import YAML

from privgate.cli.main import app, run
from privgate.data.schema import ArrayReleaseFile, ReleaseFile
from privgate.testing.samples import SURVEY_COLUMNS, survey

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>.+?) -->\n)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SHELL = {"|", ">", "||", "&&"}
OUTCOMES = (0, 1, 3)  # what a check may find; which one is a page's claim only if it says so
ELSEWHERE = {"python.md"}  # tests/api/test_python_page.py runs it


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    code: str
    title: str | None
    why_not_run: str | None

    @property
    def commands(self):
        lines = self.code.splitlines() if self.language == "console" else []
        return [line for line in lines if line.startswith("privgate ")]

    @property
    def runs(self):
        return self.why_not_run is None and bool(self.commands or self.language == "python")


def blocks(page):
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(m["language"], m["code"], m["title"], m["why"]) for m in found]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def pages():
    folders = [*(ROOT / "docs").glob("*.md"), ROOT / "examples" / "demo" / "README.md"]
    return [ROOT / "README.md", *sorted(p for p in folders if p.name not in ELSEWHERE)]


def words(line):
    """Return the arguments of a command, and the file that takes its output."""
    tokens = shlex.split(line, comments=True)[1:]
    end = next((i for i, token in enumerate(tokens) if token in SHELL), len(tokens))
    target = tokens[end + 1] if tokens[end : end + 1] == [">"] else None
    return tokens[:end], target


def understood(arguments):
    """Return what the command line did not understand of its arguments; options raise."""
    command, context = typer.main.get_command(app), None
    while True:
        context = command.context_class(command, parent=context)
        if not hasattr(command, "resolve_command"):
            return command.make_parser(context).parse_args(list(arguments))[1]
        _, command, arguments = command.resolve_command(context, list(arguments))


def all_commands():
    found = {line for page in pages() for block in blocks(page) for line in block.commands}
    return sorted(found)


@pytest.mark.parametrize("line", all_commands())
def test_commands_are_understood(line):
    assert understood(words(line)[0]) == []


def test_a_misspelt_option_would_be_noticed():
    with pytest.raises(Exception, match="No such option"):
        understood(["check", "release.yaml", "--polcy", "wp29-core"])
    with pytest.raises(Exception, match="No such command"):
        understood(["chek"])


def test_what_is_not_run_says_why():
    reasons = [b.why_not_run for page in pages() for b in blocks(page) if b.why_not_run is not None]
    assert reasons
    assert [reason for reason in reasons if len(reason.split()) < 3] == []


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Fill a folder with what pages take for granted, and go there."""
    tables = {"train": survey(250, 1), "holdout": survey(200, 2), "synthetic": survey(220, 3)}
    rng = np.random.default_rng(1)
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        np.save(tmp_path / f"{name}.npy", rng.integers(0, 2, (len(table), 20)))
    release = {
        "privgate": "release/v1",
        "name": "survey",
        "data": {name: {"path": f"{name}.csv"} for name in tables},
        "columns": {column: dict(entry) for column, entry in SURVEY_COLUMNS.items()},
    }
    (tmp_path / "release.yaml").write_text(json.dumps(release), "utf-8")
    policy = (ROOT / "policies" / "ci-smoke.yaml").read_text(encoding="utf-8")
    (tmp_path / "my-policy.yaml").write_text(policy, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVGATE_KEY_PASSPHRASE", "a passphrase for tests")
    monkeypatch.setenv("PRIVGATE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def call(monkeypatch, capsys):
    """Return a function that calls the command line and returns exit code and output."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def once(arguments):
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["privgate", *arguments])
        with pytest.raises(SystemExit) as end:
            run()
        told = capsys.readouterr()
        return end.value.code, told.out, told.err

    yield once
    for number, handler in handlers.items():
        signal.signal(number, handler)


def run_command(line, call):
    arguments, target = words(line)
    if arguments[0] == "init" and "--out" not in arguments:
        Path("release.yaml").unlink(missing_ok=True)
    if arguments[0] == "check" and "--format" not in arguments:
        arguments += ["--format", "html"]  # other tests draw PDFs, which takes most of the time
    code, out, err = call(arguments)
    stated = re.search(r"# exit code (\d)$", line)
    usual = OUTCOMES if arguments[0] == "check" else (0,)
    assert code in ((int(stated[1]),) if stated else usual), f"{line}: {code}\n{err}"
    if target is not None:
        Path(target).write_text(out, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("workplace", "drawn_once")
@pytest.mark.parametrize(
    "page", [p for p in pages() if any(b.runs for b in blocks(p))], ids=name_of
)
def test_pages_run_as_they_stand(page, call):
    if page.name == "verify.md":
        run_command(
            "privgate check release.yaml --policy my-policy.yaml --out report --format pdf", call
        )
    names = {}
    for block in blocks(page):
        if block.title is not None:
            Path(block.title).write_text(block.code, encoding="utf-8")
        if not block.runs:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if block.language == "python":
                exec(compile(block.code, page.name, "exec"), names)  # noqa: S102 - our own page
            for line in block.commands:
                run_command(line, call)


def yaml_blocks(first_line):
    return [
        pytest.param(block.code, id=f"{name_of(page)}-{number}")
        for page in pages()
        for number, block in enumerate(blocks(page))
        if block.language == "yaml" and block.code.startswith(first_line)
    ]


@pytest.mark.parametrize("text", yaml_blocks("privgate: policy/v1"))
def test_policies_on_pages_are_faultless(text, workplace, call):
    (workplace / "shown.yaml").write_text(text, "utf-8")
    code, out, err = call(["policy", "lint", "shown.yaml"])
    assert code == 0, out + err
    assert "0 errors, 0 warnings" in out + err


@pytest.mark.parametrize("text", yaml_blocks("privgate: release/v1"))
def test_releases_on_pages_are_accepted(text):
    model = ArrayReleaseFile if "kind: array" in text else ReleaseFile
    release = model.model_validate(YAML(typ="safe").load(text))
    assert release.data.holdout is not None
