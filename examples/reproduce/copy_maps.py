"""Heat maps of the copy experiment: how many records are copies, against how much of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from copies import Leak, mean
from pages import number

from privgate.report.svg import heat_map

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from copies import Figures

    Cells = Mapping[Leak, list[Figures]]

LEAST = 0.001  # in the place of 0, as in the paper


class Map(NamedTuple):
    """A figure as a heat map; ``ends`` are the palest and the deepest number."""

    figure: str
    title: str
    ends: tuple[float, float] = (0.0, 1.0)
    digits: int | None = None  # of a number; shares are in per cent

    def text(self, shown: float) -> str:
        """Return a number as it stands in its field."""
        return f"{100 * shown:.0f}%" if self.digits is None else number(shown, self.digits)


MAPS = (
    Map("npl_share", "PRIVET, NPL: share of records named"),
    Map("npl_recall", "PRIVET, NPL: recall"),
    Map("npl_precision", "PRIVET, NPL: precision"),
    Map("npl_decimated_recall", "PRIVET, decimated ranks: recall"),
    Map("npl_point_recall", "PRIVET, point score: recall"),
    Map("n_leaks_tail_share", "PRIVET: leaks by counting"),
    Map("pl", "PRIVET: privacy loss PL", (0.0, -40.0), 1),
    Map("p_pl_rejected", "PRIVET: splits with p_pl ≤ 0.05"),
    Map("in_auth_share", "In-Auth: share of records named"),
    Map("in_auth_recall", "In-Auth: recall"),
    Map("in_auth_precision", "In-Auth: precision"),
    Map("c_t", "C_T, one cell", (0.0, -8.0), 1),
    Map("privacy_loss", "Privacy loss", (0.0, 0.2), 3),
)
SLOW_MAPS = (
    Map("fld", "FLD generalisation gap", (0.0, -4.0), 1),
    Map("pqmass", "PQMass gap", (0.0, 15.0), 1),
)


def grid(steps: int) -> list[Leak]:
    """Return all pairs of evenly spaced shares, up to 0.4 of the records and 0.2 of positions."""
    ticks = [place / (steps - 1) or None for place in range(steps)]
    shares = [
        [LEAST if tick is None else round(most * tick, 4) for tick in ticks] for most in (0.4, 0.2)
    ]
    return [Leak(fake, copy) for fake in shares[0] for copy in shares[1]]


def drawn(cells: Cells, one: Map, *, panel: str, splits: int) -> str:
    """Return the heat map of one figure, its mean over the splits."""
    fakes = sorted({leak.f_fake for leak in cells}, reverse=True)
    copies = sorted({leak.f_copy for leak in cells})
    rows = [
        (f"copies are {share(fake)} of the records", [_mean(cells, fake, x, one) for x in copies])
        for fake in fakes
    ]
    return heat_map(
        rows,
        [share(copy) for copy in copies],
        identity=f"{panel}-{one.figure}".replace("_", "-"),
        title=f"{one.title}; {panel}",
        description=f"{one.title}, mean of {splits} splits of {panel}.",
        x_label=f"positions copied in each · {one.title}",
        ends=one.ends,
        text=one.text,
    )


def share(part: float) -> str:
    """Return a share in per cent with a decimal where it needs one.

    Examples
    --------
    >>> share(0.001), share(0.2)
    ('0.1 %', '20 %')
    """
    return f"{round(part * 100, 1):g} %"


def _mean(cells: Cells, fake: float, copy: float, one: Map) -> float | None:
    found = mean(cells[Leak(fake, copy)], one.figure)
    return None if math.isnan(found) else found


def with_shares(figures: Figures, rows: int) -> Figures:
    """Return figures with counts as shares of the records, and whether the test rejects."""
    p = figures["p_pl"]
    shares = {f"{name}_share": figures[name] / rows for name in ("npl", "in_auth", "n_leaks_tail")}
    return figures | shares | {"p_pl_rejected": math.nan if math.isnan(p) else float(p <= 0.05)}


def listed(names: Sequence[tuple[str, str]], folder: str) -> str:
    """Return pictures, two in a row, as a Markdown table; ``names`` are files and titles."""
    cells = [f"![{title}]({folder}/{file})" for file, title in names]
    cells += [""] * (len(cells) % 2)
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return (
        "\n".join(["| | |", "|--|--|", *(f"| {left} | {right} |" for left, right in pairs)]) + "\n"
    )
