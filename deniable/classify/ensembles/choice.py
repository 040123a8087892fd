"""Which classifiers decide, by what the reports show.

Which of any two is better on true rows mostly cannot be seen from distorted ones: they read reports in different ways, so who is better on
reports need not be better on truths. Two things can be seen. One is whether attributes depend on each other within the classes, which
naive Bayes assumes they do not: a latent class model tests that. The other is whether that model predicts held-out reports better than
naive Bayes: both read them by Bayes' rule through the same channels, so what differs is what they know of the truths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from deniable.classify.as_reported import AsReported
from deniable.classify.coded_rows import CodedRows
from deniable.classify.confusion import class_weights
from deniable.classify.forest.unbiased import UnbiasedForest
from deniable.classify.latent_bayes import MOST_TESTED, LatentBayes
from deniable.classify.latent_classes import LatentClasses, fit_latent_classes
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.parallel import finished
from deniable.core.schema import Schema

REFUTED = 2.0
"""So many kinds of people in a class, on average over people, refute that attributes are independent within classes."""
CLEARLY = 2.0
"""By so many paired standard errors one must predict more held-out reports than the other."""
PARTS = 4
"""Reports are held out in so many parts. Kinds of people are many numbers: taught by half of the rows they would seem too bad."""
TREES, LEAST_IN_LEAF = 100, 5
"""Of the forest on reports. No leaf is about one report alone, as the file of the classifier may be passed on."""
DRAWN = 5_000


@dataclass
class Choice:
    """Who decides; how many kinds of people each class has; what naive Bayes might reach without privacy, None if nothing is known."""

    members: list[Any]
    kinds: Any
    without_privacy: float | None


def choose(rows: CodedRows, schema: Schema | None, bins: int, weighted: bool, n_jobs: int | None = None) -> Choice:
    """Who decides about such rows.

    Parameters
    ----------
    rows : reported rows.
    schema : how they were distorted.
    bins : through how many cells numbers are seen.
    weighted : whether not all count the same, so that kinds of people are tested, and not classified by.
    n_jobs : how many processes learn at once.

    Returns
    -------
    Choice
        The members, and what was found on the way.

    Examples
    --------
    >>> import deniable as dn
    >>> rows, _ = dn.AutoClassifier()._rows(np.array([[0], [1]] * 50), np.array([0, 1] * 50), None)
    >>> [type(member).__name__ for member in choose(rows, None, 10, False).members]
    ['ReconstructionNaiveBayes']
    """
    classes = len(rows.target.labels)
    alone = ReconstructionNaiveBayes(bins=bins)
    if schema is not None and schema.groups:
        # Reports of attributes that share a draw depend on each other anyway.
        return Choice([alone], np.ones(classes, dtype=int), None)
    latent = tested(rows, bins, n_jobs)
    kinds = np.bincount(latent.of_class, minlength=classes)
    without = without_privacy(latent, classes)
    if float(latent.parts @ kinds[latent.of_class]) < REFUTED:
        return Choice([alone], kinds, without)
    by_kinds = LatentBayes(kinds=kinds.tolist(), bins=bins)
    first = by_kinds if not weighted and predicts_more(by_kinds, alone, rows, schema, n_jobs) else alone
    reports = AsReported(RandomForestClassifier(TREES, min_samples_leaf=LEAST_IN_LEAF), bins=bins)
    # Products of weights need many rows of each class.
    return Choice([first, UnbiasedForest(bins=bins), reports] if classes == 2 else [first, reports], kinds, without)


def _some(rows: CodedRows) -> Any:
    return np.arange(len(rows))[:: -(-len(rows) // MOST_TESTED)]


def tested(rows: CodedRows, bins: int, n_jobs: int | None) -> LatentClasses:
    """A latent class model of the reports, with as many kinds of people as they ask for."""
    cells = [column.cells(None, bins, bins) for column in rows.attributes]
    some = _some(rows)
    codes = np.column_stack([cell.of_reported[codes[some]] for cell, codes in zip(cells, rows.codes, strict=True)])
    return fit_latent_classes(codes, rows.classes[some], [cell.matrix for cell in cells], rows.target.matrix, n_jobs)


def predicts_more(one: Any, other: Any, rows: CodedRows, schema: Schema | None, n_jobs: int | None = None) -> bool:
    """Whether one classifier predicts clearly more reported rows right than the other, each part of them by what the others taught.

    A hidden class is undone without bias.

    Parameters
    ----------
    one, other : classifiers, not fitted.
    rows : reported rows.
    schema : how they were distorted.
    n_jobs : how many processes learn at once.

    Returns
    -------
    bool
        Whether `one` is right more often, by `CLEARLY` paired standard errors.

    Examples
    --------
    >>> import deniable as dn
    >>> rows, _ = dn.AutoClassifier()._rows(np.array([[0], [1]] * 50), np.array([0, 1] * 50), None)
    >>> predicts_more(dn.ReconstructionNaiveBayes(), dn.ReconstructionNaiveBayes(), rows, None)
    False
    """
    undone = class_weights(rows.target.matrix)
    if undone is None:
        return False
    order = np.random.default_rng(0).permutation(_some(rows))
    parts = [np.sort(order[part::PARTS]) for part in range(PARTS)]
    models = [clone(model).set_params(schema=schema) for model in (one, other)]
    work = [delayed(held_out_rights)(model, rows, order, asked, undone) for model in models for asked in parts]
    right = np.array_split(np.concatenate(list(finished(work, n_jobs))), 2)
    gained = right[0] - right[1]
    return bool(gained.mean() > CLEARLY * gained.std(ddof=1) / np.sqrt(len(gained)))


def held_out_rights(model: Any, rows: CodedRows, order: Any, asked: Any, undone: Any) -> Any:
    """How right a classifier that the other rows of `order` teach is about each of those asked: 1 or 0, with a hidden class undone."""
    held_out, fitted = rows.take(asked), clone(model).fit(rows.take(np.setdiff1d(order, asked)))
    return undone[held_out.classes, fitted._proba_distorted(held_out.cells_for(fitted)).argmax(axis=1)]


def without_privacy(latent: LatentClasses, classes: int) -> float:
    """How well naive Bayes of people drawn from a model predicts others drawn from it."""
    rng = np.random.default_rng(0)
    shares = np.bincount(latent.of_class, latent.parts, minlength=classes)
    present = [y for y in range(classes) if shares[y] > 0]
    drawn = {y: latent.draw(y, DRAWN, rng) for y in present}
    tests = {y: latent.draw(y, DRAWN, rng) for y in present}
    attributes, cells = latent.cells.shape[1:]
    logs = np.zeros((classes, attributes, cells))
    for y, people in drawn.items():
        for j in range(attributes):
            logs[y, j] = np.log((np.bincount(people[:, j], minlength=cells) + 1) / (DRAWN + cells))
    right = 0.0
    for y, people in tests.items():
        said = (
            np.log(np.maximum(shares[present], 1e-300))
            + np.array([logs[c][np.arange(attributes), people].sum(axis=1) for c in present]).T
        )
        right += shares[y] * float((np.array(present)[said.argmax(axis=1)] == y).mean())
    return right / float(shares.sum())
