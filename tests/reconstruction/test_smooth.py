from argparse import ArgumentTypeError
from itertools import product

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from benchmarks.deconvolution import RIVALS, Cell, cells, count, held_out_samplers, losses, measured, samplers, wins
from deniable.reconstruction.em import em
from deniable.reconstruction.em_path import steps_with_optimism
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.penalised import fit_all, hats, penalty, splines
from deniable.reconstruction.pieces import ANCHOR, fit_pieces
from deniable.reconstruction.smooth import smooth

pytestmark = pytest.mark.statistical


@pytest.fixture(scope="module")
def bimodal():
    x = (np.arange(20) + 0.5) / 20
    shares = np.exp(-0.5 * ((x - 0.25) / 0.08) ** 2) + 0.7 * np.exp(-0.5 * ((x - 0.72) / 0.1) ** 2) + 0.01
    return shares / shares.sum()


@pytest.mark.parametrize("noise", [dn.Uniform(0.5), dn.Normal(0.1)])
def test_smoothing_loses_less_than_the_plain_maximum(noise, bimodal):
    channel = dn.Additive(dn.Continuous(0, 1), noise)
    rng = np.random.default_rng(5)
    found = []
    for _ in range(5):
        truth = (rng.choice(20, 2_000, p=bimodal) + rng.random(2_000)) / 20
        table = dn.counts(channel.randomise(truth, rng), channel, bins=20)
        original = np.histogram(truth, 20, (0, 1))[0]
        found.append([information_loss(original, dn.reconstruct(table, channel, regularise=flag)) for flag in (None, False)])
    regularised, plain = np.mean(found, axis=0)
    assert regularised < 0.6 * plain


@pytest.mark.parametrize(
    "cell",
    [
        Cell("uniform", "bimodal", 1.0, 10_000, 20),
        Cell("normal", "skewed", 0.5, 10_000, 20),
        Cell("uniform", "spiky", 0.5, 10_000, 20),
        Cell("uniform", "beta(2,5)", 0.75, 5_000, 10),
        Cell("normal", "three hills", 0.75, 5_000, 20),
        Cell("uniform", "narrow hill", 1.5, 5_000, 40),
    ],
    ids=lambda cell: f"{cell.noise} {cell.shape}",
)
def test_the_default_loses_less_than_every_published_method(cell):
    """A short version of `python -m benchmarks.deconvolution --held-out`: some of the cells it wins, of both sets."""
    sampler = {**samplers(), **held_out_samplers()}[cell.shape]
    found = losses(cell, sampler, 3, np.random.default_rng(8), gap=1e-5)
    assert found["default"] < min(found[rival] for rival in RIVALS)


def test_the_comparison_counts_strict_wins():
    frame = pd.DataFrame(
        {"AS": [0.2, 0.2], "EM stopped": [0.2, 0.1], "EM converged": [0.3, 0.3], "default": [0.1, 0.1]}, dtype=float
    )
    assert wins(frame) == {"AS": 1.0, "EM stopped": 0.5, "EM converged": 1.0, "all three": 0.5, "within 2% of the best": 1.0}


def test_a_cell_is_measured_alike_whatever_else_is_measured():
    again, other = (measured("fresh", 4, seed=seed, runs=1, gap=1e-3, quick=True) for seed in (7, 8))
    assert again == measured("fresh", 4, seed=7, runs=1, gap=1e-3, quick=True)
    assert again["default"] != other["default"]
    assert again["shape"] == other["shape"] == [cell.shape for cell, _ in cells("fresh", quick=True)][4]


def test_runs_are_counted_from_one_on():
    assert count("3") == 3
    with pytest.raises(ArgumentTypeError, match="1 or more"):
        count("0")


def test_the_sets_of_cells_share_no_shape_size_or_width():
    sets = [[cell for cell, _ in cells(title)] for title in ("the comparison", "held out", "fresh")]
    assert [len(listed) for listed in sets] == [128, 216, 108]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        for part in ("shape", "n", "privacy"):
            assert not {getattr(cell, part) for cell in sets[a]} & {getattr(cell, part) for cell in sets[b]}


def test_a_flat_truth_comes_back_flat_but_for_what_the_reports_say_about_those_who_answered():
    """Given the uniform distribution, the expected shares of those who answered are one EM step away from it."""
    channel = dn.Additive(dn.Integer(0, 19), dn.Uniform(1))
    flat = np.full(20, 1 / 20)
    rng = np.random.default_rng(3)
    found = []
    for _ in range(20):
        people = rng.multinomial(3_000, flat)
        counts = rng.multinomial(people, channel.matrix()).sum(axis=0)
        step = channel.matrix() @ (counts / 3_000 / channel.push(flat)) / 20
        found.append([information_loss(people, shares) for shares in (dn.reconstruct(counts, channel), step, flat)])
    estimate, step, flat_loss = np.mean(found, axis=0)
    # Some of the early stop is mixed in, which takes two or three steps.
    assert estimate < 1.08 * step
    assert estimate < 0.95 * flat_loss


def test_with_endless_data_and_little_noise_the_truth_comes_back(bimodal):
    channel = dn.Additive(dn.Integer(0, 19), dn.Staircase([1, 2, 1]))
    counts = 1e7 * channel.push(bimodal)
    assert information_loss(bimodal, smooth(channel.law, counts)) < 0.005
    assert information_loss(bimodal, em(channel.law, counts, tolerance=1e-12).shares) < 0.02


def test_many_labels_are_smoothed_over_knots_and_merged_reports():
    channel = dn.Additive(dn.Integer(0, 399), dn.Uniform(60))
    truth = np.exp(-0.5 * ((np.arange(400) - 150) / 50) ** 2)
    truth /= truth.sum()
    rng = np.random.default_rng(6)
    estimate = dn.reconstruct(rng.multinomial(20_000, channel.push(truth)), channel)
    assert information_loss(truth, estimate) < 0.06
    assert estimate.method == "em, regularised"


@pytest.mark.parametrize("labels", [2, 3, 5])
def test_few_labels_are_smoothed_too(labels):
    channel = dn.Additive(dn.Integer(0, labels - 1), dn.Staircase([1, 6, 1]))
    truth = np.arange(1, labels + 1) / (labels * (labels + 1) / 2)
    np.testing.assert_allclose(dn.reconstruct(1e5 * channel.push(truth), channel).value, truth, atol=0.01)


def test_the_band_holds_the_estimate_and_widens_with_fewer_reports():
    channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(3))
    truth = np.array([1, 2, 3, 4, 4, 3, 2, 1, 1, 1]) / 22
    widths = []
    for n in (500, 20_000):
        rng = np.random.default_rng(1)
        estimate = dn.reconstruct(n * channel.push(truth), channel)
        low, high = estimate.band(draws=60, rng=rng)
        assert (low <= estimate.value + 0.02).all()
        assert (high >= estimate.value - 0.02).all()
        widths.append((high - low).mean())
    assert widths[0] > 2 * widths[1]


@pytest.mark.parametrize(("link", "order"), list(product(("log", "root"), (1, 2, 3))))
def test_penalised_fits_are_maxima_and_their_evidence_is_laplaces(link, order):
    """Against an independent optimiser, and a curvature by differences of the penalised likelihood itself."""
    from scipy.optimize import minimize

    channel = dn.Additive(dn.Integer(0, 5), dn.Uniform(2))
    given, widths = channel.matrix(), np.array([1.0, 2, 1, 1, 1, 1])
    counts = np.random.default_rng(4).multinomial(2_000, channel.push(np.array([1, 3, 5, 4, 2, 1]) / 16)).astype(float)
    held = penalty(6, order, 3.0, 0.1)
    relative = widths / widths.mean()

    def mean(z):
        density = np.exp(z) if link == "log" else (1 + z) ** 2
        return 2_000 / 6 * (relative * density) @ given

    def lost(z):
        return mean(z).sum() - counts @ np.log(mean(z)) + z @ held @ z / 2

    best = minimize(lost, np.zeros(6), method="BFGS", options={"gtol": 1e-6, "maxiter": 5_000})
    fits = fit_all(given, widths, counts, np.eye(6), held[None], link)
    shares = relative * (np.exp(best.x) if link == "log" else (1 + best.x) ** 2)
    np.testing.assert_allclose(fits.shares[0], shares / shares.sum(), atol=2e-3)
    step = 1e-5
    slopes = np.array([(mean(best.x + step * e) - mean(best.x - step * e)) / (2 * step) for e in np.eye(6)])
    curvature = (slopes / mean(best.x)) @ slopes.T
    determinants = np.linalg.slogdet(held)[1] - np.linalg.slogdet(curvature + held)[1]
    # Without what a total of 2,000 adds: its own likelihood, and the level that explains it (of z, at a precision of 0.2).
    level = 0.2 / ((1 if link == "log" else 4) * 2_000 / 6 + 0.2)
    expected = -best.fun + determinants / 2 - 2_000 * np.log(2_000) + 2_000 - np.log(level) / 2
    assert fits.evidence[0] == pytest.approx(expected, abs=0.1)


def test_a_spline_or_a_line_between_knots_reproduces_a_straight_line():
    places = (np.arange(50) + 0.5) / 50
    np.testing.assert_allclose(splines(places, 10) @ np.linspace(-0.1, 1.1, 13), places, atol=1e-12)
    np.testing.assert_allclose(hats(50, 7) @ np.linspace(0, 49, 7), np.arange(50), atol=1e-12)


def test_the_optimism_of_em_steps_is_what_new_reports_take_back():
    """By simulation: the log-likelihood of the reports that were fitted, less that of as many new ones."""
    matrix = dn.Additive(dn.Integer(0, 7), dn.Uniform(2)).matrix()
    expected = np.array([1, 5, 1, 1, 6, 1, 1, 2]) / 18 @ matrix
    rng = np.random.default_rng(9)
    told, measured = [], []
    for _ in range(800):
        counts = rng.multinomial(1_000, expected).astype(float)
        path, likelihood, optimism = steps_with_optimism(matrix, counts, np.ones(8))
        told.append(optimism)
        measured.append(likelihood - 1_000 * np.log(path @ matrix) @ expected)
    error = np.std(np.array(measured) - told, axis=0) / np.sqrt(800)
    assert (np.abs(np.mean(measured, axis=0) - np.mean(told, axis=0)) < 4 * error + 0.02 * np.mean(told, axis=0)).all()
    assert (np.mean(told, axis=0) > 4 * error)[-1]


@pytest.mark.parametrize("order", [1, 3])
def test_pieces_have_more_evidence_than_any_one_strength_where_the_truth_has_an_edge(order):
    channel = dn.Additive(dn.Integer(0, 19), dn.Uniform(2))
    given, widths = channel.matrix(), np.ones(20)
    logs = {1: np.repeat([0.0, 2.0], 10), 3: -((np.arange(20) - 10.0) ** 2) / 20}[order]
    truth = np.where(np.arange(20) < 15, np.exp(logs), np.exp(logs[15] - 2)) if order == 3 else np.exp(logs)
    counts = np.random.default_rng(2).multinomial(20_000, channel.push(truth / truth.sum())).astype(float)
    pieces = fit_pieces(given, widths, counts, np.eye(20), [order], 20, 0, 0.0)
    held = np.array([penalty(20, order, strength, ANCHOR) for strength in np.logspace(-3, 6, 19)])
    single = fit_all(given, widths, counts, np.eye(20), held, "log")
    best = single.evidence.argmax()
    assert pieces.evidence[0] > single.evidence[best]
    assert information_loss(truth, pieces.shares[0]) < information_loss(truth, single.shares[best])


def test_pieces_of_labels_outside_the_order_are_left_alone():
    channel = dn.Optional(dn.Additive(dn.Integer(0, 19), dn.Uniform(2)), 0.75)
    truth = np.append(np.repeat([0.01, 0.05], 10), 0.4)
    counts = np.random.default_rng(2).multinomial(20_000, channel.push(truth)).astype(float)
    fits = fit_pieces(channel.matrix(), np.ones(21), counts, np.eye(21), [1, 3], 20, 1, 0.01)
    np.testing.assert_allclose(fits.shares[:, -1], 0.4, atol=0.02)
    np.testing.assert_allclose(fits.shares[0, [2, 17]], [0.01, 0.05], atol=0.005)
