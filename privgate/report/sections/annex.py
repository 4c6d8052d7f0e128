"""What is needed to check the report, and to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.blocks import (
    Bullets,
    Cell,
    Facts,
    Listing,
    Prose,
    Section,
    Subheading,
    Table,
    plain_items,
    table_head,
)
from privgate.report.figure_words import kind_of, method_words, records_words, title_of
from privgate.report.numbers import level_text
from privgate.report.sections.history import history_blocks
from privgate.report.sections.pictures import figure_cells
from privgate.report.subject import json_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.evidence import Card, Estimate, Measurement
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording


def reproducibility_section(subject: Subject) -> Section:
    """Return section 19: digests, versions, definitions, all figures, the policy in full."""
    words = subject.words
    return Section(
        number=19,
        anchor="annex",
        title=words("annex.title"),
        lead=words("annex.lead"),
        blocks=(
            Subheading(words("annex.identity")),
            _identity(subject),
            Subheading(words("history.title")),
            *history_blocks(subject),
            Subheading(words("annex.digests")),
            _digests(subject),
            Subheading(words("annex.packages")),
            _packages(subject),
            Subheading(words("annex.definitions")),
            *_definitions(subject),
            Subheading(words("annex.figures"), on_new_page=True),
            _all_figures(subject),
            Subheading(words("annex.policy")),
            *_policy_texts(subject),
        ),
    )


def _policy_texts(subject: Subject) -> Iterator[Block]:
    """Yield the policy as written and, if it extends others, those and what they make together."""
    words, policy = subject.words, subject.verdict.policy
    named = {"title": policy.title, "version": policy.version}
    yield Listing(words("annex.policy_caption", **named), policy.text)
    if policy.resolved is None:
        return
    yield Prose((words("annex.policy_parents"),))
    parents = ((f"{parent.id} {parent.version}", parent.sha256) for parent in policy.parents)
    yield Facts(tuple(parents), code=True)
    yield Listing(words("annex.policy_resolved", **named), policy.resolved)


def glossary_section(subject: Subject) -> Section:
    """Return section 20: the words of the report."""
    words = subject.words
    terms = tuple((entry["term"], entry["text"]) for entry in words.entries("glossary.items"))
    return Section(
        number=20,
        anchor="glossary",
        title=words("glossary.title"),
        lead=words("glossary.lead"),
        blocks=(Facts(terms, fixed=True),),
    )


def _identity(subject: Subject) -> Facts:
    words, run = subject.words, subject.evidence.run
    seed = words(f"annex.seed_{run.seed_source}", seed=str(run.seed))
    facts = {
        "seed": seed,
        "confidence": level_text(run.confidence, words.numbers),
        "created": run.created.isoformat(sep=" ", timespec="seconds"),
        "command": _command(subject),
        "run_time": words("annex.run_time_value"),
        "decisions": words("annex.decisions_value"),
        "tool": run.tool,
        "python": run.python,
        "evidence_digest": subject.verdict.evidence_sha256,
        "verdict_digest": subject.verdict_sha256,
        "policy_digest": subject.verdict.policy.sha256,
    }
    named = tuple((words(f"annex.{name}"), text) for name, text in facts.items())
    return Facts(named, code=True, fixed=True)


def _command(subject: Subject) -> str:
    """Return the command that measures and judges the same again, with what was given by hand."""
    run, policy = subject.evidence.run, subject.verdict.policy
    seed = f" --seed {run.seed}" if run.seed_source == "given" else ""
    drawn = run.sample
    asked = drawn.asked if drawn and drawn.source == "given" else run.sample_unneeded
    sample = "" if asked is None else f" --sample {asked}"
    return f"privgate check RELEASE.yaml --policy {policy.id}{seed}{sample}"


def _digests(subject: Subject) -> Table:
    words = subject.words
    names = ("table", "file", "sha256", "content")
    heads = table_head(*(words(f"annex.{name}") for name in names))
    rows = tuple(
        (
            Cell(words(f"data.{name}")),
            Cell(table.file, code=True),
            Cell(table.sha256, code=True),
            Cell(table.content_sha256, code=True),
        )
        for name, table in sorted(subject.evidence.release.tables.items())
    )
    rows += tuple(
        (
            Cell(words("published.table")),
            Cell(table.file, code=True),
            Cell(table.sha256, code=True),
            Cell(words("columns.absent")),
        )
        for table in subject.evidence.release.published or ()
    )
    return Table(caption=words("annex.digests_caption"), headings=heads, rows=rows)


def _packages(subject: Subject) -> Table:
    words = subject.words
    heads = table_head(words("annex.package"), words("annex.version"))
    packages = sorted(subject.evidence.run.packages.items())
    rows = tuple((Cell(name), Cell(version)) for name, version in packages)
    return Table(caption=words("annex.packages_caption"), headings=heads, rows=rows)


def _definitions(subject: Subject) -> Iterator[Block]:
    for card in subject.used_cards():
        yield from _definition(card, subject)


def _definition(card: Card, subject: Subject) -> Iterator[Block]:
    words = subject.words
    yield Subheading(card.title, words("annex.card", name=card.name, version=str(card.version)))
    yield Prose((card.question,), leads=True)
    yield Facts((*_origin(card, words), (words("annex.formula"), card.formula)))
    yield Bullets(plain_items(card.references))
    settings = tuple(
        (
            words("annex.settings", id=measurement.id),
            json_words(measurement.params) or words("data.none"),
        )
        for measurement in subject.evidence.measurements
        if measurement.metric == card.name
    )
    yield Facts(settings, code=True)


def _origin(card: Card, words: Wording) -> Iterator[tuple[str, str]]:
    """Yield which distribution brought the check, if privgate did not."""
    if card.plugin is not None:
        yield words("annex.plugin"), f"{card.plugin.distribution} {card.plugin.version}"


def _all_figures(subject: Subject) -> Table:
    words = subject.words
    names = ("figure", "part", "value", "interval", "method", "n")
    heads = table_head(*(words(f"annex.{n}") for n in names), numeric=frozenset({2, 3, 5}))
    rows = tuple(
        row
        for measurement in subject.evidence.measurements
        for row in _figure_rows(measurement, subject)
    )
    return Table(caption=words("annex.figures_caption"), headings=heads, rows=rows)


def _figure_rows(measurement: Measurement, subject: Subject) -> Iterator[tuple[Cell, ...]]:
    absent = subject.words("columns.absent")
    for name, figure in measurement.figures.items():
        of = subject.words("chart.no_part") if measurement.parts else absent
        yield _figure_row(measurement, name, figure, part=of, subject=subject)
    for part in measurement.parts:
        for name, figure in part.figures.items():
            yield _figure_row(measurement, name, figure, part=part.of, subject=subject)


def _figure_row(
    measurement: Measurement, name: str, figure: Estimate, *, part: str, subject: Subject
) -> tuple[Cell, ...]:
    words, card = subject.words, subject.card(measurement)
    return (
        Cell(title_of(card, name), (f"{measurement.id} · {name}",)),
        Cell(part),
        *figure_cells(figure, kind_of(card, name), words),
        Cell(method_words(figure, words) or words("columns.absent")),
        Cell(records_words(figure.n, kind_of(card, name), words)),
    )
