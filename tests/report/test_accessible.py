"""The HTML for every reader: structure, names, contrast."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from privgate.report import Audience, build_view, render_html
from privgate.resources import resource_folder

NAMES = ("met", "violated", "not_assessed", "waived")
VOID = {"meta", "br", "img", "col", "hr", "link", "input"}


def html_of(sample, name):
    parts = sample.sample_waived() if name == "waived" else sample.sample(name)
    return render_html(build_view(*parts, audience=Audience.SHAREABLE))


class Outline(HTMLParser):
    """Collects elements with their attributes, texts and ancestors."""

    def __init__(self, html):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        element = {
            "tag": tag,
            "attrs": dict(attrs),
            "text": "",
            "above": [e["tag"] for e in self._open],
        }
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def all(self, *tags):
        return [element for element in self.elements if element["tag"] in tags]


@pytest.fixture(scope="module", params=NAMES)
def outline(request, sample):
    return Outline(html_of(sample, request.param))


def test_landmarks_language_and_title(outline):
    (root,), (title,) = (
        outline.all("html"),
        [e for e in outline.all("title") if "head" in e["above"]],
    )
    assert root["attrs"]["lang"] == "en-GB"
    assert title["text"].strip()
    assert len(outline.all("main")) == len(outline.all("nav")) == 1
    assert outline.all("a")[0]["attrs"]["href"] == "#report"
    assert outline.all("main")[0]["attrs"]["id"] == "report"
    assert not outline.all("script")


def test_headings_go_down_one_step_at_a_time(outline):
    levels = [int(element["tag"][1]) for element in outline.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(element["text"].strip() for element in outline.all("h1", "h2", "h3", "h4"))


def test_tables_have_captions_and_heads_for_rows_and_columns(outline):
    tables, captions = outline.all("table"), outline.all("caption")
    assert len(tables) == len(captions)
    assert all(element["text"].strip() for element in captions)
    assert {element["attrs"].get("scope") for element in outline.all("th")} == {"row", "col"}


def test_pictures_have_names_and_signs_are_silent(outline):
    for drawing in outline.all("svg"):
        attributes = drawing["attrs"]
        silent = attributes.get("aria-hidden") == "true"
        assert silent != (attributes.get("role") == "img" and "aria-labelledby" in attributes)
    ids = [element["attrs"]["id"] for element in outline.elements if "id" in element["attrs"]]
    assert len(ids) == len(set(ids))
    for element in outline.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(element["attrs"].get(name, "").split()) <= set(ids)


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts]
    return sum(share * it for share, it in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """Return the contrast ratio of WCAG 2.2, success criterion 1.4.3."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("sheet", ["base", "screen"])
def test_texts_stand_out_by_day_and_by_night(sheet):
    text = (resource_folder("templates") / "report" / f"{sheet}.css").read_text("utf-8")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))
    assert len(colours) == 14
    for name in ("ink", "faint", "accent"):
        for ground in ("paper", "soft"):
            assert contrast(colours[name], colours[ground]) >= 4.5
    for tone in ("met", "violated", "not_assessed", "waived"):
        for ground in (colours["paper"], colours[f"{tone}-bg"]):
            assert contrast(colours[tone], ground) >= 4.5
        assert contrast(colours["ink"], colours[f"{tone}-bg"]) >= 4.5
