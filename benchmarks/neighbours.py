"""Measures exact neighbour search against scikit-learn's brute search on the same data.

``python benchmarks/neighbours.py`` prints CPU seconds as ratios: scikit-learn's
``NearestNeighbors(algorithm="brute")`` in float64 for the one nearest row is 1, under the Hamming
distance for haplotypes and the Euclidean one for all others (it has no Gower distance). All of a
round runs one after the other in one process, so that a busy machine slows both alike; a figure is
the median of the rounds. BLAS works in one thread. ``--share 0.1`` takes a tenth of the rows,
``--only low`` one of the data sets. The rows are invented: people with 6 numbers and 8 columns of
levels (30,000 rows, 108 coordinates once indicators are built), points near 64 centres in 768
dimensions (10,000), points near 4 dimensions of 20 (30,000), haplotypes of 65,535 positions
(1,668). As many rows again are the queries.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from privgate.encoding import BinaryRows, EuclideanRows, GowerRows
from privgate.neighbors import LIST_LENGTH, search_across, search_within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

LEVELS = (7, 16, 7, 14, 6, 5, 2, 42)  # of the columns of Adult
SEARCHES = {
    "1 →": lambda queries, base: search_across(queries, base, k=1, k_back=0),
    "1 ⇄": lambda queries, base: search_across(queries, base, k=1, k_back=1),
    f"{LIST_LENGTH} ⇄": search_across,
    f"{LIST_LENGTH} within": lambda _, base: search_within(base),
}


@dataclass(frozen=True)
class Case:
    """Rows, as privgate encodes them and as a matrix, and the ratio that was aimed at."""

    rows: int
    made: Callable[[int, Generator], tuple[Any, NDArray[np.float64]]]
    aim: str
    metric: str = "euclidean"


def people(
    rows: int, rng: Generator, *, kind: type[EuclideanRows | GowerRows]
) -> tuple[EuclideanRows | GowerRows, NDArray[np.float64]]:
    """Return people of 40 sorts, whose levels depend on the sort as a rule."""
    sort = rng.integers(0, 40, rows)
    numbers = rng.random((40, 6))[sort] + 0.2 * rng.random((rows, 6))
    levels = []
    for count in LEVELS:
        usual = rng.integers(0, count, 40)[sort]
        levels.append(np.where(rng.random(rows) < 0.7, usual, rng.integers(0, count, rows)))
    indicators = [
        column[:, None] == np.arange(count) for column, count in zip(levels, LEVELS, strict=True)
    ]
    matrix = np.column_stack([numbers, *indicators]).astype(np.float64)
    return kind(numbers, np.column_stack(levels).astype(np.int32)), matrix


def embeddings(rows: int, rng: Generator) -> tuple[EuclideanRows, NDArray[np.float64]]:
    """Return points around 64 centres in 768 dimensions that vary less and less."""
    centres, spread = rng.normal(size=(64, 768)), 0.7 / np.sqrt(1 + np.arange(768) / 8)
    return _numbers(centres[rng.integers(0, 64, rows)] + spread * rng.normal(size=(rows, 768)))


def low(rows: int, rng: Generator) -> tuple[EuclideanRows, NDArray[np.float64]]:
    """Return points near a space of 4 dimensions in one of 20."""
    matrix = rng.normal(size=(rows, 4)) @ rng.normal(size=(4, 20))
    return _numbers(matrix + 1e-3 * rng.normal(size=matrix.shape))


def haplotypes(rows: int, rng: Generator) -> tuple[BinaryRows, NDArray[np.float64]]:
    """Return mosaics of 60 ancestors."""
    frequency = rng.beta(0.5, 2, 65_535)
    ancestors = (rng.random((60, 65_535)) < frequency).astype(np.uint8)
    pieces = rng.integers(0, 60, (rows, 65_535 // 3_855))
    bits = np.concatenate(
        [
            ancestors[pieces[:, piece], piece * 3_855 : (piece + 1) * 3_855]
            for piece in range(pieces.shape[1])
        ],
        axis=1,
    )
    return BinaryRows.pack(bits), bits.astype(np.float64)


def _numbers(matrix: NDArray[np.float64]) -> tuple[EuclideanRows, NDArray[np.float64]]:
    return EuclideanRows(matrix, np.empty((len(matrix), 0), np.int32)), matrix


CASES = {
    "one-hot": Case(30_000, partial(people, kind=EuclideanRows), "0.5, both ways 0.6"),
    "embeddings": Case(10_000, embeddings, "0.65"),
    "low": Case(30_000, low, "0.08"),
    "gower": Case(30_000, partial(people, kind=GowerRows), "0.2"),
    "haplotypes": Case(1_668, haplotypes, "0.07", metric="hamming"),
}


def cpu_seconds(search: Callable[[], object]) -> float:
    """Return the processor time of this process that a search takes."""
    start = time.process_time()
    search()
    return time.process_time() - start


def ratios(case: Case, *, share: float, rounds: int) -> tuple[float, dict[str, float]]:
    """Return scikit-learn's seconds, and each search's as a ratio to them."""
    size = max(2, round(case.rows * share))
    rows, matrix = case.made(2 * size, np.random.default_rng(1))
    queries, base = rows.take(slice(0, size)), rows.take(slice(size, 2 * size))
    theirs = NearestNeighbors(n_neighbors=1, algorithm="brute", metric=case.metric)
    seconds, found = [], {name: [] for name in SEARCHES}
    for _ in range(rounds):
        seconds.append(cpu_seconds(lambda: theirs.fit(matrix[size:]).kneighbors(matrix[:size])))
        for name, search in SEARCHES.items():
            own = cpu_seconds(partial(search, queries, base))
            found[name].append(own / max(seconds[-1], 1e-9))
    return median(seconds), {name: median(values) for name, values in found.items()}


def main() -> int:
    """Print one line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(CASES), action="append")
    given = parser.parse_args()
    print("| data | scikit-learn, s |", " | ".join(SEARCHES), "| aimed at |")
    print("|--|--|" + "--|" * (len(SEARCHES) + 1))
    with threadpool_limits(1, user_api="blas"):
        for name in given.only or CASES:
            case = CASES[name]
            seconds, found = ratios(case, share=given.share, rounds=given.rounds)
            figures = " | ".join(f"{value:.3f}" for value in found.values())
            print(f"| {name} | {seconds:.2f} | {figures} | {case.aim} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
