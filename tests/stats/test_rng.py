import numpy as np

from privgate.stats.rng import derive_seed, derived_int, generator


def test_seed_depends_on_every_part_and_on_where_parts_end():
    seeds = {derive_seed("ab", "c"), derive_seed("a", "bc"), derive_seed("abc"), derive_seed("c")}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_generators_of_different_names_are_independent_and_repeatable():
    first, again, other = generator(7, "a"), generator(7, "a"), generator(7, "b")
    draws = first.random(1000)
    assert np.array_equal(draws, again.random(1000))
    assert abs(np.corrcoef(draws, other.random(1000))[0, 1]) < 0.1
    assert 0 <= derived_int(first) < 2**31
