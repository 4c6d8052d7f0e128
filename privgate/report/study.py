"""Pages about a study of the checks themselves: a canary test, a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.errors import RenderError
from privgate.report.blocks import Section
from privgate.report.html import render_page
from privgate.report.names import short_name
from privgate.report.sections.calibration import calibration_blocks
from privgate.report.sections.power import power_blocks
from privgate.report.size import MOST_BYTES, fittings
from privgate.report.translation import translated_calibration
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from privgate.evidence import CalibrationStudy, PolicyStudy, PowerStudy
    from privgate.report.blocks import Block
    from privgate.report.wording import Wording


@dataclass(frozen=True, kw_only=True)
class StudyView:
    """A page in plain values: title, what it is about, and sections.

    ``created`` is the moment that a PDF of it is dated by, if it is printed at all.
    """

    words: Wording
    title: str
    subject: str
    lead: str
    tool: str
    status: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    created: str = ""


def render_study(view: StudyView, *, printed: bool = False) -> str:
    """Return the page as an HTML document that needs no other file; ``printed``, one for paper.

    Raises
    ------
    RenderError
        If the templates are missing or ask for something the view does not hold.
    """
    return render_page("study.html.j2", view=view, words=view.words, printed=printed)


def power_page(study: PowerStudy, *, language: str = "en") -> str:
    """Return the page of a canary test.

    Raises
    ------
    RenderError
        If the page cannot be laid out, or there is no wording for the language.
    """
    words = load_wording(language)
    return _page(study, "power", power_blocks(study, words), words)


def calibration_page(study: CalibrationStudy, *, language: str = "en") -> str:
    """Return the page of a calibration.

    Raises
    ------
    RenderError
        If the page cannot be laid out, or there is no wording for the language.
    """
    words = load_wording(language)
    blocks = calibration_blocks(translated_calibration(study, words), words)
    return _page(study, "calibration", blocks, words)


def _page(study: PolicyStudy, name: str, blocks: tuple[Block, ...], words: Wording) -> str:
    source = words(f"study.seed_{study.seed_source}")
    facts = {
        "policy": f"{study.policy} {study.policy_version}",
        "policy_digest": study.policy_sha256,
        "seed": f"{study.seed} ({source})",
        "tool": study.tool,
    }
    section = Section(number=1, anchor=name, title=words(f"{name}.title"), blocks=blocks)
    for fitted in fittings((section,), words, source=f"{name}.json"):
        html = render_study(
            StudyView(
                words=words,
                title=words(f"study.{name}"),
                subject=short_name(study.release),
                lead=words(f"study.{name}_lead"),
                tool=study.tool,
                status=tuple((words(f"study.{fact}"), text) for fact, text in facts.items()),
                sections=fitted.sections,
            )
        )
        if len(html.encode()) <= MOST_BYTES:
            return html
    raise RenderError("the page is too long in every extent")
