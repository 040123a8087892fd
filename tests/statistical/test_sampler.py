"""Two million draws of every design with the operating system's randomness, and what the same check says of a biased sampler."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import deniable as dn

# Nothing is seeded here, and about 150 shares are looked at: together they fail an exact sampler in one of five million runs.
DRAWS = 2_000_000
LEVEL = 1e-9
"""Per cell. About 120 cells are looked at, so an honest sampler fails one run in eight thousand."""

EIGHT = dn.Integer(0, 7)
DESIGNS = {
    "KRR": dn.KRR(dn.Nominal(["a", "b", "c"]), 0.7),
    "KRR, 32 bits": dn.KRR(dn.Nominal(["a", "b", "c"]), "0.314159265358979323846"),
    "Flip": dn.Flip(0.4, 0.96),
    "ForcedResponse": dn.ForcedResponse("1/6", "1/6"),
    "Crosswise": dn.Crosswise(0.25),
    "Retention": dn.Retention(EIGHT, 0.4),
    "UnrelatedQuestion": dn.UnrelatedQuestion(dn.Nominal(["a", "b", "c"]), 0.3, [0.5, 0.3, 0.2]),
    "Matrix": dn.Matrix(dn.Nominal(["a", "b"]), [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"]),
    "Neighbours": dn.Neighbours(EIGHT, [0.4, 0.2, 0.1]),
    "Additive, uniform": dn.Additive(EIGHT, dn.Uniform(2)),
    "Additive, Laplace": dn.Additive(EIGHT, dn.Laplace(3)),
    "Additive, normal": dn.Additive(EIGHT, dn.Normal(2)),
    "Optional": dn.Optional(dn.Additive(EIGHT, dn.Laplace(3)), 0.75),
}


def wilson(hits, n, level):
    """Wilson's interval for a share."""
    z = stats.norm.isf(level / 2)
    centre = (hits + z * z / 2) / (n + z * z)
    half = z * np.sqrt(hits * (n - hits) / n + z * z / 4) / (n + z * z)
    return centre - half, centre + half


def outside(counts, shares, level=LEVEL):
    """The cells whose promised share lies outside the Wilson interval of what was drawn, and the impossible ones that were."""
    n = counts.sum()
    low, high = wilson(counts, n, level)
    return [
        z
        for z, share in enumerate(shares)
        if (share == 0 and counts[z] > 0) or (share > 0 and not low[z] - 1e-15 <= share <= high[z] + 1e-15)
    ]


@pytest.mark.parametrize("name", DESIGNS)
def test_two_million_draws_of_the_operating_system_are_what_the_table_promises(name):
    channel = DESIGNS[name]
    # The first and the last truth: the ends are where clamping, wrapping and silence differ.
    for x in (0, channel.law.inputs - 1):
        truths = channel.domain.column(np.full(DRAWS, x))
        reports = channel.reported.encode(channel.randomise(truths))
        counts = np.bincount(reports, minlength=channel.law.outputs)
        assert not outside(counts, channel.matrix()[x])


def test_different_truths_in_one_column_are_each_drawn_from_their_own_row():
    channel = dn.KRR(EIGHT, 0.5)
    truths = np.arange(DRAWS) % 8
    reports = channel.randomise(truths)
    for x in range(8):
        counts = np.bincount(reports[truths == x], minlength=8)
        assert not outside(counts, channel.matrix()[x])


def test_neighbouring_draws_do_not_depend_on_each_other():
    same = dn.KRR(dn.Binary(), 0.75).randomise(np.zeros(DRAWS, dtype=np.int64))
    # Pairs that share no draw, of neighbours and of draws one piece (65,536) apart.
    pieces = same[: 14 << 16].reshape(7, 2, 1 << 16)
    for first, second in ((same[::2], same[1::2]), (pieces[:, 0].ravel(), pieces[:, 1].ravel())):
        assert not outside(np.bincount(2 * first + second, minlength=4), [0.5625, 0.1875, 0.1875, 0.0625])


@pytest.mark.parametrize("bias", [0.005, -0.005])
@pytest.mark.parametrize("p", [0.2, 0.5, 0.7, 0.95])
def test_a_planted_bias_of_half_a_point_is_caught(p, bias):
    biased = dn.KRR(dn.Binary(), round(p + bias, 6))
    reports = biased.randomise(np.zeros(DRAWS, dtype=np.int64))
    assert outside(np.bincount(reports, minlength=2), dn.KRR(dn.Binary(), p).matrix()[0]) == [0, 1]


def test_a_sampler_that_takes_remainders_without_rejection_is_caught():
    # 256 = 2 * 97 + 62: remainders below 62 come up three times in 256, the others twice.
    carelessly = np.frombuffer(np.random.default_rng(1).bytes(DRAWS), dtype=np.uint8) % 97
    assert outside(np.bincount(carelessly, minlength=97), np.full(97, 1 / 97))


def test_a_report_that_should_be_impossible_is_caught():
    assert outside(np.array([1_000_000, 0]), [1.0, 0.0]) == []
    assert 1 in outside(np.array([999_999, 1]), [1.0, 0.0])


def test_the_wilson_interval_is_that_of_scipy():
    for hits in (0, 3, 400, 1000):
        reference = stats.binomtest(hits, 1000).proportion_ci(0.99, method="wilson")
        assert wilson(hits, 1000, 0.01) == pytest.approx((reference.low, reference.high), abs=1e-12)


def float_laplace_could_be(report, truth):
    """Whether some double, added to the truth in floating point, gives the report."""
    noise = report - truth
    near = np.array([noise, math.nextafter(noise, -math.inf), math.nextafter(noise, math.inf)])
    return bool((truth + near == report).any())


def excluded(reports, truth, could_be):
    """How many of the reports rule the truth out."""
    return sum(not could_be(report, truth) for report in reports)


@pytest.mark.parametrize(
    "channel",
    [
        dn.Additive(dn.Integer(0, 20), dn.Laplace(5)),
        dn.Additive(dn.Continuous(0, 2, step=0.1), dn.Laplace(0.5)),
        dn.Additive(dn.Continuous(0, 2, step=0.1), dn.Normal(0.4)),
        dn.KRR(dn.Integer(0, 20), 0.3),
        dn.Retention(dn.Continuous(0, 2, step=0.1), 0.4),
    ],
)
def test_no_report_excludes_a_neighbouring_truth_where_epsilon_is_finite(channel):
    assert math.isfinite(channel.epsilon)
    here, there = 10, 11
    reports, other = (channel.randomise(channel.domain.column(np.full(300_000, x))).to_numpy() for x in (here, there))
    # The very same doubles are reported for both, bit for bit, each possible under the other truth.
    labels = {np.float64(label).tobytes() for label in channel.outputs}
    assert {np.float64(value).tobytes() for value in np.unique(reports)} <= labels
    assert {np.float64(value).tobytes() for value in np.unique(other)} <= labels
    position = {label: z for z, label in enumerate(channel.outputs)}
    rows = channel.integer_rows([here, there])
    assert excluded(np.unique(reports).tolist(), 1, lambda report, row: rows[row][position[report]] > 0) == 0
    assert excluded(np.unique(other).tolist(), 0, lambda report, row: rows[row][position[report]] > 0) == 0
    # And what came up often for one also came up for the other.
    mine, theirs = (np.bincount(channel.reported.encode(drawn), minlength=len(labels)) for drawn in (reports, other))
    often = 30 * math.exp(channel.epsilon)
    assert ((theirs > 0) | (mine < often)).all()
    assert ((mine > 0) | (theirs < often)).all()


def test_naive_floating_point_laplace_is_flagged_by_its_low_bits():
    generator = np.random.default_rng(2)
    reports = (0.0 + generator.laplace(0, 1, 3000)).tolist()
    assert excluded(reports, 0.0, float_laplace_could_be) == 0
    assert excluded(reports, 1.0, float_laplace_could_be) > 300


def test_the_librarys_own_floating_channel_leaks_in_the_same_way_and_says_so():
    channel = dn.Additive(dn.Continuous(-10, 10), dn.Laplace(1))
    reports = channel.randomise(np.zeros(3000), rng=np.random.default_rng(3)).tolist()
    assert excluded(reports, 1.0, float_laplace_could_be) > 300
    assert channel.epsilon == math.inf
