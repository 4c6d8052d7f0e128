"""What an engine is asked, and what it must answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from privgate.encoding import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

R = TypeVar("R", bound=Rows)


@dataclass(frozen=True)
class Question(Generic[R]):
    """Rows whose nearest base rows are wanted. No two queries are equal, and no two base rows.

    ``k`` nearest base rows are wanted of each query, and ``k_back`` nearest queries of each base
    row; 0 of a direction that nobody asks for. ``within`` is true when queries and base are the
    same rows: then the k nearest *other* rows of each row are wanted, and ``k_back`` is 0.
    """

    queries: R
    base: R
    k: int
    k_back: int = 0
    within: bool = False


@dataclass(frozen=True)
class Pairs:
    """Pairs of a query and a base row: ``query[i]`` with ``base[i]``."""

    query: NDArray[np.integer]
    base: NDArray[np.integer]

    @classmethod
    def none(cls) -> Pairs:
        """Return no pairs."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True)
class Candidates:
    """Pairs to be measured: some for the lists of the queries, some for those of the base rows."""

    forward: Pairs
    backward: Pairs


class Engine(Protocol):
    """Finds pairs of rows that may be nearest; another routine measures them and decides.

    An engine is made for one question. It is sent to every worker, so it can be pickled, and is not
    changed by work on a part.
    """

    def parts(self) -> Sequence[Any]:
        """Return the parts of the work, small things such as slices, the same on any machine."""
        ...

    def candidates(self, part: Any) -> Candidates:
        """Return the candidates of one part.

        Over all parts, ``forward`` holds for every query all of its k nearest base rows by
        (distance, index), distances being those of the rows' ``pair_distances``; ``backward`` holds
        for every base row its k_back nearest queries. More pairs may be there, none of them twice
        in one direction. Within one table the list of a row is made of both directions together: a
        pair found once may be given as forward for the one row and as backward for the other. A
        row with itself may be among the pairs or not.
        """
        ...
