from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.draws import common_draw, isolated_in_sample, none_in_sample


def by_enumeration(first, second):
    """Share of all pairs of completed lists that have an entry in common."""
    lists = [
        [{*certain, *drawn} for drawn in combinations(sorted(tied), places)]
        for certain, tied, places in (first, second)
    ]
    return np.mean([bool(a & b) for a in lists[0] for b in lists[1]])


@st.composite
def one_list(draw, k):
    entries = draw(st.permutations(range(7)))
    certain = draw(st.integers(0, k - 1))
    tied = draw(st.integers(k - certain, 7 - certain))
    return set(entries[:certain]), set(entries[certain : certain + tied]), k - certain


@given(st.data(), st.integers(1, 3))
def test_common_draw_is_what_enumeration_gives(data, k):
    first, second = data.draw(one_list(k)), data.draw(one_list(k))
    if first[0] & second[0]:
        return

    def counts(pairs):
        return tuple(np.array([value]) for value in pairs)

    found = common_draw(
        places=counts((first[2], second[2])),
        tied=counts((len(first[1]), len(second[1]))),
        tied_with_certain=counts((len(first[1] & second[0]), len(second[1] & first[0]))),
        tied_in_both=np.array([len(first[1] & second[1])]),
    )
    assert abs(found[0] - by_enumeration(first, second)) < 1e-12


@given(st.integers(1, 7), st.integers(0, 7), st.integers(1, 7))
def test_samples_are_what_enumeration_gives(rows, matches, sample):
    matches, sample = min(matches, rows), min(sample, rows)
    drawn = [sum(i < matches for i in chosen) for chosen in combinations(range(rows), sample)]
    given_matches = np.array([matches])
    alone = isolated_in_sample(given_matches, rows, sample)[0]
    none = none_in_sample(given_matches, rows, sample)[0]
    assert abs(alone - np.mean([found == 1 for found in drawn])) < 1e-12
    assert abs(none - np.mean([found == 0 for found in drawn])) < 1e-12
