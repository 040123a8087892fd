"""Intervals of supports cover as they say, whatever the noise, the length and the support: 10,000 simulations each."""

import numpy as np
import pytest

import deniable as dn
from deniable.mining.itemsets import Mined, mine

SETTINGS = {
    "little noise": (0.9, 0.95, 0.4),
    "thesis": (0.5, 0.87, 0.5),
    "much noise": (0.6, 0.6, 0.5),
    "rare items": (0.8, 0.97, 0.15),
    "undistorted": (1.0, 1.0, 0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_supports_of_two_and_three_items_are_covered(setting, target):
    p, q, share = SETTINGS[setting]
    if target == "respondents" and p == 1.0:
        pytest.skip("nothing is uncertain about undistorted respondents")
    rng = np.random.default_rng(31)
    rows, draws = 2_000, 10_000
    base = share**1.5
    truth = (rng.random((rows, 3)) < (share - base) / (1 - base)) | (rng.random((rows, 1)) < base)
    expected = [share**2, share**3]
    if target == "respondents":
        expected = [truth[:, :2].all(axis=1).mean(), truth.all(axis=1).mean()]
    else:
        one = (share - base) / (1 - base)
        expected = [base + (1 - base) * one**m for m in (2, 3)]
    covered = np.zeros(2)
    for _ in range(draws):
        if target == "population":
            truth = (rng.random((rows, 3)) < (share - base) / (1 - base)) | (rng.random((rows, 1)) < base)
        draw = rng.random(truth.shape)
        reports = np.where(truth, draw < p, draw >= q)
        mined = Mined(dn.Transactions(reports, dn.Flip(p, q)), [], 1e-9, "unbiased", target)
        mined.levels = list(mine(mined))
        for k, (level, row) in enumerate(((1, 0), (2, 0))):
            if len(mined.levels) <= level:
                covered[k] += 0  # estimated at or below 0: not found, so not covered
                continue
            low, high = mined.intervals(mined.levels[level], 0.95)
            covered[k] += low[row] <= expected[k] <= high[row]
    assert (covered / draws > 0.939).all(), covered / draws
    assert (covered / draws < 0.960).all(), covered / draws
