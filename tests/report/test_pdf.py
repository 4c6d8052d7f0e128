from __future__ import annotations

import hashlib
import io
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from privgate.errors import RenderError
from privgate.report import Audience, build_view, pdf, render_html, render_pdf

RENDER = """
import runpy, sys, hashlib
from privgate.evidence import canonical_bytes
from privgate.report import Audience, attached_files, build_view, render_html, render_pdf
evidence, verdict = runpy.run_path(sys.argv[1])["sample"]("violated")
view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
originals = (canonical_bytes(evidence), canonical_bytes(verdict))
files = attached_files(view, evidence, verdict, originals=originals)
print(hashlib.sha256(render_html(view).encode()).hexdigest())
print(hashlib.sha256(render_pdf(view, attached=files)).hexdigest())
"""
# Another day, as the clock would tell it to privgate and to what draws its PDF.
LATER = """
import datetime, sys, time
import weasyprint, privgate.dossier, privgate.engine, privgate.report.formats
told, real = time.time, datetime.datetime
class Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, real)
class Later(real, metaclass=Kind):
    @classmethod
    def now(cls, tz=None):
        return real.now(tz) + datetime.timedelta(days=400)
time.time = lambda: told() + 400 * 86400
for name, module in list(sys.modules.items()):
    if name.split(".")[0] in {"privgate", "pydyf", "weasyprint"}:
        if getattr(module, "datetime", None) is real:
            module.datetime = Later
"""


def view_of(sample, name="violated"):
    return build_view(*sample.sample(name), audience=Audience.SHAREABLE)


def render_elsewhere(seed, *, clock="", **environment):
    script = Path(__file__).with_name("sample.py")
    done = subprocess.run(
        [sys.executable, "-c", clock + RENDER, str(script)],
        env={
            **os.environ,
            "PYTHONHASHSEED": seed,
            "SOURCE_DATE_EPOCH": seed,
            "TZ": f"UTC{seed}",
            **environment,
        },
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow
def test_bytes_do_not_depend_on_process_hash_seed_clock_or_fonts(drawn, tmp_path):
    nothing = tmp_path / "fonts.conf"
    nothing.write_text(
        f"<fontconfig><cachedir>{tmp_path}</cachedir></fontconfig>", encoding="utf-8"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    found = render_elsewhere(seed, clock=LATER, FONTCONFIG_FILE=str(nothing))
    here = drawn("violated")
    texts = (render_html(here.view).encode(), here.content)
    assert found == [hashlib.sha256(text).hexdigest() for text in texts]


@pytest.mark.slow
def test_pdf_says_what_decided_and_is_described(drawn):
    report = drawn("violated")
    view, plain = report.view, report.plain
    reader = pypdf.PdfReader(io.BytesIO(report.content))
    assert "This release does not meet the policy" in plain
    assert view.report_id in plain
    assert f"Page 2 of {len(reader.pages)}" in plain
    assert "Summary for the data protection officer" in report.pages[1]
    assert "Verdict, rule by rule" in report.pages[2]
    for rule in view.rules:
        assert rule.verdict.id in plain
    assert reader.metadata.title == f"{view.title}: {view.release} ({view.badge.text})"
    assert reader.metadata.creation_date == view.created
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en-GB"
    titles = [item["/Title"] for item in reader.outline if isinstance(item, dict)]
    assert len(titles) == 20
    assert not any(name in report.text for name in ("None", "NaN"))


def with_rules(sample, count):
    """Return a view whose policy has so many rules, each with a question of its own, none met."""
    evidence, verdict = sample.sample("violated")
    cards, rules = dict(evidence.cards), []
    for number in range(count):
        rule = verdict.rules[(0, 1, 3, 5)[number % 4]]
        card, name = evidence.cards[rule.metric], f"acme.check{number}"
        cards[name] = card.model_copy(
            update={"name": name, "question": f"{card.question} {number}"}
        )
        rules.append(rule.model_copy(update={"id": f"{rule.id}-{number}", "metric": name}))
    evidence = evidence.model_copy(update={"cards": cards})
    verdict = sample.judge(evidence, verdict.outcome, tuple(rules))
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    return replace(view, sections=view.sections[:1])  # nothing further on moves the summary


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, 14])
def test_summary_fills_one_page_or_runs_on_without_a_blank_one(sample, count):
    view = with_rules(sample, count)
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render_pdf(view))).pages]
    assert view.summary.fills_a_page == (count == 8)
    last = view.summary.silent[-1][:40]
    ends = next(number for number, text in enumerate(pages) if last in " ".join(text.split()))
    assert ends == (1 if count == 8 else 2)
    assert "Verdict, rule by rule" in pages[2]


def test_missing_libraries_are_named(sample, monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(RenderError, match="libpango") as caught:
        render_pdf(view_of(sample))
    assert "brew install pango" in str(caught.value)


def test_a_report_fetches_nothing():
    for url in ("file:///etc/passwd", "https://example.org/x.png", "privgate:../base.css"):
        with pytest.raises(ValueError, match="nothing outside itself"):
            pdf._within(url)


def test_weasyprint_speaks_only_while_asked():
    logger = logging.getLogger("weasyprint")
    before = logger.level
    with pdf._quiet():
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.level == before
