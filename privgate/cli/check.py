"""``privgate check``: measure a release, judge it, write the files, exit with the verdict."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, progress, results, say
from privgate.cli.debugging import debug_wanted
from privgate.cli.files import (
    LogoFile,
    LogoText,
    TemplateFolder,
    asked_formats,
    drawn_files,
    known_language,
    require_searched,
)
from privgate.cli.options import Language
from privgate.cli.subject import beside, named_policy, slug
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from privgate.data import Release
    from privgate.engine import Assessment
    from privgate.evidence import RunEvidence
    from privgate.ledger import Ledger
    from privgate.policy import BoundPolicy, Waivers
    from privgate.report import Audience


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(
    release_file: Annotated[
        Path | None, typer.Argument(metavar="RELEASE.yaml", help="The release file.")
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", "-p", help="Name of a built-in policy, or a policy file.")
    ] = "",
    train: Annotated[Path | None, typer.Option(help="Train table, without a release file.")] = None,
    holdout: Annotated[Path | None, typer.Option(help="Holdout table.")] = None,
    synthetic: Annotated[Path | None, typer.Option(help="Synthetic table.")] = None,
    quasi: Annotated[str, typer.Option(help="Quasi-identifiers, separated by commas.")] = "",
    sensitive: Annotated[str, typer.Option(help="Sensitive columns, separated by commas.")] = "",
    distance: Annotated[
        str, typer.Option(help="Distance of arrays: hamming, euclidean or cosine.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default privgate-NAME.")
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Reports to write beside evidence and verdict: html, pdf, dpia-md, dpia-html, "
            "oscal, csv, or json for none; by default html,pdf.",
        ),
    ] = None,
    language: Language = "en",
    waivers: Annotated[
        Path | None, typer.Option(help="Waivers file: findings that may stand for a while.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**53 - 1, help="Seed; by default it follows from data and policy."
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0 for all. Changes no figure.")] = 0,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the evaluation into this record; the report tells what was judged before.",
        ),
    ] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Also write per-record scores, for internal eyes.")
    ] = False,
    internal: Annotated[
        bool, typer.Option("--internal", help="Do not suppress small counts in the report.")
    ] = False,
    power: Annotated[
        bool,
        typer.Option("--power", help="Also plant known leaks and report which are caught (slow)."),
    ] = False,
    template: TemplateFolder = None,
    logo: LogoFile = None,
    logo_alt: LogoText = "",
) -> None:
    """Measure a release and judge it under a policy.

    Give a release file; or by options tables and roles, or arrays and their distance. Evidence,
    verdict, report and manifest go into the output folder. Exit code: 0 met, 1 violated, 2 unusable
    input, 3 could not be assessed.
    """
    from privgate.dossier import require_free, write_dossier
    from privgate.engine import assess
    from privgate.policy import load_waivers
    from privgate.record_scores import record_files
    from privgate.report import Audience, load_brand

    asked = None if formats is None else asked_formats(formats)
    brand = load_brand(template, logo, logo_text=logo_alt)
    language = known_language(language)
    audience = Audience.INTERNAL if internal else Audience.SHAREABLE
    given = None if waivers is None else load_waivers(waivers)
    bound = named_policy(policy)
    release = _release(release_file, train, holdout, synthetic, quasi, sensitive, distance)
    _tell_what_will_not_count(given, bound, release)
    folder = out or Path(f"privgate-{slug(release.facts.name)}")
    require_free(folder)
    assessment = assess(
        release,
        bound,
        seed=seed,
        jobs=jobs or os.cpu_count() or 1,
        progress=progress(),
        debug=debug_wanted(),
        waivers=given,
        ledger=_ledger(ledger, folder),
    )
    _tell_history(assessment.evidence)
    kept = beside(folder) if power else None
    stored = {} if kept is None else _power_file(release, bound, seed, jobs, kept)
    files = drawn_files(
        assessment.evidence,
        assessment.verdict,
        asked=asked,
        audience=audience,
        stored=stored,
        brand=brand,
        language=language,
    )
    if records:
        files |= record_files(assessment.records, release)
    require_searched(files, assessment, release, audience=audience, language=language)
    write_dossier(folder, files, assessment.evidence, assessment.verdict)
    if kept is not None:
        kept.unlink(missing_ok=True)
    show(assessment, folder, audience, language)
    raise typer.Exit(assessment.verdict.exit_code)


def _ledger(file: Path | None, folder: Path) -> Ledger | None:
    if file is None:
        return None
    from privgate.ledger import Ledger

    if folder.resolve() in file.resolve().parents:
        message = "the ledger is inside the output folder, which every check replaces"
        raise InputError(Problem(message, file=str(file), remedy="keep it elsewhere"))
    return Ledger(file)


def _tell_history(evidence: RunEvidence) -> None:
    """Say which entry of the ledger this is, and how often the release was judged before."""
    facts = evidence.ledger
    if facts is not None:
        say(
            f"entry {facts.entry} of the ledger; earlier evaluations against this train table: "
            f"{facts.earlier}, of this synthetic table: {facts.same_candidate}"
        )


def _power_file(
    release: Release, policy: BoundPolicy, seed: int | None, jobs: int, kept: Path
) -> dict[str, bytes]:
    from privgate.dossier import POWER
    from privgate.evidence import canonical_bytes
    from privgate.trials import measure_power

    study = measure_power(
        release,
        policy,
        seed=seed,
        jobs=jobs or os.cpu_count() or 1,
        kept=kept,
        progress=progress("trial"),
    )
    return {POWER: canonical_bytes(study)}


def show(
    assessment: Assessment, folder: Path | None, audience: Audience, language: str = "en"
) -> None:
    """Print the verdict, as a table on a terminal and as plain lines elsewhere."""
    from privgate.report.formats.terminal import verdict_table
    from privgate.report.formats.text import render_text

    verdict, evidence = assessment.verdict, assessment.evidence
    console = results()
    if console.is_terminal:
        console.print(verdict_table(verdict, evidence, audience=audience, language=language))
    else:
        emit(render_text(verdict, evidence, audience=audience, language=language))
    if folder is not None:
        emit(f"written to {folder}")


def _tell_what_will_not_count(
    waivers: Waivers | None, policy: BoundPolicy, release: Release
) -> None:
    """Say before measuring which waivers will not count, and by which day they are judged."""
    from privgate.engine.clock import now
    from privgate.policy import lint_waivers

    if waivers is None:
        return
    today = now().date()
    if today != datetime.now(UTC).date():
        say(f"warning: waivers are judged for {today}, the day of SOURCE_DATE_EPOCH")
    sha256 = release.facts.tables["synthetic"].sha256
    for finding in lint_waivers(waivers, today, policy=policy, synthetic_sha256=sha256):
        say(f"warning: {finding.problem}")


def _release(
    release_file: Path | None,
    train: Path | None,
    holdout: Path | None,
    synthetic: Path | None,
    quasi: str,
    sensitive: str,
    distance: str,
) -> Release:
    from privgate.cli.flags import release_from_flags
    from privgate.data import load_release

    flags = [train, holdout, synthetic, quasi, sensitive, distance]
    if release_file is not None:
        if any(flags):
            raise InputError(
                Problem(
                    "a release file and table options were both given",
                    remedy="give either RELEASE.yaml, or --train, --synthetic and so on",
                )
            )
        return load_release(release_file)
    if train is None or synthetic is None:
        raise InputError(
            Problem(
                "there is nothing to check",
                remedy="give a release file, or at least --train and --synthetic",
            )
        )
    return release_from_flags(
        train=train,
        holdout=holdout,
        synthetic=synthetic,
        quasi=[name.strip() for name in quasi.split(",") if name.strip()],
        sensitive=[name.strip() for name in sensitive.split(",") if name.strip()],
        distance=distance,
    )
