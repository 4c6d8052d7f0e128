"""``privgate check``: measure a release, judge it, write the files, exit with the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.cache import CacheFolder, NoCache, kept_until_done, wanted_cache
from privgate.cli.computing import computing
from privgate.cli.console import emit, results, say
from privgate.cli.debugging import debug_wanted
from privgate.cli.earlier import BaselineFolder, earlier_texts, opened_baseline
from privgate.cli.files import (
    LogoFile,
    LogoText,
    TemplateFolder,
    asked_formats,
    drawn_files,
    known_language,
    require_searched,
)
from privgate.cli.foresight import Memory, foresee
from privgate.cli.options import Cluster, Jobs, Language, WorkerMemory
from privgate.cli.printing import deliver, printout, require_printable
from privgate.cli.progress import progress
from privgate.cli.subject import beside, named_policy, slug
from privgate.errors import InputError, Problem
from privgate.executors import threads_of

if TYPE_CHECKING:
    from privgate.data import Release
    from privgate.engine import Assessment
    from privgate.evidence import RunEvidence
    from privgate.executors import Executor
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
            "oscal, csv, junit, sarif, gitlab, markdown, or json for none; by default html,pdf. "
            "Printed in place of the lines for people: github or line-json.",
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
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="ROWS",
            min=100,
            help="Measure at most so many rows of the largest table and an equal share of the "
            "others, drawn by the seed: can find the release violated, never met.",
        ),
    ] = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    worker_memory: WorkerMemory = None,
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
    cache: CacheFolder = None,
    no_cache: NoCache = False,
    memory: Memory = None,
    power: Annotated[
        bool,
        typer.Option("--power", help="Also plant known leaks and report which are caught (slow)."),
    ] = False,
    baseline: BaselineFolder = None,
    template: TemplateFolder = None,
    logo: LogoFile = None,
    logo_alt: LogoText = "",
) -> None:
    """Measure a release and judge it under a policy.

    Give a release file; or by options tables and roles, or arrays and their distance. Evidence,
    verdict, report and manifest go into the output folder. Exit code: 0 met, 1 violated, 2 unusable
    input, 3 could not be assessed.
    """
    from privgate.cli.flags import release_given
    from privgate.dossier import baseline_file, require_free, write_dossier
    from privgate.engine import assess
    from privgate.policy import load_waivers
    from privgate.record_scores import record_files
    from privgate.report import Audience, load_brand

    asked = None if formats is None else asked_formats(formats)
    audience = Audience.INTERNAL if internal else Audience.SHAREABLE
    require_printable(asked, audience)
    brand = load_brand(template, logo, logo_text=logo_alt)
    language = known_language(language)
    given = None if waivers is None else load_waivers(waivers)
    bound = named_policy(policy)
    earlier = opened_baseline(baseline)
    if power and sample is not None:
        message = "--power plants leaks among all rows, and --sample looks at some of them"
        raise InputError(Problem(message, remedy="give one of the two"))
    store = wanted_cache(cache, unwanted=no_cache)
    with kept_until_done(store):
        with computing(jobs, cluster, worker_memory) as executor:
            release = release_given(
                release_file,
                train,
                holdout,
                synthetic,
                quasi,
                sensitive,
                distance,
                executor=executor,
            )
            _tell_what_will_not_count(given, bound, release)
            folder = out or Path(f"privgate-{slug(release.facts.name)}")
            require_free(folder)
            kept = beside(folder) if power else None
            expected = foresee(
                release, bound, jobs=threads_of(jobs), sample=sample, memory=memory, cluster=cluster
            )
            assessment = assess(
                release,
                bound,
                seed=seed,
                executor=executor,
                progress=progress(expected=expected),
                debug=debug_wanted(),
                waivers=given,
                ledger=_ledger(ledger, folder),
                sample=sample,
                cache=store,
            )
            _tell_sample(assessment.evidence)
            _tell_history(assessment.evidence)
            stored = {} if kept is None else _power_file(release, bound, seed, executor, kept)
        stored |= baseline_file(earlier, bound, assessment.evidence)
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
            files |= record_files(assessment.records, assessment.measured)
        printed = printout(assessment, asked, audience, language)
        searched = files if printed is None else {**files, **printed.searched}
        require_searched(
            searched,
            assessment,
            release,
            audience=audience,
            language=language,
            stated=earlier_texts(earlier),
        )
        write_dossier(folder, files, assessment.evidence, assessment.verdict)
        if kept is not None:
            kept.unlink(missing_ok=True)
    if printed is None:
        show(assessment, folder, audience, language)
    else:
        deliver(printed)
        say(f"written to {folder}")
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


def _tell_sample(evidence: RunEvidence) -> None:
    """Say how much of the release was measured, if not all of it or other than was asked for."""
    sample, asked = evidence.run.sample, evidence.run.sample_unneeded
    if asked is not None:
        say(f"no table has more than {asked:,} rows: every row was measured, not a sample")
    if sample is not None:
        whole = evidence.release.tables
        rows = (f"{name} {n:,} of {whole[name].rows:,}" for name, n in sorted(sample.rows.items()))
        say(f"measured a sample ({', '.join(rows)}), which can stop a release, never let one out")


def _power_file(
    release: Release, policy: BoundPolicy, seed: int | None, executor: Executor, kept: Path
) -> dict[str, bytes]:
    from privgate.dossier import POWER
    from privgate.evidence import canonical_bytes
    from privgate.trials import measure_power

    study = measure_power(
        release,
        policy,
        seed=seed,
        executor=executor,
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
    """Say before measuring which waivers will not count."""
    from privgate.engine import misgivings

    if waivers is not None:
        for told in misgivings.of_waivers(waivers, policy, release):
            say(f"warning: {told}")
