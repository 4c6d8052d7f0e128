"""The tables of the copy experiment: ours, the published figures and earlier ones side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from copies import Leak, mean
from copy_maps import share
from pages import number, table
from published import (
    AT_MOST_COPIES,
    FRONT,
    IN_AUTH_NOTEBOOK,
    PRIVET_COPIES,
    PRIVET_ROWS,
    SHUFFLED_BEFORE,
    SIZES_BEFORE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from copies import Figures

    Cells = Mapping[Leak, list[Figures]]
    Columns = Sequence[tuple[str, str, int]]

# A figure, its title and its decimals.
NAMED = (("npl", "NPL", 1), ("npl_recall", "recall", 2), ("npl_precision", "precision", 2))
FEW = (("applicable", "applicable", 2), *NAMED)
COMPARED = (
    *NAMED,
    ("in_auth", "In-Auth", 0),
    ("in_auth_recall", "recall", 2),
    ("in_auth_precision", "precision", 2),
    ("c_t", "C_T", 2),
    ("privacy_loss", "privacy loss", 3),
)
NAMING = (
    ("pl", "PL", 2),
    ("p_pl_rejected", "splits with `p_pl` ≤ 0.05", 2),
    ("n_leaks_tail", "`n_leaks_tail`", 1),
    ("npl_decimated", "`npl_decimated`", 1),
    ("npl_decimated_recall", "recall", 2),
    ("npl_decimated_precision", "precision", 2),
    ("npl_point", "`npl_point`", 1),
    ("npl_point_recall", "recall", 2),
    ("npl_point_precision", "precision", 2),
)


def beside_table(
    cells: Cells, earlier: Mapping[tuple[float, float], dict[str, float]], columns: Columns
) -> str:
    """Return means over the splits, each before what another implementation gave, if it did."""
    rows = []
    for leak, found in cells.items():
        theirs = earlier.get(leak, {})
        texts = [number(mean(found, name), digits) for name, _, digits in columns]
        for place, (name, _, _) in enumerate(columns):
            if not math.isnan(theirs.get(name, math.nan)):
                texts[place] += f" / {theirs[name]:g}".replace("-", "\N{MINUS SIGN}")
        rows.append([leak_text(leak), *texts])
    return table([LEAK_HEAD, *(title for _, title, _ in columns)], rows)


LEAK_HEAD = "rows × positions copied"


def leak_text(leak: Leak) -> str:
    """Return a leak in per cent of rows and of positions in each."""
    return f"{share(leak.f_fake)} × {share(leak.f_copy)}" if leak.f_fake else "none"


def published_table(cells: Cells, size: int) -> str:
    """Return the share of records named, recall and precision, published and ours."""
    rows = []
    for pair, theirs in PRIVET_COPIES.items():
        found = cells[Leak(*pair)]
        ours = (mean(found, "npl") / size, mean(found, "npl_recall"), mean(found, "npl_precision"))
        published = (theirs.npl / PRIVET_ROWS, theirs.recall, theirs.precision)
        both = zip(published, ours, strict=True)
        rows.append([leak_text(Leak(*pair)), *(number(one, 2) for pair in both for one in pair)])
    head = [
        f"{name}, {whose}"
        for name in ("NPL / rows", "recall", "precision")
        for whose in ("published", "ours")
    ]
    return table([LEAK_HEAD, *head], rows)


def shuffled_table(cells: Cells, panel: str) -> str:
    """Return In-Auth's recall and precision: of its own mask, of the mask shuffled, published."""
    rows = []
    for pair, notebook in IN_AUTH_NOTEBOOK.items():
        found, leak = cells[Leak(*pair)], Leak(*pair)
        before = SHUFFLED_BEFORE[pair] if panel == "kgp-805" else (math.nan, math.nan)
        own, shuffled = (
            (mean(found, f"{mask}_recall"), mean(found, f"{mask}_precision"))
            for mask in ("in_auth", "in_auth_shuffled")
        )
        named = number(mean(found, "in_auth_share"), 2)
        rows.append([leak_text(leak), named, *map(_pair, (own, shuffled, before, notebook))])
    head = ["named", "recall, precision", "shuffled", "shuffled, another implementation"]
    return table([LEAK_HEAD, *head, "the authors' notebook"], rows)


def _pair(figures: tuple[float, float]) -> str:
    return "–" if math.isnan(figures[0]) else ", ".join(number(one, 2) for one in figures)


def most_table(cells: Cells, slow: Cells) -> str:
    """Return the measures that name nobody, at the ends of the grid."""
    least, most = min(slow), max(slow)
    rows = [
        [f"`{name}`", *(number(one, 2) for one in (published, *ours))]
        for name, published in AT_MOST_COPIES.items()
        for own in [slow if name in slow[most][0] else cells]
        for ours in [(mean(own[most], name), mean(own[least], name))]
    ]
    return table(["measure", f"published, {leak_text(most)}", "ours", leak_text(least)], rows)


def front_table(fronts: Mapping[float, Cells]) -> str:
    """Return where leaks begin to be counted, published and ours."""
    rows = []
    for fake, cells in fronts.items():
        seen = [
            leak.f_copy
            for leak, found in cells.items()
            if np.median([one["npl"] for one in found]) >= 1
        ]
        ours = share(min(seen)) if seen else "–"
        rows.append([share(fake), share(FRONT[fake]), ours])
    return table(["rows copied", "positions copied, published", "ours"], rows)


def sizes_table(found: Mapping[tuple[int, int], list[Figures]]) -> str:
    """Return the mean PL by the sizes, with and without carrying the law over to them."""
    rows = []
    for (train, holdout), own in found.items():
        before = SIZES_BEFORE.get((train, holdout), (math.nan, math.nan))
        p_values = np.array([one["p_pl"] for one in own])
        rows.append(
            [
                *(str(train), str(holdout)),
                *(number(mean(own, "hazard"), 2), number(before[0], 2)),
                *(number(mean(own, "none"), 2), number(before[1], 2)),
                f"{int((p_values <= 0.05).sum())} of {len(own)}",
            ]
        )
    head = ["train", "holdout", "PL, hazard rule", "another implementation", "PL, no rule"]
    return table([*head, "another implementation", "`p_pl` ≤ 0.05"], rows)
