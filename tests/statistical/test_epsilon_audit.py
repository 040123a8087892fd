"""Epsilon measured from draws alone: never above what is printed, hardly below it, and a wrong p is noticed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import deniable as dn

TRIALS = 1_000_000
LEVEL = 0.01


def clopper_pearson(hits, n, level):
    """The one-sided bounds of a share, each holding with 1 - level."""
    low = stats.beta.ppf(level, hits, n - hits + 1) if hits else 0.0
    high = stats.beta.isf(level, hits + 1, n - hits) if hits < n else 1.0
    return low, high


def audited(channel, pairs, generator):
    """Bounds of epsilon from below and above: how much likelier some reports are under one truth than under another.

    `pairs` are (report, likelier truth, rarer truth) codes of the same ratio, whose trials are added up.
    """
    likely = rare = 0
    for z, x, y in pairs:
        for truth in (x, y):
            reports = channel.randomise(channel.domain.column(np.full(TRIALS, truth)), rng=generator)
            hits = int((channel.reported.encode(reports) == z).sum())
            likely, rare = (likely + hits, rare) if truth == x else (likely, rare + hits)
    n = TRIALS * len(pairs)
    below = math.log(clopper_pearson(likely, n, LEVEL)[0] / clopper_pearson(rare, n, LEVEL)[1])
    above = math.log(clopper_pearson(likely, n, LEVEL / 100)[1] / clopper_pearson(rare, n, LEVEL / 100)[0])
    return below, above


def passes(bounds, promised):
    below, above = bounds
    return 0.95 * promised <= below <= promised <= above


@pytest.mark.parametrize("epsilon", [0.5, 1, 3, 10])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_krr_spends_the_epsilon_it_was_given(epsilon, k):
    channel = dn.KRR.from_epsilon(dn.Integer(1, k), epsilon)
    # Both directions of a pair have one ratio by symmetry.
    bounds = audited(channel, [(0, 0, 1), (1, 1, 0)], np.random.default_rng([int(10 * epsilon), k]))
    assert passes(bounds, channel.epsilon)


@pytest.mark.parametrize(
    "channel",
    [
        dn.Flip(0.8, 0.6),
        dn.ForcedResponse("1/6", "1/4"),
        dn.Crosswise(0.2),
        dn.Retention(dn.Integer(0, 9), 0.5),
        dn.UnrelatedQuestion(dn.Nominal(["a", "b", "c"]), 0.6, [0.5, 0.3, 0.2]),
        dn.Matrix(dn.Nominal(["a", "b"]), [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"]),
        dn.Neighbours(dn.Ordinal([1, 2, 3]), [0.5, 0.3, 0.2]),
        dn.Additive(dn.Integer(0, 19), dn.Laplace(6)),
        dn.Additive(dn.Integer(0, 19), dn.Normal(9)),
        dn.Optional(dn.KRR(dn.Binary(), 0.75), 0.6),
        dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(6)), 0.75),
    ],
    ids=lambda channel: type(channel).__name__,
)
def test_every_design_spends_the_epsilon_that_it_prints(channel):
    assert math.isfinite(channel.epsilon)
    bounds = audited(channel, [channel.law.worst_case], np.random.default_rng(20))
    assert passes(bounds, channel.epsilon)


@pytest.mark.parametrize("off", [Fraction(2, 100), -Fraction(2, 100)])
@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 2), (0.5, 20), (1, 5), (3, 2), (3, 20)])
def test_a_channel_whose_p_is_off_by_two_points_is_caught(epsilon, k, off):
    promised = dn.KRR.from_epsilon(dn.Integer(1, k), epsilon)
    wrong = dn.KRR(dn.Integer(1, k), promised.p + off)
    bounds = audited(wrong, [(0, 0, 1), (1, 1, 0)], np.random.default_rng([7, k]))
    assert not passes(bounds, promised.epsilon)


@pytest.mark.parametrize("k", [2, 20])
def test_a_large_epsilon_that_is_two_points_off_is_caught_too(k):
    promised = dn.KRR.from_epsilon(dn.Integer(1, k), 10)
    wrong = dn.KRR(dn.Integer(1, k), promised.p - Fraction(2, 100))
    bounds = audited(wrong, [(0, 0, 1), (1, 1, 0)], np.random.default_rng(7))
    assert not passes(bounds, promised.epsilon)


def test_the_bounds_are_those_of_clopper_and_pearson():
    for hits in (0, 1, 50, 1000):
        low, high = clopper_pearson(hits, 1000, 0.01)
        reference = stats.binomtest(hits, 1000).proportion_ci(0.98, method="exact")
        assert (low, high) == pytest.approx((reference.low, reference.high), abs=1e-9)


def test_larger_tables_are_audited_by_looking_at_every_integer():
    for channel in (dn.KRR.from_epsilon(dn.Integer(1, 800), 2), dn.Additive(dn.Integer(0, 799), dn.Laplace(400))):
        rows = channel.integer_rows()
        low, high = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        assert max(math.log(b / a) for a, b in zip(low, high, strict=True)) == pytest.approx(channel.epsilon, abs=1e-12)
        assert channel.epsilon <= 2
