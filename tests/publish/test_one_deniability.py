"""Deniability is computed in one place: what is published of groups is what `dn.privacy.deniability` says of their rows."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.privacy.measures.deniability import deniability_of_groups


@pytest.mark.statistical
@pytest.mark.parametrize("sensitive", [["ill"], ["debt"], ["ill", "debt"]])
def test_the_report_says_the_deniability_that_the_measure_gives_of_the_same_rows(sensitive):
    rng = np.random.default_rng(11)
    rows = 900
    frame = pd.DataFrame({"age": rng.integers(20, 60, rows), "town": rng.choice(list("ABC"), rows)})
    frame["ill"] = np.where(rng.random(rows) < frame.age / 80, "yes", "no")
    frame["debt"] = rng.choice(["none", "some", "much"], rows, p=[0.6, 0.3, 0.1])
    X, y = frame[["age", "town"]], frame[sensitive]
    tree = dn.DeniabilityTree(0.2, min_rows=30).fit(X, y)
    guaranteed = tree.guarantees(X, y)
    views = [y[name] for name in sensitive] + ([y.agg(" and ".join, axis=1)] if len(sensitive) > 1 else [])
    possible = [{"ill": 2, "debt": 3}[name] for name in sensitive] + ([6] if len(sensitive) > 1 else [])
    leaf = pd.Series(tree.apply(X))

    def smallest(among):
        return min(
            dn.privacy.deniability(view[among].value_counts().tolist(), answers)
            for view, answers in zip(views, possible, strict=True)
        )

    each = {node: smallest(leaf == node) for node in sorted(set(leaf))}
    assert len(each) > 3
    assert guaranteed.groups["deniability"] == pytest.approx(list(each.values()), rel=1e-14)
    assert guaranteed.overall["deniability"] == pytest.approx(min(each.values()), rel=1e-14)
    assert guaranteed.overall["deniability_of_all_rows"] == pytest.approx(smallest(leaf >= 0), rel=1e-14)
    assert tree.deniability_ == guaranteed.overall["deniability"]
    in_text = [float(line.partition("deniability ")[2][:5]) for line in tree.export_text().splitlines()]
    assert min(in_text) == pytest.approx(min(each.values()), abs=0.0005)


def test_one_group_and_many_are_measured_alike():
    counts = np.random.default_rng(2).integers(0, 30, (50, 7))
    alone = [dn.privacy.deniability(row.tolist()) for row in counts]
    assert deniability_of_groups(counts).tolist() == alone
    assert deniability_of_groups(counts, 9).tolist() == [dn.privacy.deniability(row.tolist(), 9) for row in counts]
    assert str(dn.privacy.deniability([5, 0])) == "0.0"
