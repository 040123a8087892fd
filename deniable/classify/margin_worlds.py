"""Naive Bayes in worlds that the reports do not refute.

What decides a prediction are margins: sums over attributes of what each says for the class and against another. The mean and the
variance of a margin within a class are unbiased means of weights, however many attributes are hidden, as they take no more than two of
them at a time. The shape comes from a latent class model of the reports: its people, moved and stretched to that mean and variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.chance_cells import without_chance_cells
from deniable.classify.confusion import usable_inverse
from deniable.classify.latent_classes import LatentClasses, reported
from deniable.classify.worlds import Outcomes, Worlds, shifted

MOST_SAID = 5.0
"""What one attribute says is cut here (odds of 150 to 1): margins that depend on one rare cell would have no useful variance."""
MEAN_APART = 0.3
"""How far the mean of a margin may lie from what the classifier expects of it, at least, in standard deviations of the margin, once it is
corrected for what all classes have in common."""
STRETCH_DOWN, STRETCH_UP, STRETCH_APART = 1.0, 2.0, 0.5
"""How far it may have the variance wrong, relative to it: of all classes together (dependence that it does not see mostly stretches), and
of one class apart from the others."""
SEEN, MOST_DOUBT = 2.0, 10.0
"""A model that is off by more than so many standard errors is doubted more, up to so many times as much."""
LEAST_STRETCH, MOST_STRETCH = 0.1, 20.0
SHAPE_ERROR = 0.025
"""How far shares of right predictions may be off, all together, if means and variances are right: for the shape alone, of each margin that
decides. More where shapes differ more. docs/classifiers.md says on what that was measured."""
SHAPES = 4
DRAWN = 2_000
"""So many people of each class are drawn from the model."""
QUANTILES = 100


def said_about_classes(model: Any) -> list[Any]:
    """What each cell of an attribute says about the classes, [cell, class]; the class it speaks for most has 0."""
    return [
        np.maximum(weight * (logs - logs.max(axis=0)), -MOST_SAID).T
        for weight, logs in zip(model.weights_, model._logs, strict=True)
    ]


def inverses(model: Any) -> list[Any] | None:
    """Unbiased weights for each attribute; nothing is undone where nothing is said. None if one that matters has none."""
    found = []
    for feature, said in zip(model.features_, said_about_classes(model), strict=True):
        inverse = usable_inverse(feature)
        if inverse is None:
            if np.ptp(said, axis=1).max() > 1e-6:
                return None
            inverse = np.zeros((feature.matrix.shape[1], feature.cells))
        found.append(inverse)
    return found


class Shapes:
    """Margins of people of a class around their means, in several shapes: the reports do not say which."""

    def __init__(self, margins: Any, factors: Any) -> None:
        self.middle, self.spread, self.factors = margins - margins.mean(axis=0), margins.std(axis=0), factors
        self.order = np.argsort(np.abs(self.middle), axis=0, kind="stable")
        self.outward = np.take_along_axis(self.middle, self.order, axis=0)
        many = np.arange(1, len(margins) + 1)[:, None]
        variances = np.cumsum(self.outward**2, axis=0) / many - (np.cumsum(self.outward, axis=0) / many) ** 2
        self.of_nearest = np.maximum.accumulate(variances, axis=0)
        """The variance of so many who are the nearest to the middle."""

    def apart(self, stretch: Any, shape: int) -> Any:
        """With variances stretched that much: all alike, or by moving people together, by what is normal or by what one in five has and the
        others have not; too large ones are made smaller by leaving out those who are the farthest."""
        if shape == 0:
            return np.sqrt(stretch) * self.middle
        more = np.sqrt(np.maximum(stretch - 1, 0)) * self.spread * self.factors[shape - 1]
        return self._without_farthest(stretch) + more

    def _without_farthest(self, stretch: Any) -> Any:
        """Some combinations may not occur in a class, as where a rule decides: in place of those who are the farthest there are others,
        until the variance is right."""
        if (stretch >= 1).all():
            return self.middle
        rows, found = len(self.middle), np.empty_like(self.middle)
        for c, wanted in enumerate(np.minimum(stretch, 1) * self.of_nearest[-1]):
            left = max(int(np.searchsorted(self.of_nearest[:, c], wanted, side="right")), 1)
            values = self.outward[:, c].copy()
            values[left:] = values[np.arange(rows - left) * left // max(rows - left, 1)]
            found[self.order[:, c], c] = values - values.mean()
        return found


@dataclass
class Told:
    """What reports say about the margins of people of a class against the `others`."""

    others: Any
    people: Any
    """People drawn from the model, [person, attribute]."""
    margins: Any
    """Their margins, [person, other class]."""
    means: Any
    """Unbiased means of the margins, [world, other class], with errors."""
    errors: Any
    expected: Any
    """What the classifier expects of the means, without the part that comes from the shares of the classes."""
    start: Any
    """That part."""
    stretch: Any
    """Unbiased variances relative to those of people drawn from the model, [world, other class], with errors."""
    stretch_errors: Any
    nearest: Any
    """How often each other class is the nearest."""


class MarginWorlds:
    """The outcomes of naive Bayes in each of the worlds: in half of them as the model of people has it, in the others as it has it without
    what may be there by chance. The likeliest world is of the first half.
    """

    has_chances = True

    def __init__(self, model: Any, codes: Any, worlds: Worlds, latent: LatentClasses) -> None:
        undone, matrices = inverses(model), [feature.matrix for feature in model.features_]
        assert undone is not None
        spared = latent
        for y in range(len(model.classes_)):
            spared = without_chance_cells(spared, y, matrices, undone, worlds.people(y))
        # Each half has all shapes.
        self.second = (np.arange(len(worlds)) // SHAPES) % 2 == 1
        self.halves = (
            MarginsOfModel(model, codes, worlds, latent, np.flatnonzero(~self.second)),
            MarginsOfModel(model, codes, worlds, spared, np.flatnonzero(self.second)),
        )

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """How people of class y fare; `with_chances`: also what chances they are given."""
        found, spared = (half.outcomes(y, with_chances) for half in self.halves)
        found.predictions[self.second] = spared.predictions[self.second]
        found.loss[self.second] = spared.loss[self.second]
        if with_chances:
            found.chances[self.second] = spared.chances[self.second]
        return found


class MarginsOfModel:
    """The outcomes of naive Bayes in some of the worlds, given a model of people; those of other worlds mean nothing."""

    def __init__(self, model: Any, codes: Any, worlds: Worlds, latent: LatentClasses, own: Any) -> None:
        self.model, self.codes, self.worlds, self.latent, self.own = model, codes, worlds, latent, own
        self.said = said_about_classes(model)
        self.inverses = inverses(model)
        self.classes = len(model.classes_)
        normal, few = worlds.rng.standard_normal((DRAWN, 1)), np.where(worlds.rng.random((DRAWN, 1)) < 0.2, -2.0, 0.5)
        self.factors = (normal, few, -few)
        # What the model has wrong it has wrong for all classes alike, so that it does not average out.
        self.noise_of_shape = worlds.noise()
        self.noise_of_stretch = worlds.noise()[:, None]
        self._known: dict[int, Told] = {}
        self._slope: tuple[Any, float] | None = None
        self.log_prior = np.log(np.maximum(model.class_prior_, 1e-300))

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """How people of class y fare; `with_chances`: also what chances they are given."""
        told = self._told(y)
        others, people, margins = told.others, told.people, told.margins
        means, stretch = self._moments(y)
        worlds = len(self.worlds)
        shares, loss = np.zeros((worlds, self.classes)), np.zeros(worlds)
        chances = np.zeros((worlds, QUANTILES, self.classes)) if with_chances else None
        shapes = Shapes(margins, self.factors)
        for b in self.own:
            moved = means[b] + shapes.apart(stretch[b], b % SHAPES)
            shares[b] = self._predicted(moved, y, others)
            if chances is not None:
                own = -np.log1p(np.exp(np.minimum(-moved, 700)).sum(axis=1))
                loss[b] = -own.mean()
                chances[b, :, y] = _evenly(own - np.log(-np.expm1(np.minimum(own, -1e-300))))
                for i, c in enumerate(others):
                    log = own - moved[:, i]
                    chances[b, :, c] = _evenly(log - np.log(-np.expm1(np.minimum(log, -1e-300))))
        # What was cut from the margins.
        given = self.model._proba(people)
        shares += np.bincount(given.argmax(axis=1), minlength=self.classes) / DRAWN - self._predicted(margins, y, others)
        cut = np.log1p(np.exp(np.minimum(-margins, 700)).sum(axis=1)).mean()
        loss += -np.log(np.maximum(given[:, y], 1e-15)).mean() - cut
        right = [self._predicted(means[0] + shapes.apart(stretch[0], shape), y, others)[y] for shape in range(SHAPES)]
        # As many shapes may be wrong as there are classes near this one.
        deciding = 1 / (told.nearest**2).sum()
        shares = shifted(shares, y, np.hypot(SHAPE_ERROR * np.sqrt(deciding), np.ptp(right) / 4) * self.noise_of_shape)
        return Outcomes(shares, loss, np.full((worlds, QUANTILES), 1 / QUANTILES), chances)

    def _predicted(self, margins: Any, y: int, others: Any) -> Any:
        worst = margins.argmin(axis=1)
        right = margins[np.arange(len(margins)), worst] >= 0
        return np.bincount(np.where(right, y, others[worst]), minlength=self.classes) / len(margins)

    def _told(self, y: int) -> Told:
        """What the reports say about the margins of people of class y."""
        if y in self._known:
            return self._known[y]
        others = np.array([c for c in range(self.classes) if c != y])
        # The same people however many worlds there are, so that the score is the same.
        rng = np.random.default_rng(y)
        people, codes = self.latent.draw(y, DRAWN, rng), self.codes[self.worlds.rows(y)]
        start = self.log_prior[y] - self.log_prior[others]
        margins, told, would = (np.tile(start, (rows, 1)) for rows in (DRAWN, len(codes), DRAWN))
        squares, would_squares, expected = np.zeros_like(told), np.zeros_like(would), np.zeros(len(others))
        assert self.inverses is not None
        for j, (said, inverse) in enumerate(zip(self.said, self.inverses, strict=True)):
            own = said[:, [y]] - said[:, others]
            margins += own[people[:, j]]
            expected += self.model.shares_[j][y] @ own
            reports = reported(self.model.features_[j].matrix, people[:, j], rng)
            apart = own - own[people[:, j]].mean(axis=0)
            weight = inverse @ own
            told += weight[codes[:, j]]
            would += weight[reports]
            # A square is what its own report says of it; products of two are what both reports say.
            weight = inverse @ apart**2 - (inverse @ apart) ** 2
            squares += weight[codes[:, j]]
            would_squares += weight[reports]
        centre, spread = margins.mean(axis=0), np.maximum(margins.var(axis=0), 1e-12)
        squares, would_squares = (squares + (told - centre) ** 2) / spread, (would_squares + (would - centre) ** 2) / spread
        rows = np.concatenate([told, squares], axis=1)
        both, seen = self.worlds.weights(y) @ rows, self.worlds.error(y, rows.T) ** 2
        variances = self.worlds.variance(y, seen, np.concatenate([would, would_squares], axis=1).var(axis=0))
        errors, unseen = np.sqrt(variances), self.worlds.errors(variances - seen)
        size = len(others)
        # The square of a mean is too large by the variance of the mean: of the rows' once, of resampled rows' once more and as much longer.
        excess = told.var(axis=0) / max(self.worlds.people(y), 2.0) / spread
        stretch = both[:, size:] - (both[:, :size] - centre) ** 2 / spread + (1 + self.worlds.longer[:, [y]] ** 2) * excess
        nearest = np.bincount(margins.argmin(axis=1), minlength=size) / len(margins)
        self._known[y] = Told(
            others, people, margins, both[:, :size] + unseen[:, :size], errors[:size], expected, start, stretch + unseen[:, size:],
            errors[size:], nearest,
        )  # fmt: skip
        return self._known[y]

    def _moments(self, y: int) -> tuple[Any, Any]:
        """Means and stretches of the margins of class y, [world, other class], as far as reports are trusted."""
        told = self._told(y)
        means = self._means(told)
        common, common_error = self._common_stretch()
        # What is common to all classes is known better than what each has of its own. A variance below nothing is chance.
        gaps = np.maximum(common, LEAST_STRETCH) - 1
        doubt = STRETCH_UP if gaps[0, 0] > 0 else STRETCH_DOWN
        # Wherever the reports put the variance, it may be so much larger or smaller: few of them often put it on the wrong side.
        noise = np.where(self.noise_of_stretch > 0, STRETCH_UP, STRETCH_DOWN) / doubt * self.noise_of_stretch
        likely = 1 + self._believed(gaps, common_error, doubt, noise)
        own = self._believed(told.stretch - common, told.stretch_errors, np.full(len(told.others), STRETCH_APART), 0.0)
        return means, np.clip(likely + own, LEAST_STRETCH, MOST_STRETCH)

    def _means(self, told: Told) -> Any:
        """Means of margins, [world, other class]: what the reports say, and the less they say it, what the classifier expects.

        It learned from other rows of the same people, so it expects the right order of means, but too much of all of them.
        """
        slope, apart = self._learned()
        expected = told.start + slope[:, None] * told.expected
        doubts = apart * np.maximum(told.margins.std(axis=0), 1e-6)
        trust = doubts**2 / (doubts**2 + told.errors**2)
        noise = np.array([self.worlds.noise() for _ in told.others]).T
        return expected + trust * (told.means - expected) + (1 - trust) * doubts * noise

    def _learned(self) -> tuple[Any, float]:
        """What part of the expected means is there, [world], and how far means lie from it, in standard deviations of margins."""
        if self._slope is None:
            each = [self._told(y) for y in range(self.classes) if self.worlds.rows(y).size]
            expected, errors = np.concatenate([t.expected for t in each]), np.concatenate([t.errors for t in each])
            seen = np.concatenate([t.means - t.start for t in each], axis=1)
            spread = np.maximum(np.concatenate([t.margins.std(axis=0) for t in each]), 1e-6)
            apart = MEAN_APART
            for _ in range(5):
                weights = 1 / (errors**2 + (apart * spread) ** 2)
                slope = seen @ (weights * expected) / max(float(weights @ expected**2), 1e-12)
                gaps = seen[0] - slope[0] * expected
                squares = float(weights**2 @ (gaps**2 - errors**2)) / float(weights**2 @ spread**2)
                apart = max(MEAN_APART, np.sqrt(max(squares, 0.0)))
            self._slope = slope, apart
        return self._slope

    def _common_stretch(self) -> tuple[Any, Any]:
        """How much margins are stretched in all classes together, [world, 1], and the error of that; classes count by precision."""
        present = [y for y in range(self.classes) if self.worlds.rows(y).size]
        each = [self._told(y) for y in present]
        errors = np.array([max(float(told.stretch_errors @ told.nearest), 1e-6) for told in each])
        precision = errors**-2.0
        common = (
            sum(weight * (told.stretch @ told.nearest) for weight, told in zip(precision, each, strict=True)) / precision.sum()
        )
        return np.asarray(common)[:, None], np.array([precision.sum() ** -0.5])

    @staticmethod
    def _believed(gaps: Any, errors: Any, doubts: Any, noise: Any) -> Any:
        """What reports say beyond the model, [world, number], as far as they are to be trusted; in its place what else may be."""
        # A model that is seen to be further off is doubted that much, within reason.
        off = np.where(np.abs(gaps[0]) > SEEN * errors, np.minimum(np.abs(gaps[0]), MOST_DOUBT * doubts), 0.0)
        doubts = np.maximum(doubts, off)
        trust = doubts**2 / np.maximum(doubts**2 + errors**2, 1e-300)
        return trust * gaps + (1 - trust) * doubts * noise


def _evenly(values: Any) -> Any:
    """So many quantiles that stand for all."""
    return np.sort(values)[(np.arange(QUANTILES) * len(values) + len(values) // 2) // QUANTILES]
