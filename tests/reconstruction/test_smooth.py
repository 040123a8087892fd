import numpy as np
import pytest

import deniable as dn
from deniable.reconstruction.em import em
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.smooth import smooth


@pytest.fixture(scope="module")
def bimodal():
    x = (np.arange(20) + 0.5) / 20
    shares = np.exp(-0.5 * ((x - 0.25) / 0.08) ** 2) + 0.7 * np.exp(-0.5 * ((x - 0.72) / 0.1) ** 2) + 0.01
    return shares / shares.sum()


@pytest.mark.parametrize("noise", [dn.Uniform(0.5), dn.Normal(0.1)])
def test_smoothing_loses_less_than_the_plain_maximum(noise, bimodal):
    channel = dn.Additive(dn.Continuous(0, 1), noise)
    rng = np.random.default_rng(5)
    losses = []
    for _ in range(5):
        truth = (rng.choice(20, 2_000, p=bimodal) + rng.random(2_000)) / 20
        table = dn.counts(channel.randomise(truth, rng), channel, bins=20)
        original = np.histogram(truth, 20, (0, 1))[0]
        losses.append([information_loss(original, dn.reconstruct(table, channel, regularise=flag)) for flag in (None, False)])
    regularised, plain = np.mean(losses, axis=0)
    assert regularised < 0.6 * plain


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


def test_an_unbiased_estimate_has_no_band():
    with pytest.raises(dn.DeniableError, match="no band"):
        dn.reconstruct([5, 5], dn.KRR(dn.Binary(), 0.75)).band()
