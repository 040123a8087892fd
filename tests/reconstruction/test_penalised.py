"""Penalised likelihood: its evidence is that of the shares, whatever the total."""

import numpy as np
import pytest

from deniable.reconstruction.penalised import fit_all, penalty

GIVEN = np.array([[0.8, 0.15, 0.05], [0.1, 0.3, 0.6]])


@pytest.mark.statistical
@pytest.mark.parametrize("n", [100, 1_000, 100_000, 10_000_000])
@pytest.mark.parametrize("strength", [0.3, 3.0])
def test_the_evidence_is_the_integral_over_the_prior_of_the_log_density_at_any_number_of_answers(n, strength):
    counts = n * np.array([0.55, 0.45]) @ GIVEN
    precision = penalty(2, 1, strength, 0.0)
    spread = np.linalg.inv(precision)
    variance = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    difference = np.linspace(-8, 8, 800_001) * np.sqrt(variance)
    share = 1 / (1 + np.exp(-difference))[:, None]
    likelihood = np.log(share * GIVEN[0] + (1 - share) * GIVEN[1]) @ counts
    most = likelihood.max()
    density = np.exp(likelihood - most - difference**2 / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    integral = most + np.log(np.trapezoid(density, difference))
    found = fit_all(GIVEN, np.ones(2), counts, np.eye(2), precision[None], "log")
    assert found.evidence[0] == pytest.approx(integral, abs=0.05)
