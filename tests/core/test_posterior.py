"""Bayes: what a report says about the truth, against sums written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import DataError, ParameterError, WideDomainError

seeds = st.integers(0, 2**32 - 1)


def bayes(rows, prior, z):
    joint = [share * row[z] for share, row in zip(prior, rows, strict=True)]
    return [value / sum(joint) for value in joint] if sum(joint) else [math.nan] * len(joint)


@pytest.mark.statistical
@settings(max_examples=10)
@given(seed=seeds)
def test_the_posterior_of_every_design_is_bayes_and_its_rows_sum_to_1(small_channel, seed):
    prior = np.random.default_rng(seed).dirichlet(np.ones(small_channel.law.inputs))
    rows = small_channel.integer_rows().tolist()
    found = small_channel.posterior(prior)
    assert found.shape == (small_channel.law.outputs, small_channel.law.inputs)
    for z in range(small_channel.law.outputs):
        np.testing.assert_allclose(found[z], bayes(rows, prior.tolist(), z), rtol=1e-12)
        if not np.isnan(found[z]).any():
            assert found[z].sum() == pytest.approx(1, abs=1e-12)
        alone = small_channel.posterior(prior, reported=small_channel.outputs[z])
        np.testing.assert_allclose(alone, found[z], rtol=1e-12)


def test_without_a_prior_all_truths_are_equally_likely(small_channel):
    k = small_channel.law.inputs
    np.testing.assert_allclose(small_channel.posterior(), small_channel.posterior(np.full(k, 3.0)), rtol=1e-14)


@pytest.mark.statistical
@settings(max_examples=10)
@given(seed=seeds)
def test_no_prior_lets_a_report_change_the_odds_by_more_than_e_to_the_epsilon(small_channel, seed):
    if math.isinf(small_channel.epsilon):
        return
    prior = np.random.default_rng(seed).dirichlet(np.full(small_channel.law.inputs, 0.5)) + 1e-6
    prior /= prior.sum()
    gained = small_channel.posterior(prior) / prior
    odds = gained.max(axis=1) / gained.min(axis=1)
    assert np.nanmax(odds) <= math.exp(small_channel.epsilon) * (1 + 1e-9)
    # Against the prior itself a report never says more than that either.
    assert np.nanmax(gained) <= math.exp(small_channel.epsilon) * (1 + 1e-9)


def test_a_report_that_the_prior_excludes_has_a_row_of_nan():
    channel = dn.Additive(dn.Integer(18, 65), dn.Uniform(18))
    found = channel.posterior({40: 1})
    reports = np.array(channel.outputs)
    assert (np.isnan(found).all(axis=1) == (np.abs(reports - 40) > 18)).all()
    assert np.isnan(channel.posterior({40: 1}, reported=0)).all()


def test_a_report_at_the_edge_of_bounded_noise_reveals_the_truth():
    # Thesis 3.3.1: ages 18 to 65, noise from -18 to 18; a reported 0 can only have been 18.
    channel = dn.Additive(dn.Integer(18, 65), dn.Uniform(18))
    revealed = dict(zip(channel.inputs, channel.posterior(reported=0), strict=True))
    assert revealed.pop(18) == 1
    assert set(revealed.values()) == {0}
    assert channel.worst_case == (0, 18, 19)


def test_priors_may_be_mappings_or_functions_of_the_label_and_need_not_be_normalised():
    channel = dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6)
    expected = channel.posterior([0.5, 0.25, 0.25])
    np.testing.assert_allclose(channel.posterior({"a": 2, "b": 1, "c": 1}), expected)
    np.testing.assert_allclose(channel.posterior(lambda label: 2.0 if label == "a" else 1.0), expected)


def test_warners_posterior_by_hand():
    # .9 * .25 / (.9 * .25 + .1 * .75) = .75 for "no" among those who report "yes".
    np.testing.assert_allclose(dn.KRR(dn.Binary(), 0.75).posterior([0.9, 0.1], reported=1), [0.75, 0.25], rtol=1e-14)


def test_silence_can_be_reported_and_has_a_posterior():
    channel = dn.Optional(dn.KRR(dn.Binary(), 0.75), 0.8)
    # P(silent | answered) = .2, P(silent | silent) = .8.
    np.testing.assert_allclose(channel.posterior([0.45, 0.45, 0.1], reported="no answer"), [9 / 26, 9 / 26, 8 / 26], rtol=1e-14)
    np.testing.assert_allclose(channel.posterior([0.45, 0.45, 0.1], reported=None)[2], [9 / 26, 9 / 26, 8 / 26], rtol=1e-14)


def test_one_row_of_a_wide_domain_is_given_and_the_whole_is_refused(wide_channel):
    row = wide_channel.posterior(reported=wide_channel.outputs[777])
    assert row.shape == (wide_channel.law.inputs,)
    assert row.sum() == pytest.approx(1, abs=1e-9)
    column = wide_channel.law.column(777)
    np.testing.assert_allclose(row, column / column.sum(), rtol=1e-12)
    with pytest.raises(WideDomainError, match=r"A dense matrix of 100,00\d x \d+,\d+ is not built"):
        wide_channel.posterior()


@pytest.mark.parametrize("prior", [[0, 0], [-0.1, 1.1], [math.nan, 1], [math.inf, 1]])
def test_a_prior_that_is_no_distribution_is_refused(prior):
    with pytest.raises(ParameterError, match="A prior must be non-negative, finite and not all 0, got"):
        dn.KRR(dn.Binary(), 0.75).posterior(prior)


@pytest.mark.parametrize("prior", [[0.2, 0.3, 0.5], [[0.5, 0.5]], 0.5, ["a", "b"], np.eye(2)])
def test_a_prior_of_the_wrong_shape_is_refused_naming_what_takes_it(prior):
    with pytest.raises(ParameterError, match=r"KRR\.posterior takes one number for each of the 2 true labels, got"):
        dn.KRR(dn.Binary(), 0.75).posterior(prior)


def test_a_prior_or_report_with_an_unknown_label_is_refused():
    with pytest.raises(DataError, match="'maybe'"):
        dn.KRR(dn.Nominal(["yes", "no"]), 0.75).posterior({"maybe": 1})
    with pytest.raises(DataError, match="'maybe'"):
        dn.KRR(dn.Nominal(["yes", "no"]), 0.75).posterior(reported="maybe")
