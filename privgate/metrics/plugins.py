"""Metrics of third parties, found by entry points and imported only when they are named.

A distribution declares, in the group ``privgate.metrics``, a prefix and the function that returns
its metrics; the name of each begins with the prefix and a dot::

    [project.entry-points."privgate.metrics"]
    acme = "acme_metrics:metrics"

Whoever installs a package has not yet decided to judge releases with it. So nothing of a plug-in is
imported until a policy, or a person on the command line, names one of its metrics.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from privgate.errors import PluginError, Problem
from privgate.evidence import PluginFacts
from privgate.metrics.contract import Metric

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

GROUP = "privgate.metrics"
_PREFIX = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Plugin:
    """An installed plug-in, known from its distribution's metadata alone."""

    prefix: str
    distribution: str
    version: str
    entry: EntryPoint

    def __str__(self) -> str:
        return f"the plug-in {self.prefix!r} of {self.distribution} {self.version}"


def installed_plugins() -> tuple[Plugin, ...]:
    """Return the plug-ins that are installed, by prefix and distribution; nothing is imported."""
    found = (
        Plugin(
            entry.name,
            entry.dist.name if entry.dist else "an unknown distribution",
            entry.dist.version if entry.dist else "(no version)",
            entry,
        )
        for entry in entry_points(group=GROUP)
    )
    return tuple(sorted(found, key=lambda plugin: (plugin.prefix, plugin.distribution)))


def with_plugins(
    metrics: Mapping[str, Metric[Any]], names: Iterable[str]
) -> Mapping[str, Metric[Any]]:
    """Return the metrics and, of each name that has a prefix and is not among them, its plug-in's.

    A prefix that no installed plug-in has adds nothing.

    Raises
    ------
    PluginError
        With everything that is wrong with the plug-ins that are named.
    """
    prefixes = {name.partition(".")[0] for name in names if "." in name and name not in metrics}
    if not prefixes:
        return metrics
    return {**_loaded([it for it in installed_plugins() if it.prefix in prefixes]), **metrics}


def plugin_metrics() -> Mapping[str, Metric[Any]]:
    """Return the metrics of all installed plug-ins by name; this imports all of them.

    Raises
    ------
    PluginError
        With everything that is wrong with them.
    """
    return _loaded(installed_plugins())


def plugin_problems(plugins: Iterable[Plugin]) -> list[Problem]:
    """Return what is wrong with the prefixes of plug-ins, without importing any."""
    plugins = tuple(plugins)
    shared = Counter(plugin.prefix for plugin in plugins)
    found = [
        Problem(
            f"{plugin} has no usable prefix",
            remedy="its author gives the entry point a name of small letters, digits and _",
        )
        for plugin in plugins
        if not _PREFIX.fullmatch(plugin.prefix)
    ]
    for prefix in sorted(prefix for prefix, count in shared.items() if count > 1):
        rivals = " and ".join(
            f"{it.distribution} {it.version}" for it in plugins if it.prefix == prefix
        )
        message = f"{shared[prefix]} plug-ins have the prefix {prefix!r}: {rivals}"
        found.append(Problem(message, remedy="uninstall all but one"))
    return found


def _loaded(plugins: Iterable[Plugin]) -> dict[str, Metric[Any]]:
    plugins = tuple(plugins)
    problems = plugin_problems(plugins)
    found: dict[str, Metric[Any]] = {}
    for plugin in plugins if not problems else ():
        try:
            found.update(_load(plugin))
        except PluginError as error:
            problems += error.problems
    if problems:
        raise PluginError(problems)
    return dict(sorted(found.items()))


def _load(plugin: Plugin) -> dict[str, Metric[Any]]:
    """Return the metrics of a plug-in by name, each card saying where it came from.

    This is the second of the two places that catch whatever is raised; no record has been handed to
    the plug-in yet, so the text of an exception is shown. A plug-in that exits is caught, too, for
    its exit code would be taken for a verdict.
    """
    try:
        returned = plugin.entry.load()()
        metrics = tuple(returned) if isinstance(returned, Iterable) else returned
    except (Exception, SystemExit) as cause:
        raise PluginError(
            Problem(
                f"{plugin} does not load: {type(cause).__name__}: {cause}",
                remedy=f"repair or uninstall {plugin.distribution}, or take the rules that name "
                f"its metrics out of the policy",
            )
        ) from cause
    if not isinstance(metrics, tuple) or not metrics:
        kind = "nothing" if metrics == () else f"a {type(metrics).__name__}"
        raise _wrong(plugin, f"its function {plugin.entry.value} returns {kind}, not metrics")
    strange = [type(it).__name__ for it in metrics if not isinstance(it, Metric)]
    if strange:
        raise _wrong(plugin, f"its function {plugin.entry.value} returns a {strange[0]} as metric")
    return _named(plugin, metrics)


def _named(plugin: Plugin, metrics: tuple[Metric[Any], ...]) -> dict[str, Metric[Any]]:
    origin = PluginFacts(distribution=plugin.distribution, version=plugin.version)
    found: dict[str, Metric[Any]] = {}
    for metric in metrics:
        if not metric.name.startswith(f"{plugin.prefix}."):
            raise _wrong(plugin, f"its metric {metric.name!r} lacks the prefix '{plugin.prefix}.'")
        if metric.name in found:
            raise _wrong(plugin, f"two of its metrics are called {metric.name!r}")
        card = metric.card.model_copy(update={"plugin": origin})
        found[metric.name] = replace(metric, card=card)
    return found


def _wrong(plugin: Plugin, what: str) -> PluginError:
    remedy = f"this is a fault of {plugin.distribution}: tell its authors"
    return PluginError(Problem(f"{plugin} cannot be used: {what}", remedy=remedy))
