"""A report view → one self-contained HTML document. No script, no network, no clock."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from privgate.errors import RenderError
from privgate.report.names import legible
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from privgate.report.view import ReportView

_STYLES = ("base", "screen", "print")


def render_html(view: ReportView) -> str:
    """Return the report as an HTML document that needs no other file.

    Raises
    ------
    RenderError
        If the templates are missing or ask for something the view does not hold.
    """
    return _laid_out(view, printed=False)


def render_print_html(view: ReportView) -> str:
    """Return the document for paper: the same without what only a screen can show.

    Raises
    ------
    RenderError
        If the templates are missing or ask for something the view does not hold.
    """
    return _laid_out(view, printed=True)


def _laid_out(view: ReportView, *, printed: bool) -> str:
    return render_page(
        "report.html.j2",
        view=view,
        words=view.words,
        printed=printed,
        created=view.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def render_page(template: str, **values: object) -> str:
    """Return a page of a template, which is given the style sheets beside its values.

    Raises
    ------
    RenderError
        If the templates are missing or ask for something the values do not hold.
    """
    environment = _environment()
    try:
        styles = {name: _source(f"{name}.css") for name in _STYLES}
        return environment.get_template(template).render(styles=styles, **values)
    except (TemplateError, OSError) as error:
        raise RenderError(f"the report could not be laid out: {error}") from error


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(resource_folder("templates") / "report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=legible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str:
    return (resource_folder("templates") / "report" / name).read_text(encoding="utf-8")
