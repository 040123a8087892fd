"""Numbers are read as they are written and become integer weights without loss, or with a loss that is bounded."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deniable.core.channels.designs import mixture
from deniable.core.domains.exact import (
    LARGEST_DENOMINATOR,
    ROUNDED_DENOMINATOR,
    common_denominator,
    distribution,
    fraction,
    integer_rows,
    normalised,
    probability,
    rounded_row,
    written,
)
from deniable.errors import ParameterError


@pytest.mark.parametrize(
    ("given_number", "read"),
    [
        (0.7, Fraction(7, 10)),
        (0.1, Fraction(1, 10)),
        ("2/3", Fraction(2, 3)),
        ("0.125", Fraction(1, 8)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(5, 9), Fraction(5, 9)),
        (1, Fraction(1)),
        (np.float64(0.7), Fraction(7, 10)),
        (np.float32(0.7), Fraction(7, 10)),
        (np.int64(3), Fraction(3)),
        (1e-300, Fraction(1, 10**300)),
    ],
)
def test_numbers_are_read_as_they_are_written(given_number, read):
    assert fraction(given_number, "KRR", "p") == read


@pytest.mark.parametrize(
    "wrong",
    [
        math.nan,
        math.inf,
        -math.inf,
        "a half",
        "1/0",
        "",
        None,
        True,
        [0.5],
        Decimal("NaN"),
        Decimal("Infinity"),
        1j,
        np.float32("nan"),
    ],
)
def test_what_is_no_finite_number_is_refused_with_owner_name_and_value(wrong):
    with pytest.raises(ParameterError, match=r"KRR: p must be a finite number .*, got") as caught:
        fraction(wrong, "KRR", "p")
    assert caught.value.parameters["got"] is wrong


@pytest.mark.parametrize("wrong", [-0.1, 1.0000001, "3/2", 2])
def test_a_probability_outside_0_to_1_is_refused(wrong):
    with pytest.raises(ParameterError, match=rf"Flip: q must lie in \[0, 1\], got {wrong}"):
        probability(wrong, "Flip", "q")


@given(st.fractions())
def test_a_fraction_written_to_json_is_read_back_exactly(value):
    assert fraction(json.loads(json.dumps(written(value))), "any", "value") == value


def test_a_distribution_may_be_a_mapping_a_sequence_one_number_or_nothing():
    tenth = Fraction(1, 10)
    assert distribution({"b": 0.9, "a": 0.1}, ["a", "b"], "o", "n") == [tenth, 9 * tenth]
    assert distribution({"b": 1}, ["a", "b"], "o", "n") == [0, 1]
    assert distribution(np.array([0.1, 0.9]), ["a", "b"], "o", "n") == [tenth, 9 * tenth]
    assert distribution(0.9, ["a", "b"], "o", "n") == [tenth, 9 * tenth]
    assert distribution(None, ["a", "b", "c"], "o", "n") == [Fraction(1, 3)] * 3


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"d": 1}, r"Retention: replacement names 'd', which is not among the labels \['a', 'b', 'c'\]"),
        ([0.5, 0.5], "Retention: replacement has 2 probabilities for 3 labels"),
        ([0.5, 0.5, 0.1], r"Retention: replacement must sum to 1, got 1\.1"),
        ([0.5, 0.6, -0.1], r"Retention: replacement\['c'\] must lie in \[0, 1\], got -0\.1"),
        (0.5, "must be a mapping from label to probability or a sequence of 3 probabilities, got 0.5"),
        ("abc", "must be a mapping from label to probability or a sequence of 3 probabilities, got 'abc'"),
        ([0.5, math.nan, 0.5], r"replacement\['b'\] must be a finite number"),
    ],
)
def test_what_is_no_distribution_is_refused_with_what_is_wrong_about_it(wrong, sentence):
    with pytest.raises(ParameterError, match=sentence):
        distribution(wrong, ["a", "b", "c"], "Retention", "replacement")


def test_a_sum_that_is_off_by_the_tenth_digit_is_mended_and_by_the_eighth_refused():
    assert normalised([Fraction("0.3333333333")] * 3, "o", "n") == [Fraction(1, 3)] * 3
    with pytest.raises(ParameterError, match="must sum to 1"):
        normalised([Fraction("0.33333333")] * 3, "o", "n")


def test_weights_are_exact_where_a_denominator_below_53_bits_exists():
    table, denominator = integer_rows([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 7), Fraction(6, 7)]])
    assert denominator == 21
    assert table.tolist() == [[7, 14], [3, 18]]
    largest = Fraction(1, LARGEST_DENOMINATOR)
    assert integer_rows([[largest, 1 - largest]])[1] == LARGEST_DENOMINATOR
    assert integer_rows([[largest / 2, 1 - largest / 2]])[1] == ROUNDED_DENOMINATOR
    assert common_denominator([largest, Fraction(1, 2)]) > LARGEST_DENOMINATOR


@given(st.lists(st.integers(0, 10**30), min_size=2, max_size=40).filter(any))
def test_a_rounded_row_sums_to_the_denominator_keeps_what_is_possible_and_moves_by_few_parts(weights):
    row = [Fraction(weight, sum(weights)) for weight in weights]
    parts = rounded_row(row, ROUNDED_DENOMINATOR)
    assert sum(parts) == ROUNDED_DENOMINATOR
    assert all((part > 0) == (share > 0) for part, share in zip(parts, row, strict=True))
    assert all(abs(part - share * ROUNDED_DENOMINATOR) <= len(row) for part, share in zip(parts, row, strict=True))


@given(st.integers(0, 10**6), st.lists(st.integers(0, 10**6), min_size=2, max_size=6).filter(any))
def test_a_rounded_mixture_never_tells_more_than_the_exact_one(keep, replaced):
    # Twenty digits and a remainder: no denominator below 2**53 holds them.
    keep, *replaced = (value * 10**20 + 7919 * i + 1 if value else 0 for i, value in enumerate([keep, *replaced]))
    total = Fraction(keep + sum(replaced))
    diagonal, replacement = keep / total, [value / total for value in replaced]
    law = mixture(diagonal, replacement)
    rows = law.rows(np.arange(len(replacement))).tolist()
    for x, row in enumerate(rows):
        assert sum(row) == law.denominator
        assert min(row) >= 0
        for z, weight in enumerate(row):
            if replacement[z] > 0:
                assert weight >= 1
                # On the diagonal against off it: never a larger ratio than asked.
                off = rows[(z + 1) % len(rows)][z]
                assert Fraction(rows[z][z], off) <= (diagonal + replacement[z]) / replacement[z]
            elif x != z:
                assert weight == 0


@given(st.fractions(min_value=0, max_value=1), st.fractions(min_value=0, max_value=1))
def test_a_rounded_flip_never_tells_more_than_the_exact_one(p, q):
    p, q = p * Fraction(10**25 - 3, 10**25), q * Fraction(10**25 - 7, 10**25)
    # What is rarer than one part in 2**32 is given that one part, or it would become impossible: that is another promise.
    assume(min(1 - p, 1 - q) * ROUNDED_DENOMINATOR >= 1)
    law = mixture(p + q - 1, [1 - p, 1 - q])
    (a, b), (c, d) = law.rows(np.arange(2)).tolist()
    assert a + b == c + d == law.denominator
    assert min(a, b, c, d) >= 0
    for exact_high, exact_low, high, low in ((q, 1 - p, a, c), (p, 1 - q, d, b), (1 - p, q, c, a), (1 - q, p, b, d)):
        if exact_high > exact_low > 0:
            assert Fraction(high, low) <= exact_high / exact_low
