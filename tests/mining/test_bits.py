"""Packed columns, candidates and sums of weights against plain numpy."""

import itertools

import numpy as np
import pytest

from deniable.kernels import bits
from deniable.kernels.candidates import first_of_each, join, kept_rows, weighted_sums
from deniable.kernels.fimi import parse
from deniable.kernels.row_products import packed_row_sums


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(3).random((bits.BLOCK * 64 * 2 + 777, 9)) < np.linspace(0.02, 0.9, 9)


@pytest.mark.statistical
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_counts_are_those_of_a_plain_loop_over_several_blocks(rows, length):
    itemsets = np.array(list(itertools.combinations(range(9), length)), dtype=np.int32)
    counts = np.zeros(len(itemsets), np.int64)
    bits.count_itemsets(bits.pack(rows), itemsets, 0, len(itemsets), counts)
    assert counts.tolist() == [int(rows[:, itemset].all(axis=1).sum()) for itemset in itemsets]


def test_a_prefix_that_nobody_reports_does_not_hide_the_next_one():
    rows = np.zeros((100, 5), dtype=bool)
    rows[:50, 0] = rows[50:, 1] = rows[:, 2] = rows[:, 3] = rows[:50, 4] = True
    itemsets = np.array([[0, 1, 2, 3], [0, 1, 2, 4], [0, 2, 3, 4], [1, 2, 3, 4]], dtype=np.int32)
    counts = np.zeros(4, np.int64)
    bits.count_itemsets(bits.pack(rows), itemsets, 0, 4, counts)
    assert counts.tolist() == [0, 0, 50, 0]


@pytest.mark.parametrize("items", [[4], [1, 0], [8, 2, 5], [0, 1, 2, 3, 4, 5, 6, 7]])
def test_pattern_counts_are_those_of_bincount(rows, items):
    patterns = (rows[:, items] * (1 << np.arange(len(items)))).sum(axis=1)
    found = bits.pattern_counts(bits.pack(rows), np.array(items), len(rows))
    assert found.tolist() == np.bincount(patterns, minlength=1 << len(items)).tolist()


def test_candidates_have_all_subsets_and_never_two_values_of_one_attribute():
    attribute = np.array([0, 0, 1, 2, 3])
    singles = np.arange(5, dtype=np.int32)[:, None]
    room = np.empty((10, 2), np.int32), np.empty((10, 2), np.int32)
    none, all_of_them = np.zeros((5, 1), np.int32), np.array([0, 5])
    found = join(singles, singles[:, 0].copy(), none, all_of_them, attribute, 0, 5, *room)
    pairs = room[0][:found]
    assert pairs.tolist() == [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]
    chosen = [0, 1, 3, 6, 8]
    frequent, parents = pairs[chosen], room[1][chosen]  # 02 03 12 23 34
    assert parents.tolist() == frequent[:, ::-1].tolist()
    starts = first_of_each(frequent[:, 0].copy(), 5)
    assert starts.tolist() == [0, 2, 3, 4, 5, 5]
    room = np.empty((10, 3), np.int32), np.empty((10, 3), np.int32)
    found = join(frequent, frequent[:, 1].copy(), parents, starts, attribute, 0, 5, *room)
    assert room[0][:found].tolist() == [[0, 2, 3]]
    assert [frequent[row].tolist() for row in room[1][0]] == [[2, 3], [0, 3], [0, 2]]


@pytest.mark.statistical
@pytest.mark.parametrize(("items", "share"), [(12, 0.9), (40, 0.5), (40, 0.95)])
def test_candidates_are_all_itemsets_whose_subsets_were_chosen(items, share):
    rng = np.random.default_rng(items)
    attribute = np.arange(items)
    sets, parents = np.arange(items, dtype=np.int32)[:, None], np.zeros((items, 1), np.int32)
    below = 1
    for length in (2, 3, 4):
        starts = first_of_each(parents[:, -1], below)
        room = int((starts[parents[:, -1] + 1] - np.arange(len(sets)) - 1).sum())
        itemsets, subsets = np.empty((room, length), np.int32), np.empty((room, length), np.int32)
        found = join(sets, sets[:, -1].copy(), parents, starts, attribute, 0, len(sets), itemsets, subsets)
        known = {tuple(s): row for row, s in enumerate(sets.tolist())}
        ends = {}
        for s in known:
            ends.setdefault(s[:-1], []).append(s[-1])
        expected = [
            (*s, last)
            for s in known
            for last in ends[s[:-1]]
            if last > s[-1] and all((*s[:k], *s[k + 1 :], last) in known for k in range(length - 1))
        ]
        assert [tuple(s) for s in itemsets[:found].tolist()] == expected
        assert len(expected) > 20
        assert subsets[:found].tolist() == [[known[s[:k] + s[k + 1 :]] for k in range(length)] for s in expected]
        kept = np.flatnonzero(rng.random(found) < share)
        below = len(sets)
        few = kept[: found // 2]  # copied, since only few are left; the others are moved
        assert [tuple(s) for s in kept_rows(itemsets[:found], few).tolist()] == [expected[k] for k in few]
        sets, parents = kept_rows(itemsets[:found], kept), subsets[kept]
        assert [tuple(s) for s in sets.tolist()] == [expected[k] for k in kept]


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(3))
def test_sums_from_subsets_are_those_of_row_products_however_long(seed):
    rng = np.random.default_rng(seed)
    length = 12
    rows = rng.random((500, length)) < 0.6
    absent, present = -rng.uniform(0.02, 0.4, length), rng.uniform(1.0, 1.8, length)
    packed = bits.pack(rows)
    weights = np.where(rows, present, absent)
    below, place = np.full((1, 1, 3), 500.0), {(): 0}
    powers = np.arange(1, 4)
    low, high = absent[:, None] ** powers, present[:, None] ** powers
    for m in range(1, length + 1):
        itemsets = np.array(list(itertools.combinations(range(length), m)), dtype=np.int32)
        parents = np.array([[place[tuple(np.delete(s, k))] for k in range(m)] for s in itemsets], dtype=np.int32)
        counts = np.array([rows[:, s].all(axis=1).sum() for s in itemsets])
        below, whole = weighted_sums(counts, itemsets, parents, below, low, high - low)
        place = {tuple(s): i for i, s in enumerate(itemsets)}
        assert (below[:, -1] == whole.T).all()
        for kind in range(3):
            expected = [(weights[:, s].prod(axis=1) ** (kind + 1)).sum() for s in itemsets]
            np.testing.assert_allclose(whole[kind], expected, rtol=0, atol=1e-8 * np.abs(weights).prod(axis=1).sum())
    sums = packed_row_sums(packed, 500, np.arange(length), absent, present)
    np.testing.assert_allclose(sums, [(weights.prod(axis=1) ** k).sum() for k in (1, 2, 3)])


def test_fimi_lines_are_transactions_and_empty_lines_empty_ones():
    starts, numbers, wrong = parse(np.frombuffer(b"3 14 15 \n\n92\t6\r\n5", np.uint8))
    assert (starts.tolist(), numbers.tolist(), wrong) == ([0, 3, 3, 5, 6], [3, 14, 15, 92, 6, 5], -1)
    assert parse(np.frombuffer(b"1 2\n3 x\n", np.uint8))[2] == 6
