import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens.reidentification import (
    MOST_PATTERNS,
    ReidentificationParams,
    reidentification,
)
from privgate.report.small_counts import withhold_small

COLUMNS = {
    "age": {"type": "numeric", "role": "quasi_identifier"},
    "sex": {"type": "categorical", "role": "quasi_identifier"},
    "income": {"type": "numeric", "role": "sensitive"},
}
PEOPLE = [(34, "f"), (34, "f"), (51, "m"), (60, "f")]


def table(rows):
    frame = pd.DataFrame(rows, columns=["age", "sex"])
    return frame.assign(income=np.arange(len(rows), dtype=float))


def measured(train, synthetic, **params):
    release = release_from_frames(train=table(train), synthetic=table(synthetic), columns=COLUMNS)
    rng = np.random.default_rng(0)
    return reidentification.measure(Inputs(release=release), ReidentificationParams(**params), rng)


def people(found):
    (records,) = found.records
    assert records.named is None
    return sorted(records.scores["people_with_these_values"].tolist())


def values(found):
    return {name: figure.value for name, figure in found.figures.items()}


def test_worked_example():
    found = measured(PEOPLE, [(34, "f"), (34, "f"), (51, "m"), (77, "m")])
    assert people(found) == [0, 1, 2, 2]
    assert values(found) == {"max_probability": 1, "smallest_group": 1, "share_below_11": 0.75}
    found = measured(PEOPLE, [(34, "f"), (34, "f"), (77, "m")])
    assert values(found)["max_probability"] == found.risk == 0.5


def test_other_columns_take_no_part():
    found = measured(PEOPLE, [(51, "m")])
    assert people(found) == [1]


def test_who_matches_nobody_leaves_the_group_unknown():
    found = measured(PEOPLE, [(77, "m"), (34, "m")])
    assert values(found) == {"max_probability": 0, "smallest_group": None, "share_below_11": 0}
    assert "no published record" in found.figures["smallest_group"].reason


@pytest.mark.parametrize(("size", "kept"), [(10, False), (11, False), (12, True)])
def test_a_limit_of_0_09_asks_for_groups_of_twelve(size, kept):
    found = values(measured([(34, "f")] * size + [(51, "m")], [(34, "f")]))
    assert found["smallest_group"] == size
    assert (found["max_probability"] <= 0.09) is kept
    assert found["share_below_11"] == (1 if size < 11 else 0)


def test_missing_equals_missing():
    train = [(None, "f"), (34, "f"), (34, "f"), (51, None)]
    assert people(measured(train, [(None, "f"), (51, None)])) == [1, 1]


def test_a_suppressed_value_does_not_hide_who_has_the_others():
    assert people(measured(PEOPLE, [(None, "m"), (34, None), (None, "f")])) == [1, 2, 3]
    assert people(measured(PEOPLE, [(None, None), (51, "m")])) == [1, 4]
    assert people(measured(PEOPLE, [(77, None), (34, "m"), (None, "f")])) == [0, 0, 3]


def test_numbers_can_be_rounded_first():
    train, synthetic = [(34.21, "f"), (34.24, "f"), (51, "m")], [(34.2, "f"), (52, "m")]
    assert people(measured(train, synthetic)) == [0, 0]
    assert people(measured(train, synthetic, decimals=1)) == [0, 2]


def test_one_copied_person_among_many_is_seen_and_a_coarse_release_is_not():
    crowd = [(30, "f")] * 40 + [(40, "m")] * 40
    honest = [(30, "f"), (40, "m")] * 20
    assert values(measured([*crowd, (99, "f")], honest))["max_probability"] == 1 / 40
    leaking = measured([*crowd, (99, "f")], [*honest, (99, "f")])
    assert values(leaking)["max_probability"] == 1
    assert values(leaking)["share_below_11"] == pytest.approx(1 / 41)


def test_quasi_identifiers_that_tell_nobody_apart_are_not_assessed():
    with pytest.raises(NotAssessable, match="tell nobody apart"):
        measured([(34, "f")] * 50, [(34, "f")])


def test_too_many_patterns_of_missing_values_are_not_assessed():
    names = [f"q{place}" for place in range(8)]
    train = pd.DataFrame([["a"] * 8, ["b"] * 8], columns=names)
    bits = (np.arange(256 - MOST_PATTERNS - 1, 256)[:, None] >> np.arange(8)) & 1
    synthetic = pd.DataFrame(np.where(bits == 1, "a", None), columns=names)
    columns = {name: {"type": "categorical", "role": "quasi_identifier"} for name in names}
    release = release_from_frames(train=train, synthetic=synthetic, columns=columns)
    with pytest.raises(NotAssessable, match=f"{MOST_PATTERNS + 1} sets"):
        reidentification.measure(
            Inputs(release=release), ReidentificationParams(), np.random.default_rng(0)
        )


@pytest.mark.parametrize("size", [1, 3, 10, 11, 40])
def test_a_group_below_eleven_cannot_be_worked_out_from_a_shareable_report(size):
    """1/k is as telling as k itself, which a share or score of other n would not notice."""
    found = measured([(34, "f")] * size + [(51, "m")] * 20, [(34, "f"), *[(51, "m")] * 60])
    specs = reidentification.card.figures
    shown = withhold_small(found.figures, specs, rows=61)
    hidden = size < 11
    assert (shown["max_probability"].value is None) is hidden
    assert (shown["smallest_group"].value is None) is hidden
    assert (shown["share_below_11"].value is None) is hidden
    if hidden:
        assert shown["max_probability"].n is None


cells = st.tuples(st.sampled_from([30, 40, 50, None]), st.sampled_from(["f", "m", None]))


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, min_size=2, max_size=12), st.lists(cells, min_size=1, max_size=12))
def test_counts_are_those_of_a_plain_search(train, synthetic):
    train, synthetic = [(30, "f"), (40, "m"), *train], [(30, "m"), *synthetic]

    def search(record):
        equal = sum(person == record for person in train)
        fits = sum(
            all(mine in (None, theirs) for mine, theirs in zip(record, person, strict=True))
            for person in train
        )
        return equal or fits

    wanted = sorted(search(record) for record in synthetic)
    assert people(measured(train, synthetic)) == wanted
