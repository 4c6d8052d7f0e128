"""Whether a report in an organisation's look still says all that the plain one says."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from privgate.errors import Problem, RenderError

_VOID = frozenset({"br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_UNSEEN = frozenset({"head", "template", "noscript"})
_REFUSED = frozenset(
    {"script", "iframe", "object", "embed", "link", "base", "form", "frame", "audio", "video"}
)
_HIDING = re.compile(r"display\s*:\s*none|visibility|opacity|font-size|clip|color", re.IGNORECASE)
_LINKS = frozenset({"href", "src", "srcset", "data", "action", "poster", "background"})
_BLOCK = "block"  # the comment that stands where a template may add something


class _Reader(HTMLParser):
    """Collects what a reader sees, and what does not belong into a report."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[list[str]] = [[]]
        self.faults: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _REFUSED:
            self.faults.append(f"<{tag}>")
        hidden = bool(self._open) and self._open[-1][1]
        for name, value in attrs:
            text = (value or "").strip()
            if name.startswith("on") or (name in _LINKS and not text.startswith(("#", "data:"))):
                self.faults.append(f"{name} of <{tag}>")
            hidden |= name == "hidden" or (name == "style" and bool(_HIDING.search(text)))
        if tag not in _VOID:
            self._open.append((tag, hidden or tag in _UNSEEN))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_comment(self, data: str) -> None:
        if data == _BLOCK:
            self.texts.append([])

    def handle_data(self, data: str) -> None:
        if not (self._open and self._open[-1][1]):
            self.texts[-1] += data.split()


def require_intact(branded: str, plain: str) -> None:
    """Return if ``branded`` says all that ``plain`` says, word by word, and refers to nothing.

    It may say more in the places that ``plain`` marks. A style sheet can still paint over a text;
    what a template itself leaves out, hides or loads is found.

    Raises
    ------
    RenderError
        If words are missing, or the document holds scripts or references.
    """
    own, original = _read(branded), _read(plain)
    if own.faults:
        raise _refused(f"it holds {own.faults[0]}, and a report runs and loads nothing")
    said, place = f" {_joined(own.texts)} ", 0
    for passage in filter(None, original.texts):
        words = f" {' '.join(passage)} "
        place = said.find(words, place)
        if place < 0:
            raise _refused("the report would leave out, hide or change what the built-in one says")
        place += len(words) - 1


def _joined(passages: list[list[str]]) -> str:
    return " ".join(word for passage in passages for word in passage)


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def _refused(message: str) -> RenderError:
    return RenderError(
        Problem(
            f"the template cannot be used: {message}",
            path="--template",
            remedy=(
                "extend privgate/report.html.j2 and fill its blocks brand, before_report, "
                "after_report and imprint only"
            ),
        )
    )
