"""The HTML in a real browser: axe-core, narrow windows, no script. Needs Chromium."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from privgate.report import Audience, build_view, power_page, render_html

CASES = ("met", "violated", "not_assessed", "waived", "huge", "nasty")
PAGES = (*CASES, "german", "power")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SCHEMES = {"light": RULES, "dark": ["cat.color"]}  # nothing but colours depends on the scheme
RUN_AXE = """
async rules => {
  const result = await axe.run({runOnly: rules, resultTypes: ["violations"]});
  const told = it => [it.id, it.impact, it.nodes[0].html.slice(0, 200)];
  return {bad: result.violations.map(told), good: result.passes.length};
}
"""
TORN = r"""
() => [...document.querySelectorAll(".fits :is(tbody th, td):not(.long)")].flatMap(cell => {
  const torn = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.textContent.matchAll(/[\p{L}\d]{3,}/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const tops = [...range.getClientRects()].map(box => Math.round(box.top));
      if (new Set(tops).size > 1) torn.push(word[0]);
    }
  }
  return torn;
})
"""

pytestmark = pytest.mark.slow


def missing(what):
    """Skip on a developer's machine; fail where a run promised to have a browser."""
    if os.environ.get("PRIVGATE_BROWSER") == "required":
        pytest.fail(f"PRIVGATE_BROWSER=required, and {what} is not installed")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="module")
def browser():
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        missing("Chromium")
    if importlib.util.find_spec("playwright") is None:
        missing("the Python package playwright")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not on every machine

    with sync_playwright() as play:
        found = play.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def axe():
    """Return axe-core's script, which a package for it and playwright brings along."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        missing("the Python package axe-playwright-python")
    (folder,) = found.submodule_search_locations
    return (Path(folder) / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def pages(case, view_of, canary, tmp_path_factory):
    """Return the pages as files, by name."""
    folder = tmp_path_factory.mktemp("pages")

    german = build_view(*case("violated"), audience=Audience.SHAREABLE, language="de")
    texts = {name: render_html(view_of(name)) for name in CASES}
    texts["german"] = render_html(german)
    texts["power"] = power_page(canary(*case("met"), caught={"copies": 20, "other": 3}))
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_by_day_and_by_night(browser, axe, pages, name):
    page = browser.new_page(bypass_csp=True, viewport={"width": 1280, "height": 1000})
    page.goto(pages[name].as_uri())
    page.add_script_tag(content=axe)
    for scheme, rules in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(RUN_AXE, rules)
        assert found["bad"] == []
        assert found["good"] >= (1 if scheme == "dark" else 15)
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways_at_320_pixels(browser, pages, name):
    page = browser.new_page(viewport={"width": 320, "height": 900})
    page.goto(pages[name].as_uri())
    scrolled, wide = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= 320
    assert scrolled <= wide
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_no_word_of_a_table_is_torn_where_there_is_room(browser, pages, name):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(pages[name].as_uri())
    assert page.locator(".fits td:not(.long)").count() > 0
    assert page.evaluate(TORN) == []
    scrolled, wide = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert scrolled <= wide
    page.close()


@pytest.mark.parametrize("name", ["violated", "nasty"])
def test_without_scripts_the_page_says_the_same(browser, pages, name):
    texts = []
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts)
        page = context.new_page()
        page.goto(pages[name].as_uri())
        texts.append(page.locator("body").inner_text())
        context.close()
    assert texts[0] == texts[1]
    assert "This release does not meet the policy" in texts[1]
    assert "How to read this report" in texts[1]


def test_hostile_names_run_nothing_and_ask_for_nothing(browser, pages):
    page, asked, said = browser.new_page(bypass_csp=True), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(pages["nasty"].as_uri())
    assert page.title().startswith("Disclosure risk report: <h1>{{x}}</h1>")
    assert asked == [pages["nasty"].as_uri()]
    assert said == []
    assert page.locator("script, iframe, object, embed, link, form, input, img").count() == 0
    page.close()
