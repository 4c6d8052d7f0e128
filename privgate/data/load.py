"""Releases from a release file, from paths, or from data frames."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from privgate.data.array_assembly import assemble_arrays, read_arrays
from privgate.data.assembly import Description, RowOrder, all_or_problems, assemble, present
from privgate.data.columns import Distance
from privgate.data.documents import dotted, problem_at, read_document, validate
from privgate.data.explanations import explain
from privgate.data.files import holds_data, open_table
from privgate.data.frames import raw_from_frame
from privgate.data.memory import return_unused
from privgate.data.published import read_published
from privgate.data.reading import digested
from privgate.data.schema import (
    ArrayReleaseFile,
    ColumnDeclaration,
    Key,
    ReleaseFile,
    TableSource,
)
from privgate.errors import InputError, Problem
from privgate.executors import SERIAL

if TYPE_CHECKING:
    import pandas as pd

    from privgate.data.documents import Document
    from privgate.data.raw import RawTable
    from privgate.data.release import Release
    from privgate.evidence import JsonValue, TableName
    from privgate.executors import Executor


def load_release(
    path: Path, *, row_order: RowOrder = RowOrder.CANONICAL, executor: Executor = SERIAL
) -> Release:
    """Return the release that a release file describes, its data read and in canonical form.

    Parquet tables are read by the executor, column by column, other files by this process.

    Raises
    ------
    InputError
        If the release file, a table or an array cannot be used.
    """
    if holds_data(path):
        message = "this is data and not a release file"
        remedy = "`privgate init TRAIN SYNTHETIC --holdout HOLDOUT` writes one that names all three"
        raise InputError(Problem(message, file=str(path), remedy=remedy))
    document = read_document(path, error=InputError)
    if _kind(document) == "array":
        return _array_release(document, path.parent, row_order)
    described = validate(document, ReleaseFile, error=InputError)
    key = described.correspondence
    if isinstance(key, Key) and key.key not in described.columns:
        message = f"the column {key.key!r} is not declared"
        raise InputError(problem_at(document, ("correspondence", "key"), message, "declare it"))
    data = described.data
    sources = {
        name: source.model_copy(update={"path": str(path.parent / source.path)})
        for name, source in present(data.train, data.holdout, data.synthetic).items()
    }
    description = _description(described, described.columns)
    tables = read_tables(sources, executor)
    release = assemble(tables, description, row_order=row_order, executor=executor)
    return_unused()
    return release.accompanied_by(read_published(described.published, path.parent))


def _array_release(document: Document, folder: Path, row_order: RowOrder) -> Release:
    if "columns" in document.content:
        message = "an array release has no columns"
        raise InputError(problem_at(document, ("columns",), message, "remove them"))
    described = validate(document, ArrayReleaseFile, error=InputError)
    data = described.data
    distance = Distance(data.distance)
    arrays = read_arrays(
        {
            name: source.model_copy(update={"path": str(folder / source.path)})
            for name, source in present(data.train, data.holdout, data.synthetic).items()
        },
        distance,
    )
    published = read_published(described.published, folder)
    description = _description(described, {})
    release = assemble_arrays(arrays, description, distance=distance, row_order=row_order)
    return_unused()
    return release.accompanied_by(published)


def _description(
    described: ReleaseFile | ArrayReleaseFile, columns: Mapping[str, ColumnDeclaration]
) -> Description:
    return Description(
        name=described.name,
        unit=described.unit,
        columns=columns,
        correspondence=_correspondence(described.correspondence),
        generator=described.generator,
        context=described.context,
    )


def release_from_tables(
    *,
    train: Path | TableSource,
    synthetic: Path | TableSource,
    holdout: Path | TableSource | None = None,
    columns: Mapping[str, ColumnDeclaration | Mapping[str, Any]],
    name: str,
    unit: str = "person",
    row_order: RowOrder = RowOrder.CANONICAL,
    executor: Executor = SERIAL,
) -> Release:
    """Return the release that table files make under declared columns.

    Parquet tables are read by the executor, column by column, other files by this process.

    Raises
    ------
    InputError
        If a table or declaration cannot be used.
    """
    sources = present(train, holdout, synthetic)
    description = Description(name=name, unit=unit, columns=_declared(columns))
    tables = read_tables(sources, executor)
    release = assemble(tables, description, row_order=row_order, executor=executor)
    return_unused()
    return release


def release_from_frames(
    *,
    train: pd.DataFrame,
    synthetic: pd.DataFrame,
    holdout: pd.DataFrame | None = None,
    columns: Mapping[str, ColumnDeclaration | Mapping[str, Any]],
    name: str = "release",
    unit: str = "person",
    row_order: RowOrder = RowOrder.CANONICAL,
) -> Release:
    """Return the release that data frames make under declared columns.

    Raises
    ------
    InputError
        If a frame or declaration cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 47], "sex": ["f", None]})
    >>> release = release_from_frames(
    ...     train=frame,
    ...     synthetic=frame,
    ...     columns={
    ...         "age": {"type": "numeric", "role": "quasi_identifier"},
    ...         "sex": {"type": "categorical", "role": "sensitive"},
    ...     },
    ... )
    >>> release.train.values["sex"].tolist(), release.columns[1].levels
    ([0, -1], ('f',))
    """
    frames = present(train, holdout, synthetic)
    tables = all_or_problems(
        {table: partial(raw_from_frame, frame, table) for table, frame in frames.items()}
    )
    description = Description(name=name, unit=unit, columns=_declared(columns))
    return assemble(tables, description, row_order=row_order)


def read_tables(
    sources: Mapping[TableName, Path | TableSource], executor: Executor = SERIAL
) -> dict[TableName, RawTable]:
    """Return tables as they are stored; the columns of a Parquet file are read when asked for.

    Raises
    ------
    InputError
        With the problems of all files.
    """
    full = {
        table: TableSource(path=str(source)) if isinstance(source, Path) else source
        for table, source in sources.items()
    }
    tables = all_or_problems(
        {table: partial(open_table, Path(source.path), source) for table, source in full.items()}
    )
    return digested(tables, executor)


def _kind(document: Document) -> JsonValue:
    """Return the kind of data that a release file speaks of."""
    data = document.content.get("data")
    kind = data.get("kind", "table") if isinstance(data, dict) else "table"
    if kind not in {"table", "array"}:
        message = f"{str(kind)[:60]!r} is not one of 'table' or 'array'"
        raise InputError(problem_at(document, ("data", "kind"), message))
    return kind


def _declared(
    columns: Mapping[str, ColumnDeclaration | Mapping[str, Any]],
) -> dict[str, ColumnDeclaration]:
    found: dict[str, ColumnDeclaration] = {}
    problems: list[Problem] = []
    for name, given in columns.items():
        content: Any = dict(given) if isinstance(given, Mapping) else given
        try:
            found[name] = ColumnDeclaration.model_validate(content)
        except ValidationError as error:
            for place, message, remedy in explain(error, content=content, model=ColumnDeclaration):
                path = dotted(("columns", name, *place))
                problems.append(Problem(message, path=path, remedy=remedy))
    if problems:
        raise InputError(problems)
    return found


def _correspondence(declared: str | Key) -> JsonValue:
    if isinstance(declared, Key):
        return {"key": declared.key}
    return None if declared == "none" else declared
