import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError


@pytest.mark.parametrize(("q", "published"), [(0.97, 63.8), (0.87, 81.0), (0.77, 86.1)])
def test_published_basic_privacy_comes_out_at_an_average_support_of_0107(q, published):
    """Thesis 4.6.2: p = 0.5."""
    assert 100 * dn.privacy.basic_privacy(dn.Flip(0.5, q), 0.107) == pytest.approx(published, abs=0.05)


@pytest.mark.parametrize(("p", "q", "s"), [(0.5, 0.97, 0.107), (0.3, 0.8, 0.5), (0.9, 0.95, 0.01), (0.2, 0.1, 0.7)])
def test_it_is_the_printed_formula(p, q, s):
    printed = 1 - p**2 * s / (s * p + (1 - s) * (1 - q)) - (1 - p) ** 2 * s / (s * (1 - p) + (1 - s) * q)
    assert dn.privacy.basic_privacy(dn.Flip(p, q), s) == pytest.approx(printed, abs=1e-12)


def test_it_is_how_often_a_guess_from_the_posterior_misses_a_true_yes():
    channel, rng = dn.Flip(0.6, 0.9), np.random.default_rng(1)
    s = 0.2
    truth = (rng.random(200_000) < s).astype(int)
    reports = channel.randomise(truth, rng)
    chance_of_yes = {z: np.mean(truth[reports == z]) for z in (0, 1)}  # by counting, not by the channel
    guesses = rng.random(len(truth)) < np.vectorize(chance_of_yes.get)(reports)
    assert dn.privacy.basic_privacy(channel, s) == pytest.approx(1 - guesses[truth == 1].mean(), abs=0.01)


def test_nothing_hidden_leaves_no_privacy_and_everything_hidden_leaves_that_of_the_prior():
    assert dn.privacy.basic_privacy(dn.Flip(1, 1), 0.3) == pytest.approx(0)
    assert dn.privacy.basic_privacy(dn.Flip(0.5, 0.5), 0.3) == pytest.approx(0.7)
    assert dn.privacy.basic_privacy(dn.Flip(0.5, 0.5), 0.0) == 1


def test_another_label_may_be_named_and_an_unknown_one_is_refused():
    channel = dn.Flip(0.6, 0.9)
    assert dn.privacy.basic_privacy(channel, 0.2, label=1) == dn.privacy.basic_privacy(channel, 0.2)
    assert dn.privacy.basic_privacy(channel, 0.2, label=0) != dn.privacy.basic_privacy(channel, 0.2)
    with pytest.raises(ParameterError, match="maybe"):
        dn.privacy.basic_privacy(channel, 0.2, label="maybe")
