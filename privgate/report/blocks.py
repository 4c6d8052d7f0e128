"""What a section of the report is made of: plain text in a plain shape, ready to be laid out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

_LETTERS = 124  # that fit side by side across a printed page, gaps between columns counted
_LONGEST_WORD = 20  # letters of a word that a column is made wide enough for
_SHORT = 180  # letters of a text that takes a few lines wherever it stands


@dataclass(frozen=True)
class Badge:
    """An outcome: its machine name, its name in words and its sign as SVG."""

    outcome: str
    text: str
    sign: str


@dataclass(frozen=True)
class Heading:
    """The head of a table column."""

    text: str
    numeric: bool = False


@dataclass(frozen=True)
class Cell:
    """A table cell: a main line, lines of detail and perhaps an outcome."""

    text: str
    details: tuple[str, ...] = ()
    badge: Badge | None = None
    code: bool = False

    @property
    def is_long(self) -> bool:
        """Return whether it holds a word that has to break for a table to keep its width."""
        words = (word for text in (self.text, *self.details) for word in text.split())
        return any(len(word) > _LONGEST_WORD for word in words)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table; the first cell of each row heads the row.

    At most ``most`` rows are worth showing; ``file`` is where all would be.
    """

    kind: ClassVar[str] = "table"
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    most: int = 200
    file: str = ""

    @property
    def is_short(self) -> bool:
        """Return whether a page has room for it, so that it need not be divided."""
        texts = [text for row in self.rows for cell in row for text in (cell.text, *cell.details)]
        return len(self.rows) < 5 and all(len(text) < _SHORT for text in texts)

    @property
    def fits(self) -> bool:
        """Return whether no word of ordinary length needs to break for want of room."""
        return sum(least for least, _ in self._needs) <= _LETTERS

    @property
    def _needs(self) -> list[tuple[float, float]]:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headings)
        heads = zip(self.headings, columns, strict=True)
        return [_need(head, cells, bold=not n) for n, (head, cells) in enumerate(heads)]

    @property
    def widths(self) -> tuple[float, ...]:
        """Return each column's share of the width in per cent, by how much text it holds."""
        needs = self._needs
        fewest, wished = (sum(room) for room in zip(*needs, strict=True))
        given = min(1.0, max(0.0, (_LETTERS - fewest) / (wished - fewest or 1)))
        rooms = [least + given * (wish - least) for least, wish in needs]
        return tuple(math.floor(1000 * room / sum(rooms)) / 10 for room in rooms)


def _need(heading: Heading, cells: Iterable[Cell], *, bold: bool) -> tuple[float, float]:
    """Return the letters a column needs so that no word breaks, and those it would like to have."""
    cells = tuple(cells)
    texts = [text for cell in cells for text in (cell.text, *cell.details)]
    # A badge stands in one line, however many words it has, with a sign and a frame around it.
    badges = [len(cell.badge.text) + 5 for cell in cells if cell.badge is not None]
    longest = max((*badges, *(len(text) for text in texts)), default=0)
    words = (word for text in (heading.text, *texts, ".") for word in text.split())
    word = max((*badges, *(len(word) for word in words)))
    if heading.numeric:
        wish = max(min(longest, 24), min(word, 14), 5) + 2.0
        return wish, wish
    least = max(min(word, _LONGEST_WORD), 5) * (1.15 if bold else 1) + 2.0
    return least, max(least, min(longest, 5 * math.sqrt(longest), 60) + 1.0)


@dataclass(frozen=True)
class Prose:
    """Paragraphs; ``stress`` marks what must not be overlooked.

    Those that lead over to the next block stand on a page with its beginning.
    """

    kind: ClassVar[str] = "prose"
    paragraphs: tuple[str, ...]
    stress: bool = False
    leads: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list. A numbered item may have a second line. No length lets items of a fixed list go."""

    kind: ClassVar[str] = "bullets"
    items: tuple[tuple[str, str], ...]
    numbered: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class Facts:
    """Names with their values; of fixed ones, which no input adds to, none is ever left out."""

    kind: ClassVar[str] = "facts"
    items: tuple[tuple[str, str], ...]
    code: bool = False
    fixed: bool = False

    @property
    def is_short(self) -> bool:
        """Return whether a page has room for it, so that it need not be divided."""
        return len(self.items) < 12 and all(len(text) < _SHORT for _, text in self.items)


@dataclass(frozen=True)
class Subheading:
    """A heading inside a section; one of a long table may begin a new page in print."""

    kind: ClassVar[str] = "subheading"
    text: str
    detail: str = ""
    level: int = 3
    on_new_page: bool = False


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A chart with its legend (sample, name), its caption and the numbers behind it."""

    kind: ClassVar[str] = "picture"
    title: str
    svg: str
    caption: str
    legend: tuple[tuple[str, str], ...] = ()
    numbers: Table | None = None
    wide: bool = False


@dataclass(frozen=True, kw_only=True)
class RuleCard:
    """One rule in words: what it asks, what came out, and why."""

    kind: ClassVar[str] = "rule"
    identity: str
    title: str
    badge: Badge
    meaning: str
    reason: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]
    svg: str


@dataclass(frozen=True)
class Listing:
    """A text to be shown letter by letter."""

    kind: ClassVar[str] = "listing"
    caption: str
    text: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Blanks:
    """Lines to be filled in by hand; an entry that is known stands in its line."""

    kind: ClassVar[str] = "blanks"
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]


Block: TypeAlias = (
    Table | Prose | Bullets | Facts | Subheading | Picture | RuleCard | Listing | Blanks
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A numbered section of the report."""

    number: int
    anchor: str
    title: str
    lead: str = ""
    blocks: tuple[Block, ...] = ()


def table_head(*texts: str, numeric: frozenset[int] = frozenset()) -> tuple[Heading, ...]:
    """Return column heads; ``numeric`` holds the places of the columns of numbers."""
    return tuple(Heading(text, place in numeric) for place, text in enumerate(texts))


def plain_items(items: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return list items without a second line."""
    return tuple((item, "") for item in items)
