"""Lets the site have the whole repository: files outside docs, and every page in the navigation.

Pages link to each other by their paths in the repository, so that they also read well there. Here a
link that leaves ``docs`` brings its target into the site, under ``repository/``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE = "repository/"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)#\s]+)")

ROLE = re.compile(r":(?:class|func|meth|mod|attr):<code>~?([\w.]+)</code>")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List folders of the navigation page by page, and pages that it leaves out at its end."""
    nav: list[Any] = [_with_pages(section) for section in config.nav or []]
    named = set(_pages(nav))
    rest = [page for page in sorted(p.name for p in DOCS.glob("*.md")) if page not in named]
    config.nav = [*nav, {"Further pages": rest}] if rest else nav
    return config


def _with_pages(section: dict[str, Any]) -> dict[str, Any]:
    (title, content), *_ = section.items()
    if isinstance(content, list):
        return {title: [_with_pages(entry) for entry in content]}
    if not content.endswith("/"):
        return section
    pages = sorted(p.name for p in (DOCS / content).glob("*.md"))
    shown = [content + name for name in pages if name not in {"README.md", "template.md"}]
    return {title: [f"{content}README.md", *shown]}


def _pages(nav: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in nav:
        for content in entry.values() if isinstance(entry, dict) else [entry]:
            found += _pages(content) if isinstance(content, list) else [content]
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what pages link to outside docs, and what those link to in turn."""
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    waiting += [ROOT / uri.removeprefix(OUTSIDE) for uri in _pages(config.nav or [])]
    seen: set[Path] = set()
    while waiting:
        source = waiting.pop()
        if source in seen or not source.is_file():
            continue
        seen.add(source)
        if not source.is_relative_to(DOCS):
            files.append(File.generated(config, _uri(source), abs_src_path=str(source)))
        if source.suffix == ".md":
            links = LINK.findall(source.read_text(encoding="utf-8"))
            waiting += [_target(source, link) for link in links]
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Let links lead to where their targets are on the site."""
    source = Path(page.file.abs_src_path)
    folder = os.path.dirname(page.file.src_uri)  # noqa: PTH120 – a path of the site, not of a disk

    def moved(match: re.Match[str]) -> str:
        target = _target(source, match[1])
        known = target.is_file() and target.is_relative_to(ROOT)
        return Path(os.path.relpath(_uri(target), folder or ".")).as_posix() if known else match[1]

    return LINK.sub(moved, markdown)


def on_page_content(html: str, **_: object) -> str:
    """Show names in docstrings without the roles that Sphinx would read."""
    return ROLE.sub(r"<code>\1</code>", html)


def _target(source: Path, link: str) -> Path:
    return Path(os.path.normpath(source.parent / unquote(link)))


def _uri(source: Path) -> str:
    inside = source.is_relative_to(DOCS)
    return source.relative_to(DOCS).as_posix() if inside else f"{OUTSIDE}{_rel(source)}"


def _rel(source: Path) -> str:
    return source.relative_to(ROOT).as_posix()
