"""Heat maps: a number in every field, as colour and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.svg.frame import label, picture, place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDTH, _HEAD, _ROW, _NAME, _FOOT = 740, 30, 38, 21, 30
_PALE, _DEEP = (0xEA, 0xF0, 0xF7), (0x12, 0x3F, 0x73)


def heat_map(
    rows: Sequence[tuple[str, Sequence[float | None]]],
    columns: Sequence[str],
    *,
    identity: str,
    title: str,
    description: str,
    x_label: str,
    ends: tuple[float, float] = (0.0, 1.0),
    text: Callable[[float], str],
) -> str:
    """Return the picture of a table of numbers, a row of fields below the name of each row.

    The number stands in its field, so that nothing is told by colour alone. A field without a
    number (``None``) is empty.

    Parameters
    ----------
    ends
        The numbers of the palest and of the deepest field; the first may be the greater one.
    text
        How a number is written.
    """

    def field(number: float | None, left: float, top: float) -> str:
        if number is None:
            return ""
        share = (number - ends[0]) / (ends[1] - ends[0])
        return _field(min(1.0, max(0.0, share)), text(number), left, top, wide)

    wide = _WIDTH / len(columns)
    body, top = [], float(_HEAD)
    for column, head in enumerate(columns):
        body.append(label(wide * (column + 0.5), 20, head, name="tick strong", anchor="middle"))
    for name, numbers in rows:
        body.append(label(0, top + 15, name, name="row strong"))
        top += _NAME
        body += [field(number, wide * n, top) for n, number in enumerate(numbers)]
        top += _ROW
    body.append(label(_WIDTH / 2, top + 20, x_label, name="name", anchor="middle"))
    return picture(
        body,
        width=_WIDTH,
        height=int(top + _FOOT),
        identity=identity,
        title=title,
        description=description,
    )


def _field(share: float, text: str, left: float, top: float, wide: float) -> str:
    shade = "#" + "".join(
        f"{round(p + share * (d - p)):02x}" for p, d in zip(_PALE, _DEEP, strict=True)
    )
    ink = "#ffffff" if share > 0.45 else "#1c2430"
    box = f'x="{place(left + 1)}" y="{place(top)}" width="{place(wide - 2)}" height="{_ROW - 8}"'
    # The text's colour belongs to its field and not to the page, so no style sheet may change it.
    number = label(
        left + wide / 2,
        top + _ROW / 2 + 1,
        text,
        name="cell",
        anchor="middle",
        more=f' style="fill:{ink}"',
    )
    return f'<rect class="cell" {box} rx="2" fill="{shade}"/>{number}'
