"""``privgate render``: build the report again from stored evidence and verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privgate.cli.console import emit
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
    """Write report.html and report.pdf of a check anew; neither data nor metrics are needed."""
    from privgate.attest import MANIFEST, read_manifest
    from privgate.dossier import Format, dossier_files, write_dossier
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report import Audience

    manifest = read_manifest(folder)
    try:
        evidence = RunEvidence.model_validate_json((folder / "evidence.json").read_bytes())
        verdict = Verdict.model_validate_json((folder / "verdict.json").read_bytes())
    except (OSError, ValueError) as cause:
        raise IntegrityError(
            Problem(
                "evidence or verdict cannot be read",
                file=str(folder),
                remedy="`privgate verify` names the altered file",
            )
        ) from cause
    rebuilt = dossier_files(
        evidence,
        verdict,
        formats={Format.HTML, Format.PDF},
        audience=Audience.INTERNAL if internal else Audience.SHAREABLE,
    )
    _require_unaltered(folder, rebuilt, manifest.files)
    kept = {
        name: (folder / name).read_bytes()
        for name in manifest.files
        if name not in rebuilt and name != MANIFEST
    }
    write_dossier(folder, {**kept, **rebuilt}, evidence, verdict)
    emit(f"written to {folder}")


def _require_unaltered(folder: Path, rebuilt: dict[str, bytes], digests: dict[str, str]) -> None:
    """Refuse to put a fresh manifest on altered evidence."""
    from hashlib import sha256

    altered = [
        name
        for name in ("evidence.json", "verdict.json")
        if sha256(rebuilt[name]).hexdigest() != digests.get(name)
    ]
    if altered:
        raise IntegrityError(
            Problem("the file was altered", file=str(folder / name)) for name in altered
        )
