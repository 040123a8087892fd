"""Planted exposures are found and their rows named; a set that fails is not called safe."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.order import sorted_by_answers
from deniable.errors import DataError, ParameterError
from deniable.publish.checks.limits import Limits


def checks(found):
    return {check.name: check for check in found.checks}


def mixed(rows, seed=0, answers=("no", "yes")):
    rng = np.random.default_rng(seed)
    return pd.Series(rng.choice(answers, rows), name="ill")


def test_a_harmless_set_passes_but_is_not_called_safe_beyond_what_was_checked():
    X = pd.DataFrame({"town": ["A", "B"] * 500})
    y = mixed(1000)
    found = dn.DeniabilityTree(0.5).fit(X, y).guarantees(X, y)
    assert found.passed
    assert not found.failed
    assert "NOT SAFE" not in found.verdict
    assert "no proof" in found.verdict


def test_a_homogeneous_group_is_reported_as_unsafe_with_its_rows():
    """Without a minimum, the tree makes a group in which everyone is ill."""
    X = pd.DataFrame({"town": ["A"] * 900 + ["B"] * 100})
    y = pd.concat([mixed(900), pd.Series(["yes"] * 100)], ignore_index=True).rename("ill")
    found = dn.DeniabilityTree(0.0).fit(X, y).guarantees(X, y)
    assert not found.passed
    assert found.verdict.startswith("NOT SAFE")
    assert found.worst_posterior == 1
    exposed = checks(found)["worst posterior"]
    assert exposed.rows.tolist() == list(range(901, 1001))
    assert "rows 901, 902" in exposed.named
    # A minimum fixes it.
    fixed = dn.DeniabilityTree(0.3).fit(X, y).guarantees(X, y)
    assert checks(fixed)["worst posterior"].passed


def test_a_group_is_as_deniable_as_the_column_that_is_known_best():
    """In town A nobody is in debt: that the illnesses differ, alone and in combination, helps nobody to deny it."""
    X = pd.DataFrame({"town": ["A"] * 500 + ["B"] * 500})
    Y = pd.DataFrame({"ill": mixed(1000), "debt": ["no"] * 500 + ["no", "yes"] * 250})
    frame = dn.DeniabilityTree(0.0).fit(X, Y).guarantees(X, Y).to_frame()
    assert len(frame) > 1
    assert frame["deniability"].min() == 0
    assert frame["deniability"].max() > 0.5


def test_a_skewed_group_is_reported_as_unsafe_though_its_deniability_is_perfect():
    X = pd.DataFrame({"ward": ["infections"] * 100 + ["other"] * 9900})
    y = pd.Series(["positive", "negative"] * 50 + (["negative"] * 99 + ["positive"]) * 99, name="hiv")
    tree = dn.DeniabilityTree(0.05).fit(X, y)
    found = tree.guarantees(X, y, Limits(posterior=1.0))
    frame = found.to_frame()
    assert frame["deniability"].max() == 1.0
    assert [check.name for check in found.failed] == ["skew", "relative skew"]
    assert checks(found)["skew"].rows.tolist() == list(range(1, 101))
    assert checks(dn.DeniabilityTree(0.05, max_skew=0.4).fit(X, y).guarantees(X, y))["skew"].passed


@pytest.mark.statistical
def test_a_rare_answer_that_is_much_more_frequent_in_a_group_is_reported_though_the_distance_is_small():
    """From 7% among all to 43% in a group: 36% in total variation, but six times as many."""
    X = pd.DataFrame({"ward": ["B"] * 100 + ["A"] * 1900})
    rng = np.random.default_rng(1)
    inside, outside = rng.permutation(100) < 43, rng.permutation(1900) < 95
    y = pd.Series(np.where(np.concatenate([inside, outside]), "cancer", "none"), name="illness")
    found = dn.DeniabilityTree(0.1).fit(X, y).guarantees(X, y)
    assert [check.name for check in found.failed] == ["relative skew"]
    assert checks(found)["relative skew"].rows.tolist() == list(range(1, 101))
    assert checks(found)["relative skew"].found == (
        "the answer cancer is 6.2 times as frequent in a group (43%) as among all rows (6.9%); limit 3 times"
    )
    assert found.to_frame()["skew_ratio"].max() == pytest.approx(0.43 / (138 / 2000))
    assert dn.DeniabilityTree(0.1).fit(X, y).guarantees(X, y, Limits(skew_ratio=7)).passed
    # As a rule of the tree it is kept; and a rarer answer that is less frequent in a group than among all exposes nobody.
    fixed = dn.DeniabilityTree(0.1, max_skew_ratio=3).fit(X, y).guarantees(X, y)
    assert checks(fixed)["relative skew"].passed
    assert fixed.overall["largest_skew_ratio"] <= 3


def test_background_knowledge_that_rules_out_an_answer_is_reported():
    """A group of two answers out of three: anyone who can rule out one of them knows."""
    X = pd.DataFrame({"town": ["A"] * 300 + ["B"] * 300})
    y = pd.Series(["flu", "cancer"] * 150 + ["flu", "cancer", "none"] * 100, name="illness")
    found = dn.DeniabilityTree(0.3).fit(X, y).guarantees(X, y)
    failed = checks(found)["background knowledge"]
    assert not failed.passed
    assert failed.rows.tolist() == list(range(1, 301))
    assert not found.passed


@pytest.mark.statistical
@pytest.mark.parametrize("counts", [(945, 54, 1), (940, 55, 5), (500, 300, 200), (10, 10, 10, 1)])
def test_whichever_answer_is_ruled_out_the_attacker_is_no_surer_than_said(counts):
    names = [f"a{i}" for i in range(len(counts))]
    y = pd.Series(np.random.default_rng(1).permutation(np.repeat(names, counts)), name="illness")
    X = pd.DataFrame({"town": ["A"] * len(y)})
    found = dn.DeniabilityTree(0.01).fit(X, y).guarantees(X, y)
    surest = max(most / (len(y) - out) for i, out in enumerate(counts) for j, most in enumerate(counts) if i != j)
    assert found.overall["worst_posterior_if_one_answer_is_ruled_out"] == pytest.approx(surest)
    assert checks(found)["background knowledge"].passed is (surest <= 0.99)


@pytest.mark.statistical
def test_a_file_sorted_by_the_answers_is_reported_unless_it_is_shuffled():
    rng = np.random.default_rng(11)
    age, town = rng.integers(20, 80, 2000), rng.choice(["A", "B"], 2000)
    ill = rng.choice(["no", "yes"], 2000, p=[0.7, 0.3])
    frame = pd.DataFrame({"age": age, "town": town, "ill": ill})
    for by in (["ill", "age"], ["town", "ill"]):
        found = dn.publish_frame(frame.sort_values(by, ignore_index=True), "ill", min_rows=200, shuffle=False)
        failed = found.guarantees[0].failed
        assert [check.name for check in failed] == ["order of rows"], by
        assert len(failed[0].rows) == 2000
    sorted_by = frame.sort_values(["ill", "age"], ignore_index=True)
    fixed = dn.publish_frame(sorted_by, "ill", min_rows=200)
    assert (fixed.passed, fixed.shuffled, fixed.to_dict()["shuffled"]) == (True, True, True)
    assert fixed.data["age"].tolist() != sorted_by["age"].tolist()
    # An order by what is published anyway, or none at all, tells nothing.
    by_town = frame.sort_values(["town", "age"], ignore_index=True)
    assert dn.publish_frame(by_town, "ill", min_rows=200, shuffle=False).passed
    kept = dn.publish_frame(frame, "ill", min_rows=200, shuffle=False)
    assert (kept.passed, kept.shuffled, kept.data["age"].tolist()) == (True, False, age.tolist())
    # What is left out or made coarser is told by an order by it.
    for asked in ({"drop": ["town"]}, {"bands": {"age": 20}}):
        by = "town" if "drop" in asked else "age"
        told = dn.publish_frame(frame.sort_values(by, ignore_index=True), "ill", min_rows=200, shuffle=False, **asked)
        assert [check.name for check in told.guarantees[0].failed] == ["order of rows"]
        assert f"rows are sorted by {by}" in repr(told).replace("\n", " ")
        assert dn.publish_frame(frame, "ill", min_rows=200, shuffle=False, **asked).passed
    published = kept.trees[0].publish(frame)
    with pytest.raises(DataError, match="shuffle=False"):
        kept.trees[0].guarantees(frame, frame["ill"], published=published)


@pytest.mark.statistical
def test_agreement_of_neighbours_has_the_mean_and_spread_of_random_orders():
    rng = np.random.default_rng(12)
    groups = np.repeat([0, 1, 2], [40, 25, 2])
    answers = np.concatenate([np.repeat([0, 1, 2], [20, 15, 5]), np.repeat([0, 1], [20, 5]), [1, 1]])
    found = []
    for _ in range(4000):
        order = rng.permutation(len(groups))
        found.append(sorted_by_answers(groups[order], answers[order])[1])
    assert np.mean(found) == pytest.approx(0, abs=4 / np.sqrt(4000))
    assert np.std(found) == pytest.approx(1, abs=0.05)


@pytest.mark.statistical
def test_what_goes_with_the_set_tells_nothing_that_was_measured_on_the_true_answers():
    """Two sets that differ in one person's answer, through the same tree, have the same public description."""
    X = pd.DataFrame({"town": ["A", "B"] * 200})
    y = mixed(400, 3)
    other = y.copy()
    other[7] = "no" if y[7] == "yes" else "yes"
    tree = dn.DeniabilityTree(0.3, mix=1.0).fit(X, y)
    public = [tree.guarantees(X, own, published=tree.publish(X, shuffle=False)).to_dict(rows=False) for own in (y, other)]
    assert public[0] == public[1]
    owners = [tree.guarantees(X, own).to_dict() for own in (y, other)]
    assert owners[0] != owners[1]


def test_background_knowledge_that_other_columns_give_is_reported():
    """The medicine tells the illness; the tree may not split by it, but it is published."""
    rng = np.random.default_rng(9)
    y = mixed(1000)
    X = pd.DataFrame({"medicine": np.where(y == "yes", "insulin", "none"), "town": rng.choice(["A", "B"], 1000)})
    found = dn.DeniabilityTree(0.5).fit(X, y).guarantees(X, y)
    failed = checks(found)["other columns"]
    assert not failed.passed
    assert "medicine" in failed.found
    assert "town" not in failed.found
    assert len(failed.rows) == 1000
    assert checks(found)["deniability"].passed
    numbers = X.assign(medicine=np.where(y == "yes", 1.0, 0.0) + rng.random(1000) / 10)
    assert not checks(dn.DeniabilityTree(0.5).fit(numbers, y).guarantees(numbers, y))["other columns"].passed


def test_small_groups_are_reported():
    X = pd.DataFrame({"town": ["A"] * 3 + ["B"] * 300})
    y = pd.Series(["yes", "no", "no"] + ["yes", "no"] * 150, name="ill")
    found = dn.DeniabilityTree(0.5).fit(X, y).guarantees(X, y)
    assert checks(found)["small groups"].rows.tolist() == [1, 2, 3]
    assert found.overall["smallest_group"] == 3
    assert dn.DeniabilityTree(0.5, min_rows=5).fit(X, y).guarantees(X, y).passed


@pytest.mark.filterwarnings("ignore:Column 'id'")
def test_published_identifiers_are_reported():
    X = pd.DataFrame({"id": np.arange(200), "town": ["A", "B"] * 100})
    y = mixed(200)
    found = dn.DeniabilityTree(0.5).fit(X, y).guarantees(X, y)
    assert [check.name for check in found.failed] == ["identifiers"]


@pytest.mark.statistical
def test_numbers_that_differ_in_nearly_every_row_identify_people_and_ranges_of_them_are_still_used():
    """A salary to the cent, some of them shared; and in whole units."""
    rng = np.random.default_rng(1)
    salary = rng.lognormal(10.3, 0.5, 2000).round(2)
    salary[:40] = salary[40:80]
    X = pd.DataFrame({"salary": salary, "town": ["A", "B"] * 1000})
    y = pd.Series(np.where(rng.random(2000) < np.where(salary > 30000, 0.7, 0.3), "yes", "no"), name="ill")
    for own in (X, X.assign(salary=(X.salary * 10).astype(int))):
        tree = dn.DeniabilityTree(0.5, min_rows=50).fit(own, y)
        found = tree.guarantees(own, y)
        assert checks(found)["identifiers"].columns == ("salary",)
        assert len(checks(found)["identifiers"].rows) == 2000
        assert "salary" in tree.export_text()
    # Amounts that many share do not.
    rough = X.assign(salary=X.salary.round(-3))
    assert checks(dn.DeniabilityTree(0.5, min_rows=50).fit(rough, y).guarantees(rough, y))["identifiers"].passed


def test_the_figures_are_those_of_an_independent_count():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"town": rng.choice(list("ABCD"), 2000), "sex": rng.choice(["f", "m"], 2000)})
    y = pd.Series(np.where(rng.random(2000) < X.town.map({"A": 0.1, "B": 0.3, "C": 0.5, "D": 0.8}), "yes", "no"), name="ill")
    tree = dn.DeniabilityTree(0.2).fit(X, y)
    published = tree.publish(X, shuffle=False)
    found = tree.guarantees(X, y, published=published)
    node = tree.apply(X)
    share = (y == "yes").groupby(node).mean()
    size = y.groupby(node).size()
    top = np.maximum(share, 1 - share)
    assert found.worst_posterior == pytest.approx(top.max())
    assert found.overall["smallest_minority"] == pytest.approx(1 - top.max())
    assert found.overall["smallest_group"] == size.min()
    assert found.overall["largest_skew"] == pytest.approx((share - (y == "yes").mean()).abs().max())
    assert found.overall["expected_unchanged"] == pytest.approx(((share**2 + (1 - share) ** 2) * size).sum() / 2000)
    assert found.overall["published_unchanged"] == pytest.approx((published.ill == y).mean())
    assert found.overall["minority_share_of_minimum"] == pytest.approx(dn.privacy.minority_share(0.2))
    frame = found.to_frame().set_index("rows").sort_index()
    assert frame["deniability"].min() == pytest.approx(found.overall["deniability"])


def test_anyone_who_knows_the_group_learns_nothing_more_from_the_published_answer():
    """What is published about a person says nothing of their own answer beyond their group."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"town": rng.choice(list("AB"), 4000)})
    y = pd.Series(np.where(rng.random(4000) < X.town.map({"A": 0.15, "B": 0.6}), "yes", "no"), name="ill")
    tree = dn.DeniabilityTree(0.3).fit(X, y)
    published = tree.publish(X, shuffle=False)["ill"]
    node = tree.apply(X)
    for leaf in set(node):
        inside = node == leaf
        base = (y[inside] == "yes").mean()
        for said in ("yes", "no"):
            seen = inside & (published == said).to_numpy()
            error = math.sqrt(base * (1 - base) / seen.sum())
            # What is published is not seeded: by chance once in a hundred million runs.
            assert (y[seen] == "yes").mean() == pytest.approx(base, abs=5.5 * error)


def test_json_for_the_public_names_no_rows_and_that_for_the_owner_does():
    X = pd.DataFrame({"town": ["A"] * 3 + ["B"] * 300})
    y = pd.Series(["yes", "no", "no"] + ["yes", "no"] * 150, name="ill")
    found = dn.DeniabilityTree(0.5).fit(X, y).guarantees(X, y)
    public, own = json.loads(json.dumps(found.to_dict(rows=False))), json.loads(json.dumps(found.to_dict()))
    assert all("rows" not in check for check in public["checks"])
    assert next(check for check in own["checks"] if check["name"] == "small groups")["rows"] == [1, 2, 3]
    assert own["overall"]["epsilon"] is None
    assert "epsilon" not in public["overall"]
    assert "FAILED" in repr(found)


def test_mixing_states_an_epsilon_and_what_it_does_not_cover():
    X = pd.DataFrame({"town": ["A", "B"] * 500})
    y = mixed(1000)
    found = dn.DeniabilityTree(0.5, mix=0.5).fit(X, y).guarantees(X, y)
    assert math.isfinite(found.overall["epsilon"])
    assert "the tree itself" in found.overall["epsilon_in_words"]
    assert "not covered" in found.overall["epsilon_in_words"]


def test_limits_outside_what_is_possible_are_refused():
    for wrong in ({"posterior": 1.5}, {"rows": 0}, {"skew": -0.1}, {"skew_ratio": 0.5}, {"shared": 0}):
        with pytest.raises(ParameterError):
            Limits(**wrong)
