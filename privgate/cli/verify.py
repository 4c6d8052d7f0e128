"""``privgate verify``: whether the folder of a check is still what it was."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privgate.cli.console import emit


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of a check.")],
) -> None:
    """Tell whether the files of a check are unaltered.

    All digests are computed anew and the stored evidence is judged again.

    Exit code: 0 if every byte is as written and the verdict follows, 1 if not, 2 if the folder
    cannot be used.
    """
    from privgate.attest import verify_folder
    from privgate.metrics import all_metrics

    manifest = verify_folder(folder, all_metrics())
    waived = f", with waivers for {', '.join(manifest.waived)}" if manifest.waived else ""
    emit(
        f"{folder}: {len(manifest.files)} files are as written, and judging the evidence again "
        f"gives the same verdict: {manifest.outcome.replace('_', ' ')}{waived}"
    )
