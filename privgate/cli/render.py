"""``privgate render``: build the report again from stored evidence and verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from privgate.cli.console import emit, say
from privgate.cli.files import drawn_files
from privgate.errors import IntegrityError, Problem


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("render")(render)


def render(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of a check.")],
    internal: Annotated[
        bool, typer.Option("--internal", help="Do not suppress small counts in the report.")
    ] = False,
) -> None:
    """Build the report of a check again.

    Writes report.html and report.pdf from the stored evidence and verdict; neither the data nor
    the metrics are needed.
    """
    from privgate.attest import altered_files, read_manifest
    from privgate.dossier import require_free, write_dossier
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report import Audience

    digests = read_manifest(folder).files
    kept = {name: digest for name, digest in digests.items() if not name.startswith("report.")}
    # A fresh manifest must not vouch for a file that was altered.
    altered = list(altered_files(folder, kept))
    if altered:
        raise IntegrityError(altered)
    require_free(folder)
    stored = {name: (folder / name).read_bytes() for name in kept}
    try:
        evidence = RunEvidence.model_validate_json(stored["evidence.json"])
        verdict = Verdict.model_validate_json(stored["verdict.json"])
    except (KeyError, ValidationError) as cause:
        message = "evidence or verdict is not of this version of privgate"
        raise IntegrityError(Problem(message, file=str(folder))) from cause
    audience = Audience.INTERNAL if internal else Audience.SHAREABLE
    say("the data are not at hand, so what is drawn is not searched for values of records")
    drawn = drawn_files(evidence, verdict, asked=None, audience=audience, stored=stored)
    write_dossier(folder, {**stored, **drawn}, evidence, verdict)
    emit(f"written to {folder}")
