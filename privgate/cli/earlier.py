"""The check of the last release, to tell what changed since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from privgate.attest import StoredCheck

BaselineFolder = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="DIR",
        help="Output folder of the last release's check: the report tells what changed since.",
    ),
]


def opened_baseline(folder: Path | None) -> StoredCheck | None:
    """Return the earlier check, verified: better said before measuring.

    Raises
    ------
    InputError
        If the folder is not the check that was written, or none.
    """
    from privgate.attest import open_folder
    from privgate.metrics import all_metrics

    return None if folder is None else open_folder(folder, all_metrics())


def earlier_texts(earlier: StoredCheck | None) -> tuple[str, ...]:
    """Return what the earlier release and policy state, which the report may repeat."""
    from privgate.leakscan import declared_texts

    return () if earlier is None else tuple(declared_texts(earlier.evidence, earlier.verdict))
