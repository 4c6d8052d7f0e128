"""A report view → one self-contained HTML document. No script, no network, no clock."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from privgate.errors import RenderError
from privgate.report.brand import PLAIN
from privgate.report.integrity import require_intact
from privgate.report.names import legible
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from pathlib import Path

    from privgate.report.brand import Brand
    from privgate.report.view import ReportView

_STYLES = ("base", "screen", "print", "fonts", "guard")


def render_html(view: ReportView, *, brand: Brand = PLAIN) -> str:
    """Return the report as an HTML document that needs no other file.

    Parameters
    ----------
    view
        What the report says.
    brand
        An organisation's look. Its template may add to the report, not take from it.

    Raises
    ------
    RenderError
        If the templates are missing, ask for something the view does not hold, or leave out what
        the built-in report says.
    """
    return _laid_out(view, brand, printed=False)


def render_print_html(view: ReportView, *, brand: Brand = PLAIN) -> str:
    """Return the document for paper: the same without what only a screen can show.

    Raises
    ------
    RenderError
        If the templates are missing, ask for something the view does not hold, or leave out what
        the built-in report says.
    """
    return _laid_out(view, brand, printed=True)


def _laid_out(view: ReportView, brand: Brand, *, printed: bool) -> str:
    values = {
        "view": view,
        "words": view.words,
        "printed": printed,
        "created": view.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    if brand.templates is None:
        return render_page("report.html.j2", brand=brand, **values)
    environment = _environment(_branded(brand.templates), ImmutableSandboxedEnvironment)
    html = _rendered(environment, "report.html.j2", brand=brand, **values)
    require_intact(html, render_page("report.html.j2", brand=PLAIN, **values))
    return html


def render_page(template: str, **values: object) -> str:
    """Return a page of a template, which is given the style sheets beside its values.

    Raises
    ------
    RenderError
        If the templates are missing or ask for something the values do not hold.
    """
    return _rendered(_shipped(), f"privgate/{template}", **values)


def _rendered(environment: Environment, template: str, **values: object) -> str:
    try:
        styles = {name: _source(f"{name}.css") for name in _STYLES}
        return environment.get_template(template).render(styles=styles, **values)
    except (TemplateError, OSError, TypeError, ValueError) as error:
        raise RenderError(f"the report could not be laid out: {error}") from error


@cache
def _shipped() -> Environment:
    return _environment(_built_in(), Environment)


def _built_in() -> BaseLoader:
    return PrefixLoader({"privgate": FileSystemLoader(resource_folder("templates") / "report")})


def _branded(folder: Path) -> BaseLoader:
    """Return what finds the organisation's templates, and the built-in ones as privgate/NAME."""
    return ChoiceLoader([_built_in(), FileSystemLoader(folder)])


def _environment(loader: BaseLoader, kind: type[Environment]) -> Environment:
    return kind(
        loader=loader,
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
