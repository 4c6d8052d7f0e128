"""Releases that leak nothing by construction, made of the tables at hand.

Three of them, because no single one fits every rule: people the generator never saw in the place of
the synthetic table; the real people divided anew into train and holdout, so that the synthetic
table was learned from both alike; and a synthetic table whose secrets are shuffled, so that every
attacker is trained anew on a release from which nothing can be inferred.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.data import Role, with_tables
from privgate.data.columns import Table
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release


def holdout_as_synthetic(release: Release, rng: Generator) -> Release:
    """Return a release that publishes a random half of the holdout, the other half its holdout.

    As these people are as unknown to train as those they are compared with, nothing leaks.

    Raises
    ------
    InputError
        If there is no holdout of at least two rows.
    """
    holdout = _holdout(release)
    order = rng.permutation(holdout.rows)
    middle = holdout.rows // 2
    return with_tables(
        release,
        {"synthetic": holdout.take(order[:middle]), "holdout": holdout.take(order[middle:])},
    )


def relabelled(release: Release, rng: Generator) -> Release:
    """Return the release with its real people divided anew into tables of the same sizes.

    Raises
    ------
    InputError
        If there is no holdout.
    """
    holdout = _holdout(release)
    order = rng.permutation(release.train.rows + holdout.rows)
    own, other = np.split(order, [release.train.rows])
    return with_tables(
        release,
        {
            "train": _joined(release.train, holdout, own),
            "holdout": _joined(release.train, holdout, other),
        },
    )


def shuffled_secrets(release: Release, rng: Generator) -> Release:
    """Return the release with each sensitive column of the synthetic table shuffled by itself.

    Raises
    ------
    InputError
        If no column is sensitive.
    """
    secrets = release.with_role(Role.SENSITIVE)
    if not secrets:
        message = "no column is declared as sensitive, so there is no secret to shuffle"
        raise InputError(Problem(message))
    values = dict(release.synthetic.values)
    for column in secrets:
        values[column.name] = rng.permutation(values[column.name])
    return with_tables(release, {"synthetic": Table(values, release.synthetic.positions)})


def _holdout(release: Release) -> Table:
    if release.holdout is None or release.holdout.rows < 2:
        message = "without people the generator never saw there is no release known to be clean"
        raise InputError(Problem(message, remedy="give a holdout table"))
    return release.holdout


def _joined(train: Table, holdout: Table, index: NDArray[np.int64]) -> Table:
    """Return rows of both tables, counted through; identifiers that one lacks are left out."""
    matrices: list[NDArray[Any]]
    matrices = [table.matrix for table in (train, holdout) if table.matrix is not None]
    both = Table(
        {
            name: np.concatenate([train.values[name], holdout.values[name]])
            for name in train.values
            if name in holdout.values
        },
        np.arange(1, train.rows + holdout.rows + 1),
        np.concatenate(matrices) if matrices else None,
    )
    return replace(both.take(index), positions=np.arange(1, len(index) + 1))
