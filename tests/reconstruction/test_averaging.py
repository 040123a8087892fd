"""How the kinds of shape become one estimate: what is averaged, decided and mixed in, and that each of it helps."""

import sys
from itertools import product

import numpy as np
import pytest

import deniable as dn
from deniable.reconstruction.agrawal_srikant import early_stopped
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.smooth import Cells, _averaged, _early, smooth, smooth_each

pytestmark = pytest.mark.statistical

MODULE = sys.modules[smooth.__module__]


def noisy(size=20, width=2):
    return dn.Additive(dn.Integer(0, size - 1), dn.Uniform(width))


def spikes():
    truth = np.full(20, 0.01)
    truth[[3, 9, 10, 15]] = 0.3, 0.2, 0.15, 0.17
    return truth / truth.sum()


def hills(size=20):
    x = (np.arange(size) + 0.5) / size
    truth = 0.6 * np.exp(-0.5 * ((x - 0.2) / 0.08) ** 2) + 0.4 * np.exp(-0.5 * ((x - 0.7) / 0.1) ** 2)
    return truth / truth.sum()


def reports(channel, truth, n, seed):
    return np.random.default_rng(seed).multinomial(n, channel.push(truth)).astype(float)


def parts(channel, counts):
    """The average of all shapes, before anything of EM is mixed in."""
    cells = Cells(channel.matrix(), np.ones(len(channel.matrix())), range(len(channel.matrix())))
    return _averaged(cells, cells, counts, 0, _early(cells, counts)[0].likelihood)


def losses(channel, truth, n, draws, *methods):
    """What estimates lose, on average, of the answers of those who answered; all methods see the same reports."""
    rng = np.random.default_rng(n)
    found = []
    for _ in range(draws):
        people = rng.multinomial(n, truth)
        counts = rng.multinomial(people, channel.matrix()).sum(axis=0).astype(float)
        found.append([information_loss(people, method(channel.law, counts)) for method in methods])
    return np.mean(found, axis=0)


def as_published(law, counts):
    return early_stopped(law, counts).shares


def test_spikes_or_none_is_decided_and_not_averaged(monkeypatch):
    """With reports that spikes and hills explain alike, the estimate is of the one or of the other, whichever is favoured more."""
    channel = noisy(20, 10)
    counts = reports(channel, spikes(), 500, 12)
    found = []
    for favour in np.linspace(-8, 8, 33):
        monkeypatch.setattr(MODULE, "SPIKES", favour)
        found.append(smooth(channel.law, counts))
    kinds = np.unique(np.array(found).round(6), axis=0)
    assert len(kinds) == 2
    assert information_loss(*kinds) > 0.2


@pytest.mark.parametrize(
    ("truth", "width", "n"), [("hills", 1, 2_000), ("hills", 5, 2_000), ("spikes", 2, 2_000), ("spikes", 5, 5_000)]
)
def test_spikes_are_told_from_hills(truth, width, n):
    """Under narrow noise the early stop explains hills as well as spikes do, and under wide noise hills explain spikes nearly as well."""
    channel, shape = noisy(20, width), {"hills": hills(), "spikes": spikes()}[truth]
    taken = [parts(channel, reports(channel, shape, n, seed)).spiky for seed in range(12)]
    assert taken.count(truth == "spikes") >= 11


@pytest.mark.parametrize("floor", [0.1, 0.3])
def test_a_single_spike_under_narrow_noise_is_found(floor):
    """The early stop explains such reports better than spikes do, since it runs on until it fits chance: that must not forbid them."""
    truth = np.full(20, floor / 20)
    truth[7] += 1 - floor
    default, published = losses(noisy(), truth, 1_000, 5, smooth, as_published)
    assert default < 0.7 * published


def test_two_normal_hills_are_estimated_better_by_normal_hills(monkeypatch):
    channel = noisy(40, 8)
    draws = [reports(channel, hills(40), 20_000, seed) for seed in range(4)]
    found = {}
    for kind in ("with", "without"):
        if kind == "without":
            monkeypatch.setattr(MODULE, "NORMAL_HILLS", (-99.0, -99.0))
        found[kind] = np.mean([information_loss(hills(40), smooth(channel.law, counts)) for counts in draws])
    assert found["with"] < 0.95 * found["without"]


def test_where_there_are_no_spikes_the_estimate_is_drawn_toward_em(monkeypatch):
    channel = noisy(20, 3)
    counts = reports(channel, hills(), 2_000, 7)
    averaged = parts(channel, counts)
    assert not averaged.spiky
    published = as_published(channel.law, counts)
    apart = information_loss(averaged.shares, published)
    assert 0.5 * apart < information_loss(smooth(channel.law, counts), published) < 0.9 * apart
    monkeypatch.setattr(MODULE, "MOST_STOPPED", 0.0)
    monkeypatch.setattr(MODULE, "MOST_STEPS", 0.0)
    np.testing.assert_allclose(smooth(channel.law, counts), averaged.shares, atol=1e-12)


def test_nothing_of_em_is_mixed_in_where_there_are_spikes():
    channel = noisy(20, 5)
    counts = reports(channel, spikes(), 5_000, 8)
    averaged = parts(channel, counts)
    assert averaged.spiky
    np.testing.assert_allclose(smooth(channel.law, counts), averaged.shares, atol=1e-12)


def test_silence_is_not_counted_together_with_the_greatest_numbers():
    """Beyond 250 different reports, neighbours are counted together, but not with those who gave no answer."""
    channel = dn.Optional(dn.Additive(dn.Integer(0, 398), dn.Uniform(1)), 0.75)
    truth = np.append(np.full(399, 0.3 / 399), 0.0)
    truth[398] += 0.7
    estimate = dn.reconstruct(20_000 * channel.push(truth), channel).value
    # Counted together with the greatest numbers it would be 0.0093.
    assert estimate[-1] < 0.0075
    assert estimate[398] == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("n_unordered", [0, 1])
def test_many_rows_of_counts_are_undone_as_one_by_one(n_unordered):
    """Simulated reports are fitted in step: spikes and hills, few reports and many, cells that some of them never show."""
    channel = dn.Optional(noisy(20, 4), 0.8) if n_unordered else noisy(20, 4)
    shapes = [np.append(shape * 0.9, 0.1) if n_unordered else shape for shape in (hills(20), spikes(), np.full(20, 0.05))]
    rows = np.array([reports(channel, shape, n, seed) for seed, (shape, n) in enumerate(product(shapes, (60, 3_000)))])
    together = smooth_each(channel.law, rows, n_unordered=n_unordered)
    one_by_one = np.array([smooth(channel.law, row, n_unordered=n_unordered) for row in rows])
    np.testing.assert_allclose(together, one_by_one, atol=1e-9)


def test_a_band_takes_few_fits_of_many_rows(monkeypatch):
    """One after the other, 200 re-estimates of a noisy attribute took the command line 13 seconds."""
    channel = noisy(20, 4)
    estimate = dn.reconstruct(reports(channel, hills(20), 2_000, 1), channel)
    rows = []
    fitted = MODULE.spikes_of_each
    monkeypatch.setattr(
        MODULE,
        "spikes_of_each",
        lambda given, widths, counts, n_unordered: (rows.append(len(counts)), fitted(given, widths, counts, n_unordered))[1],
    )
    told = []

    class Listener:
        def start(self, what, units):
            told.append(units)

        def advance(self, units):
            told.append(units)

        def finish(self):
            told.append("done")

    low, high = estimate.band(draws=30, rng=np.random.default_rng(2), progress=Listener())
    assert (rows, told) == ([25, 5], [30, 25, 5, "done"])
    # The same reports, drawn and undone one by one.
    rng = np.random.default_rng(2)
    expected = channel.law.push(estimate.value)
    again = [smooth(channel.law, rng.multinomial(2_000, expected / expected.sum()).astype(float)) for _ in range(30)]
    ends = np.quantile(again, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(low, np.minimum(ends[0], estimate.value), atol=1e-9)
    np.testing.assert_allclose(high, np.maximum(ends[1], estimate.value), atol=1e-9)
