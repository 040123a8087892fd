import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError


@pytest.mark.statistical
@pytest.mark.parametrize("edges", ["extend", "clamp"])
@pytest.mark.parametrize("noise", [dn.Uniform(10), dn.Staircase([1, 2, 3, 2, 1])])
def test_edge_leak_is_the_share_of_reports_whose_possible_truths_all_lie_near_one_end(edges, noise):
    channel = dn.Additive(dn.Integer(18, 90), noise, edges=edges)
    reach = noise.margin(channel.domain.step)
    rng = np.random.default_rng(5)
    prior = rng.random(73)
    truth = rng.choice(73, size=200_000, p=prior / prior.sum())
    reported = channel.domain.numbers()[0] + truth
    reports = channel.randomise(reported.astype(int), rng)
    possible = channel.matrix() > 0
    ages = np.arange(18, 91)
    reveals = {
        z: bool((ages[possible[:, i]] <= 18 + reach).all() or (ages[possible[:, i]] >= 90 - reach).all())
        for i, z in enumerate(channel.outputs)
        if possible[:, i].any()
    }
    simulated = np.mean([reveals[z] for z in reports.tolist()])
    assert dn.privacy.edge_leak(channel, prior) == pytest.approx(simulated, abs=0.005)


def test_noise_that_reaches_everywhere_and_other_channels_leak_no_edge():
    assert dn.privacy.edge_leak(dn.Additive(dn.Integer(0, 9), dn.Laplace(3))) == 0
    assert dn.privacy.edge_leak(dn.KRR(dn.Binary(), 0.7)) == 0
    with pytest.raises(ParameterError, match="step"):
        dn.privacy.edge_leak(dn.Additive(dn.Continuous(0, 9), dn.Uniform(3)))


def test_noise_that_reaches_beyond_the_whole_range_and_is_stopped_at_the_ends_proves_nothing():
    channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(15), edges="clamp")
    assert (channel.matrix() > 0).all()
    assert dn.privacy.edge_leak(channel) == 0


def test_the_printed_probability_of_a_revealing_report_is_that_of_a_simulation():
    """Check 7, on the thesis' example: ages 18 to 65, noise of up to 18 years; a report of 0 means 18."""
    channel, rng = dn.Additive(dn.Integer(18, 65), dn.Uniform(18)), np.random.default_rng(1)
    ages = rng.integers(18, 66, 200_000)
    reports = np.asarray(channel.randomise(ages, rng))
    assert set(ages[reports == 0]) <= {18}
    told = float(np.mean((reports <= 18) | (reports >= 65)))
    assert dn.privacy.edge_leak(channel) == pytest.approx(told, abs=0.005)
    assert np.isinf(channel.epsilon)
    (block,) = dn.Schema({"age": channel}).blocks
    said = " ".join(dn.privacy.warnings_of(block))
    assert f"{dn.privacy.edge_leak(channel):.1%}" in said


def test_a_prior_may_be_a_mapping():
    channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(2))
    assert dn.privacy.edge_leak(channel, {0: 1.0}) == pytest.approx(3 / 5)  # -2, -1 and 0 of -2..2
    assert dn.privacy.edge_leak(channel, {5: 1.0}) == 0
