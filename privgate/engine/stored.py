"""The result of one measurement as bytes and back, without loss and without pickle."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.evidence import Measurement, canonical_bytes, document
from privgate.metrics import Records

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class StoredResult:
    """A measurement and the scores of single records that came with it."""

    measurement: Measurement
    records: tuple[Records, ...]

    def to_bytes(self) -> bytes | None:
        """Return all of it as bytes: JSON, then each array as NumPy stores it.

        ``None`` if it would not be read back as what it is.
        """
        head = {
            "measurement": document(self.measurement),
            "records": [
                {"table": entry.table, "scores": [*entry.scores], "named": entry.named is not None}
                for entry in self.records
            ],
        }
        text = json.dumps(head, allow_nan=False).encode()
        stream = io.BytesIO()
        stream.write(len(text).to_bytes(8, "big") + text)
        try:
            for array in _arrays(self.records):
                np.save(stream, array, allow_pickle=False)
            again = self.from_bytes(stream.getvalue())
        except (ValueError, KeyError):
            return None
        same = canonical_bytes(again.measurement) == canonical_bytes(self.measurement)
        return stream.getvalue() if same else None

    @classmethod
    def from_bytes(cls, content: bytes) -> StoredResult:
        """Return the result that was stored.

        Raises
        ------
        ValueError, KeyError, EOFError
            If the bytes are not those of a result.
        """
        stream = io.BytesIO(content)
        length = int.from_bytes(stream.read(8), "big")
        head = json.loads(stream.read(length))
        records = tuple(_records(entry, stream) for entry in head["records"])
        if stream.read(1):
            raise ValueError("something follows the result")
        return cls(Measurement.model_validate(head["measurement"]), records)


def _arrays(records: tuple[Records, ...]) -> list[NDArray[np.generic]]:
    found: list[NDArray[np.generic]] = []
    for entry in records:
        found += [np.asarray(scores) for scores in entry.scores.values()]
        found += [] if entry.named is None else [np.asarray(entry.named)]
    return found


def _records(entry: dict[str, Any], stream: io.BytesIO) -> Records:
    scores = {name: np.load(stream, allow_pickle=False) for name in entry["scores"]}
    named = np.load(stream, allow_pickle=False) if entry["named"] else None
    return Records(table=entry["table"], scores=scores, named=named)
