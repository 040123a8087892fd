import itertools
import math

import numpy as np
import pytest
from scipy import stats

import deniable as dn
from deniable.errors import ParameterError, WideDomainError

WARNER = dn.KRR(dn.Binary(), 0.75)


def test_21_repeats_at_three_quarters_recover_994_of_1000():
    assert dn.privacy.averaging_attack(WARNER, 21) == pytest.approx(0.994, abs=0.0005)
    assert dn.privacy.averaging_attack(WARNER, 21) == pytest.approx(stats.binom.sf(10, 21, 0.75), abs=1e-12)
    assert dn.privacy.averaging_attack(WARNER, 21, rule="majority") == pytest.approx(stats.binom.sf(10, 21, 0.75), abs=1e-12)


def brute_force(channel, repeats, prior, rule):
    """Every sequence of reports, one by one."""
    rows, right = channel.matrix(), 0.0
    for sequence in itertools.product(range(rows.shape[1]), repeat=repeats):
        joint = [prior[x] * math.prod(rows[x, z] for z in sequence) for x in range(len(prior))]
        if rule == "posterior":
            right += max(joint)
        else:
            counts = [sequence.count(z) for z in range(rows.shape[1])]
            top = [z for z, count in enumerate(counts) if count == max(counts)]
            right += sum(joint[z] for z in top) / len(top)
    return right


@pytest.mark.parametrize("rule", ["posterior", "majority"])
@pytest.mark.parametrize(
    ("channel", "prior"),
    [
        (dn.Flip(0.9, 0.6), [0.8, 0.2]),
        (dn.KRR(dn.Nominal(list("abc")), 0.6), [0.2, 0.3, 0.5]),
        (dn.Neighbours(dn.Ordinal(list("abcd")), [0.6, 0.2]), [0.4, 0.3, 0.2, 0.1]),
    ],
)
def test_the_exact_chance_equals_going_through_every_sequence(channel, prior, rule):
    for repeats in (1, 2, 4):
        found = dn.privacy.averaging_attack(channel, repeats, prior, rule)
        assert found == pytest.approx(brute_force(channel, repeats, prior, rule), abs=1e-12)


@pytest.mark.parametrize("rule", ["posterior", "majority"])
def test_the_simulation_finds_the_exact_chance(rule):
    channel, prior = dn.KRR(dn.Nominal(list("abc")), 0.5), [0.2, 0.3, 0.5]
    exact = dn.privacy.averaging_attack(channel, 7, prior, rule)
    drawn = dn.privacy.simulate_averaging(channel, 7, prior, rule, people=20_000, rng=np.random.default_rng(1))
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_repeats_only_help_the_attacker_and_the_posterior_is_the_better_rule():
    channel, prior = dn.Flip(0.7, 0.7), 0.1
    chances = [dn.privacy.averaging_attack(channel, r, prior) for r in (1, 3, 9, 27, 81)]
    assert chances == sorted(chances)
    assert chances[-1] > 0.99
    assert dn.privacy.averaging_attack(channel, 9, prior, "majority") < dn.privacy.averaging_attack(channel, 9, prior)


def test_many_labels_are_left_to_the_simulation():
    age = dn.Additive(dn.Integer(18, 90), dn.Laplace(20))
    with pytest.raises(WideDomainError, match="simulate_averaging"):
        dn.privacy.averaging_attack(age, 10)
    assert dn.privacy.simulate_averaging(age, 200, people=200, rng=np.random.default_rng(1)) > 0.1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [((WARNER, 0), "at least 1"), ((WARNER, 2.5), "whole number"), ((WARNER, 3, None, "mean"), "majority")],
)
def test_bad_input_is_refused(arguments, says):
    with pytest.raises(ParameterError, match=says):
        dn.privacy.averaging_attack(*arguments)
