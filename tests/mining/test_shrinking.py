"""Supports drawn toward what their subsets let one expect: better than MASK and MMASK, and nothing else where nothing was hidden."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.stats

import deniable as dn
from deniable.kernels.expected import expectations, known_subsets
from deniable.kernels.level_fit import two_shares
from deniable.mining import search
from deniable.mining.shrinking import MULTIPLES, SHARES, Fit, fitted, heavy_tailed

pytestmark = pytest.mark.statistical

LIMIT = 0.02


@pytest.fixture(scope="module")
def baskets():
    rng = np.random.default_rng(21)
    truth = dn.datasets.quest("T8I4D20kN40", form="matrix", rng=rng)
    draw = rng.random(truth.shape)
    names = [str(i) for i in range(40)]
    return {
        q: dn.Transactions(pd.DataFrame(np.where(truth, draw < 0.5, draw >= q), columns=names), dn.Flip(0.5, q))
        for q in (0.97, 0.85)
    } | {"truth": pd.DataFrame(truth, columns=names)}


def actual(baskets, itemsets):
    truth = baskets["truth"]
    return np.array([truth[list(itemset)].all(axis=1).mean() for itemset in itemsets])


def average_precision(found, true):
    ranked = found.sort_values("support", ascending=False)["itemsets"]
    hits = np.array([itemset in true for itemset in ranked], dtype=float)
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1) * hits).sum() / len(true))


@pytest.mark.parametrize("length", [2, 3, 4])
def test_at_high_privacy_itemsets_are_ranked_and_measured_better_than_by_mask_and_mmask(baskets, length):
    clean = dn.frequent_itemsets(baskets["truth"], None, LIMIT)
    true = {itemset for itemset in clean["itemsets"] if len(itemset) == length}
    precision, error = {}, {}
    for method in ("unbiased", "mmask", "shrunk"):
        found = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, method=method, max_len=length)
        found = found[found["itemsets"].map(len) == length]
        precision[method] = average_precision(found, true)
        right = found[found["itemsets"].map(true.__contains__)]
        expected = actual(baskets, right["itemsets"])
        error[method] = float(np.mean(np.abs(right["support"] - expected) / expected))
    better = {2: 1.03, 3: 1.2, 4: 1.3}[length]
    assert precision["shrunk"] > better * max(precision["unbiased"], precision["mmask"])
    assert error["shrunk"] < min(error["unbiased"], error["mmask"]) / better


def test_the_probability_of_being_frequent_is_told_truly(baskets):
    found = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, target="respondents", max_len=3)
    found = found[found["itemsets"].map(len) > 1]
    real = actual(baskets, found["itemsets"]) >= LIMIT
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        some = found["probability_frequent"].between(low, high, inclusive="left")
        assert some.sum() > 50
        assert found.loc[some, "probability_frequent"].mean() == pytest.approx(real[some].mean(), abs=0.1)


def test_a_rate_of_false_discoveries_is_kept(baskets):
    found = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, target="respondents", max_len=3, false_discovery_rate=0.01)
    false = (actual(baskets, found["itemsets"]) < LIMIT).mean()
    everything = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, max_len=3)
    assert len(found) > 200
    assert false < 0.02 < (actual(baskets, everything["itemsets"]) < LIMIT).mean()


def test_with_little_noise_little_is_drawn_anywhere(baskets):
    found = dn.frequent_itemsets(baskets["truth"], dn.Flip(0.999, 0.9999), LIMIT, max_len=3)
    assert np.abs(found["support"] / found["unbiased_support"] - 1).max() < 0.01
    clean = dn.frequent_itemsets(baskets["truth"], None, LIMIT, max_len=3)
    assert (clean["support"] == clean["unbiased_support"]).all()


def test_independent_items_are_recognised():
    rng = np.random.default_rng(22)
    shares = rng.uniform(0.2, 0.6, 25)
    truth = rng.random((5_000, 25)) < shares
    draw = rng.random(truth.shape)
    reports = pd.DataFrame(np.where(truth, draw < 0.6, draw >= 0.7), columns=[str(i) for i in range(25)])
    found = dn.frequent_itemsets(reports, dn.Flip(0.6, 0.7), 0.05, max_len=3)
    for length in (2, 3):
        some = found[found["itemsets"].map(len) == length]
        expected = np.array([truth[:, [int(i) for i in itemset]].all(axis=1).mean() for itemset in some["itemsets"]])
        off = np.sqrt(np.mean((some["support"] - expected) ** 2))
        assert off < 0.5 * np.sqrt(np.mean((some["unbiased_support"] - expected) ** 2))


def test_itemsets_that_always_occur_together_keep_their_support():
    rng = np.random.default_rng(23)
    pattern = rng.random((20_000, 1)) < 0.2
    truth = np.hstack([np.repeat(pattern, 3, axis=1), rng.random((20_000, 12)) < 0.3])
    draw = rng.random(truth.shape)
    reports = pd.DataFrame(np.where(truth, draw < 0.7, draw >= 0.8), columns=[f"{i:02}" for i in range(15)])
    found = dn.frequent_itemsets(reports, dn.Flip(0.7, 0.8), 0.05).set_index("itemsets")
    triple = found.loc[[frozenset(["00", "01", "02"])]].iloc[0]
    assert triple["support"] == pytest.approx(pattern.mean(), abs=0.05)


def test_a_level_too_large_to_be_seen_at_once_is_fitted_to_a_sample(baskets, monkeypatch):
    whole = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, max_len=3).set_index("itemsets")
    alone = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, max_len=3, method="unbiased")
    monkeypatch.setattr(search, "PORTION", 300)
    parts = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, max_len=3).set_index("itemsets")
    both = whole.index.intersection(parts.index)
    assert len(both) > 0.97 * max(len(whole), len(parts))
    assert np.abs(whole.loc[both, "support"] / parts.loc[both, "support"] - 1).mean() < 0.04
    again = dn.frequent_itemsets(baskets[0.85], min_support=LIMIT, max_len=3, method="unbiased")
    pd.testing.assert_frame_equal(alone, again)


def test_the_fit_finds_the_coefficients_that_made_the_data():
    rng = np.random.default_rng(24)
    size = 20_000
    independent, least = rng.uniform(0.02, 0.1, size), rng.uniform(0.1, 0.3, size)
    expected = 0.8 * independent + 0.1 * least
    variance = rng.uniform(0.005, 0.02, size) ** 2
    truth = expected * (1 + 0.2 * rng.standard_normal(size))
    fit = fitted(truth + np.sqrt(variance) * rng.standard_normal(size), variance, independent, least, np.zeros(size))
    assert (fit.independent, fit.rarest) == (pytest.approx(0.8, abs=0.03), pytest.approx(0.1, abs=0.01))
    assert (fit.spread_expected, fit.spread_noise) == (pytest.approx(0.04, abs=0.006), pytest.approx(1.0, abs=0.06))
    assert Fit().independent == 1.0


def test_few_that_are_far_from_their_expectation_are_believed():
    off = np.array([0.0, 0.01, 0.5])
    weight, error = heavy_tailed(off, np.full(3, 1e-4), np.full(3, 1e-3), np.full(3, 1e-3), 1.0)
    assert weight[0] < 0.2 < 0.9 < weight[2]
    assert (error <= np.sqrt(1e-3) * 1.01).all()


def test_dense_items_are_not_drawn_toward_an_expectation_as_noisy_as_themselves():
    """Subsets of frequent items share most of their noise with the itemset: what they say is hardly news."""
    rng = np.random.default_rng(25)
    kind = rng.random((6_000, 4)) < [0.85, 0.8, 0.75, 0.7]
    truth = np.repeat(kind, 3, axis=1) ^ (rng.random((6_000, 12)) < 0.02)
    draw = rng.random(truth.shape)
    reports = pd.DataFrame(np.where(truth, draw < 0.85, draw >= 0.9), columns=[f"{i:02}" for i in range(12)])
    found = dn.frequent_itemsets(reports, dn.Flip(0.85, 0.9), 0.3, max_len=6)
    for length in (3, 4, 5, 6):
        some = found[found["itemsets"].map(len) == length]
        expected = np.array([truth[:, [int(i) for i in itemset]].all(axis=1).mean() for itemset in some["itemsets"]])
        off = {name: float(np.mean(np.abs(some[name] - expected))) for name in ("support", "unbiased_support")}
        assert off["support"] < 1.05 * off["unbiased_support"]


def test_shrunk_supports_are_shares_and_never_above_those_of_subsets():
    rng = np.random.default_rng(41)
    off = {"support": [], "unbiased_support": []}
    for _ in range(20):
        truth = rng.random((150, 5)) < 0.85
        draw = rng.random(truth.shape)
        reports = pd.DataFrame(np.where(truth, draw < 0.65, draw >= 0.65), columns=list("abcde"))
        found = dn.frequent_itemsets(reports, dn.Flip(0.65, 0.65), 0.1)
        support = dict(zip(found["itemsets"], found["support"], strict=True))
        assert found["support"].between(0, 1).all()
        for itemset, value in support.items():
            assert all(value <= support[itemset - {item}] for item in itemset if len(itemset) > 1)
        expected = np.array([truth[:, ["abcde".index(i) for i in itemset]].all(axis=1).mean() for itemset in found["itemsets"]])
        for name in off:
            off[name].extend((found[name] - expected) ** 2)
    assert np.mean(off["support"]) < 0.2 * np.mean(off["unbiased_support"])


def slow_expectation(itemset, support, noise):
    """By the definition: a mean over all pairs of items, and the noise that its derivative takes over from every subset."""
    m = len(itemset)
    pairs = list(itertools.combinations(itemset, 2))
    logs = [np.log(support[itemset - {j}] * support[itemset - {k}] / support[itemset - {j, k}]) for j, k in pairs]
    least = min(support[itemset - {j}] for j in itemset)
    shared = sum(2 / m * noise[itemset - {j}] / support[itemset - {j}] ** 2 for j in itemset)
    shared -= sum(2 / (m * (m - 1)) * noise[itemset - {j, k}] / support[itemset - {j, k}] ** 2 for j, k in pairs)
    return min(np.exp(np.mean(logs)), least), least, shared


def test_expectations_are_those_of_the_definition():
    rng = np.random.default_rng(26)
    support, noise, error = {frozenset(): 1.0}, {frozenset(): 0.0}, {frozenset(): 0.0}
    rows, known = {frozenset(): 0}, np.array([[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]])
    for length in range(1, 7):
        sets = [frozenset(chosen) for chosen in itertools.combinations(range(7), length)]
        parents = np.array([[rows[itemset - {item}] for item in sorted(itemset)] for itemset in sets], dtype=np.int32)
        if length > 1:
            independent, least, shared, doubt = expectations(parents, known)
            slow = np.array([slow_expectation(itemset, support, noise) for itemset in sets]).T
            np.testing.assert_allclose([independent, least, shared], slow, rtol=1e-12, atol=1e-12)
            relative = [[(error[s - {i}] / support[s - {i}]) ** 2 for i in sorted(s)] for s in sets]
            np.testing.assert_allclose(doubt, np.mean(relative, axis=1), rtol=1e-12)
        for itemset in sets:
            support[itemset] = rng.uniform(0.2, 1.0) * min(support[itemset - {item}] for item in itemset)
            noise[itemset], error[itemset] = rng.uniform(0, 1e-3), rng.uniform(0, 0.1)
        columns = [np.array([table[itemset] for itemset in sets]) for table in (support, noise, error)]
        known = known_subsets(*columns, parents, known)
        rows = {itemset: number for number, itemset in enumerate(sets)}


def test_the_weights_of_spreads_are_those_of_the_normal_mixture():
    rng = np.random.default_rng(27)
    for off, spread, variance, part in zip(*rng.uniform(0, 0.1, (2, 50)), *rng.uniform(0, 1, (2, 50)), strict=True):
        variance, noise, share = variance * 1e-3, variance * part * 1e-3, rng.uniform(0.5, 2)
        whole = np.maximum(np.array(MULTIPLES) * spread**2 + share * variance, noise) + 1e-14
        likely = np.array(SHARES) * scipy.stats.norm.pdf(off, scale=np.sqrt(whole))
        likely /= likely.sum()
        trust = 1 - noise / whole
        mean, second = (likely * trust * off).sum(), (likely * ((trust * off) ** 2 + variance - noise**2 / whole)).sum()
        weight, error = heavy_tailed(*(np.array([each]) for each in (off, spread**2, variance, noise)), share)
        assert weight[0] == pytest.approx((likely * trust).sum(), rel=1e-9)
        assert error[0] == pytest.approx(np.sqrt(max(second - mean**2, 0)), rel=1e-6)


def test_least_squares_of_two_nonnegative_shares():
    """As scipy's nnls, on both sides of the border."""
    rng = np.random.default_rng(28)
    for _ in range(50):
        (a, b), y = rng.random((2, 20)), rng.standard_normal(20)
        ours = two_shares(a @ a, a @ b, b @ b, a @ y, b @ y)
        np.testing.assert_allclose(ours, scipy.optimize.nnls(np.stack([a, b], axis=1), y)[0], atol=1e-10)
