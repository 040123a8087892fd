"""What is believed of pairs of hidden attributes, beside slow computations of the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from deniable.classify.pair_terms import Belief, PairTerms, chance_of_quiet

BELIEFS = (Belief(0.8, 0.0, 0.15), Belief(0.2, 0.05, 0.35))
RULE = Belief(0.2, 0.6, 0.3)
NEVER = Belief(0.0, 0.0, 1.0)


def integrated(told: float, size: float, error: float, chance_of_rule: float) -> tuple[float, float, float]:
    """Mean and variance of what one pair is off by, and the log-density of what is told, by sums over a fine grid."""
    at = np.linspace(-4, 4, 80_001) * size
    density = chance_of_rule * norm.pdf(at, RULE.mean * size, RULE.error * size)
    for belief in BELIEFS:
        density += (1 - chance_of_rule) * belief.chance * norm.pdf(at, belief.mean * size, belief.error * size)
    density *= norm.pdf(told, at, error)
    total = density.sum()
    density /= total
    mean = float(density @ at)
    return mean, float(density @ (at - mean) ** 2), float(np.log(total * (at[1] - at[0])))


@pytest.mark.parametrize(("told", "error"), [(0.0, 0.1), (0.2, 0.05), (-0.3, 0.1), (0.25, 0.06), (0.4, 0.02), (0.3, 0.4)])
def test_pairs_whose_errors_have_nothing_in_common_are_believed_exactly(told, error):
    sizes, gaps, errors = np.array([0.4, 0.2]), np.array([told, 0.02]), np.array([error, 0.05])
    found = PairTerms(gaps[None], sizes, np.diag(errors**2)).believed(BELIEFS, RULE)
    parts = sizes**2 / (sizes**2).sum()
    each = [integrated(*one) for one in zip(gaps, sizes, errors, RULE.chance * parts, strict=True)]
    assert found.off[0] == pytest.approx(sum(mean for mean, _, _ in each), abs=1e-4)
    # Without the constant of normal laws.
    assert found.evidence - np.log(2 * np.pi) == pytest.approx(sum(log for _, _, log in each), abs=1e-4)

    # Worlds have the errors of reports, as far as reports are trusted; the doubt is the rest.
    resampled = PairTerms(np.array([gaps, *(gaps + np.diag(errors))]), sizes, np.diag(errors**2))
    moved = resampled.believed(BELIEFS, RULE).off
    variance = found.doubt**2 + ((moved[1:] - moved[0]) ** 2).sum()
    assert variance == pytest.approx(sum(variance for _, variance, _ in each), rel=1e-3)


def test_one_belief_follows_the_rules_of_normal_laws_whatever_errors_have_in_common():
    rng = np.random.default_rng(5)
    sizes, root = np.array([0.5, 0.3, 0.2]), rng.normal(0, 0.05, (3, 3))
    covariance, prior, gaps = root @ root.T + 0.001 * np.eye(3), np.diag((0.2 * sizes) ** 2), rng.normal(0, 0.1, (4, 3))
    found = PairTerms(gaps, sizes, covariance).believed((Belief(1.0, 0.1, 0.2),), NEVER)
    precision = np.linalg.inv(prior) + np.linalg.inv(covariance)
    means = np.linalg.solve(precision, (np.linalg.inv(covariance) @ gaps.T) + (np.linalg.inv(prior) @ (0.1 * sizes))[:, None])
    assert found.off == pytest.approx(means.sum(axis=0), abs=1e-10)
    weights = np.linalg.inv(covariance) @ np.linalg.inv(precision) @ np.ones(3)
    assert found.doubt**2 + weights @ covariance @ weights == pytest.approx(np.linalg.inv(precision).sum())
    seen = multivariate_normal(0.1 * sizes, prior + covariance).logpdf(gaps[0])
    assert found.evidence - 1.5 * np.log(2 * np.pi) == pytest.approx(seen, abs=1e-10)


def test_the_pair_that_matters_most_is_the_likeliest_to_be_a_rule():
    def of_first(others: int) -> float:
        sizes, gaps = np.full(1 + others, 0.3), np.zeros(1 + others)
        quiet = PairTerms(gaps[None], sizes, np.diag(np.full(1 + others, 0.05**2)))
        gaps = gaps.copy()
        gaps[0] = 0.65 * 0.3
        loud = PairTerms(gaps[None], sizes, quiet.covariance)
        return float(loud.believed(BELIEFS, RULE).off[0] - quiet.believed(BELIEFS, RULE).off[0]) / 0.3

    without = PairTerms(np.array([[0.65 * 0.3]]), np.array([0.3]), np.array([[0.05**2]])).believed(BELIEFS, NEVER).off[0] / 0.3
    assert of_first(0) > without + 0.03
    assert of_first(0) > of_first(9) > of_first(99)


def test_pairs_of_which_reports_say_nothing_are_left_to_the_model():
    sizes = np.array([0.3, 0.2])
    found = PairTerms(np.zeros((1, 2)), sizes, np.diag(1e6 * sizes**2)).believed(BELIEFS, NEVER)
    mean = sum(belief.chance * belief.mean for belief in BELIEFS)
    variance = sum(belief.chance * (belief.error**2 + (belief.mean - mean) ** 2) for belief in BELIEFS)
    assert found.off[0] == pytest.approx(mean * sizes.sum(), rel=1e-4)
    assert found.doubt**2 == pytest.approx(variance * (sizes**2).sum(), rel=1e-4)


@pytest.mark.parametrize(
    ("part", "error", "least", "most"), [(0.3, 0.1, 0.8, 1), (1.0, 0.1, 0, 0.05), (0.3, 0.6, 0.1, 0.3), (1.0, 0.6, 0.1, 0.3)]
)
def test_reports_tell_how_far_the_model_is_off_if_they_tell_pairs_at_all(part, error, least, most):
    rng = np.random.default_rng(9)
    sizes, quiet, chances = np.full(40, 0.1), tuple(belief.times(0.3) for belief in BELIEFS), []
    for _ in range(30):
        kind = rng.random(40) < BELIEFS[1].chance
        off = part * np.where(kind, rng.normal(0.05, 0.35, 40), rng.normal(0, 0.15, 40))
        told = PairTerms(((off + rng.normal(0, error, 40)) * sizes)[None], sizes, np.diag((error * sizes) ** 2))
        calm, wild = told.believed(quiet, NEVER), told.believed(BELIEFS, NEVER)
        chances.append(chance_of_quiet(0.2, calm.evidence - wild.evidence))
    assert least < np.mean(chances) < most


def test_no_evidence_is_too_strong_for_numbers():
    assert chance_of_quiet(0.2, 1e6) == 1.0
    assert chance_of_quiet(0.2, -1e6) == pytest.approx(0.0, abs=1e-300)
