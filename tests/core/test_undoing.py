"""The one rule for undoing a channel: closed forms, bounded bias, and what it is bounded by."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.stats import ncx2

import deniable as dn
from deniable.core.caps import Cap, critical_value
from deniable.core.channels.laws import Table
from deniable.core.domains.missing import WithMissing
from deniable.core.shift_weights import closed_form, hat_expectations
from deniable.core.undoing import Undoer
from deniable.errors import ParameterError

pytestmark = pytest.mark.statistical

NOISES = {
    "normal, clamped": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Normal(k / 7)),
    "normal, extended": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Normal(k / 7), edges="extend"),
    "laplace, clamped": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Laplace(k / 7)),
    "laplace, extended": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Laplace(k / 7), edges="extend"),
    "uniform": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Uniform(k // 4)),
    "uniform, clamped": lambda k: dn.Additive(dn.Integer(0, k - 1), dn.Uniform(k // 8), edges="clamp"),
    "silent": lambda k: dn.Optional(dn.Additive(dn.Integer(0, k - 1), dn.Laplace(k / 7)), 0.85),
}


def undoer_of(channel, n=2_000):
    counts = n * channel.law.push(np.full(channel.law.inputs, 1 / channel.law.inputs))
    return Undoer(channel.law, Cap.of(channel.domain), counts)


@pytest.mark.parametrize("name", ["normal, extended", "laplace, clamped", "laplace, extended", "uniform"])
@pytest.mark.parametrize("power", [1, 2])
def test_closed_forms_of_means_and_squares_are_unbiased(name, power):
    channel = NOISES[name](60)
    x = np.arange(60.0) ** power
    weights = closed_form(channel.law, x)
    expected = channel.matrix() @ weights  # a dense, independent computation
    assert np.abs(expected - x).max() < 1e-5 * x.max()


def test_the_mean_behind_clamped_laplace_noise_weighs_the_end_labels_as_the_two_sided_geometric_law_says():
    channel = dn.Additive(dn.Integer(0, 40), dn.Laplace(6))
    weights = closed_form(channel.law, np.arange(41.0))
    a = np.exp(-1 / 6)
    assert weights[0] == pytest.approx(-a / (1 - a), rel=1e-6)
    assert weights[-1] == pytest.approx(40 + a / (1 - a), rel=1e-6)
    assert weights[1:-1] == pytest.approx(np.arange(1, 40), abs=1e-9)


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("k", [40, 400])
def test_residuals_are_what_weights_are_off_by(name, k):
    channel = NOISES[name](k)
    size = channel.law.inputs
    f = (np.arange(size) < size // 3).astype(float)
    weights, residual = undoer_of(channel).of(f, 2_000)
    off = channel.law.dense() @ weights - f
    assert np.abs(off - (0.0 if residual is None else residual)).max() < 1e-8
    assert np.abs(off).max() < 1


@pytest.mark.parametrize("name", NOISES)
def test_more_reports_allow_less_bias(name):
    channel = NOISES[name](50)
    cap, f = Cap.of(channel.domain), (np.arange(channel.law.inputs) < 12).astype(float)
    biases = []
    for n in (200, 20_000, 2_000_000):
        residual = undoer_of(channel, n).of(f, n).residual
        biases.append(0.0 if residual is None else float(cap.largest(residual)[0] + cap.largest(-residual)[0]) / 2)
    assert biases[0] >= biases[1] - 1e-9
    assert biases[1] >= biases[2] - 1e-9


def test_unbiased_weights_are_taken_where_they_are_useful():
    for channel in (dn.KRR(dn.Integer(1, 5), 0.6), dn.Neighbours(dn.Integer(0, 10), [0.6, 0.2]), NOISES["uniform"](11)):
        f = (np.arange(channel.law.inputs) < 3).astype(float)
        weights, residual = undoer_of(channel).of(f, 2_000)
        assert residual is None
        assert channel.law.pull(weights) == pytest.approx(f, abs=1e-6)


def test_a_fine_grid_gives_what_a_coarse_one_does():
    """The same noise and question on 101 and on 10,001 values: no dense matrix, the same answer."""
    found = []
    for step in (1, 100):
        channel = dn.Additive(dn.Integer(0, 100 * step), dn.Normal(12 * step))
        size = channel.law.inputs
        f = (np.arange(size) < size * 0.3).astype(float)
        cap = Cap.of(channel.domain)
        weights, residual = undoer_of(channel).of(f, 2_000)
        law = channel.law.push(np.full(size, 1 / size))
        se = np.sqrt((law @ weights**2 - (law @ weights) ** 2) / 2_000)
        bias = float(cap.largest(residual)[0] + cap.largest(-residual)[0]) / 2
        found.append(se * float(critical_value(bias / se, 0.95)))
    # The classes differ a little (101 values, or 80 stretches in which people may be anywhere).
    assert found[1] == pytest.approx(found[0], rel=0.35)


@pytest.mark.parametrize("channel", [NOISES["normal, clamped"](30), NOISES["uniform"](31)])
def test_hats_at_every_code_are_the_matrix(channel):
    law = channel.law
    found = hat_expectations(law, np.arange(law.inputs), np.arange(law.outputs))
    assert np.abs(found - channel.matrix()).max() < 1e-12


@pytest.mark.parametrize("mass", [1.0, 0.3])
def test_the_largest_bias_is_that_of_a_linear_programme(mass):
    rng = np.random.default_rng(4)
    for size in (5, 23, 90):
        residual = rng.normal(size=size)
        cap = Cap.of(dn.Integer(1, size))
        answer = linprog(-residual, A_eq=np.ones((1, size)), b_eq=[mass], bounds=[(0, min(cap.most, mass))] * size)
        assert float(cap.largest(residual, mass)[0]) == pytest.approx(-answer.fun, abs=1e-9)


@pytest.mark.parametrize("domain", [dn.Integer(1, 23), dn.Integer(0, 1_000), WithMissing(dn.Integer(1, 23), "none")])
def test_both_ends_of_a_bias_over_several_masses_are_those_of_each_alone(domain):
    cap, masses = Cap.of(domain), (0.0, 0.02, 0.3, 1.0)
    residuals = np.random.default_rng(4).normal(size=(domain.size, 5)).round(1)
    low, high = cap.ends(residuals, masses)
    assert high == pytest.approx(np.max([cap.largest(residuals, mass) for mass in masses], axis=0))
    assert low == pytest.approx(-np.max([cap.largest(-residuals, mass) for mass in masses], axis=0))


def test_stretches_of_a_wide_domain_may_hold_their_people_anywhere():
    cap = Cap.of(dn.Integer(0, 9_999))
    residual = np.zeros(10_000)
    residual[::125] = 1.0  # one value in every stretch of 125
    assert float(cap.largest(residual)[0]) == pytest.approx(1.0)
    assert "no stretch of 'salary' that is 125 wide holds more than 6.25% of the people" in cap.words("salary")


def test_silence_may_hold_any_share():
    cap = Cap.of(dn.Optional(dn.Additive(dn.Integer(0, 72), dn.Normal(9)), 0.9).domain)
    assert cap.holds(np.append(np.full(73, 0.1 / 73), 0.9))
    residual = np.append(np.zeros(73), 1.0)
    assert float(cap.largest(residual)[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_critical_values_are_those_of_a_noncentral_chi_square(level):
    ratios = np.array([0.0, 0.01, 0.3, 1.0, 2.5, 8.0, 40.0])
    assert critical_value(ratios, level) == pytest.approx(np.sqrt(ncx2.ppf(level, 1, ratios**2)), rel=1e-9)


@pytest.mark.parametrize("most", [0, 1.5, "x", True, 0.001])
def test_a_class_that_cannot_be_is_refused(most):
    with pytest.raises(ParameterError, match="most"):
        Cap.of(dn.Integer(18, 90), most)


def test_reports_of_a_table_that_is_not_square_have_face_values():
    law = Table(np.array([[6, 3, 1, 0], [3, 4, 2, 1], [0, 2, 4, 4]]), 10)
    undoer = Undoer(law, Cap.of(dn.Integer(0, 2)), np.ones(4))
    assert np.isfinite(undoer.at_face_value(np.array([0.0, 1.0, 0.0]))).all()


def best_affine_half_length(matrix, reports, f, n, most, start):
    """The shortest bias-aware interval of any affine estimator, by a general solver: slow, and only for few values."""
    truths, outputs = matrix.shape
    # Unknowns: weights, and for each side a level and what residuals exceed it by (the largest mean over the class is a linear programme).
    sizes = np.cumsum([0, outputs, 1, truths, 1, truths])
    scale = np.abs(start).max()

    def parts(u):
        return [u[a:b] for a, b in itertools.pairwise(sizes)]

    def variance(u):
        w = scale * parts(u)[0]
        return (reports @ w**2 - (reports @ w) ** 2) / scale**2

    def slack(u, bias):
        w, above, over, below, under = parts(u)
        residual = matrix @ (scale * w) - f
        return np.concatenate(
            [above + over - residual, over, below + under + residual, under, bias - above - most * over.sum(),
             bias - below - most * under.sum()]
        )  # fmt: skip

    residual = matrix @ start - f
    cap = Cap(np.arange(truths), most)
    middle = float(cap.largest(residual)[0] - cap.largest(-residual)[0]) / 2
    first = np.concatenate(
        [(start - middle) / scale, [0.0], np.maximum(residual - middle, 0), [0.0], np.maximum(middle - residual, 0)]
    )
    found = []
    size = float(cap.largest(residual - middle)[0])
    for bias in size * np.array([0.6, 0.8, 0.9, 1.0, 1.2]):
        answer = minimize(
            variance, first, method="SLSQP", constraints={"type": "ineq", "fun": slack, "args": (bias,)},
            options={"maxiter": 400, "ftol": 1e-10},
        )  # fmt: skip
        if answer.success:
            se = np.sqrt(variance(answer.x) * scale**2 / n)
            found.append(se * float(critical_value(bias / se, 0.95)))
    return min(found)


@pytest.mark.parametrize("noise", [dn.Normal(2), dn.Laplace(3)])
@pytest.mark.parametrize(("n", "mass"), [(200, 1.0), (2_000, 1.0), (200, 0.6)])
def test_ridge_weights_are_nearly_the_best_affine_ones(noise, n, mass):
    channel = dn.Additive(dn.Integer(0, 13), noise)
    f, cap = (np.arange(14) < 5).astype(float), Cap.of(channel.domain)
    reports = channel.law.push(np.full(14, 1 / 14))
    weights, residual = Undoer(channel.law, cap, n / mass * reports).of(f, n, mass)
    if residual is None:
        pytest.fail("this noise should be too much for unbiased weights")
    se = np.sqrt((reports @ weights**2 - (reports @ weights) ** 2) / n)
    # Of a group, a value may hold a larger part: as many people as it may hold of all.
    cap = Cap.of(channel.domain, cap.most / mass)
    own = se * float(critical_value(float(cap.largest(residual)[0] + cap.largest(-residual)[0]) / 2 / se, 0.95))
    best = best_affine_half_length(channel.matrix(), reports, f, n, cap.most, weights)
    assert best <= own * 1.001
    assert own <= 1.15 * best


def test_weights_for_a_group_count_what_its_class_leaves_open():
    """No value holds more than a twelfth of all, so one may hold a fifth of a group of two fifths: weights that would be best of everyone
    are off by so much more of these that unbiased ones have the shorter interval."""
    channel = dn.Additive(dn.Integer(0, 60), dn.Laplace(3), edges="clamp")
    f, everyone = (np.arange(61) < 30).astype(float), Cap.of(channel.domain)
    reports = channel.law.push(np.full(61, 1 / 61))
    undoer, inside = Undoer(channel.law, everyone, 16_000 * reports), Cap.of(channel.domain, everyone.most / 0.4)

    def half(undone):
        weights, residual = undone
        se = np.sqrt((reports @ weights**2 - (reports @ weights) ** 2) / 6_400)
        low, high = inside.ends(np.zeros(61) if residual is None else residual)
        return se * float(critical_value(float(high[0] - low[0]) / 2 / se, 0.95))

    as_of_everyone, as_of_a_group = undoer.of(f, 6_400), undoer.of(f, 6_400, 0.4)
    assert np.abs(as_of_everyone.residual).max() > 0.05
    assert as_of_a_group.residual is None or np.abs(as_of_a_group.residual).max() < 1e-6
    assert half(as_of_a_group) < 0.85 * half(as_of_everyone)


def test_weights_change_in_small_steps_with_the_number_of_people():
    """Samples differ a little in what they seem to be worth. If weights jumped with that, a plan would foresee one side of the jump."""
    channel = dn.Additive(dn.Integer(0, 60), dn.Normal(8), edges="clamp")
    f, reports = (np.arange(61) < 30).astype(float), channel.law.push(np.full(61, 1 / 61))
    undoer = Undoer(channel.law, Cap.of(channel.domain), 2_000 * reports)
    weights = [undoer.weights(f, 2 ** (k / 4)) for k in range(36, 60)]
    errors = np.array([np.sqrt(reports @ each**2 - (reports @ each) ** 2) for each in weights])
    assert errors[-1] > 1.5 * errors[0]  # more people allow less bias, and so more variance
    assert (errors[1:] / errors[:-1]).max() < 1.2
