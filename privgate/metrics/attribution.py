"""Correct attribution: how often published records with a person's keys hold the person's secret.

What the two attacks of this kind share: classes of keys and secrets, the count of published
records behind each guess, and the figures. They differ in which records they take for a person's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field
from scipy.sparse import coo_array, csr_array, hstack

from privgate.data import Role
from privgate.data.copies import row_ranks
from privgate.errors import NotAssessable
from privgate.evidence import Criterion, FigureSpec, Part, Status
from privgate.metrics.comparison import compared, comparison_figures
from privgate.metrics.contract import Measured, Records
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from privgate.data import Column, Release
    from privgate.evidence import Estimate, JsonValue
    from privgate.metrics.inputs import Inputs

Classes = dict[str, "NDArray[np.int64]"]


class Secrets(StrEnum):
    """Whether sensitive columns are guessed one by one or all at once."""

    EACH = "each"
    JOINT = "joint"


class AttributionParams(GroupedParams):
    """Parameters of correct attribution."""

    bins: int | None = Field(
        default=None,
        ge=2,
        le=1000,
        description="Number of classes of about equal frequency in train into which numbers and "
        "dates are cut; without it a release with such a key is not assessed.",
    )
    secrets: Secrets = Field(
        default=Secrets.EACH,
        description="Whether sensitive columns are guessed one by one (the worst decides) or "
        "all at once.",
    )


@dataclass(frozen=True)
class Keys:
    """The distinct key combinations of real and of published people, and who has which.

    ``real`` and ``synthetic`` hold one combination of classes per row; ``of`` gives for each row of
    a table the place of its combination, in ``synthetic`` for published rows, else in ``real``.
    """

    real: NDArray[np.int64]
    synthetic: NDArray[np.int64]
    of: Classes


def attribution_figures() -> dict[str, FigureSpec]:
    """Return the specifications of the figures of :func:`attribute`."""
    what = (
        "whose sensitive value is guessed right from the published records with their keys (a "
        "guess among several values counts in proportion)"
    )
    return comparison_figures(what, Criterion.INFERENCE) | group_figures(Criterion.INFERENCE)


def attribute(
    inputs: Inputs,
    params: AttributionParams,
    guess: Callable[[Keys, csr_array], csr_array],
) -> Measured:
    """Return the success of an attribution attack for each secret, train against holdout.

    Parameters
    ----------
    guess
        Given the keys and a table of counts, shape (published keys, values), returns for each real
        key the counts of the published records that the attacker takes for the person's; none
        where the attacker gives up.

    Raises
    ------
    NotAssessable
        If a key is a number and no bins are asked for, or the attacker gives up on all of train.
    """
    release = inputs.release
    secrets, refused = _secrets(release, params)
    if not secrets:
        return Measured(parts=refused)
    keys = _keys(release, params.bins)
    sizes = [1 + max(int(own.max()) for own in secret.values()) for secret in secrets.values()]
    tables = [
        _counted(keys.of["synthetic"], secret["synthetic"], (len(keys.synthetic), size))
        for secret, size in zip(secrets.values(), sizes, strict=True)
    ]
    guessed = csr_array(guess(keys, csr_array(hstack(tables))))
    ends = np.cumsum(sizes)
    attacks = {
        name: _Attack(csr_array(guessed[:, end - size : end]), keys.of, secret)
        for (name, secret), size, end in zip(secrets.items(), sizes, ends.tolist(), strict=True)
    }
    parts = [_part(inputs, params, name, attack) for name, attack in attacks.items()]
    rates = [part.figures["train_rate"].value for part in parts]
    risk = max(float(rate) for rate in rates if rate is not None)
    successes = {f"success: {name}": attack.success("train") for name, attack in attacks.items()}
    return Measured(
        parts=tuple(sorted([*parts, *refused], key=lambda part: part.of)),
        raw=risk,
        risk=risk,
        records=(Records(table="train", scores=successes),),
    )


@dataclass(frozen=True)
class _Attack:
    """Counts of guessed values for each real key, and the true values."""

    guessed: csr_array
    keys: Classes
    truth: Classes

    def matched(self, table: str) -> NDArray[np.bool_]:
        """Return for whom the attacker has a guess."""
        return np.asarray(self.guessed.sum(axis=1))[self.keys[table]] > 0

    def success(self, table: str) -> NDArray[np.float64]:
        """Return the share of each person's guessed records that hold the true value."""
        keys, width = self.keys[table], self.guessed.shape[1]
        found = self.guessed.tocoo()
        places = found.row.astype(np.int64) * width + found.col
        order = np.argsort(places)
        wanted = keys * width + self.truth[table]
        at = np.minimum(np.searchsorted(places[order], wanted), len(places) - 1)
        right = np.where(places[order][at] == wanted, found.data[order][at], 0)
        total = np.asarray(self.guessed.sum(axis=1))[keys]
        share: NDArray[np.float64] = right / np.maximum(total, 1)
        return share


def _part(inputs: Inputs, params: AttributionParams, name: str, attack: _Attack) -> Part:
    matched = attack.matched("train")
    if not matched.any():
        raise NotAssessable("no train row shares its keys with a synthetic row, so none is guessed")
    train = attack.success("train")
    holdout = attack.success("holdout") if inputs.release.holdout is not None else None
    figures: dict[str, Estimate] = compared(train, holdout, level=inputs.confidence)
    groups, counted = worst_group(inputs, params, train, holdout)
    shares = [
        np.bincount(attack.truth[table], minlength=attack.guessed.shape[1])
        / len(attack.truth[table])
        for table in ("train", "synthetic")
    ]
    diagnostics: dict[str, JsonValue] = {
        "train rows with a guess": int(matched.sum()),
        "holdout rows with a guess": None
        if holdout is None
        else int(attack.matched("holdout").sum()),
        "success of a guess without keys": float(shares[0] @ shares[1]),
    }
    return Part(
        of=name,
        status=Status.MEASURED,
        figures=figures | groups,
        diagnostics=diagnostics | counted,
    )


def _secrets(
    release: Release, params: AttributionParams
) -> tuple[dict[str, Classes], tuple[Part, ...]]:
    """Return the classes of what is guessed by name, and what cannot be guessed."""
    columns = release.with_role(Role.SENSITIVE)
    if params.secrets is Secrets.JOINT:
        classes = _classes(release, columns, params.bins)
        ranks = row_ranks(np.concatenate(list(classes.values())).T, sum(map(len, classes.values())))
        return {" + ".join(column.name for column in columns): _split(release, ranks)}, ()
    found, refused = {}, []
    for column in columns:
        try:
            classes = _classes(release, [column], params.bins)
        except NotAssessable as reason:
            refused.append(Part(of=column.name, status=Status.NOT_ASSESSED, reason=str(reason)))
        else:
            found[column.name] = {table: own[:, 0] for table, own in classes.items()}
    return found, tuple(refused)


def _keys(release: Release, bins: int | None) -> Keys:
    classes = _classes(release, release.with_role(Role.QUASI_IDENTIFIER), bins)
    published, synthetic = np.unique(classes.pop("synthetic"), axis=0, return_inverse=True)
    known, real = np.unique(np.concatenate(list(classes.values())), axis=0, return_inverse=True)
    ends = np.cumsum([len(own) for own in classes.values()])[:-1]
    own = dict(zip(classes, np.split(real.reshape(-1), ends), strict=True))
    return Keys(known, published, own | {"synthetic": synthetic.reshape(-1)})


def _classes(release: Release, columns: Sequence[Column], bins: int | None) -> Classes:
    """Return for each table one class per row and column; missing is a class of its own."""
    numbers = [column.name for column in columns if not column.type.has_levels]
    if numbers and bins is None:
        names = ", ".join(repr(name) for name in numbers)
        raise NotAssessable(
            f"numbers and dates are compared in classes: give 'bins', or declare {names} "
            "categorical or ordinal"
        )
    edges = {name: _edges(release.train.values[name], bins or 2) for name in numbers}
    return {
        name: np.column_stack([_class_of(table.values, column, edges) for column in columns])
        for name, table in release.tables.items()
    }


def _class_of(
    values: Mapping[str, NDArray[np.float64] | NDArray[np.int32]],
    column: Column,
    edges: Mapping[str, NDArray[np.float64]],
) -> NDArray[np.int64]:
    own = values[column.name]
    if column.type.has_levels:
        return np.where(own < 0, len(column.levels), own).astype(np.int64)
    inner = edges[column.name]
    return np.where(np.isnan(own), len(inner) + 1, np.searchsorted(inner, own)).astype(np.int64)


def _edges(values: NDArray[np.generic], bins: int) -> NDArray[np.float64]:
    """Return the upper ends of all classes but the last, which is open like the first.

    A number that has no more values than there are bins keeps each value as a class.
    """
    known = np.asarray(values, np.float64)[~np.isnan(np.asarray(values, np.float64))]
    distinct = np.unique(known)
    if len(distinct) <= bins:
        return distinct[:-1]
    inner = np.arange(1, bins) / bins
    return np.unique(np.quantile(known, inner, method="inverted_cdf"))


def _counted(
    keys: NDArray[np.int64], values: NDArray[np.int64], shape: tuple[int, int]
) -> csr_array:
    ones = np.ones(len(keys), np.int64)
    return csr_array(coo_array((ones, (keys, values)), shape=shape))


def _split(release: Release, ranks: NDArray[np.int64]) -> Classes:
    tables = release.tables
    ends = np.cumsum([table.rows for table in tables.values()])[:-1]
    return dict(zip(tables, np.split(ranks, ends), strict=True))
