"""Few spikes or few hills on a floor: against brute force, integration and differences."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest

import deniable as dn
from deniable.reconstruction.hills import _Beta, _Normal, fit_hills
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.mixtures import Prior, fit_mixtures
from deniable.reconstruction.smooth import smooth
from deniable.reconstruction.spikes import fit_spikes


def noisy(size=20, width=2):
    return dn.Additive(dn.Integer(0, size - 1), dn.Uniform(width))


def plain(rows):
    """Parts whose shape is known."""
    return lambda which, shape: (rows[which], rows[which, :0])


@pytest.mark.statistical
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3])
def test_the_evidence_of_a_mixture_is_the_integral_over_its_shares(share):
    """Also of a part of which there is hardly anything, where a Gaussian in the share itself would be cut off."""
    rows = noisy().matrix()[None, [3, 11, 14]]
    counts = np.random.default_rng(1).multinomial(300, np.array([0.5, 0.5 - share, share]) @ rows[0]).astype(float)
    found = fit_mixtures(counts, plain(rows), np.full((1, 3), 1 / 3), np.zeros((1, 0)))
    grid = (np.arange(400) + 0.5) / 400
    first, second = (axis.ravel() for axis in np.meshgrid(grid, grid))
    shares = np.column_stack([first, (1 - first) * second, (1 - first) * (1 - second)])
    likelihood = np.log(np.maximum(shares @ rows[0], 1e-300)) @ counts
    # The uniform density over shares of three parts is 2, and (1 - first) is the area of a step of the grid.
    integral = np.log(np.mean(2 * (1 - first) * np.exp(likelihood - likelihood.max()))) + likelihood.max()
    assert found.evidence[0] == pytest.approx(integral, abs=0.1)
    weights = np.exp(likelihood - likelihood.max()) * (1 - first)
    np.testing.assert_allclose(found.shares[0], weights / weights.sum() @ shares, atol=0.01)


def test_a_parameter_of_a_shape_is_integrated_out_too():
    """Known parts, and one whose place is a normal parameter: against the sum over a fine grid of places."""
    x = np.arange(20.0)

    def rows_at(place):
        row = np.exp(-(((x - place) / 2) ** 2))
        return row / row.sum()

    def parts(which, shape):
        rows = np.array([[np.full(20, 0.05), rows_at(place)] for (place,) in shape])
        slopes = np.array([[(rows_at(place + 1e-5) - rows_at(place - 1e-5)) / 2e-5] for (place,) in shape])
        return rows, slopes

    counts = np.random.default_rng(2).multinomial(400, 0.4 * 0.05 + 0.6 * rows_at(7.3)).astype(float)
    prior = Prior([1], np.array([10.0]), np.array([1 / 16]), np.array([2.0]))
    starts = np.array([[4.0], [9.0]])
    found = fit_mixtures(counts, parts, np.full((2, 2), 0.5), starts, prior)
    share = (np.arange(500) + 0.5)[:, None] / 500
    places = np.linspace(5, 10, 501)
    rows = np.array([rows_at(place) for place in places])
    likelihood = np.array([np.log((1 - share) * 0.05 + share * row) @ counts for row in rows])
    density = np.exp(-((places - 10) ** 2) / 32) / np.sqrt(32 * np.pi)
    integral = np.log((np.exp(likelihood - likelihood.max()).mean(axis=1) * density).sum() * 0.01) + likelihood.max()
    np.testing.assert_allclose(found.evidence, integral, atol=0.1)
    np.testing.assert_allclose(found.shape[:, 0], 7.3, atol=0.4)


@pytest.mark.parametrize("kind", [_Beta, _Normal])
def test_the_slopes_of_hills_are_their_differences(kind):
    density = kind(noisy(21).matrix(), np.append(np.linspace(1, 2, 20), 1.0), 20, 2)
    shape = np.array([[-0.5, 1.0, 2.0, 3.0]])
    rows, slopes = density.parts(np.arange(1), shape)
    np.testing.assert_allclose(rows.sum(axis=2), 1.0)
    for i, owner in enumerate(density.prior.owner):
        ahead, behind = (density.parts(np.arange(1), shape + sign * 1e-5 * np.eye(4)[i])[0] for sign in (1, -1))
        np.testing.assert_allclose(slopes[0, i], (ahead - behind)[0, owner] / 2e-5, atol=1e-7)


def test_the_search_finds_the_spikes_that_brute_force_finds():
    channel = noisy(12)
    truth = np.full(12, 0.02)
    truth[[2, 6, 7]] += 0.76 * np.array([0.5, 0.3, 0.2])
    counts = np.random.default_rng(3).multinomial(500, channel.push(truth)).astype(float)
    given = channel.matrix()
    sets = np.array(list(combinations(range(12), 3)))
    rows = np.concatenate([np.broadcast_to(given.mean(axis=0), (len(sets), 1, given.shape[1])), given[sets]], axis=1)
    all_sets = fit_mixtures(counts, plain(rows), np.full((len(sets), 4), 0.25), np.zeros((len(sets), 0)))
    places = np.log(6 / 12**3)
    total = np.log(np.exp(all_sets.evidence - all_sets.evidence.max()).sum()) + all_sets.evidence.max() + places
    found = fit_spikes(given, np.ones(12), counts, 0)
    # The search leaves out sets, but only such as hardly count.
    assert total - 0.3 < found.evidence[2] < total + 0.02
    best = all_sets.shares[all_sets.evidence.argmax()]
    shares = np.full(12, best[0] / 12)
    shares[sets[all_sets.evidence.argmax()]] += best[1:]
    assert information_loss(shares, found.shares[2]) < 0.2


def test_hills_are_the_densities_they_are_named_after():
    from scipy.stats import beta, norm

    places = (np.arange(400) + 0.5) / 400
    shape = np.array([[np.log(0.3 / 0.7), np.log(20.0)]])
    for kind, density in ((_Beta, beta(6, 14)), (_Normal, norm(0.3, 0.5 / np.sqrt(21)))):
        cells = kind(np.eye(400), np.ones(400), 400, 1).cells(shape)[0][0, 1]
        np.testing.assert_allclose(cells, density.pdf(places) / density.pdf(places).sum(), rtol=1e-9)


def test_two_normal_hills_come_back_as_such():
    """Where hills stand near an end, beta distributions are skewed and normal ones are not."""
    channel = noisy(40, 4)
    x = (np.arange(40) + 0.5) / 40
    truth = 0.6 * np.exp(-0.5 * ((x - 0.2) / 0.08) ** 2) + 0.4 * np.exp(-0.5 * ((x - 0.7) / 0.1) ** 2)
    truth /= truth.sum()
    counts = np.random.default_rng(5).multinomial(20_000, channel.push(truth)).astype(float)
    betas, normals = (fit_hills(channel.matrix(), np.ones(40), counts, 0, normal=normal) for normal in (False, True))
    assert len(betas.evidence) == 3
    assert len(normals.evidence) == 2
    assert normals.evidence[0] > betas.evidence[1] + 3
    assert information_loss(truth, normals.shares[0]) < 0.6 * information_loss(truth, betas.shares[1])


@pytest.mark.parametrize("fit", [fit_spikes, fit_hills, partial(fit_hills, normal=True)])
def test_parts_leave_labels_outside_the_order_alone(fit):
    channel = dn.Optional(noisy(), 0.75)
    truth = np.append(np.full(20, 0.01), 0.4)
    truth[8] += 0.4
    counts = np.random.default_rng(2).multinomial(20_000, channel.push(truth)).astype(float)
    fits = fit(channel.matrix(), np.ones(21), counts, 1)
    np.testing.assert_allclose(fits.shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(fits.shares[fits.evidence.argmax(), [8, 20]], [0.41, 0.4], atol=0.03)


def test_evidence_tells_spikes_from_hills():
    channel = noisy(20, 5)
    x = (np.arange(20) + 0.5) / 20
    hills = np.exp(-0.5 * ((x - 0.25) / 0.08) ** 2) + np.exp(-0.5 * ((x - 0.7) / 0.1) ** 2)
    spikes = np.full(20, 0.01)
    spikes[[3, 9, 10, 15]] = 0.3, 0.2, 0.15, 0.17
    for truth, sign in ((hills / hills.sum(), 1), (spikes / spikes.sum(), -1)):
        counts = np.random.default_rng(4).multinomial(5_000, channel.push(truth)).astype(float)
        given = channel.matrix()
        gain = (
            fit_hills(given, np.ones(20), counts, 0).evidence.max() - fit_spikes(given, np.ones(20), counts, 0).evidence.max()
        )
        assert sign * gain > 5


@pytest.mark.statistical
def test_spikes_come_back_sharp_behind_noise_as_wide_as_the_range():
    """From 2,000 answers, on average over 6 draws: converged EM loses over 0.2, EM stopped over 0.5."""
    channel = noisy(20, 10)
    truth = np.full(20, 0.01)
    truth[[3, 9, 10, 15]] = 0.3, 0.2, 0.15, 0.17
    truth /= truth.sum()
    rng = np.random.default_rng(6)
    lost = []
    for _ in range(6):
        people = rng.multinomial(2_000, truth)
        counts = rng.multinomial(people, channel.matrix()).sum(axis=0).astype(float)
        lost.append(information_loss(people, smooth(channel.law, counts)))
    assert np.mean(lost) < 0.2
