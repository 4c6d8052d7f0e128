"""Section 12: what size of leak the checks would have caught."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Chart, FigureKind, Series
from privgate.report.blocks import Cell, Picture, Prose, Section, Table, table_head
from privgate.report.numbers import count_text, figure_text, limit_text
from privgate.report.sections.pictures import chart_block
from privgate.report.svg import PictureSize, heat_map
from privgate.report.svg.frame import tick_text

if TYPE_CHECKING:
    from privgate.evidence import PlantedLeak, PowerStudy
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

RATES = (0.95, 0.8)
_MOST_MAPS = 12
_IN_PICTURE = 4  # as many lines as can be told apart

Kind = tuple[float, bool]


def power_section(subject: Subject) -> Section:
    """Return section 12, which says so where detection power was not measured."""
    words = subject.words
    blocks: tuple[Block, ...] = (Prose((words("power.none"),)),)
    if subject.power is not None:
        blocks = power_blocks(subject.power, words)
    return Section(number=12, anchor="power", title=words("power.title"), blocks=blocks)


def power_blocks(study: PowerStudy, words: Wording) -> tuple[Block, ...]:
    """Return a canary test in words, as a table and as heat maps."""
    said = words(
        "power.said",
        trials=count_text(study.unplanted.trials, words.numbers),
        largest=_share(max(leak.share for leak in study.planted), words),
    )
    maps = [_heat_map(study, None, 0, words)]
    shown = [rule for rule in study.rules if any(leak.rate(rule) for leak in study.planted)]
    maps += [_heat_map(study, rule, i + 1, words) for i, rule in enumerate(shown[:_MOST_MAPS])]
    blind = [rule for rule in study.rules if rule not in shown]
    silent = words("power.blind", rules=", ".join(blind)) if blind else ""
    return (
        Prose((said, words("power.meaning"))),
        _table(study, words),
        _curve(study, words),
        *maps,
        Prose((silent, words("power.limits"))),
    )


def caught_words(study: PowerStudy | None, rules: tuple[str, ...], words: Wording) -> str:
    """Return the smallest planted share of verbatim copies that any of the rules caught."""
    if not rules:
        return words("columns.absent")
    if study is None:
        return words("power.not_measured")
    kind = study.kinds()[0]
    known = [rule for rule in rules if rule in study.rules and not study.unplanted.rate(rule)]
    leaks = [study.smallest(kind, rule, rate=RATES[0]) for rule in known]
    caught = [leak for leak in leaks if leak is not None]
    if not known:
        return words("power.not_measured")
    smallest = min(caught, key=lambda leak: leak.share, default=None)
    return _from(smallest, study.of_kind(kind)[-1], words)


def _curve(study: PowerStudy, words: Wording) -> Picture:
    """Return the chance that the whole policy catches a planted leak, by its size."""
    kinds = study.kinds()[:_IN_PICTURE]
    sizes = sorted({leak.share for leak in study.planted})
    rates = {kind: {leak.share: leak.rate(None) for leak in study.of_kind(kind)} for kind in kinds}
    series = tuple(
        Series(
            name=_kind_words(kind, words),
            y=(study.unplanted.rate(None), *(rates[kind].get(size) for size in sizes)),
        )
        for kind in kinds
    )
    chart = Chart(
        kind="curve",
        title=words("power.curve", subject=words("power.policy")),
        x_label=words("power.map_axis"),
        y_label=words("power.curve_share"),
        x=(0.0, *sizes),
        series=series,
        caption=words("power.curve_caption"),
    )
    return chart_block(chart, words, identity="power-curve", size=PictureSize.WIDE)


def _table(study: PowerStudy, words: Wording) -> Table:
    kinds = study.kinds()
    heads = table_head(words("power.rule"), *(_kind_words(kind, words) for kind in kinds))
    subjects: list[str | None] = [None, *study.rules]
    return Table(
        caption=words("power.caption"),
        headings=heads,
        rows=tuple(
            (
                _subject_cell(study, rule, words),
                *(_smallest_cell(study, rule, kind, words) for kind in kinds),
            )
            for rule in subjects
        ),
    )


def _subject_cell(study: PowerStudy, rule: str | None, words: Wording) -> Cell:
    if rule is None:
        return Cell(words("power.policy"))
    return Cell(rule, (words(f"severity.{study.rules[rule]}"),))


def _smallest_cell(study: PowerStudy, rule: str | None, kind: Kind, words: Wording) -> Cell:
    unplanted = study.unplanted.rate(rule)
    if unplanted > 0:
        return Cell(
            words("power.already", rate=figure_text(unplanted, FigureKind.SHARE, words.numbers))
        )
    nearly_always, often = (study.smallest(kind, rule, rate=rate) for rate in RATES)
    most = study.of_kind(kind)[-1]
    more = (
        () if often == nearly_always else (words("power.often", found=_from(often, most, words)),)
    )
    return Cell(_from(nearly_always, most, words), more)


def _from(leak: PlantedLeak | None, most: PlantedLeak, words: Wording) -> str:
    if leak is None:
        return words("power.not_caught", share=_share(most.share, words))
    return words(
        "power.caught",
        share=_share(leak.share, words),
        records=count_text(leak.records, words.numbers),
    )


def _heat_map(study: PowerStudy, rule: str | None, number: int, words: Wording) -> Picture:
    kinds = study.kinds()
    subject = words("power.policy") if rule is None else rule
    title = words("power.map", subject=subject)
    columns = [words("power.unplanted")]
    columns += [_share(leak.share, words) for leak in study.of_kind(kinds[0])]
    rows = [
        (
            _kind_words(kind, words),
            [leak.rate(rule) for leak in (study.unplanted, *study.of_kind(kind))],
        )
        for kind in kinds
    ]
    return Picture(
        title=title,
        svg=heat_map(
            rows,
            columns,
            identity=f"power-{number}",
            title=title,
            description=words("power.map_description", subject=subject),
            x_label=words("power.map_axis"),
            text=lambda share: tick_text(round(share, 2), words.numbers, percent=True),
        ),
        caption=words("power.map_caption"),
        wide=True,
    )


def _kind_words(kind: Kind, words: Wording) -> str:
    fields, perturbed = kind
    if perturbed:
        return words("power.perturbed")
    if fields == 1:
        return words("power.verbatim")
    return words("power.partial", fields=_share(fields, words))


def _share(share: float, words: Wording) -> str:
    return limit_text(share, FigureKind.SHARE, words.numbers)
