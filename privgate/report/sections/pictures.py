"""Pictures of the figures, with what they show in words and the numbers behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigureKind, FigurePart
from privgate.report.blocks import Cell, Picture, Table, table_head
from privgate.report.figure_words import interval_words, kind_of, limit_words, value_words
from privgate.report.numbers import count_text, figure_text
from privgate.report.svg import (
    IntervalRow,
    PictureSize,
    chart_picture,
    interval_bars,
    shortened,
    swatch,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privgate.evidence import Card, Chart, Estimate, Measurement, Part
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

_MOST_NUMBERS = 60
_MOST_BARS = 12
_FEW_PARTS = 10  # as many as every extent of a report shows


def chart_block(
    chart: Chart,
    words: Wording,
    *,
    identity: str,
    part: str = "",
    size: PictureSize = PictureSize.HALF,
) -> Picture:
    """Return a chart of the evidence, of one part if named, with legend, caption and numbers."""
    if part and part not in chart.title:
        title = words("chart.of_part", title=chart.title, part=part)
        chart = chart.model_copy(update={"title": title})
    shares = chart.kind == "histogram" and all(series.n for series in chart.series)
    y_label = words("chart.share_of_records") if shares else chart.y_label
    names = words("chart.and").join(series.name for series in chart.series)
    key = f"chart.{chart.kind}_description"
    description = words(key, x=chart.x_label, y=y_label, series=names)
    return Picture(
        title=chart.title,
        svg=chart_picture(
            chart,
            identity=identity,
            description=description,
            shares=shares,
            y_label=y_label,
            size=size,
            style=words.numbers,
        ),
        caption=" ".join(filter(None, (chart.caption, _withheld_words(chart, words)))),
        legend=tuple((swatch(i, chart.kind), series.name) for i, series in enumerate(chart.series)),
        numbers=_numbers(chart, words),
        wide=size is PictureSize.WIDE,
    )


def _withheld_words(chart: Chart, words: Wording) -> str:
    """Return why a curve has fewer points than were measured; empty where it has all."""
    blanked = chart.kind == "curve" and any(
        line.n is not None and None in line.y for line in chart.series
    )
    return words("chart.withheld") if blanked else ""


def rule_bar(rule: RuleView, words: Wording, *, number: int) -> str:
    """Return the picture of a rule's interval and limit; empty where the figure has no value."""
    verdict = rule.verdict
    if verdict.value is None:
        return ""
    row = IntervalRow(
        name="",
        value=verdict.value,
        low=verdict.low,
        high=verdict.high,
        tone=verdict.outcome.value,
    )
    return interval_bars(
        (row,),
        _limits(rule, words),
        identity=f"rule-{number}",
        title=rule.title,
        description=words(
            "verdict.bar",
            title=rule.title,
            measured=rule.measured,
            interval=rule.interval,
            limit=rule.limit,
        ),
        percent=_in_percent(rule.kind),
        style=words.numbers,
    )


def releases_bars(
    rules: Sequence[RuleView], names: Sequence[str], words: Wording, *, number: int
) -> Picture | None:
    """Return the figure of one rule in several releases beside its limit, if two have a value."""
    rows = tuple(
        IntervalRow(
            name=shortened(name),
            value=rule.verdict.value,
            low=rule.verdict.low,
            high=rule.verdict.high,
            tone=rule.verdict.outcome.value,
        )
        for name, rule in zip(names, rules, strict=True)
        if rule.verdict.value is not None
    )[:_MOST_BARS]
    if len(rows) < 2:
        return None
    first = rules[0]
    title = words("compare.bars", figure=first.title, rule=first.verdict.id)
    told = words("chart.and").join(row.name for row in rows)
    svg = interval_bars(
        rows,
        _limits(first, words),
        identity=f"releases-{number}",
        title=title,
        description=words("chart.bars_description", rows=told),
        percent=_in_percent(first.kind),
        style=words.numbers,
    )
    return Picture(title=title, svg=svg, caption=first.meaning)


def part_bars(rule: RuleView, measurement: Measurement, subject: Subject) -> Picture | None:
    """Return the judged figure of every part beside the limit, if two parts or more have it."""
    words, name = subject.words, rule.verdict.measure
    rows = tuple(
        _part_row(part.of, part.figures[name], rule, words)
        for part in parts_by_weight(measurement, subject)[:_MOST_BARS]
        if name in part.figures and part.figures[name].value is not None
    )
    if len(rows) < 2:
        return None
    title = words("results.bars", figure=rule.title, rule=rule.verdict.id)
    told = words("chart.and").join(row.name for row in rows)
    svg = interval_bars(
        rows,
        _limits(rule, words),
        identity=f"parts-{subject.rules.index(rule)}",
        title=title,
        description=words("chart.bars_description", rows=told),
        percent=_in_percent(rule.kind),
        style=words.numbers,
    )
    return Picture(title=title, svg=svg, caption=rule.meaning)


def comparison_bars(measurement: Measurement, subject: Subject, *, identity: str) -> Picture | None:
    """Return attack, control, baseline and excess side by side, if there are two of them or more.

    Of a measurement with parts those with the greatest excess are drawn.
    """
    words, card = subject.words, subject.card(measurement)
    if measurement.parts:
        groups = [_compared(part.of, part.figures, card, words) for part in measurement.parts]
        groups = sorted(groups, key=lambda rows: rows[-1].value if rows else -1.0, reverse=True)
    else:
        groups = [_compared("", measurement.figures, card, words)]
    rows = [row for group in groups if len(group) > 1 for row in group][:_MOST_BARS]
    if not rows:
        return None
    title = words("results.compared", title=card.title)
    return bars_picture(rows, words, identity=identity, title=title)


def bars_picture(
    rows: Sequence[IntervalRow], words: Wording, *, identity: str, title: str, caption: str = ""
) -> Picture:
    """Return shares side by side, without a limit."""
    told = words("chart.and").join(row.name for row in rows)
    svg = interval_bars(
        rows,
        (),
        identity=identity,
        title=title,
        description=words("chart.bars_description", rows=told),
        percent=True,
        style=words.numbers,
    )
    return Picture(title=title, svg=svg, caption=caption)


def _compared(
    of: str, figures: Mapping[str, Estimate], card: Card, words: Wording
) -> list[IntervalRow]:
    """Return one bar for each part of the comparison that a figure plays, the first one's."""
    found: dict[FigurePart, IntervalRow] = {}
    for name, spec in card.figures.items():
        figure = figures.get(name)
        if spec.part is None or figure is None or figure.value is None or spec.part in found:
            continue
        # A mean over refits is a score on its card; beside shares it is read as the share it is.
        kind = FigureKind.SHARE if spec.kind is FigureKind.SCORE else spec.kind
        texts = {
            "part": words(f"figure_part.{spec.part}"),
            "value": value_words(figure, kind, words),
        }
        key = f"results.compared_row{'_of' if of else ''}"
        label = words(key, of=shortened(of), **texts) if of else words(key, **texts)
        found[spec.part] = bar(label, figure.value, figure)
    return [found[part] for part in FigurePart if part in found]


def bar(name: str, value: float, figure: Estimate) -> IntervalRow:
    """Return the bar of a figure that has a value, without an outcome."""
    return IntervalRow(name=name, value=value, low=figure.low, high=figure.high, tone="neutral")


def parts_by_weight(measurement: Measurement, subject: Subject) -> tuple[Part, ...]:
    """Return the parts in their order; of very many, those that decided a rule come first."""
    decided = {rule.verdict.part for rule in subject.rules_on(measurement)}
    if len(measurement.parts) <= _FEW_PARTS:
        return measurement.parts
    return tuple(sorted(measurement.parts, key=lambda part: part.of not in decided))


def figure_cells(figure: Estimate, kind: FigureKind, words: Wording) -> tuple[Cell, Cell]:
    """Return the cells of a figure's value and interval."""
    return Cell(value_words(figure, kind, words)), Cell(interval_words(figure, kind, words))


def _part_row(name: str, figure: Estimate, rule: RuleView, words: Wording) -> IntervalRow:
    if figure.value is None:
        raise ValueError("a figure without a value cannot be drawn")
    kind = kind_of(rule.card, rule.verdict.measure)
    tone = rule.verdict.outcome.value if name == rule.verdict.part else "neutral"
    return IntervalRow(
        name=f"{shortened(name)}: {value_words(figure, kind, words)}",
        value=figure.value,
        low=figure.low,
        high=figure.high,
        tone=tone,
    )


def _limits(rule: RuleView, words: Wording) -> tuple[tuple[float, str], ...]:
    """Return each limit of a rule with what stands at it."""
    return tuple(
        (number, f"{words('chart.limit')}: {limit_words({name: number}, rule.kind, words)}")
        for name, number in sorted(rule.verdict.require.items(), key=lambda item: item[::-1])
    )


def _in_percent(kind: FigureKind) -> bool:
    return kind in {FigureKind.SHARE, FigureKind.DIFFERENCE}


def _numbers(chart: Chart, words: Wording) -> Table:
    binned = chart.kind == "histogram"
    heads = table_head(
        chart.x_label,
        *(series.name for series in chart.series),
        numeric=frozenset(range(1, len(chart.series) + 1)),
    )
    kind = FigureKind.COUNT if binned else FigureKind.SCORE
    rows = []
    for place in range(len(chart.series[0].y)):
        name = _number(chart.x[place], words)
        if binned:
            name = words("chart.bin", low=name, high=_number(chart.x[place + 1], words))
        values = (series.y[place] for series in chart.series)
        rows.append((Cell(name), *(Cell(_value(y, kind, words)) for y in values)))
    note = ""
    if len(rows) > _MOST_NUMBERS:
        counts = {
            "shown": count_text(_MOST_NUMBERS, words.numbers),
            "total": count_text(len(rows), words.numbers),
        }
        note = words("document.capped_numbers", **counts)
    shown = tuple(rows[:_MOST_NUMBERS])
    return Table(caption=chart.title, headings=heads, rows=shown, note=note)


def _number(value: float, words: Wording) -> str:
    return figure_text(value, FigureKind.SCORE, words.numbers)


def _value(y: float | None, kind: FigureKind, words: Wording) -> str:
    return words("chart.gap") if y is None else figure_text(y, kind, words.numbers)
