"""``privgate metric``: what can be measured."""

from __future__ import annotations

from typing import Annotated

import typer

from privgate.cli.console import emit, emit_table
from privgate.errors import InputError, Problem

app = typer.Typer(no_args_is_help=True, help="Metrics: what can be measured.")


@app.command("list")
def list_metrics() -> None:
    """List all metrics, with what they speak to and need."""
    from privgate.metrics import all_metrics

    cards = [metric.card for metric in all_metrics().values()]
    emit_table(
        ("metric", "review name", "family", "criteria", "needs"),
        [
            (
                card.name,
                card.review_name or "–",
                str(card.family),
                ", ".join(card.criteria) or "–",
                ", ".join(card.needs) or "–",
            )
            for card in cards
        ],
    )


@app.command("show")
def show(name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a metric.")]) -> None:
    """Show what a metric measures, its figures, parameters and limits."""
    from privgate.data.explanations import did_you_mean
    from privgate.metrics import all_metrics
    from privgate.metrics.description import describe

    found = all_metrics()
    if name not in found:
        raise InputError(
            Problem(
                f"there is no metric {name!r}",
                remedy=did_you_mean(name, found) or "`privgate metric list` shows all",
            )
        )
    emit(describe(found[name]))
