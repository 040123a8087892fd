import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.core.channels.laws import Mixture
from deniable.core.channels.operators import FloatTable
from deniable.reconstruction.em import TOLERANCE, Likelihood, em, mixture_maximum


def plain_em(P, counts, steps):
    shares = np.full(len(P), 1 / len(P))
    for _ in range(steps):
        shares = shares * (P @ (counts / counts.sum() / (shares @ P)))
    return shares


def iterated(law, counts, **options):
    """The iteration itself: where the exact solution is a distribution, `em` would return that and prove nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        # By its module: the room exports a function of the same name.
        patch.setattr(sys.modules[em.__module__], "EXACT_LIMIT", 0)
        return em(law, counts, **options)


def random_case(seed, k=None, m=None):
    rng = np.random.default_rng(seed)
    k = k or int(rng.integers(2, 9))
    m = m or k + int(rng.integers(0, 4))
    P = rng.dirichlet(np.full(m, 0.7), size=k) * 0.5
    P[np.arange(k), np.arange(k)] += 0.5
    counts = rng.multinomial(int(rng.integers(5, 2_000)), rng.dirichlet(np.full(k, 0.5)) @ P).astype(float)
    return P, counts


@pytest.mark.statistical
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_em_reaches_the_certified_maximum_and_no_plain_em_is_likelier(seed):
    P, counts = random_case(seed)
    fit = iterated(FloatTable(P), counts)
    assert fit.converged
    assert fit.shares.min() >= 0
    assert fit.shares.sum() == pytest.approx(1)
    likelihood = Likelihood(FloatTable(P), counts)
    slow = plain_em(P, counts, 3_000)
    assert likelihood.value(fit.shares @ P) >= likelihood.value(slow @ P) - 1e-9


@pytest.mark.statistical
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_certificate_bounds_what_any_other_distribution_gains(seed):
    P, counts = random_case(seed)
    fit = iterated(FloatTable(P), counts, max_evaluations=6)
    likelihood = Likelihood(FloatTable(P), counts)
    rng = np.random.default_rng(seed)
    best = em(FloatTable(P), counts).shares
    for other in [best, *rng.dirichlet(np.ones(len(P)), size=20)]:
        assert likelihood.value(other @ P) - likelihood.value(fit.shares @ P) <= fit.gap + 1e-9


def test_the_likelihood_never_decreases():
    P, counts = random_case(5, 8, 10)
    likelihood = Likelihood(FloatTable(P), counts)
    values = [likelihood.value(iterated(FloatTable(P), counts, max_evaluations=steps).shares @ P) for steps in range(0, 120, 3)]
    assert (np.diff(values) >= -1e-13).all()


@pytest.mark.statistical
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_filling_up_equals_the_iterated_maximum(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 12))
    law = Mixture(int(rng.integers(1, 50)), rng.integers(0, 20, k))
    counts = rng.multinomial(int(rng.integers(1, 500)), rng.dirichlet(np.ones(k))).astype(float)
    fast = mixture_maximum(law, counts)
    slow = iterated(FloatTable(law.dense()), counts, tolerance=1e-12)
    likelihood = Likelihood(law, counts)
    assert likelihood.value(law.push(fast)) >= likelihood.value(law.push(slow.shares)) - 1e-9
    assert likelihood.factors(law.push(fast)).max() <= 1 + 1e-9
    np.testing.assert_allclose(fast, slow.shares, atol=1e-4)


@pytest.mark.statistical
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_eq_inside_the_simplex_equals_iterated_and_shortened_em(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 7))
    P, _ = random_case(seed, k, k)
    channel = dn.Matrix(dn.Nominal([f"v{i}" for i in range(k)]), np.round(P, 6) / np.round(P, 6).sum(axis=1, keepdims=True))
    truth = 0.5 / k + 0.5 * rng.dirichlet(np.full(k, 5.0))
    # Expected reports, not drawn ones: the solution is then inside the simplex for certain.
    counts = np.round(1e7 * channel.push(truth))
    eq = dn.reconstruct(counts, channel, "eq").value
    assert eq.min() > 0
    fit = iterated(channel.law, counts, tolerance=1e-13)
    assert fit.steps > 0
    np.testing.assert_allclose(fit.shares, eq, atol=1e-6)
    np.testing.assert_allclose(dn.reconstruct(counts, channel, "em").value, eq, atol=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Uniform(200), dn.Normal(100), dn.Laplace(100)])
def test_wide_kernels_converge_without_a_dense_matrix(noise, monkeypatch):
    channel = dn.Additive(dn.Integer(0, 4_999), noise)
    monkeypatch.setattr(type(channel.law), "dense", lambda self: pytest.fail("a dense matrix was built"))
    monkeypatch.setattr(type(channel.law), "rows", lambda self, codes: pytest.fail("dense rows were built"))
    truth = np.exp(-0.5 * ((np.arange(5_000) - 2_000) / 900) ** 2)
    counts = np.round(100_000 * channel.push(truth / truth.sum()))
    fit = em(channel.law, counts, tolerance=1e-4)
    assert fit.gap <= 1e-4
    assert TOLERANCE < 1e-4
    expected = channel.push(fit.shares)
    assert 0.5 * np.abs(expected - counts / counts.sum()).sum() < 0.02
