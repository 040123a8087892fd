"""Do 95% intervals hold the truth 95% of the time? Simulated for both targets; the full run is `make simulate`."""

import math

import numpy as np
import pytest

import deniable as dn

LABELS = (2, 5, 20)
EPSILONS = (0.5, 1.0, 3.0)
SIZES = (200, 2_000, 20_000)
TARGETS = ("population", "respondents")


def truth_of(k):
    """A rare label (2%), and the rest falling: every label's coverage is looked at."""
    rest = np.linspace(2, 1, k - 1)
    return np.concatenate([[0.02], 0.98 * rest / rest.sum()])


def coverage(channel, truth, n, target, runs, rng, method="em"):
    """Share of simulated surveys whose interval holds the truth, a number a label, and the mean error in standard errors."""
    P = channel.matrix()
    fixed = np.floor(n * truth).astype(int)
    fixed[-1] += n - fixed.sum()
    aim = fixed / n if target == "respondents" else truth
    held = np.zeros(len(truth))
    errors = np.zeros((runs, len(truth)))
    for run in range(runs):
        people = fixed if target == "respondents" else rng.multinomial(n, truth)
        reports = rng.multinomial(people, P).sum(axis=0)
        estimate = dn.reconstruct(reports, channel, method, target)
        low, high = estimate.interval()
        held += (low <= aim) & (aim <= high)
        errors[run] = estimate.value - aim
    return held / runs, errors.mean(axis=0) / (errors.std(axis=0) / math.sqrt(runs))


def check(cells, runs):
    """The pass marks of each sample size, widened by the noise of a shorter simulation."""
    noise = 4 * math.sqrt(0.95 * 0.05 / runs) if runs < 10_000 else 0.0
    for (k, epsilon, n, target), shares in cells.items():
        low, high = (0.925, 0.975) if n == 200 else (0.939, 0.960)
        where = f"k={k} epsilon={epsilon} n={n} {target}: {shares.min():.4f} to {shares.max():.4f}"
        assert shares.min() >= low - noise, where
        assert shares.max() <= high + noise, where
    small = np.mean([shares.mean() for (_, _, n, _), shares in cells.items() if n == 200])
    assert 0.943 - noise / 3 <= small <= 0.959 + noise / 3


def simulate(runs, sizes, labels):
    rng = np.random.default_rng(20_261_115)
    cells = {}
    for k in labels:
        for epsilon in EPSILONS:
            channel = dn.KRR.from_epsilon(dn.Nominal([f"v{i}" for i in range(k)]), epsilon)
            for n in sizes:
                for target in TARGETS:
                    held, bias = coverage(channel, truth_of(k), n, target, runs, rng, "eq")
                    print(f"k={k} epsilon={epsilon} n={n} {target}: largest bias {np.abs(bias).max():.2f} Monte Carlo errors")
                    assert np.abs(bias).max() < 4, f"k={k} epsilon={epsilon} n={n} {target}: eq is biased by {bias}"
                    cells[k, epsilon, n, target] = held
    return cells


def test_intervals_cover_at_every_size_and_for_a_rare_label():
    check(simulate(400, SIZES, (2, 5)), 400)


@pytest.mark.slow
def test_intervals_cover_in_ten_thousand_simulations():
    cells = simulate(10_000, SIZES, LABELS)
    for key, shares in cells.items():
        print(key, f"{shares.min():.4f} to {shares.max():.4f}, mean {shares.mean():.4f}")
    check(cells, 10_000)


@pytest.mark.parametrize(
    "channel",
    [
        dn.Neighbours(dn.Ordinal(["a", "b", "c", "d"]), [0.6, 0.2]),
        dn.Retention(dn.Nominal(["a", "b", "c", "d"]), 0.4, [0.1, 0.2, 0.3, 0.4]),
        dn.Matrix(dn.Nominal(["a", "b"]), [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"]),
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_intervals_cover_for_other_channels_too(channel, target):
    rng = np.random.default_rng(7)
    held, _ = coverage(channel, truth_of(channel.domain.size), 2_000, target, 1_000, rng, "eq")
    assert held.min() > 0.925
    assert held.max() < 0.975


def test_using_one_target_for_the_other_is_wrong():
    """The reason targets exist: intervals for the population are far too wide for the respondents when little is hidden."""
    rng = np.random.default_rng(8)
    channel = dn.KRR(dn.Nominal(["a", "b"]), 0.95)
    runs = 600
    held = dict.fromkeys(TARGETS, 0)
    widths = dict.fromkeys(TARGETS, 0.0)
    for _ in range(runs):
        reports = rng.multinomial([1_000, 1_000], channel.matrix()).sum(axis=0)
        for target in TARGETS:
            low, high = dn.reconstruct(reports, channel, "eq", target).interval()
            held[target] += low[0] <= 0.5 <= high[0]
            widths[target] += high[0] - low[0]
    assert held["population"] / runs > 0.99
    assert held["respondents"] / runs == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / runs))
    # Of half yes and half no, a report has a variance of 1/4, and given the truth one of p (1 - p).
    assert widths["population"] / widths["respondents"] == pytest.approx(math.sqrt(0.25 / (0.95 * 0.05)), rel=0.01)
