import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import joint, shares

YES_NO = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
THREE = dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6)


@pytest.mark.parametrize(
    ("channel", "prior", "expected"),
    [
        (THREE, None, [1 / 3, 1 / 3, 1 / 3]),
        (YES_NO, 0.1, [0.9, 0.1]),
        (YES_NO, {"yes": 1, "no": 3}, [0.75, 0.25]),
        (THREE, [10, 30, 60], [0.1, 0.3, 0.6]),
        (THREE, {"b": 0.25, "c": 0.75}, [0, 0.25, 0.75]),
        (THREE, np.array([0.2, 0.3, 0.5]), [0.2, 0.3, 0.5]),
        (dn.Flip(0.9, 0.6), {0: 0.2, 1: 0.8}, [0.2, 0.8]),
    ],
)
def test_a_prior_may_be_given_in_any_natural_way(channel, prior, expected):
    assert shares(channel, prior) == pytest.approx(np.array(expected))


def test_an_estimate_is_a_prior():
    channel = dn.Flip(p=0.4, q=0.96)
    assert shares(channel, dn.reconstruct([1884, 116], channel)) == pytest.approx([0.95, 0.05], abs=1e-6)


@pytest.mark.parametrize(
    ("channel", "prior", "says"),
    [
        (YES_NO, {"maybe": 1.0}, "maybe"),
        (YES_NO, {"yes": 0.1}, "leaves out \\['no'\\]"),
        (YES_NO, {"yes": "much", "no": 0.1}, "must be a number"),
        (YES_NO, 1.2, "non-negative"),
        (YES_NO, True, "share of"),
        (THREE, 0.1, "list of 3 shares"),
        (THREE, [0.5, 0.5], "list of 3 shares"),
        (THREE, [0.5, 0.6, -0.1], "non-negative"),
        (THREE, [0, 0, 0], "not all 0"),
        (THREE, [float("nan"), 1, 1], "finite"),
        (THREE, "abc", "list of 3 shares"),
    ],
)
def test_what_is_no_prior_is_refused_with_what_is_allowed(channel, prior, says):
    with pytest.raises(ParameterError, match=says):
        shares(channel, prior)


@pytest.mark.statistical
def test_the_joint_distribution_sums_to_one_for_every_design(small_channel):
    rng = np.random.default_rng(1)
    together = joint(small_channel, rng.random(small_channel.law.inputs))
    assert together.sum() == pytest.approx(1)
    assert (together >= 0).all()
