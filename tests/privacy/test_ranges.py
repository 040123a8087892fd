import pytest

import deniable as dn
from deniable.errors import ParameterError


def test_the_thesis_example_a_range_of_10_at_100_percent_is_noise_from_minus_5_to_5():
    noise = dn.privacy.noise_for_range_privacy(dn.Uniform, 1.0, dn.Continuous(0, 10))
    assert noise.half_width == 5
    assert dn.privacy.entropy_privacy(noise) == 10
    assert dn.privacy.range_privacy(noise, dn.Continuous(0, 10)) == 1


@pytest.mark.parametrize("level", [0.25, 0.5, 1, 2])
@pytest.mark.parametrize("kind", [dn.Uniform, dn.Normal, dn.Laplace])
def test_noise_has_the_range_privacy_it_was_made_for(kind, level):
    domain = dn.Continuous(-20, 60)
    noise = dn.privacy.noise_for_range_privacy(kind, level, domain)
    assert dn.privacy.range_privacy(noise, domain) == pytest.approx(level, rel=1e-9)
    assert dn.privacy.range_privacy(noise, 80) == pytest.approx(level, rel=1e-9)
    assert dn.privacy.range_privacy(dn.Additive(domain, noise)) == pytest.approx(level, rel=1e-9)


def test_on_a_grid_uniform_noise_is_widened_to_a_whole_step_never_narrowed():
    domain = dn.Integer(0, 100, step=5)
    noise = dn.privacy.noise_for_range_privacy(dn.Uniform, 0.33, domain)
    assert noise.half_width == 20  # 16.5 is no whole number of steps
    assert dn.privacy.range_privacy(dn.Additive(domain, noise)) >= 0.33


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((dn.Staircase, 1.0, 10), "dn.Uniform, dn.Normal or dn.Laplace"),
        ((dn.Uniform, 0, 10), "positive"),
        ((dn.Uniform, 1.0, dn.Nominal(["a", "b"])), "domain of numbers"),
    ],
)
def test_bad_input_is_refused(arguments, says):
    with pytest.raises(ParameterError, match=says):
        dn.privacy.noise_for_range_privacy(*arguments)
    with pytest.raises(ParameterError, match="length of its range"):
        dn.privacy.range_privacy(dn.Uniform(5))
