from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
FRAGMENT = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed)\.md")
RECORD = re.compile(r"\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md")
OVERCLAIM = re.compile(r"anonym(ous|ised|ized)\b|GDPR[- ]compliant|certified safe", re.IGNORECASE)


def documents() -> list[Path]:
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    below = [
        p for folder in ("docs", "examples", "changelog.d") for p in (ROOT / folder).rglob("*")
    ]
    return top + sorted(path for path in below if path.suffix == ".md")


def fragments() -> list[Path]:
    return sorted(p for p in (ROOT / "changelog.d").iterdir() if p.name != "README.md")


def records() -> list[Path]:
    known = {"README.md", "template.md"}
    return sorted(p for p in (ROOT / "docs" / "adr").iterdir() if p.name not in known)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def code_of(document: Path) -> str:
    """Fenced blocks and code spans, where commands stand."""
    text = document.read_text(encoding="utf-8")
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    spans = re.findall(
        r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    )
    return "\n".join(fenced + spans)


@cache
def anchors(document: Path) -> frozenset[str]:
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings)


def broken_links(document: Path) -> list[str]:
    text = re.sub(
        r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (document.parent / unquote(path)).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def makefile_targets() -> set[str]:
    return set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_relative_links_lead_somewhere(document):
    assert broken_links(document) == []


def test_a_broken_link_would_be_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A b\n[x](gone.md) [y](page.md#no) [z](#a-b) [w](https://x.org)\n", "utf-8")
    assert broken_links(page) == ["gone.md", "page.md#no"]


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_make_commands_are_targets_of_the_makefile(document):
    command = re.compile(r"\bmake(?: [A-Z]+=\S+)* ([a-z][a-z-]*)\b")
    named = set(command.findall(code_of(document)))
    assert named <= makefile_targets()


def test_readme_and_contributing_name_the_commands_people_need():
    assert {"make demo", "make test"} <= set(code_of(ROOT / "README.md").splitlines())
    contributing = code_of(ROOT / "CONTRIBUTING.md")
    hidden = {"help", "environment"}
    assert [t for t in makefile_targets() - hidden if f"make {t}" not in contributing] == []


def test_make_help_lists_every_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == makefile_targets()
    assert set(re.findall(r"^([a-z-]+):.*## .", makefile, re.MULTILINE)) == makefile_targets()


def privgate_commands() -> list[str]:
    """Commands such as ``check`` or ``policy list`` that the documents name."""
    command = re.compile(
        r"^privgate ([a-z]+)((?: (?:list|show|lint|test|diff|schema)\b)?)", re.MULTILINE
    )
    found = (match for document in documents() for match in command.findall(code_of(document)))
    return sorted({name + sub for name, sub in found})


@pytest.mark.parametrize("command", privgate_commands())
def test_documented_commands_exist(command):
    call = "from privgate.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", call, *command.split(), "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("fragment", fragments(), ids=name_of)
def test_changelog_fragment_is_well_formed(fragment):
    assert FRAGMENT.fullmatch(fragment.name)
    text = fragment.read_text(encoding="utf-8")
    assert text.endswith(".\n"), "full sentences, ending with one newline"
    assert not text.startswith(("#", "-", "*")), "no heading, no bullet"


@pytest.mark.parametrize("record", records(), ids=name_of)
def test_decision_record_has_its_parts_and_its_line_in_the_list(record):
    assert RECORD.fullmatch(record.name)
    text = record.read_text(encoding="utf-8")
    template = (ROOT / "docs" / "adr" / "template.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## .+$", template, re.MULTILINE)
    assert re.findall(r"^## .+$", text, re.MULTILINE) == parts
    assert text.startswith(f"# {record.name[:4]}. ")
    assert re.search(
        r"^Status: (accepted|replaced by \d{4}) · Date: \d{4}-\d\d-\d\d$", text, re.MULTILINE
    )
    assert f"({record.name})" in (record.parent / "README.md").read_text(encoding="utf-8")


def test_decision_numbers_are_used_once():
    numbers = [record.name[:4] for record in records()]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_documents_claim_no_more_than_was_measured(document):
    assert OVERCLAIM.findall(document.read_text(encoding="utf-8")) == []
