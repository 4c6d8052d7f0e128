from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privgate.data.digests import Digesting
from privgate.data.matrices import matrix_content


@given(st.binary(max_size=20), st.lists(st.binary(max_size=20), max_size=5))
def test_pieces_do_not_matter_and_the_two_digests_differ(head, pieces):
    whole, parts = Digesting(head), Digesting(head)
    whole.add(b"".join(pieces))
    for piece in pieces:
        parts.add(piece)
    found = whole.digests()
    assert found == parts.digests()
    assert found.content != found.salt


def test_salt_follows_from_content_alone():
    rows = np.array([[0.5, 1.0], [2.0, 3.0], [0.25, 9.0]])
    _, one, _ = matrix_content(rows, dimensions=2)
    _, other, _ = matrix_content(rows[::-1], dimensions=2)
    _, another, _ = matrix_content(rows + 1, dimensions=2)
    assert one == other
    assert one.salt != another.salt
