"""Example channels of every design, by class name. A design without one fails `test_every_design_has_examples`."""

from __future__ import annotations

from fractions import Fraction

import deniable as dn
from deniable.core.domains.missing import WithMissing

AB = dn.Nominal(["a", "b"])
COLOUR = dn.Nominal(["red", "green", "blue"])
SILENT = dn.Nominal(["red", "green"], missing="no answer")
SALARY = dn.Ordinal(["low", "med-low", "medium", "med-high", "high"])
DIGIT = dn.Integer(0, 9)
EVEN = dn.Integer(-4, 10, step=2)
TENTHS = dn.Continuous(0, 1, step=0.1)
MAY_BE_SILENT = WithMissing(DIGIT)
PI = "0.314159265358979323846"  # needs a denominator beyond 2**53

SMALL: dict[str, list[dn.Channel]] = {
    "Identity": [dn.Identity(dn.Binary()), dn.Identity(COLOUR), dn.Identity(EVEN)],
    "KRR": [
        dn.KRR(dn.Binary(), 0.75),
        dn.KRR(COLOUR, 0.6),
        dn.KRR(SILENT, 0.5),
        dn.KRR(COLOUR, 0.1),  # the truth is the rarest report
        dn.KRR(SALARY, 0),
        dn.KRR(COLOUR, "1/3"),  # says nothing
        dn.KRR(DIGIT, PI),
        dn.KRR(COLOUR, "0.0314159265358979323846"),
        dn.KRR.from_epsilon(SALARY, 2.5),
    ],
    "Flip": [
        dn.Flip(0.4, 0.96),
        dn.Flip(0.9, 0.6, AB),
        dn.Flip(0.2, 0.1),
        dn.Flip(1, 0.5),
        dn.Flip(0, 0),
        dn.Flip(PI, 0.9),
        dn.Flip(PI, 0.1),
    ],
    "ForcedResponse": [dn.ForcedResponse(1 / 6, 1 / 12), dn.ForcedResponse(0.25, 0), dn.ForcedResponse(PI, 0.1, AB)],
    "Crosswise": [dn.Crosswise(0.25), dn.Crosswise("2/3", AB), dn.Crosswise(0.5), dn.Crosswise(PI)],
    "Retention": [
        dn.Retention(COLOUR, 0.4),
        dn.Retention(COLOUR, 0.4, {"red": 0.5, "blue": 0.5}),
        dn.Retention(SILENT, 0.6, [0.7, 0.2, 0.1]),
        dn.Retention(DIGIT, 0.5),
        dn.Retention(TENTHS, PI),
        dn.Retention(COLOUR, 1),
    ],
    "UnrelatedQuestion": [
        dn.UnrelatedQuestion(dn.Binary(), 0.7, 0.3),
        dn.UnrelatedQuestion(COLOUR, 0.5, {"red": 0.2, "green": 0.3, "blue": 0.5}),
        dn.UnrelatedQuestion(AB, Fraction(1, 3)),
    ],
    "Matrix": [
        dn.Matrix(COLOUR, [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]]),
        dn.Matrix(AB, [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"]),
        dn.Matrix(COLOUR, [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]], outputs=["yes", "no"]),
        dn.Matrix(COLOUR, [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]),
        dn.Matrix(COLOUR, [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]),
        dn.Matrix(AB, [[PI, 1 - Fraction(PI)], [0.1, 0.9]]),
        dn.Matrix(AB, [[1, 0, 0], [0.5, 0.5, 0]], outputs=["x", "y", "never"]),
    ],
    "Neighbours": [
        dn.Neighbours(SALARY, [0.7, 0.15]),
        dn.Neighbours(SALARY, [0.7, 0.15], wrap=True),
        dn.Neighbours(DIGIT, [0.4, 0.2, 0.1]),
        dn.Neighbours(dn.Ordinal(list("abcd")), [0.5, 0.25], wrap=True),  # singular
        dn.Neighbours(SALARY, [0.4, 0.3, 0.2, 0.1, 0.1]),
        dn.Neighbours(dn.Ordinal([1, 2]), [0.6, 0.4]),
    ],
    "Additive": [
        dn.Additive(DIGIT, dn.Uniform(2)),
        dn.Additive(DIGIT, dn.Uniform(2), edges="clamp"),
        dn.Additive(DIGIT, dn.Uniform(15), edges="clamp"),
        dn.Additive(EVEN, dn.Uniform(4)),
        dn.Additive(DIGIT, dn.Laplace(3)),
        dn.Additive(DIGIT, dn.Laplace(0.2)),
        dn.Additive(DIGIT, dn.Laplace(0.5), edges="extend"),
        dn.Additive(TENTHS, dn.Laplace(0.4)),
        dn.Additive(TENTHS, dn.Normal(0.3)),
        dn.Additive(TENTHS, dn.Normal(0.03)),
        dn.Additive(DIGIT, dn.Normal(1.5), edges="extend"),
        dn.Additive(DIGIT, dn.Staircase([1, 2, 1])),
        dn.Additive(DIGIT, dn.Staircase({-3: 1, 0: 2, 1: "1/3"})),
        dn.Additive(DIGIT, dn.Staircase({-3: 1, 0: 2, 1: "1/3"}), edges="clamp"),
        dn.Additive(DIGIT, dn.Staircase([1] * 31), edges="clamp"),
        dn.Additive(DIGIT, dn.Staircase([1])),
        dn.Additive(dn.Integer(0, 1), dn.Laplace(1)),
    ],
    "OneBit": [
        dn.OneBit(DIGIT, 5),
        dn.OneBit(EVEN, "7/3"),
        dn.OneBit(TENTHS, 1.5),
        dn.OneBit(dn.Integer(0, 1), 3),  # two values: nothing is lost
        dn.OneBit(MAY_BE_SILENT, 5),
        dn.OneBit(DIGIT, 10 * Fraction(PI)),
        dn.OneBit.from_epsilon(DIGIT, 0.7),
        dn.OneBit(dn.Ordinal(["1", "2", "3", "4", "5"]), 3),  # a rating is reported as its ends
        dn.OneBit(dn.Ordinal(["1", "2", "3"], missing="no answer"), 5),
    ],
    "Piecewise": [
        dn.Piecewise(DIGIT, 5),
        dn.Piecewise(EVEN, 3),
        dn.Piecewise(TENTHS, "9/2", reports=5),
        dn.Piecewise(DIGIT, 5, reports=3, width=1),
        dn.Piecewise(DIGIT, 4, reports=7, width=3),
        dn.Piecewise(DIGIT, 3, reports=10, width=1),  # k-ary randomised response
        dn.Piecewise(dn.Integer(0, 3), 2, reports=9, width=2),  # finer than the answers
        dn.Piecewise(MAY_BE_SILENT, 5),
        dn.Piecewise(MAY_BE_SILENT, 9, reports=4, width=1),
        dn.Piecewise(MAY_BE_SILENT, 2, reports=5, width=3),
        dn.Piecewise(DIGIT, 10 * Fraction(PI), reports=4),
        dn.Piecewise.from_epsilon(DIGIT, 1.2, reports=3),
        dn.Piecewise(dn.Ordinal(["1", "2", "3", "4", "5"], missing="no answer"), 5, reports=3, width=1),
        dn.Piecewise(dn.Ordinal([str(i) for i in range(1, 11)]), 9, reports=3, width=1),  # 1, 6 and 10
        dn.Piecewise(dn.Ordinal(["0", "10", "20", "30"]), 4, reports=4, width=1),
    ],
    "Optional": [
        dn.Optional(dn.OneBit(DIGIT, 3), 0.75),
        dn.Optional(dn.OneBit(dn.Ordinal(["1", "2", "3"]), 3), 0.75),
        dn.Optional(dn.Piecewise(DIGIT, 3, reports=3), 0.7),
        dn.Optional(dn.KRR(COLOUR, 0.6), 0.8),
        dn.Optional(dn.Additive(DIGIT, dn.Laplace(3)), 0.75),
        dn.Optional(dn.Additive(DIGIT, dn.Uniform(2)), 0.9, missing="refused"),
        dn.Optional(dn.Identity(DIGIT), 0.9),  # fewer parts than labels: the denominator has to grow
        dn.Optional(dn.Identity(DIGIT), "7/10000"),
        dn.Optional(dn.Neighbours(SALARY, [0.7, 0.15]), 1),
        dn.Optional(dn.KRR(AB, 0.7), 0),
    ],
}

WIDE: dict[str, list[dn.Channel]] = {
    "KRR": [dn.KRR(dn.Integer(0, 100_000), 0.6)],
    "Retention": [dn.Retention(dn.Integer(0, 100_000), 0.4)],
    "Additive": [
        dn.Additive(dn.Integer(0, 100_000), dn.Uniform(5000)),
        dn.Additive(dn.Integer(0, 100_000), dn.Laplace(5000)),
        dn.Additive(dn.Integer(0, 100_000), dn.Normal(5000)),
    ],
    "Piecewise": [dn.Piecewise(dn.Integer(0, 100_000), 5)],
    "Optional": [dn.Optional(dn.Additive(dn.Integer(0, 100_000), dn.Laplace(5000)), 0.75)],
}

FLOATING: dict[str, list[dn.Channel]] = {
    "Identity": [dn.Identity(dn.Continuous(0, 1))],
    "Retention": [
        dn.Retention(dn.Continuous(20, 70), 0.4),
        dn.Retention(dn.Continuous(20, 70), 0.4, ([20, 30, 70], [0.5, 0.5])),
    ],
    "Additive": [
        dn.Additive(dn.Continuous(0, 100), dn.Uniform(25)),
        dn.Additive(dn.Continuous(0, 100), dn.Normal(20)),
        dn.Additive(dn.Continuous(0, 100), dn.Laplace(10)),
    ],
    "Multiplicative": [
        dn.Multiplicative(dn.Continuous(100, 200), dn.Uniform(0.1)),
        dn.Multiplicative(dn.Continuous(-50, 200, step=1), dn.Normal(0.2)),
        dn.Multiplicative(dn.Integer(1, 20), dn.Normal(0.1)),
    ],
}
