"""Laws that every metric keeps on arrays, which have no columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Family, Status, canonical_bytes
from privgate.testing.releases import ARRAY_DISTANCES, array_release, matrices
from privgate.testing.subject import Subject, no_worse, off_the_card

if TYPE_CHECKING:
    from collections.abc import Iterator


def arrays_are_measured_or_refused(subject: Subject) -> Iterator[str]:
    """Yield where arrays are neither refused for want of columns nor measured by the card."""
    for distance in ARRAY_DISTANCES:
        found = subject.measured(array_release(distance, matrices(distance)))
        if not subject.is_for_arrays:
            if found.status is not Status.NOT_ASSESSED or "no columns" not in (found.reason or ""):
                yield f"{distance}: the card needs columns, and arrays are not refused"
            continue
        if found.status is not Status.MEASURED:
            yield f"{distance}: arrays are {found.status}: {found.reason}"
        if set(found.figures) != set(subject.metric.card.figures):
            yield f"{distance}: the figures are {sorted(found.figures)}"
        for complaint in off_the_card(subject, found.figures):
            yield f"{distance}: {complaint}"


def order_and_types_are_irrelevant_to_arrays(subject: Subject) -> Iterator[str]:
    """Yield where rows in another order, wider numbers or more threads change a figure."""
    for distance in ARRAY_DISTANCES if subject.is_for_arrays else ():
        plain = {name: table.astype(np.float32) for name, table in matrices(distance).items()}
        rng = np.random.default_rng(4)
        turned = {
            name: np.asfortranarray(rng.permutation(table).astype(np.float64))
            for name, table in plain.items()
        }
        once = subject.measured(array_release(distance, plain, None))
        again = subject.measured(array_release(distance, turned, None), jobs=3)
        if canonical_bytes(once) != canonical_bytes(again):
            yield f"{distance}: order, types or threads change a figure"


def copied_arrays_are_seen(subject: Subject) -> Iterator[str]:
    """Yield where a copy of the train array looks no worse than an honest release."""
    for distance in ARRAY_DISTANCES if subject.is_for_arrays else ():
        tables = matrices(distance)
        bad = subject.measured(array_release(distance, {**tables, "synthetic": tables["train"]}))
        good = subject.measured(array_release(distance, tables))
        for complaint in no_worse(subject, bad, good):
            yield f"{distance}: {complaint}"


def copied_arrays_are_the_worst_case_of_a_screen(subject: Subject) -> Iterator[str]:
    """Yield where a screen that has a risk scale does not put copied arrays at its end."""
    if subject.metric.card.family is not Family.SCREEN or not subject.is_for_arrays:
        return
    for distance in ARRAY_DISTANCES:
        tables = matrices(distance)
        copied = array_release(distance, {**tables, "synthetic": tables["train"]})
        risk = subject.measured(copied).risk
        if risk not in (1, None):
            yield f"{distance}: a copy of train has risk {risk}, not 1"
