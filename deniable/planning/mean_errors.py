"""How well the mean of a hidden number, or rating, will be known: with the weights that estimates use, before any answer is in."""

from __future__ import annotations

import numpy as np

from deniable.core.caps import Cap
from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.core.undoing import Undoer
from deniable.statistics.label_numbers import numbers_of

MANY = 1e6
"""Weights for means do not depend on how many answers there are; where they did, these many are meant."""
SPLITS = 101
"""In how many proportions people are split between the ends of the range."""


class MeanErrors:
    """What one answer adds to the error of the mean of those who answer, by what is true.

    >>> import deniable as dn
    >>> errors = MeanErrors(dn.OneBit(dn.Integer(0, 99), 5))
    >>> round(errors.largest, 2), round(errors.in_population, 2), errors.span
    (74.25, 74.25, 99.0)
    """

    def __init__(self, channel: Channel) -> None:
        domain, law = channel.domain, channel.law
        silent = [0.0] * (domain.missing is not None)
        self._numbers: Floats = numbers_of(domain)[: domain.size - len(silent)]
        self.span = float(self._numbers[-1] - self._numbers[0])
        """How far the largest number is from the smallest."""
        middle = (self._numbers[0] + self._numbers[-1]) / 2
        undoer = Undoer(law, Cap.of(domain), law.push(np.full(law.inputs, 1 / law.inputs)) * MANY)
        # The mean is that of those who answer: a ratio of two sums, both of which reports tell with an error.
        top = undoer.weights(np.append(self._numbers - middle, silent), MANY)
        size = undoer.weights(np.append(np.ones(len(self._numbers)), silent), MANY)
        self._places = self._numbers - middle
        self._squares = [law.pull(product)[: len(self._numbers)] for product in (top**2, top * size, size**2)]

    def _spread(self, mean: float) -> Floats:
        """The mean square of what one answer adds to the error, by its truth, if the mean of all is this."""
        tops, both, sizes = self._squares
        spread: Floats = tops - 2 * mean * both + mean**2 * sizes
        return spread

    @property
    def largest(self) -> float:
        """The largest standard error of one answer over what may be true: where all people give the same answer."""
        alike = [self._spread(place)[code] for code, place in enumerate(self._places)]
        return float(np.sqrt(max(max(alike), 0.0)))

    @property
    def in_population(self) -> float:
        """The same if people differ, too: the largest one, whether all give the same answer or some the smallest and others the largest."""
        low, high = self._places[0], self._places[-1]
        apart = [
            (1 - share) * spread[0] + share * spread[-1]
            for share in np.linspace(0.0, 1.0, SPLITS).tolist()
            for spread in [self._spread((1 - share) * low + share * high)]
        ]
        return max(self.largest, float(np.sqrt(max(apart))))
