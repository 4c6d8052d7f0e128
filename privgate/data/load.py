"""Releases from a release file, from paths, or from data frames."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from privgate.data.assembly import Description, RowOrder, assemble
from privgate.data.documents import dotted, problem_at, read_document, validate
from privgate.data.explanations import explain
from privgate.data.files import read_table
from privgate.data.frames import raw_from_frame
from privgate.data.schema import ColumnDeclaration, Key, ReleaseFile, TableSource
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from privgate.data.documents import Document
    from privgate.data.raw import RawTable
    from privgate.data.release import Release
    from privgate.evidence import JsonValue, TableName


def load_release(path: Path, *, row_order: RowOrder = RowOrder.CANONICAL) -> Release:
    """Return the release that a release file describes, its tables read and in canonical form.

    Raises
    ------
    InputError
        If the release file or a table cannot be used.
    """
    document = read_document(path, error=InputError)
    _refuse_arrays(document)
    described = validate(document, ReleaseFile, error=InputError)
    key = described.correspondence
    if isinstance(key, Key) and key.key not in described.columns:
        message = f"the column {key.key!r} is not declared"
        raise InputError(problem_at(document, ("correspondence", "key"), message, "declare it"))
    tables = read_tables(
        {
            name: source.model_copy(update={"path": str(path.parent / source.path)})
            for name, source in described.data.present().items()
        }
    )
    description = Description(
        name=described.name,
        unit=described.unit,
        columns=described.columns,
        correspondence=_correspondence(key),
        generator=described.generator,
        context=described.context,
    )
    return assemble(tables, description, row_order=row_order)


def release_from_tables(
    *,
    train: Path | TableSource,
    synthetic: Path | TableSource,
    holdout: Path | TableSource | None = None,
    columns: Mapping[str, ColumnDeclaration | Mapping[str, Any]],
    name: str,
    unit: str = "person",
    row_order: RowOrder = RowOrder.CANONICAL,
) -> Release:
    """Return the release that table files make under declared columns.

    Raises
    ------
    InputError
        If a table or declaration cannot be used.
    """
    given: dict[TableName, Path | TableSource | None]
    given = {"train": train, "holdout": holdout, "synthetic": synthetic}
    tables = read_tables({table: source for table, source in given.items() if source is not None})
    description = Description(name=name, unit=unit, columns=_declared(columns))
    return assemble(tables, description, row_order=row_order)


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
    given: dict[TableName, pd.DataFrame | None]
    given = {"train": train, "holdout": holdout, "synthetic": synthetic}
    frames = {table: frame for table, frame in given.items() if frame is not None}
    tables = _all_or_problems(
        {table: _reader(raw_from_frame, frame, table) for table, frame in frames.items()}
    )
    description = Description(name=name, unit=unit, columns=_declared(columns))
    return assemble(tables, description, row_order=row_order)


def read_tables(sources: Mapping[TableName, Path | TableSource]) -> dict[TableName, RawTable]:
    """Return tables as they are stored.

    Raises
    ------
    InputError
        With the problems of all files.
    """
    full = {
        table: TableSource(path=str(source)) if isinstance(source, Path) else source
        for table, source in sources.items()
    }
    return _all_or_problems(
        {table: _reader(read_table, Path(source.path), source) for table, source in full.items()}
    )


def _refuse_arrays(document: Document) -> None:
    data = document.content.get("data")
    if isinstance(data, dict) and data.get("kind") == "array":
        message = "arrays are not supported by this version"
        raise InputError(problem_at(document, ("data", "kind"), message, "give tables"))


def _reader(read: Callable[..., RawTable], *arguments: object) -> Callable[[], RawTable]:
    return lambda: read(*arguments)


def _all_or_problems(
    readers: Mapping[TableName, Callable[[], RawTable]],
) -> dict[TableName, RawTable]:
    found: dict[TableName, RawTable] = {}
    problems: list[Problem] = []
    for table, read in readers.items():
        try:
            found[table] = read()
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return found


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
