"""What both classifiers by patterns share: reading rows, distributions of single attributes, and scoring from distorted rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deniable.classify.confusion import sampled_confusion, scaled
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.patterns.changes import changes
from deniable.classify.patterns.explanation import Explanation
from deniable.classify.patterns.items import ItemTable, item_table
from deniable.classify.patterns.sources import rows_in_memory
from deniable.classify.training_rows import as_frame
from deniable.core.allowed import Allowed, is_number
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.errors import DataError, SchemaError

SHARE = Allowed("a share of at least 0 and below 1", lambda value: is_number(value) and 0 <= value < 1)
JUMPING = "inf"
"""Infinity as files write it: JSON has no such number."""
GROWTH = Allowed(
    "a number of at least 1, or infinity for jumping patterns",
    lambda value: (is_number(value) and value >= 1) or (isinstance(value, str) and value == JUMPING),
)
RATE = Allowed("None or a number between 0 and 1", lambda value: value is None or (is_number(value) and 0 < value < 1))
TIE = 1e-12
"""So little of what single attributes tell is added to scores: it decides between equal ones."""


class PatternClassifier(ReconstructingClassifier):
    """A classifier by patterns; it knows the distribution of each attribute in each class, as naive Bayes does."""

    _most_pairs: ClassVar[int]
    """So many changes of two attributes are tried to explain a row."""
    bins: int
    class_prior_: Any
    shares_: list[Any]
    groups_: list[Any]

    def _read(self, X: Any, y: Any) -> tuple[list[Any], Any]:
        """Fine codes of the reports, one array per attribute, and reported classes."""
        self._check_parameters()
        X = rows_in_memory(X, self._schema())
        columns, classes, _ = self._read_training(X, y)
        bad: list[BadCells] = []
        fine = [attribute.reported(columns[attribute.name], bad) for attribute in self.attributes_]
        raise_bad_cells(bad)
        self._counts = self._single_attributes()._count(fine, classes)
        self._know_attributes()
        return fine, classes

    def _single_attributes(self) -> ReconstructionNaiveBayes:
        """Naive Bayes of the same attributes and classes, whose distributions are wanted, not its predictions."""
        single = ReconstructionNaiveBayes(self._schema(), bins=self.bins, discount_repeats=False)
        single.attributes_, single.target_, single.classes_ = self.attributes_, self.target_, self.classes_
        return single

    def _know_attributes(self) -> None:
        """The cells of attributes, their distributions in the classes, and how large the classes are, all from counts of reports."""
        single = self._single_attributes()
        single._counts = self._counts
        single._estimate()
        self._single = single
        self.features_, self.groups_ = single.features_, single.groups_
        self.class_prior_, self.shares_ = single.class_prior_, single.shares_
        if self.groups_:
            raise SchemaError(
                "patterns_and_groups",
                "{owner} cannot learn from attributes that share a draw ({group!r}). Use dn.ReconstructionNaiveBayes.",
                owner=type(self).__name__,
                group=self.groups_[0].channel.name,
            )

    def _item_table(self, together: Mapping[str, Any] | None = None) -> ItemTable:
        """The cells of all attributes as items of mining."""
        counts = [table.sum(axis=0) for table in self._counts]
        everyone = [self.class_prior_ @ shares for shares in self.shares_]
        return item_table(self.attributes_, self.features_, counts, everyone, len(self.classes_), together)

    def _parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        given = {name: value for name, value in self.get_params().items() if name not in ("schema", "random_state")}
        return given | {"min_growth": given["min_growth"] if float(given["min_growth"]) < float("inf") else JUMPING}

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _chances_of_truths(self, place: int) -> Any:
        """P(cell | report) of one attribute, whatever the class, [report, cell]."""
        feature = self.features_[place]
        prior = self.class_prior_ @ self.shares_[place]
        both = prior[None, :] * feature.matrix.T
        total = both.sum(axis=1, keepdims=True)
        return np.divide(both, total, out=np.zeros_like(both), where=total > 0)

    def _as_chances(self, scores: Any, alone: Any) -> Any:
        """Scores of the classes, which are not negative, as parts of their sum; `alone` is what single attributes tell of the classes,
        by which rows go that hold no pattern, and those whose scores are equal.
        """
        raised = scores + TIE * alone
        return raised / raised.sum(axis=1, keepdims=True)

    def _with_reported_class(self, chances: Any, reported_class: Any) -> Any:
        """Chances of the classes once their report is seen, too."""
        if reported_class is None:
            return chances
        return scaled(chances * self.target_.matrix[:, reported_class].T)

    @abstractmethod
    def _patterns_in(self, cells: Any) -> tuple[Any, str]:
        """The patterns that a row of cells holds as a frame with the column `adds`, and what that column says."""

    def explain(self, row: Any) -> Explanation:
        """Why a row of true values is classified as it is: text (`print`), a frame (`.frame`) and a picture (`.plot()`).

        The row is a dict, a pandas Series, a list of values or a frame with one row. Told are the patterns inside it with their support,
        growth rate and its interval, how much each adds, and which other values would lead to another class.

        >>> import deniable as dn, pandas as pd
        >>> X = pd.DataFrame({"outlook": ["sunny", "rain", "rain", "sunny"] * 5, "windy": ["no", "no", "yes", "yes"] * 5})
        >>> print(dn.EmergingPatterns().fit(X, ["play", "play", "stay", "stay"] * 5).explain({"outlook": "rain", "windy": "yes"}))
        Class stay, with 100% of the scores (play 0%).
        For stay, 2 patterns; what each adds to the score:
          0.667  windy=yes: 100% of stay, found nowhere else (3.6 or more)
          0.333  outlook=rain & windy=yes: 50% of stay, found nowhere else (1.6 or more)
        For play, no pattern.
        In brackets: 95% intervals of how many times as frequent.
        It would be play if windy were no (100%).
        """
        check_is_fitted(self)
        cells = self._codes(self._as_one_row(row), reported=False)[0]
        chances = self._proba(cells[None, :])[0]
        frame, words = self._patterns_in(cells)
        frame = frame.sort_values("adds", ascending=False, kind="stable").reset_index(drop=True)
        label = self.classes_[chances.argmax()]
        others, tried = changes(self, cells, self._most_pairs)
        return Explanation(label, dict(zip(self.classes_.tolist(), chances.tolist(), strict=True)), frame, others, words, tried)

    def _as_one_row(self, row: Any) -> Any:
        import pandas as pd

        names = [attribute.name for attribute in self.attributes_]
        if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:
            row = row.to_dict()
        if isinstance(row, Mapping):
            lacking = [name for name in names if name not in row]
            if lacking:
                raise DataError("lacking_values", "The row has no value of {got}.", got=lacking)
            return pd.DataFrame([{name: row[name] for name in names}])
        frame = as_frame(row)
        if frame is None:
            values = np.asarray(row, dtype=object).reshape(-1)
            if len(values) != len(names):
                raise DataError(
                    "row_length", "A row has one value of each of {names}; got {got}.", names=names, got=len(values)
                )
            return pd.DataFrame([values.tolist()], columns=names) if hasattr(self, "feature_names_in_") else [values.tolist()]
        if len(frame) != 1:
            raise DataError(
                "one_row", "One row is explained at a time; got {got:,}. Give frame.iloc[[i]], or a dict.", got=len(frame)
            )
        return row

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return sampled_confusion(self, codes, reported_class)
