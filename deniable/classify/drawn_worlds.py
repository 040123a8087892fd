"""Any classifier in worlds that the reports do not refute.

People of each class are drawn from a latent class model of the reports, and the classifier predicts them. What each attribute alone
changes in that is corrected by unbiased means of weights, however many attributes are hidden; what they change together is the model's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.confusion import usable_inverse
from deniable.classify.latent_classes import LatentClasses, reported
from deniable.classify.worlds import Outcomes, Worlds, shifted

TOGETHER = 0.2
"""How far the model may be wrong about what attributes change together, in standard deviations of it."""
SHAPE_ERROR = 0.025
"""How far shares of right predictions may be off besides."""
FEW = 4.0
"""So many people, who fare like everyone, are added to each cell: what hardly anybody has says nothing."""
DRAWN = 2_000
ROUNDS = 3
"""Attributes that go together share what they change: each is fitted to what the others leave, in turn, so many times."""


class DrawnWorlds:
    """The outcomes of a classifier in each of the worlds. What chances people are given is known of its own people only."""

    has_chances = False

    def __init__(self, model: Any, codes: Any, worlds: Worlds, latent: LatentClasses) -> None:
        self.model, self.codes, self.worlds, self.latent = model, codes, worlds, latent
        # What the model has wrong it has wrong for all classes alike, so that it does not average out.
        self.noise = worlds.noise()

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """How people of class y fare."""
        # The same people however many worlds there are, so that the score is the same.
        rng = np.random.default_rng(y)
        people = self.latent.draw(y, DRAWN, rng)
        given = self.model._proba(people)
        loss = -np.log(np.maximum(given[:, y], 1e-15))
        fares = np.column_stack([given.argmax(axis=1)[:, None] == np.arange(given.shape[1]), loss])
        effects, left = changed_alone(people, fares, [feature.cells for feature in self.model.features_])
        codes = self.codes[self.worlds.rows(y)]
        rows, would = (np.tile(fares.mean(axis=0), (size, 1)) for size in (len(codes), DRAWN))
        for j, (feature, effect) in enumerate(zip(self.model.features_, effects, strict=True)):
            weight = usable_inverse(feature) @ (effect - effect[people[:, j]].mean(axis=0))
            rows += weight[codes[:, j]]
            would += weight[reported(feature.matrix, people[:, j], rng)]
        seen = self.worlds.error(y, rows.T) ** 2
        unseen = self.worlds.errors(self.worlds.variance(y, seen, would.var(axis=0)) - seen)
        told = self.worlds.weights(y) @ rows
        doubts = TOGETHER * left.std(axis=0)
        shares = shifted(told[:, :-1], y, np.hypot(SHAPE_ERROR, doubts[y]) * self.noise + unseen[:, y])
        return Outcomes(
            shares, told[:, -1] + doubts[-1] * self.noise + unseen[:, -1], np.empty((len(told), 0)), np.empty((1, 0, 0))
        )


def changed_alone(people: Any, fares: Any, cells: list[int]) -> tuple[list[Any], Any]:
    """What each cell of each attribute changes alone in how people fare, [cell, way], and what is left, [person, way].

    >>> both = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 1_000)
    >>> effects, left = changed_alone(both, both[:, :1] + both[:, :1] * both[:, 1:], [2, 2])
    >>> [effect.round(2).ravel().tolist() for effect in effects], left.std().round(2).tolist()
    ([[-0.75, 0.75], [-0.25, 0.25]], 0.25)
    """
    left = fares - fares.mean(axis=0)
    effects = [np.zeros((size, fares.shape[1])) for size in cells]
    for _ in range(ROUNDS):
        for j, size in enumerate(cells):
            left = left + effects[j][people[:, j]]
            sums = np.zeros_like(effects[j])
            np.add.at(sums, people[:, j], left)
            effects[j] = sums / (np.bincount(people[:, j], minlength=size)[:, None] + FEW)
            left = left - effects[j][people[:, j]]
    return effects, left
