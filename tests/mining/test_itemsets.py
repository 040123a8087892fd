"""Estimated supports against the Kronecker inverse, mlxtend, and re-randomised data."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori, association_rules

import deniable as dn
from deniable.errors import DataError, ParameterError
from deniable.mining import itemsets
from deniable.mining.itemsets import discovery_limit, mine
from deniable.mining.mined import Mined, probability_above

unbiased = partial(dn.frequent_itemsets, method="unbiased")


def kronecker_support(reports, items, p, q):
    """MASK's 2^m system, written out: patterns in one order on both sides."""
    matrix = np.ones((1, 1))
    code = np.zeros(len(reports), dtype=int)
    for i in items:
        matrix = np.kron(matrix, np.array([[q[i], 1 - q[i]], [1 - p[i], p[i]]]))
        code = 2 * code + reports[:, i]
    return np.linalg.solve(matrix.T, np.bincount(code, minlength=len(matrix)))[-1] / len(reports)


def distorted(truth, p, q, rng):
    draw = rng.random(truth.shape)
    return np.where(truth, draw < p, draw >= q)


def baskets(rng, rows, items):
    """Transactions in which neighbouring items go together."""
    base = rng.random((rows, items)) < 0.45
    together = rng.random((rows, items)) < 0.4
    return np.where(together, np.roll(base, 1, axis=1), base)


@pytest.mark.parametrize("seed", range(5))
def test_supports_are_those_of_the_kronecker_inverse_with_different_factors_per_item(seed):
    rng = np.random.default_rng(seed)
    k = 6
    p, q = rng.integers(62, 101, k) / 100, rng.integers(68, 101, k) / 100
    reports = distorted(baskets(rng, 4_000, k), p, q, rng)
    names = [f"i{i}" for i in range(k)]
    schema = dn.Schema({name: dn.Flip(float(a), float(b)) for name, a, b in zip(names, p, q, strict=True)})
    found = unbiased(pd.DataFrame(reports, columns=names), schema, 1e-6)
    assert found["itemsets"].map(len).max() >= 5
    for itemset, support in zip(found["itemsets"], found["support"], strict=True):
        items = [names.index(name) for name in itemset]
        assert support == pytest.approx(kronecker_support(reports, items, p, q), abs=1e-9)


@pytest.mark.parametrize("min_support", [0.02, 0.1, 0.4])
def test_on_undistorted_data_the_frame_is_mlxtends(min_support):
    rng = np.random.default_rng(5)
    data = pd.DataFrame(baskets(rng, 3_000, 10) & (rng.random(10) < 0.9), columns=[f"item {i}" for i in range(10)])
    theirs = apriori(data, min_support, use_colnames=True)
    for ours in (unbiased(data, None, min_support), dn.frequent_itemsets(data, None, min_support)):
        pd.testing.assert_frame_equal(ours[["support", "itemsets"]], theirs, check_exact=True, check_dtype=False)


def test_mlxtends_rules_accept_the_frame_also_when_it_was_filtered():
    rng = np.random.default_rng(6)
    p, q = 0.7, 0.8
    reports = pd.DataFrame(distorted(baskets(rng, 3_000, 8), p, q, rng), columns=list("abcdefgh"))
    for options in ({}, {"min_probability": 0.95}, {"false_discovery_rate": 0.05}):
        found = unbiased(reports, dn.Flip(p, q), 0.08, **options)
        assert found["itemsets"].map(len).max() > 2
        assert len(association_rules(found, metric="lift", min_threshold=0.1))
        assert _closed(found)


def _closed(found):
    have = set(found["itemsets"])
    return all(frozenset(part) in have for s in have for part in itertools.combinations(s, len(s) - 1) if part)


def test_filters_keep_a_doubtful_subset_of_a_sure_itemset():
    rng = np.random.default_rng(16)
    truth = baskets(rng, 800, 6)
    reports = pd.DataFrame(distorted(truth, 0.6, 0.7, rng), columns=list("abcdef"))
    found = unbiased(reports, dn.Flip(0.6, 0.7), 0.3)
    kept = unbiased(reports, dn.Flip(0.6, 0.7), 0.3, min_probability=0.8)
    assert _closed(kept)
    sure = set(found.loc[found["probability_frequent"] >= 0.8, "itemsets"])
    assert sure <= set(kept["itemsets"]) < set(found["itemsets"])


def test_pairs_of_values_of_one_attribute_are_never_made():
    rng = np.random.default_rng(8)
    schema = dn.Schema({name: dn.KRR(dn.Nominal(["x", "y", "z"]), 0.5) for name in "abc"})
    truth = pd.DataFrame({name: rng.choice(["x", "y", "z"], 2_000) for name in "abc"})
    reports = dn.Transactions(schema.randomise(truth, rng), schema)
    mined = Mined(reports, [], 0.001, "unbiased")
    assert [level.candidates for level in mine(mined)][:2] == [9, 27]
    found = unbiased(reports, min_support=0.001)
    attributes = found["itemsets"].map(lambda s: [item.partition("=")[0] for item in s])
    assert attributes.map(lambda a: len(set(a)) == len(a)).all()
    assert (attributes.map(len) == 3).any()


def test_values_of_kept_or_replaced_attributes_are_estimated_as_counts_are():
    rng = np.random.default_rng(9)
    schema = dn.Schema(
        {
            "a": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.7),
            "b": dn.Retention(dn.Nominal(["u", "v", "w", "t"]), 0.6, [0.4, 0.3, 0.2, 0.1]),
            "c": dn.Flip(0.8, 0.9),
        }
    )
    truth = pd.DataFrame(
        {"a": rng.choice(["x", "y", "z"], 3_000), "b": rng.choice(["u", "v", "w", "t"], 3_000), "c": rng.integers(0, 2, 3_000)}
    )
    reports = schema.randomise(truth, rng)
    _same_as_counts(unbiased(reports, schema, 0.01, target="respondents"), dn.Sample(reports, schema), len(truth))


def _same_as_counts(found, sample, rows, places=1e-9):
    assert found["itemsets"].map(len).max() >= 2
    for itemset, support, error in zip(found["itemsets"], found["support"], found["support_se"], strict=True):
        conditions = [item.split("=") if "=" in item else (item, "1") for item in itemset]
        where = " and ".join(f"{name} == {value}" if value.isdigit() else f"{name} == '{value}'" for name, value in conditions)
        expected = sample.count(where)
        assert support == pytest.approx(float(expected.value[0]) / rows, abs=places)
        assert error == pytest.approx(float(expected.se[0]) / rows, abs=places)


@pytest.mark.statistical
def test_neighbours_use_the_attributes_own_inverse_weights():
    rng = np.random.default_rng(10)
    grades = dn.Ordinal(["1", "2", "3", "4", "5"])
    schema = dn.Schema(
        {"a": dn.Neighbours(grades, [0.6, 0.2]), "b": dn.Neighbours(grades, [0.7, 0.15]), "c": dn.Flip(0.9, 0.8)}
    )
    a = rng.integers(1, 6, 3_000)
    truth = pd.DataFrame({"a": a.astype(str), "b": a.astype(str), "c": rng.integers(0, 2, 3_000)})
    reports = schema.randomise(truth, rng)
    found = unbiased(reports, schema, 0.02, target="respondents")
    by_name = dict(zip(found["itemsets"], found["support"], strict=True))
    assert by_name[frozenset(["a=3", "b=3"])] == pytest.approx((a == 3).mean(), abs=0.08)
    for itemset, support, error in zip(found["itemsets"], found["support"], found["support_se"], strict=True):
        weights = np.ones(len(truth))
        for item in itemset:
            name, _, value = item.partition("=")
            channel = schema[name]
            codes = channel.reported.encode(reports[name].tolist())
            weights = weights * channel.weights({value or 1: 1})[codes]
        assert support == pytest.approx(weights.mean(), abs=1e-9)
        assert error == pytest.approx(np.sqrt((weights**2).sum() - weights.sum()) / len(truth), abs=1e-9)


@pytest.mark.statistical
def test_items_that_share_a_draw_are_estimated_jointly():
    rng = np.random.default_rng(11)
    yes_no = dn.UnrelatedQuestion(dn.Binary(), theta=0.6, innocuous=0.3)
    schema = dn.Schema({"a": yes_no, "b": yes_no, "c": dn.Flip(0.9, 0.8)}, groups={"g": ["a", "b"]})
    a = rng.integers(0, 2, 4_000)
    truth = pd.DataFrame({"a": a, "b": a, "c": rng.integers(0, 2, 4_000)})
    reports = schema.randomise(truth, rng)
    found = unbiased(reports, schema, 0.05, target="respondents")
    assert frozenset("abc") in set(found["itemsets"])
    _same_as_counts(found, dn.Sample(reports, schema), len(truth))


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["respondents", "population"])
def test_standard_errors_and_intervals_are_those_of_repeated_draws(target):
    rng = np.random.default_rng(12)
    p, q = np.array([0.7, 0.8, 0.6]), np.array([0.9, 0.75, 0.85])
    schema = dn.Schema({name: dn.Flip(float(a), float(b)) for name, a, b in zip("xyz", p, q, strict=True)})
    people, draws, rows = baskets(rng, 200_000, 3), 2_000, 2_000
    truth = people[:rows]
    asked = [(0, 0), (1, 2), (2, 0)]  # x, yz and xyz: level, and row of the level
    supports, errors, lows, highs = (np.empty((draws, 3)) for _ in range(4))
    for draw in range(draws):
        if target == "population":
            truth = people[rng.integers(0, len(people), rows)]
        mined = Mined(dn.Transactions(distorted(truth, p, q, rng), numbered(schema)), [], 1e-4, "unbiased", target)
        mined.levels = list(mine(mined))
        for k, (level, row) in enumerate(asked):
            found = mined.levels[level]
            low, high = mined.intervals(found)
            supports[draw, k], errors[draw, k] = found.support[row], mined.errors(found)[row]
            lows[draw, k], highs[draw, k] = low[row], high[row]
    ratio = np.sqrt((errors**2).mean(axis=0)) / supports.std(axis=0)
    assert np.abs(ratio - 1).max() < 0.05
    share = people if target == "population" else truth
    expected = np.array([share[:, 0].mean(), share[:, 1:].all(axis=1).mean(), share.all(axis=1).mean()])
    assert (np.abs(supports.mean(axis=0) - expected) < 4 * supports.std(axis=0) / np.sqrt(draws)).all()
    covered = ((lows <= expected) & (expected <= highs)).mean(axis=0)
    # 93.9% to 96.0%, and three standard deviations of a share of 2,000 draws.
    assert (covered > 0.939 - 0.0147).all()
    assert (covered < 0.960 + 0.0147).all()


def numbered(schema):
    """The schema of a plain array, whose columns are called 0, 1, 2."""
    return dn.Schema({str(i): channel for i, channel in enumerate(schema.values())})


def test_long_itemsets_are_found_and_exact():
    rng = np.random.default_rng(13)
    rows, k = 2_000, 12
    truth = np.repeat(rng.random((rows, 1)) < 0.5, k, axis=1)
    reports = distorted(truth, 0.97, 0.96, rng)
    found = unbiased(pd.DataFrame(reports, columns=[f"{i:02}" for i in range(k)]), dn.Flip(0.97, 0.96), 0.2)
    assert found["itemsets"].map(len).max() == k
    assert len(found) == 2**k - 1
    weights = np.where(reports, 0.96 / 0.93, -0.04 / 0.93)
    assert found["support"].iloc[-1] == pytest.approx(weights.prod(axis=1).mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_support": 0}, "above 0"),
        ({"min_support": 1.5}, "at most 1"),
        ({"min_support": float("nan")}, "at most 1"),
        ({"min_support": "0.1"}, "at most 1"),
        ({"method": "magic"}, "unbiased"),
        ({"target": "everyone"}, "population"),
        ({"max_len": 0}, "max_len"),
        ({"min_probability": 1.0}, "min_probability"),
        ({"false_discovery_rate": -0.1}, "false_discovery_rate"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        dn.frequent_itemsets([["a"]], **{"min_support": 0.5, **options})


def test_a_search_that_would_explode_is_stopped_with_advice():
    data = pd.DataFrame(np.ones((10, 40), dtype=bool), columns=[f"{i:02}" for i in range(40)])
    with pytest.raises(ParameterError, match=r"about 9,880 candidates of 3 items .*max_len=2"):
        unbiased(data, None, 0.5, max_candidates=9_800)
    with pytest.raises(ParameterError, match="more than 1,000"):
        unbiased(data, None, 0.5, max_candidates=10_000)
    with pytest.raises(ParameterError, match=r"40 itemsets are frequent already, more than 1 \(a tenth of max_candidates=3\)"):
        unbiased(data, None, 0.5, max_candidates=3)
    assert len(unbiased([["a"], ["a", "b"]], None, 0.9, max_candidates=1)) == 1
    assert len(unbiased(data, None, 0.5, max_candidates=10_000, max_len=2)) == 820


def test_one_transaction_empty_transactions_and_nothing_frequent_are_legal():
    found = unbiased([["a", "b"]], None, 1.0)
    assert found["support"].tolist() == [1.0, 1.0, 1.0]
    assert unbiased([["a"], [], [], []], None, 0.25)["support"].tolist() == [0.25]
    nothing = unbiased([["a"], ["b"], ["c"]], None, 0.9)
    assert len(nothing) == 0
    assert list(nothing)[:2] == ["support", "itemsets"]


def test_max_len_stops_the_search():
    found = unbiased([list("abcd")] * 3, None, 0.5, max_len=2)
    assert found["itemsets"].map(len).max() == 2


def test_false_discoveries_are_limited_as_benjamini_and_hochberg_do():
    rng = np.random.default_rng(14)
    p_values = rng.random(200) ** 3
    ordered = np.sort(p_values)
    accepted = [i for i in range(200) if ordered[i] <= 0.1 * (i + 1) / 300]
    assert discovery_limit(p_values, 0.1, 300) == ordered[max(accepted)]
    assert discovery_limit(np.array([0.9]), 0.1, 300) == -1


class Listener:
    def __init__(self):
        self.told = []

    def start(self, what, total):
        self.told.append([what, total, 0, False])

    def advance(self, units):
        self.told[-1][2] += units

    def finish(self):
        self.told[-1][3] = True


def test_progress_is_told_for_every_length_with_what_is_left():
    listener = Listener()
    dn.frequent_itemsets([list("abcd")] * 3 + [["e"]], None, 0.5, progress=listener)
    assert [what for what, *_ in listener.told] == [f"itemsets of {m}" for m in (1, 2, 3, 4, 5)][: len(listener.told)]
    assert all(total == done and finished for _, total, done, finished in listener.told)
    assert listener.told[1][1] == 6


def test_transactions_know_their_schema():
    prepared = dn.Transactions([["a"], []], dn.Flip(0.9, 0.8))
    assert len(dn.frequent_itemsets(prepared, dn.Flip(0.9, 0.8), 0.1)) == 1
    with pytest.raises(ParameterError, match="of their own"):
        dn.frequent_itemsets(prepared, dn.Flip(0.9, 0.9), 0.1)


def test_channels_that_lie_more_often_than_not_are_undone_too():
    rng = np.random.default_rng(17)
    truth = baskets(rng, 20_000, 3)
    found = unbiased(distorted(truth, 0.2, 0.3, rng), dn.Flip(0.2, 0.3), 0.01).set_index("itemsets")
    assert found.loc[[frozenset(["0", "1"])], "support"].iloc[0] == pytest.approx(truth[:, :2].all(axis=1).mean(), abs=0.06)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "channel",
    [
        dn.Additive(dn.Continuous(18, 60), dn.Uniform(5)),
        dn.Additive(dn.Continuous(18, 60), dn.Normal(4)),
        dn.Additive(dn.Continuous(18, 60), dn.Laplace(2)),
        dn.Multiplicative(dn.Continuous(18, 60), dn.Uniform(0.2)),
        dn.Multiplicative(dn.Integer(18, 60), dn.Normal(0.1)),
    ],
    ids=["uniform", "normal", "laplace", "multiplicative", "multiplicative of whole numbers"],
)
def test_noise_without_a_grid_is_mined_in_bins(channel):
    rng = np.random.default_rng(21)
    truth = pd.DataFrame(
        {"age": rng.integers(18, 61, 20_000) if isinstance(channel.domain, dn.Integer) else rng.uniform(18, 60, 20_000)}
    )
    truth["old"] = (truth["age"] > 40).astype(int)
    schema = dn.Schema({"age": channel, "old": dn.Flip(0.9, 0.9)})
    reports = schema.randomise(truth, rng)
    edges = [18, 35, 45, 60]
    assert ((reports["age"] < 18) | (reports["age"] > 60)).any()
    found = unbiased(reports, schema, 0.01, bins={"age": edges}).set_index("itemsets")
    for low, high, label in zip(edges, edges[1:], ["[18, 35)", "[35, 45)", "[45, 60]"], strict=False):
        inside = (truth["age"] >= low) & ((truth["age"] < high) | (high == 60))
        row = found.loc[[frozenset([f"age={label}"])]].iloc[0]
        assert row["support"] == pytest.approx(inside.mean(), abs=0.06)
        assert row["support_low"] <= inside.mean() <= row["support_high"]
        assert row["reported_support"] == pytest.approx(((reports["age"] >= low) & (reports["age"] < high)).mean(), abs=1e-3)
    pair = found.loc[[frozenset(["age=[45, 60]", "old"])]].iloc[0]
    assert pair["support"] == pytest.approx((truth["age"] >= 45).mean(), abs=0.06)
    assert pair["support_low"] <= (truth["age"] >= 45).mean() <= pair["support_high"]


def test_unbounded_noise_far_beyond_the_bins_is_in_the_outer_one_and_what_cannot_be_is_refused():
    schema = dn.Schema({"age": dn.Additive(dn.Continuous(18, 60), dn.Normal(4))})
    far = dn.Transactions(pd.DataFrame({"age": [-1e6, 30.0, 1e6]}), schema, {"age": 3})
    first, middle, last = far.cells[0].tolist()
    assert (first, last) == (0, far.items.attributes[0].cell_count - 1)
    assert far.items.attributes[0].shows[:, middle].tolist() == [True, False, False]
    bounded = dn.Schema({"age": dn.Additive(dn.Continuous(18, 60), dn.Uniform(5))})
    with pytest.raises(DataError, match="13 to 65"):
        dn.Transactions(pd.DataFrame({"age": [12.0, 30.0]}), bounded, {"age": 3})
    with pytest.raises(ParameterError, match="give bins"):
        dn.Transactions(pd.DataFrame({"n": [2.0]}), dn.Schema({"n": dn.Multiplicative(dn.Integer(1, 5), dn.Uniform(0.2))}))


@pytest.mark.statistical
@pytest.mark.parametrize("method", ["shrunk", "unbiased", "mask"])
@pytest.mark.parametrize(("others", "minimum"), [(0.30, 0.301), (0.25, 0.30)])
def test_a_rate_of_false_discoveries_holds_where_many_items_lie_just_below_the_minimum(method, others, minimum):
    rng = np.random.default_rng(31)
    names = [f"{i:03}" for i in range(120)]
    shares = np.where(np.arange(120) < 6, 0.5, others)
    false, right = [], []
    for _ in range(60):
        reports = pd.DataFrame(distorted(rng.random((400, 120)) < shares, 0.9, 0.9, rng), columns=names)
        found = dn.frequent_itemsets(reports, dn.Flip(0.9, 0.9), minimum, method, max_len=1, false_discovery_rate=0.1)
        wrong = sum(int(name) >= 6 for (name,) in found["itemsets"])
        false.append(wrong / max(len(found), 1))
        right.append(len(found) - wrong)
    assert np.mean(false) < 0.1 + 2 * np.std(false) / 60**0.5
    assert np.mean(right) == 6


def test_every_candidate_counts_as_a_test_by_every_method(monkeypatch):
    seen = {}
    real = itemsets.discovery_limit
    data = [["a"]] * 50 + [["b"]] * 50 + [["c"]] * 2 + [["d"]]
    for method in ("shrunk", "unbiased", "mask", "re"):
        monkeypatch.setattr(
            itemsets, "discovery_limit", lambda p, rate, tests, m=method: seen.update({m: tests}) or real(p, rate, tests)
        )
        dn.frequent_itemsets(data, None, 0.4, method, false_discovery_rate=0.1)
    # Four items, and the pair of a and b, which is not frequent.
    assert seen == dict.fromkeys(("shrunk", "unbiased", "mask", "re"), 5)
    monkeypatch.setattr(itemsets, "discovery_limit", lambda p, rate, tests: seen.update(kinds=tests) or real(p, rate, tests))
    dn.frequent_itemsets(data, None, 0.4, taxonomy={"c": "rare", "d": "rare"}, false_discovery_rate=0.1)
    assert seen["kinds"] == 6


@pytest.mark.parametrize("method", ["shrunk", "unbiased"])
def test_intervals_of_supports_are_shares(method):
    rng = np.random.default_rng(32)
    numbers = dn.Schema({name: dn.Neighbours(dn.Ordinal(["1", "2", "3"]), [0.5, 0.25]) for name in "ab"})
    plain = pd.DataFrame(distorted(rng.random((60, 5)) < 0.9, 0.6, 0.6, rng), columns=list("abcde"))
    grades = pd.DataFrame({name: rng.choice(["1", "2", "3"], 40) for name in "ab"})
    for found in (
        dn.frequent_itemsets(plain, dn.Flip(0.6, 0.6), 0.01, method),
        dn.frequent_itemsets(numbers.randomise(grades, rng), numbers, 0.01, method),
    ):
        assert found["support_low"].between(0, 1).all()
        assert found["support_high"].between(0, 1).all()
        assert (found["support_high"] == 1).any() or (found["support_low"] == 0).any()


def test_supports_that_are_the_minimum_but_for_rounding_are_frequent_for_certain():
    assert 0.7 * 0.1 < 0.07
    assert probability_above(np.array([0.7 * 0.1]), np.zeros(1), 0.07).tolist() == [1.0]


@pytest.mark.parametrize("method", ["shrunk", "unbiased", "mask", "re"])
def test_a_relaxation_of_mmasks_reductions_is_refused_by_other_methods(method):
    with pytest.raises(ParameterError, match="for method 'mmask'"):
        dn.frequent_itemsets([["a"]], None, 0.5, method, reduction_relax=0.1)


@pytest.mark.parametrize("p", [0.2, 0.8])
def test_the_report_that_speaks_for_an_item_may_be_either_label(p):
    """Below one half "different" speaks for a yes: supports are those that the sample counts, not their complements."""
    rng = np.random.default_rng(8)
    truth = pd.DataFrame({"a": (rng.random(4_000) < 0.2).astype(int), "b": (rng.random(4_000) < 0.6).astype(int)})
    schema = dn.Schema({name: dn.Crosswise(p) for name in truth})
    reports = schema.randomise(truth, rng)
    sample = dn.Sample(reports, schema)
    mined = unbiased(reports, schema, 0.02)
    for items, support in zip(mined["itemsets"], mined["support"], strict=True):
        asked = " and ".join(f"{item} == 1" for item in sorted(items))
        assert support == pytest.approx(sample.count(asked).value[0] / len(reports), abs=1e-9)
    assert len(mined) == 3
