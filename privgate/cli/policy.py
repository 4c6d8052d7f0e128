"""``privgate policy``: the built-in policies, and whether a policy file is fit to be signed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from privgate.cli.console import emit, results, say
from privgate.errors import ExitCode

app = typer.Typer(no_args_is_help=True, help="Policies: what is required of a release.")


class Schema(StrEnum):
    """Documents that have a schema."""

    POLICY = "policy"
    RELEASE = "release"
    EVIDENCE = "evidence"
    VERDICT = "verdict"


@app.command("list")
def list_policies() -> None:
    """List the built-in policies."""
    from privgate.policy import built_in_policies, load_policy

    table = Table("policy", "version", "rules", "title", box=None, pad_edge=False)
    for name in built_in_policies():
        policy = load_policy(name).policy
        table.add_row(name, policy.version, str(len(policy.rules)), policy.title)
    results().print(table)
    say("`privgate policy show template` prints a policy file with every field explained")


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Name of a built-in policy, 'template', or a file.")],
) -> None:
    """Print a policy file, ready to be copied."""
    from privgate.policy import read_policy_document

    emit(read_policy_document(name).text)


@app.command("lint")
def lint(
    name: Annotated[str, typer.Argument(help="Name of a built-in policy, or a policy file.")],
) -> None:
    """Check a policy: exit 0 when it can be used, 2 when it cannot; warnings do not count."""
    from privgate.metrics import all_metrics
    from privgate.policy import lint as find
    from privgate.policy import open_policy

    bound = open_policy(name, all_metrics())
    findings = find(bound, datetime.now(UTC).date())
    for finding in findings:
        emit(str(finding))
    errors = sum(finding.level == "error" for finding in findings)
    say(f"{name}: {errors} errors, {len(findings) - errors} warnings")
    raise typer.Exit(ExitCode.UNUSABLE if errors else ExitCode.MET)


@app.command("schema")
def schema(
    of: Annotated[Schema, typer.Option(help="Which document.")] = Schema.POLICY,
) -> None:
    """Print the JSON Schema of a policy file, for editors, or of evidence and verdict."""
    from privgate.data.schema import ReleaseFile
    from privgate.metrics import all_metrics
    from privgate.policy import evidence_schema, policy_schema, verdict_schema

    made = {
        Schema.POLICY: lambda: policy_schema(all_metrics()),
        Schema.RELEASE: ReleaseFile.model_json_schema,
        Schema.EVIDENCE: evidence_schema,
        Schema.VERDICT: verdict_schema,
    }
    emit(json.dumps(made[of](), indent=2, ensure_ascii=False))
