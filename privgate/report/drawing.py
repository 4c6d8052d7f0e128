"""Whether an SVG is a drawing and nothing else: no script, no reference to anything outside it."""

from __future__ import annotations

import re
from xml.parsers import expat

_SHAPES = frozenset(
    {"svg", "g", "defs", "title", "desc", "metadata", "text", "tspan", "symbol", "use"}
    | {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"}
    | {"linearGradient", "radialGradient", "stop", "clipPath", "mask"}
)
_ELSEWHERE = re.compile(r"\\|@import|expression|javascript:|url\(\s*[\"']?\s*(?!#)", re.IGNORECASE)


class _Refused(Exception):  # noqa: N818 - caught where it is raised, never seen outside
    pass


def drawing_problem(content: bytes) -> str | None:
    """Return why an SVG cannot be embedded, or ``None`` if it consists of shapes only.

    Examples
    --------
    >>> drawing_problem(b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>')
    >>> drawing_problem(b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    'the drawing holds <script>'
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        space, _, local = name.rpartition(" ")
        if depth == 0 and (space, local) != ("http://www.w3.org/2000/svg", "svg"):
            raise _Refused("the file is not a PNG, JPEG or SVG picture")
        depth += 1
        if space == "http://www.w3.org/2000/svg":
            _require_shape(local, attributes)

    def refuse(*_: object) -> None:
        raise _Refused("the drawing declares entities or a document type")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ProcessingInstructionHandler = refuse
    try:
        parser.Parse(content, True)  # noqa: FBT003 - expat takes it by position only
    except expat.ExpatError:
        return "the file is not a PNG, JPEG or SVG picture"
    except _Refused as refused:
        return str(refused)
    return None


def _require_shape(name: str, attributes: dict[str, str]) -> None:
    if name not in _SHAPES:
        raise _Refused(f"the drawing holds <{name}>")
    for full, value in attributes.items():
        attribute = full.rpartition(" ")[2]
        outside = attribute == "href" and not value.startswith("#")
        if attribute.lower().startswith("on") or outside or _ELSEWHERE.search(value):
            raise _Refused(f"the drawing's {attribute} of <{name}> leads out of it")
