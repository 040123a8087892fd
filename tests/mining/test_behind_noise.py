"""Supports behind noise: sane estimates, and intervals that hold for every truth in the class that they name."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.core.caps import Cap
from deniable.mining.biases import Bias, largest_bias
from deniable.mining.supports import itemset_sums

pytestmark = pytest.mark.statistical

RUNS = 200
ROWS = 2_000

AGES = dn.Additive(dn.Integer(18, 90), dn.Normal(10))
WIDE = dn.Additive(dn.Integer(0, 100), dn.Uniform(25))
RATING = dn.Additive(dn.Integer(0, 10), dn.Normal(2))
CASES = {"ages": (AGES, [18, 30, 50, 90]), "0 to 100": (WIDE, [0, 30, 50, 100]), "rating": (RATING, [0, 4, 7, 10])}


def smooth(channel):
    numbers = channel.domain.numbers()
    shares = np.exp(-0.5 * ((numbers - numbers.mean()) / (0.2 * np.ptp(numbers))) ** 2)
    return shares / shares.sum()


def crowded(channel):
    """As many people as the class allows on as few values: round numbers in the middle."""
    cap = Cap.of(channel.domain)
    size = channel.domain.size
    order = np.argsort(np.abs(np.arange(size) - size // 2) + size * (np.arange(size) % 5 != 0), kind="stable")
    shares = np.zeros(size)
    # A stretch may hold two values: one of each.
    for code in order:
        if shares.sum() < 1 and not shares[cap.stretch == cap.stretch[code]].any():
            shares[code] = min(cap.most, 1 - shares.sum())
    return shares


def worst(channel, edges):
    """The truths of the class that the weights of the middle bin are furthest off for."""
    attribute = dn.Transactions(
        pd.DataFrame({"x": channel.reported.numbers().astype(int).repeat(ROWS // channel.reported.size)}),
        dn.Schema({"x": channel}), {"x": edges},
    ).items.attributes[0]  # fmt: skip
    residual = attribute._undone[1][1]
    cap = attribute.cap
    shares, taken = np.zeros(channel.domain.size), np.zeros(cap.stretch.max() + 1)
    for code in np.argsort(residual):
        shares[code] = min(cap.most - taken[cap.stretch[code]], 1 - shares.sum())
        taken[cap.stretch[code]] += shares[code]
    return shares


def population(name, kind):
    channel, edges = CASES[name]
    shares = {"smooth": smooth, "crowded": crowded}[kind](channel) if kind != "worst" else worst(channel, edges)
    assert Cap.of(channel.domain).holds(shares)
    return channel, edges, shares


def drawn(rng, channel, shares, rows=ROWS):
    """Truths, with a yes/no attribute that goes with them, and their reports."""
    codes = rng.choice(len(shares), rows, p=shares)
    rank = codes / len(shares)
    truth = pd.DataFrame({"x": channel.domain.numbers()[codes].astype(int), "a": (rng.random(rows) < rank).astype(int)})
    schema = dn.Schema({"x": channel, "a": dn.Flip(0.9, 0.8)})
    return schema, schema.randomise(truth, rng)


def true_supports(channel, edges, shares):
    """Of every bin, and of every bin with "a"."""
    inside = np.clip(np.searchsorted(edges, channel.domain.numbers(), side="right") - 1, 0, len(edges) - 2)
    rank = np.arange(len(shares)) / len(shares)
    return [np.bincount(inside, weights=shares * part) for part in (1, rank)]


def covered(name, kind, runs, bins):
    """How often intervals of bins, alone (first row) and with "a", hold the truth; estimates must be sane."""
    rng = np.random.default_rng([*CASES].index(name) * 10 + len(kind))
    channel, edges, shares = population(name, kind)
    truths = true_supports(channel, edges, shares)
    found = np.zeros((2, len(bins)))
    for _ in range(runs):
        schema, reports = drawn(rng, channel, shares)
        transactions = dn.Transactions(reports, schema, {"x": edges})
        for place, number in enumerate(bins):
            item = transactions.items.names[number]
            for row, items in enumerate(([item], [item, "a"])):
                estimate = dn.itemset_support(transactions, items=items)
                low, high = estimate.interval()
                found[row, place] += low[0] <= truths[row][number] <= high[0]
                # It holds the truth by what it must count, not by holding everything: the largest bias, two errors, direct answers.
                assert high[0] - low[0] <= 2 * (estimate.bias[0] + 1.96 * np.hypot(estimate.se[0], 0.5 / ROWS**0.5))
                assert -4 * estimate.se[0] <= estimate.value[0] <= 1 + 4 * estimate.se[0]
    return found


@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_the_worst_truths_of_their_class(name):
    assert covered(name, "worst", RUNS, [1]).min() >= binom.ppf(0.01, RUNS, 0.935)


@pytest.mark.parametrize("kind", ["smooth", "crowded"])
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_usual_truths(name, kind):
    assert covered(name, kind, 12, [0, 1, 2]).min() >= binom.ppf(0.01, 12, 0.935)


@pytest.mark.parametrize("method", ["shrunk", "unbiased"])
@pytest.mark.parametrize("name", CASES)
def test_a_search_finds_no_nonsense(name, method):
    # Inverses of matrices between bins gave a rating of 0 to 3 a support of 632, shown as 1, and ages of 30 to 49 81% instead of 47%.
    channel, edges, shares = population(name, "smooth")
    schema, reports = drawn(np.random.default_rng(0), channel, shares)
    found = dn.frequent_itemsets(reports, schema, 0.01, method, interval="named beforehand", bins={"x": edges})
    assert found.attrs["assumes"] == [Cap.of(channel.domain).words("x")]
    truths = true_supports(channel, edges, shares)
    labels = channel.binned(edges).inputs
    for row in found.itertuples():
        bins = [labels.index(item[2:]) for item in row.itemsets if item != "a"]
        if bins:
            truth = truths["a" in row.itemsets][bins[0]]
            assert row.support_low <= truth <= row.support_high
            assert row.support_low <= row.support <= row.support_high
            assert abs(row.support - truth) < 0.15
            if row.support_low < 0.01:
                assert row.probability_frequent < 0.98
    one = next(row for row in found.itertuples() if len(row.itemsets) == 2)
    alone = dn.itemset_support(reports, schema, list(one.itemsets), bins={"x": edges})
    if method == "unbiased":
        np.testing.assert_allclose([one.support_low, one.support_high], np.ravel(alone.interval()), rtol=1e-6)
    assert alone.assumes == (Cap.of(channel.domain).words("x"),)


def test_a_wider_class_gives_wider_intervals():
    channel, edges, shares = population("ages", "smooth")
    schema, reports = drawn(np.random.default_rng(1), channel, shares)
    lengths = []
    for most in (0.03, None, 0.3):
        given = {} if most is None else {"x": most}
        low, high = dn.itemset_support(reports, schema, ["x=[30, 50)"], bins={"x": edges}, most=given).interval()
        lengths.append(float(high[0] - low[0]))
    assert lengths == sorted(lengths)
    with pytest.raises(dn.errors.ParameterError, match="which the schema does not have"):
        dn.frequent_itemsets(reports, schema, 0.1, bins={"x": edges}, most={"y": 0.1})
    with pytest.raises(dn.errors.ParameterError, match=r"most= needs a dn\.Schema"):
        dn.frequent_itemsets(reports[["a"]], dn.Flip(0.9, 0.8), 0.1, most={"a": 0.1})


def test_silence_beside_noise():
    rng = np.random.default_rng(2)
    channel = dn.Optional(AGES, 0.9)
    truth = pd.DataFrame({"x": np.where(rng.random(ROWS) < 0.2, np.nan, rng.integers(18, 91, ROWS))})
    schema = dn.Schema({"x": channel})
    reports = schema.randomise(truth, rng)
    found = dn.frequent_itemsets(reports, schema, 0.01, bins={"x": [18, 40, 60, 90]}).set_index("itemsets")
    silent = found.loc[[frozenset(["x=no answer"])]].iloc[0]
    assert silent["support"] == pytest.approx(0.2, abs=0.05)
    assert silent["reported_support"] == pytest.approx(reports["x"].isna().mean())
    for low, high, label in ((18, 40, "[18, 40)"), (40, 60, "[40, 60)"), (60, 91, "[60, 90]")):
        row = found.loc[[frozenset([f"x={label}"])]].iloc[0]
        assert row["support_low"] <= ((truth["x"] >= low) & (truth["x"] < high)).mean() <= row["support_high"]


def test_several_noisy_items_are_off_by_no_more_than_is_said():
    rng = np.random.default_rng(3)
    edges = {"x": [18, 40, 90], "y": [0, 5, 10], "z": [0, 40, 100]}
    schema = dn.Schema({"x": AGES, "y": RATING, "z": WIDE, "a": dn.Flip(0.9, 0.8)})
    common = rng.random(ROWS)
    truth = pd.DataFrame(
        {
            "x": (18 + 72.99 * common).astype(int), "y": (10.99 * common).astype(int), "z": (100.99 * common).astype(int),
            "a": (common > 0.5).astype(int),
        }
    )  # fmt: skip
    transactions = dn.Transactions(schema.randomise(truth, rng), schema, edges)
    items, attributes = transactions.items, transactions.items.attributes
    which = np.array([items.names.index(name) for name in ("x=[40, 90]", "y=[5, 10]", "z=[40, 100]", "a")])
    expected = np.ones(ROWS)
    for attribute, item in zip(attributes[:3], (1, 1, 1), strict=True):
        codes = truth[attribute.name].to_numpy() - int(attribute.channel.domain.low)
        expected *= attribute.channel.law.pull(attribute.weights[item])[codes]
    expected *= truth["a"]
    held = (truth["x"] >= 40) & (truth["y"] >= 5) & (truth["z"] >= 40) & (truth["a"] == 1)
    mass = np.array([truth["a"].mean()])
    below, above = largest_bias(items.biases, which[None, :], mass)
    assert -below[0] <= expected.mean() - held.mean() <= above[0]
    found = dn.itemset_support(transactions, items=[items.names[i] for i in which])
    low, high = found.interval()
    assert low[0] <= held.mean() <= high[0]
    np.testing.assert_allclose(found.value[0], itemset_sums(transactions, which).total[0] / ROWS)


def test_a_bias_is_the_largest_that_people_of_the_class_can_make():
    rng = np.random.default_rng(4)
    cap = Cap(np.arange(6), 0.3)
    member, residual = np.eye(6)[2], rng.normal(size=6)
    bias = Bias(cap, member, residual)
    for mass in (0.05, 0.3, 0.77, 1.0):
        below, above = bias.among(np.array([mass]))
        assert below[0] == pytest.approx(cap.largest(-residual, mass, fixed=False)[0])
        assert above[0] == pytest.approx(cap.largest(residual, mass, fixed=False)[0])


def test_confidences_hold_the_bias_too():
    rng = np.random.default_rng(5)
    channel, edges, shares = population("ages", "smooth")
    _, with_a = true_supports(channel, edges, shares)
    bins, _ = true_supports(channel, edges, shares)
    inside = []
    for _ in range(10):
        schema, reports = drawn(rng, channel, shares)
        transactions = dn.Transactions(reports, schema, {"x": edges})
        found = dn.frequent_itemsets(transactions, min_support=0.01)
        without = dn.association_rules(found, metric="support", min_threshold=0)
        assert without["confidence_low"].isna().all()
        assert "data=" in without.attrs["no_interval"]
        rules = dn.association_rules(found, metric="support", min_threshold=0, data=transactions)
        assert rules.attrs["assumes"] == found.attrs["assumes"]
        for row in rules.itertuples():
            number = transactions.items.names.index(next(i for i in row.antecedents | row.consequents if i != "a"))
            truth = with_a[number] / (bins[number] if "a" in row.consequents else with_a.sum())
            inside.append(row.confidence_low <= truth <= row.confidence_high)
            low, high = (row.unbiased_confidence + z * 1.96 * row.confidence_se for z in (-1, 1))
            assert row.confidence_low <= max(low, 0) + 1e-9
            assert row.confidence_high >= min(high, 1) - 1e-9
    assert len(inside) >= 40
    assert np.mean(inside) >= 0.93


def test_ancestors_of_noisy_items_have_no_interval():
    channel, edges, shares = population("ages", "smooth")
    schema, reports = drawn(np.random.default_rng(6), channel, shares)
    kinds = {"x=[18, 30)": "below 50", "x=[30, 50)": "below 50"}
    found = dn.frequent_itemsets(reports, schema, 0.05, bins={"x": edges}, taxonomy=kinds)
    noisy = found["itemsets"].map(lambda items: items != {"a"})
    assert found.loc[noisy, "support_low"].isna().all()
    assert found.loc[~noisy, "support_low"].notna().all()
    assert "taxonomy" in found.attrs["no_interval"]
    rules = dn.association_rules(found, schema, min_threshold=0.1, data=reports, bins={"x": edges}, taxonomy=kinds)
    assert rules["confidence_low"].isna().all()


def test_rows_that_are_read_in_pieces_give_the_same(tmp_path, monkeypatch):
    channel, edges, shares = population("ages", "smooth")
    schema, reports = drawn(np.random.default_rng(7), channel, shares)
    path = tmp_path / "reports.parquet"
    reports.to_parquet(path)
    here = dn.frequent_itemsets(reports, schema, 0.05, bins={"x": edges})
    monkeypatch.setattr("deniable.mining.transactions.IN_MEMORY", 100)
    elsewhere = dn.Transactions(str(path), schema, {"x": edges})
    assert elsewhere.remote is not None
    found = dn.frequent_itemsets(elsewhere, min_support=0.05)
    pd.testing.assert_frame_equal(found.drop(columns="itemsets"), here.drop(columns="itemsets"))


def test_respondents_are_covered_too():
    rng = np.random.default_rng(8)
    channel, edges, shares = population("ages", "crowded")
    schema, reports = drawn(rng, channel, shares)
    lengths = {}
    for target in ("population", "respondents"):
        found = dn.frequent_itemsets(reports, schema, 0.01, "unbiased", bins={"x": edges}, target=target)
        biased = found["itemsets"].map(lambda items: items != {"a"})
        lengths[target] = (found["support_high"] - found["support_low"])[biased].to_numpy()
    assert (lengths["respondents"] > 0.9 * lengths["population"]).all()
