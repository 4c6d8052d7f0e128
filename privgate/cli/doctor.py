"""``privgate doctor``: whether this machine has what privgate needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, requires, version

import typer

from privgate.cli.cache import described
from privgate.cli.console import emit
from privgate.errors import ExitCode, RenderError


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor() -> None:
    """Tell whether this machine has what privgate needs.

    Looks at Python, packages, shipped files and the PDF library. Exit code: 0 if all is well, 2 if
    something is amiss.
    """
    findings = [_python(), *_packages(), *_resources(), _pdf(), (True, described())]
    for good, text in findings:
        emit(f"{'ok     ' if good else 'missing'}  {text}")
    raise typer.Exit(ExitCode.MET if all(good for good, _ in findings) else ExitCode.UNUSABLE)


def _python() -> tuple[bool, str]:
    return True, f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def _packages() -> list[tuple[bool, str]]:
    from packaging.requirements import Requirement

    found = []
    for line in requires("privgate") or ():
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            have = version(requirement.name)
        except PackageNotFoundError:
            found.append((False, f"{requirement}: pip install '{requirement}'"))
            continue
        good = requirement.specifier.contains(have, prereleases=True)
        found.append((good, f"{requirement.name} {have} (needs {requirement.specifier})"))
    return found


def _resources() -> list[tuple[bool, str]]:
    from privgate.resources import resource_folder

    found = []
    for kind in ("policies", "templates", "examples"):
        try:
            found.append((True, f"{kind} in {resource_folder(kind)}"))
        except FileNotFoundError as cause:
            found.append((False, str(cause)))
    return found


def _pdf() -> tuple[bool, str]:
    from privgate.report import require_pdf_libraries

    try:
        require_pdf_libraries()
    except RenderError as error:
        return False, f"PDF reports: {error}"
    return True, "PDF reports: Pango is there"
