import math

import numpy as np
import pytest
from scipy import stats

import deniable as dn
from deniable.errors import ParameterError


@pytest.mark.parametrize(
    ("noise", "law"),
    [
        (dn.Uniform(7), stats.uniform(-7, 14)),
        (dn.Normal(3), stats.norm(0, 3)),
        (dn.Laplace(2), stats.laplace(0, 2)),
    ],
)
def test_entropy_privacy_of_noise_is_two_to_scipys_entropy(noise, law):
    assert dn.privacy.entropy_privacy(noise) == pytest.approx(2 ** (law.entropy() / math.log(2)), rel=1e-9)


def test_a_uniform_attribute_has_the_privacy_of_its_length():
    assert dn.privacy.entropy_privacy(dn.Uniform(5)) == 10
    assert dn.privacy.entropy_privacy(dn.Continuous(0, 10, step=0.1)) == pytest.approx(10.1)  # 101 cells of 0.1
    assert dn.privacy.entropy_privacy(dn.Nominal(list("abcd"))) == pytest.approx(4)


def test_a_staircase_counts_its_steps():
    assert dn.privacy.entropy_privacy(dn.Staircase([1, 1, 1, 1, 1])) == pytest.approx(5)
    stepped = dn.Additive(dn.Integer(0, 100, step=10), dn.Staircase([1, 2, 1]))
    assert dn.privacy.entropy_privacy(stepped) == pytest.approx(10 * 2**1.5)


@pytest.mark.statistical
def test_conditional_entropy_is_the_mean_entropy_of_the_posteriors(small_channel):
    rng = np.random.default_rng(2)
    prior = rng.dirichlet(np.ones(small_channel.law.inputs))
    reported = small_channel.push(prior)
    left = 0.0
    for z, chance in enumerate(reported):
        if chance > 0:
            column = prior * small_channel.law.column(z)
            column = column / column.sum()
            left += chance * -sum(p * math.log2(p) for p in column if p > 0)
    step = float(getattr(small_channel.domain, "step", 1))
    assert dn.privacy.conditional_entropy_privacy(small_channel, prior) == pytest.approx(step * 2**left, rel=1e-9)


def test_a_report_never_adds_to_the_privacy(small_channel):
    before = dn.privacy.entropy_privacy(small_channel.domain) if hasattr(small_channel.domain, "step") else None
    after = dn.privacy.conditional_entropy_privacy(small_channel)
    if before is not None:
        assert after <= before * (1 + 1e-12)
        assert dn.privacy.privacy_loss(small_channel) == pytest.approx(1 - after / before)
    assert 0 <= dn.privacy.privacy_loss(small_channel) < 1


def test_a_channel_in_floating_point_is_measured_through_bins():
    """Uniform truths under uniform noise of the same width: h(A | Z) by integrating the lengths of the possible intervals."""
    channel = dn.Additive(dn.Continuous(0, 1), dn.Uniform(0.5))
    binned = channel.binned(200)
    z = np.linspace(-0.5, 1.5, 200_001)
    possible = np.minimum(1, z + 0.5) - np.maximum(0, z - 0.5)
    inside = possible > 0
    exact = 2 ** (np.sum(possible[inside] * np.log2(possible[inside])) / np.sum(possible[inside]))
    assert dn.privacy.conditional_entropy_privacy(binned) == pytest.approx(exact, rel=0.02)


def test_a_domain_without_a_step_is_refused():
    with pytest.raises(ParameterError, match="step"):
        dn.privacy.entropy_privacy(dn.Continuous(0, 1))
