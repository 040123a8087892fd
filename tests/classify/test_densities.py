"""Class-conditional distributions from counts of reports."""

import numpy as np
import pytest
from scipy.optimize import minimize

import deniable as dn
from deniable.classify.densities import MAX_STEPS, densities, everyone, loadings
from deniable.kernels.tilting import tilted

KRR = dn.KRR(dn.Nominal(list("abcd")), 0.5).matrix()


def _slow(matrix, counts, base, root, parts):
    """The same maximum by a general optimiser on the plain formula."""
    r = root.shape[1]

    def loss(v):
        f = base + v.reshape(len(parts), r) @ root.T
        g = np.exp(f - f.max(axis=1, keepdims=True))
        g /= g.sum(axis=1, keepdims=True)
        expected = (np.asarray(parts)[:, None] * g).reshape(-1) @ matrix
        return -(counts @ np.log(expected)) + 0.5 * v @ v, g

    found = minimize(lambda v: loss(v)[0], np.zeros(len(parts) * r), method="BFGS", options={"gtol": 1e-7})
    return loss(found.x)[1], -found.fun


@pytest.mark.statistical
@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("ordered", [False, True])
def test_newton_finds_the_maximum_that_a_general_optimiser_finds(classes, ordered):
    rng = np.random.default_rng(classes)
    of_class = 0.7 * np.eye(classes) + 0.3 / classes
    matrix = np.kron(of_class, KRR)
    counts = rng.multinomial(400, rng.dirichlet(np.ones(matrix.shape[1]))).astype(float)
    base, parts = np.log(rng.dirichlet(np.ones(4))), rng.dirichlet(np.ones(classes))
    for root in loadings(4, ordered, 0):
        shares, _ = tilted(matrix, counts, base, root * 0.8, parts, MAX_STEPS)
        slow, _ = _slow(matrix, counts, base, root * 0.8, parts)
        np.testing.assert_allclose(shares, slow, atol=2e-3)


@pytest.mark.statistical
def test_evidence_is_that_of_numerical_integration():
    """One label of two: the deviation has one dimension, so the evidence is an integral that can be summed."""
    matrix = dn.KRR(dn.Binary(), 0.8).matrix()
    counts, base = np.array([60.0, 40.0]), np.log([0.5, 0.5])
    root = loadings(2, False, 0)[0] * 0.8
    _, evidence = tilted(matrix, counts, base, root, np.ones(1), MAX_STEPS)
    grid = np.linspace(-9, 9, 20_001)
    logs = base + np.outer(grid, root[:, 0])
    shares = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    values = np.log(shares @ matrix) @ counts - grid**2 / 2 - 0.5 * np.log(2 * np.pi)
    exact = values.max() + np.log(np.exp(values - values.max()).sum() * (grid[1] - grid[0]))
    assert evidence == pytest.approx(exact, abs=0.05)


@pytest.mark.statistical
def test_much_data_gives_the_truth():
    rng = np.random.default_rng(3)
    truth = rng.dirichlet(np.ones(4), size=2)
    counts = 1e6 * truth @ KRR
    np.testing.assert_allclose(densities(KRR, counts, ordered=False), truth, atol=0.003)


@pytest.mark.statistical
def test_a_hidden_class_is_undone_together_with_the_attribute():
    rng = np.random.default_rng(4)
    truth, parts, of_class = rng.dirichlet(np.ones(4), size=2), np.array([0.3, 0.7]), dn.KRR(dn.Binary(), 0.7).matrix()
    joint = np.kron(of_class, KRR)
    counts = 1e6 * ((parts[:, None] * truth).reshape(-1) @ joint).reshape(2, 4)
    np.testing.assert_allclose(densities(KRR, counts, False, 0, joint, parts), truth, atol=0.01)


def test_an_open_class_is_the_same_whether_taken_alone_or_jointly():
    counts = np.random.default_rng(5).multinomial(50, np.full(4, 0.25), size=3).astype(float)
    alone = densities(KRR, counts, True)
    together = densities(KRR, counts, True, 0, np.kron(np.eye(3), KRR), counts.sum(axis=1) / counts.sum())
    np.testing.assert_allclose(alone, together, atol=2e-3)


def test_reports_without_a_difference_give_classes_without_one():
    counts = np.array([[30.0, 31, 29, 30], [29.0, 30, 31, 30]])
    first, second = densities(KRR, counts, ordered=False)
    assert np.abs(first - second).max() < 0.02


def test_few_reports_are_smoothed_more_than_many():
    shape = np.array([[8.0, 1, 1, 2], [2.0, 1, 1, 8]])
    few, many = densities(KRR, shape, ordered=False), densities(KRR, 1_000 * shape, ordered=False)
    assert np.abs(few[0] - few[1]).max() < 0.8 * np.abs(many[0] - many[1]).max()


def test_ordered_cells_share_what_they_know():
    """A label that nobody reported lies between two that many did: only the order can tell."""
    counts = np.array([[40.0, 0, 40, 0, 0, 0], [0.0, 0, 0, 40, 0, 40]])
    ordered = densities(np.eye(6), counts, True)
    assert (
        ordered[0, 1] / ordered[1, 1]
        > 3 * densities(np.eye(6), counts, False)[0, 1] / densities(np.eye(6), counts, False)[1, 1]
    )


def test_everyone_follows_the_counts():
    shares = everyone(np.eye(3), np.array([700.0, 200, 100]), loadings(3, False, 0))
    np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=0.02)
