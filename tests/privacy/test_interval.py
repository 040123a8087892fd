import numpy as np
import pytest
from scipy import stats

import deniable as dn
from deniable.errors import ParameterError

CONFIDENCES = (0.5, 0.95, 0.999)


@pytest.mark.parametrize(
    ("source", "published"),
    [
        (10.0, (5.0, 9.5, 9.99)),  # discretisation, W = 10
        (dn.Uniform(5), (5.0, 9.5, 9.99)),  # 2 alpha = 10
        (dn.Normal(1), (1.35, 3.92, 6.58)),  # the table prints 1.34 for 1.349
    ],
)
def test_table_3_3_of_the_thesis(source, published):
    found = [dn.privacy.interval_privacy(source, c) for c in CONFIDENCES]
    assert found == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize(
    ("noise", "law"),
    [
        (dn.Uniform(7), stats.uniform(-7, 14)),
        (dn.Normal(3), stats.norm(0, 3)),
        (dn.Laplace(2), stats.laplace(0, 2)),
    ],
)
def test_it_is_the_central_interval_of_scipys_distributions(noise, law, confidence):
    low, high = law.interval(confidence)
    assert dn.privacy.interval_privacy(noise, confidence) == pytest.approx(high - low, rel=1e-9)


def test_an_interval_of_this_length_around_a_report_holds_the_truth_as_often_as_it_says():
    channel, rng = dn.Additive(dn.Continuous(0, 1000), dn.Laplace(20)), np.random.default_rng(1)
    truth = rng.uniform(0, 1000, 100_000)
    off = np.abs(channel.randomise(truth, rng) - truth)
    half = dn.privacy.interval_privacy(channel, 0.9) / 2
    assert np.mean(off <= half) == pytest.approx(0.9, abs=0.005)


@pytest.mark.parametrize("bad", [0, 1, -0.5, "much"])
def test_a_confidence_that_is_none_is_refused(bad):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        dn.privacy.interval_privacy(dn.Normal(1), bad)


def test_what_has_no_noise_is_refused():
    with pytest.raises(ParameterError, match="takes noise"):
        dn.privacy.interval_privacy(dn.KRR(dn.Binary(), 0.7))
