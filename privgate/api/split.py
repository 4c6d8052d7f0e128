"""Real people divided into train and holdout before a generator sees any of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np
import pandas as pd

from privgate.api.units import Duplicates, chosen_units, row_labels, stratum_of, units_of
from privgate.data.explanations import did_you_mean
from privgate.data.raw import repeated_name
from privgate.errors import InputError, PrivgateWarning, Problem
from privgate.stats.rng import generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


class Split(NamedTuple):
    """Train and holdout; every row of the divided table is in exactly one of them."""

    train: pd.DataFrame
    holdout: pd.DataFrame


def split(
    data: pd.DataFrame,
    *,
    holdout: float = 0.5,
    groups: str | None = None,
    stratify: str | Sequence[str] = (),
    duplicates: Duplicates = "warn",
    seed: int = 0,
) -> Split:
    """Return train and holdout of a table of real people, divided by chance.

    Give train to the generator, and keep holdout away from it and from whoever tunes it.

    Parameters
    ----------
    holdout
        A share between 0 and 1 (a ``float``), or a number of rows (an ``int``).
    groups
        The column that says which rows belong together, such as the household or the person. No
        group is on both sides.
    stratify
        The column, or columns taken together, whose values shall be on both sides in the share
        asked for. A missing value is a value of its own. Put numbers into classes first.
    duplicates
        Rows that are equal in every column but ``groups`` may fall on both sides. ``"warn"`` tells
        how many did; ``"together"`` keeps equal rows, and all groups that they connect, on one
        side.
    seed
        Another seed is another division.

    Returns
    -------
    Split
        Train and holdout, in the order and with the index of the given table.

    Raises
    ------
    InputError
        If a group is missing, there are too few of them, or a value of ``stratify`` cannot be on
        both sides.

    Warns
    -----
    PrivgateWarning
        If equal rows are on both sides, or groups are so large that the holdout misses the rows
        asked for by more than a tenth.

    Notes
    -----
    Without groups the holdout has exactly the rows asked for, and of each stratum the share asked
    for to within one row. With groups, units of one kind (as many rows in each stratum) are divided
    in the share asked for to within one unit; which kinds give one more is chosen so that the rows
    in all and in each stratum come as near to the share as such choices, made from the largest kind
    to the smallest, get.

    The rows on each side depend on the rows' content (and dtypes), ``groups`` included, and on the
    seed, not on the order of the rows or the index. Equal rows are interchangeable in this.

    Equal rows of different people, which coarse columns have, are no fault: to keep them together
    makes holdout less like train than chance would. ``"together"`` is for repeats of one person
    that no column tells.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"household": [1, 1, 2, 2, 3, 3, 4, 4], "age": range(30, 38)})
    >>> train, holdout = split(people, groups="household", seed=1)
    >>> len(train), len(holdout), set(train["household"]) & set(holdout["household"])
    (4, 4, set())
    """
    strata = [stratify] if isinstance(stratify, str) else list(stratify)
    _require_usable(data, groups, strata, duplicates)
    rows = _asked_rows(holdout, len(data))
    labels = row_labels(data, groups)
    units = units_of(data, labels, groups=groups, strata=strata, duplicates=duplicates)
    chosen = chosen_units(units, rows / len(data), labels, generator(seed, "split"))
    held = chosen[units.of_row]
    _require_both_sides(held, data, groups, strata)
    _warn_of_sizes(int(held.sum()), rows)
    if duplicates == "warn":
        _warn_of_duplicates(labels.content, held)
    return Split(data[~held], data[held])


def _asked_rows(holdout: float, rows: int) -> int:
    is_share = isinstance(holdout, float)
    asked = round(holdout * rows) if is_share and np.isfinite(holdout) else holdout
    if isinstance(holdout, bool) or not 1 <= asked <= rows - 1:
        message = f"a holdout of {holdout!r} cannot be taken from {rows} rows"
        remedy = (
            "give a share between 0 and 1 (0.5), or a number of rows, so that both sides have some"
        )
        raise InputError(Problem(message, path="holdout", remedy=remedy))
    return int(asked)


def _require_usable(
    data: object, groups: str | None, strata: Sequence[str], duplicates: str
) -> None:
    if not isinstance(data, pd.DataFrame):
        message = f"the table is of type {type(data).__name__}"
        raise InputError(Problem(message, path="data", remedy="give a pandas.DataFrame"))
    repeated = repeated_name([str(name) for name in data.columns])
    problems = [Problem(repeated, path="data")] if repeated else []
    if duplicates not in get_args(Duplicates):
        remedy = did_you_mean(str(duplicates), get_args(Duplicates))
        problems.append(Problem(f"{duplicates!r} is unknown", path="duplicates", remedy=remedy))
    named = [*(("groups", name) for name in [groups] if name is not None)]
    named += [("stratify", name) for name in strata]
    for path, name in named:
        if name not in data.columns:
            remedy = did_you_mean(str(name), map(str, data.columns))
            problems.append(Problem(f"there is no column {name!r}", path=path, remedy=remedy))
    if problems:
        raise InputError(problems)
    if groups is not None:
        _require_groups(data[groups])


def _require_groups(column: pd.Series) -> None:
    missing = column.isna().to_numpy()
    if missing.any():
        message = f"the group is missing in {int(missing.sum())} rows, the first is row "
        message += f"{int(missing.argmax()) + 1}"
        remedy = "give each of these rows its group, or one of its own"
        raise InputError(Problem(message, path=f"column {column.name!r}", remedy=remedy))
    groups = column.nunique()
    if groups < 2:
        message = f"there are {groups} groups, and both sides need one"
        raise InputError(Problem(message, path=f"column {column.name!r}"))


def _require_both_sides(
    held: NDArray[np.bool_], data: pd.DataFrame, groups: str | None, strata: Sequence[str]
) -> None:
    if not 0 < int(held.sum()) < len(held):
        message = "the groups are too few or too large to be divided in this share"
        path = "duplicates" if groups is None else f"column {groups!r}"
        raise InputError(Problem(message, path=path, remedy="ask for another share"))
    stratum = stratum_of(data, strata)
    counts = np.bincount(stratum), np.bincount(stratum[held], minlength=int(stratum.max()) + 1)
    lost = (counts[1] == 0) | (counts[1] == counts[0])
    if strata and lost.any():
        first = int(lost[stratum].argmax()) + 1
        message = f"{int(lost.sum())} of {len(lost)} values are on one side only, as the value in "
        message += f"row {first}"
        remedy = "join values that few rows or groups have, or leave the column out"
        path = ", ".join(f"column {name!r}" for name in strata)
        raise InputError(Problem(message, path=path, remedy=remedy))


def _warn_of_sizes(found: int, asked: int) -> None:
    if abs(found - asked) > max(1, asked / 10):
        message = f"the holdout has {found} rows, not {asked} as asked for: groups are too large"
        warnings.warn(message, PrivgateWarning, stacklevel=3)


def _warn_of_duplicates(content: NDArray[np.uint64], held: NDArray[np.bool_]) -> None:
    shared = int(np.isin(content[held], content[~held]).sum())
    if shared:
        warnings.warn(
            f"{shared} of {int(held.sum())} holdout rows are also rows of train, in every column "
            "but that of groups; if they are the same people, divide with duplicates='together' "
            "or by groups",
            PrivgateWarning,
            stacklevel=3,
        )


def folds_of(
    data: pd.DataFrame,
    *,
    folds: int,
    groups: str | None,
    stratify: str | Sequence[str],
    seed: int,
) -> Iterator[NDArray[np.bool_]]:
    """Yield which rows are in each of several folds, divided like :func:`split`.

    Raises
    ------
    InputError
        If a fold would be empty, or without a value of ``stratify``.
    """
    strata = [stratify] if isinstance(stratify, str) else list(stratify)
    _require_usable(data, groups, strata, "warn")
    left = np.arange(len(data))
    for place in range(folds):
        part = data.iloc[left]
        if place == folds - 1:
            held = np.ones(len(left), np.bool_)
        else:
            labels = row_labels(part, groups)
            units = units_of(part, labels, groups=groups, strata=strata)
            rng = generator(seed, f"fold {place + 1}")
            chosen = chosen_units(units, 1 / (folds - place), labels, rng)
            held = chosen[units.of_row]
            _require_both_sides(held, part, groups, strata)
        found = np.zeros(len(data), np.bool_)
        found[left[held]] = True
        yield found
        left = left[~held]
