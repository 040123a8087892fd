"""How the kinds of shape become one estimate: what is averaged, decided and mixed in."""

import sys
from itertools import product

import numpy as np
import pytest

import deniable as dn
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.smooth import Cells, _averaged, _early, smooth, smooth_each

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
    """The average of all shapes, and what EM has to say."""
    cells = Cells(channel.matrix(), np.ones(len(channel.matrix())), range(len(channel.matrix())))
    early = _early(cells, counts)
    return _averaged(cells, cells, counts, 0, early[0].likelihood), early


def first_spiky(monkeypatch, channel, counts):
    """How much spikes have to be favoured to be taken."""
    for favour in np.linspace(-12, 12, 97):
        monkeypatch.setattr(MODULE, "SPIKES", favour)
        if parts(channel, counts)[0].spiky:
            return favour
    raise AssertionError("never")


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


@pytest.mark.parametrize(("width", "price"), [(1, 2.0), (10, 0.0)])
def test_spikes_pay_where_the_early_stop_explains_the_reports_as_well(monkeypatch, width, price):
    """Under narrow noise it does, and spikes pay all there is to pay; under wide noise it is far behind."""
    channel = noisy(20, width)
    counts = reports(channel, spikes(), 2_000, 3)
    found = []
    for gain in (0.0, 2.0):
        monkeypatch.setattr(MODULE, "SPIKES_GAIN", gain)
        found.append(first_spiky(monkeypatch, channel, counts))
    assert found[1] - found[0] == pytest.approx(price, abs=0.26)


@pytest.mark.parametrize(("floor", "most"), [(0.1, 0.022), (0.3, 0.035)])
def test_a_single_spike_under_narrow_noise_is_found(floor, most):
    """The early stop explains such reports better than spikes do, since it runs on until it fits chance: that must not forbid them."""
    channel = noisy()
    truth = np.full(20, floor / 20)
    truth[7] += 1 - floor
    rng = np.random.default_rng(1)
    lost = []
    for _ in range(5):
        people = rng.multinomial(1_000, truth)
        counts = rng.multinomial(people, channel.matrix()).sum(axis=0).astype(float)
        lost.append(information_loss(people, smooth(channel.law, counts)))
    assert np.mean(lost) < most


def test_two_normal_hills_are_estimated_better_by_normal_hills(monkeypatch):
    channel = noisy(40, 8)
    draws = [reports(channel, hills(40), 20_000, seed) for seed in range(4)]
    found = {}
    for kind in ("with", "without"):
        if kind == "without":
            monkeypatch.setattr(MODULE, "NORMAL_HILLS", (-99.0, -99.0))
        found[kind] = np.mean([information_loss(hills(40), smooth(channel.law, counts)) for counts in draws])
    assert found["with"] < 0.95 * found["without"]


def test_some_of_em_is_mixed_in_where_there_are_no_spikes(monkeypatch):
    channel = noisy(20, 3)
    counts = reports(channel, hills(), 2_000, 7)
    averaged, early = parts(channel, counts)
    assert not averaged.spiky
    mixed = smooth(channel.law, counts)
    # 28% and 10% of the way, less where EM explains the reports less well.
    toward = 0.28 * (early[0].shares - averaged.shares) + 0.1 * (early[1].shares - averaged.shares)
    share = (mixed - averaged.shares) @ toward / (toward @ toward)
    assert 0.6 < share <= 1.001
    monkeypatch.setattr(MODULE, "MOST_STOPPED", 0.0)
    monkeypatch.setattr(MODULE, "MOST_STEPS", 0.0)
    np.testing.assert_allclose(smooth(channel.law, counts), averaged.shares, atol=1e-12)


def test_nothing_of_em_is_mixed_in_where_there_are_spikes():
    channel = noisy(20, 5)
    counts = reports(channel, spikes(), 5_000, 8)
    averaged, _ = parts(channel, counts)
    assert averaged.spiky
    np.testing.assert_allclose(smooth(channel.law, counts), averaged.shares, atol=1e-12)


def test_fewer_averaged_steps_are_mixed_in_where_flat(monkeypatch):
    channel = noisy(20, 5)
    counts = reports(channel, np.full(20, 0.05), 5_000, 9)
    averaged, _ = parts(channel, counts)
    assert averaged.flat > 0.9
    monkeypatch.setattr(MODULE, "MOST_STOPPED", 0.0)
    away = []
    for fewer in (0.9, 0.0):
        monkeypatch.setattr(MODULE, "FLAT_FEWER", fewer)
        away.append(information_loss(averaged.shares, smooth(channel.law, counts)))
    assert away[0] == pytest.approx((1 - 0.9 * averaged.flat) * away[1], rel=0.01)


def test_silence_is_not_counted_together_with_the_greatest_numbers():
    """Beyond 250 different reports, neighbours are counted together, but not with those who gave no answer."""
    channel = dn.Optional(dn.Additive(dn.Integer(0, 398), dn.Uniform(1)), 0.75)
    truth = np.append(np.full(399, 0.3 / 399), 0.0)
    truth[398] += 0.7
    estimate = dn.reconstruct(20_000 * channel.push(truth), channel).value
    # Counted together with the greatest numbers it would be 0.0093.
    assert estimate[-1] < 0.0075
    assert estimate[398] == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("apart", [0, 1])
def test_many_rows_of_counts_are_undone_as_one_by_one(apart):
    """Simulated reports are fitted in step: spikes and hills, few reports and many, cells that some of them never show."""
    channel = dn.Optional(noisy(20, 4), 0.8) if apart else noisy(20, 4)
    shapes = [np.append(shape * 0.9, 0.1) if apart else shape for shape in (hills(20), spikes(), np.full(20, 0.05))]
    rows = np.array([reports(channel, shape, n, seed) for seed, (shape, n) in enumerate(product(shapes, (60, 3_000)))])
    together = smooth_each(channel.law, rows, apart=apart)
    one_by_one = np.array([smooth(channel.law, row, apart=apart) for row in rows])
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
        lambda given, widths, counts, apart: (rows.append(len(counts)), fitted(given, widths, counts, apart))[1],
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
