"""Bayes with several kinds of people in each class: what naive Bayes is where attributes depend on each other within classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from deniable.classify.confusion import sampled_confusion
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.latent_classes import SMALLEST, LatentClasses, fit_kinds, fit_latent_classes
from deniable.classify.shared import SharedDraw
from deniable.classify.training_rows import read_reports, refuse_one_class
from deniable.core.allowed import Allowed, whole_from
from deniable.errors import ParameterError, SchemaError

MOST_TESTED = 20_000
"""Of more rows some are enough, evenly spread."""
FEWEST = 5
"""No kind is about fewer people, as the file of the classifier may be passed on; a class has one kind at least."""
KINDS = Allowed(
    "None or a list of whole numbers of at least 1, one for each class",
    lambda given: given is None or (isinstance(given, (list, tuple)) and all(whole_from(1).fits(number) for number in given)),
)


class LatentBayes(ReconstructingClassifier):
    """In each class there are kinds of people, in each kind attributes are independent: a latent class model, fitted to reports.

    Rows, true or reported, are classified by Bayes' rule. With one kind in each class that is naive Bayes.

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    kinds : how many kinds of people each class has; None: as many as the reports ask for.
    bins : through how many cells numbers are seen.
    random_state : a seed for scores that are drawn; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> truth = pd.DataFrame(np.repeat(rng.integers(0, 2, (2_000, 2)), 3, axis=1), columns=list("abcdef"))
    >>> y = truth["a"] ^ truth["f"]
    >>> schema = dn.Schema({name: dn.KRR(dn.Binary(), 0.8) for name in truth})
    >>> model = LatentBayes(schema).fit(schema.randomise(truth, rng), y)
    >>> bool(model.score(truth, y) > 0.99), model.kinds_.tolist()
    (True, [2, 2])
    """

    _kind = "latent_bayes"
    _allowed: ClassVar[Mapping[str, Allowed]] = {"kinds": KINDS, "bins": whole_from(2)}
    groups_: list[SharedDraw]

    def __init__(self, schema: Any = None, kinds: Any = None, bins: int = 10, random_state: Any = None) -> None:
        self.schema = schema
        self.kinds = kinds
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> LatentBayes:
        """Learn from distorted rows; `y` are the reported classes (or the schema's target among the columns of X)."""
        self._check_parameters()
        columns, classes, _ = self._read_training(X, y)
        fine, classes, _ = read_reports(self.attributes_, columns, classes, None)
        refuse_one_class(self.target_, classes)
        kinds = self.target_.matrix.shape[1]
        self._counts = [
            np.bincount(classes * attribute.reported_size + codes, minlength=kinds * attribute.reported_size).reshape(kinds, -1)
            for attribute, codes in zip(self.attributes_, fine, strict=True)
        ]
        self._know_cells()
        codes = np.column_stack([f.of_reported[codes] for f, codes in zip(self.features_, fine, strict=True)])
        matrices = [feature.matrix for feature in self.features_]
        if self.kinds is None:
            some = slice(None, None, -(-len(codes) // MOST_TESTED))
            found = fit_latent_classes(codes[some], classes[some], matrices, self.target_.matrix)
            wanted = np.bincount(found.of_class, minlength=len(self.classes_))
        else:
            wanted = np.array(self.kinds)
            if len(wanted) != len(self.classes_):
                raise ParameterError(
                    "kinds", "kinds must be a list with one number for each class, {classes} in all, got {got}.",
                    classes=len(self.classes_), got=list(self.kinds),
                )  # fmt: skip
        if len(codes) > MOST_TESTED or self.kinds is not None:
            found = fit_kinds(codes, classes, matrices, self.target_.matrix, wanted)
        return self._know(_large_kinds(found, len(codes)))

    def _know_cells(self) -> None:
        schema = self._schema()
        if schema is not None and schema.groups:
            raise SchemaError(
                "kinds_and_groups",
                "Kinds of people cannot be told where attributes share a draw ({groups}). Use dn.ReconstructionNaiveBayes.",
                groups=", ".join(schema.groups),
            )
        self.features_ = [
            attribute.cells(counts.sum(axis=0), self.bins, self.bins)
            for attribute, counts in zip(self.attributes_, self._counts, strict=True)
        ]
        self.groups_ = []

    def _know(self, latent: LatentClasses) -> LatentBayes:
        classes = len(self.classes_)
        self.latent_ = latent
        self.kinds_ = np.bincount(latent.of_class, minlength=classes)
        self.class_prior_ = np.bincount(latent.of_class, latent.parts, minlength=classes)
        of_truths = [latent.cells[:, i, : feature.cells] for i, feature in enumerate(self.features_)]
        self._logs = [np.log(np.maximum(cells, SMALLEST)) for cells in of_truths]
        self._logs_of_reports = [
            np.log(np.maximum(cells @ feature.matrix, SMALLEST))
            for cells, feature in zip(of_truths, self.features_, strict=True)
        ]
        within = [latent.of(y) for y in range(classes)]
        means = [np.tensordot(parts, cells, axes=1) for parts, cells in within]
        self.shares_ = [np.array([mean[i, : f.cells] for mean in means]) for i, f in enumerate(self.features_)]
        return self

    def _chances(self, logs: list[Any], codes: Any) -> Any:
        """P(class) by Bayes' rule, from log P(cell | kind) of each attribute."""
        total = np.tile(np.log(np.maximum(self.latent_.parts, SMALLEST)), (len(codes), 1))
        for i, of_kinds in enumerate(logs):
            total += of_kinds[:, codes[:, i]].T
        of_kinds = np.exp(total - total.max(axis=1, keepdims=True))
        chances = np.column_stack([of_kinds[:, self.latent_.of_class == y].sum(axis=1) for y in range(len(self.classes_))])
        return chances / chances.sum(axis=1, keepdims=True)

    def _proba(self, codes: Any) -> Any:
        return self._chances(self._logs, codes)

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        chances = self._chances(self._logs_of_reports, codes)
        if reported_class is None:
            return chances
        both = np.maximum(chances * self.target_.matrix[:, reported_class].T, SMALLEST)
        return both / both.sum(axis=1, keepdims=True)

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return sampled_confusion(self, codes, reported_class)

    def _learned(self) -> dict[str, Any]:
        return {
            "of_class": self.latent_.of_class.tolist(),
            "parts": self.latent_.parts.tolist(),
            "cells": [self.latent_.cells[:, i, : feature.cells].tolist() for i, feature in enumerate(self.features_)],
        }

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _restore(self, content: dict[str, Any]) -> None:
        self._know_cells()
        of_class = np.array(content["of_class"])
        parts = np.array(content["parts"], dtype=np.float64)
        if of_class.dtype.kind != "i" or of_class.ndim != 1 or parts.shape != of_class.shape:
            raise ValueError("its kinds of people must have one class and one share each")
        if set(of_class.tolist()) != set(range(len(self.classes_))):
            raise ValueError("its kinds of people must be of all classes, and of no others")
        if not (np.isfinite(parts) & (parts >= 0)).all() or not parts.sum() > 0 or len(content["cells"]) != len(self.features_):
            raise ValueError("its kinds of people must have shares of at least 0, and cells of all attributes")
        cells = np.zeros((len(parts), len(self.features_), max(feature.cells for feature in self.features_)))
        for i, (feature, given) in enumerate(zip(self.features_, content["cells"], strict=True)):
            shares = np.array(given, dtype=np.float64)
            if shares.shape != (len(parts), feature.cells) or not (np.isfinite(shares) & (shares >= 0)).all():
                raise ValueError(
                    f"the cells of {feature.name!r} must be {feature.cells} shares of at least 0 for each kind of people"
                )
            cells[:, i, : feature.cells] = shares
        self._know(LatentClasses(of_class, parts, cells))


def _large_kinds(latent: LatentClasses, people: int) -> LatentClasses:
    """Without kinds of a handful of people.

    >>> kinds = LatentClasses(np.array([0, 0, 1]), np.array([0.9, 0.01, 0.09]), np.ones((3, 1, 1)))
    >>> _large_kinds(kinds, 100).of_class.tolist(), _large_kinds(kinds, 1_000).of_class.tolist()
    ([0, 1], [0, 0, 1])
    """
    largest = np.array([latent.parts[latent.of_class == y].max() for y in latent.of_class])
    kept = (latent.parts * people >= FEWEST) | (latent.parts == largest)
    parts = latent.parts[kept]
    return LatentClasses(latent.of_class[kept], parts / parts.sum(), latent.cells[kept])
