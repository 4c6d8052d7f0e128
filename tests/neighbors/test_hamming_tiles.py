"""What small matrices of the common suite do not reach: long rows, several blocks, both halves."""

import numpy as np
import pytest

from privgate.encoding import BinaryRows
from privgate.neighbors import search_across, search_within
from privgate.neighbors.engines import Brute, HammingTiles, Question, hamming


def packed(rows, words, seed=0):
    rng = np.random.default_rng(seed)
    return BinaryRows(rng.integers(0, 2**64, (rows, words), np.uint64))


def opposite(rows):
    return BinaryRows(~rows.words)


def equal_lists(found, expected):
    assert np.array_equal(found.distances, expected.distances)
    assert np.array_equal(found.indices, expected.indices)


@pytest.mark.parametrize("words", [1, 3, 4, 1020, 1021, 1023, 1024, 1025, 2041])
def test_no_sum_overflows_where_all_bits_differ(words):
    ones = BinaryRows(np.full((1, words), 2**64 - 1, np.uint64))
    zeros = BinaryRows(np.zeros((2, words), np.uint64))
    zeros.words[1, 0] = 1
    there, back = search_across(ones, zeros, k=2, k_back=1, engine=HammingTiles.of)
    assert there.distances.tolist() == [[64.0 * words - 1, 64.0 * words]]
    assert there.indices.tolist() == [[1, 0]]
    assert back.distances.tolist() == [[64.0 * words], [64.0 * words - 1]]


def test_rows_of_more_than_a_million_bits():
    few = packed(3, 2**14 + 5)
    base = BinaryRows(np.concatenate([opposite(few).words, few.words[::-1]]))
    for k in (1, 4):
        there, back = search_across(few, base, k=k, k_back=2, engine=HammingTiles.of)
        by_tiles = search_across(few, base, k=k, k_back=2, engine=Brute)
        equal_lists(there, by_tiles[0])
        equal_lists(back, by_tiles[1])
    assert (few.distances(opposite(few)).diagonal() == 64 * (2**14 + 5)).all()


@pytest.mark.parametrize("block_bits", [4, 7, 12])
@pytest.mark.parametrize("k", [1, 3, 40])
def test_blocks_change_nothing(block_bits, k, monkeypatch):
    monkeypatch.setattr(hamming, "PLACE_BITS", block_bits)
    monkeypatch.setattr(hamming, "BLOCK", 2**block_bits)
    rows = packed(201, 1, seed=k)
    rows = BinaryRows(rows.words & np.uint64(0xF0F))  # few bits, so many ties and copies
    queries, base = rows.take(slice(0, 90)), rows.take(slice(90, 201))
    for back in (0, k):
        found = search_across(queries, base, k=k, k_back=back, engine=HammingTiles.of)
        expected = search_across(queries, base, k=k, k_back=back, engine=Brute)
        for one, other in zip(found, expected, strict=True):
            equal_lists(one, other)
    equal_lists(
        search_within(rows, k=k, engine=HammingTiles.of), search_within(rows, k=k, engine=Brute)
    )


def test_within_one_table_each_pair_of_blocks_is_compared_once():
    rows = packed(600, 2)
    engine = HammingTiles.of(Question(rows, rows, 2, within=True))
    parts = engine.parts()
    assert len(parts) == 8
    compared = np.zeros((600, 600), int)
    for part in parts:
        for columns in engine._columns(part):
            compared[part, columns] += 1
    blocks = compared[::75, ::75]
    assert np.array_equal(blocks, np.triu(np.ones((8, 8), int)))


def test_no_pair_is_given_twice():
    rows = packed(600, 2)
    engine = HammingTiles.of(Question(rows, rows, 2, within=True))
    pairs = []
    for part in engine.parts():
        found = engine.candidates(part)
        pairs += zip(found.forward.query.tolist(), found.forward.base.tolist(), strict=True)
        pairs += zip(found.backward.base.tolist(), found.backward.query.tolist(), strict=True)
    assert len(pairs) == len(set(pairs))
