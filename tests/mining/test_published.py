"""MASK, RE and MMASK against the thesis' examples, against each other, and against slow implementations of the printed algorithms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori

import deniable as dn
from deniable.errors import ParameterError
from deniable.kernels.bits import pack
from deniable.kernels.published import choose, cts_order, first_bits, patterns_within
from deniable.mining.items import yes_no_items
from deniable.mining.published import LONGEST_MASK, _everyone, limit_of, mask_supports

NAMES = "abcdefgh"


def truths(rng, rows=600, items=6):
    """Items that depend on each other through a hidden trait, some common, some rare."""
    trait = rng.random(rows)[:, None]
    return rng.random((rows, items)) < np.linspace(0.25, 0.85, items) * (0.4 + 0.6 * (trait > 0.4))


def distorted(rng, true, p, q):
    return np.where(true, rng.random(true.shape) < p, rng.random(true.shape) >= q)


def framed(matrix):
    return pd.DataFrame(matrix, columns=list(NAMES[: matrix.shape[1]]))


def schema_of(p, q):
    return dn.Schema({name: dn.Flip(float(a), float(b)) for name, a, b in zip(NAMES, p, q, strict=False)})


def supports(frame):
    return dict(zip(frame["itemsets"], frame["support"], strict=True))


def random_case(seed, rows=600, items=6):
    rng = np.random.default_rng(seed)
    # p + q - 1 from 0.3 up, different for every item, in three digits so that the channels are exactly these.
    keep = rng.uniform(0.3, 0.95, items)
    q = np.round(rng.uniform(np.maximum(0.05, keep), 1.0), 3).clip(0.35, 0.999)
    p = np.round((keep + 1 - q).clip(0.01, 0.999), 3)
    assert (p + q - 1 >= 0.29).all()
    true = truths(rng, rows, items)
    return framed(distorted(rng, true, p, q)), p, q


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(8))
def test_mask_and_re_are_the_unbiased_estimate(seed):
    frame, p, q = random_case(seed)
    found = {
        method: supports(dn.frequent_itemsets(frame, schema_of(p, q), 0.02, method=method))
        for method in ("unbiased", "mask", "re")
    }
    assert max(map(len, found["unbiased"])) >= 4
    assert found["mask"].keys() == found["re"].keys() == found["unbiased"].keys()
    for itemset, support in found["unbiased"].items():
        assert found["mask"][itemset] == pytest.approx(support, abs=1e-9)
        assert found["re"][itemset] == pytest.approx(support, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_mask_solves_the_systems_of_all_six_items(seed):
    frame, p, q = random_case(seed)
    table = frame.to_numpy()
    slow = np.ones(len(table))
    for j in range(6):
        slow = slow * np.where(table[:, j], q[j], q[j] - 1) / (p[j] + q[j] - 1)
    items = yes_no_items(list(frame.columns), schema_of(p, q))
    got = mask_supports(pack(table), _everyone(len(table), -(-len(table) // 64)), np.arange(6, dtype=np.int32)[None], items)
    assert got[0] == pytest.approx(slow.sum(), rel=1e-9, abs=1e-7)


def test_errors_of_mask_and_re_are_those_of_the_unbiased_estimate():
    frame, p, q = random_case(1)
    unbiased, mask, re = (dn.frequent_itemsets(frame, schema_of(p, q), 0.05, method=m) for m in ("unbiased", "mask", "re"))
    for column in ("support_se", "support_low", "support_high", "reported_support", "probability_frequent"):
        np.testing.assert_allclose(mask[column], unbiased[column], atol=1e-12)
        np.testing.assert_allclose(re[column], unbiased[column], atol=1e-12)


def test_supports_that_are_the_minimum_but_for_rounding_are_frequent_by_every_method():
    # 2,000 rows, p = 0.5, q = 0.87: the estimates of pairs lie on a grid that has 0.05 on it, and each method rounds in its own way.
    rng = np.random.default_rng(8)
    reports = pd.DataFrame(rng.random((2000, 150)) < 0.22, columns=[str(k) for k in range(150)])
    found = [
        supports(dn.frequent_itemsets(reports, dn.Flip(0.5, 0.87), 0.05, method=method, max_len=2))
        for method in ("unbiased", "mask", "re", "mmask")
    ]
    exact = [itemset for itemset, support in found[0].items() if abs(support - 0.05) < 1e-12]
    assert exact
    assert found[0].keys() == found[1].keys() == found[2].keys() == found[3].keys()


def test_the_thesis_matrix_example_comes_back():
    # Section 3.6.1: M = [[0.4, 0.04], [0.6, 0.96]], 100 ones of 2,000 become 116 on average.
    reports = framed(np.arange(2000)[:, None] < 116)
    found = dn.frequent_itemsets(reports, dn.Flip(p=0.4, q=0.96), 0.01, method="mask")
    assert found["support"].item() == pytest.approx(100 / 2000)


@pytest.mark.statistical
@pytest.mark.parametrize("method", ["mask", "re", "mmask"])
def test_undistorted_every_published_method_is_apriori(method):
    frame = framed(truths(np.random.default_rng(4)))
    theirs = supports(apriori(frame, 0.05, use_colnames=True))
    for threshold in (1, 2, 3):
        for schema in (None, dn.Flip(1.0, 1.0)):
            mine = supports(dn.frequent_itemsets(frame, schema, 0.05, method=method, r_threshold=threshold))
            assert mine.keys() == theirs.keys()
            assert all(mine[itemset] == pytest.approx(support, abs=1e-12) for itemset, support in theirs.items())
    assert max(map(len, theirs)) > 3


@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_mmask_is_mask_up_to_its_threshold_and_not_above(threshold):
    frame, p, q = random_case(2)
    mask = supports(dn.frequent_itemsets(frame, schema_of(p, q), 0.02, method="mask"))
    mmask = supports(dn.frequent_itemsets(frame, schema_of(p, q), 0.02, method="mmask", r_threshold=threshold))
    for itemset in mask.keys() | mmask.keys():
        if len(itemset) <= threshold:
            assert mmask[itemset] == pytest.approx(mask[itemset], abs=1e-12)
    common = [s for s in mask.keys() & mmask.keys() if len(s) > threshold]
    assert common
    assert any(abs(mmask[s] - mask[s]) > 1e-3 for s in common)


# CTS, thesis 4.3: rThreshold = 2, candidate {a, b, c}; rows are chosen for {a, b}. Pattern 3 is ab, 2 is a, 1 is b.
def cts_example(counts, wanted, keeps, seed=1):
    patterns = np.random.default_rng(seed).permutation(np.repeat([3, 2, 1, 0], [counts[3], counts[2], counts[1], counts[0]]))
    table = np.stack([patterns >> 1 & 1, patterns & 1], axis=1).astype(bool)
    packed, rows = pack(table), len(patterns)
    items, everyone = np.array([0, 1]), _everyone(rows, packed.shape[1])
    counted, order, chosen = np.empty(4, np.int64), np.empty(4, np.int64), np.empty_like(everyone)
    patterns_within(packed, items, everyone, counted, np.empty((3, packed.shape[1]), np.uint64))
    assert counted.tolist() == [counts[0], counts[1], counts[2], counts[3]]
    cts_order(items, np.array(keeps), order)
    assert choose(packed, items, everyone, order, counted, wanted, chosen) == wanted
    return patterns, np.unpackbits(chosen.view(np.uint8), count=rows, bitorder="little").astype(bool), order.tolist()


def test_first_cts_example_the_first_168_of_172_are_chosen():
    patterns, chosen, _ = cts_example({3: 172, 2: 20, 1: 9, 0: 300}, 168, [0.8, 0.9])
    holds = np.flatnonzero(patterns == 3)
    assert np.flatnonzero(chosen).tolist() == holds[:168].tolist()


def test_second_cts_example_172_then_9_then_the_first_10_of_20():
    # i = 1 comes first where b is kept more surely than a: (1 - p_a) p_b > p_a (1 - p_b).
    patterns, chosen, order = cts_example({3: 172, 2: 20, 1: 9, 0: 300}, 191, [0.8, 0.9])
    assert order == [3, 1, 2, 0]
    assert [int(chosen[patterns == i].sum()) for i in (3, 1, 2, 0)] == [172, 9, 10, 0]
    assert np.flatnonzero(chosen & (patterns == 2)).tolist() == np.flatnonzero(patterns == 2)[:10].tolist()
    assert chosen.sum() == 191


def test_ties_in_cts_go_to_the_smallest_pattern():
    assert cts_example({3: 5, 2: 5, 1: 5, 0: 5}, 8, [0.7, 0.7])[2] == [3, 1, 2, 0]
    # At p = 0.5 all patterns are equally likely to come from one with all items.
    order = np.empty(8, np.int64)
    cts_order(np.arange(3), np.full(3, 0.5), order)
    assert order.tolist() == [7, 0, 1, 2, 3, 4, 5, 6]


def test_the_lowest_bits_of_a_word_are_taken_first():
    word = np.uint64(0b1011010)
    assert [int(first_bits(word, k)) for k in range(5)] == [0, 0b10, 0b1010, 0b11010, 0b1011010]


class SlowMmask:
    """Algorithms 10 to 13 as printed, with lists of rows; `late=True` raises the reduction relaxation where the print does."""

    def __init__(self, table, p, q, min_support, threshold, relax=0.0, rrelax=0.0, late=False):
        self.table, self.p, self.q = table, p, q
        self.n, self.threshold = len(table), threshold
        self.found = {}
        rows = list(range(self.n))
        level = {}
        for i in range(table.shape[1]):
            support = self.vector((i,), rows)[1]
            if support / self.n >= min_support / (1 + relax):
                level[(i,)] = (rows, (i,))
                self.found[(i,)] = support / self.n
        index, current = 1, relax
        while level:
            index += 1
            candidates = {}
            for y, z in itertools.combinations(sorted(level), 2):
                if y[:-1] == z[:-1] and all(s in level for s in itertools.combinations((*y, z[-1]), len(y))):
                    chosen, reduced = level[y]
                    if index > threshold:
                        candidates[(*y, z[-1])] = (self.cts(chosen, reduced), (z[-1],))
                    else:
                        candidates[(*y, z[-1])] = (chosen, (*reduced, z[-1]))
            if index > threshold and not late:
                current += rrelax
            level = {}
            for itemset, (chosen, reduced) in candidates.items():
                support = self.vector(reduced, chosen)[-1]
                if support / self.n >= min_support / (1 + current):
                    level[itemset] = (chosen, reduced)
                    self.found[itemset] = support / self.n
            if index > threshold:
                index = 1
                if late:
                    current += rrelax

    def pattern(self, items, row):
        return sum(int(self.table[row, item]) << (len(items) - 1 - j) for j, item in enumerate(items))

    def matrix(self, items):
        whole = np.ones((1, 1))
        for i in items:
            whole = np.kron(whole, np.array([[self.q[i], 1 - self.p[i]], [1 - self.q[i], self.p[i]]]))
        return whole

    def vector(self, items, rows):
        counts = (
            np.bincount([self.pattern(items, row) for row in rows], minlength=1 << len(items))
            if rows
            else np.zeros(1 << len(items))
        )
        return np.linalg.inv(self.matrix(items)) @ counts

    def cts(self, rows, items):
        wanted = max(0, math.floor(self.vector(items, rows)[-1] + 0.5))
        by_pattern = {i: [row for row in rows if self.pattern(items, row) == i] for i in range(1 << len(items))}
        likely = self.matrix(items)[:, -1]
        order = [len(likely) - 1, *sorted(range(len(likely) - 1), key=lambda i: (-round(likely[i], 12), i))]
        return sorted([row for i in order for row in by_pattern[i]][:wanted])


@pytest.mark.statistical
@pytest.mark.parametrize("threshold", [1, 2, 3])
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_mmask_is_the_printed_algorithm(seed, threshold):
    frame, p, q = random_case(seed, rows=300)
    slow = SlowMmask(frame.to_numpy(), p, q, 0.03, threshold).found
    fast = supports(dn.frequent_itemsets(frame, schema_of(p, q), 0.03, method="mmask", r_threshold=threshold))
    assert fast.keys() == {frozenset(NAMES[i] for i in itemset) for itemset in slow}
    assert max(map(len, fast)) > threshold
    for itemset, support in slow.items():
        assert fast[frozenset(NAMES[i] for i in itemset)] == pytest.approx(support, abs=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize(("relax", "rrelax"), [(0.0, 0.4), (0.3, 0.0), (0.2, 0.3)])
def test_relaxations_are_algorithm_13_as_corrected(relax, rrelax):
    frame, p, q = random_case(11, rows=300)
    options = {"method": "mmask", "r_threshold": 2, "relax": relax, "reduction_relax": rrelax}
    mine = {frozenset(s) for s in dn.frequent_itemsets(frame, schema_of(p, q), 0.12, **options)["itemsets"]}

    def printed(late):
        found = SlowMmask(frame.to_numpy(), p, q, 0.12, 2, relax, rrelax, late).found
        return {frozenset(NAMES[i] for i in itemset) for itemset in found}

    assert mine == printed(late=False)
    if rrelax:
        # As printed the relaxation would come a level late: fewer itemsets of three items.
        assert mine != printed(late=True)
        assert sum(len(s) == 3 for s in mine) > sum(len(s) == 3 for s in printed(late=True))


def test_limits_fall_with_every_reduction_of_the_rows():
    assert limit_of(3, 0.1, 3, 0.05, 0.05) == pytest.approx(0.1 / 1.05)
    assert limit_of(4, 0.1, 3, 0.05, 0.05) == pytest.approx(0.1 / 1.10)
    assert limit_of(6, 0.1, 3, 0.05, 0.05) == pytest.approx(0.1 / 1.10)
    assert limit_of(7, 0.1, 3, 0.05, 0.05) == pytest.approx(0.1 / 1.15)


@pytest.mark.parametrize("method", ["unbiased", "mask", "re", "mmask"])
def test_relaxing_finds_more_and_loses_nothing(method):
    frame, p, q = random_case(6)
    strict = set(dn.frequent_itemsets(frame, schema_of(p, q), 0.15, method=method)["itemsets"])
    relaxed = dn.frequent_itemsets(frame, schema_of(p, q), 0.15, method=method, relax=0.3)
    assert strict < set(relaxed["itemsets"])
    assert relaxed["support"].min() >= 0.15 / 1.3


@pytest.mark.statistical
def test_mmask_is_biased_and_says_so():
    # Errata 22: two identical columns, prevalence 1/2, p = q = 0.6: the truth is 100 of 200, MMASK finds 60 on average.
    rng = np.random.default_rng(1)
    true = np.repeat([True, False], 100)[:, None] & np.ones(2, bool)
    means = {"mmask": [], "unbiased": []}
    for _ in range(400):
        reports = framed(distorted(rng, true, 0.6, 0.6))
        for method, values in means.items():
            found = dn.Transactions(reports, dn.Flip(0.6, 0.6))
            told = dn.frequent_itemsets(found, None, 1e-9, method=method, r_threshold=1)
            pair = told[told["itemsets"] == frozenset("ab")]["support"]
            values.append(200 * (pair.item() if len(pair) else 0.0))
    assert np.mean(means["mmask"]) == pytest.approx(60, abs=10)
    # What falls below the limit is counted as 0 here, which lifts the mean a little.
    assert np.mean(means["unbiased"]) == pytest.approx(100, abs=15)


def test_mmask_has_errors_up_to_its_threshold_and_a_reason_above():
    frame, p, q = random_case(2)
    found = dn.frequent_itemsets(frame, schema_of(p, q), 0.02, method="mmask", r_threshold=2)
    long = found["itemsets"].map(len) > 2
    assert long.any()
    assert found.loc[long, ["support_se", "support_low", "support_high", "probability_frequent"]].isna().all(axis=None)
    assert found.loc[~long, ["support_se", "support_low", "support_high"]].notna().all(axis=None)
    assert found.loc[long, "support"].notna().all()
    assert "biased" in found.attrs["no_interval"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"r_threshold": 0}, "whole number from 1"),
        ({"r_threshold": 2.0}, "whole number from 1"),
        ({"r_threshold": 99}, "whole number from 1"),
        ({"relax": -0.1}, "relax lowers the minimum support"),
        ({"reduction_relax": float("nan")}, "reduction_relax lowers the minimum support"),
        ({"method": "mmask", "min_probability": 0.9}, "no probabilities to filter by"),
        ({"method": "mmask", "false_discovery_rate": 0.1}, "no probabilities to filter by"),
        ({"method": "mmask", "taxonomy": {"a": "x"}}, "needs method='unbiased'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, says):
    with pytest.raises(ParameterError, match=says):
        dn.frequent_itemsets(framed(np.ones((4, 2), bool)), None, 0.5, **options)


@pytest.mark.parametrize("method", ["mask", "re", "mmask"])
def test_channels_of_more_values_are_sent_to_the_unbiased_method(method):
    schema = dn.Schema({"age": dn.Neighbours(dn.Ordinal(["young", "middle", "old"]), [0.8, 0.1])})
    with pytest.raises(ParameterError, match="method='unbiased'"):
        dn.frequent_itemsets(pd.DataFrame({"age": ["young", "old"]}), schema, 0.1, method=method)


@pytest.mark.parametrize("method", ["mask", "re", "mmask"])
def test_values_of_one_attribute_never_meet(method):
    schema = dn.Schema({"colour": dn.KRR(dn.Nominal(["red", "green", "blue"]), 0.6), "a": dn.Flip(0.8, 0.8)})
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 500), "a": rng.integers(0, 2, 500)})
    found = dn.frequent_itemsets(frame, schema, 0.01, method=method, r_threshold=1)
    assert any(len(itemset) == 2 for itemset in found["itemsets"])
    assert all(sum(str(name).startswith("colour") for name in itemset) <= 1 for itemset in found["itemsets"])


def test_mask_stops_before_its_matrix_fills_the_memory():
    frame = pd.DataFrame(np.ones((20, LONGEST_MASK + 1), bool), columns=[str(k) for k in range(LONGEST_MASK + 1)])
    with pytest.raises(ParameterError, match=f"max_len={LONGEST_MASK}"):
        dn.frequent_itemsets(frame, dn.Flip(1.0, 1.0), 0.5, method="mask")


@pytest.mark.parametrize("method", ["mask", "re", "mmask"])
def test_nothing_frequent_is_an_empty_frame(method):
    found = dn.frequent_itemsets(framed(np.zeros((10, 3), bool)), dn.Flip(0.9, 0.9), 0.5, method=method)
    assert len(found) == 0
    assert {"support", "itemsets", "support_se"} <= set(found.columns)
