"""Every minority that is stated is a lower bound of what the groups hold, column by column."""

import html
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish.checks.limits import Limits


def people(seed, rows=1200):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 80, rows), "town": rng.choice(list("ABCDE"), rows)})
    slope = (frame.age - 20) / 60
    frame["ill"] = np.where(rng.random(rows) < 0.03 + 0.5 * slope, "yes", "no")
    debt = rng.random(rows) + 0.3 * (frame.town == "A")
    frame["debt"] = np.select([debt < 0.6, debt < 0.85], ["none", "some"], "much")
    frame["vote"] = rng.choice(list("abcd"), rows, p=[0.55, 0.25, 0.15, 0.05])
    return frame


def smallest_minorities(frame, tree, names, known):
    """From the leaves, by pandas: the least share, over leaves, that did not give the most frequent answer of a column."""
    leaf = tree.apply(frame[known])
    return {name: 1 - frame.groupby(leaf)[name].agg(lambda a: a.value_counts().iloc[0] / len(a)).max() for name in names}


def stated(text):
    """The minorities promised and found in a sentence, by column (or None)."""
    shares = r"((?:[\d.]+%(?: \(\w+\))?(?: and )?)+)"
    both = re.search(f"a minority of at least {shares} in every group; the smallest that a group has is {shares}", text)
    each = [re.findall(r"([\d.]+)%(?: \((\w+)\))?", part) for part in both.groups()]
    return [{name: float(share) / 100 for share, name in own} for own in each]


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("names", [["ill"], ["vote"], ["ill", "debt"], ["vote", "ill", "debt"]])
def test_a_stated_minority_is_never_larger_than_that_of_any_group(seed, names):
    rng = np.random.default_rng([seed, len(names)])
    frame = people(seed)
    known = ["age", "town"]
    minimum = round(float(rng.uniform(0.1, 0.35)), 3)
    found = dn.publish_frame(frame[known + names], names, minimum, joint=True, min_rows=10)
    (tree,) = found.trees
    (guarantee,) = found.guarantees
    true = smallest_minorities(frame, tree, names, known)
    least = min(true.values())
    overall = guarantee.overall
    assert tree.minority_share_ <= least + 1e-9
    assert overall["minority_share_of_minimum"] <= least + 1e-9
    assert overall["smallest_minority"] == pytest.approx(least)
    assert guarantee.to_frame()["minority"].min() == pytest.approx(least)
    for name in names:
        assert overall["minority_share_of_minimum_by_column"][name] <= true[name] + 1e-9
        assert overall["smallest_minority_by_column"][name] == pytest.approx(true[name])
    for text in (" ".join(repr(found).split()), guarantee.checks[0].found, html.unescape(found.to_html())):
        for own in stated(text):
            assert set(own) == (set(names) if len(names) > 1 else {""})
            for name, share in own.items():
                assert share <= true[name or names[0]] + 1e-12
    lines = tree.export_text().splitlines()
    assert min(float(re.search(r"minority ([\d.]+)%", line).group(1)) / 100 for line in lines) <= least + 1e-12


@pytest.mark.statistical
@pytest.mark.parametrize("answers", [2, 3, 6])
def test_no_distribution_of_a_level_has_a_smaller_minority_than_the_one_said(answers):
    """Random shares, spiky and flat; and the bound is reached where the others are equally rare."""
    rng = np.random.default_rng(answers)
    for weight in (0.05, 0.3, 1, 5):
        for shares in rng.dirichlet(np.full(answers, weight), 25):
            level = dn.privacy.deniability(shares)
            assert 1 - shares.max() >= dn.privacy.minority_share(min(level, 1.0), answers) - 1e-9
    even = [0.9] + [0.1 / (answers - 1)] * (answers - 1)
    assert dn.privacy.minority_share(dn.privacy.deniability(even), answers) == pytest.approx(0.1)


def test_a_yes_no_column_hidden_with_another_is_not_promised_the_minority_of_their_combination():
    frame = people(1, 3000)
    found = dn.publish_frame(frame[["age", "town", "ill", "debt"]], ["ill", "debt"], 0.3, joint=True, min_rows=30)
    overall = found.guarantees[0].overall
    assert overall["minority_share_of_minimum"] == pytest.approx(dn.privacy.minority_share(0.3, 2))
    assert overall["minority_share_of_minimum_by_column"]["debt"] == pytest.approx(dn.privacy.minority_share(0.3, 3))
    # The group that shows it: below what six combinations would have promised.
    assert overall["smallest_minority"] < dn.privacy.minority_share(0.3, 6)


def test_groups_below_the_minimum_are_not_said_to_have_its_minority():
    """Measured on other people than those the tree was found with."""
    X = pd.DataFrame({"town": ["A", "B"] * 200})
    tree = dn.DeniabilityTree(0.5).fit(X, pd.Series((["yes", "no"] * 3 + ["no", "yes"]) * 50, name="ill"))
    others = tree.guarantees(X, pd.Series(["yes", "no"] * 199 + ["no", "no"], name="ill"), Limits(posterior=1.0))
    check = others.checks[0]
    assert not check.passed
    assert "would mean a minority of at least 11%" in check.found
    assert "the smallest that a group has is 0%" in check.found
