"""One byte form of a JSON document (RFC 8785) and its digest."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import rfc8785

if TYPE_CHECKING:
    from pydantic import BaseModel

    from privgate.evidence.base import JsonValue


def document(model: BaseModel) -> dict[str, JsonValue]:
    """Return the JSON document of a model, aliases applied."""
    loaded: dict[str, JsonValue] = model.model_dump(mode="json", by_alias=True)
    return loaded


def canonical_bytes(content: JsonValue | BaseModel) -> bytes:
    """Return the canonical JSON of a model or JSON value: sorted keys, no blanks, shortest numbers.

    Raises
    ------
    ValueError
        If the content holds NaN, infinity or an integer beyond ±(2**53 - 1).

    Examples
    --------
    >>> canonical_bytes({"b": 1.0, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    plain = content if isinstance(content, dict | list | str | int | float | None) else None
    if plain is None and content is not None:
        plain = document(content)  # type: ignore[arg-type]
    return rfc8785.dumps(plain)


def digest(content: JsonValue | BaseModel) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal digits.

    Examples
    --------
    >>> digest({})
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
    """
    return sha256(canonical_bytes(content)).hexdigest()
