"""``privgate calibrate``: limits that honest releases keep and leaks break, on this very data."""

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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.evidence import CalibrationStudy
    from privgate.evidence.calibration import Operator

_FILES = ("calibration.json", "calibration.html", "policy-draft.yaml")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(
    release_file: ReleaseFile,
    policy: PolicyName = "",
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default privgate-calibration-NAME.")
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Draws of each kind of honest release.")] = 39,
    false_alarms: Annotated[
        float, typer.Option(help="Share of honest releases that may break a proposed limit.")
    ] = 0.05,
    language: Language = "en",
    seed: Seed = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    worker_memory: WorkerMemory = None,
) -> None:
    """Propose limits that honest releases keep on this data.

    Measures what each rule says of releases known to be honest and of planted leaks. Writes the
    distributions, a picture per rule, and a policy draft with the limits that honest
    releases keep at the level asked for. It takes as long as some 150 checks; an interrupted run
    goes on where it stopped when it is started again with the same options.
    """
    from privgate.data import load_release
    from privgate.dossier import require_free
    from privgate.evidence import canonical_bytes
    from privgate.report import calibration_page
    from privgate.trials import CalibrationPlan, policy_draft
    from privgate.trials import calibrate as measure

    plan = CalibrationPlan(draws=draws, false_alarms=false_alarms)
    language = known_language(language)
    bound = named_policy(policy)
    with computing(jobs, cluster, worker_memory) as executor:
        release = load_release(release_file, executor=executor)
        folder = out or Path(f"privgate-calibration-{slug(release.facts.name)}")
        require_free(folder, replaceable=_FILES)
        kept = beside(folder)
        study = measure(
            release,
            bound,
            plan,
            seed=seed,
            executor=executor,
            kept=kept,
            progress=progress("draw"),
        )
    content = (
        canonical_bytes(study),
        calibration_page(study, language=language).encode(),
        policy_draft(bound, study).encode(),
    )
    write_study(folder, dict(zip(_FILES, content, strict=True)), bound, release)
    _show(study)
    emit(f"written to {folder}")


def _show(study: CalibrationStudy) -> None:
    """Print present and proposed limits."""
    rows = [
        [rule.id, _limit(rule.require), _limit(rule.proposed or {}) or "none", rule.reason]
        for rule in study.rules
    ]
    emit_table(["rule", "limit", "proposed", "why"], rows)


def _limit(limits: Mapping[Operator, float]) -> str:
    return ", ".join(f"{name} {number:g}" for name, number in limits.items())
