"""That no bound of the screen is too high, and that what it leaves out is much."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.encoding import GowerRows
from privgate.neighbors import search_across, search_within
from privgate.neighbors.engines import (
    Brute,
    GowerScreen,
    Question,
    engine_for,
    gower_apart,
    gower_direction,
)
from privgate.neighbors.engines.gower_apart import Apart, Unequal
from privgate.neighbors.engines.gower_direction import Direction
from privgate.neighbors.engines.gower_grid import FINE, Grid, coarse, coarse_steps, words_of
from privgate.neighbors.engines.gower_leaves import LEAF, Leaves


@st.composite
def tables(draw):
    """Rows of one table, with holes, values outside the range, weights of very different size."""
    rows, numbers, levels = (draw(st.integers(low, 12)) for low in (2, 0, 0))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.random((rows, numbers)) * draw(st.sampled_from([1.0, 3.0, 1e-9, 1e300])) - 0.2
    values[rng.random((rows, numbers)) < draw(st.sampled_from([0.0, 0.3, 1.0]))] = np.nan
    codes = rng.integers(-1, draw(st.sampled_from([2, 5, 1000])), (rows, levels + (not numbers)))
    made = GowerRows(values, codes.astype(np.int32))
    scale = draw(st.sampled_from([0.0, 1.0, 1e-6, 1e6, 1e-310]))
    if not scale:
        return made
    weights = rng.random(numbers) * scale, 0.1 + rng.random(codes.shape[1])
    return made.weighted(*weights) if codes.shape[1] else made


def lower_bounds(grid, rows):
    """The bounds of all pairs of rows: coarse ones and fine ones, level by level."""
    levels = grid.levels(rows)
    unequal = (levels[:, None] != levels[None]) @ grid.level_steps * FINE
    numbers = grid.numbers(rows).astype(np.int64)
    fine = np.abs(numbers[:, None] - numbers[None]).sum(axis=2)
    boxes = coarse(grid.numbers(rows)).astype(np.int64)
    return unequal + FINE * np.abs(boxes[:, None] - boxes[None]).sum(axis=2), unequal + fine


@given(tables())
def test_a_bound_is_within_the_limit_of_the_distance(rows):
    grid = Grid.of(rows, rows)
    in_boxes, in_steps = lower_bounds(grid, rows)
    limit = grid.limit(rows.distances(rows))
    assert (in_steps <= limit).all()
    assert (in_boxes <= limit + grid.slack).all()
    assert grid.level_steps.sum() < 2**16


def test_bounds_come_close_to_the_distance():
    rng = np.random.default_rng(1)
    rows = GowerRows(rng.random((50, 6)), rng.integers(0, 3, (50, 4)).astype(np.int32))
    grid = Grid.of(rows, rows)
    _, in_steps = lower_bounds(grid, rows)
    off = np.abs(in_steps / grid.rate / grid.weight - rows.distances(rows))
    assert off.max() < 1e-4


def test_a_hole_is_a_whole_step_of_its_column_away_from_numbers_and_none_from_holes():
    rows = GowerRows(np.array([[0.0], [1.0], [np.nan], [np.nan]]), np.zeros((4, 1), np.int32))
    grid = Grid.of(rows, rows)
    _, in_steps = lower_bounds(grid, rows)
    assert (in_steps[2] / grid.rate).round(9).tolist() == [1.0, 1.0, 0.0, 0.0]


def test_steps_to_a_box_are_none_inside_it():
    low, high, inside, below = (np.full((1, 8), value, np.uint8) for value in (3, 250, 250, 1))
    words = [words_of(part)[0] for part in (low, high)]
    assert coarse_steps(*words, words_of(inside)[0]).tolist() == [0]
    assert coarse_steps(*words, words_of(below)[0]).tolist() == [16]
    assert coarse_steps(*words, words_of(np.full((1, 8), 254, np.uint8))[0]).tolist() == [32]


@given(tables())
def test_leaves_hold_every_row_once_and_boxes_hold_their_rows(rows):
    rows = rows.take(np.random.default_rng(0).integers(0, len(rows), 90))
    grid = Grid.of(rows, rows)
    leaves = Leaves.of(grid.levels(rows), grid.numbers(rows))
    assert sorted(leaves.kinds.rows) == list(range(90))
    assert leaves.in_kind.length.sum() == len(leaves.in_leaf.length)
    ordered = grid.numbers(rows)[leaves.kinds.rows]
    boxes = coarse(ordered)
    for start, length in zip(leaves.in_leaf.start, leaves.in_leaf.length, strict=True):
        own = slice(start, start + length)
        assert len(set(leaves.kinds.kind[own])) == 1
        assert length <= LEAF or (ordered[own] == ordered[start]).all()
    lowest = np.minimum.reduceat(boxes, leaves.in_leaf.start)
    assert np.array_equal(words_of(lowest), leaves.low)


@given(tables(), st.integers(1, 30), st.data())
@settings(max_examples=60)
def test_lists_are_those_of_tiles_though_nothing_is_thought_dense(rows, k, data):
    cut = data.draw(st.integers(1, len(rows) - 1))
    queries, base = rows.take(slice(0, cut)), rows.take(slice(cut, len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gower_direction, "DENSE", 0)
        patch.setattr(gower_apart, "BLOCK_BYTES", data.draw(st.integers(1, 40)))
        patch.setattr(gower_apart, "TABLE_BYTES", data.draw(st.sampled_from([1, 2**24])))
        patch.setattr(gower_apart, "FEWEST_CODES", data.draw(st.sampled_from([2, 3, 32])))
        patch.setattr(gower_direction, "MOST_PAIRS", data.draw(st.integers(1, 40)))
        patch.setattr(gower_direction, "PART_BYTES", data.draw(st.integers(1, 40)))
        found = search_across(queries, base, k=k, k_back=k, engine=GowerScreen.of)
        within = search_within(rows, k=k, engine=GowerScreen.of)
    expected = search_across(queries, base, k=k, k_back=k, engine=Brute)
    pairs = [*zip(found, expected, strict=True), (within, search_within(rows, k=k, engine=Brute))]
    for one, other in pairs:
        assert np.array_equal(one.distances, other.distances)
        assert np.array_equal(one.indices, other.indices)


def people(rows, seed):
    """Skewed levels, of which two depend on each other, and numbers with many equal values."""
    rng = np.random.default_rng(seed)
    codes = np.floor(9 * rng.random((rows, 6)) ** 3).astype(np.int32)
    codes[:, 1] = (codes[:, 0] + (rng.random(rows) < 0.2)) % 7
    numbers = np.column_stack([rng.random((rows, 2)), rng.integers(0, 80, (rows, 2)) / 80])
    return GowerRows(numbers, codes)


@pytest.mark.parametrize("k", [1, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_few_candidates_are_left(k, weighted):
    queries, base = people(1500, 1), people(2000, 2)
    if weighted:
        weights = np.linspace(0.3, 1.1, 4), np.linspace(0.7, 1.9, 6)
        queries, base = queries.weighted(*weights), base.weighted(*weights)
    engine = engine_for(Question(queries, base, k))
    assert isinstance(engine, GowerScreen)
    found = sum(len(engine.candidates(part).forward.query) for part in engine.parts())
    assert found / len(queries) < 2 * k


def test_numbers_finer_than_any_step_are_measured_not_screened():
    rng = np.random.default_rng(5)
    rows = GowerRows(1e-9 * rng.random((300, 3)), np.empty((300, 0), np.int32))
    engine = GowerScreen.of(Question(rows, rows, 4, within=True))
    assert not engine.prunes
    found = sum(len(engine.candidates(part).forward.query) for part in engine.parts())
    assert found == 300 * 5


def test_a_screen_that_leaves_many_rows_is_not_used():
    rng = np.random.default_rng(6)
    numbers = rng.random((1100, 40))
    rows = GowerRows(numbers, np.empty((1100, 0), np.int32))
    assert isinstance(engine_for(Question(rows, rows, 4, within=True)), Brute)
    few = GowerRows(numbers[:, :3], np.empty((1100, 0), np.int32))
    assert isinstance(engine_for(Question(few, few, 4, within=True)), GowerScreen)


@st.composite
def kinds(draw):
    """Levels of some kinds and of base kinds, column by column, and the steps of the columns."""
    columns, here, there = (
        draw(st.integers(low, high)) for low, high in ((0, 9), (1, 9), (1, 150))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = draw(st.sampled_from([2, 5, 256]))
    steps = rng.integers(0, draw(st.sampled_from([2, 4, 20_000])), columns)
    levels = [rng.integers(0, codes, (columns, kinds)).astype(np.uint8) for kinds in (here, there)]
    return *levels, steps


def steps_apart(here, there, steps):
    return np.tensordot(steps, here[:, :, None] != there[:, None], axes=1).astype(np.int64)


@given(kinds(), st.integers(1, 200), st.sampled_from([1, 2**17]), st.data())
def test_levels_are_as_far_apart_as_counted_one_by_one(levels, wanted, block, data):
    here, there, steps = levels
    first = data.draw(st.integers(0, here.shape[1] - 1))
    expected = steps_apart(here, there, steps)[first:]
    most = np.array([data.draw(st.integers(-2, 90_000)) for _ in expected])
    most[::2] = np.sort(expected, axis=1)[::2, expected.shape[1] // 2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gower_apart, "BLOCK_BYTES", block)
        unequal = Unequal.of(here, there, steps)
        apart = Apart.of(unequal, slice(first, here.shape[1]), wanted)
        row, base_kind, found = apart.at_most(most)
    units = steps_apart(here, there, steps // unequal.unit)[first:]
    kth = np.sort(units, axis=1)[:, min(wanted, units.shape[1]) - 1]
    assert (units * unequal.unit <= expected).all()
    assert wanted > units.shape[1] or np.array_equal(apart.most, kth)
    assert np.array_equal(np.stack([row, base_kind]), np.nonzero(expected <= most[:, None]))
    assert np.array_equal(found, expected[row, base_kind])
    row, base_kind, found = apart.nearest()
    assert np.array_equal(np.stack([row, base_kind]), np.nonzero(units <= kth[:, None]))
    assert np.array_equal(found, expected[row, base_kind])


@pytest.mark.parametrize("columns", [3, 255, 256, 300])
def test_columns_of_equal_steps_count_one_each(columns):
    levels = np.zeros((columns, 2), np.uint8)
    assert Unequal.of(levels, levels, np.full(columns, 127)).units == [1] * columns


def test_columns_of_different_steps_count_in_few_places():
    steps = np.random.default_rng(3).integers(100, 400, 9)
    unequal = Unequal.of(*np.zeros((2, 9, 5), np.uint8), steps)
    assert unequal.places == 8
    assert (np.array(unequal.units) * unequal.unit >= 0.8 * steps).all()


def test_what_is_held_for_levels_has_a_bound(monkeypatch):
    monkeypatch.setattr(gower_apart, "TABLE_BYTES", 1)
    monkeypatch.setattr(gower_direction, "PART_BYTES", 50_000)
    rng = np.random.default_rng(4)
    rows = GowerRows(rng.random((3000, 2)), rng.integers(0, 200, (3000, 5)).astype(np.int32))
    asked = Direction.of(rows, rows, 4, within=True)
    assert sum(bits.nbytes for bits in asked.unequal.bits) < 1.01 * rows.levels.nbytes
    for block in asked.blocks():
        apart = Apart.of(asked.unequal, block, 5)  # all kinds are different
        assert apart.planes.nbytes + apart.near.nbytes <= 50_000


def test_codes_that_would_take_much_memory_are_merged_in_bits_only(monkeypatch):
    levels = np.arange(256, dtype=np.uint8)[None]
    monkeypatch.setattr(gower_apart, "TABLE_BYTES", 1)
    unequal = Unequal.of(levels, levels, np.array([1]))
    assert unequal.bits[0].shape == (32, 4)
    apart = Apart.of(unequal, slice(0, 256), 1)
    row, base_kind, steps = apart.nearest()
    assert np.array_equal(np.bincount(row), np.full(256, 8))
    assert np.array_equal(steps == 0, row == base_kind)
    assert np.array_equal(apart.at_most(np.zeros(256, int))[0], np.arange(256))
