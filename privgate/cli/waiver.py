"""``privgate waiver``: whether a waivers file would count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, say
from privgate.errors import ExitCode, InputError, Problem

if TYPE_CHECKING:
    from privgate.policy import BoundPolicy

app = typer.Typer(
    no_args_is_help=True, help="Waivers: findings that a named person lets stand for a while."
)


@app.command("template")
def template() -> None:
    """Print a waivers file with every field explained, ready to be filled in."""
    from privgate.resources import resource_folder

    emit((resource_folder("templates") / "waivers.yaml").read_text("utf-8"))


@app.command("lint")
def lint(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="The waivers file, or several.")
    ],
    policy: Annotated[
        str, typer.Option("--policy", "-p", help="Policy whose rules the waivers name.")
    ] = "",
    release: Annotated[
        Path | None, typer.Option(help="Release file whose synthetic table they are bound to.")
    ] = None,
) -> None:
    """Look for waivers that would not count.

    Rules are looked up only with --policy, the synthetic file only with --release. Exit code: 0
    when there are no errors, 2 when there are.
    """
    from privgate.data import load_release
    from privgate.errors import PrivgateError
    from privgate.metrics import all_metrics
    from privgate.policy import open_policy

    bound = open_policy(policy, all_metrics()) if policy else None
    facts = None if release is None else load_release(release).facts
    digest = None if facts is None else facts.tables["synthetic"].sha256
    errors, unusable = 0, list[Problem]()
    for file in files:
        try:
            errors += _lint(file, bound, digest)
        except PrivgateError as error:
            unusable += error.problems
    if unusable:
        raise InputError(unusable)
    raise typer.Exit(ExitCode.UNUSABLE if errors else ExitCode.MET)


def _lint(file: Path, policy: BoundPolicy | None, digest: str | None) -> int:
    """Tell which waivers of a file would not count, and return how many errors there are."""
    from privgate.engine.clock import now
    from privgate.policy import lint_waivers, load_waivers

    waivers = load_waivers(file)
    findings = lint_waivers(waivers, now().date(), policy=policy, synthetic_sha256=digest)
    for finding in findings:
        emit(str(finding))
    errors = sum(finding.level == "error" for finding in findings)
    say(
        f"{file}: {len(waivers.entries)} waivers, {errors} errors, "
        f"{len(findings) - errors} warnings and notes"
    )
    return errors
