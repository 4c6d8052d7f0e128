"""``privgate clean``: the synthetic table without the records that rules name, checked again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.check import show
from privgate.cli.console import emit, say
from privgate.cli.debugging import debug_wanted
from privgate.cli.files import asked_formats, drawn_files, known_language, require_searched
from privgate.cli.options import Jobs, Language, PolicyName, ReleaseFile, Seed
from privgate.cli.progress import progress
from privgate.cli.subject import named_policy, slug
from privgate.executors import Threads, threads_of

if TYPE_CHECKING:
    from privgate.cleaning import Removal
    from privgate.data import Release
    from privgate.engine import Assessment
    from privgate.policy import BoundPolicy


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("clean")(clean)


def clean(
    release_file: ReleaseFile,
    policy: PolicyName = "",
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Data rows to take out, one number a line counted from 1, in place of those that "
            "rules name.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder; by default privgate-NAME-cleaned.")
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Reports of the check of what is left: html, pdf, or json for none; by default "
            "html,pdf.",
        ),
    ] = None,
    language: Language = "en",
    seed: Seed = None,
    jobs: Jobs = 0,
) -> None:
    """Take out the records that rules name, and check what is left.

    Filtering is no proof that nothing else leaked: the whole policy is checked again on the shorter
    table, once. Exit code: that of this check; or, if no record is named, of the only one.
    """
    from privgate.cleaning import (
        listed_rows,
        named_by_rules,
        named_still,
        read_me,
        removed_table,
        write_cleaned,
    )
    from privgate.data import load_release
    from privgate.dossier import PRINTED, new_folder, write_dossier
    from privgate.report import Audience

    asked = None if formats is None else asked_formats(formats, but=PRINTED)
    language = known_language(language)
    bound = named_policy(policy)
    release = load_release(release_file, executor=Threads(threads_of(jobs)))
    folder = out or Path(f"privgate-{slug(release.facts.name)}-cleaned")
    with new_folder(folder) as fresh:
        if rows is None:
            say("checking the release")
            first = _assessed(release, bound, seed, jobs)
            removal = named_by_rules(first.records, bound, release)
            _stop_if_none(removal, first, language)
        else:
            removal = listed_rows(rows, release)
        cleaned = write_cleaned(fresh, release_file, release, removal, place=folder)
        _tell(removal, release)
        say("checking what is left")
        again = _assessed(cleaned, bound, seed, jobs)
        still = named_by_rules(again.records, bound, cleaned)
        shared = Audience.SHAREABLE
        files = drawn_files(
            again.evidence, again.verdict, asked=asked, audience=shared, language=language
        )
        page = read_me(removal, still, release, str(again.verdict.outcome)).encode()
        searched = {**files, "README.txt": page}
        require_searched(searched, again, release, audience=shared, language=language)
        write_dossier(fresh / "check", files, again.evidence, again.verdict)
        (fresh / "removed.csv").write_bytes(removed_table(removal).encode())
        (fresh / "README.txt").write_bytes(page)
    show(again, folder, shared, language)
    say(named_still(still))
    raise typer.Exit(again.verdict.exit_code)


def _assessed(release: Release, policy: BoundPolicy, seed: int | None, jobs: int) -> Assessment:
    from privgate.engine import assess

    return assess(
        release,
        policy,
        seed=seed,
        jobs=threads_of(jobs),
        progress=progress(),
        debug=debug_wanted(),
        # Whatever the policy says: a copy outside a sample would not be taken out.
        sample=max(table.rows for table in release.tables.values()),
    )


def _stop_if_none(removal: Removal, assessment: Assessment, language: str) -> None:
    """End with the verdict of the check if no record was named."""
    from privgate.report import Audience

    if not len(removal.positions):
        show(assessment, None, Audience.SHAREABLE, language)
        emit("no rule of the policy names a synthetic record, so nothing was written")
        raise typer.Exit(assessment.verdict.exit_code)


def _tell(removal: Removal, release: Release) -> None:
    """Say what is taken out, by whom it was named, and what that does not prove."""
    from privgate.cleaning import NO_PROOF, ORDER_GONE

    for name, rows in removal.named.items():
        say(f"named by {name}: {len(rows)}")
    say(f"taken out: {len(removal.positions)} of {removal.rows} synthetic records")
    say(NO_PROOF)
    if release.facts.correspondence == "same_order":
        say(ORDER_GONE)
