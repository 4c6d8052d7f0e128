"""``privgate ledger``: whether a record of evaluations is unaltered, and what it says."""

from __future__ import annotations

import csv
import io
import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, emit_table, say
from privgate.errors import InputError, IntegrityError, Problem

if TYPE_CHECKING:
    from privgate.ledger import Chain, Evaluation

app = typer.Typer(no_args_is_help=True, help="Ledgers: how often data were judged, and how.")

LedgerFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The file that `check --ledger` wrote.")
]


class ExportFormat(StrEnum):
    """What a ledger can be turned into."""

    CSV = "csv"
    JSON = "json"


@app.command("verify")
def verify(
    file: LedgerFile,
    head: Annotated[
        str, typer.Option(help="Digest of a line, as a report or an earlier check told it.")
    ] = "",
) -> None:
    """Tell whether a ledger is unaltered.

    Every line that was altered, removed or moved is named. Whoever writes the whole file anew is
    found only by a head that was kept elsewhere: give it as --head.

    Exit code: 0 if every line is as written, 1 if not, 2 if the file cannot be used.
    """
    from privgate.ledger import Ledger

    if head and not re.fullmatch("[0-9a-f]{64}", head):
        remedy = "give the 64 digits of a SHA-256, as the report tells them"
        raise InputError(Problem("this is no digest of a line", path="--head", remedy=remedy))
    chain = Ledger(file).intact()
    known = chain.number_of(head)
    if head and known is None:
        message = (
            "no line has the digest given as --head: the ledger is another one, or was cut short "
            "or written anew after that line"
        )
        raise IntegrityError(Problem(message, file=str(file)))
    count = len(chain.evaluations)
    emit(f"{file}: all lines are as written and in order; evaluations: {count}")
    if known is not None:
        emit(f"the head given is entry {known}; entries since then: {chain.head.n - known}")
    emit(f"head: entry {chain.head.n}, {chain.head.sha256}")
    _tell_interrupted(chain)


@app.command("show")
def show(
    file: LedgerFile,
    train: Annotated[
        str,
        typer.Option(
            metavar="DIGEST",
            help="Only evaluations against the train table whose digest begins so.",
        ),
    ] = "",
) -> None:
    """Print the evaluations of an unaltered ledger as a table.

    Exit code: 0, or 1 if the ledger was altered, 2 if the file cannot be used.
    """
    from privgate.ledger import Ledger

    chain = Ledger(file).intact()
    entries = [entry for entry in chain.evaluations if _is_against(entry, train)]
    emit_table(
        ("entry", "time (UTC)", "release", "train", "synthetic", "policy", "seed", "outcome"),
        [_row(entry) for entry in entries],
    )
    _tell_interrupted(chain)


@app.command("export")
def export(
    file: LedgerFile,
    format_: Annotated[
        ExportFormat, typer.Option("--format", help="csv: a row per rule; json: all fields.")
    ] = ExportFormat.CSV,
) -> None:
    """Print an unaltered ledger for other programs.

    Exit code: 0, or 1 if the ledger was altered, 2 if the file cannot be used.
    """
    from privgate.evidence import document
    from privgate.ledger import Ledger

    chain = Ledger(file).intact()
    if format_ is ExportFormat.JSON:
        emit(json.dumps([document(line) for line in chain.lines], indent=2, ensure_ascii=False))
        return
    text = io.StringIO()
    rows = [cells for entry in chain.evaluations for cells in _cells(entry)]
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    emit(text.getvalue())


def _is_against(entry: Evaluation, digest: str) -> bool:
    train = entry.tables["train"]
    return any(it.startswith(digest.lower()) for it in (train.content_sha256, train.sha256))


def _row(entry: Evaluation) -> tuple[str, ...]:
    tables = [entry.tables[name].content_sha256[:12] for name in ("train", "synthetic")]
    return (
        str(entry.n),
        f"{entry.created:%Y-%m-%d %H:%M:%S}",
        entry.release,
        *tables,
        f"{entry.policy.id} {entry.policy.version}",
        f"{entry.seed} ({entry.seed_source})",
        entry.outcome.replace("_", " "),
    )


_COLUMNS = (
    *("entry", "created", "release", "train", "holdout", "synthetic", "declaration"),
    *("policy", "policy_version", "policy_sha256", "seed", "seed_source", "release_outcome"),
    *("id", "metric", "measure", "severity", "outcome", "value", "low", "high", "judged"),
    *("evidence_sha256", "verdict_sha256", "sha256"),
)


def _cells(entry: Evaluation) -> list[dict[str, object]]:
    tables = {str(name): table.content_sha256 for name, table in entry.tables.items()}
    whole: dict[str, object] = {
        "entry": entry.n,
        "created": entry.created.isoformat(),
        "release": entry.release,
        **tables,
        "declaration": entry.declaration_sha256,
        "policy": entry.policy.id,
        "policy_version": entry.policy.version,
        "policy_sha256": entry.policy.sha256,
        "seed": entry.seed,
        "seed_source": entry.seed_source,
        "release_outcome": entry.outcome,
        "evidence_sha256": entry.evidence_sha256,
        "verdict_sha256": entry.verdict_sha256,
        "sha256": entry.sha256,
    }
    return [{**whole, **rule.model_dump(mode="json")} for rule in entry.rules]


def _tell_interrupted(chain: Chain) -> None:
    if chain.interrupted:
        say(f"writes that were cut short, of unknown outcome: {chain.interrupted}")
    if chain.fragment:
        say("the last write was cut short; the next check will record that")
