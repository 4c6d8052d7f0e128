"""The documentation as a site: it builds without a warning and loads nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

import privgate

ROOT = Path(__file__).parents[1]
LOADING = {"script", "link", "img", "iframe", "source", "video", "audio", "embed", "object", "use"}
ELSEWHERE = re.compile(r"\s*(?:[a-z]+:)?//", re.IGNORECASE)


class Loads(HTMLParser):
    """Collects what a browser would fetch from elsewhere for a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag in LOADING:
            addresses = [v or "" for k, v in attrs if k in {"src", "href", "srcset", "data"}]
            self.found += [(tag, address) for address in addresses if ELSEWHERE.match(address)]


def loads(html):
    parser = Loads()
    parser.feed(html)
    return parser.found


def pages():
    return sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; strict, so that a broken link, anchor or name ends the build."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        build, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_page_is_on_the_site_and_in_its_navigation(site):
    nav = (site / "index.html").read_text(encoding="utf-8")
    listed = set(re.findall(r'<a href="([^"#]+)" class="md-nav__link', nav))
    missing = [page.name for page in pages() if f"{page.stem}.html" not in listed]
    assert missing == []
    below = [*ROOT.glob("docs/metrics/*.md"), *ROOT.glob("docs/adr/[0-9]*.md")]
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    wanted = {
        p.relative_to(ROOT / "docs").with_suffix(".html").as_posix().replace("README", "index")
        for p in below
    }
    assert wanted <= built


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    html = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert {path.name: loads(text) for path, text in html.items() if loads(text)} == {}
    policy = 'http-equiv="Content-Security-Policy" content="default-src \'self\''
    assert [path.name for path, text in html.items() if policy not in text] == []
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert not any(re.search(r"url\(['\"]?(?:https?:)?//|@import", style) for style in styles)


def test_what_is_loaded_from_elsewhere_would_be_noticed():
    html = '<script src="//x.org/a.js"></script><img src="a.png"><a href="https://x.org">x</a>'
    assert loads(html) == [("script", "//x.org/a.js")]


def referenced():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    return re.findall(r"^::: (privgate[\w.]+)$", page, re.MULTILINE)


def test_every_public_name_is_in_the_reference():
    assert sorted(path.rpartition(".")[2] for path in referenced()) == sorted(privgate.__all__)


@pytest.mark.slow
def test_the_reference_shows_docstrings_in_words(site):
    page = (site / "api.html").read_text(encoding="utf-8")
    assert [path for path in referenced() if f'id="{path}"' not in page] == []
    assert "Return what a policy makes of a release" in page
    assert not re.search(r":(class|func|meth|mod):", page)


@pytest.fixture
def hooks(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts/site/hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "DOCS", tmp_path)
    return module


def test_a_page_that_the_navigation_does_not_name_stands_at_its_end(hooks, tmp_path):
    (tmp_path / "metrics").mkdir()
    for name in ("index.md", "new.md", "metrics/README.md", "metrics/dcr.md"):
        (tmp_path / name).write_text("# Page\n", "utf-8")
    config = SimpleNamespace(nav=[{"Home": "index.md"}, {"Metrics": "metrics/"}])
    assert hooks.on_config(config).nav == [
        {"Home": "index.md"},
        {"Metrics": ["metrics/README.md", "metrics/dcr.md"]},
        {"Further pages": ["new.md"]},
    ]
