"""Laws that every metric keeps on tables, each a function that yields complaints."""

from __future__ import annotations

import copy
import io
import pickle
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from privgate.evidence import Family, Need, RunEvidence, SafeSide, Status, canonical_bytes
from privgate.metrics import Metric, all_metrics
from privgate.testing import releases
from privgate.testing.subject import Subject, no_worse, off_the_card

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from privgate.data import Release


@cache
def _honest() -> Release:
    return releases.table_release(releases.frames(400, 300))


def keeps_to_its_card(subject: Subject) -> Iterator[str]:
    """Yield where figures are undeclared, out of range, or lack an interval that is promised."""
    found = subject.measured(_honest())
    if found.status is not Status.MEASURED:
        yield f"a release with everything is {found.status}: {found.reason}"
    promised = set(subject.metric.card.figures)
    if not found.parts and set(found.figures) != promised:
        yield f"the card promises {sorted(promised)}, not {sorted(found.figures)}"
    for figures in (found.figures, *(part.figures for part in found.parts)):
        yield from off_the_card(subject, figures)


def same_seed_same_bytes(subject: Subject) -> Iterator[str]:
    """Yield where evidence differs between runs on one and on three threads."""
    once = canonical_bytes(subject.run(_honest(), jobs=1).evidence)
    if once != canonical_bytes(subject.run(_honest(), jobs=3).evidence):
        yield "the same run on more threads gives other evidence"


def inputs_stay_as_they_are(subject: Subject) -> Iterator[str]:
    """Yield which values the metric has changed."""
    release = releases.table_release(releases.frames())
    before = copy.deepcopy(release)
    subject.run(release)
    for name, table in release.tables.items():
        for column, values in table.values.items():
            own = before.tables[name].values[column]
            if not np.array_equal(values, own, equal_nan=own.dtype.kind == "f"):
                yield f"the metric changes {column} in {name}"


def order_and_types_are_irrelevant(subject: Subject) -> Iterator[str]:
    """Yield where rows, columns or declarations in another order, or other types, change it."""
    plain = subject.measured(releases.table_release(releases.frames()))
    columns = dict(reversed(list(releases.COLUMNS.items())))
    turned = releases.turned_round(releases.frames())
    again = subject.measured(releases.table_release(turned, columns))
    if canonical_bytes(plain) != canonical_bytes(again):
        yield "rows or columns in another order, or numbers stored as text, change a figure"


def evidence_survives_storage(subject: Subject) -> Iterator[str]:
    """Yield where evidence cannot be stored as JSON and read again."""
    stored = canonical_bytes(subject.run(_honest()).evidence)
    if canonical_bytes(RunEvidence.model_validate_json(stored)) != stored:
        yield "evidence that is read again differs from what was stored"


def records_cover_their_table(subject: Subject) -> Iterator[str]:
    """Yield which scores of single records have more or fewer entries than the table has rows."""
    release = _honest()
    for entries in subject.run(release).records.values():
        for entry in entries:
            rows = release.tables[entry.table].rows
            for name, scores in entry.scores.items():
                if len(scores) != rows:
                    yield f"{len(scores)} scores {name!r} for {rows} rows of {entry.table}"


def other_metrics_are_irrelevant(subject: Subject) -> Iterator[str]:
    """Yield where a second metric in the same run changes a figure."""
    other = Subject(metric=all_metrics()["dcr"]).planned
    beside = () if other.id == subject.planned.id else (other,)
    together = subject.run(_honest(), beside=beside).evidence.measurements[0]
    if canonical_bytes(together) != canonical_bytes(subject.measured(_honest())):
        yield "another metric in the run changes a figure"


def missing_holdout_is_told(subject: Subject) -> Iterator[str]:
    """Yield where a headline is stated although nobody is there whom the generator never saw."""
    tables = releases.frames()
    del tables["holdout"]
    found = subject.measured(releases.table_release(tables))
    needs, headline = subject.metric.card.needs, subject.metric.card.headline
    if subject.metric.card.is_utility and Need.HOLDOUT not in needs:
        return  # it clears nobody, so that it may compare with train alone
    if Need.HOLDOUT in needs:
        if found.status is not Status.NOT_ASSESSED or "no holdout" not in (found.reason or ""):
            yield "the card needs a holdout, and without one the metric is not refused"
    elif Need.CORRESPONDENCE not in needs:  # has no use for a holdout
        parts = [part.figures for part in found.parts] or [found.figures]
        if any(figures[headline].value is not None for figures in parts if headline in figures):
            yield f"{headline} is stated without a holdout to compare with"


def constant_tables_are_not_harmless(subject: Subject) -> Iterator[str]:
    """Yield where tables that tell nobody apart are measured as harmless."""
    if subject.metric.card.is_utility:
        return  # it says nothing of harm
    found = subject.measured(releases.constant_release())
    if found.status is Status.MEASURED and found.risk != 1:
        yield f"tables of one repeated record are measured, with risk {found.risk}"


def copies_are_seen(subject: Subject) -> Iterator[str]:
    """Yield where a release that is a copy of train looks no worse than an honest one.

    Utility has to find a copy at least as useful as columns that were shuffled one by one.
    """
    tables = releases.frames()
    if subject.metric.card.is_utility:
        yield from _copies_are_of_use(subject, tables)
        return
    bad = subject.measured(releases.table_release(releases.copied(tables)))
    good = subject.measured(releases.table_release(tables))
    yield from no_worse(subject, bad, good)


def _copies_are_of_use(subject: Subject, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    headline = subject.metric.card.headline
    high_is_better = subject.metric.card.figures[headline].safe_side is SafeSide.HIGH
    copied, shuffled = (
        subject.measured(releases.table_release(altered)).figures[headline].value
        for altered in (releases.copied(tables), releases.shuffled(releases.copied(tables)))
    )
    if copied is None or shuffled is None:
        yield f"{headline} is unknown of a copy of train, or of shuffled columns"
    elif not (copied >= shuffled if high_is_better else copied <= shuffled):
        yield f"{headline} is {copied} for a copy of train and {shuffled} for shuffled columns"


def copies_are_the_worst_case_of_a_screen(subject: Subject) -> Iterator[str]:
    """Yield where a screen that has a risk scale does not put copies at its end."""
    if subject.metric.card.family is not Family.SCREEN:
        return
    tables = releases.copied(releases.frames())
    risk = subject.measured(releases.table_release(tables)).risk
    if risk not in (1, None):
        yield f"a copy of train has risk {risk}, not 1"


def parameters_are_described(subject: Subject) -> Iterator[str]:
    """Yield which parameters lack a default or description, and whether unknown ones are taken."""
    model = subject.metric.params
    for name, entry in model.model_fields.items():
        if not entry.description:
            yield f"the parameter {name!r} has no description"
        if entry.is_required():
            yield f"the parameter {name!r} has no default"
    try:
        model.model_validate({"no_such_parameter": 1})
    except ValidationError:
        return
    yield "an unknown parameter is taken"


def rare_values_stay_inside(subject: Subject) -> Iterator[str]:
    """Yield where evidence quotes a value that one person has."""
    rare = releases.table_release(releases.with_a_rare_level(releases.frames()))
    if releases.RARE_LEVEL in canonical_bytes(subject.measured(rare)).decode():
        yield "the measurement quotes the value of a single record"


def nothing_is_printed(subject: Subject) -> Iterator[str]:
    """Yield where the metric writes to the streams, of which the command line makes promises."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        subject.measured(_honest())
    if said.getvalue():
        yield "the metric prints"


def travels_by_name(subject: Subject) -> Iterator[str]:
    """Yield where another process would not find the metric under its function's name."""
    try:
        again = pickle.loads(pickle.dumps(subject.metric))  # noqa: S301 - our own bytes
    except (AttributeError, ImportError) as cause:
        yield f"another process does not find it: {cause}"
        return
    if not isinstance(again, Metric) or again.name != subject.metric.name:
        yield "another process finds something else under the name of its function"
