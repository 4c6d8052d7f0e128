"""Writes the table "which metric notices which leak", from releases whose truth is known.

``python benchmarks/which_metric_notices.py`` takes the census table from the folder ``shared``
beside the checkout, or an invented survey where there is none, and writes
``docs/which-metric-notices.md``.

With ``--metrics NAME … --keep`` only these are measured, and the page keeps the others' rows. The
releases depend on their number alone, so a new row stands on the same releases as the old ones. If
other metrics changed meanwhile, their rows are not renewed.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from ruamel.yaml import YAML

from privgate.data import release_from_frames
from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import SafeSide
from privgate.metrics import all_metrics
from privgate.policy import measurement_id
from privgate.testing.samples import SURVEY_COLUMNS, survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.random import Generator

    from privgate.evidence import Card, Measurement
    from privgate.metrics import Metric

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "which-metric-notices.md"
COPIED_SHARE = 0.05
SETTINGS = {"gcap": {"bins": 5}, "zcap": {"bins": 5}}  # without classes they refuse numbers
ROW, REASON = r"^\| \[([a-z_]+)\].*$", r"^- `([a-z_]+)`: .*$"
CREATED = datetime(2026, 1, 1, tzinfo=UTC)  # stands in evidence that is thrown away


@dataclass(frozen=True)
class Population:
    """Real (or invented) people: those behind the releases, and others."""

    title: str
    train: pd.DataFrame
    others: pd.DataFrame
    columns: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A release whose truth is known."""

    synthetic: pd.DataFrame
    holdout: pd.DataFrame


def census(shared: Path) -> Population:
    """Return the census table, as its release file declares it."""
    file = shared / "releases" / "census2k-syn_mostly.yaml"
    declared = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    train, others = (
        pd.read_csv((file.parent / declared["data"][table]["path"]).resolve())
        for table in ("train", "holdout")
    )
    return Population(
        "2,000 people of the US census (census2k)", train, others, declared["columns"]
    )


def invented(rows: int = 2000) -> Population:
    """Return an invented survey, for a checkout without real data beside it."""
    return Population(
        f"an invented survey of {rows} people", survey(rows, 1), survey(rows, 2), SURVEY_COLUMNS
    )


def honest(people: Population, rng: Generator) -> Case:
    """Return a release of other people: half of them published, the other half the holdout."""
    order = rng.permutation(len(people.others))
    half = len(order) // 2
    published, holdout = people.others.iloc[order[:half]], people.others.iloc[order[half:]]
    return Case(published.reset_index(drop=True), holdout.reset_index(drop=True))


def leaks(people: Population, rng: Generator) -> dict[str, Case]:
    """Return the releases that leak, by title."""
    fair = honest(people, rng)
    count = round(COPIED_SHARE * len(fair.synthetic))
    copied = people.train.iloc[rng.permutation(len(people.train))[:count]]
    rest = fair.synthetic.iloc[count:]
    numeric = [name for name, own in people.columns.items() if own["type"] == "numeric"]
    changed = with_one_digit_changed(copied, numeric, rng)
    return {
        "exact copies": Case(people.train, fair.holdout),
        "5 % copies": Case(pd.concat([rest, copied], ignore_index=True), fair.holdout),
        "5 % copies, one digit changed": Case(
            pd.concat([rest, changed], ignore_index=True), fair.holdout
        ),
    }


def with_one_digit_changed(
    rows: pd.DataFrame, numeric: Sequence[str], rng: Generator
) -> pd.DataFrame:
    """Return the rows with the last digit of one numeric value of each changed."""
    columns = list(numeric)
    values = rows[columns].to_numpy(np.float64, copy=True)
    for position, known in enumerate(~np.isnan(values)):
        if known.any():
            column = rng.choice(np.flatnonzero(known))
            values[position, column] = _another_last_digit(float(values[position, column]), rng)
    changed = rows.reset_index(drop=True)
    changed[columns] = values
    return changed


def _another_last_digit(value: float, rng: Generator) -> float:
    text = format(value, ".15g")
    digit = (int(text[-1]) + int(rng.integers(1, 10))) % 10
    return float(f"{text[:-1]}{digit}")


def measured(
    people: Population, case: Case, metrics: Iterable[Metric[Any]], seed: int
) -> dict[str, Measurement]:
    """Return what every metric makes of a release."""
    release = release_from_frames(
        train=people.train, synthetic=case.synthetic, holdout=case.holdout, columns=people.columns
    )
    settings = [
        (metric, metric.params.model_validate(SETTINGS.get(metric.name, {}))) for metric in metrics
    ]
    planned = [
        Planned(measurement_id(metric, params), metric, params) for metric, params in settings
    ]
    conditions = Conditions(seed=seed, seed_source="given", confidence=0.95, created=CREATED)
    found = measure(release, planned, conditions, Silent()).evidence.measurements
    return {measurement.metric: measurement for measurement in found}


def value_of(measurement: Measurement, figure: str) -> float | None:
    """Return the value of a figure, if it has one."""
    found = measurement.figures.get(figure)
    return None if found is None or found.value is None else float(found.value)


def level_of(fair: Sequence[Measurement], figure: str) -> list[float]:
    """Return a figure's values on the honest releases; none unless all of them have one."""
    values = [value for one in fair if (value := value_of(one, figure)) is not None]
    return values if len(values) == len(fair) else []


def notices(value: float, fair: Sequence[float], side: SafeSide) -> bool:
    """Return whether a value is on the unsafe side of that of every honest release.

    Of 20 honest releases one stands out like this by chance, if it is compared with 19 others.
    """
    return value > max(fair) if side is SafeSide.LOW else value < min(fair)


def shouts(value: float, fair: Sequence[float], side: SafeSide) -> bool:
    """Return whether a value is farther out than the honest releases are apart.

    Asked of the many figures beside the headline, of which some would stand out by chance.
    """
    width = max(fair) - min(fair)
    return notices(value - width if side is SafeSide.LOW else value + width, fair, side)


def row(card: Card, fair: Sequence[Measurement], cases: Sequence[Measurement]) -> str:
    """Return a metric's line of the table."""
    level = level_of(fair, card.headline)
    found = f"{min(level):.4g} … {max(level):.4g}" if level else "not assessed"
    link = f"[{card.name}](metrics/{card.name}.md)"
    return _line([link, f"`{card.headline}`", found, *(_cell(card, fair, case) for case in cases)])


def _cell(card: Card, fair: Sequence[Measurement], case: Measurement) -> str:
    value, level = value_of(case, card.headline), level_of(fair, card.headline)
    if value is None or not level:
        words = "not assessed"
    elif notices(value, level, card.figures[card.headline].safe_side):
        return f"**notices** ({value:.4g})"
    else:
        words = f"does not ({value:.4g})"
    others = [
        f"`{figure}` ({seen:.4g})"
        for figure, spec in card.figures.items()
        if figure != card.headline
        and (seen := value_of(case, figure)) is not None
        and (own := level_of(fair, figure))
        and shouts(seen, own, spec.safe_side)
    ]
    return f"{words}; **but** {', '.join(others)}" if others else words


def page(
    people: Population,
    fair: Sequence[Mapping[str, Measurement]],
    cases: Mapping[str, Mapping[str, Measurement]],
    cards: Sequence[Card],
) -> str:
    """Return the page in Markdown."""
    published = len(people.others) // 2
    header = ["metric", "figure", f"{len(fair)} honest releases", *cases]
    rows = [
        row(card, [one[card.name] for one in fair], [one[card.name] for one in cases.values()])
        for card in cards
    ]
    reasons = sorted(
        {
            f"- `{card.name}`: {reason}"
            for card in cards
            for one in (*fair, *cases.values())
            if value_of(one[card.name], card.headline) is None
            for reason in [_why(one[card.name], card)]
        }
    )
    setting = (
        f"People: {people.title}; {len(people.train):,} behind the releases, "
        f"{len(people.others):,} others. An honest release publishes {published:,} of the others "
        "and is judged with the rest as holdout, so it holds nobody of those behind it. The "
        "leaks: the train table itself; an honest release in which 5 % of the rows are train "
        "rows; the same with the last digit of one number in each copied row changed."
    )
    reading = (
        "Every metric runs at its defaults (`zcap` and `gcap` with numbers in five classes) and is "
        "represented by its headline figure. It notices "
        f"a leak when the figure is worse than on all {len(fair)} honest releases, which befalls "
        f"an honest release once in {len(fair) + 1} times. Where it does not, other figures of the "
        "metric follow after *but* if they are farther out than the honest releases are apart. A "
        "policy judges against limits and with intervals: this table compares metrics, it does not "
        "set limits."
    )
    lines = [
        "# Which metric notices which leak",
        "Written by `python benchmarks/which_metric_notices.py`; do not edit.",
        setting,
        reading,
        "\n".join([_line(header), _line("--" for _ in header), *rows]),
        *(["Not assessed:", "\n".join(reasons)] if reasons else []),
    ]
    return "\n\n".join(lines) + "\n"


def with_kept(text: str, kept: str) -> str:
    """Return a page with the rows and reasons that an earlier page has for other metrics.

    Raises
    ------
    ValueError
        If the earlier page is about other people, releases or leaks.
    """
    if _frame(text) != _frame(kept):
        raise ValueError("the page is about other releases; measure all metrics")
    head, _, _ = text.partition("\n| [")
    new, old = _named(text, ROW), _named(kept, ROW)
    rows = old | new
    past = {name: line for name, line in _named(kept, REASON).items() if name not in new}
    reasons = past | _named(text, REASON)
    parts = [head + "\n" + "\n".join(rows[name] for name in sorted(rows))]
    if reasons:
        parts += ["Not assessed:", "\n".join(reasons[name] for name in sorted(reasons))]
    return "\n\n".join(parts) + "\n"


def _frame(text: str) -> str:
    return text.partition("\n| [")[0]


def _named(text: str, pattern: str) -> dict[str, str]:
    return {found[1]: found[0] for found in re.finditer(pattern, text, re.MULTILINE)}


def _why(measurement: Measurement, card: Card) -> str:
    figure = measurement.figures.get(card.headline)
    if measurement.reason:
        return measurement.reason
    return (figure.reason if figure else None) or "the figure was not made"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Measure all releases and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--honest", type=int, default=19, help="number of honest releases")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--metrics", nargs="*", default=list(all_metrics()))
    parser.add_argument("--keep", action="store_true", help="keep the rows of other metrics")
    given = parser.parse_args(arguments)
    has_census = (given.shared / "data" / "mostlyai-qa").is_dir()
    people = census(given.shared) if has_census else invented()
    metrics = [all_metrics()[name] for name in given.metrics]
    fair = []
    for draw in range(1, given.honest + 1):
        sys.stderr.write(f"honest release {draw} of {given.honest}\n")
        fair.append(measured(people, honest(people, np.random.default_rng(draw)), metrics, draw))
    cases = {}
    for title, case in leaks(people, np.random.default_rng(0)).items():
        sys.stderr.write(f"{title}\n")
        cases[title] = measured(people, case, metrics, 0)
    text = page(people, fair, cases, [metric.card for metric in metrics])
    if given.keep:
        text = with_kept(text, given.out.read_text(encoding="utf-8"))
    given.out.write_text(text, encoding="utf-8")
    sys.stderr.write(f"wrote {given.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
