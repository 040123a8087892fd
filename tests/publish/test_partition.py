"""The dynamic programme and the groupings against brute force over all of them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.kernels.deniability import best_partition
from deniable.kernels.partition import admissible, best_cuts, part_value, parts_from_cuts
from deniable.publish.growing import DISTANCES, GrowthSettings
from deniable.publish.rules import Rules


def slow_distance(kind, part, whole):
    """A distance between two count vectors, as the documentation states it."""
    p, q = part / part.sum(), whole / whole.sum()
    k = len(p)
    return {
        "squared": ((p - q) ** 2).sum() / k,
        "euclidean": math.sqrt(((p - q) ** 2).sum()) / k,
        "cosine": 1 - (p @ q) / math.sqrt((p @ p) * (q @ q)),
        "total_variation": np.abs(p - q).sum() / 2,
        "chi2": (((p - q) ** 2)[q > 0] / q[q > 0]).sum(),
    }[kind]


def slow_deniability(part):
    p = part[part > 0] / part.sum()
    return -(p * np.log2(p)).sum() / math.log2(len(part))


def fits(part, rules, whole):
    share = part / part.sum()
    pairs = itertools.permutations(part, 2) if len(part) > 2 else []
    if any(a > rules.max_ruled_out * (part.sum() - b) + 1e-9 for a, b in pairs):
        return False
    if math.isfinite(rules.max_skew_ratio) and (share > rules.max_skew_ratio * whole / whole.sum() + 1e-12).any():
        return False
    return (
        part.sum() >= rules.min_rows
        and slow_deniability(part) >= rules.min_deniability - 1e-12
        and share.max() <= rules.max_posterior + 1e-12
        and np.abs(share - whole / whole.sum()).sum() / 2 <= rules.max_skew + 1e-12
    )


def brute_force(table, kind, rules, partitions):
    """The largest weighted distance over all these partitions of the rows of `table`; None if none is admissible."""
    whole = table.sum(axis=0)
    best = None
    for parts in partitions:
        sums = [table[list(part)].sum(axis=0) for part in parts]
        if all(fits(part, rules, whole) for part in sums):
            value = sum(part.sum() * slow_distance(kind, part, whole) for part in sums)
            best = value if best is None else max(best, value)
    return best


def all_cuts(values):
    for marks in itertools.product([False, True], repeat=values - 1):
        edges = [0, *(i + 1 for i, cut in enumerate(marks) if cut), values]
        yield [range(a, b) for a, b in itertools.pairwise(edges)]


def all_groupings(items):
    if not items:
        yield []
        return
    first, *rest = items
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            for tail in all_groupings([item for item in rest if item not in others]):
                yield [[first, *others], *tail]


def prepared(table, rules):
    k = table.shape[1]
    prefix = np.concatenate([np.zeros((1, k), np.int64), np.cumsum(table, axis=0)]).astype(np.int32)
    n = int(table.sum())
    whole = table.sum(axis=0) / n
    return prefix, whole, rules.for_kernel(n, np.arange(k, dtype=np.int32)[None].copy(), [k], whole)


def room(values, labels):
    return (
        np.zeros(values + 1),
        np.zeros(values + 1),
        np.zeros(values + 1, np.int32),
        np.zeros((labels, values + 1)),
        np.zeros(values + 1),
    )


@st.composite
def tables(draw, most):
    """Counts of 2 to 4 answers at a few distinct values: several rows at one value are ties."""
    k = draw(st.integers(2, 4))
    values = draw(st.integers(2, most))
    rows = draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=values, max_size=values))
    table = np.asarray(rows)
    table[table.sum(axis=1) == 0, 0] = 1
    return table


@st.composite
def some_rules(draw):
    return Rules(
        draw(st.sampled_from([0.0, 0.05, 0.2, 0.4, 0.6])),
        draw(st.sampled_from([1, 1, 3])),
        draw(st.sampled_from([1.0, 1.0, 0.8])),
        draw(st.sampled_from([1.0, 1.0, 0.3])),
        draw(st.sampled_from([math.inf, math.inf, 1.5, 3.0])),
        draw(st.sampled_from([1.0, 1.0, 0.9])),
    )


@pytest.mark.statistical
@pytest.mark.parametrize("kind", DISTANCES)
@given(tables(9), some_rules(), st.booleans())
def test_the_dynamic_programme_equals_brute_force_over_all_cuts(kind, table, rules, prune):
    prefix, whole, kernel = prepared(table, rules)
    own = room(len(table), table.shape[1])
    found = best_cuts(DISTANCES.index(kind), prefix, len(table), whole, kernel, prune and kind != "cosine", own)
    expected = brute_force(table, kind, rules, all_cuts(len(table)))
    if expected is None:
        assert found == -1
        return
    assert found == pytest.approx(expected, abs=1e-9)
    part = np.zeros(len(table), np.int32)
    count = parts_from_cuts(len(table), own[2], np.arange(len(table)), part)
    sums = [table[part == p].sum(axis=0) for p in range(count)]
    assert all(fits(one, rules, table.sum(axis=0)) for one in sums)
    assert sum(one.sum() * slow_distance(kind, one, table.sum(axis=0)) for one in sums) == pytest.approx(expected, abs=1e-9)
    assert (np.diff(part) >= 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize("kind", DISTANCES)
@given(tables(6), some_rules())
def test_grouped_categories_equal_brute_force_over_all_groupings(kind, table, rules):
    prefix, whole, kernel = prepared(table, rules)
    part = np.zeros(len(table), np.int32)
    found, count = best_partition(
        2, DISTANCES.index(kind), prefix, len(table), whole, kernel, False, room(len(table), table.shape[1]), part
    )
    expected = brute_force(table, kind, rules, all_groupings(list(range(len(table)))))
    if expected is None:
        assert count == 0
        return
    assert found == pytest.approx(expected, abs=1e-9)
    assert set(part) == set(range(count))


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [kind for kind in DISTANCES if kind != "cosine"])
@pytest.mark.parametrize("labels", [2, 5])
def test_stopping_early_changes_nothing_on_long_columns(kind, labels):
    """Long stretches of nearly one answer: the best part often begins several blocks before the first admissible one."""
    rng = np.random.default_rng(labels)
    values = 4000
    usual = np.repeat(rng.integers(0, labels, 40), rng.integers(20, 700, 40))[:values]
    y = np.where(rng.random(values) < 0.04, rng.integers(0, labels, values), usual)
    table = np.zeros((values, labels), np.int64)
    table[np.arange(values), y] = 1 + (rng.random(values) < 0.2)
    rules = Rules(0.25, 1, 1.0, 1.0)
    prefix, whole, kernel = prepared(table, rules)
    quick, full = room(values, labels), room(values, labels)
    code = DISTANCES.index(kind)
    assert best_cuts(code, prefix, values, whole, kernel, True, quick) == best_cuts(
        code, prefix, values, whole, kernel, False, full
    )
    assert (quick[2] == full[2]).all()


def test_cosine_is_not_convex_so_the_shortcut_is_not_taken_there():
    """Two parts whose union counts for more than they do: stopping early would not be exact."""
    base = np.array([0.5, 0.5])
    found = False
    rng = np.random.default_rng(0)
    for _ in range(2000):
        a, b = rng.integers(0, 30, 2), rng.integers(0, 30, 2)
        if not a.sum() or not b.sum():
            continue
        counts = np.stack([np.zeros(2), a, b, a + b]).astype(np.int32)
        one, two, both = (part_value(2, counts, j, counts, 0, base) for j in (1, 2, 3))
        found |= both > one + two + 1e-9
    assert found
    assert not GrowthSettings("cosine", 0.0, None, False).for_kernel()[-1]
    assert GrowthSettings("squared", 0.0, None, False).for_kernel()[-1]


@given(tables(5), some_rules())
def test_what_a_part_must_meet_survives_merging(table, rules):
    """The proof that cuts may only lie between admissible sides rests on this."""
    prefix, _, kernel = prepared(table, rules)
    for j in range(1, len(table)):
        if admissible(prefix, j, prefix, 0, kernel, 0.0) and admissible(prefix, len(table), prefix, j, kernel, 0.0):
            assert admissible(prefix, len(table), prefix, 0, kernel, 1e-12)
