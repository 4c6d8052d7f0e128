"""The strategies for authors give releases that are odd, and that no metric breaks on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import Release
from privgate.evidence import Status
from privgate.metrics import all_metrics
from privgate.testing import Subject
from privgate.testing.strategies import declarations, table_releases, tables

QUICK = ("crp", "dcr", "reidentification")


@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=25)
@given(release=table_releases())
def test_no_metric_breaks_on_odd_tables(name, release):
    """Exceptions other than a refusal come through a trial, so returning is the assertion."""
    found = Subject(metric=all_metrics()[name]).measured(release)
    assert found.status in {Status.MEASURED, Status.NOT_ASSESSED}


@settings(max_examples=30)
@given(data=st.data())
def test_tables_have_the_declared_columns_and_few_rows(data):
    columns = data.draw(declarations())
    table = data.draw(tables(columns, max_rows=4))
    assert list(table.columns) == list(columns)
    assert 1 <= len(table) <= 4


def test_there_are_releases_with_a_holdout_and_without():
    seen = set()

    @settings(max_examples=40)
    @given(release=table_releases())
    def look(release: Release) -> None:
        seen.add(release.holdout is None)

    look()
    assert seen == {True, False}
