"""Default settings meet the limits of the very same command wherever all rows together do."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish.checks.limits import Limits

GROUPS = {"deniability", "worst posterior", "small groups", "skew", "relative skew", "background knowledge"}


def generated(rows, columns, shares, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 90, rows)})
    for at in range(columns):
        frame[f"c{at}"] = rng.choice(list("abcdefgh")[: 2 + at % 6], rows) if at % 3 else rng.normal(0, 1, rows).round(2)
    tilt = rng.random(rows) < np.where(frame["age"] > 60, 0.3, 0.0)
    answers = [f"answer {at}" for at in range(len(shares))]
    frame["ill"] = np.where(tilt, answers[1], rng.choice(answers, rows, p=shares))
    return frame


@pytest.mark.statistical
@pytest.mark.parametrize("rows", [200, 3000])
@pytest.mark.parametrize("columns", [1, 8])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.7, 0.2, 0.07, 0.03), (0.86, 0.1, 0.02, 0.01, 0.01)])
def test_every_group_meets_every_limit_by_default(rows, columns, shares):
    frame = generated(rows, columns, shares, rows + columns)
    found = dn.publish_frame(frame, "ill", recode=True)
    assert not GROUPS & {own.name for own in found.guarantees[0].failed}
    assert found.guarantees[0].overall["groups"] > 1
    assert "no answer more than 3 times as frequent" in repr(found).replace("\n    ", " ")
    loose = {"min_rows": 1, "max_posterior": 1.0, "max_skew": 1.0, "max_skew_ratio": 1000.0, "max_ruled_out": 1.0}
    if columns > 1:  # fine enough to fall below the limits if nothing keeps the tree from it
        assert GROUPS & {own.name for own in dn.publish_frame(frame, "ill", recode=True, **loose).guarantees[0].failed}


@pytest.mark.statistical
def test_limits_are_followed_and_what_is_given_is_kept():
    frame = generated(1000, 3, (0.7, 0.3), 1)
    tree = dn.publish_frame(frame, "ill", recode=True, limits=Limits(0.8, 30, 0.2, 0.9, 1.5)).trees[0]
    assert (tree.min_rows, tree.max_posterior, tree.max_skew, tree.max_skew_ratio) == (30, 0.8, 0.2, 1.5)
    assert dn.publish_frame(frame, "ill", recode=True, min_rows=77).trees[0].min_rows == 77


@pytest.mark.statistical
@pytest.mark.parametrize("shares", [(0.97, 0.03), (0.96, 0.037, 0.003)])
def test_what_no_grouping_can_meet_is_said_and_everyone_is_one_group(shares):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 90, 3000), "ill": rng.choice(["no", "flu", "hiv"][: len(shares)], 3000, p=shares)}
    )
    found = dn.publish_frame(frame, "ill")
    assert found.guarantees[0].overall["groups"] == 1
    assert "worst posterior" in {own.name for own in found.guarantees[0].failed}
    assert "no grouping can" in found.guarantees[0].remedies()["worst posterior"]
    # No figure that was measured on the answers becomes a parameter, which are public.
    whole = (frame["ill"] == "no").mean()
    assert all(value != pytest.approx(whole) for value in found.trees[0].get_params().values() if isinstance(value, float))
