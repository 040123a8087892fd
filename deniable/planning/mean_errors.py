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


class MeanErrors:
    """What one answer adds to the error of the mean of those who answer, by what is true.

    >>> import deniable as dn
    >>> errors = MeanErrors(dn.OneBit(dn.Integer(0, 99), 5))
    >>> round(errors.largest, 2), round(errors.evenly, 2), errors.span
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
        pulled = [law.pull(product) for product in (top**2, top * size, size**2)]
        self._squares = [each[: len(self._numbers)] for each in pulled]
        self._on_average = [float(each.mean()) for each in pulled]
        self._answering = len(self._numbers) / law.inputs

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
    def evenly(self) -> float:
        """The standard error of one answer if all answers, and silence, are equally frequent: what plans assume.

        >>> import deniable as dn
        >>> round(MeanErrors(dn.Identity(dn.Integer(0, 99))).evenly, 2)         # that of the numbers 0 to 99 themselves
        28.87
        """
        tops, both, sizes = self._on_average
        mean = float(self._places.mean())
        return float(np.sqrt(max(tops - 2 * mean * both + mean**2 * sizes, 0.0))) / self._answering

    @property
    def direct(self) -> float:
        """The variance of the numbers themselves, if all are equally frequent, as a part of the square of their span."""
        return float(self._numbers.var()) / self.span**2
