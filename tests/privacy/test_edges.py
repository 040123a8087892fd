import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError


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
