"""``privgate power``: what size of leak would a policy catch on this very data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.computing import computing
from privgate.cli.console import emit, emit_table
from privgate.cli.files import known_language, write_study
from privgate.cli.options import (
    Cluster,
    Jobs,
    Language,
    PolicyName,
    ReleaseFile,
    Seed,
    WorkerMemory,
)
from privgate.cli.progress import progress
from privgate.cli.subject import beside, named_policy, slug
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from privgate.evidence import PowerStudy

_FILES = ("power.json", "power.html")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("power")(power)


def power(
    release_file: ReleaseFile,
    policy: PolicyName = "",
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default privgate-power-NAME.")
    ] = None,
    shares: Annotated[
        str, typer.Option(help="Shares of the synthetic records that leak, separated by commas.")
    ] = "0.005,0.01,0.02,0.05,0.1",
    fields: Annotated[
        str, typer.Option(help="Shares of a leaking record's fields that are copied.")
    ] = "0.5,0.75,1",
    trials: Annotated[int, typer.Option(min=1, help="Trials for each size and kind.")] = 20,
    language: Language = "en",
    seed: Seed = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    worker_memory: WorkerMemory = None,
) -> None:
    """Plant known leaks and count how often they are caught.

    Every size is tried many times with other people, so this takes as long as that many checks. An
    interrupted run goes on where it stopped when it is started again with the same options. Exit
    code 0 when the study is complete: it judges the policy, not the release.
    """
    from privgate.data import load_release
    from privgate.dossier import require_free
    from privgate.evidence import canonical_bytes
    from privgate.report import power_page
    from privgate.trials import PowerPlan, measure_power

    plan = PowerPlan(
        shares=_numbers(shares, "--shares"), fields=_numbers(fields, "--fields"), trials=trials
    )
    language = known_language(language)
    bound = named_policy(policy)
    with computing(jobs, cluster, worker_memory) as executor:
        release = load_release(release_file, executor=executor)
        folder = out or Path(f"privgate-power-{slug(release.facts.name)}")
        require_free(folder, replaceable=_FILES)
        kept = beside(folder)
        study = measure_power(
            release,
            bound,
            plan,
            seed=seed,
            executor=executor,
            kept=kept,
            progress=progress("trial"),
        )
    content = (canonical_bytes(study), power_page(study, language=language).encode())
    write_study(folder, dict(zip(_FILES, content, strict=True)), bound, release)
    _show(study)
    emit(f"written to {folder}")


def _numbers(text: str, option: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(
            Problem(f"{text!r} is not a list of numbers", path=option, remedy="write 0.01,0.05")
        ) from None


def _show(study: PowerStudy) -> None:
    """Print how often the whole policy caught each leak."""
    kinds = study.kinds()
    rows = []
    for kind in kinds:
        leaks = (study.unplanted, *study.of_kind(kind))
        name = f"{100 * kind[0]:.3g} % of the fields" + (", numbers moved" if kind[1] else "")
        rows.append([name, *(f"{leak.stopped}/{leak.trials}" for leak in leaks)])
    shares = [f"{100 * leak.share:.3g} %" for leak in study.of_kind(kinds[0])]
    emit(f"trials in which {study.policy} was violated, by share of leaking records")
    emit_table(["copied", "none", *shares], rows)
