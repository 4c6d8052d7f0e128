"""``privgate doctor``: whether this machine has what privgate needs."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, metadata, requires, version

import typer

from privgate.cli.cache import described
from privgate.cli.console import emit
from privgate.errors import ExitCode, RenderError

_FONTS = (
    "LiberationSans-Regular",
    "LiberationSans-Bold",
    "LiberationSerif-Bold",
    "DejaVuSansMono",
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor() -> None:
    """Tell whether this machine has what privgate needs.

    Looks at Python, packages, shipped files, fonts and the PDF library, at processors, memory,
    extras and installed plug-ins, of which none is loaded. Exit code: 0 if all is well, 2 if
    something is amiss; an extra that is not installed is not amiss.
    """
    findings = [_python(), *_packages(), *_resources(), _fonts(), _pdf(), *_plugins()]
    findings.append((True, described()))
    for good, text in findings:
        emit(f"{'ok     ' if good else 'missing'}  {text}")
    for note in (_machine(), *_extras()):
        emit(f"note     {note}")
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


def _fonts() -> tuple[bool, str]:
    from privgate.resources import resource_folder

    try:
        folder = resource_folder("templates") / "fonts"
    except FileNotFoundError as cause:
        return False, str(cause)
    absent = [name for name in _FONTS if not (folder / f"{name}.ttf").is_file()]
    if absent:
        return False, f"fonts: {', '.join(absent)}; install privgate again"
    return True, f"fonts in {folder}"


def _pdf() -> tuple[bool, str]:
    from privgate.report import require_pdf_libraries

    try:
        require_pdf_libraries()
    except RenderError as error:
        return False, f"PDF reports: {error}"
    return True, f"PDF reports: Pango {_pango()} is there"


def _pango() -> str:
    """Return the version of Pango; call it only where Pango is there."""
    from weasyprint.text.ffi import pango

    number = int(pango.pango_version())
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _plugins() -> list[tuple[bool, str]]:
    from privgate.metrics.plugins import installed_plugins, plugin_problems

    plugins = installed_plugins()
    found = [(False, str(problem)) for problem in plugin_problems(plugins)]
    return found + [(True, f"{plugin} is installed, not loaded") for plugin in plugins]


def _machine() -> str:
    processors = os.cpu_count() or 1
    return f"{processors} processors, {_memory()}"


def _memory() -> str:
    """Return the size of the memory, where the system tells it to Python."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return "memory unknown"
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{size / 2**30:.1f} GiB of memory"


def _extras() -> list[str]:
    """Return of each extra whether it is installed."""
    from packaging.requirements import Requirement

    wanted = [Requirement(line) for line in requires("privgate") or ()]
    found = []
    for extra in sorted(metadata("privgate").get_all("Provides-Extra") or ()):
        own = [it for it in wanted if it.marker and it.marker.evaluate({"extra": extra})]
        own = [it for it in own if it.marker and not it.marker.evaluate({"extra": ""})]
        absent = [str(it.name) for it in own if not _is_installed(it.name)]
        state = f"not installed (pip install 'privgate[{extra}]')" if absent else "installed"
        found.append(f"extra {extra}: {state}")
    return found


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
