"""Data frames as raw tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from privgate.data.raw import RawTable, repeated_name
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    import pandas as pd


def raw_from_frame(frame: pd.DataFrame, name: str) -> RawTable:
    """Return a data frame as a raw table; the index is not part of it.

    Raises
    ------
    InputError
        If the frame has no rows or columns, or two columns of one name.
    """
    source = f"{name} (data frame)"
    names = [str(label) for label in frame.columns]
    repeated = repeated_name(names)
    if repeated:
        raise InputError(Problem(repeated, file=source, remedy="give each column its own name"))
    if not names or frame.empty:
        what = "rows" if names else "columns"
        raise InputError(Problem(f"the table has no {what}", file=source))
    columns = {}
    for place, label in enumerate(names):
        try:
            columns[label] = _cells(frame.iloc[:, place])
        except UnicodeEncodeError:
            where = f"column {label!r}"
            remedy = "decode the text with the right encoding"
            message = "the column holds text that is not valid Unicode"
            raise InputError(Problem(message, file=source, path=where, remedy=remedy)) from None
    return RawTable(
        source=source,
        file=source,
        format="data frame",
        sha256=None,
        columns=columns,
        rows=len(frame),
    )


def _cells(series: pd.Series) -> pa.ChunkedArray:
    """Return a column's cells; values that Arrow has no common type for become their text."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype if _is_plain(series) else "object")
    try:
        found = pa.array(series, from_pandas=True)
        if isinstance(found.type, pa.BaseExtensionType):
            found = _as_text(series)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        found = _as_text(series)
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def _is_plain(series: pd.Series) -> bool:
    """Return whether the categories' own type can hold the column, missing values included."""
    from pandas.api.types import (  # noqa: PLC0415 - slow to import
        is_bool_dtype,
        is_integer_dtype,
    )

    kind = series.cat.categories.dtype
    return not (is_integer_dtype(kind) or is_bool_dtype(kind))


def _as_text(series: pd.Series) -> pa.Array:
    values = series.astype("object")
    absent = values.isna().to_numpy()
    texts = [
        None if gone else str(value) for value, gone in zip(values.tolist(), absent, strict=True)
    ]
    return pa.array(texts, pa.large_string())
