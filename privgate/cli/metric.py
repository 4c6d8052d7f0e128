"""``privgate metric``: what can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, emit_table, say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from privgate.evidence import Card

app = typer.Typer(no_args_is_help=True, help="Metrics: what can be measured.")


@app.command("list")
def list_metrics(
    plugins: Annotated[
        bool,
        typer.Option("--plugins", help="Load the installed plug-ins and list their metrics, too."),
    ] = False,
) -> None:
    """List all metrics, with what they speak to and need.

    Of plug-ins only the prefixes are shown, unless they are to be loaded.
    """
    from privgate.metrics import all_metrics
    from privgate.metrics.plugins import installed_plugins, plugin_metrics

    found = [*all_metrics().values(), *(plugin_metrics().values() if plugins else ())]
    rows = [_row(metric.card) for metric in found]
    for plugin in () if plugins else installed_plugins():
        offered = f"plug-in of {plugin.distribution} {plugin.version}"
        rows.append((f"{plugin.prefix}.…", "–", offered, "not loaded", "not loaded"))
    emit_table(("metric", "review name", "family", "criteria", "needs"), rows)
    if not plugins and len(rows) > len(found):
        say("`privgate metric list --plugins` loads the plug-ins and lists their metrics")


def _row(card: Card) -> tuple[str, ...]:
    return (
        card.name,
        card.review_name or "–",
        str(card.family),
        ", ".join(card.criteria) or "–",
        ", ".join(card.needs) or "–",
    )


@app.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Name of a metric; a plug-in's is loaded."),
    ],
) -> None:
    """Show what a metric measures, its figures, parameters and limits."""
    from privgate.metrics import all_metrics
    from privgate.metrics.description import describe
    from privgate.metrics.plugins import with_plugins
    from privgate.policy.bind import unknown_metric

    found = with_plugins(all_metrics(), [name])
    if name not in found:
        _, message, remedy = unknown_metric(name, found)
        raise InputError(Problem(message, remedy=remedy))
    emit(describe(found[name]))
