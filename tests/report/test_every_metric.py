"""A real run of all metrics under a policy with a rule on every figure there is."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pypdf
import pytest
from markupsafe import escape

from privgate.dossier import Format, dossier_files
from privgate.engine import assess
from privgate.evidence import FigureKind, SafeSide
from privgate.metrics import all_metrics
from privgate.policy import bind, policy_from_text
from privgate.report import MOST_BYTES, Audience, build_view, render_html
from privgate.testing.samples import survey_release

pytestmark = pytest.mark.slow

HEAD = """\
privgate: policy/v1
id: everything
version: 1.0.0
title: Alles
owner: tests
review_by: 2099-06-30
rules:
"""
ENGLISH = re.compile(r"\b(the|of|and|people|with|not|is|are|from|this|that|which|records?)\b")
RULE = """\
  - id: {rule}
    metric: {metric}
    measure: {figure}
    require: {{{limit}}}
    severity: advisory
    source: {{kind: house, ref: Probe}}
    rationale: Sie zeigt eine Kennzahl, und das so wortreich, wie wirkliche Richtlinien es tun.
"""


def rules():
    for name, metric in all_metrics().items():
        for figure, spec in metric.card.figures.items():
            least = 2 if spec.kind is FigureKind.COUNT else 0.01
            limit = "max: 0.5" if spec.safe_side is SafeSide.LOW else f"min: {least}"
            rule = f"{name}-{figure}".replace("_", "-")
            yield RULE.format(rule=rule, metric=name, figure=figure, limit=limit)


@pytest.fixture(scope="module")
def assessment():
    text = HEAD + "".join(rules()).replace("severity: advisory", "severity: blocking", 1)
    found = assess(survey_release(150), bind(policy_from_text(text), all_metrics()), jobs=2)
    assert len(found.verdict.rules) > 150
    return found


def test_the_report_is_short_enough_to_be_read_and_the_rest_is_beside_it(assessment):
    files = dossier_files(
        assessment.evidence,
        assessment.verdict,
        formats={Format.HTML, Format.PDF},
        audience=Audience.INTERNAL,
    )
    assert len(files["report.html"]) < MOST_BYTES / 4
    pages = pypdf.PdfReader(io.BytesIO(files["report.pdf"])).pages
    assert 20 < len(pages) < 60
    rows = files["tables/02-verdict-1.csv"].decode("utf-8-sig").splitlines()
    assert len(rows) > 150


def test_no_metric_says_anything_in_english_in_a_german_report(assessment):
    evidence = assessment.evidence
    view = build_view(evidence, assessment.verdict, audience=Audience.INTERNAL, language="de")
    html = render_html(replace(view, sections=view.whole))
    html = re.sub(r"<(style|pre).*?</\1>", "", html, flags=re.DOTALL)
    cited = {escape(text) for card in evidence.cards.values() for text in card.references}
    texts = {text for text in re.findall(r">([^<>]+)<", html) if ENGLISH.search(text)}
    assert texts - cited == set()
