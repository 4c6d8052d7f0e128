"""The verdict as JUnit XML, which build servers show as test results.

Follows the schema of Jenkins (junit-10.xsd), where a test case has no properties of its own: the
figures are properties of the suite, named after their rule. What does not stop the release and yet
is not met counts as skipped, with its message: the only state that is shown and does not fail.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from privgate.report.formats.cases import Standing, cases

if TYPE_CHECKING:
    from privgate.report.formats.cases import Case
    from privgate.report.view import ReportView

# What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {
    Standing.VIOLATED: "failure",
    Standing.NOT_ASSESSED: "error",
    Standing.ADVISORY: "skipped",
    Standing.WAIVED: "skipped",
}


def render_junit(view: ReportView) -> str:
    """Return one suite with a test case for the verdict, each rule and each demand."""
    found = cases(view)
    elements = [_ELEMENTS.get(case.standing) for case in found]
    root = Element("testsuites")
    suite = SubElement(
        root,
        "testsuite",
        name=writable(f"privgate: {view.release}"),
        tests=str(len(found)),
        failures=str(elements.count("failure")),
        errors=str(elements.count("error")),
        skipped=str(elements.count("skipped")),
        timestamp=view.created.strftime("%Y-%m-%dT%H:%M:%S"),
    )
    properties = SubElement(suite, "properties")
    for name, value in _properties(view, found):
        SubElement(properties, "property", name=writable(name), value=writable(value))
    for case, element in zip(found, elements, strict=True):
        _add_case(suite, case, element, classname=f"privgate.{view.policy_id}")
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def writable(text: str) -> str:
    r"""Return a text with a question mark in place of what XML cannot hold.

    Examples
    --------
    >>> writable("a" + chr(0) + "b" + chr(0xFFFE))
    'a?b?'
    """
    return _FORBIDDEN.sub("?", text)


def _add_case(suite: Element, case: Case, element: str | None, *, classname: str) -> None:
    test = SubElement(suite, "testcase", name=writable(case.id), classname=writable(classname))
    text = writable(case.text)
    if element in {"failure", "error"}:
        found = SubElement(test, element, type=case.standing.value, message=writable(case.message))
        found.text = text
        return
    if element is not None:
        SubElement(test, element, message=writable(case.message))
    SubElement(test, "system-out").text = text


def _properties(view: ReportView, found: tuple[Case, ...]) -> tuple[tuple[str, str], ...]:
    told = {
        "tool": view.tool,
        "release": view.release,
        "policy": view.policy,
        "report": view.report_id,
        "outcome": view.outcome,
        **{f"sha256.{name}": digest for name, digest in view.digests.items()},
    }
    figures = ((f"{case.id}.{name}", text) for case in found for name, text in case.figures)
    return (*told.items(), *figures)
