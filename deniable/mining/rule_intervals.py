"""Standard errors and intervals of rules' confidences, lifts and leverages: three numbers made of three supports of the same reports.

Each interval holds all values for which what the value says should be 0 lies within z of *its own* error of 0:

    confidence c:   S - c A          errors of    w_S - c w_A
    lift l:         S - l A C        errors of    w_S - l (C w_A + A w_C)
    leverage d:     S - A C - d      errors of    w_S - (C w_A + A w_C)

(delta method for the product; w is what a row counts, S, A and C are the means of w_S, w_A and w_C). If the value were another, S would
be another, and rows would hold all items instead of one side only, or the other way round: with supports A and C as they are, a row more
of S is one fewer of "A alone", one fewer of "C alone" and one more of "neither". `Score` says what that does to the errors; undistorted
the interval of the confidence is Wilson's. Where weights depend on more than an item's own report the observed errors are taken.

For the respondents, what differs between people is no error and is taken away. Where weights may be off on average (`Off`), intervals hold
all values for which the mean lies within that and its own error of 0, and differences between people count for the respondents too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.mining.rule_moments import RuleMoments

CONFIDENCES = 1000
"""How many steps of confidence are tried where weights are biased."""
TINY = 1e-300
WIDEST = 0.25
"""No leverage is further from 0: S - A C with S at most A and C."""


class Told(NamedTuple):
    """Standard errors, lower and upper ends: one of each per rule."""

    error: Floats
    low: Floats
    high: Floats


def confidence_ends(moments: RuleMoments, n: int, z2: float, target: str) -> Told:
    """Of S / A: the values c with n (S - c A)^2 <= z^2 mean r^2, r = w_S - c w_A.

    >>> counted = [np.array([share]) for share in (0.3, 0.4, 0.5, 0.3, 0.4, 0.5, 0.3, 0.3, 0.3)]        # 300 of 400 among 1,000
    >>> [float(end[0].round(4)) for end in confidence_ends(RuleMoments(*counted), 1_000, 1.96**2, "population")]
    [0.0217, 0.7074, 0.7926]
    """
    s, a = moments.both, moments.antecedent
    # mean r^2 as a polynomial in c: constant, linear and square term.
    constant, linear, square = moments.both_squared, -2 * moments.both_antecedent, moments.antecedent_squared
    with np.errstate(divide="ignore", invalid="ignore"):
        c = s / a
        spread = constant + linear * c + square * c**2
        if target == "respondents":
            spread = spread - a * c * (1 - c)
        error = np.sqrt(np.maximum(spread, 0) / n) / np.abs(a)
    if moments.score is not None:
        # (c A - S)(g1 - g0), with g1 - g0 = G_A (G_C - h - 2 c).
        given, gain = moments.score.antecedent, moments.score.consequent - moments.score.rest_given
        constant = constant - given * s * gain
        linear = linear + given * (a * gain + 2 * s)
        square = square - 2 * given * a
    if target == "respondents":
        linear, square = linear - a, square + a
    told = Told(error, *_within_0_and_1(n * a**2 - z2 * square, -2 * n * a * s - z2 * linear, n * s**2 - z2 * constant, c))
    if moments.off is not None:
        for rule in np.flatnonzero(moments.off.any):
            for column, value in zip(told, _biased_confidence(moments.take([rule]), n, z2), strict=True):
                column[rule] = value
    return told


def _biased_confidence(moments: RuleMoments, n: int, z2: float) -> tuple[float, float, float]:
    """The same for one rule whose supports may be off."""
    assert moments.off is not None
    off = moments.off
    s, a = float(moments.both[0]), float(moments.antecedent[0])
    c = np.linspace(0.0, 1.0, CONFIDENCES + 1)

    def square(at: Floats) -> Floats:
        squares = moments.both_squared - 2 * at * moments.both_antecedent + at**2 * moments.antecedent_squared
        return np.maximum(squares, 0.0)

    away, chance = s - c * a, np.sqrt(z2 * square(c) / n)
    too_high = away > chance + off.both_above + c * off.antecedent_below
    too_low = away < -(chance + off.both_below + c * off.antecedent_above)
    kept = np.flatnonzero(~(too_high | too_low))
    at = s / a if a else np.nan
    error = float(np.sqrt(square(np.array([at]))[0] / n) / abs(a)) if a else np.nan
    if not len(kept):
        # No confidence fits: the nearest is all that is left, unless the antecedents may not occur at all.
        end = float(np.clip(at, 0.0, 1.0))
        return (error, end, end) if a > 0 else (error, 0.0, 1.0)
    # The ends lie between two of the confidences that were tried.
    return error, float(c[max(kept[0] - 1, 0)]), float(c[min(kept[-1] + 1, CONFIDENCES)])


def _within_0_and_1(square: Floats, linear: Floats, constant: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """Where a quadratic is at most 0, within 0 and 1; everywhere, if the antecedents may not occur at all."""
    inside = linear**2 - 4 * square * constant
    # At the estimate itself the quadratic is at most 0: without an error the ends meet there, up to rounding.
    bounded = (square > 0) & np.isfinite(middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(inside, 0))
        low, high = (-linear - root) / (2 * square), (-linear + root) / (2 * square)
    return np.where(bounded, np.clip(low, 0, 1), 0.0), np.where(bounded, np.clip(high, 0, 1), 1.0)


class _Contrast(NamedTuple):
    """The variance of a row's w_S - l (C w_A + A w_C) if the lift were l, as a polynomial in l; `product` is A C."""

    constant: Floats
    linear: Floats
    square: Floats
    product: Floats

    def at(self, lift: Floats | float) -> Floats:
        return self.constant + self.linear * lift + self.square * lift**2


def _contrast(moments: RuleMoments, target: str) -> _Contrast:
    """The variance as observed: people's own differences are taken away for the respondents, where weights are unbiased."""
    s, a, c = moments.both, moments.antecedent, moments.consequent
    product = a * c
    constant, linear, square = (
        moments.both_squared,
        -2 * (c * moments.both_antecedent + a * moments.both_consequent),
        c**2 * moments.antecedent_squared + a**2 * moments.consequent_squared + 2 * product * moments.sides,
    )
    people = s, -2 * s * (a + c), product * (a + c) + 2 * s * product
    everyone = s**2, -4 * s * product, 4 * product**2
    alone = np.full(len(s), target == "respondents")
    if moments.off is not None:
        alone &= ~moments.off.any
    less = [np.where(alone, of_people, of_mean) for of_people, of_mean in zip(people, everyone, strict=True)]
    return _Contrast(constant - less[0], linear - less[1], square - less[2], product)


def _moved(moments: RuleMoments, lift: Floats, target: str) -> tuple[Floats, Floats]:
    """How the variance of w_S - l (C w_A + A w_C) changes with S while A and C stay, at this lift, and how that changes with l.

    A row more of S is one more that holds everything and one of neither side, and one fewer of each side alone. E[w^2] is a product of
    sides' moments in each of these, which leaves g_A g_C - 2 l (C g_A + A g_C) + 2 l^2 A C, with g the gain of a side's second moment
    from not being held to being held. The squared mean, or for the respondents what differs between people, changes too.
    """
    assert moments.score is not None
    score, a, c = moments.score, moments.antecedent, moments.consequent
    of_a, of_c = score.antecedent - score.antecedent_rest, score.consequent - score.consequent_rest
    product = a * c
    if target == "respondents":
        linear = -2 * (c * (of_a - 1) + a * (of_c - 1))
        return of_a * of_c - 1 + linear * lift, linear
    linear = -2 * (c * of_a + a * of_c)
    gain = of_a * of_c + linear * lift + 2 * product * lift**2
    # The squared mean, (S - 2 l A C)^2 as observed, would be (l A C)^2: with d = l A C - S they differ by 2 l A C d + d^2.
    return gain + 2 * product * lift, linear + 4 * product * lift + 2 * product


def lift_ends(moments: RuleMoments, n: int, z2: float, target: str) -> Told:
    """Of S / (A C): the values l with n (S - l A C)^2 <= z^2 variance of w_S - l (C w_A + A w_C); no upper end where A C may be 0.

    >>> counted = [np.array([share]) for share in (0.3, 0.4, 0.5, 0.3, 0.4, 0.5, 0.3, 0.3, 0.3)]
    >>> [float(end[0].round(3)) for end in lift_ends(RuleMoments(*counted), 1_000, 1.96**2, "population")]
    [0.043, 1.42, 1.591]
    """
    s = moments.both
    contrast = _contrast(moments, target)
    product = contrast.product
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = s / product
        error = np.sqrt(np.maximum(contrast.at(lift), 0.0) / n) / np.abs(product)
        constant, linear, square, _ = contrast if moments.score is None else _scored(contrast, moments, lift, target)
        below, above, less, more = _may_be_off(moments)
        low = _first_root(n, z2, s - above, product + less, (constant, linear, square))
        high = _last_root(n, z2, s + below, product - more, (constant, linear, square))
    known = (moments.antecedent > 0) & (moments.consequent > 0)
    return Told(error, np.where(known, low, 0.0), np.where(known, high, np.inf))


def _scored(contrast: _Contrast, moments: RuleMoments, lift: Floats, target: str) -> _Contrast:
    """The variance if the lift were l, up to the square of how far that is from the observed one."""
    gain, slope = _moved(moments, lift, target)
    product = contrast.product
    if target != "respondents":
        slope = slope + product  # the d^2 of `_moved`
    first, second = product * gain, product * slope
    return _Contrast(
        contrast.constant - first * lift + second * lift**2,
        contrast.linear + first - 2 * second * lift,
        contrast.square + second,
        product,
    )


def _may_be_off(moments: RuleMoments) -> tuple[Floats, ...]:
    """By how much S may lie below and above what it estimates, and A C too."""
    nothing = np.zeros(len(moments))
    off = moments.off
    if off is None:
        return nothing, nothing, nothing, nothing
    a, c = moments.antecedent, moments.consequent
    less = (a + off.antecedent_below) * (c + off.consequent_below) - a * c
    more = a * c - np.maximum(a - off.antecedent_above, 0.0) * np.maximum(c - off.consequent_above, 0.0)
    return off.both_below, off.both_above, less, more


def _first_root(n: int, z2: float, s: Floats, product: Floats, variance: tuple[Floats, ...]) -> Floats:
    """The least l >= 0 with s - l product <= z sqrt(variance / n)."""
    constant, linear, square = variance
    c, b, a = n * s**2 - z2 * constant, -2 * n * s * product - z2 * linear, n * product**2 - z2 * square
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
    return np.where((s > 0) & (c > 0), 2 * c / np.maximum(root - b, TINY), 0.0)


def _last_root(n: int, z2: float, s: Floats, product: Floats, variance: tuple[Floats, ...]) -> Floats:
    """The largest l with l product - s <= z sqrt(variance / n); infinity if there is none."""
    constant, linear, square = variance
    c, b, a = n * s**2 - z2 * constant, -2 * n * s * product - z2 * linear, n * product**2 - z2 * square
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
    return np.where((product > 0) & (a > 0), np.maximum(root - b, 0.0) / (2 * a), np.inf)


def leverage_ends(moments: RuleMoments, n: int, z2: float, target: str) -> Told:
    """Of S - A C: the values d with n (S - A C - d)^2 <= z^2 variance of w_S - (C w_A + A w_C).

    >>> counted = [np.array([share]) for share in (0.3, 0.4, 0.5, 0.3, 0.4, 0.5, 0.3, 0.3, 0.3)]
    >>> [float(end[0].round(4)) for end in leverage_ends(RuleMoments(*counted), 1_000, 1.96**2, "population")]
    [0.0071, 0.0861, 0.1139]
    """
    contrast = _contrast(moments, target)
    product = contrast.product
    leverage = moments.both - product
    variance = np.maximum(contrast.at(1.0), 0.0)
    below, above, less, more = _may_be_off(moments)
    middle, reach = leverage, np.sqrt(z2 * variance / n)
    if moments.score is not None:
        gain, _ = _moved(moments, np.ones(len(moments)), target)
        # variance + (d - leverage) gain, and for the population - (d - leverage)^2, for (S - 2 A C)^2 would be (d - A C)^2.
        if target != "respondents":
            gain = gain - 2 * leverage
        square = float(n) if target == "respondents" else n + z2
        shift = z2 * gain / (2 * square)
        middle = leverage + shift
        reach = np.sqrt(np.maximum(shift**2 + z2 * variance / square, 0.0))
    low, high = middle - reach - above - less, middle + reach + below + more
    return Told(np.sqrt(variance / n), np.clip(low, -WIDEST, WIDEST), np.clip(high, -WIDEST, WIDEST))
