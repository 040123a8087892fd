import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import deniable as dn
from deniable.core.simplex import clip, project
from deniable.errors import ParameterError
from deniable.reconstruction.loss import information_loss

vectors = st.lists(st.floats(-1, 2), min_size=2, max_size=6).map(np.array)


@settings(max_examples=40, deadline=None)
@given(vectors)
def test_projection_is_the_nearest_point_of_the_simplex(v):
    found = project(v)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    others = rng.dirichlet(np.full(len(v), 0.3), size=500)
    assert ((others - v) ** 2).sum(axis=1).min() >= ((found - v) ** 2).sum() - 1e-9


def test_projection_agrees_with_a_general_optimiser():
    v = np.array([0.7, 0.5, -0.1, 0.2])
    slow = minimize(
        lambda x: ((x - v) ** 2).sum(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(project(v), slow.x, atol=1e-5)


def test_negative_estimates_are_raw_clipped_or_projected():
    channel = dn.KRR(dn.Nominal(["a", "b", "c"]), 0.5)
    counts = [60, 30, 10]
    raw = dn.reconstruct(counts, channel, "eq").value
    assert raw.min() < 0
    np.testing.assert_allclose(dn.reconstruct(counts, channel, "eq", negative="clip").value, clip(raw))
    projected = dn.reconstruct(counts, channel, "eq", negative="project")
    np.testing.assert_allclose(projected.value, project(raw))
    assert projected.method == "eq, project"
    with pytest.raises(ParameterError, match="raw"):
        dn.reconstruct(counts, channel, "eq", negative="ignore")


@pytest.mark.statistical
def test_clipping_is_biased_and_raw_is_not():
    """A label nobody has: the raw estimate is 0 on average, the clipped one is not."""
    rng = np.random.default_rng(2)
    channel = dn.KRR(dn.Nominal(["a", "b", "c"]), 0.5)
    reports = rng.multinomial(300, channel.push([0.5, 0.5, 0.0]), size=2_000)
    raw = np.array([dn.reconstruct(counts, channel, "eq").value[2] for counts in reports])
    cut = np.array([dn.reconstruct(counts, channel, "eq", negative="clip").value[2] for counts in reports])
    assert abs(raw.mean()) < 4 * raw.std() / np.sqrt(2_000)
    assert cut.mean() > 10 * cut.std() / np.sqrt(2_000)


def test_information_loss_is_half_the_l1_distance_and_lies_between_0_and_1():
    assert information_loss([1, 0], [0, 1]) == 1
    assert information_loss([3, 1], [0.75, 0.25]) == 0
    # Credit-g employment without the loop effect, thesis Table 5.1: the printed counts differ by 34 in 1,000.
    original = [62, 172, 339, 174, 253, 0, 0, 0]
    reconstructed = [61, 165, 343, 197, 225, 4, 1, 0]
    assert information_loss(original, reconstructed) == pytest.approx(0.034, abs=1e-3)
    with pytest.raises(ParameterError, match="shapes"):
        information_loss([1, 2], [1, 2, 3])
    with pytest.raises(ParameterError, match="positive"):
        information_loss([0, 0], [1, 2])
