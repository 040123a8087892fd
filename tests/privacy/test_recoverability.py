import itertools

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError

ASKED = dn.UnrelatedQuestion(dn.Binary(), 0.6, 0.4)
OTHER = dn.KRR(dn.Binary(), 0.8)
RULES = np.array([[0.45, 0.05], [0.1, 0.4]])


def brute_force(rules, channel, antecedent):
    """Bayes over every case, by hand."""
    rows, columns = rules.shape
    know = np.eye(rows) if antecedent is None else antecedent.matrix()
    tell = channel.matrix()
    right = 0.0
    for seen, z in itertools.product(range(know.shape[1]), range(tell.shape[1])):
        joint = [sum(rules[a, x] * know[a, seen] for a in range(rows)) * tell[x, z] for x in range(columns)]
        if sum(joint):
            right += sum(joint) * sum((j / sum(joint)) ** 2 for j in joint)
    return right


@pytest.mark.parametrize("antecedent", [None, OTHER])
def test_recoverability_is_how_often_bayes_with_the_rule_guesses_right(antecedent):
    found = dn.privacy.recoverability(ASKED, RULES, antecedent)
    assert found == pytest.approx(brute_force(RULES, ASKED, antecedent), abs=1e-12)
    assert dn.privacy.final_privacy(ASKED, RULES, antecedent) == pytest.approx(1 - found)


def test_more_knowledge_recovers_more():
    before = 1 - dn.privacy.single_entry_privacy(ASKED, RULES.sum(axis=0))
    reported = dn.privacy.recoverability(ASKED, RULES, OTHER)
    known = dn.privacy.recoverability(ASKED, RULES)
    assert before < reported < known < 1


def test_a_rule_that_says_nothing_recovers_nothing_more():
    unrelated = np.outer([0.3, 0.7], [0.55, 0.45])
    before = 1 - dn.privacy.single_entry_privacy(ASKED, [0.55, 0.45])
    assert dn.privacy.recoverability(ASKED, unrelated) == pytest.approx(before)


def test_scenario_one_as_printed_is_one_whatever_the_rule_and_makes_final_privacy_negative():
    rng = np.random.default_rng(1)
    for _ in range(20):
        rules = rng.dirichlet(np.ones(4)).reshape(2, 2)
        assert dn.privacy.recoverability(ASKED, rules, as_published=True) == pytest.approx(1)
        assert dn.privacy.final_privacy(ASKED, rules, as_published=True) < 0


def test_scenario_two_as_printed_lacks_a_weight_and_reaches_two():
    nearly_open = dn.KRR(dn.Binary(), 0.999)
    certain = np.array([[0.5, 0.0], [0.0, 0.5]])
    assert dn.privacy.recoverability(nearly_open, certain, nearly_open, as_published=True) == pytest.approx(2, abs=0.01)
    # The four printed products, summed by hand.
    reported = OTHER.matrix().T @ RULES @ ASKED.matrix()
    posterior = ASKED.posterior(RULES.sum(axis=0))
    printed = sum(reported[a, z] / reported[a].sum() * posterior[z, z] for a in (0, 1) for z in (0, 1))
    assert dn.privacy.recoverability(ASKED, RULES, OTHER, as_published=True) == pytest.approx(printed)


def test_rules_may_be_a_mapping_from_pairs():
    mapping = {(a, x): RULES[a, x] for a in (0, 1) for x in (0, 1)}
    assert dn.privacy.recoverability(ASKED, mapping) == pytest.approx(dn.privacy.recoverability(ASKED, RULES))
    assert dn.privacy.recoverability(ASKED, mapping, OTHER) == pytest.approx(dn.privacy.recoverability(ASKED, RULES, OTHER))


@pytest.mark.parametrize(
    ("rules", "antecedent", "says"),
    [
        ([[0.5, 0.5, 0.0]], None, "column for each answer"),
        (RULES, "known", "must be None"),
        ([[0.5, 0.5]], OTHER, "row for each value"),
        ({(0, "x"): 1.0}, None, "not among"),
    ],
)
def test_bad_rules_are_refused(rules, antecedent, says):
    with pytest.raises(ParameterError, match=says):
        dn.privacy.recoverability(ASKED, rules, antecedent)
