"""A tree in worlds that the reports do not refute.

Whether somebody comes to a leaf is a product over the attributes of its path. Written as a sum of terms of one attribute, of two, of three
and so on, each term has an unbiased mean of weights, at a price that grows with every hidden attribute. The reports count as much as
they are worth beside a latent class model of the rows: nearly alone for terms of one attribute, hardly for terms of many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.confusion import usable_inverse
from deniable.classify.latent_classes import LatentClasses
from deniable.classify.tree_scoring import paths
from deniable.classify.worlds import Outcomes, Worlds

ERROR_OF_ONE, ERROR_OF_TWO, ERROR_OF_MORE = 0.5, 0.3, 0.15
"""How far the model may be wrong: about the share that passes a test; about terms of two hidden attributes and of more, in standard
deviations of the terms."""
SEEN = 3.0
"""So many standard errors show that it is."""
DRAWN = 1_000


def orders(factors: list[tuple[float, Any, bool]], size: int) -> Any:
    """Terms by their number of hidden attributes, [order, ...], of a product of factors (middle, deviation from it, hidden).

    >>> orders([(0.5, np.array([0.5]), True), (0.25, np.array([0.75]), True)], 1).ravel().tolist()  # sums to 1
    [0.125, 0.5, 0.375]
    """
    terms = [np.ones(size)]
    for middle, apart, hidden in factors:
        if not hidden:
            terms = [term * (middle + apart) for term in terms]
            continue
        further = [np.zeros(size), *(term * apart for term in terms)]
        terms = [a + b for a, b in zip([*(term * middle for term in terms), np.zeros(size)], further, strict=True)]
    return np.array(terms)


def can_be_undone(model: Any) -> bool:
    """Whether all attributes that the tree tests have unbiased weights."""
    return all(usable_inverse(model.features_[a]) is not None for a in {a for _, region in paths(model) for a in region})


class LeafWorlds:
    """The outcomes of a tree in each of the worlds."""

    has_chances = True

    def __init__(self, model: Any, codes: Any, worlds: Worlds, latent: LatentClasses) -> None:
        self.codes, self.worlds, self.latent = codes, worlds, latent
        self.paths = paths(model)
        self.chances = model._chances[[leaf for leaf, _ in self.paths]]
        self.labels = self.chances.argmax(axis=1)
        features = {a: model.features_[a] for _, region in self.paths for a in region}
        self.inverses = {a: feature.inverse() for a, feature in features.items()}
        self.hidden = {a: not np.array_equal(feature.matrix, np.eye(feature.cells)) for a, feature in features.items()}
        self.most = max(sum(self.hidden[a] for a in region) for _, region in self.paths)

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """How people of class y fare."""
        leaves = self._leaves(y)
        shares = leaves @ (self.labels[:, None] == np.arange(self.chances.shape[1]))
        loss = leaves @ -np.log(np.maximum(self.chances[:, y], 1e-15))
        return Outcomes(shares, loss, leaves, self.chances[None])

    def _leaves(self, y: int) -> Any:
        """P(leaf | y), [world, leaf]: unbiased where reports are trusted, so possibly below 0."""
        told, expected, sizes, errors = self._terms(y)
        shares = np.tile(expected.sum(axis=0), (len(told), 1))
        right, doubts = self.labels == y, 0.0
        for d in range(self.most + 1):
            gaps = told[:, d] - expected[d]
            trust = 1.0
            if d > 1:
                doubt = (ERROR_OF_TWO if d == 2 else ERROR_OF_MORE) * sizes[d]
                gap = min(abs(float(gaps[0, right].sum())), 1.0)
                if gap > SEEN * errors[d]:
                    # A model that is seen to be further off is doubted that much.
                    doubt = max(doubt, gap)
                trust = doubt**2 / max(doubt**2 + errors[d] ** 2, 1e-300)
                doubts += ((1 - trust) * doubt) ** 2
            shares += trust * gaps
        # What else may be goes from the leaves that are wrong to those that are right, or back.
        likely = np.maximum(expected.sum(axis=0), 1e-12)
        toward = np.where(right, likely / max(likely[right].sum(), 1e-12), -likely / max(likely[~right].sum(), 1e-12))
        return shares + np.sqrt(doubts) * self.worlds.noise()[:, None] * toward

    def _terms(self, y: int) -> tuple[Any, Any, Any, Any]:
        """Terms by order and leaf: as reports say [world, order, leaf], as the model says [order, leaf]; of the right leaves together
        how large terms are, and with what errors the reports tell them, [order]."""
        parts, cells = self.latent.of(y)
        people, weights = self.latent.draw(y, DRAWN, self.worlds.rng), self.worlds.weights(y)
        codes = self.codes[self.worlds.rows(y)]
        told = np.zeros((len(self.worlds), self.most + 1, len(self.paths)))
        expected = np.zeros((self.most + 1, len(self.paths)))
        right, told_right = np.zeros((self.most + 1, DRAWN)), np.zeros((self.most + 1, len(codes)))
        for i, (_, region) in enumerate(self.paths):
            in_kinds, in_rows, in_people = [], [], []
            for a, inside in region.items():
                of_kind, undone = cells[:, a, : len(inside)] @ inside, (self.inverses[a] @ inside)[codes[:, a]]
                modelled, hidden = float(parts @ of_kind), self.hidden[a]
                # Around the share that the reports tell, unless they hardly do: errors of one share are no dependence of two.
                trust = ERROR_OF_ONE**2 / (ERROR_OF_ONE**2 + float(self.worlds.error(y, undone[None])[0]) ** 2)
                middle = modelled + trust * float(weights[0] @ undone - modelled)
                in_kinds.append((middle, of_kind - modelled, hidden))
                in_rows.append((middle, trust * (undone - middle), hidden))
                in_people.append((middle, inside[people[:, a]] - modelled, hidden))
            terms = orders(in_rows, len(codes))
            told[:, : len(terms), i] = weights @ terms.T
            expected[: len(terms), i] = orders(in_kinds, len(parts)) @ parts
            if self.labels[i] == y:
                right[: len(terms)] += orders(in_people, DRAWN)
                told_right[: len(terms)] += terms
        return told, expected, right.std(axis=1), self.worlds.error(y, told_right)
