"""Columns that are handed on and tell the true answer by themselves: what is promised is what is tested."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish.checks.limits import Limits
from deniable.publish.checks.proxies import find_proxies
from deniable.publish.encoding import read_table


def wards(rows=3000, seed=4):
    """60 numbered wards; everyone in ward 17 is ill, a third elsewhere, so that no range of wards stands out."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"ward": rng.integers(1, 61, rows), "sex": rng.choice(["F", "M"], rows)})
    y = pd.Series(np.where((X.ward == 17) | (rng.random(rows) < 0.33), "yes", "no"), name="ill")
    return X, y


def check(X, y, limits=None, **parameters):
    found = dn.DeniabilityTree(0.3, **parameters).fit(X, y).guarantees(X, y, limits)
    return next(own for own in found.checks if own.name == "other columns"), found


@pytest.mark.statistical
@pytest.mark.parametrize("parameters", [{}, {"resolution": 20}, {"categorical": ["ward"]}])
def test_a_single_number_that_tells_the_answer_is_named_with_its_rows(parameters):
    X, y = wards()
    own, found = check(X, y, max_skew=0.4, min_rows=5, **parameters)
    inside = np.flatnonzero(X.ward == 17) + 1
    assert not own.passed
    assert not found.passed
    assert own.rows.tolist() == inside.tolist()
    assert own.columns == ("ward",)
    assert f"17 in {len(inside)} rows" in own.found


def test_the_public_description_says_the_test_and_its_outcome_but_neither_column_nor_value():
    X, y = wards()
    _, found = check(X, y)
    public = next(own for own in found.to_dict(rows=False)["checks"] if own["name"] == "other columns")
    assert not public["passed"]
    assert "20 rows or more" in public["tested"]
    assert "ward" not in json.dumps(public)
    assert "17" not in json.dumps(public)
    assert "17 in" in json.dumps(found.to_dict(rows=True))


def test_a_range_of_numbers_that_tells_the_answer_is_named_though_no_single_number_is_frequent():
    rng = np.random.default_rng(8)
    X = pd.DataFrame({"income": rng.random(2000).round(6)})
    y = pd.Series(np.where((X.income < 0.1) | (rng.random(2000) < 0.4), "yes", "no"), name="ill")
    own, _ = check(X, y)
    assert not own.passed
    assert " to 0.0" in own.found
    assert set(own.rows) <= set(np.flatnonzero(X.income < 0.11) + 1)


def test_missing_numbers_are_a_value_too():
    X, y = wards()
    X = X.assign(ward=X.ward.where(X.ward != 17).astype("Int64"))
    own, _ = check(X, y, missing="unknown ward")
    assert "unknown ward in" in own.found
    assert own.rows.tolist() == (np.flatnonzero(X.ward.isna()) + 1).tolist()


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("ill", "rows", "exposed"), [(20, 20, True), (19, 19, True), (18, 19, False), (19, 20, False), (39, 40, True)]
)
def test_the_limit_is_over_95_percent_of_20_rows_or_all_of_fewer_exactly(ill, rows, exposed):
    X = pd.DataFrame({"ward": [7] * rows + [1, 2, 3, 4, 5, 6, 8, 9] * 100})
    y = pd.Series(["yes"] * ill + ["no"] * (rows - ill) + (["yes"] * 8 + ["no"] * 8) * 50, name="ill")
    own, _ = check(X, y)
    assert own.passed is not exposed
    assert len(own.rows) == (rows if exposed else 0)


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(8))
def test_no_value_over_the_limit_is_left_out_and_none_below_it_named(seed):
    """Against a count by pandas, whatever the kinds of columns; chance is no excuse, as the sentence says shares."""
    rng = np.random.default_rng(seed)
    rows = 1500
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows),
            "score": rng.integers(0, 90, rows) / 4,
            "town": rng.choice(list("ABCDEFGHIJ"), rows),
        }
    )
    chance = np.where(X.age % 7 == 3, 0.93, 0.4) * np.where(X.town == "C", 0.05, 1)
    y = pd.DataFrame(
        {"ill": np.where(rng.random(rows) < chance, "yes", "no"), "debt": rng.choice(["no", "some", "much"], rows)}
    )
    limit = float(rng.choice([0.8, 0.9, 0.95]))
    own, _ = check(X, y, Limits(posterior=limit))
    expected = pd.Series(False, index=X.index)
    for answer in y:
        for name in X:
            cell = X[name]
            share = y.groupby(cell)[answer].transform(lambda a: a.value_counts().iloc[0] / len(a))
            expected |= (share > limit + 1e-12) & (cell.groupby(cell).transform("size") >= 20)
    assert expected.any()
    assert set(np.flatnonzero(expected) + 1) <= set(own.rows.tolist())
    # Ranges of 75 rows or so may add to the values; nothing else does.
    extra = set(own.rows.tolist()) - set(np.flatnonzero(expected) + 1)
    assert not extra or " to " in own.found


def test_what_is_not_tested_is_said():
    X, y = wards()
    own, _ = check(X[["sex"]], y)
    assert own.passed
    assert own.found == (
        "no single value of another column, and none of 20 ranges of a column of numbers (fewer where there are few rows), that 20 rows "
        "or more share goes with one true answer in over 95% of them (an answer that so many of all rows gave is not counted here: that "
        "fails worst posterior); rarer values are tested only in sum, other ranges and several columns together not at all"
    )


def test_values_that_chance_would_bring_are_named_with_how_many_those_are():
    """60 numbers of 33 rows each and their 20 ranges, 10% ill whatever the number; beside it the same answers dealt out anew."""
    rng = np.random.default_rng(6)
    X = pd.DataFrame({"age": np.repeat(np.arange(20, 80), 33)})
    ill = rng.permutation(np.arange(1980) < 198)
    own, _ = check(X, pd.Series(np.where(ill, "yes", "no"), name="ill"))
    assert not own.passed
    dealt = [~rng.permutation(ill) for _ in range(400)]
    expected = np.mean([sum((np.reshape(no, (-1, n)).mean(axis=1) > 0.95).sum() for n in (33, 99)) for no in dealt])
    said = float(re.search(r"about ([0-9.]+) such by chance", own.found)[1])
    assert said == pytest.approx(expected, rel=0.08)
    assert "Chance brings about as many such values" in own.found
    assert "can be read off" not in own.found


def test_of_an_answer_that_nearly_everyone_gave_only_the_others_are_looked_for():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"sex": rng.choice(["F", "M"], 3000), "town": rng.choice(list("ABCDEFGH"), 3000), "pills": "none"})
    y = pd.Series(np.where(rng.random(3000) < 0.01, "yes", "no"), name="hiv")
    found = dn.publish_frame(X.assign(hiv=y), "hiv", min_deniability=0)
    assert [own.name for own in found.guarantees[0].failed] == ["worst posterior"]
    assert found.remedies() == [
        f"worst posterior: no grouping can: {(y == 'no').mean():.1%} of all rows have the same answer. Leave the column out, or "
        "randomise each answer by itself instead (deniable randomise)"
    ]
    X.loc[y == "yes", "pills"] = "many"
    found = dn.DeniabilityTree(0.0).fit(X, y).guarantees(X, y)
    own = next(own for own in found.checks if own.name == "other columns")
    assert own.columns == ("pills",)
    assert own.rows.tolist() == (np.flatnonzero(y == "yes") + 1).tolist()


def test_a_copy_of_the_answers_is_found_in_small_sets_and_in_rare_values_too():
    rng = np.random.default_rng(2)
    y = pd.Series(rng.permutation(["yes", "no"] * 19), name="ill")
    copied, _ = check(pd.DataFrame({"insulin": y.map({"yes": "a", "no": "b"}), "town": list("AB") * 19}), y)
    assert copied.columns == ("insulin",)
    assert len(copied.rows) == 38
    # Twenty codes of 19 rows, each with one answer; and 300 measurements above or below a threshold.
    codes = np.repeat(np.arange(20), 19)
    y = pd.Series(np.where(codes % 2, "yes", "no"), name="ill")
    assert not check(pd.DataFrame({"code": [f"c{i}" for i in codes]}), y)[0].passed
    sugar = pd.DataFrame({"sugar": rng.normal(7, 1, 300)})
    y = pd.Series(np.where(sugar.sugar > 7, "yes", "no"), name="ill")
    assert len(check(sugar, y)[0].rows) > 250


@pytest.mark.statistical
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_rare_values_that_have_nothing_to_do_with_the_answers_pass_nearly_always(share):
    rng = np.random.default_rng(3)
    failed = 0
    for _ in range(40):
        X = pd.DataFrame({"street": [f"s{i}" for i in rng.integers(0, 60, 400)]})
        y = pd.Series(np.where(rng.random(400) < share, "yes", "no"), name="ill")
        own = find_proxies(
            read_table(X, None, None, 1000)[0], {"street": X.street}, [(y == "yes").to_numpy().astype(int)], [2], 0.95
        )
        failed += any("rarer" in own.found.split("Tested")[0] for _ in own.columns)
    assert failed <= 1


def test_columns_whose_values_are_too_rare_are_named_as_hardly_tested():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"town": rng.choice(["A", "B"], 400), "street": [f"s{i}" for i in rng.integers(0, 150, 400)]})
    own, _ = check(X, pd.Series(rng.choice(["yes", "no"], 400), name="ill"))
    assert own.found.endswith("Hardly tested, for their values are too rare: street")
