"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ReleaseFile = Annotated[Path, typer.Argument(metavar="RELEASE.yaml", help="The release file.")]
PolicyName = Annotated[
    str, typer.Option("--policy", "-p", help="Name of a built-in policy, or a policy file.")
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=2**53 - 1, help="Seed; by default it follows from data and policy."),
]
Language = Annotated[str, typer.Option(help="Language of the report: en or de.")]
Jobs = Annotated[int, typer.Option(min=0, help="Threads; 0 for all. Changes no figure.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Compute on a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT of its scheduler, or "
        "local for workers on this machine, --jobs of them. Changes no figure. Needs "
        "privgate[cluster].",
    ),
]
WorkerMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory limit of each worker of --cluster local, such as 4GB; by default an equal "
        "share.",
    ),
]
