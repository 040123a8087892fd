import math

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError


@pytest.mark.statistical
def test_the_worst_cases_under_a_prior_are_the_largest_over_all_reports_and_truths(small_channel):
    rng = np.random.default_rng(6)
    prior = rng.dirichlet(np.ones(small_channel.law.inputs))
    rows = small_channel.matrix()
    after = {
        (z, x): prior[x] * rows[x, z] / (prior @ rows[:, z])
        for z in range(rows.shape[1])
        for x in range(rows.shape[0])
        if prior @ rows[:, z] > 0
    }
    highest = dn.privacy.worst_posterior(small_channel, prior)
    assert highest.after == pytest.approx(max(after.values()))
    place = small_channel.outputs.index(highest.report), small_channel.inputs.index(highest.truth)
    assert after[place] == pytest.approx(highest.after)
    assert prior[place[1]] == pytest.approx(highest.before)
    steepest = dn.privacy.worst_rise(small_channel, prior)
    assert steepest.rise == pytest.approx(max(value - prior[x] for (_, x), value in after.items()))


@pytest.mark.statistical
def test_no_prior_makes_a_report_add_more_than_the_rise_over_all_priors(small_channel):
    rng = np.random.default_rng(7)
    most = dn.privacy.worst_rise(small_channel)
    if math.isfinite(small_channel.epsilon):
        assert most.rise == pytest.approx(math.tanh(small_channel.epsilon / 4))
        # It is reached: all else on the answer that makes the report least likely.
        prior = np.zeros(small_channel.law.inputs)
        _, likelier, rarer = small_channel.law.worst_case
        prior[likelier], prior[rarer] = most.before, 1 - most.before
        if likelier != rarer:
            assert dn.privacy.worst_rise(small_channel, prior).rise == pytest.approx(most.rise)
    else:
        assert (most.before, most.after) == (0, 1)
    for _ in range(30):
        prior = rng.dirichlet(np.full(small_channel.law.inputs, 0.3)) + 1e-12
        assert dn.privacy.worst_rise(small_channel, prior).rise <= most.rise + 1e-9


@pytest.mark.statistical
@pytest.mark.parametrize("before", [0.01, 0.1, 0.5])
def test_no_prior_with_that_chance_takes_an_answer_beyond_the_bound(small_channel, before):
    rng = np.random.default_rng(8)
    bound = dn.privacy.posterior_bound(small_channel, before)
    k = small_channel.law.inputs
    for x in range(k):
        prior = rng.dirichlet(np.ones(k))
        prior = prior * (1 - before) / (1 - prior[x])
        prior[x] = before
        after = small_channel.posterior(prior)[:, x]
        assert np.nanmax(after) <= bound + 1e-9


def test_the_sentence_of_the_issue_ten_percent_become_at_most_31():
    assert dn.privacy.posterior_bound(dn.KRR(dn.Binary(), 0.8), 0.1) == pytest.approx(4 / 13)
    assert dn.privacy.posterior_bound(math.log(4), 0.1) == pytest.approx(4 / 13)
    assert dn.privacy.posterior_bound(dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)}), 0.1) == pytest.approx(4 / 13)
    assert dn.privacy.posterior_bound(math.inf, 0.1) == 1
    assert dn.privacy.posterior_bound(math.inf, 0) == 0


def test_bad_input_is_refused():
    for bad in ("much", -1, None, float("nan")):
        with pytest.raises(ParameterError, match="at least 0"):
            dn.privacy.posterior_bound(bad, 0.1)
    with pytest.raises(ParameterError, match="before"):
        dn.privacy.posterior_bound(1.0, 1.1)
    with pytest.raises(ParameterError, match="prior"):
        dn.privacy.worst_rise(dn.Additive(dn.Continuous(0, 1), dn.Normal(1)).binned(10))
