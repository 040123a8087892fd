"""What the order of rows tells: of the answers, where rows were sorted, and which columns put shuffled rows back in order.

Epsilon bounds what one report says about one person. It says nothing where rows carry information about one another, and in a sorted
file they do: anyone who knows that it was sorted learns the answers of a whole stretch from many reports, however each was randomised.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats

SURPRISE, MORE = 5.0, 0.1
"""An order tells something where neighbours agree more than by chance: by this many standard errors, and this far toward a sorted file."""


def sorted_by_answers(groups: Any, answers: Any) -> tuple[float, float]:
    """How far neighbours of a group agree above chance: from 0 (chance) to 1 (as in a sorted file), and in standard errors.

    Rows of a group are taken in the order of the file; pairs that follow each other and have equal answers are counted and compared with
    all orders being equally likely. Within groups, because an order by what is published anyway, such as the town, tells nothing more.

    >>> import numpy as np
    >>> everyone = np.zeros(8, int)
    >>> sorted_by_answers(everyone, np.array([0, 0, 0, 0, 1, 1, 1, 1]))[0]
    1.0
    >>> sorted_by_answers(everyone, np.array([0, 1, 0, 1, 0, 1, 0, 1]))[0] < 0
    True
    """
    order = np.argsort(groups, kind="stable")
    sorted_groups, told = np.asarray(groups)[order].astype(np.int64), np.asarray(answers)[order].astype(np.int64)
    equal = float(((sorted_groups[1:] == sorted_groups[:-1]) & (told[1:] == told[:-1])).sum())
    # Counts of the answers that a group has, not of all it could have: there may be many of both.
    pairs, counts = np.unique(sorted_groups * (told.max() + 1) + told, return_counts=True)
    group = pairs // (told.max() + 1)
    return _above_chance(
        equal, *(np.bincount(group, counts.astype(np.float64) ** power).astype(np.float64) for power in range(4))
    )


def _above_chance(equal: float, kinds: Floats, n: Floats, squares: Floats, cubes: Floats) -> tuple[float, float]:
    """Equal neighbours against chance, from sums of powers of the counts in each group.

    The variance is that of the number of runs of several kinds (Barton and David 1957).
    """
    several = n > 1
    kinds, n, squares, cubes = kinds[several], n[several], squares[several], cubes[several]
    expected = ((squares - n) / n).sum()
    variance = ((squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))).sum()
    most = (n - kinds).sum()
    if variance <= 0 or most <= expected:
        return 0.0, 0.0
    return float((equal - expected) / (most - expected)), float((equal - expected) / np.sqrt(variance))


class EqualNeighbours:
    """`sorted_by_answers` for one column of codes that comes in pieces.

    >>> seen = EqualNeighbours(2)
    >>> seen.add(np.array([0, 0, 0, 0])); seen.add(np.array([1, 1, 1, 1]))
    >>> seen.found()[0]
    1.0
    """

    def __init__(self, size: int) -> None:
        self._counts = np.zeros(size, dtype=np.int64)
        self._equal = 0
        self._last: Any = None

    def add(self, codes: Any) -> None:
        """Take the next rows."""
        if not len(codes):
            return
        self._counts += np.bincount(codes, minlength=len(self._counts))
        self._equal += int((codes[1:] == codes[:-1]).sum()) + int(self._last is not None and self._last == codes[0])
        self._last = codes[-1]

    def found(self) -> tuple[float, float]:
        """How far toward a sorted file neighbours agree above chance, and in standard errors."""
        counts = self._counts[self._counts > 0].astype(np.float64)
        powers = [np.array([(counts**power).sum()]) for power in range(4)]
        return _above_chance(float(self._equal), *powers)


class SerialCorrelation:
    """How neighbours' numbers correlate, for a column that comes in pieces: 1 as in a long sorted file, 0 by chance.

    Expectation and variance are those of all orders being equally likely (Wald and Wolfowitz 1943, the last row being the first one's
    neighbour too), so numbers need not be normal.

    >>> seen = SerialCorrelation()
    >>> seen.add(np.arange(50)); seen.add(np.arange(50, 100))
    >>> round(seen.found()[0], 2)
    0.94
    """

    def __init__(self) -> None:
        self._middle, self._unit = 0.0, 1.0
        self._powers = np.zeros(5)
        self._products = 0.0
        self._first: float | None = None
        self._last = 0.0

    def add(self, values: Any) -> None:
        """Take the next rows."""
        if not len(values):
            return
        x = np.asarray(values, dtype=np.float64)
        if self._first is None:
            # In units of the first rows, so that little is lost where numbers are large and near each other.
            self._middle, self._unit = float(x.mean()), float(x.std()) or 1.0
        x = (x - self._middle) / self._unit
        square = x * x
        self._powers += (len(x), x.sum(), square.sum(), (square * x).sum(), (square * square).sum())
        self._products += float(x[1:] @ x[:-1])
        if self._first is None:
            self._first = float(x[0])
        else:
            self._products += self._last * float(x[0])
        self._last = float(x[-1])

    def found(self) -> tuple[float, float]:
        """The correlation of neighbours, and how many standard errors it lies above chance."""
        n, s1, s2, s3, s4 = self._powers
        if n < 3 or self._first is None:
            return 0.0, 0.0
        mean = s1 / n
        # Around the mean, where the formulas are short.
        around2 = s2 - n * mean**2
        around4 = s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * n * mean**4
        product = self._products + self._last * self._first - n * mean**2
        variance = (
            (around2**2 - around4) / (n - 1) + (around2**2 - 2 * around4) / ((n - 1) * (n - 2)) - (around2 / (n - 1)) ** 2
        )
        if around2 <= 1e-12 * max(s2, 1e-300) or variance <= 0:
            return 0.0, 0.0
        return float(product / around2), float((product + around2 / (n - 1)) / math.sqrt(variance))
