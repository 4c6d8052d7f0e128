"""A calibration in words, as a table and with a picture per rule."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from privgate.evidence import Chart, FigureKind, Series
from privgate.report.blocks import Cell, Prose, Subheading, Table, table_head
from privgate.report.figure_words import limit_words
from privgate.report.numbers import count_text, figure_text, limit_text
from privgate.report.sections.pictures import chart_block
from privgate.report.svg import PictureSize

if TYPE_CHECKING:
    from privgate.evidence import CalibrationStudy, Draws, RuleCalibration
    from privgate.report.blocks import Block
    from privgate.report.wording import Wording

_POINTS = 60
_IN_PICTURE = 4  # as many lines as can be told apart


def calibration_blocks(study: CalibrationStudy, words: Wording) -> tuple[Block, ...]:
    """Return what a calibration found and how to read it."""
    level = limit_text(study.false_alarms, FigureKind.SHARE, words.numbers)
    blocks: list[Block] = [
        Prose((words("calibration.said", level=level), words("calibration.meaning"))),
        _limits(study, words),
    ]
    for number, rule in enumerate(study.rules):
        blocks += [Subheading(rule.title, rule.id), _answers(rule, words)]
        chart = _chart(rule, words)
        if chart is not None:
            picture = chart_block(chart, words, identity=f"rule-{number}", size=PictureSize.WIDE)
            blocks.append(picture)
    return (*blocks, Prose((words("calibration.limits"),)))


def _limits(study: CalibrationStudy, words: Wording) -> Table:
    names = ("rule", "present", "proposed", "why")
    return Table(
        caption=words("calibration.caption"),
        headings=table_head(*(words(f"calibration.{name}") for name in names)),
        rows=tuple(
            (
                Cell(rule.id, (words(f"severity.{rule.severity}"),)),
                Cell(limit_words(rule.require, rule.kind, words)),
                Cell(_proposed(rule, words)),
                Cell(rule.reason),
            )
            for rule in study.rules
        ),
    )


def _proposed(rule: RuleCalibration, words: Wording) -> str:
    if rule.proposed is None:
        return words("calibration.none")
    return limit_words(rule.proposed, rule.kind, words)


def _answers(rule: RuleCalibration, words: Wording) -> Table:
    names = ("scenario", "draws", "violated", "open", "then_violated", "then_open")
    heads = table_head(
        *(words(f"calibration.{name}") for name in names), numeric=frozenset(range(1, 6))
    )
    return Table(
        caption=words("calibration.answers", rule=rule.id),
        headings=heads,
        rows=tuple(_row(draws, words) for draws in rule.draws),
    )


def _row(draws: Draws, words: Wording) -> tuple[Cell, ...]:
    kind = words("calibration.leaking" if draws.leaks else "calibration.honest")
    shares = [
        figure_text(answers[name] / draws.trials, FigureKind.SHARE, words.numbers)
        if answers
        else ""
        for answers in (draws.answers, draws.proposed)
        for name in ("violated", "not_assessed")
    ]
    return (
        Cell(draws.scenario, (kind,)),
        Cell(count_text(draws.trials, words.numbers)),
        *(Cell(share or words("calibration.none")) for share in shares),
    )


def _chart(rule: RuleCalibration, words: Wording) -> Chart | None:
    """Return, for each scenario, the share of draws whose judged number is at or below x."""
    shown = [draws for draws in rule.draws if draws.judged][:_IN_PICTURE]
    numbers = [number for draws in shown for number in draws.judged]
    marks = {
        words("calibration.present"): next(iter(rule.require.values())),
        **(
            {words("calibration.proposed"): next(iter(rule.proposed.values()))}
            if rule.proposed and rule.proposed != rule.require
            else {}
        ),
    }
    if not numbers:
        return None
    low, high = min([*numbers, *marks.values()]), max([*numbers, *marks.values()])
    room = 0.04 * (high - low) or 0.5
    step = (high - low + 2 * room) / _POINTS
    grid = tuple(low - room + step * point for point in range(_POINTS + 1))
    return Chart(
        kind="curve",
        title=words("calibration.picture", rule=rule.id),
        x_label=words("calibration.judged", figure=rule.title),
        y_label=words("calibration.share"),
        x=grid,
        series=tuple(
            Series(
                name=draws.scenario,
                y=tuple(bisect_right(draws.judged, x) / len(draws.judged) for x in grid),
            )
            for draws in shown
        ),
        marks=marks,
        caption=words("calibration.picture_caption"),
    )
