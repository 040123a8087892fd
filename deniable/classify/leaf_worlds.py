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
from deniable.classify.latent_classes import LatentClasses, reported
from deniable.classify.pair_terms import MOST_PAIRS, Belief, Believed, PairTerms, chance_of_quiet, products
from deniable.classify.tree_scoring import paths
from deniable.classify.worlds import Outcomes, Worlds

ERROR_OF_ONE = 1.0
"""How far the model may be wrong about the share that passes a test; wide, as it is wrong about all tests of a path in one direction."""
OF_TWO = (Belief(0.8, 0.005, 0.17), Belief(0.2, 0.05, 0.4))
"""About most pairs the model is nearly right; about one in five it may be far off. docs/classifiers.md says on what that was measured."""
QUIET, PART_OF_QUIET = 0.2, 0.3
"""The chance, before the reports are asked, that about all pairs of a tree but rules it is off by so small a part of that."""
OF_RULES = Belief(0.2, 0.6, 0.3)
"""Where two attributes are a rule, as an exclusive or is, the model may see nothing of it, and the tree, which found the rule, is right
more often than the model has it. The more of what pairs change in a tree is due to one of them, the likelier that is. Wider
than what was measured: docs/classifiers.md says why."""
ERROR_OF_MORE = 0.07
"""How far the model may be wrong about terms of three and more hidden attributes, in standard deviations of the terms."""
APART = 0.5**0.5
"""What part of that a class has of its own; all classes have as much in common, so that it does not average out."""
FEWEST = 10.0
"""Fewer people of a class do not even tell how far they are off, so nothing that they say of two attributes or more is believed."""
UNTOLD = 1e6
"""The variance of what is not told, beside that of the terms."""
SMALLEST = 1e-6
"""Terms that vary less are rounding."""
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
    unseen: Any
    """How much of the squares of these errors the worlds do not show, [order]; terms of one attribute include those of none."""
    pairs: PairTerms | None
    """Terms of two, pair by pair; None if there are none."""
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
        self.channels = {a: feature.matrix for a, feature in features.items()}
        self.hidden = {a: not np.array_equal(feature.matrix, np.eye(feature.cells)) for a, feature in features.items()}
        self._known: dict[int, Terms] = {}
        self._known_alike: dict[int, Any] = {}
        self._known_pairs: dict[int, tuple[Believed, Believed]] = {}
        self.noise_of_pairs = worlds.noise()
        self.fate = (worlds.rng.permutation(len(worlds)) + 0.5) / len(worlds)
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
        doubts = terms.doubt**2 + terms.unseen[:2][-1]
        for d in range(self.most + 1):
            gaps = terms.told[:, d] - terms.expected[d]
            if d < 2:
                shares += gaps
            elif d > 2 and terms.sizes[d] > SMALLEST:
                alike, doubt = (self._alike(d) * terms.sizes[d])[:, None] * toward, APART * ERROR_OF_MORE * terms.sizes[d]
                trust = doubt**2 / (doubt**2 + terms.errors[d] ** 2)
                shares += alike + trust * (gaps - alike)
                doubts += ((1 - trust) * doubt) ** 2 + trust**2 * terms.unseen[d]
        if terms.pairs is not None:
            off, doubt = self._of_pairs(y)
            shares += (off + APART * doubt * self.noise_of_pairs)[:, None] * toward
            doubts = doubts + (APART * doubt) ** 2
        return shares + (np.sqrt(doubts) * self.worlds.noise())[:, None] * toward

    def _of_pairs(self, y: int) -> tuple[Any, Any]:
        """By how much the model is off about pairs, and how far that may still be wrong, [world]; in some the tree is quiet."""
        quiet, loud = self._believed(y)
        both = map(self._believed, self._with_pairs())
        chance = chance_of_quiet(QUIET, sum(calm.evidence - wild.evidence for calm, wild in both))
        is_quiet = self.fate < chance
        off = np.where(is_quiet, quiet.off, loud.off)
        off[0] = chance * quiet.off[0] + (1 - chance) * loud.off[0]
        return off, np.where(is_quiet, quiet.doubt, loud.doubt)

    def _believed(self, y: int) -> tuple[Believed, Believed]:
        """Of the pairs of class y, if the tree is a quiet one and if it is not."""
        if y not in self._known_pairs:
            pairs = self._terms(y).pairs
            assert pairs is not None
            quiet = tuple(belief.times(PART_OF_QUIET) for belief in OF_TWO)
            self._known_pairs[y] = pairs.believed(quiet, OF_RULES), pairs.believed(OF_TWO, OF_RULES)
        return self._known_pairs[y]

    def _with_pairs(self) -> list[int]:
        return [y for y in self._present() if self._terms(y).pairs is not None]

    def _alike(self, d: int) -> Any:
        """By how much the model has terms of an order wrong in all classes alike, [world], in standard deviations of the terms."""
        if d not in self._known_alike:
            each = [terms for terms in map(self._terms, self._present()) if terms.sizes[d] > SMALLEST]
            doubt = APART * ERROR_OF_MORE
            weights = np.array([1 / ((terms.errors[d] / terms.sizes[d]) ** 2 + doubt**2) for terms in each])
            total = max(weights.sum(), 1e-300)
            seen = weights @ np.array([terms.right[:, d] / terms.sizes[d] for terms in each]) / total
            trust = doubt**2 / (doubt**2 + 1 / total)
            self._known_alike[d] = trust * seen + (1 - trust) * doubt * self.worlds.noise()
        return self._known_alike[d]

    def _present(self) -> list[int]:
        return [y for y in range(self.chances.shape[1]) if self.worlds.rows(y).size]

    def _terms(self, y: int) -> Terms:
        """What reports and model say of class y."""
        if y in self._known:
            return self._known[y]
        parts, cells = self.latent.of(y)
        # The same people however many worlds there are, so that the score is the same.
        rng = np.random.default_rng(y)
        people, weights = self.latent.draw(y, DRAWN, rng), self.worlds.weights(y)
        reports = {a: reported(channel, people[:, a], rng) for a, channel in self.channels.items()}
        codes = self.codes[self.worlds.rows(y)]
        told = np.zeros((len(self.worlds), self.most + 1, len(self.paths)))
        expected = np.zeros((self.most + 1, len(self.paths)))
        right, told_right, model_right = (np.zeros((self.most + 1, rows)) for rows in (DRAWN, len(codes), DRAWN))
        untrusted, pairs = [0.0], _Pairs(len(codes))
        for i, (_, region) in enumerate(self.paths):
            in_kinds, in_rows, in_people, in_reports, trusts = [], [], [], [], []
            for a, inside in region.items():
                of_kind, weight = cells[:, a, : len(inside)] @ inside, self.inverses[a] @ inside
                undone, would = weight[codes[:, a]], weight[reports[a]]
                modelled, hidden = float(parts @ of_kind), self.hidden[a]
                # Around the share that the reports tell, unless they hardly do: errors of one share are no dependence of two.
                variance = self.worlds.variance(y, self.worlds.error(y, undone[None]) ** 2, would.var())[0]
                trust = float(ERROR_OF_ONE**2 / (ERROR_OF_ONE**2 + variance))
                # Errors of shares far outside of what is possible would multiply along a path.
                middle = float(np.clip(modelled + trust * float(weights[0] @ undone - modelled), 0, 1))
                trusts.append(trust)
                in_kinds.append((middle, of_kind - modelled, hidden))
                in_rows.append((middle, trust * (undone - middle), hidden))
                in_people.append((middle, inside[people[:, a]] - modelled, hidden))
                in_reports.append((middle, trust * (would - modelled), hidden))
            terms = orders(in_rows, len(codes))
            told[:, : len(terms), i] = weights @ terms.T
            expected[: len(terms), i] = orders(in_kinds, len(parts)) @ parts
            if self.labels[i] == y:
                right[: len(terms)] += orders(in_people, DRAWN)
                told_right[: len(terms)] += terms
                model_right[: len(terms)] += orders(in_reports, DRAWN)
                pairs.add(list(region), in_kinds, in_rows, in_people, in_reports, parts)
                untrusted.append(1 - float(np.mean(trusts)) if trusts else 0.0)
        gaps = (told - expected)[:, :, self.labels == y].sum(axis=2)
        sizes = right.std(axis=1)
        # A test that half of the people pass has a standard deviation of a half.
        doubt = 2 * ERROR_OF_ONE * max(untrusted) * float(sizes[1:2].sum())
        # Where open attributes are tested, too, terms of no hidden attribute vary, and go together with those of one.
        for rows in (told_right, model_right):
            rows[1:2] += rows[:1]
        seen = self.worlds.error(y, told_right) ** 2
        variances = self.worlds.variance(y, seen, model_right.var(axis=1))
        errors, unseen = np.sqrt(variances), variances - seen
        if self.worlds.people(y) < FEWEST:
            errors[2:] = np.inf
        self._known[y] = Terms(
            told, expected, gaps + self.worlds.errors(unseen), sizes, errors, unseen, pairs.told(self.worlds, y), doubt
        )
        return self._known[y]


class _Pairs:
    """Sums over the right leaves of a class of what each pair changes."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.sums: dict[tuple[int, int], list[Any]] = {}

    def add(self, names: list[int], in_kinds: Any, in_rows: Any, in_people: Any, in_reports: Any, parts: Any) -> None:
        """One more leaf."""
        for ((u, v), of_kinds), (_, of_rows), (_, of_people), (_, of_reports) in zip(
            products(in_kinds), products(in_rows), products(in_people), products(in_reports), strict=True
        ):
            a, b = sorted((names[u], names[v]))
            empty = [0.0, np.zeros(self.rows, dtype=np.float32), np.zeros(DRAWN), np.zeros(DRAWN)]
            sums = self.sums.setdefault((a, b), empty)
            sums[0] += float(np.sum(parts * of_kinds))
            sums[1] += of_rows
            sums[2] += of_people
            sums[3] += of_reports

    def told(self, worlds: Worlds, y: int) -> PairTerms | None:
        """What reports say beyond the model; the smallest pairs together."""
        sizes = {pair: float(of_people.std()) for pair, (_, _, of_people, _) in self.sums.items()}
        order = sorted((pair for pair, size in sizes.items() if size > SMALLEST), key=lambda pair: -sizes[pair])
        if not order:
            return None
        kept = [self.sums[pair] for pair in order[:MOST_PAIRS]]
        rest = [sum(part) for part in zip(*(self.sums[pair] for pair in order[MOST_PAIRS:]), strict=True)]
        if rest and rest[2].std() > SMALLEST:
            kept.append(rest)
        of_rows, spread = np.array([one[1] for one in kept], dtype=np.float64), np.array([one[2].std() for one in kept])
        if worlds.people(y) < FEWEST:
            untold = UNTOLD * spread**2
            return PairTerms(np.zeros((len(worlds), len(kept))), spread, np.diag(untold))
        covariance = worlds.covariance(y, of_rows)
        seen = covariance.diagonal()
        unseen = worlds.variance(y, seen, np.array([one[3].var() for one in kept])) - seen
        gaps = worlds.weights(y) @ of_rows.T - [one[0] for one in kept]
        return PairTerms(gaps + worlds.errors(unseen), spread, covariance + np.diag(unseen))
