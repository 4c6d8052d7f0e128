"""What has to hold for every metric, privgate's own and those of plug-ins, whatever they measure.

The tests of a plug-in are mostly one call::

    def test_keeps_the_laws():
        check_conformance(k_map)

A metric to which a law cannot apply is exempted from it by name, with a reason.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from privgate.testing import array_laws, laws
from privgate.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from privgate.evidence import JsonValue
    from privgate.metrics import Metric

LAWS: Mapping[str, Callable[[Subject], Iterator[str]]] = MappingProxyType(
    {
        law.__name__: law
        for law in (
            laws.keeps_to_its_card,
            laws.same_seed_same_bytes,
            laws.inputs_stay_as_they_are,
            laws.order_and_types_are_irrelevant,
            laws.evidence_survives_storage,
            laws.records_cover_their_table,
            laws.other_metrics_are_irrelevant,
            laws.missing_holdout_is_told,
            laws.constant_tables_are_not_harmless,
            laws.copies_are_seen,
            laws.copies_are_the_worst_case_of_a_screen,
            laws.parameters_are_described,
            laws.rare_values_stay_inside,
            laws.nothing_is_printed,
            laws.travels_by_name,
            array_laws.arrays_are_measured_or_refused,
            array_laws.order_and_types_are_irrelevant_to_arrays,
            array_laws.copied_arrays_are_seen,
            array_laws.copied_arrays_are_the_worst_case_of_a_screen,
        )
    }
)


def check_conformance(
    metric: Metric[Any],
    *,
    params: Mapping[str, JsonValue] | None = None,
    exempt: Mapping[str, str] | None = None,
) -> None:
    """Return only if a metric keeps all laws.

    Parameters
    ----------
    params
        Parameters to try it with, such as fewer permutations; by default its own defaults.
    exempt
        Laws that cannot hold for this metric, each with the reason.

    Raises
    ------
    AssertionError
        With every complaint, each after the name of its law.
    ValueError
        If a law is exempted that does not exist, or without a reason.
    """
    exempt = exempt or {}
    for name, reason in exempt.items():
        if name not in LAWS or not reason.strip():
            raise ValueError(f"{name!r} is no law, or no reason is given; laws: {', '.join(LAWS)}")
    subject = Subject(metric=metric, params=params or {})
    complaints = [
        f"{name}: {complaint}"
        for name, law in LAWS.items()
        if name not in exempt
        for complaint in law(subject)
    ]
    if complaints:
        raise AssertionError(f"{metric.name} breaks laws\n" + "\n".join(complaints))
