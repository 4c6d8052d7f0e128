"""Heat maps: a share in every field, as colour and as number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.svg.frame import label, picture, place, tick_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.report.numbers import NumberStyle

_WIDTH, _HEAD, _ROW, _NAME, _FOOT = 740, 30, 38, 21, 30
_PALE, _DEEP = (0xEA, 0xF0, 0xF7), (0x12, 0x3F, 0x73)


def heat_map(
    rows: Sequence[tuple[str, Sequence[float]]],
    columns: Sequence[str],
    *,
    identity: str,
    title: str,
    description: str,
    x_label: str,
    style: NumberStyle,
) -> str:
    """Return the picture of shares in [0, 1], a row of fields below the name of each row.

    The number stands in its field, so that nothing is told by colour alone.
    """
    wide = _WIDTH / len(columns)
    body, top = [], float(_HEAD)
    for number, text in enumerate(columns):
        body.append(label(wide * (number + 0.5), 20, text, name="tick strong", anchor="middle"))
    for name, shares in rows:
        body.append(label(0, top + 15, name, name="row strong"))
        top += _NAME
        body += [_field(share, wide * n, top, wide, style) for n, share in enumerate(shares)]
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


def _field(share: float, left: float, top: float, wide: float, style: NumberStyle) -> str:
    shade = "#" + "".join(
        f"{round(p + share * (d - p)):02x}" for p, d in zip(_PALE, _DEEP, strict=True)
    )
    ink = "#ffffff" if share > 0.45 else "#1c2430"
    box = f'x="{place(left + 1)}" y="{place(top)}" width="{place(wide - 2)}" height="{_ROW - 8}"'
    # The text's colour belongs to its field and not to the page, so no style sheet may change it.
    text = label(
        left + wide / 2,
        top + _ROW / 2 + 1,
        tick_text(round(share, 2), style, percent=True),
        name="cell",
        anchor="middle",
        more=f' style="fill:{ink}"',
    )
    return f'<rect class="cell" {box} rx="2" fill="{shade}"/>{text}'
