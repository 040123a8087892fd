import math

import numpy as np
import pytest

import deniable as dn


def test_mutual_information_is_entropy_of_reports_less_entropy_of_reports_given_truth(small_channel):
    rng = np.random.default_rng(3)
    prior = rng.dirichlet(np.ones(small_channel.law.inputs))

    def entropy(chances):
        return -sum(p * math.log2(p) for p in chances if p > 0)

    rows = small_channel.matrix()
    slow = entropy(prior @ rows) - sum(p * entropy(row) for p, row in zip(prior, rows, strict=True))
    assert dn.privacy.mutual_information(small_channel, prior) == pytest.approx(slow, abs=1e-9)


def test_min_entropy_leakage_is_how_much_better_one_guess_gets(small_channel):
    rng = np.random.default_rng(4)
    prior = rng.dirichlet(np.ones(small_channel.law.inputs))
    rows = small_channel.matrix()
    after = sum(max(prior[x] * rows[x, z] for x in range(len(prior))) for z in range(rows.shape[1]))
    assert dn.privacy.min_entropy_leakage(small_channel, prior) == pytest.approx(math.log2(after / max(prior)), abs=1e-9)


@pytest.mark.statistical
def test_no_prior_leaks_more_min_entropy_than_the_uniform_one(small_channel):
    rng = np.random.default_rng(5)
    most = dn.privacy.min_entropy_leakage(small_channel)
    for _ in range(20):
        prior = rng.dirichlet(np.full(small_channel.law.inputs, 0.5))
        assert dn.privacy.min_entropy_leakage(small_channel, prior) <= most + 1e-9


def test_what_is_told_as_it_is_says_everything_and_what_says_nothing_says_nothing():
    assert dn.privacy.mutual_information(dn.Identity(dn.Nominal(list("abcd")))) == pytest.approx(2)
    assert dn.privacy.min_entropy_leakage(dn.Identity(dn.Nominal(list("abcd")))) == pytest.approx(2)
    silent = dn.KRR(dn.Nominal(list("abc")), "1/3")
    assert dn.privacy.mutual_information(silent, [0.2, 0.3, 0.5]) == pytest.approx(0, abs=1e-12)
    assert dn.privacy.min_entropy_leakage(silent, [0.2, 0.3, 0.5]) == pytest.approx(0, abs=1e-12)


def test_the_joint_report_of_a_group_is_measured_too():
    asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    (block,) = dn.Schema({"a": asked, "b": asked}, groups={"g": ["a", "b"]}).blocks
    # Together told or together replaced says more than two answers with a draw each.
    assert dn.privacy.mutual_information(block.channel) > 2 * dn.privacy.mutual_information(asked)
