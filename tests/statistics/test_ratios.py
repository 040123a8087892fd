"""Ratios against trying every value: the interval's ends are the outermost ones that no test refutes."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.statistics.ratios import not_refuted

VALUES = np.linspace(-5.0, 5.0, 200_001)


@pytest.mark.parametrize("seed", range(40))
def test_the_ends_are_the_outermost_values_that_are_not_refuted(seed):
    rng = np.random.default_rng(seed)
    top, bottom, z = rng.normal(0, 1), rng.normal(0.5, 0.5), 1.96
    root = rng.normal(0, 0.3, (2, 2))
    spread = root @ root.T
    variance = spread[0, 0] - 2 * VALUES * spread[0, 1] + VALUES**2 * spread[1, 1]
    kept = VALUES[(top - VALUES * bottom) ** 2 <= z**2 * variance]
    expected = (kept[0], kept[-1]) if len(kept) else (-5.0, 5.0)
    assert not_refuted(top, bottom, spread, z, (-5.0, 5.0)) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_a_few_numbers_reported_alike_are_not_certain(n):
    """Two people who both report 0 behind randomisation do not show that the mean is 0; many do."""
    schema = dn.Schema({"glasses": dn.Piecewise(dn.Integer(0, 40), 5, 3)})
    mean = dn.Sample(pd.DataFrame({"glasses": [0] * n}), schema).mean("glasses")
    (low,), (high,) = mean.interval()
    assert low == 0
    assert high >= 40 * 3.84 / (n + 3.85)
    (_,), (high,) = dn.Sample(pd.DataFrame({"glasses": [0] * 10_000}), schema).mean("glasses").interval()
    assert high < 0.02
