"""PRIVET's copy experiment: parts of real rows are written into others, and measures look for it.

A panel of haplotypes is split at random into train, holdout and a third part that plays the
release. The first ``f_fake`` of its rows each get a random ``f_copy`` of the positions of the train
row nearest to them. Which rows are copies is then known, so that whoever names rows can be judged
by recall (of the copies, how many are named) and precision (of the named, how many are copies).

Reference: Szatkownik et al. 2025, arXiv 2510.24233.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privgate.data import RowOrder, release_from_arrays
from privgate.encoding import binary_space
from privgate.metrics import Inputs
from privgate.metrics.attacks.privet import PrivetParams, privet
from privgate.metrics.leak_model import LeakModel
from privgate.metrics.screens.c_t import CTParams, c_t
from privgate.metrics.screens.fld import FldParams, fld
from privgate.metrics.screens.in_auth import InAuthParams, in_auth
from privgate.metrics.screens.pqmass import PqmassParams, pqmass
from privgate.metrics.screens.privacy_loss import PrivacyLossParams, privacy_loss
from privgate.neighbors import Neighbours
from privgate.stats.extremes import FitMode

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.contract import Measured

    Bits = NDArray[np.uint8]
    Figures = dict[str, float]

PLAIN = ("pl", "p_pl", "n_leaks_tail")
ROUNDING = 1e-9


@dataclass(frozen=True)
class Panel:
    """Haplotypes of one source: how many make a part, how rare a variant may be, other sizes.

    ``sizes`` are numbers of train and holdout rows for the study of unequal ones, ``records`` the
    rows of the release in it.
    """

    name: str
    rows: int
    rarest: float
    sizes: tuple[tuple[int, int], ...]
    records: int

    @property
    def least(self) -> int:
        """Return how many haplotypes the studies need."""
        return max(3 * self.rows, *(sum(pair) + self.records for pair in self.sizes))


PANELS = {
    panel.name: panel
    for panel in (
        Panel("kgp-805", 320, 0.0, ((200, 400), (160, 480), (400, 200), (480, 160)), 320),
        Panel("kgp-chr20", 200, 0.01, ((270, 130), (130, 270)), 200),
    )
}


class Leak(NamedTuple):
    """The share of rows that hold copied positions, and the share of positions copied in each."""

    f_fake: float
    f_copy: float

    def rows(self, size: int) -> int:
        """Return how many of ``size`` rows are copies."""
        return math.ceil(self.f_fake * size - ROUNDING)


class Parts(NamedTuple):
    """The rows of train, holdout and release."""

    train: Bits
    holdout: Bits
    synthetic: Bits


def haplotypes(file: Path, rarest: float) -> Bits:
    """Return a 0/1 matrix, one row per haplotype, without variants rarer than ``rarest``.

    The file is an ``.npz`` of ``bits`` (``numpy.packbits`` of the matrix along its rows) and
    ``n_snps``.
    """
    stored = np.load(file)
    matrix: Bits = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    frequency = matrix.mean(axis=0)
    return matrix[:, np.minimum(frequency, 1 - frequency) >= rarest]


def split(matrix: Bits, sizes: tuple[int, int, int], seed: int) -> Parts:
    """Return disjoint parts of so many rows, drawn at random.

    Raises
    ------
    ValueError
        If there are too few rows.
    """
    if sum(sizes) > len(matrix):
        raise ValueError(f"{sum(sizes)} rows are asked for, the panel has {len(matrix)}")
    drawn = matrix[np.random.default_rng(seed).permutation(len(matrix))[: sum(sizes)]]
    return Parts(*np.split(drawn, np.cumsum(sizes)[:2]))


def with_copies(parts: Parts, leak: Leak, rng: Generator) -> Parts:
    """Return the parts with a leak planted into the first rows of the release."""
    train, holdout, synthetic = parts
    rows, width = leak.rows(len(synthetic)), synthetic.shape[1]
    if not rows:
        return parts
    near = Neighbours(binary_space(train, synthetic[:rows])).synthetic_to_real
    source = train[near.nearest(np.ones(len(train), bool)).index]
    positions = np.arange(width) < int(leak.f_copy * width + ROUNDING)
    copied = rng.permuted(np.tile(positions, (rows, 1)), axis=1)
    leaky = np.where(copied, source, synthetic[:rows])
    return Parts(train, holdout, np.vstack([leaky, synthetic[rows:]]))


def inputs_of(parts: Parts, distance: str = "hamming") -> Inputs:
    """Return the parts as a release whose rows keep their order."""
    kind = np.uint8 if distance == "hamming" else np.float64
    train, holdout, synthetic = (part.astype(kind) for part in parts)
    return Inputs(
        release=release_from_arrays(
            train=train,
            holdout=holdout,
            synthetic=synthetic,
            distance=distance,
            row_order=RowOrder.GIVEN,
        )
    )


def measured(parts: Parts, copies: int, *, permutations: int, rng: Generator) -> Figures:
    """Return PRIVET as published, In-Auth, C_T and privacy loss of one release.

    The first ``copies`` rows of the release are copies. Whoever names rows has, beside the number
    of them, a recall and a precision, NaN where nothing was copied or named. ``in_auth_shuffled``
    is the same number of rows, named at random.
    """
    inputs = inputs_of(parts)
    asked = PrivetParams(fit="ols_tail", rescale="none", permutations=permutations)
    found = privet.measure(inputs, asked, rng)
    scores = found.records[0].scores
    authentic = in_auth.measure(inputs, InAuthParams(permutations=0), rng).records[0].scores
    marks = {
        "npl": scores.get("rank_leak"),
        "npl_decimated": scores.get("decimated_leak"),
        "npl_point": scores.get("point_leak"),
        "in_auth": authentic["in_authentic"],
        "in_auth_shuffled": rng.permutation(authentic["in_authentic"]),
    }
    figures = {name: value(found, name) for name in PLAIN}
    figures["c_t"] = value(c_t.measure(inputs, CTParams(permutations=0), rng), "c_t")
    loss = privacy_loss.measure(inputs, PrivacyLossParams(permutations=0), rng)
    figures["privacy_loss"] = value(loss, "privacy_loss")
    for name, named in marks.items():
        figures |= naming(name, named, copies)
    return figures


def naming(name: str, named: NDArray[np.generic] | None, copies: int) -> Figures:
    """Return how many rows are named, recall and precision; ``None`` names are not known."""
    if named is None:
        return dict.fromkeys((name, f"{name}_recall", f"{name}_precision"), math.nan)
    count, hits = int(named.sum()), int(named[:copies].sum())
    return {
        name: float(count),
        f"{name}_recall": hits / copies if copies else math.nan,
        f"{name}_precision": hits / count if copies and count else math.nan,
    }


def forced(parts: Parts, copies: int) -> Figures:
    """Return the published count even where PRIVET calls itself not applicable, and if it does.

    It refuses where fewer than 10 distinct distances can be fitted. ``applicable`` is 1 or 0.
    """
    neighbours = inputs_of(parts).neighbours()
    model = LeakModel(neighbours=neighbours, fit=FitMode.OLS_TAIL, quantile=0.2, rescaled=False)
    scores = model.relabelled(neighbours.train).scores
    named = None if scores is None else scores.rank_score <= PrivetParams().tau
    applicable = float(model.observed().scores is not None)
    return naming("npl", named, copies) | {"applicable": applicable}


def density_gaps(parts: Parts, *, tessellations: int, rng: Generator) -> Figures:
    """Return the gaps of FLD, on the 0/1 positions as coordinates, and of PQMass."""
    dense = fld.measure(inputs_of(parts, "euclidean"), FldParams(), rng)
    cells = pqmass.measure(inputs_of(parts), PqmassParams(tessellations=tessellations), rng)
    return {"fld": value(dense, "gap"), "pqmass": value(cells, "gap")}


def value(found: Measured, name: str) -> float:
    """Return a figure; NaN where it is not known."""
    known = found.figures[name].value
    return math.nan if known is None else float(known)


def mean(found: list[Figures], name: str) -> float:
    """Return the mean of a figure over the splits where it is known; NaN if it never is."""
    known = [one[name] for one in found if not math.isnan(one[name])]
    return float(np.mean(known)) if known else math.nan


def unequal(parts: Parts, *, permutations: int, seed: int) -> Figures:
    """Return PL with and without carrying the law over to the sizes, and the test's p."""
    inputs = inputs_of(parts)
    found = {
        rule: privet.measure(
            inputs,
            PrivetParams(fit="ols_tail", rescale=rule, permutations=draws),
            np.random.default_rng(seed),
        )
        for rule, draws in (("hazard", permutations), ("none", 0))
    }
    losses = {rule: value(own, "pl") for rule, own in found.items()}
    return losses | {"p_pl": value(found["hazard"], "p_pl")}
