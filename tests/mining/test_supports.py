"""The support of one itemset, by patterns and by rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.intervals import Moments, score_interval
from deniable.errors import DataError, ParameterError
from deniable.mining.supports import PATTERNS_UP_TO, itemset_sums, support_interval

NAMES = [f"i{i:02}" for i in range(20)]


@pytest.fixture(scope="module")
def reports():
    rng = np.random.default_rng(2)
    p, q = rng.integers(70, 100, 20) / 100, rng.integers(70, 100, 20) / 100
    together = rng.random((3_000, 1)) < 0.4
    truth = together ^ (rng.random((3_000, 20)) < 0.1)
    draw = rng.random(truth.shape)
    shown = np.where(truth, draw < p, draw >= q)
    schema = dn.Schema({name: dn.Flip(float(a), float(b)) for name, a, b in zip(NAMES, p, q, strict=True)})
    weights = np.where(shown, q / (p + q - 1), -(1 - q) / (p + q - 1))
    return dn.Transactions(pd.DataFrame(shown, columns=NAMES), schema), weights, shown


@pytest.mark.parametrize("length", [1, 2, PATTERNS_UP_TO, PATTERNS_UP_TO + 1, 20])
def test_supports_are_those_of_row_products_on_both_sides_of_the_switch(reports, length):
    transactions, weights, _ = reports
    product = weights[:, :length].prod(axis=1)
    found = dn.itemset_support(transactions, items=NAMES[:length])
    assert found.value[0] == pytest.approx(product.mean(), rel=1e-9, abs=1e-12)
    assert found.se[0] == pytest.approx(product.std() / np.sqrt(3_000), rel=1e-9)
    respondents = dn.itemset_support(transactions, items=NAMES[:length], target="respondents")
    assert respondents.covariance[0, 0] == pytest.approx(max(0, (product**2).sum() - product.sum()) / 9e6, rel=1e-9)


@pytest.mark.parametrize("length", [3, PATTERNS_UP_TO, PATTERNS_UP_TO + 2])
def test_patterns_and_rows_agree_at_any_length(reports, length):
    transactions, _, shown = reports
    numbers = np.arange(length)
    by_patterns, by_rows = (itemset_sums(transactions, numbers, patterns_up_to=limit) for limit in (20, 0))
    for a, b in zip(vars(by_patterns).values(), vars(by_rows).values(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
    assert by_rows.reported[0] == shown[:, :length].all(axis=1).sum()


@pytest.mark.statistical
def test_it_is_what_the_search_finds(reports):
    transactions, _, _ = reports
    found = dn.frequent_itemsets(transactions, None, 0.15, "unbiased", max_len=10, interval="named beforehand")
    assert found["itemsets"].map(len).max() > 8
    for row in found.sample(60, random_state=1).itertuples():
        one = dn.itemset_support(transactions, items=row.itemsets)
        low, high = one.interval()
        assert (row.support, row.support_se) == (pytest.approx(one.value[0]), pytest.approx(one.se[0]))
        assert np.clip([row.support_low, row.support_high], 0, 1).tolist() == pytest.approx([low[0], high[0]], abs=1e-9)


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("numbers", [[3], [0, 7], [1, 2, 5, 11, 19]])
def test_intervals_are_the_wider_of_two_score_intervals(reports, numbers, target):
    transactions, weights, _ = reports
    product = weights[:, numbers].prod(axis=1)
    n, v, m2, m3 = len(product), *(np.array([(product**k).mean()]) for k in (1, 2, 3))
    w1, w0 = weights[:, numbers].max(axis=0), weights[:, numbers].min(axis=0)
    p = (1 - w0) / (w1 - w0)  # E[w | true] = 1
    true = p * w1**2 + (1 - p) * w0**2
    q = w1 / (w1 - w0)  # E[w | not true] = 0
    false = (1 - q) * w1**2 + q * w0**2
    given = true.prod()
    # All patterns of items but the one of them all.
    least = min(
        np.where([number >> k & 1 for k in range(len(numbers))], true, false).prod()
        for number in range((1 << len(numbers)) - 1)
    )
    slope = (m3 - m2 * v) / (m2 - v**2) if target == "population" else (m3 - v * given) / (m2 - v)
    ends = [
        score_interval(Moments(v, a, b), n, 0.9, target)
        for a, b in ((m2 - slope * v + slope, m2 - slope * v), (np.array([given]), np.array([least])))
    ]
    sums = itemset_sums(transactions, np.array(numbers))
    low, high = support_interval(sums, transactions.items, np.array([numbers]), n, 0.9, target)
    assert low[0] == pytest.approx(min(e[0][0] for e in ends), abs=1e-12)
    assert high[0] == pytest.approx(max(e[1][0] for e in ends), abs=1e-12)


def test_attributes_with_their_own_weights_can_be_asked_for(reports):
    rng = np.random.default_rng(4)
    schema = dn.Schema({name: dn.Neighbours(dn.Ordinal(["1", "2", "3"]), [0.7, 0.15]) for name in "ab"})
    data = schema.randomise(pd.DataFrame({name: rng.choice(["1", "2", "3"], 500) for name in "ab"}), rng)
    sample = dn.Sample(data, schema).count("a == '1' and b == '3'")
    found = dn.itemset_support(data, schema, ["a=1", "b=3"], target="respondents")
    assert (found.value[0], found.se[0]) == (pytest.approx(sample.value[0] / 500), pytest.approx(sample.se[0] / 500))


def test_what_cannot_be_asked_is_refused(reports):
    transactions, _, _ = reports
    for items, error, words in (
        (["nobody"], DataError, "no items"), ([], DataError, "at least one"), ("i01", ParameterError, "list of items"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            dn.itemset_support(transactions, items=items)
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.7)})
    with pytest.raises(ParameterError, match="two values of one attribute"):
        dn.itemset_support(pd.DataFrame({"a": ["x"]}), schema, ["a=x", "a=y"])


PEOPLE = dn.Schema(
    {
        "smokes": dn.KRR(dn.Binary(), 0.8),
        "mood": dn.Neighbours(dn.Ordinal(["low", "middle", "high"]), [0.6, 0.2]),
        "age": dn.Retention(dn.Integer(18, 140), 0.5),
        "salary": dn.Retention(dn.Continuous(0, 100), 0.5),
    }
)


def people(rows=2_000):
    rng = np.random.default_rng(5)
    mood = rng.integers(0, 3, rows)
    frame = pd.DataFrame(
        {
            "smokes": (rng.random(rows) < 0.1 + 0.3 * mood).astype(int),
            "mood": np.array(["low", "middle", "high"])[mood],
            "age": rng.integers(18, 141, rows),
            "salary": rng.random(rows) * 100,
        }
    )
    return PEOPLE.randomise(frame, rng)


def test_only_attributes_that_are_asked_about_need_bins(tmp_path):
    Z = people()
    asked = ["smokes", "mood=high"]
    expected = dn.itemset_support(Z[["smokes", "mood"]], PEOPLE, asked)
    Z.to_csv(tmp_path / "z.csv", index=False)
    for data in (Z, pa.Table.from_pandas(Z), pl.from_pandas(Z).lazy(), tmp_path / "z.csv"):
        found = dn.itemset_support(data, PEOPLE, asked)
        assert (found.value[0], found.se[0]) == (expected.value[0], expected.se[0])
    assert dn.itemset_support(Z, PEOPLE, ["smokes", "age=[18, 30)"], bins={"age": [18, 30, 140]}).value[0] < 0.5
    with pytest.raises(ParameterError, match="'age' has 123 values: give bins for it"):
        dn.itemset_support(Z, PEOPLE, ["smokes", "age=20"])


def test_rules_need_bins_only_of_their_own_attributes():
    Z = people()
    found = dn.frequent_itemsets(Z[["smokes", "mood"]], PEOPLE, 0.05)
    rules = dn.association_rules(found, PEOPLE, min_threshold=0.1, data=Z)
    expected = dn.association_rules(found, PEOPLE, min_threshold=0.1, data=Z[["smokes", "mood"]])
    assert rules["confidence_low"].notna().all()
    pd.testing.assert_frame_equal(rules, expected)


def test_an_item_of_no_column_is_named_before_bins_are_asked_for():
    with pytest.raises(DataError, match=r"no items \['smoke'\]: an item is .* COLUMN=VALUE, of the columns \['smokes', 'mood'"):
        dn.itemset_support(people(), PEOPLE, ["smoke", "mood=high"])
    with pytest.raises(DataError, match="at least one item"):
        dn.itemset_support(people(), PEOPLE, [])
