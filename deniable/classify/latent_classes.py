"""A latent class model of true rows, fitted to reports: in each class a few kinds of people, in each kind attributes are independent.

Such mixtures come as close as one likes to any joint distribution. A class has one kind, which is what naive Bayes assumes, until another
explains the reports better than it explains reports simulated without it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from deniable.classify.parallel import finished
from deniable.kernels.latent import maximise_margins, maximised

ERRORS = 2.0
"""So many standard errors above what chance gives another kind is believed. Gains by chance vary like their square root."""
MOST_KINDS = 6
"""Kinds of people in a class, at most."""
STEPS, STEPS_OF_MARGINS = 60, 1_000
PSEUDO_PEOPLE = 1.0
"""So many people, distributed like everyone, are added to each kind, so that no cell seems impossible."""
SMALLEST = 1e-300


@dataclass
class LatentClasses:
    """`of_class` is the class of each kind, `parts` its share of all people, `cells` its P(cell), [kind, attribute, cell]."""

    of_class: Any
    parts: Any
    cells: Any

    def of(self, y: int) -> tuple[Any, Any]:
        """The kinds of people of a class: how frequent they are within it, and their P(cell), [kind, attribute, cell]."""
        mine = self.of_class == y
        total = self.parts[mine].sum()
        parts = self.parts[mine] / total if total > 0 else np.full(mine.sum(), 1 / mine.sum())
        return parts, self.cells[mine]

    def draw(self, y: int, rows: int, rng: np.random.Generator) -> Any:
        """True cells of so many people of a class, [row, attribute]."""
        parts, cells = self.of(y)
        ends = np.rint(np.cumsum(parts) / parts.sum() * rows).astype(int)
        out = np.empty((rows, cells.shape[1]), dtype=np.int32)
        start = 0
        for k, end in enumerate(ends):
            size = end - start
            for j in range(cells.shape[1]):
                # Evenly spread in a random order instead of drawn one by one: the same distribution with less noise.
                running = np.cumsum(cells[k, j])
                even = (rng.permutation(size) + 0.5) / max(size, 1) * running[-1]
                out[start:end, j] = np.searchsorted(running, even)
            start = end
        return out


def reported(channel: Any, cells: Any, rng: np.random.Generator) -> Any:
    """What people in these true cells of an attribute would report.

    >>> channel = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # one row per true cell, one column per report
    >>> reported(channel, np.array([1, 0, 0]), np.random.default_rng(0)).tolist()
    [2, 0, 0]
    """
    even = (rng.permutation(len(cells)) + 0.5) / len(cells)
    return np.minimum((channel.cumsum(axis=1)[cells] < even[:, None]).sum(axis=1), channel.shape[1] - 1)


class Reports:
    """Reports of attributes and class, ready for expectation maximisation."""

    def __init__(self, codes: Any, reported_class: Any, matrices: list[Any], class_matrix: Any) -> None:
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.sizes = np.array([matrix.shape for matrix in matrices], dtype=np.int64).reshape(-1, 2)
        self.hidden = np.array(
            [matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, np.eye(len(matrix))) for matrix in matrices]
        )
        most = self.sizes.max(axis=0)
        self.matrices = np.zeros((len(matrices), most[0], max(most[0], most[1])))
        for j, matrix in enumerate(matrices):
            self.matrices[j, : matrix.shape[0], : matrix.shape[1]] = matrix
        self.chance_of_class = np.ascontiguousarray(class_matrix[:, reported_class].T)
        # Equal cells to begin with.
        self.base = (np.arange(most[0]) < self.sizes[:, :1]) / self.sizes[:, :1]

    def fit(self, model: LatentClasses, steps: int = STEPS) -> tuple[LatentClasses, Any]:
        """Expectation maximisation from a first guess; also the log-likelihood of each row."""
        parts, cells = model.parts.copy(), np.ascontiguousarray(model.cells.copy())
        chance = np.ascontiguousarray(self.chance_of_class[:, model.of_class])
        told = maximised(
            self.codes, chance, parts, cells, self.matrices, self.sizes, self.hidden, self.base, PSEUDO_PEOPLE, steps
        )
        return LatentClasses(model.of_class, parts, cells), told

    def simulated(self, model: LatentClasses, rng: np.random.Generator) -> Any:
        """Reports of as many people of the model, whose classes were reported as they were."""
        chances = np.cumsum(self.chance_of_class[:, model.of_class] * model.parts, axis=1)
        kind = (chances < rng.random(len(chances))[:, None] * chances[:, -1:]).sum(axis=1).clip(max=len(model.parts) - 1)
        codes = np.empty_like(self.codes)
        for j, (cells, outputs) in enumerate(self.sizes):
            running = np.cumsum(model.cells[:, j, :cells] @ self.matrices[j, :cells, :outputs], axis=1)[kind]
            codes[:, j] = (running < rng.random(len(kind))[:, None] * running[:, -1:]).sum(axis=1).clip(max=outputs - 1)
        return codes

    def margins(self, of_class: Any, classes: int) -> LatentClasses:
        """One kind of people in each class, if every row's class is known: what naive Bayes assumes, from counts alone."""
        counts = np.zeros((classes, *self.matrices.shape[::2]))
        np.add.at(counts, (of_class[:, None], np.arange(self.codes.shape[1]), self.codes), 1.0)
        cells = np.repeat(self.base[None], classes, axis=0)
        maximise_margins(counts, cells, self.matrices, self.sizes, self.hidden, self.base, PSEUDO_PEOPLE, STEPS_OF_MARGINS)
        return LatentClasses(np.arange(classes), np.bincount(of_class, minlength=classes) / len(of_class), cells)


def fit_latent_classes(
    codes: Any, reported_class: Any, matrices: list[Any], class_matrix: Any, n_jobs: int | None = None
) -> LatentClasses:
    """The model with as many kinds of people in each class as the reports ask for; `n_jobs` threads fit at once, as joblib reads it.

    >>> rng = np.random.default_rng(1)
    >>> twins = np.repeat(rng.integers(0, 2, (500, 1)), 6, axis=1)
    >>> found = fit_latent_classes(twins, np.zeros(500, dtype=int), [np.eye(2)] * 6, np.eye(1))
    >>> found.of_class.tolist()
    [0, 0]
    """
    classes = len(class_matrix)
    reports, best, told, own = _of_one_kind(codes, reported_class, matrices, class_matrix)
    open_class = _is_open(class_matrix)
    growing = np.ones(classes, dtype=bool)
    for kinds in range(2, MOST_KINDS + 1):
        asked = best, growing, kinds, reports
        (tried, seen), chance = finished([delayed(_fit_split)(*asked), delayed(_gained_by_chance)(*asked, own)], n_jobs, True)
        gained = np.bincount(own, seen - told, minlength=classes)
        if not open_class:
            gained, chance = np.full(classes, gained.sum()), np.full(classes, chance.sum())
        better = growing & (gained > chance + ERRORS * np.sqrt(2 * np.maximum(chance, 1)))
        if not better.any():
            break
        best = _joined(best, tried, better)
        told = np.where(better[own], seen, told)
        growing = better
    return best


def fit_kinds(codes: Any, reported_class: Any, matrices: list[Any], class_matrix: Any, kinds: Any) -> LatentClasses:
    """The model with so many kinds of people in each class.

    >>> rng = np.random.default_rng(1)
    >>> twins = np.repeat(rng.integers(0, 2, (500, 1)), 6, axis=1)
    >>> fit_kinds(twins, np.zeros(500, dtype=int), [np.eye(2)] * 6, np.eye(1), [2]).cells[:, 0].round(1).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    reports, model, _, _ = _of_one_kind(codes, reported_class, matrices, class_matrix)
    kinds = np.asarray(kinds)
    for many in np.unique(kinds[kinds > 1]).tolist():
        model = _split(model, kinds == many, many, reports)
    return reports.fit(model)[0]


def _is_open(class_matrix: Any) -> bool:
    """Whether the reported class says what the class is."""
    return bool((np.count_nonzero(class_matrix, axis=0) == 1).all())


def _of_one_kind(
    codes: Any, reported_class: Any, matrices: list[Any], class_matrix: Any
) -> tuple[Reports, LatentClasses, Any, Any]:
    """The reports, the model with one kind in each class, the log-likelihood of each row, and the class of each row (0 if it is hidden)."""
    classes = len(class_matrix)
    reports = Reports(codes, reported_class, matrices, class_matrix)
    nobody = np.zeros(len(codes), dtype=int)
    reports.base = reports.margins(nobody, 1).cells[0]
    if _is_open(class_matrix):
        # Rows of an open class tell of its kinds alone, so each class is decided by itself.
        own = class_matrix[:, reported_class].argmax(axis=0)
        return reports, *reports.fit(reports.margins(own, classes), 0), own
    equal = np.repeat(reports.base[None], classes, axis=0)
    start = LatentClasses(np.arange(classes), np.full(classes, 1 / classes), equal)
    return reports, *reports.fit(start, 2 * STEPS), nobody


def _fit_split(best: LatentClasses, growing: Any, kinds: int, reports: Reports) -> tuple[LatentClasses, Any]:
    return reports.fit(_split(best, growing, kinds, reports))


def _gained_by_chance(best: LatentClasses, growing: Any, kinds: int, reports: Reports, own: Any) -> Any:
    """By how much another kind would explain reports better of which it is known that there is none, class by class."""
    simulated = copy(reports)
    simulated.codes = reports.simulated(best, np.random.default_rng(0))
    fitted, told = simulated.fit(best)
    _, seen = _fit_split(fitted, growing, kinds, simulated)
    return np.maximum(np.bincount(own, seen - told, minlength=len(growing)), 0)


def _along(codes: Any, sizes: Any) -> Any:
    """Where each row lies along the direction in which reports vary together the most (correspondence analysis, one axis)."""
    starts = np.concatenate([[0], np.cumsum(sizes[:, 1])])
    places = codes + starts[:-1]
    shares = np.bincount(places.ravel(), minlength=starts[-1]) / len(codes)
    # Flags of reports, centred and scaled, are never written out. Sums are numpy's own, which are the same on every machine and thread.
    scale = 1 / np.sqrt(np.maximum(shares, 1 / len(codes)))
    vector = np.random.default_rng(0).standard_normal(starts[-1])
    for _ in range(15):
        along = _sums(places, vector * scale, shares)
        vector = scale * (np.bincount(places.ravel(), np.repeat(along, places.shape[1]), starts[-1]) - shares * along.sum())
        length = float(np.sqrt((vector**2).sum()))
        if length == 0:
            break
        vector /= length
    return _sums(places, vector * scale, shares)


def _sums(places: Any, numbers: Any, shares: Any) -> Any:
    """For each row the sum of the numbers of its reports, less the mean over all rows."""
    total = np.full(len(places), -float((shares * numbers).sum()))
    for j in range(places.shape[1]):
        total += numbers[places[:, j]]
    return total


def _split(best: LatentClasses, growing: Any, kinds: int, reports: Reports) -> LatentClasses:
    """A first guess with so many kinds in the growing classes: their rows in equal parts along the direction of most variation."""
    of_class, parts, cells = [], [], []
    for y in range(len(growing)):
        mine = best.of_class == y
        if not growing[y]:
            of_class += [y] * int(mine.sum())
            parts += list(best.parts[mine])
            cells += list(best.cells[mine])
            continue
        likely = reports.chance_of_class[:, y]
        members = np.flatnonzero(likely > 0.5 * likely.max()) if likely.max() > 0 else np.zeros(0, dtype=int)
        order = members[np.argsort(_along(reports.codes[members], reports.sizes), kind="stable")] if members.size else members
        within, middle = best.of(y)
        middle = np.tensordot(within, middle, axes=1)
        for part in np.array_split(order, kinds):
            of_class.append(y)
            parts.append(best.parts[mine].sum() / kinds)
            cells.append(_tilted(middle, reports.codes[part], reports))
    return LatentClasses(np.array(of_class), np.array(parts), np.array(cells))


def _tilted(middle: Any, codes: Any, reports: Reports) -> Any:
    """P(cell) of a class moved toward those of its rows that are given."""
    out = np.zeros_like(middle)
    for j, (cells, outputs) in enumerate(reports.sizes):
        matrix = reports.matrices[j, :cells, :outputs]
        counts = np.bincount(codes[:, j], minlength=outputs) + 1.0
        expected = np.maximum(middle[j, :cells] @ matrix, SMALLEST)
        guess = middle[j, :cells] * (matrix @ (counts / counts.sum() / expected)) ** 2 + 1e-3 / cells
        out[j, :cells] = guess / guess.sum()
    return out


def _joined(best: LatentClasses, tried: LatentClasses, better: Any) -> LatentClasses:
    """The kinds of `tried` for classes that are better off with them, those of `best` for the others."""
    old, new = ~better[best.of_class], better[tried.of_class]
    return LatentClasses(
        np.concatenate([best.of_class[old], tried.of_class[new]]),
        np.concatenate([best.parts[old], tried.parts[new]]),
        np.concatenate([best.cells[old], tried.cells[new]]),
    )
