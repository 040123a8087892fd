"""One bit and the piecewise mechanism: exact integers, odds that are kept, and means that are unbiased for every truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.channels.windows import Windows
from deniable.core.domains.missing import WithMissing
from deniable.core.shift_weights import closed_form
from deniable.errors import NotInvertibleError, ParameterError, WideDomainError

NUMBERS = dn.Integer(0, 99)
MAY_BE_SILENT = WithMissing(NUMBERS)


def largest_error(rows, denominator, weights):
    """The largest standard deviation over truths of one report's weight, in whole numbers: weights to the millionth, parts as they are."""
    scale = 10**6
    whole = np.array([round(weight * scale) for weight in weights.tolist()], dtype=object)
    parts = rows.astype(object)
    means, squares = parts @ whole, parts @ whole**2
    for x, mean in enumerate(means):
        assert abs(mean / (denominator * scale) - x) < 1e-3, "the weights must be unbiased, or this is not their error"
    variances = [
        Fraction(square, denominator) - Fraction(mean, denominator) ** 2 for mean, square in zip(means, squares, strict=True)
    ]
    return math.sqrt(max(variances)) / scale


def test_the_four_figures_of_one_number_from_0_to_99_at_odds_of_5():
    figures = {}
    for channel in (dn.KRR(NUMBERS, Fraction(5, 104)), dn.OneBit(NUMBERS, 5), dn.Piecewise(NUMBERS, 5)):
        assert channel.epsilon <= math.log(5)
        weights = channel.weights(lambda number: number)
        figures[type(channel).__name__] = largest_error(channel.integer_rows(), channel.denominator, weights)
    # Laplace noise as it is published, on a grid that is wide enough to hold nearly all of it.
    laplace = dn.Additive(NUMBERS, dn.Laplace(62), edges="extend")
    assert laplace.epsilon <= math.log(5)
    figures["Laplace"] = largest_error(laplace.integer_rows(), laplace.denominator, closed_form(laplace.law, np.arange(100.0)))
    assert {name: round(figure) for name, figure in figures.items()} == {
        "KRR": 776, "Laplace": 88, "OneBit": 74, "Piecewise": 69,
    }  # fmt: skip


def test_the_figures_are_those_of_the_published_formulas():
    # Duchi, Jordan and Wainwright: (e^eps + 1) / (e^eps - 1) for numbers from -1 to 1. Wang et al. (2019), lemma 1, at the ends.
    half, root = 49.5, math.sqrt(5)
    bit = dn.OneBit(NUMBERS, 5)
    assert largest_error(bit.integer_rows(), bit.denominator, bit.weights(lambda n: n)) == pytest.approx(half * 6 / 4, rel=1e-4)
    wang = half * math.sqrt(1 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2))
    piecewise = dn.Piecewise(NUMBERS, 5)
    found = largest_error(piecewise.integer_rows(), piecewise.denominator, piecewise.weights(lambda n: n))
    assert found == pytest.approx(wang, rel=0.01)


@pytest.mark.statistical
@pytest.mark.parametrize("domain", [dn.Integer(0, 6), dn.Integer(-4, 20, step=4), dn.Continuous(0, 1, step=0.125)])
@pytest.mark.parametrize("odds", [3, "5/2", 9])
@pytest.mark.parametrize(("reports", "width"), [(None, None), (2, 1), (3, 1), (5, 2), (12, 5)])
def test_means_are_unbiased_for_every_truth_by_enumeration(domain, odds, reports, width):
    for asked in (domain, WithMissing(domain)):
        channel = dn.Piecewise(asked, odds, reports=reports, width=width)
        numbers = np.append(domain.numbers(), [0.0] * (asked.missing is not None))
        weights = [Fraction(weight) for weight in channel.law.weights(numbers)]
        for row, number in zip(channel.integer_rows().tolist(), numbers.tolist(), strict=True):
            mean = sum(Fraction(part) * weight for part, weight in zip(row, weights, strict=True)) / channel.denominator
            assert float(mean) == pytest.approx(number, abs=1e-9)
        # What is reported lies in the middle of the truths that make it likelier.
        assert channel.reported.answered.size == channel.reports
        numbers = channel.reported.answered.labels
        assert numbers[0] + numbers[-1] == pytest.approx(float(domain.low + domain.high), abs=1)


@pytest.mark.parametrize("odds", [2, 5, "7/3", 1.0001, 20, "3.14159265358979323846264338327950288"])
@pytest.mark.parametrize("domain", [NUMBERS, MAY_BE_SILENT, dn.Integer(0, 1), dn.Integer(0, 100_000)])
def test_no_column_exceeds_the_odds_and_one_reaches_them_up_to_rounding(domain, odds):
    promised = Fraction(str(odds))
    for channel in (
        dn.OneBit(domain, odds),
        dn.Piecewise(domain, odds, reports=3, width=1),
        dn.Piecewise(domain, odds, reports=7),
    ):
        low, high = channel.law.column_range()
        ratios = [Fraction(int(most), int(least)) for least, most in zip(low, high, strict=True)]
        assert max(ratios) <= promised
        assert max(ratios) > 1
        assert float(max(ratios)) == pytest.approx(float(promised), rel=1e-6)


@pytest.mark.parametrize("epsilon", [1e-4, 0.5, 1.0, math.log(5), 3.0])
@pytest.mark.parametrize("design", [dn.OneBit, dn.Piecewise])
def test_an_epsilon_is_kept_and_nearly_reached(design, epsilon):
    channel = design.from_epsilon(NUMBERS, epsilon)
    assert 0.99 * epsilon < channel.epsilon <= epsilon


def test_three_reports_are_the_answer_rounded_at_random_and_hidden_among_three():
    """Two steps by hand, against the law that has them in one."""
    channel = dn.Piecewise(dn.Integer(0, 10), 5, reports=3, width=1)
    hidden = dn.KRR(dn.Integer(0, 2), Fraction(5, 7)).integer_rows()
    for x, row in enumerate(channel.integer_rows().tolist()):
        nearest, rest = divmod(Fraction(x, 5), 1)
        rounded = [Fraction(0)] * 3
        rounded[int(nearest)] += 1 - rest
        rounded[min(int(nearest) + 1, 2)] += rest
        expected = [sum(rounded[y] * int(hidden[y, z]) for y in range(3)) / 7 for z in range(3)]
        assert [Fraction(weight, channel.denominator) for weight in row] == expected


def test_reports_that_tell_means_alone_refuse_shares_and_name_the_way_out():
    for channel in (dn.OneBit(NUMBERS, 5), dn.Optional(dn.OneBit(NUMBERS, 5), 0.75), dn.OneBit(MAY_BE_SILENT, 5)):
        assert channel.tells_means_only
        with pytest.raises(NotInvertibleError, match="Ask for the mean") as caught:
            channel.weights({30: 1})
        assert caught.value.code == "means_only"
        with pytest.raises(NotInvertibleError, match="Ask for the mean"):
            channel.binned(4)
    assert not dn.Piecewise(NUMBERS, 5).tells_means_only
    assert not dn.OneBit(dn.Integer(0, 1), 5).tells_means_only


def test_whether_somebody_answered_is_told_by_means_alone_too():
    channel = dn.OneBit(MAY_BE_SILENT, 5)
    answered = np.append(np.ones(100), 0.0)
    np.testing.assert_allclose(channel.law.pull(channel.law.weights(answered)), answered, atol=1e-12)


def test_a_wide_domain_needs_no_table():
    law = dn.OneBit(dn.Integer(0, 100_000), 5).law
    numbers = np.arange(100_001.0)
    np.testing.assert_allclose(law.pull(law.weights(numbers)), numbers, atol=1e-6)
    with pytest.raises(WideDomainError, match="fewer reports or a coarser step"):
        dn.Piecewise(dn.Integer(0, 100_000), 5).law.recipe()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dn.OneBit(dn.Nominal(["a", "b"]), 5), "OneBit needs numbers"),
        (lambda: dn.OneBit(dn.Continuous(0, 1), 5), "needs a domain with a step"),
        (lambda: dn.OneBit(NUMBERS, 1), "above 1 and at most"),
        (lambda: dn.OneBit(NUMBERS, 10**10), "above 1 and at most"),
        (lambda: dn.OneBit(NUMBERS, "five"), "odds must be a finite number"),
        (lambda: dn.OneBit(WithMissing(dn.Integer(3, 3)), 5), "one value only"),
        (lambda: dn.OneBit.from_epsilon(NUMBERS, 0), r"epsilon must lie in \(0, 20.7\]"),
        (lambda: dn.OneBit.from_epsilon(NUMBERS, 1e-15), "above 1 and at most"),
        (lambda: dn.Piecewise(NUMBERS, 5, reports=1), "reports must be a whole number, 2 or more"),
        (lambda: dn.Piecewise(NUMBERS, 5, width=0), "width must be a whole number, 1 or more"),
        (lambda: dn.Piecewise(NUMBERS, 5, reports=3, width=3), "width must be below reports"),
        (lambda: Windows(2**50, 2**20, 1, Fraction(5)), "Use fewer reports or a coarser step"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(ParameterError, match=says):
        make()


def test_a_rating_is_reported_as_some_of_its_own_numbers_and_proves_nothing():
    ratings = dn.Ordinal([str(i) for i in range(1, 6)], missing="no answer")
    bit = dn.OneBit(ratings, 3)
    assert bit.reported == ratings
    assert set(np.flatnonzero(bit.integer_rows().sum(axis=0))) == {0, 4, 5}
    # An answer of 2 is a quarter of the way up: P(5) = (1 + (3 - 1) / 4) / (1 + 3 + 1) of the cells 1, 5 and silence.
    assert Fraction(int(bit.integer_rows()[1, 4]), bit.denominator) == Fraction(3, 2) / 5
    withheld = dn.Optional(dn.Piecewise(dn.Ordinal([str(i) for i in range(1, 8)]), 5, reports=3, width=1), 0.7)
    assert math.isfinite(withheld.epsilon)
    for channel in (bit, withheld):
        assert channel.tells_means_only
        assert dn.Channel.from_json(channel.to_json()) == channel


@pytest.mark.parametrize("labels", [["1", "2", "5"], ["low", "middle", "high"], ["3", "2", "1"], ["0", "1"]])
def test_labels_that_are_no_rating_are_refused(labels):
    for make in (lambda domain: dn.OneBit(domain, 5), lambda domain: dn.Piecewise(domain, 5, reports=2, width=1)):
        with pytest.raises(ParameterError, match="equally far apart"):
            make(dn.Ordinal(labels))


def test_a_rating_has_no_more_reports_than_answers():
    ratings = dn.Ordinal(["1", "2", "3", "4", "5"])
    for reports, width in ((6, 1), (5, 2), (9, 4)):
        with pytest.raises(ParameterError, match="is reported as one of them"):
            dn.Piecewise(ratings, 5, reports=reports, width=width)
    assert (
        dn.Piecewise(ratings, 5, reports=5, width=1).integer_rows().tolist() == dn.KRR(ratings, "5/9").integer_rows().tolist()
    )


@pytest.mark.statistical
def test_the_mean_of_a_rating_is_unbiased_and_known_better_than_by_randomised_response():
    """2,000 people of 1, 2, 2, 5 in turn; 60 surveys: the mean of means is 2.5, and they differ less than with KRR at the same odds."""
    rng, ratings = np.random.default_rng(4), dn.Ordinal([str(i) for i in range(1, 11)], missing="no answer")
    people = pd.DataFrame({"x": ["1", "2", "2", "5"] * 500})
    spread = {}
    for channel in (dn.Piecewise(ratings, 5, reports=3, width=1), dn.KRR(ratings, Fraction(5, 15))):
        schema = dn.Schema({"x": channel})
        found = []
        for _ in range(60):
            sample = dn.Sample(schema.randomise(people, rng), schema)
            mean = sample.mean("x")
            found.append(float(mean.value[0]))
        spread[type(channel).__name__] = np.std(found)
        if isinstance(channel, dn.Piecewise):
            assert np.mean(found) == pytest.approx(2.5, abs=4 * np.std(found) / 60**0.5)
            with pytest.raises(NotInvertibleError, match="tell means"):
                sample.share("x == '1'")
    assert spread["Piecewise"] < 0.75 * spread["KRR"]
