"""How much of a report is shown, so that no input makes it too long to be read or opened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from privgate.report.blocks import (
    Bullets,
    Cell,
    Facts,
    Listing,
    Picture,
    Prose,
    RuleCard,
    Section,
    Subheading,
    Table,
)
from privgate.report.heights import block_height
from privgate.report.numbers import count_text
from privgate.report.spreadsheet import csv_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from privgate.report.blocks import Block
    from privgate.report.wording import Wording

MOST_BYTES = 5_000_000  # of the HTML
MOST_PAGES = 59  # of the PDF
_LINES = 50  # of a printed page; rather too few
_LONGEST = 1500  # letters of one text: what is longer is cut, and its source has it


@dataclass(frozen=True, kw_only=True)
class Room:
    """How many of each kind may be shown.

    ``parts`` of a section are those with a name of their own (measurements, say), ``tables`` are of
    such a part; ``source`` is the file that has all that is left out, where it is one file.
    """

    rows: int
    items: int
    cards: int
    pictures: int
    parts: int
    tables: int
    lines: int
    source: str = ""


ROOMS = (
    Room(rows=200, items=200, cards=60, pictures=40, parts=60, tables=24, lines=600),
    Room(rows=60, items=60, cards=24, pictures=16, parts=24, tables=8, lines=200),
    Room(rows=20, items=24, cards=12, pictures=6, parts=10, tables=4, lines=100),
    Room(rows=10, items=10, cards=6, pictures=2, parts=5, tables=2, lines=40),
)


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """Sections that fit, and the tables they show in part, as CSV by name."""

    sections: tuple[Section, ...]
    tables: Mapping[str, bytes]


def fittings(
    sections: tuple[Section, ...], words: Wording, *, source: str = ""
) -> Iterator[Fitted]:
    """Yield the sections in ever smaller extents, the largest that is likely to fit first.

    A reader is told that ``source`` has what is left out; by default, the yielded tables.
    """
    likely = False
    for room in ROOMS:
        rooms = replace(room, source=source)
        found = [_fit_section(section, rooms, words) for section in sections]
        fitted = tuple(section for section, _ in found)
        likely = likely or estimated_pages(fitted) <= MOST_PAGES - 8
        if likely or room is ROOMS[-1]:
            cut = [table for _, tables in found for table in tables]
            yield Fitted(sections=fitted, tables={table.file: csv_bytes(table) for table in cut})


def estimated_pages(sections: Iterable[Section]) -> int:
    """Return about how many printed pages sections take."""
    lines = sum(4 + sum(block_height(block) for block in section.blocks) for section in sections)
    return ceil(lines / _LINES)


def shortened_text(text: str, longest: int = _LONGEST) -> str:
    """Return a text that is cut where it is too long to be read here.

    Examples
    --------
    >>> shortened_text("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _fit_section(section: Section, room: Room, words: Wording) -> tuple[Section, list[Table]]:
    """Return a section that fits, and the tables of which it shows a part or nothing."""
    named = [*_few_parts(_with_files(section), room, words)]
    kept = [*_few_tables(named, room, words)]
    kept = [*_few(kept, RuleCard, room, words)]
    kept = [*_few(kept, Picture, room, words)]
    blocks = tuple(_fit_block(block, room, words) for block in kept)
    shown = {block.file: len(block.rows) for block in blocks if isinstance(block, Table)}
    whole = [block for block in named if isinstance(block, Table)]
    cut = [table for table in whole if shown.get(table.file, 0) < len(table.rows)]
    return replace(section, blocks=blocks), cut


def _with_files(section: Section) -> list[Block]:
    """Return the blocks, every table with the name of the file that would hold all of it."""
    number, blocks = 0, []
    for block in section.blocks:
        found = block
        if isinstance(block, Table):
            number += 1
            found = replace(block, file=f"{section.number:02}-{section.anchor}-{number}.csv")
        blocks.append(found)
    return blocks


def _parts(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Yield what stands under each heading, and before the first."""
    part: list[Block] = []
    for block in blocks:
        if isinstance(block, Subheading) and part:
            yield part
            part = []
        part.append(block)
    if part:
        yield part


def _few_parts(blocks: Iterable[Block], room: Room, words: Wording) -> Iterator[Block]:
    """Yield the blocks without the surplus parts among those that have a name of their own."""
    seen = 0
    end: Block = Subheading("")
    for part in (*_parts(blocks), [end]):
        head = part[0]
        if isinstance(head, Subheading) and head.detail:
            seen += 1
            if seen <= room.parts:
                yield from part
            continue
        if seen > room.parts:
            yield Prose((_left_out("parts", seen - room.parts, room, words),))
        seen = 0
        yield from (block for block in part if block is not end)


def _few_tables(blocks: Iterable[Block], room: Room, words: Wording) -> Iterator[Block]:
    for part in _parts(blocks):
        yield from _few(part, Table, room, words)


def _left_out(name: str, count: int, room: Room, words: Wording) -> str:
    """Return how many of a kind are left out, and where they are."""
    number = count_text(count, words.numbers)
    if room.source:
        return words("document.more_in", count=number, file=room.source)
    return words(f"document.more_{name}", count=number)


def _few(
    blocks: list[Block], kind: type[RuleCard | Picture | Table], room: Room, words: Wording
) -> Iterator[Block]:
    """Yield the blocks with the gravest few of one kind; a note comes after the last of them."""
    name, most = {
        RuleCard: ("rules", room.cards),
        Picture: ("pictures", room.pictures),
        Table: ("tables", room.tables),
    }[kind]
    found = [block for block in blocks if isinstance(block, kind)]
    kept = {id(found[place]) for place in _gravest([_outcome(block) for block in found], most)}
    for block in blocks:
        if not isinstance(block, kind) or id(block) in kept:
            yield block
        if found[most:] and block is found[-1]:
            yield Prose((_left_out(name, len(found) - most, room, words),))


def _gravest(outcomes: list[str], most: int) -> list[int]:
    """Return the places of the gravest outcomes in their order; of equal ones, the first.

    Examples
    --------
    >>> _gravest(["met", "violated", "met", "not_assessed"], 3)
    [0, 1, 3]
    """
    ranks = {name: rank for rank, name in enumerate(("violated", "not_assessed", "waived"))}
    order = sorted(range(len(outcomes)), key=lambda place: ranks.get(outcomes[place], len(ranks)))
    return sorted(order[:most])


def _outcome(block: Block) -> str:
    return block.badge.outcome if isinstance(block, RuleCard) else ""


def _row_outcome(row: tuple[Cell, ...]) -> str:
    return next((cell.badge.outcome for cell in row if cell.badge is not None), "")


def _fit_block(block: Block, room: Room, words: Wording) -> Block:
    if isinstance(block, Table):
        return _fit_table(block, room, words)
    if isinstance(block, Listing):
        return _fit_listing(block, room, words)
    if isinstance(block, Prose):
        return replace(block, paragraphs=tuple(shortened_text(it) for it in block.paragraphs))
    if isinstance(block, Bullets | Facts):
        return block if block.fixed else _fit_list(block, room, words)
    if isinstance(block, RuleCard):
        return replace(
            block,
            facts=tuple((name, shortened_text(text)) for name, text in block.facts),
            notes=tuple((name, shortened_text(text)) for name, text in block.notes),
        )
    return block


def _fit_list(block: Bullets | Facts, room: Room, words: Wording) -> Bullets | Facts:
    items = tuple((shortened_text(a), shortened_text(b)) for a, b in block.items[: room.items])
    if items == block.items:
        return block
    left = len(block.items) - len(items)
    more = _left_out("items", left, room, words) if left else _shortened(room, words)
    note = ("…", more) if isinstance(block, Facts) else (more, "")
    return replace(block, items=(*items, note))


def _shortened(room: Room, words: Wording) -> str:
    """Return that long texts are shortened, and where they stand in full."""
    key = "shortened_in" if room.source else "shortened"
    return words(f"document.{key}", file=room.source)


def _fit_table(table: Table, room: Room, words: Wording) -> Table:
    places = _gravest([_row_outcome(row) for row in table.rows], min(room.rows, table.most))
    rows = tuple(tuple(_fit_cell(cell) for cell in table.rows[place]) for place in places)
    note = table.note
    if len(rows) < len(table.rows):
        counts = {
            "shown": count_text(len(rows), words.numbers),
            "total": count_text(len(table.rows), words.numbers),
        }
        key, file = ("capped_in", room.source) if room.source else ("capped", table.file)
        note = f"{words(f'document.{key}', file=file, **counts)} {note}".strip()
    return replace(table, rows=rows, note=note)


def _fit_cell(cell: Cell) -> Cell:
    longest = _LONGEST // 4
    if len(cell.text) <= longest and all(len(text) <= longest for text in cell.details):
        return cell
    details = tuple(shortened_text(text, longest) for text in cell.details[:4])
    return replace(cell, text=shortened_text(cell.text, longest), details=details)


def _fit_listing(listing: Listing, room: Room, words: Wording) -> Listing:
    lines = listing.text.splitlines()
    shown = [shortened_text(line) for line in lines[: room.lines]]
    if shown == lines:
        return listing
    counts = {
        "shown": count_text(len(shown), words.numbers),
        "total": count_text(len(lines), words.numbers),
    }
    name = "capped_lines" if len(shown) < len(lines) else "shortened_lines"
    return replace(listing, text="\n".join(shown), note=words(f"document.{name}", **counts))
