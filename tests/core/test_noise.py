"""Noise on a grid is a list of integers close to its ideal weights; off the grid it is the textbook distribution."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import deniable as dn
from deniable.core.channels.noise import Noise
from deniable.errors import ParameterError, SchemaError

NOISES = {
    "Uniform": [dn.Uniform(5), dn.Uniform("0.5")],
    "Laplace": [dn.Laplace(3), dn.Laplace(0.25)],
    "Normal": [dn.Normal(4), dn.Normal("1/3")],
    "Staircase": [dn.Staircase([1, 2, 1]), dn.Staircase({-2: 0.25, 1: 0.75})],
}
EACH = [pytest.param(noise, id=f"{kind}-{i}") for kind, found in NOISES.items() for i, noise in enumerate(found)]


def test_every_kind_of_noise_is_tested_here():
    assert set(NOISES) == set(Noise.kinds)


def ideal(noise, step, reach):
    """P(offset) for -reach..reach, what lies beyond gathered at the ends, from scipy or by adding up a long list."""
    if isinstance(noise, dn.Laplace):
        law = stats.dlaplace(float(step / noise.b))
        inner, beyond = law.pmf(np.arange(-reach, reach + 1)), law.sf(reach)
    else:
        c = float(step / noise.sd)
        far = max(reach + 1, math.ceil(40 / c))
        heights = np.exp(-0.5 * (c * np.arange(-far, far + 1)) ** 2)
        heights /= heights.sum()
        inner, beyond = heights[far - reach : far + reach + 1], heights[: far - reach].sum()
    inner[[0, -1]] += beyond
    return inner


def check_kernel(noise, step, reach):
    kernel, lowest = noise.kernel(step, reach)
    denominator = int(kernel.sum())
    expected = ideal(noise, step, reach) * denominator
    assert lowest == -reach
    assert len(kernel) == 2 * reach + 1
    assert (kernel == kernel[::-1]).all()
    assert denominator < 2**53
    assert kernel.min() >= 1, "every offset must stay possible, or epsilon is infinite"
    sides = np.arange(2 * reach + 1) != reach
    excess = (kernel - expected)[sides]
    slack = 1e-9 * expected[sides]  # of the floating-point comparison
    assert (excess >= -slack).all(), "no offset may become rarer than it should be"
    assert (excess <= 1 + slack).all()
    assert kernel[reach] <= expected[reach] * (1 + 1e-9)
    assert kernel[reach] >= expected[reach] * 0.999, "the rounding of all others must not eat up the centre"


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [dn.Laplace, dn.Normal])
@pytest.mark.parametrize(("width", "reach"), [("0.2", 10), (3, 10), (20, 72), (300, 50), (500, 3000), (10**4, 20)])
def test_grid_noise_is_its_ideal_distribution_rounded_up_and_the_centre_pays(kind, width, reach):
    check_kernel(kind(width), Fraction(1), reach)
    check_kernel(kind(Fraction(width) / 10), Fraction(1, 10), reach)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Laplace(5000), dn.Normal(5000), dn.Laplace(60_000), dn.Normal(60_000)])
def test_wide_grid_noise_keeps_its_shape_at_the_centre(noise):
    check_kernel(noise, Fraction(1), 100_000)


@given(st.fractions(min_value=Fraction(1, 10), max_value=200), st.integers(1, 400), st.sampled_from([dn.Laplace, dn.Normal]))
def test_grid_noise_of_any_width_and_reach_is_sound(width, reach, kind):
    check_kernel(kind(width), Fraction(1), reach)


def test_narrow_noise_still_reaches_every_offset():
    # exp(-133) vanishes even in 192 bits of fixed point; the offset must not.
    check_kernel(dn.Normal("0.1225"), Fraction(1), 2)
    check_kernel(dn.Laplace("0.005"), Fraction(1), 3)
    assert math.isfinite(dn.Additive(dn.Integer(0, 2), dn.Normal("0.1225")).epsilon)


def test_very_wide_noise_on_a_short_grid_is_quick():
    kernel, _ = dn.Laplace(10**9).kernel(Fraction(1), 10)
    assert kernel[0] / kernel.sum() == pytest.approx(0.5, rel=1e-6)


def test_a_grid_too_fine_for_53_bits_is_refused_with_the_way_out():
    with pytest.raises(ParameterError, match=r"Laplace\(10000000000\) on a grid of 100,001 labels .* use a coarser step"):
        dn.Additive(dn.Integer(0, 100_000), dn.Laplace(10**10))


@pytest.mark.parametrize(("low", "high", "b"), [(18, 90, 20), (0, 9, 3), (0, 1000, 400), (0, 100_000, 50_000)])
def test_clamped_laplace_spends_range_over_b_and_no_more(low, high, b):
    epsilon = dn.Additive(dn.Integer(low, high), dn.Laplace(b)).epsilon
    assert epsilon <= (high - low) / b
    assert epsilon == pytest.approx((high - low) / b, rel=1e-5)


def test_uniform_noise_has_one_part_an_offset():
    kernel, lowest = dn.Uniform(0.5).kernel(Fraction(1, 10), 3)
    assert kernel.tolist() == [1] * 11
    assert lowest == -5


def test_staircased_noise_of_the_thesis():
    # Thesis 5.2: -2, -1, 0, 1, 2 with probability .2 each, drawn by rounding uniform noise of width 5.
    rounded = dn.Staircase.rounded(dn.Uniform(2.5))
    kernel, lowest = rounded.kernel(Fraction(1), 9)
    shares = dict(zip(range(lowest, lowest + len(kernel)), kernel / kernel.sum(), strict=True))
    assert {offset: share for offset, share in shares.items() if share} == dict.fromkeys(range(-2, 3), 0.2)
    channel = dn.Additive(dn.Integer(0, 20), dn.Staircase([0.2] * 5))
    np.testing.assert_array_equal(channel.matrix(), dn.Additive(dn.Integer(0, 20), dn.Uniform(2)).matrix())


def test_rounding_to_the_nearest_makes_4_twice_as_likely_as_5():
    # Thesis 5.2: uniform noise from -5 to 5, rounded.
    weights = dn.Staircase.rounded(dn.Uniform(5)).weights
    assert len(weights) == 11
    assert weights[-2] / weights[-1] == 2
    assert weights[1] / weights[0] == 2
    assert sum(weights) == 1


def test_rounding_down_shifts_the_mass_below():
    weights = dn.Staircase.rounded(dn.Uniform(2), method="down").weights
    assert weights == [Fraction(1, 4)] * 4 + [0]


@given(st.integers(1, 40), st.sampled_from(["nearest", "down"]))
def test_rounded_noise_has_the_probabilities_of_rounding(eighths, method):
    a = Fraction(eighths, 8)
    weights = dn.Staircase.rounded(dn.Uniform(a), method=method).weights
    half = len(weights) // 2
    fine = 80  # points per unit, in the middle of their cells: exact for eighths and halves
    points = [Fraction(2 * i + 1, 2 * fine) - a for i in range(int(2 * a * fine))]
    counted: dict[int, int] = {}
    for point in points:
        offset = math.floor(point + Fraction(1, 2)) if method == "nearest" else math.floor(point)
        counted[offset] = counted.get(offset, 0) + 1
    assert [Fraction(counted.get(offset, 0), len(points)) for offset in range(-half, half + 1)] == weights


@pytest.mark.parametrize(
    ("noise", "reference"),
    [
        (dn.Uniform(2.5), stats.uniform(-2.5, 5)),
        (dn.Normal(1.5), stats.norm(0, 1.5)),
        (dn.Laplace(0.7), stats.laplace(0, 0.7)),
    ],
)
def test_noise_off_the_grid_is_scipys(noise, reference):
    t = np.linspace(-6, 6, 49)
    u = np.array([1e-9, 1e-3, 0.2, 0.5, 0.7, 0.999, 1 - 1e-9])
    np.testing.assert_allclose(noise.cdf(t), reference.cdf(t), atol=1e-14)
    np.testing.assert_allclose(noise.quantile(u), reference.ppf(u), atol=1e-8, rtol=1e-7)
    for low, high in ((-6, -1), (-1, 0.3), (0, 2.5), (2, 6)):
        area, _ = integrate.quad(reference.cdf, low, high, points=[-2.5, 0, 2.5], epsabs=1e-12)
        ours = noise.cdf_integral(np.array([float(high)])) - noise.cdf_integral(np.array([float(low)]))
        assert ours[0] == pytest.approx(area, abs=1e-9)


def test_staircase_noise_has_no_density():
    with pytest.raises(ParameterError, match="Staircase is defined on a grid only; give the domain a step"):
        dn.Additive(dn.Continuous(0, 1), dn.Staircase([1, 2, 1]))


@pytest.mark.parametrize("noise", EACH)
def test_json_gives_back_the_same_noise(noise):
    back = Noise.from_json(json.loads(json.dumps(noise.to_json())))
    assert type(back) is type(noise)
    assert back.to_json() == noise.to_json()
    if noise.bounded:
        step = Fraction(1, 2)
        assert back.kernel(step, 7)[0].tolist() == noise.kernel(step, 7)[0].tolist()


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: dn.Uniform(0), "Uniform: half_width must be positive, got 0"),
        (lambda: dn.Laplace(-1), "Laplace: b must be positive, got -1"),
        (lambda: dn.Normal(math.nan), "Normal: sd must be a finite number"),
        (lambda: dn.Normal("wide"), "Normal: sd must be a finite number .*got 'wide'"),
        (lambda: dn.Staircase([1, 2]), "odd length, the middle one being offset 0, got 2 weights"),
        (lambda: dn.Staircase([]), "odd length"),
        (lambda: dn.Staircase([0, 0, 0]), "not all 0"),
        (lambda: dn.Staircase([1, -1, 1]), "non-negative"),
        (lambda: dn.Staircase({}), "not all 0"),
        (lambda: dn.Staircase({0.5: 1}), "offsets must be whole steps, got 0.5"),
        (lambda: dn.Staircase(3), "a list around offset 0 or a mapping from offset to weight, got 3"),
        (lambda: dn.Staircase.rounded(dn.Normal(1)), "takes Uniform noise and method 'nearest' or 'down'"),
        (lambda: dn.Staircase.rounded(dn.Uniform(1), "up"), "takes Uniform noise and method 'nearest' or 'down'.*'up'"),
        (
            lambda: dn.Additive(dn.Integer(0, 9), dn.Uniform(2.5)),
            r"half_width 2\.5 is not a whole number of steps of 1\.0; use 2\.0 or 3\.0",
        ),
        (
            lambda: dn.Additive(dn.Continuous(0, 1, step=0.25), dn.Uniform(0.1)),
            r"half_width 0\.1 is not a whole number of steps of 0\.25; use 0\.25",
        ),
    ],
)
def test_noise_that_cannot_be_is_refused_with_what_is_allowed_and_what_was_given(build, sentence):
    with pytest.raises(ParameterError, match=sentence):
        build()


@pytest.mark.parametrize("given_json", [None, {"type": "Pink"}, {"type": "Laplace"}, {"type": "Laplace", "b": 1, "c": 2}])
def test_a_file_that_describes_no_noise_is_refused(given_json):
    with pytest.raises(SchemaError):
        Noise.from_json(given_json)


@pytest.mark.parametrize(("noise", "edges"), [(dn.Uniform(3), (-3, 12)), (dn.Normal(3), (0, 9)), (dn.Laplace(3), (0, 9))])
def test_bounded_noise_widens_the_edges_of_a_grid_and_unbounded_noise_keeps_them(noise, edges):
    reported = dn.Additive(dn.Integer(0, 9), noise).reported
    assert (reported.low, reported.high) == edges
