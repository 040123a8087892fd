"""Attributes one by one, as naive Bayes sees them, for classifiers that look at rows: what is believed about the truths behind reports."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.coded_rows import KnownCells
from deniable.classify.confusion import sampled_confusion
from deniable.classify.features import Feature
from deniable.classify.naive_bayes import ReconstructionNaiveBayes


class SingleAttributes:
    """Naive Bayes of a classifier's own attributes and counts of reports, [reported class, report].

    Hidden attributes have the same cells in both; open ones may have more in the classifier.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.bayes = ReconstructionNaiveBayes(model._schema(), bins=model.bins, discount_repeats=False)
        self.bayes.target_, self.bayes.classes_ = model.target_, model.classes_
        # A copy of an ensemble has cells that the reports of all rows chose: its own would choose others.
        both: Any = zip(model.attributes_, model.features_, strict=True)
        columns: list[Any] = [KnownCells(column, feature) if feature.hidden else column for column, feature in both]
        self.bayes.attributes_ = columns
        self.bayes._counts = model._counts
        self.bayes._estimate()
        self._cell_of = [
            _coarser(own, coarse) for own, coarse in zip(model.features_, self.bayes.features_, strict=True)
        ]  # fmt: skip

    def beliefs(self, codes: Any, reported_class: Any = None) -> Any:
        """P(class | reports of a row [and its reported class]), [row, class]."""
        coarse = np.column_stack([cell_of[codes[:, i]] for i, cell_of in enumerate(self._cell_of)])
        return self.bayes._proba_distorted(coarse, reported_class)

    def of_truths(self, place: int) -> Any:
        """P(cell | class, report) of a hidden attribute, [class, report, cell]."""
        both = self.bayes.shares_[place][:, None, :] * self.model.features_[place].matrix.T[None, :, :]
        total = both.sum(axis=2, keepdims=True)
        return np.divide(both, total, out=np.zeros_like(both), where=total > 0)

    def guessed(self, codes: Any, reported_class: Any) -> Any:
        """Weights of each (class, prediction) of rows guessed as if attributes were independent in each class."""
        return sampled_confusion(_Guessing(self), codes, reported_class)


class _Guessing:
    """What `sampled_confusion` asks of a classifier: it predicts as it does, and truths are those of single attributes."""

    def __init__(self, single: SingleAttributes) -> None:
        model = single.model
        self.random_state, self.classes_, self.features_ = model.random_state, model.classes_, model.features_
        self.groups_ = single.bayes.groups_
        # Where reports are the truth any shares will do.
        self.shares_ = [
            shares if feature.hidden else np.ones((len(model.classes_), feature.cells))
            for shares, feature in zip(single.bayes.shares_, model.features_, strict=True)
        ]
        self._proba, self._proba_distorted, self._group_terms = model._proba, single.beliefs, single.bayes._group_terms


def _coarser(own: Feature, coarse: Feature) -> Any:
    """For each reported cell of one feature that of another in which the middle of its reports lies."""
    reports = np.argsort(own.of_reported, kind="stable")
    ends = np.searchsorted(own.of_reported[reports], np.arange(own.matrix.shape[1] + 1))
    middles = np.minimum((ends[:-1] + ends[1:]) // 2, len(reports) - 1)
    return coarse.of_reported[reports[middles]]
