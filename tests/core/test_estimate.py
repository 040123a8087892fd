"""The numbers of an estimate: the one rule that its intervals follow, and what copies of it share."""

import numpy as np
import pytest

import deniable as dn
from deniable.core.estimate import Estimate
from deniable.core.intervals import Moments, ScoreInterval
from deniable.core.question_texts import QuestionTexts

TEXTS = QuestionTexts(["en"], {"a": {"title": {"en": "A"}, "labels": {}}})


def test_intervals_are_those_of_the_rule_within_the_limits():
    rule = {0.5: (0.2, 0.6), 0.9: (-0.3, 1.4)}
    estimate = Estimate(
        [0.5], ["a"], n=9, method="joint", covariance=[[1.0]], ends=lambda level: tuple(np.array([end]) for end in rule[level])
    )
    assert [float(end[0]) for end in estimate.interval(0.5)] == [0.2, 0.6]
    assert [float(end[0]) for end in estimate.interval(0.9)] == [0.0, 1.0]


def test_without_a_rule_the_interval_is_plain_and_an_impossible_value_does_not_seem_certain():
    plain = Estimate([0.5], ["a"], n=9, method="joint", covariance=[[0.01]])
    low, high = plain.interval()
    assert (low[0], high[0]) == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964))
    impossible = Estimate([1.5], ["a"], n=9, method="joint", covariance=[[0.01]])
    low, high = impossible.interval()
    assert (low[0], high[0]) == pytest.approx((1 - 0.1959964, 1.0))


def test_a_score_interval_without_randomisation_is_wilsons():
    rule = ScoreInterval(Moments(np.array([0.0]), np.array([1.0]), np.array([0.0])), 300, "population")
    assert float(rule(0.95)[1][0]) == pytest.approx(1.959964**2 / (300 + 1.959964**2))


def test_another_point_keeps_the_interval_and_is_held_by_it():
    baskets = dn.Transactions([["a"]] * 40 + [[]] * 60, dn.Flip(0.9, 0.9))
    support = dn.itemset_support(baskets, items=["a"])
    low, high = (float(end[0]) for end in support.interval())
    inside, outside = support.with_value([(low + high) / 2]), support.with_value([0.9])
    assert [float(end[0]) for end in inside.interval()] == [low, high]
    assert [float(end[0]) for end in outside.interval()] == [low, 0.9]


def test_what_a_copy_simulates_is_its_own():
    estimate = Estimate(
        [0.5], ["a"], n=9, method="em", no_interval="it is biased.", resample=lambda rng, draws: rng.random((draws, 1))
    )
    told = estimate.in_words(TEXTS)
    told.band(draws=3)
    assert (told.error_is_known, estimate.error_is_known) == (True, False)


def test_the_same_question_has_the_same_band_twice():
    def asked():
        return Estimate(
            [0.5], ["a"], n=9, method="em", no_interval="it is biased.", resample=lambda rng, draws: rng.random((draws, 1))
        )

    assert np.array_equal(asked().band(draws=20), asked().band(draws=20))
    assert asked().se[0] == asked().se[0]
