"""How much of a printed page a block takes, estimated without drawing it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from privgate.report.blocks import Blanks, Bullets, Facts, Listing, Picture, Prose, RuleCard, Table

if TYPE_CHECKING:
    from privgate.report.blocks import Block, Cell

_LETTERS = 112  # of a printed line; rather too few


def block_height(block: Block) -> float:
    """Return about how many printed lines a block takes."""
    if isinstance(block, Table):
        return 4 + sum(_row_height(row, block.widths) for row in block.rows)
    if isinstance(block, Picture):
        return 22 if block.wide else 11
    if isinstance(block, Blanks):
        return 3.5 * len(block.rows)
    around, texts = _texts(block)
    return around + sum(0.5 + _lines(text) for text in texts if text)


def _texts(block: Block) -> tuple[float, list[str]]:
    """Return the lines around the texts of a block, and its texts."""
    if isinstance(block, Prose):
        return 0, list(block.paragraphs)
    if isinstance(block, Bullets | Facts):
        return 1, [text for item in block.items for text in item]
    if isinstance(block, Listing):
        return 3, block.text.splitlines()
    if isinstance(block, RuleCard):
        return 9, [text for _, text in block.notes]
    return 2.5, []


def _row_height(row: tuple[Cell, ...], widths: tuple[float, ...]) -> float:
    return 0.8 + max(
        sum(_lines(text, width) for text in (cell.text, *cell.details) if text)
        for cell, width in zip(row, widths, strict=True)
    )


def _lines(text: str, per_cent: float = 100) -> int:
    return max(1, ceil(len(text) / max(1, int(_LETTERS * per_cent / 100))))
