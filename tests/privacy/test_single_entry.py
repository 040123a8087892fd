import itertools
from fractions import Fraction

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError

THETAS = (0.1, 0.35, 0.7, 1.0)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


def brute_force(theta, wa, wy):
    """By Bayes over every case of (told?, true answer, innocuous answer), in fractions."""
    theta, wa, wy = (Fraction(str(value)) for value in (theta, wa, wy))
    together = {}
    for told, truth, other in itertools.product((True, False), (0, 1), (0, 1)):
        chance = (theta if told else 1 - theta) * (wa if truth else 1 - wa) * (wy if other else 1 - wy)
        report = truth if told else other
        together[truth, report] = together.get((truth, report), 0) + chance
    wrong = Fraction(0)
    for (truth, report), chance in together.items():
        seen = together[0, report] + together[1, report]
        if seen:
            wrong += chance * together[1 - truth, report] / seen
    return float(wrong)


@pytest.mark.parametrize("wy", [0.5, 0.2])
@pytest.mark.parametrize("wa", SHARES)
@pytest.mark.parametrize("theta", THETAS)
def test_single_entry_privacy_equals_brute_force_bayes(theta, wa, wy):
    channel = dn.UnrelatedQuestion(dn.Binary(), theta, wy)
    assert dn.privacy.single_entry_privacy(channel, wa) == pytest.approx(brute_force(theta, wa, wy), abs=1e-12)


@pytest.mark.parametrize("wy", [0.5, 0.2])
@pytest.mark.parametrize("wa", SHARES)
@pytest.mark.parametrize("theta", THETAS)
def test_as_published_it_is_the_four_printed_components(theta, wa, wy):
    told = theta + (1 - theta) * wy
    kept = theta + (1 - theta) * (1 - wy)
    zero, one = (1 - theta) * (1 - wy), (1 - theta) * wy
    first = wa * told * zero * (1 - wa) / (told * wa + zero * (1 - wa))
    second = wa * zero * kept * (1 - wa) / (kept * (1 - wa) + zero * wa)
    third = (1 - wa) * one * told * wa / (told * wa + one * (1 - wa))
    fourth = (1 - wa) * kept * zero * wa / (kept * (1 - wa) + zero * wa)
    channel = dn.UnrelatedQuestion(dn.Binary(), theta, wy)
    found = dn.privacy.single_entry_privacy(channel, wa, as_published=True)
    assert found == pytest.approx(first + second + third + fourth, abs=1e-12)
    corrected = dn.privacy.single_entry_privacy(channel, wa)
    # The misprint (1 - Wy for Wy in the first component) cannot be seen where Wy is one half.
    assert (found == pytest.approx(corrected)) == (wy == 0.5 or theta == 1)


def test_figure_6_of_paper_004_in_shape():
    """0 where all is told, highest where nearly nothing is, rising with Wa up to one half, symmetric about it."""
    privacy = {
        (theta, wa): dn.privacy.single_entry_privacy(dn.UnrelatedQuestion(dn.Binary(), theta, 0.5), wa)
        for theta in (0.001, *THETAS)
        for wa in (*SHARES, 0.9)
    }
    assert privacy[1.0, 0.3] == pytest.approx(0)
    assert privacy[0.001, 0.3] == pytest.approx(2 * 0.3 * 0.7, abs=1e-3)
    for wa in SHARES:
        assert sorted((privacy[theta, wa] for theta in (0.001, *THETAS)), reverse=True) == [
            privacy[theta, wa] for theta in (0.001, *THETAS)
        ]
    for theta in (0.1, 0.35, 0.7):
        assert sorted(privacy[theta, wa] for wa in SHARES) == [privacy[theta, wa] for wa in SHARES]
        assert privacy[theta, 0.9] == pytest.approx(privacy[theta, 0.1])


def test_with_many_labels_it_is_how_often_a_guess_from_the_posterior_is_wrong():
    channel, rng = dn.KRR(dn.Nominal(list("abcd")), 0.6), np.random.default_rng(1)
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    truth = rng.choice(4, 100_000, p=prior)
    reports = channel.domain.encode(channel.randomise(channel.domain.decode(truth), rng))
    counted = np.zeros((4, 4))
    np.add.at(counted, (reports, truth), 1)
    chances = counted / counted.sum(axis=1, keepdims=True)
    guesses = (rng.random(len(truth))[:, None] > np.cumsum(chances[reports], axis=1)).sum(axis=1)
    assert dn.privacy.single_entry_privacy(channel, prior) == pytest.approx(np.mean(guesses != truth), abs=0.007)


def test_the_printed_formula_is_refused_for_more_than_two_answers():
    with pytest.raises(ParameterError, match="two answers"):
        dn.privacy.single_entry_privacy(dn.KRR(dn.Nominal(list("abc")), 0.6), as_published=True)


def test_group_privacy_is_that_of_the_weakest_entry():
    weak, strong = dn.KRR(dn.Binary(), 0.95), dn.KRR(dn.Binary(), 0.6)
    schema = dn.Schema({"weak": weak, "strong": strong})
    assert dn.privacy.group_privacy(schema) == dn.privacy.single_entry_privacy(weak)
    assert dn.privacy.group_privacy({"strong": strong}) == dn.privacy.single_entry_privacy(strong)
    # A rare answer in the other question can make that one the weaker.
    assert dn.privacy.group_privacy(schema, {"strong": 0.001}) == dn.privacy.single_entry_privacy(strong, 0.001)


def test_entries_that_share_a_draw_are_judged_by_their_whole_report():
    """Brute force over (told?, three truths, three innocuous answers); the weakest is the middle one."""
    theta, wy, shares = 0.5, 0.5, (0.4, 0.1, 0.3)
    wrong = []
    for member in range(3):
        together = {}
        for told, *answers in itertools.product((True, False), *[(0, 1)] * 6):
            truth, other = tuple(answers[:3]), tuple(answers[3:])
            chance = (theta if told else 1 - theta) * wy**3
            for x, share in zip(truth, shares, strict=True):
                chance *= share if x else 1 - share
            key = (truth[member], truth if told else other)
            together[key] = together.get(key, 0) + chance
        wrong.append(sum(p * together[1 - x, z] / (together[0, z] + together[1, z]) for (x, z), p in together.items()))
    asked = dn.UnrelatedQuestion(dn.Binary(), theta, wy)
    schema = dn.Schema(dict.fromkeys("abc", asked), groups={"g": list("abc")})
    prior = dict(zip("abc", shares, strict=True))
    assert dn.privacy.group_privacy(schema, prior) == pytest.approx(min(wrong), abs=1e-12)
    assert min(wrong) == wrong[1]
    alone = dn.privacy.single_entry_privacy(asked, 0.1)
    assert dn.privacy.group_privacy(schema, prior, as_published=True) == pytest.approx(alone)
    assert min(wrong) < alone


def test_a_prior_for_an_unknown_attribute_is_refused():
    with pytest.raises(ParameterError, match="'b'"):
        dn.privacy.group_privacy({"a": dn.KRR(dn.Binary(), 0.7)}, {"b": 0.1})
    with pytest.raises(ParameterError, match="must map attributes"):
        dn.privacy.group_privacy({"a": dn.KRR(dn.Binary(), 0.7)}, 0.1)
