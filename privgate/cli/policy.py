"""``privgate policy``: the built-in policies, and whether a policy file is fit to be signed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli import rehearsing
from privgate.cli.console import emit, emit_table, say
from privgate.errors import ExitCode, PolicyError, Problem

if TYPE_CHECKING:
    from privgate.policy import Policy, PolicyDifference

app = typer.Typer(no_args_is_help=True, help="Policies: what is required of a release.")


class Schema(StrEnum):
    """Documents that have a schema."""

    POLICY = "policy"
    RELEASE = "release"
    EVIDENCE = "evidence"
    VERDICT = "verdict"
    DIFFERENCE = "difference"


class Form(StrEnum):
    """How a difference is printed."""

    TEXT = "text"
    JSON = "json"


@app.command("list")
def list_policies() -> None:
    """List the built-in policies."""
    from privgate.policy import built_in_policies, load_policy, read_policy_document
    from privgate.policy.load import TEMPLATES

    policies = [(name, load_policy(name).policy) for name in built_in_policies()]
    rows = [(name, it.version, str(len(it.rules)), it.title, _covered(it)) for name, it in policies]
    for name in TEMPLATES:
        title = str(read_policy_document(name).content.get("title"))
        rows.append((name, "", "", title, "yours to complete"))
    emit_table(("policy", "version", "rules", "what it is for", "criteria that it covers"), rows)
    say("`privgate policy show template` prints a policy file with every field explained")


def _covered(policy: Policy) -> str:
    return ", ".join(it.value.replace("_", " ") for it in policy.requires.coverage) or "none"


@app.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Name of a built-in policy, 'template', or a file."),
    ],
    resolved: Annotated[
        bool,
        typer.Option(
            "--resolved", help="With everything it extends, each line with where it comes from."
        ),
    ] = False,
) -> None:
    """Print a policy file, ready to be copied."""
    from privgate.policy import load_policy, read_policy_document, resolved_text

    emit(resolved_text(load_policy(name)) if resolved else read_policy_document(name).text)


@app.command("lint")
def lint(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Names of built-in policies, or policy files."),
    ],
) -> None:
    """Look for faults and questionable rules in policies.

    Exit code: 0 when there are none or only warnings and notes, 2 when there are errors.
    """
    errors, unusable = 0, list[Problem]()
    for name in names:
        try:
            errors += _lint(name, f"{name}: " if len(names) > 1 else "")
        except PolicyError as error:
            unusable += error.problems
    if unusable:
        raise PolicyError(unusable)
    raise typer.Exit(ExitCode.UNUSABLE if errors else ExitCode.MET)


def _lint(name: str, place: str) -> int:
    """Tell what is questionable about a policy, and return how many errors there are."""
    from privgate.metrics import all_metrics
    from privgate.policy import lint as find
    from privgate.policy import open_policy

    findings = find(open_policy(name, all_metrics()), datetime.now(UTC).date())
    for finding in findings:
        emit(f"{place}{finding}")
    errors = sum(finding.level == "error" for finding in findings)
    say(f"{name}: {errors} errors, {len(findings) - errors} warnings and notes")
    return errors


app.command("test")(rehearsing.rehearse_policy)


@app.command("diff")
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A built-in policy, or a file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A built-in policy, or a file.")],
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.TEXT,
) -> None:
    """Tell what a new policy asks more, less or differently.

    Exit code: 0 when nothing got looser, 1 when something did or cannot be compared.
    """
    from privgate.metrics import all_metrics
    from privgate.policy import compare_policies, open_policy

    found = compare_policies(open_policy(old, all_metrics()), open_policy(new, all_metrics()))
    if form is Form.JSON:
        emit(found.model_dump_json(indent=2, by_alias=True))
    else:
        for change in found.changes:
            emit(str(change))
        say(_in_a_sentence(found))
    raise typer.Exit(ExitCode.VIOLATED if found.loosened else ExitCode.MET)


def _in_a_sentence(found: PolicyDifference) -> str:
    old, new = (f"{policy.id} {policy.version}" for policy in (found.old, found.new))
    if found.same:
        return f"{new} asks the same as {old}"
    if found.loosened:
        return f"{new} asks less than {old}, or something else"
    return f"{new} asks more than {old}, and nothing less"


@app.command("schema")
def schema(
    of: Annotated[Schema, typer.Option(help="Which document.")] = Schema.POLICY,
) -> None:
    """Print the JSON Schema of a document.

    Editors use it to complete and check what is typed.
    """
    from privgate.data import release_schema
    from privgate.metrics import all_metrics
    from privgate.policy import (
        difference_schema,
        evidence_schema,
        policy_schema,
        verdict_schema,
    )

    made = {
        Schema.POLICY: lambda: policy_schema(all_metrics()),
        Schema.RELEASE: release_schema,
        Schema.EVIDENCE: evidence_schema,
        Schema.VERDICT: verdict_schema,
        Schema.DIFFERENCE: difference_schema,
    }
    emit(json.dumps(made[of](), indent=2, ensure_ascii=False))
