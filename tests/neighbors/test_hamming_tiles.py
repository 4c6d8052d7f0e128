"""What small matrices of the common suite do not reach: long rows, several blocks, both halves."""

import numpy as np
import pytest

from privgate.encoding import BinaryRows
from privgate.neighbors import search_across, search_within
from privgate.neighbors.engines import Brute, HammingTiles, Question, hamming, pieces
from privgate.neighbors.engines.pieces import Pieces, kinds_of


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
    assert len(parts) == 4
    compared = np.zeros((600, 600), int)
    for part in parts:
        for columns in engine._columns(part):
            compared[part, columns] += 1
    blocks = compared[::150, ::150]
    assert np.array_equal(blocks, np.triu(np.ones((4, 4), int)))


def test_no_pair_is_given_twice():
    rows = packed(600, 2)
    engine = HammingTiles.of(Question(rows, rows, 2, within=True))
    pairs = []
    for part in engine.parts():
        found = engine.candidates(part)
        pairs += zip(found.forward.query.tolist(), found.forward.base.tolist(), strict=True)
        pairs += zip(found.backward.base.tolist(), found.backward.query.tolist(), strict=True)
    assert len(pairs) == len(set(pairs))


def mosaics(rows, words, seed):
    """Rows put together from stretches of a few ancestors, some of their bits changed."""
    rng = np.random.default_rng(seed)
    ancestors = rng.integers(0, 2**64, (5, words), np.uint64)
    whose = np.repeat(rng.integers(0, 5, (rows, -(-words // 8))), 8, axis=1)[:, :words]
    made = np.take_along_axis(ancestors, whose, axis=0)
    changed = rng.random(made.shape) < 0.01
    made[changed] ^= np.uint64(1) << rng.integers(0, 64, changed.sum(), np.uint64)
    return BinaryRows(made)


@pytest.mark.parametrize("words", [8, 37, 1100])
def test_rows_that_share_pieces_have_the_same_lists(words):
    rows = mosaics(150, words, seed=words)
    queries, base = rows.take(slice(0, 70)), rows.take(slice(70, 150))
    assert HammingTiles.of(Question(queries, base, 1)).pieces is not None
    found = search_across(queries, base, k=5, k_back=9, engine=HammingTiles.of)
    expected = search_across(queries, base, k=5, k_back=9, engine=Brute)
    for one, other in zip(found, expected, strict=True):
        equal_lists(one, other)
    equal_lists(
        search_within(rows, k=5, engine=HammingTiles.of), search_within(rows, k=5, engine=Brute)
    )


def test_sums_of_pieces_do_not_overflow():
    zeros, ones = (np.full((40, 1100), value, np.uint64) for value in (0, 2**64 - 1))
    zeros[:, 0] = ones[:, 1] = np.arange(40)
    queries, base = BinaryRows(zeros), BinaryRows(ones)
    engine = HammingTiles.of(Question(queries, base, 1))
    assert engine.pieces is not None
    part = slice(0, 40)
    assert np.array_equal(engine._unequal(part, part), queries.distances(base))


def test_rows_that_share_nothing_are_compared_word_by_word():
    rows = packed(200, 9)
    assert Pieces.of(rows.words, rows.words[:50]) is None


def test_pieces_are_told_apart_though_their_sums_are_equal(monkeypatch):
    monkeypatch.setattr(pieces, "MULTIPLIER", np.uint64(1))
    words = np.array([[1, 2], [2, 1], [1, 2], [0, 3]], np.uint64)
    kinds = kinds_of(words)
    assert kinds[0] == kinds[2]
    assert len(set(kinds.tolist())) == 3
