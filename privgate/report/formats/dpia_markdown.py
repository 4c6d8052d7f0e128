"""The section of a data protection impact assessment as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.blocks import Blanks, Bullets, Facts, Prose, Subheading, Table
from privgate.report.formats.dpia import dpia_chapters, dpia_lead, dpia_title
from privgate.report.formats.markdown_text import plain_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privgate.report.blocks import Block, Cell
    from privgate.report.view import ReportView


def render_dpia_markdown(view: ReportView) -> str:
    """Return the section as Markdown with tables; names and texts are never read as markup."""
    lines = [f"# {plain_markdown(dpia_title(view))}"]
    lines += [plain_markdown(text) for text in dpia_lead(view)]
    for number, chapter in enumerate(dpia_chapters(view), 1):
        lines.append(f"## {number}. {plain_markdown(chapter.title)}")
        lines.append(f"*{plain_markdown(chapter.basis)}*")
        for block in chapter.blocks:
            lines += _block(block)
    return "\n\n".join(lines) + "\n"


def _block(block: Block) -> Iterator[str]:
    """Yield the paragraphs of a block; pictures and rule cards have none here."""
    if isinstance(block, Subheading):
        yield f"{'#' * block.level} {plain_markdown(block.text)}"
    elif isinstance(block, Prose):
        stress = "**" if block.stress else ""
        yield from (f"{stress}{plain_markdown(text)}{stress}" for text in block.paragraphs if text)
    elif isinstance(block, Bullets):
        yield "\n".join(_item(number, item, block) for number, item in enumerate(block.items, 1))
    elif isinstance(block, Facts):
        yield "\n".join(
            f"- **{plain_markdown(name)}:** {plain_markdown(text)}" for name, text in block.items
        )
    elif isinstance(block, Table):
        yield f"**{plain_markdown(block.caption)}**"
        yield _table([h.text for h in block.headings], [[_cell(c) for c in r] for r in block.rows])
        yield from filter(None, [plain_markdown(block.note)])
    elif isinstance(block, Blanks):
        width = len(block.headings) - 1
        rows = [[subject, known, *[""] * (width - 1)] for subject, known in block.rows]
        yield _table(block.headings, [[plain_markdown(text) for text in row] for row in rows])


def _item(number: int, item: tuple[str, str], block: Bullets) -> str:
    mark = f"{number}." if block.numbered else "-"
    return f"{mark} {plain_markdown(' '.join(filter(None, item)))}"


def _cell(cell: Cell) -> str:
    badge = cell.badge.text if cell.badge is not None else ""
    return "<br>".join(plain_markdown(text) for text in (badge, cell.text, *cell.details) if text)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [[plain_markdown(text) for text in headings], ["--"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
