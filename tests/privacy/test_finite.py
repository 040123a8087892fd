import math

import numpy as np
import pytest

import deniable as dn
from deniable.errors import DeniableError, ParameterError, WideDomainError


def test_every_infinite_channel_has_a_finite_one_near_it(small_channel):
    finite = dn.privacy.nearest_finite(small_channel)
    assert math.isfinite(finite.epsilon)
    assert finite.domain == small_channel.domain
    if math.isfinite(small_channel.epsilon):
        assert finite is small_channel
    elif not isinstance(small_channel, (dn.Additive, dn.Optional)):
        moved = np.abs(finite.matrix() - small_channel.matrix()).sum(axis=1) / 2
        assert (moved <= 0.05 + 1e-12).all()
        assert (finite.matrix() > 0).all()


def test_bounded_noise_becomes_laplace_noise_of_the_same_spread():
    finite = dn.privacy.nearest_finite(dn.Additive(dn.Integer(18, 90), dn.Uniform(10)))
    spread = math.sqrt(np.var(np.arange(-10, 11)))
    assert float(finite.noise.b) * math.sqrt(2) == pytest.approx(spread, rel=0.005)
    assert finite.outputs == finite.inputs


def test_a_larger_share_hides_more():
    open_question = dn.Identity(dn.Nominal(["no", "yes"]))
    little, much = (dn.privacy.nearest_finite(open_question, share).epsilon for share in (0.05, 0.5))
    assert little == pytest.approx(math.log(0.975 / 0.025))
    assert much == pytest.approx(math.log(3))


def test_what_cannot_be_helped_is_refused():
    with pytest.raises(ParameterError, match="step"):
        dn.privacy.nearest_finite(dn.Additive(dn.Continuous(0, 1), dn.Uniform(1)))
    with pytest.raises(ParameterError, match="above 0"):
        dn.privacy.nearest_finite(dn.Flip(1, 0.5), 0)
    wide = dn.Retention(dn.Integer(0, 5000), 0.5, {0: 1.0})
    with pytest.raises(WideDomainError, match="too wide"):
        dn.privacy.nearest_finite(wide)
    assert issubclass(WideDomainError, DeniableError)
