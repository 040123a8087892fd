"""Rules against mlxtend on undistorted data, their errors against row-by-row sums, Wilson's interval and simulation."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori
from mlxtend.frequent_patterns import association_rules as mlxtend_rules

import deniable as dn
from deniable.errors import DataError, ParameterError

P, Q = np.array([0.8, 0.7, 0.9, 0.75]), np.array([0.9, 0.85, 0.8, 0.95])
NAMES = list("abcd")
SCHEMA = dn.Schema({name: dn.Flip(float(p), float(q)) for name, p, q in zip(NAMES, P, Q, strict=True)})


def population(rng, rows):
    """Three items that depend on each other, and one that does not."""
    a = rng.random(rows) < 0.6
    b = rng.random(rows) < np.where(a, 0.8, 0.3)
    c = rng.random(rows) < np.where(a & b, 0.9, 0.4)
    return np.stack([a, b, c, rng.random(rows) < 0.5], axis=1)


def reported(rng, true):
    return pd.DataFrame(np.where(true, rng.random(true.shape) < P, rng.random(true.shape) >= Q), columns=NAMES)


def keyed(rules):
    return rules.set_index([rules["antecedents"].map(sorted).map(str), rules["consequents"].map(sorted).map(str)]).sort_index()


@pytest.fixture(scope="module")
def clean():
    return pd.DataFrame(population(np.random.default_rng(1), 500), columns=NAMES)


@pytest.fixture(scope="module")
def hidden():
    rng = np.random.default_rng(2)
    return reported(rng, population(rng, 3000))


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("metric", "least"), [("confidence", 0.6), ("lift", 1.01), ("support", 0.2), ("conviction", 1.2), ("zhangs_metric", 0.1)]
)
def test_undistorted_rules_are_mlxtends(clean, metric, least):
    theirs = keyed(mlxtend_rules(apriori(clean, 0.05, use_colnames=True), metric=metric, min_threshold=least))
    mine = keyed(dn.association_rules(dn.frequent_itemsets(clean, None, 0.05), metric=metric, min_threshold=least))
    assert len(theirs) > 5
    assert mine.index.equals(theirs.index)
    assert list(mine.columns[: len(theirs.columns)]) == list(theirs.columns)
    for column in theirs.columns[2:]:
        np.testing.assert_allclose(
            mine[column].astype(float), theirs[column].astype(float), rtol=1e-9, atol=1e-12, err_msg=column
        )


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning:mlxtend")
def test_rules_of_certain_items_are_mlxtends():
    # Confidence 1, consequents that everybody has, items that always go together: where denominators vanish.
    frame = pd.DataFrame({"a": [1, 1, 0, 0], "b": [1, 1, 0, 0], "all": [1, 1, 1, 1]}).astype(bool)
    theirs = keyed(mlxtend_rules(apriori(frame, 0.1, use_colnames=True), min_threshold=0.1))
    mine = keyed(dn.association_rules(dn.frequent_itemsets(frame, None, 0.1), min_threshold=0.1))
    pd.testing.assert_index_equal(mine.index, theirs.index)
    for column in theirs.columns[2:]:
        np.testing.assert_allclose(mine[column].astype(float), theirs[column].astype(float), err_msg=column)
    assert (mine["conviction"] == np.inf).any()


def test_mlxtends_frame_is_accepted_without_intervals(clean):
    itemsets = apriori(clean, 0.05, use_colnames=True)
    theirs, mine = keyed(mlxtend_rules(itemsets, min_threshold=0.5)), dn.association_rules(itemsets, min_threshold=0.5)
    np.testing.assert_allclose(keyed(mine)["confidence"], theirs["confidence"])
    assert mine["confidence_low"].isna().all()
    assert "how many transactions" in mine.attrs["no_interval"]


@pytest.mark.parametrize(
    "options", [{}, {"min_probability": 0.9}, {"false_discovery_rate": 0.05}, {"method": "mmask", "r_threshold": 1}]
)
def test_mlxtend_accepts_our_frames(hidden, options):
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.1, **options)
    theirs = keyed(mlxtend_rules(found, metric="support", min_threshold=0))
    mine = keyed(dn.association_rules(found, metric="support", min_threshold=0))
    assert len(mine) > 10
    pd.testing.assert_index_equal(mine.index, theirs.index)
    for column in ("support", "confidence", "lift", "leverage", "conviction", "zhangs_metric", "jaccard", "kulczynski"):
        np.testing.assert_allclose(mine[column].astype(float), theirs[column].astype(float), err_msg=column)


def weights(frame, names):
    places = [NAMES.index(name) for name in names]
    return np.prod([np.where(frame[NAMES[j]], Q[j], Q[j] - 1) / (P[j] + Q[j] - 1) for j in places], axis=0)


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_errors_of_confidence_are_those_of_the_rows_weights(hidden, target):
    rules = dn.association_rules(
        dn.frequent_itemsets(hidden, SCHEMA, 0.05, "unbiased", target=target), metric="support", min_threshold=0
    )
    assert rules["antecedents"].map(len).max() == 3
    for row in rules.itertuples():
        s, a = weights(hidden, row.antecedents | row.consequents), weights(hidden, row.antecedents)
        c = s.mean() / a.mean()
        assert row.confidence == pytest.approx(c, rel=1e-9)
        left = s - c * a
        variance = (left**2).mean()
        if target == "respondents":
            # What differs between people is no error: the unbiased mean of (x_S - c x_A)^2.
            variance -= (s - 2 * c * s + c**2 * a).mean()
        assert row.confidence_se == pytest.approx(np.sqrt(variance / len(hidden)) / a.mean(), rel=1e-6)


def test_reading_the_rows_again_gives_the_same_errors(hidden):
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.05)
    plain = dn.association_rules(found, metric="support", min_threshold=0, interval="named beforehand")
    bare = found.copy()
    bare.attrs = {}
    again = dn.association_rules(bare, SCHEMA, metric="support", min_threshold=0, data=hidden)
    np.testing.assert_allclose(again["confidence_se"], plain["confidence_se"], rtol=1e-9)
    # Fieller's interval instead of the score interval: close at 3,000 rows, not the same.
    np.testing.assert_allclose(again["confidence_low"], plain["confidence_low"], atol=0.03)


def test_a_frame_without_its_notes_is_told_by_the_schema(hidden):
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.05)
    plain = dn.association_rules(found, min_threshold=0.3, interval="named beforehand")
    bare = found.copy()
    bare.attrs = {"rows": len(hidden)}
    assert dn.association_rules(bare, min_threshold=0.3)["confidence_se"].isna().all()
    told = dn.association_rules(bare, SCHEMA, min_threshold=0.3)
    assert told.attrs["interval"] == "named beforehand", "nobody knows how many candidates there were"
    np.testing.assert_allclose(told["confidence_high"], plain["confidence_high"])


def test_a_saved_frame_keeps_its_errors(hidden, tmp_path):
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.05)
    saved = found.assign(itemsets=found["itemsets"].map(sorted))
    saved.to_parquet(tmp_path / "itemsets.parquet")
    back = pd.read_parquet(tmp_path / "itemsets.parquet")
    back["itemsets"] = back["itemsets"].map(frozenset)
    mine, theirs = (dn.association_rules(frame, min_threshold=0.3) for frame in (found, back))
    np.testing.assert_allclose(keyed(theirs)["confidence_low"], keyed(mine)["confidence_low"])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_undistorted_intervals_are_wilsons(clean, level):
    rules = dn.association_rules(
        dn.frequent_itemsets(clean, None, 0.02), metric="support", min_threshold=0, level=level, interval="named beforehand"
    )
    z = NormalDist().inv_cdf(0.5 + level / 2)
    n = rules["antecedent support"] * len(clean)
    p = rules["confidence"]
    middle, half = (p + z**2 / (2 * n)) / (1 + z**2 / n), z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    np.testing.assert_allclose(rules["confidence_low"], middle - half, atol=1e-9)
    np.testing.assert_allclose(rules["confidence_high"], middle + half, atol=1e-9)


def test_for_the_respondents_undistorted_rules_have_no_error(clean):
    rules = dn.association_rules(dn.frequent_itemsets(clean, None, 0.05, target="respondents"), min_threshold=0.5)
    np.testing.assert_allclose(rules["confidence_se"], 0, atol=1e-7)
    np.testing.assert_allclose(rules["confidence_low"], rules["confidence"], atol=1e-6)


def test_intervals_stay_within_0_and_1_and_hold_the_confidence(hidden):
    rules = dn.association_rules(
        dn.frequent_itemsets(hidden.head(60), SCHEMA, 0.01, "unbiased"), metric="support", min_threshold=0
    )
    assert rules["confidence_low"].between(0, 1).all()
    assert rules["confidence_high"].between(0, 1).all()
    inside = rules["confidence"].clip(0, 1)
    assert ((rules["confidence_low"] <= inside + 1e-9) & (inside <= rules["confidence_high"] + 1e-9)).all()


def test_antecedents_that_may_not_occur_leave_the_confidence_open():
    rng = np.random.default_rng(3)
    reports = pd.DataFrame({"a": rng.random(80) < 0.5, "b": rng.random(80) < 0.5})
    found = dn.frequent_itemsets(reports, dn.Flip(0.55, 0.55), 1e-6, "unbiased")
    rules = dn.association_rules(found, metric="support", min_threshold=-10)
    assert len(rules)
    assert (rules["confidence_high"] - rules["confidence_low"] > 0.99).all()


RULES = [("a", "b"), ("b", "a"), ("ab", "c"), ("c", "ab"), ("a", "bc"), ("d", "a")]


def simulate(target, runs, rows=2000, seed=7):
    """Three measures of six rules with their errors in repeated samples (population) or repeated randomisations (respondents)."""
    rng = np.random.default_rng(seed)
    fixed = population(rng, rows)
    draws = []
    for _ in range(runs):
        true = fixed if target == "respondents" else population(rng, rows)
        found = dn.frequent_itemsets(reported(rng, true), SCHEMA, 1e-3, "unbiased", target=target, max_len=3)
        rules = dn.association_rules(found, metric="support", min_threshold=0, interval="named beforehand")
        place = {(a, c): row for row, (a, c) in enumerate(zip(rules["antecedents"], rules["consequents"], strict=True))}
        draws.append(rules[TOLD].to_numpy()[[place[frozenset(a), frozenset(c)] for a, c in RULES]])
    everyone = fixed if target == "respondents" else population(rng, 2_000_000)
    truth = np.array([_true_measures(everyone, a, c) for a, c in RULES])
    draws = np.array(draws)
    return {name: (draws[..., 4 * k : 4 * k + 4], truth[:, k]) for k, name in enumerate(MEASURES)}


MEASURES = ["confidence", "lift", "leverage"]
TOLD = [f"{measure}{part}" for measure in MEASURES for part in ("", "_se", "_low", "_high")]


def _true_measures(table, a, c):
    has_a, has_c = (table[:, [NAMES.index(name) for name in side]].all(axis=1) for side in (a, c))
    both = (has_a & has_c).mean()
    return both / has_a.mean(), both / has_a.mean() / has_c.mean(), both - has_a.mean() * has_c.mean()


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_errors_and_coverage_agree_with_simulation(target):
    for measure, (draws, truth) in simulate(target, 400).items():
        spread, told = draws[..., 0].std(axis=0, ddof=1), draws[..., 1].mean(axis=0)
        # 400 runs know a standard deviation to 3.5%, two times in three.
        assert np.abs(told / spread - 1).max() < 0.14
        assert np.abs(np.mean(told / spread) - 1) < 0.05
        bias = draws[..., 0].mean(axis=0) - truth
        assert (np.abs(bias) < 4 * spread / np.sqrt(400) + 0.003).all()
        covered = ((draws[..., 2] <= truth) & (truth <= draws[..., 3])).mean(axis=0)
        assert covered.mean() == pytest.approx(0.95, abs=0.012), measure
        assert covered.min() > 0.92


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_errors_and_coverage_agree_with_long_simulation(target):
    for measure, (draws, truth) in simulate(target, 10_000).items():
        spread, told = draws[..., 0].std(axis=0, ddof=1), draws[..., 1].mean(axis=0)
        covered = ((draws[..., 2] <= truth) & (truth <= draws[..., 3])).mean(axis=0)
        print(target, measure, "told / seen", (told / spread).round(4), "covered", covered.round(4))
        assert np.abs(told / spread - 1).max() < 0.05
        assert ((covered > 0.939) & (covered < 0.960)).all()


def test_shrunk_supports_have_the_errors_of_the_unbiased_ratio(hidden):
    shrunk = dn.frequent_itemsets(hidden, SCHEMA, 0.05, "shrunk")
    rules = keyed(dn.association_rules(shrunk, metric="support", min_threshold=0))
    plain = keyed(
        dn.association_rules(dn.frequent_itemsets(hidden, SCHEMA, 0.05, "unbiased"), metric="support", min_threshold=0)
    )
    common = rules.index.intersection(plain.index)
    assert len(common) > 20
    np.testing.assert_allclose(rules.loc[common, "unbiased_confidence"], plain.loc[common, "confidence"])
    np.testing.assert_allclose(rules.loc[common, "confidence_se"], plain.loc[common, "confidence_se"])
    assert (rules.loc[common, "confidence"] != plain.loc[common, "confidence"]).any()


def test_biased_supports_have_no_interval_and_say_why(hidden):
    rules = dn.association_rules(dn.frequent_itemsets(hidden, SCHEMA, 0.05, "mmask", r_threshold=1), min_threshold=0.3)
    assert len(rules)
    assert rules["confidence_low"].isna().all()
    assert "biased" in rules.attrs["no_interval"]


def test_ignoring_the_covariance_would_be_caught(hidden):
    # The planted fault: errors of S and A as if they were independent are far too wide.
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.05)
    rules = dn.association_rules(found, metric="support", min_threshold=0)
    se = dict(zip(found["itemsets"], found["support_se"], strict=True))
    a = rules["antecedents"].map(se)
    independent = np.sqrt(rules["support_se"] ** 2 + rules["confidence"] ** 2 * a**2) / rules["antecedent support"]
    assert (independent / rules["confidence_se"]).median() > 1.15


def test_quantitative_rules_of_nominal_ordinal_and_binned_attributes():
    people = dn.datasets.town(20_000, np.random.default_rng(1))
    schema = dn.datasets.town_schema()
    bins = {"salary": [0, 1500, 3000, 12_000], "age": [18, 35, 60, 90]}
    reports = schema.randomise(people, np.random.default_rng(2))
    found = dn.frequent_itemsets(reports, schema, 0.05, bins=bins, max_len=3)
    rules = dn.association_rules(found, metric="support", min_threshold=0.05)
    truth = dn.frequent_itemsets(
        people, dn.Schema({name: dn.Identity(channel.domain) for name, channel in schema.items()}), 0.01, bins=bins
    )
    exact = keyed(dn.association_rules(truth, metric="support", min_threshold=0))["confidence"]
    mine = keyed(rules)
    common = mine.index.intersection(exact.index)
    assert len(common) > 50
    away = (mine.loc[common, "confidence"] - exact[common]) / mine.loc[common, "confidence_se"]
    # Errors of this one sample: about standard normal, not independent of each other.
    assert away.abs().mean() == pytest.approx(0.8, abs=0.35)
    assert away.abs().max() < 5


def test_channels_of_neighbours_need_the_data_for_errors():
    rng = np.random.default_rng(5)
    levels = ["low", "middle", "high", "top"]
    schema = dn.Schema({"level": dn.Neighbours(dn.Ordinal(levels), [0.6, 0.2]), "a": dn.Flip(0.8, 0.9)})
    true = pd.DataFrame({"level": rng.choice(levels, 4000, p=[0.4, 0.3, 0.2, 0.1])})
    true["a"] = (rng.random(4000) < true["level"].map(dict(zip(levels, [0.2, 0.4, 0.6, 0.8], strict=True)))).astype(int)
    reports = schema.randomise(true, rng)
    found = dn.frequent_itemsets(reports, schema, 0.03, "unbiased")
    without = dn.association_rules(found, metric="support", min_threshold=0)
    assert without["confidence_se"].isna().all()
    assert "data=" in without.attrs["no_interval"]
    rules = keyed(dn.association_rules(found, schema, metric="support", min_threshold=0, data=reports))
    row = rules.loc[("['level=low']", "['a']")]
    matrix = schema["level"].matrix()
    w_low = np.linalg.inv(matrix)[:, 0][reports["level"].map(levels.index)]
    w_a = np.where(reports["a"] == 1, 0.9, -0.1) / 0.7
    c = (w_low * w_a).mean() / w_low.mean()
    assert row["confidence"] == pytest.approx(c)
    assert row["confidence_se"] == pytest.approx(np.sqrt(((w_low * w_a - c * w_low) ** 2).mean() / 4000) / w_low.mean())
    assert row["confidence_low"] < 0.2 < row["confidence_high"]


def test_groups_that_share_a_draw_need_the_data_for_errors():
    rng = np.random.default_rng(6)
    question = dn.UnrelatedQuestion(dn.Binary(), theta=0.6, innocuous=0.5)
    schema = dn.Schema({"a": question, "b": question, "c": dn.Flip(0.9, 0.9)}, groups={"g": ["a", "b"]})
    true = pd.DataFrame(population(rng, 5000)[:, :3].astype(int), columns=list("abc"))
    reports = schema.randomise(true, rng)
    found = dn.frequent_itemsets(reports, schema, 0.05, "unbiased")
    rules = keyed(dn.association_rules(found, schema, metric="support", min_threshold=0, data=reports))
    row = rules.loc[("['a']", "['b']")]
    told = true[true["a"] == 1]["b"].mean()
    assert abs(row["confidence"] - told) < 4 * row["confidence_se"]
    z = reports[["a", "b"]].to_numpy()
    # For a group: w_f = (f - (1 - theta) E f) / theta with the joint innocuous distribution.
    w_ab, w_a = (z.all(axis=1) - 0.4 * 0.25) / 0.6, (z[:, 0] - 0.4 * 0.5) / 0.6
    c = w_ab.mean() / w_a.mean()
    assert row["confidence"] == pytest.approx(c)
    assert row["confidence_se"] == pytest.approx(np.sqrt(((w_ab - c * w_a) ** 2).mean() / 5000) / w_a.mean())


def test_rules_may_be_chosen_by_what_is_certain(hidden):
    found = dn.frequent_itemsets(hidden, SCHEMA, 0.05)
    certain = dn.association_rules(found, metric="confidence_low", min_threshold=0.7)
    assert 0 < len(certain) < len(dn.association_rules(found, min_threshold=0.7))
    assert (certain["confidence_low"] >= 0.7).all()


def test_no_rule_is_an_empty_frame_with_all_columns(clean):
    rules = dn.association_rules(dn.frequent_itemsets(clean, None, 0.05), min_threshold=2)
    assert len(rules) == 0
    assert {"antecedents", "confidence", "confidence_high"} <= set(rules.columns)
    assert dn.association_rules(dn.frequent_itemsets(clean, None, 1.0)).empty


def test_a_missing_subset_is_named(clean):
    found = dn.frequent_itemsets(clean, None, 0.05)
    with pytest.raises(DataError, match=r"subset \{a\}"):
        dn.association_rules(found[found["itemsets"] != frozenset("a")])
    with pytest.raises(DataError, match=r"subset \{a, b\}"):
        dn.association_rules(found[found["itemsets"] != frozenset("ab")])
    with pytest.raises(DataError, match="more than once"):
        dn.association_rules(pd.concat([found, found]))


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"metric": "interest"}, ParameterError, "metric must be one of"),
        ({"min_threshold": "high"}, ParameterError, "min_threshold must be a number"),
        ({"level": 95}, ParameterError, "between 0 and 1"),
        ({"itemsets": [1]}, DataError, "the frame of dn.frequent_itemsets"),
        ({"itemsets": pd.DataFrame({"support": [-0.1], "itemsets": [frozenset("a")]})}, DataError, "not above 0"),
        ({"data": pd.DataFrame({"x": [0, 1]}), "taxonomy": {"x": "y"}}, DataError, "does not have the items"),
    ],
)
def test_what_makes_no_sense_is_refused(clean, options, error, says):
    found = dn.frequent_itemsets(clean, None, 0.05)
    with pytest.raises(error, match=says):
        dn.association_rules(**{"itemsets": found, **options})


def test_rules_exactly_at_the_threshold_are_not_lost_by_rounding():
    baskets = [["a", "b"]] * 12 + [["a"]] * 3 + [["c"]] * 5
    found = dn.frequent_itemsets(baskets, min_support=0.1)
    rules = dn.association_rules(found, min_threshold=0.8)  # 0.6 / 0.75
    assert (frozenset("a"), frozenset("b")) in set(zip(rules["antecedents"], rules["consequents"], strict=True))
    assert len(dn.association_rules(found, metric="conviction", min_threshold=float("inf"))) == 1
