"""Probabilities read as they are written, and turned into integer weights over a common denominator.

Everything that protects a person is drawn from integers: a float such as 0.7 means seven tenths, not the
binary fraction nearest to it, and what cannot be written below 2**53 is rounded once, here, so that the
sampler, the estimators and the privacy measures all read the same table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.errors import ParameterError

LARGEST_DENOMINATOR = 2**53 - 1
"""Integers up to here are exact in a double, so a browser can hold them too."""

ROUNDED_DENOMINATOR = 2**32
"""What weights are rounded to when their exact denominator is too large: four random bytes per draw."""

Number = int | float | str | Fraction | Decimal
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def fraction(value: Any, owner: str, name: str) -> Fraction:
    """Read a number as it is written: 0.7 is 7/10, "1/3" is a third.

    >>> fraction(0.7, "KRR", "p"), fraction("1/3", "KRR", "p")
    (Fraction(7, 10), Fraction(1, 3))
    """
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, Fraction):
            return value
        if isinstance(value, (int, np.integer)):
            return Fraction(int(value))
        if isinstance(value, (float, np.floating)):
            # str of a 32-bit float is what was written; turned into a 64-bit one it would show its binary tail.
            return Fraction(str(value))
        if isinstance(value, (str, Decimal)):
            return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        pass
    raise ParameterError(
        "not_a_number",
        '{owner}: {name} must be a finite number (0.7, "2/3" or Fraction(2, 3)), got {got!r}.',
        owner=owner,
        name=name,
        got=value,
    )


def probability(value: Any, owner: str, name: str) -> Fraction:
    """Read a probability; outside [0, 1] it is refused.

    >>> probability(0.25, "KRR", "p")
    Fraction(1, 4)
    """
    read = fraction(value, owner, name)
    if not 0 <= read <= 1:
        raise ParameterError(
            "probability_outside", "{owner}: {name} must lie in [0, 1], got {got}.", owner=owner, name=name, got=value
        )
    return read


def written(value: Fraction) -> int | float | str:
    """The shortest JSON form that `fraction` reads back exactly.

    >>> written(Fraction(7, 10)), written(Fraction(1, 3)), written(Fraction(4))
    (0.7, '1/3', 4)
    """
    if value.denominator == 1:
        return value.numerator
    as_float = float(value)
    return as_float if Fraction(repr(as_float)) == value else f"{value.numerator}/{value.denominator}"


def as_float(value: Fraction) -> float | int:
    """An int where the fraction is whole, else the nearest float."""
    return value.numerator if value.denominator == 1 else float(value)


def distribution(given: Any, labels: Sequence[Any], owner: str, name: str) -> list[Fraction]:
    """Read a probability distribution over `labels`: a mapping, a sequence in their order, or None for uniform.

    For two labels one number is enough: the probability of the second ("yes").

    >>> distribution({"a": 0.5, "b": 0.5}, ["a", "b"], "Retention", "replacement")
    [Fraction(1, 2), Fraction(1, 2)]
    """
    k = len(labels)
    if given is None:
        return [Fraction(1, k)] * k
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in labels]
        if unknown:
            raise ParameterError(
                "unknown_label",
                "{owner}: {name} names {got!r}, which is not among the labels {allowed}.",
                owner=owner,
                name=name,
                got=unknown[0],
                allowed=list(labels[:20]),
            )
        values: list[Any] = [given.get(label, 0) for label in labels]
    elif isinstance(given, (int, float, str, Fraction, Decimal)) and k == 2:
        yes = probability(given, owner, name)
        values = [1 - yes, yes]
    elif isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise ParameterError(
            "not_a_distribution",
            "{owner}: {name} must be a mapping from label to probability or a sequence of {k} probabilities, got {got!r}.",
            owner=owner,
            name=name,
            k=k,
            got=given,
        )
    else:
        values = list(given)
    if len(values) != k:
        raise ParameterError(
            "wrong_length",
            "{owner}: {name} has {got} probabilities for {k} labels.",
            owner=owner,
            name=name,
            got=len(values),
            k=k,
        )
    return normalised([probability(value, owner, f"{name}[{labels[i]!r}]") for i, value in enumerate(values)], owner, name)


def normalised(row: Sequence[Fraction], owner: str, name: str) -> list[Fraction]:
    """Probabilities that sum to 1 exactly. Decimals such as 0.3333333333 three times are off by
    their last digit: that is fixed, as long as it is the tenth or later."""
    total = sum(row, Fraction(0))
    if abs(total - 1) > Fraction(1, 10**9):
        raise ParameterError(
            "not_summing_to_one",
            "{owner}: {name} must sum to 1, got {got}.",
            owner=owner,
            name=name,
            got=float(total),
        )
    return [value / total for value in row] if total != 1 else list(row)


def common_denominator(fractions: Sequence[Fraction]) -> int:
    """The least common denominator; 2**53 or more means that the weights must be rounded."""
    denominator = 1
    for value in set(fractions):
        denominator = math.lcm(denominator, value.denominator)
        if denominator > LARGEST_DENOMINATOR:
            break
    return denominator


def integer_rows(rows: Sequence[Sequence[Fraction]]) -> tuple[Ints, int]:
    """Integer weights of a row-stochastic matrix, exact where a denominator below 2**53 exists.

    Otherwise each row is rounded to 2**32 parts by largest remainder; what is possible stays possible (weight >= 1).

    >>> integer_rows([[Fraction(7, 10), Fraction(3, 10)], [Fraction(1, 4), Fraction(3, 4)]])
    (array([[14,  6],
           [ 5, 15]]), 20)
    """
    denominator = common_denominator([value for row in rows for value in row])
    if denominator <= LARGEST_DENOMINATOR:
        return np.array([[int(value * denominator) for value in row] for row in rows], dtype=np.int64), denominator
    return np.array([rounded_row(row, ROUNDED_DENOMINATOR) for row in rows], dtype=np.int64), ROUNDED_DENOMINATOR


def rounded_row(row: Sequence[Fraction], denominator: int) -> list[int]:
    """One row rounded to `denominator` parts by largest remainder; positive probabilities keep at least one part."""
    exact = [value * denominator for value in row]
    parts = [max(1, math.floor(value)) if value else 0 for value in exact]
    left = denominator - sum(parts)
    by_remainder = sorted(range(len(row)), key=lambda i: (parts[i] - exact[i], i))
    for i in by_remainder[: max(0, left)]:
        parts[i] += 1
    if left < 0:
        parts[max(range(len(row)), key=parts.__getitem__)] += left
    return parts
