"""From checked arrays to a release: rows in one order, facts without a number of a record."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from privgate.data.arrays import (
    ARRAY_DISTANCES,
    agreement_problems,
    array_from_memory,
    read_array,
)
from privgate.data.assembly import (
    Description,
    RowOrder,
    all_or_problems,
    present,
    raise_any,
    with_overlap,
)
from privgate.data.coherence import order_problems
from privgate.data.columns import Distance, Table
from privgate.data.explanations import did_you_mean
from privgate.data.facts import table_facts
from privgate.data.matrices import matrix_content
from privgate.data.release import Release
from privgate.errors import InputError, Problem
from privgate.evidence import ArrayFacts, ReleaseFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from privgate.data.arrays import RawArray
    from privgate.data.schema import ArraySource
    from privgate.evidence import TableFacts, TableName

_TREATMENTS = {
    Distance.HAMMING: "0/1 positions, all of which count alike",
    Distance.EUCLIDEAN: "coordinates as stored, not standardised: dimensions of a larger scale "
    "count for more",
    Distance.COSINE: "directions: the length of a row does not count",
}


def assemble_arrays(
    arrays: Mapping[TableName, RawArray],
    description: Description,
    *,
    distance: Distance,
    row_order: RowOrder,
) -> Release:
    """Return the release that arrays and their description make.

    Raises
    ------
    InputError
        With every way in which the arrays do not belong together.
    """
    raise_any([*agreement_problems(arrays), *order_problems(arrays, description.correspondence)])
    found = {name: _ordered(array, row_order) for name, array in arrays.items()}
    tables = {name: table for name, (table, _) in found.items()}
    facts = ReleaseFacts(
        name=description.name,
        unit=description.unit,
        kind="array",
        tables={name: facts for name, (_, facts) in found.items()},
        columns=(),
        array=ArrayFacts(
            dimensions=arrays["train"].dimensions,
            distance=cast("Literal['hamming', 'euclidean', 'cosine']", distance.value),
            stored={name: array.type for name, array in arrays.items()},
            treatment=_TREATMENTS[distance],
        ),
        correspondence=description.correspondence,
        generator=dict(description.generator),
        context=dict(description.context),
    )
    release = Release(
        columns=(),
        identifiers=(),
        train=tables["train"],
        synthetic=tables["synthetic"],
        holdout=tables.get("holdout"),
        facts=facts,
        distance=distance,
    )
    return with_overlap(release, arrays)


def release_from_arrays(
    *,
    train: ArrayLike,
    synthetic: ArrayLike,
    holdout: ArrayLike | None = None,
    distance: Distance | str,
    name: str = "release",
    unit: str = "person",
    row_order: RowOrder = RowOrder.CANONICAL,
) -> Release:
    """Return the release that numeric arrays make, one row per record.

    Parameters
    ----------
    distance
        ``hamming`` for arrays of 0 and 1, ``euclidean`` or ``cosine`` for coordinates, which are
        taken as they are: nothing is standardised.

    Raises
    ------
    InputError
        With all problems of all arrays.

    Examples
    --------
    >>> import numpy as np
    >>> release = release_from_arrays(
    ...     train=np.array([[0, 1, 1], [0, 0, 1]]),
    ...     synthetic=np.array([[True, True, True]]),
    ...     distance="hamming",
    ... )
    >>> release.facts.array.dimensions, release.facts.tables["train"].rows
    (3, 2)
    """
    if distance not in ARRAY_DISTANCES:
        known = [choice.value for choice in ARRAY_DISTANCES]
        raise InputError(
            Problem(
                f"the distance {str(distance)!r} is not one of arrays",
                path="distance",
                remedy=did_you_mean(str(distance), known),
            )
        )
    chosen = Distance(distance)
    arrays = all_or_problems(
        {
            table: partial(array_from_memory, given, table, chosen)
            for table, given in present(train, holdout, synthetic).items()
        },
        agreement_problems,
    )
    description = Description(name=name, unit=unit)
    return assemble_arrays(arrays, description, distance=chosen, row_order=row_order)


def release_from_array_files(
    paths: Mapping[TableName, Path], *, distance: Distance, name: str
) -> Release:
    """Return the release that array files make.

    Raises
    ------
    InputError
        With all problems of all files.
    """
    arrays = read_arrays(paths, distance)
    description = Description(name=name)
    return assemble_arrays(arrays, description, distance=distance, row_order=RowOrder.CANONICAL)


def read_arrays(
    sources: Mapping[TableName, Path | ArraySource], distance: Distance
) -> dict[TableName, RawArray]:
    """Return arrays as a distance needs them.

    Raises
    ------
    InputError
        With the problems of all files, and those between them.
    """
    named = {
        table: (source, None) if isinstance(source, Path) else (Path(source.path), source.array)
        for table, source in sources.items()
    }
    return all_or_problems(
        {
            table: partial(read_array, path, array, distance)
            for table, (path, array) in named.items()
        },
        agreement_problems,
    )


def _ordered(array: RawArray, row_order: RowOrder) -> tuple[Table, TableFacts]:
    """Return an array's rows in the order asked for, and what it is known by."""
    order, digests, distinct = matrix_content(array.matrix, dimensions=array.dimensions)
    facts = table_facts(array, columns=array.dimensions, digests=digests, distinct_rows=distinct)
    table = Table({}, np.arange(1, array.rows + 1), array.matrix)
    if row_order is RowOrder.CANONICAL:
        table = table.take(order)
    for part in (table.positions, table.matrix):
        if part is not None:
            part.setflags(write=False)
    return table, facts
