"""A tree in worlds that the reports do not refute.

Whether somebody comes to a leaf is a product over the attributes of its path. Written as a sum of terms of one attribute, of two, of three
and so on, each term has an unbiased mean of weights, at a price that grows with every hidden attribute. The reports count as much as
they are worth beside a latent class model of the rows: nearly alone for terms of one attribute, hardly for terms of many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.confusion import usable_inverse
from deniable.classify.latent_classes import LatentClasses
from deniable.classify.tree_scoring import paths
from deniable.classify.worlds import Outcomes, Worlds

ERROR_OF_ONE, ERROR_OF_TWO, ERROR_OF_MORE = 0.5, 0.25, 0.12
"""How far the model may be wrong: about the share that passes a test; about terms of two hidden attributes and of more, in standard
deviations of the terms."""
SEEN = 3.0
"""So many standard errors show that it is."""
APART = 0.5**0.5
"""What part of that a class has of its own; all classes have as much in common, so that it does not average out."""
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


@dataclass
class Terms:
    """Terms of a class, by the number of their hidden attributes."""

    told: Any
    """As reports say, [world, order, leaf]."""
    expected: Any
    """As the model says, [order, leaf]."""
    right: Any
    """The first without the second, of the right leaves together, [world, order]."""
    sizes: Any
    """Of the right leaves together how large terms are, as a standard deviation, [order]."""
    errors: Any
    """With what errors the reports tell them, [order]."""
    doubt: float
    """How far shares of single attributes may be wrong where the reports hardly tell them, for the right leaves together."""


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
        self._known: dict[int, Terms] = {}
        self._known_common: dict[int, Any] = {}
        self.most = max(sum(self.hidden[a] for a in region) for _, region in self.paths)

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """How people of class y fare."""
        leaves = self._leaves(y)
        shares = leaves @ (self.labels[:, None] == np.arange(self.chances.shape[1]))
        loss = leaves @ -np.log(np.maximum(self.chances[:, y], 1e-15))
        return Outcomes(shares, loss, leaves, self.chances[None])

    def _leaves(self, y: int) -> Any:
        """P(leaf | y), [world, leaf]: unbiased where reports are trusted, so possibly below 0."""
        terms = self._terms(y)
        likely, right = np.maximum(terms.expected.sum(axis=0), 1e-12), self.labels == y
        # What is off goes from the leaves that are wrong to those that are right, or back.
        toward = np.where(right, likely / max(likely[right].sum(), 1e-12), -likely / max(likely[~right].sum(), 1e-12))
        shares = np.tile(terms.expected.sum(axis=0), (len(terms.told), 1))
        doubts = terms.doubt**2
        for d in range(self.most + 1):
            gaps = terms.told[:, d] - terms.expected[d]
            if d < 2:
                shares += gaps
                continue
            common = (self._common(d) * terms.sizes[d])[:, None] * toward
            apart = gaps - common
            trust, doubt = _trust(float(apart[0, right].sum()), terms.errors[d], APART * _error_of(d) * terms.sizes[d])
            shares += common + trust * apart
            doubts += ((1 - trust) * doubt) ** 2
        return shares + np.sqrt(doubts) * self.worlds.noise()[:, None] * toward

    def _common(self, d: int) -> Any:
        """By how much the model has terms of an order wrong in all classes alike, [world], in standard deviations of the terms."""
        if d not in self._known_common:
            each = [
                terms
                for y in range(self.chances.shape[1])
                if self.worlds.rows(y).size and (terms := self._terms(y)).sizes[d] > 0
            ]
            error = APART * _error_of(d)
            weights = np.array([1 / ((terms.errors[d] / terms.sizes[d]) ** 2 + error**2) for terms in each])
            gaps = np.array([terms.right[:, d] / terms.sizes[d] for terms in each])
            seen = weights @ gaps / max(weights.sum(), 1e-300) if each else np.zeros(len(self.worlds))
            trust = error**2 / (error**2 + 1 / max(weights.sum(), 1e-12))
            self._known_common[d] = trust * seen + (1 - trust) * error * self.worlds.noise()
        return self._known_common[d]

    def _terms(self, y: int) -> Terms:
        """What reports and model say of class y."""
        if y in self._known:
            return self._known[y]
        parts, cells = self.latent.of(y)
        people, weights = self.latent.draw(y, DRAWN, self.worlds.rng), self.worlds.weights(y)
        codes = self.codes[self.worlds.rows(y)]
        told = np.zeros((len(self.worlds), self.most + 1, len(self.paths)))
        expected = np.zeros((self.most + 1, len(self.paths)))
        right, told_right = np.zeros((self.most + 1, DRAWN)), np.zeros((self.most + 1, len(codes)))
        untrusted = [0.0]
        for i, (_, region) in enumerate(self.paths):
            in_kinds, in_rows, in_people, trusts = [], [], [], []
            for a, inside in region.items():
                of_kind, undone = cells[:, a, : len(inside)] @ inside, (self.inverses[a] @ inside)[codes[:, a]]
                modelled, hidden = float(parts @ of_kind), self.hidden[a]
                # Around the share that the reports tell, unless they hardly do: errors of one share are no dependence of two.
                trust = ERROR_OF_ONE**2 / (ERROR_OF_ONE**2 + float(self.worlds.error(y, undone[None])[0]) ** 2)
                # Errors of shares far outside of what is possible would multiply along a path.
                middle = float(np.clip(modelled + trust * float(weights[0] @ undone - modelled), 0, 1))
                trusts.append(trust)
                in_kinds.append((middle, of_kind - modelled, hidden))
                in_rows.append((middle, trust * (undone - middle), hidden))
                in_people.append((middle, inside[people[:, a]] - modelled, hidden))
            terms = orders(in_rows, len(codes))
            told[:, : len(terms), i] = weights @ terms.T
            expected[: len(terms), i] = orders(in_kinds, len(parts)) @ parts
            if self.labels[i] == y:
                right[: len(terms)] += orders(in_people, DRAWN)
                told_right[: len(terms)] += terms
                untrusted.append(1 - float(np.mean(trusts)) if trusts else 0.0)
        gaps = (told - expected)[:, :, self.labels == y].sum(axis=2)
        sizes = right.std(axis=1)
        # A test that half of the people pass has a standard deviation of a half.
        doubt = 2 * ERROR_OF_ONE * max(untrusted) * float(sizes[1:2].sum())
        self._known[y] = Terms(told, expected, gaps, sizes, self.worlds.error(y, told_right), doubt)
        return self._known[y]


def _error_of(d: int) -> float:
    return ERROR_OF_TWO if d == 2 else ERROR_OF_MORE


def _trust(gap: float, error: float, doubt: float) -> tuple[float, float]:
    """How far reports are trusted beside the model, and how much it is doubted: one that is seen to be further off, that much."""
    if abs(gap) > SEEN * error:
        doubt = max(doubt, min(abs(gap), 1.0))
    return doubt**2 / max(doubt**2 + error**2, 1e-300), doubt
