"""`dn.AsReported`: any classifier of scikit-learn, trained on reports as if they were true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from deniable.classify.confusion import class_weights, scaled
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.features import MOST_FINE
from deniable.classify.report_columns import ReportColumns
from deniable.classify.shared import SharedDraw, shared_draws
from deniable.classify.single_attributes import SingleAttributes
from deniable.classify.stored_trees import STORABLE, StoredTrees, is_storable, learner_from, settings_of
from deniable.classify.training_rows import read_reports, refuse_one_class
from deniable.core.allowed import Allowed, none_or, one_of, whole_from
from deniable.errors import ParameterError


class AsReported(ReconstructingClassifier):
    """A classifier of scikit-learn that takes reports for truths, with the checks of a schema, its encoding and honest scores around it.

    Nothing is undone in training. That is sometimes best (many numeric attributes that say the same in different ways), often not, and
    always what a comparison should begin with. `predict` reads true rows, `predict_distorted` reports, which is what the
    learner has seen. A hidden class is undone in what it says: it learned the chances of reported classes.

    Parameters
    ----------
    learner : what is trained, a classifier or a pipeline; None: scikit-learn's random forest of 100 trees.
    schema : how the rows were distorted; None: not at all.
    labels : how the learner sees labels without an order: "one-hot" or "codes". Numbers are numbers, ordered labels 0, 1, ...
    bins : through how many cells hidden numbers are seen.
    random_state : a seed for a learner that has none of its own, and for scores that are drawn; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2_000)
    >>> truth = pd.DataFrame({"n": np.clip(rng.normal(40 + 20 * y, 8), 0, 99).astype(int)})
    >>> schema = dn.Schema({"n": dn.Retention(dn.Integer(0, 99), 0.5)})
    >>> model = dn.AsReported(LogisticRegression(), schema).fit(schema.randomise(truth, rng), y)
    >>> model.predict(pd.DataFrame({"n": [20, 80]})).tolist()
    [0, 1]
    """

    _kind = "as-reported"
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "learner": none_or(
            Allowed("a classifier of scikit-learn", lambda value: isinstance(value, BaseEstimator) and is_classifier(value))
        ),
        "labels": one_of("one-hot", "codes"),
        "bins": whole_from(2),
    }
    learner_: Any
    groups_: list[SharedDraw]

    def __init__(
        self, learner: Any = None, schema: Any = None, labels: str = "one-hot", bins: int = 50, random_state: Any = None
    ) -> None:
        self.learner = learner
        self.schema = schema
        self.labels = labels
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> AsReported:
        """Train on distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        A row with `sample_weight` 2 counts as two rows; weights that are no whole numbers need a learner that takes weights.
        """
        self._check_parameters()
        columns, classes, weights = self._read_training(X, y, sample_weight)
        fine, classes, weights = read_reports(self.attributes_, columns, classes, weights)
        refuse_one_class(self.target_, classes)
        kinds = self.target_.matrix.shape[1]
        self._counts = [
            np.bincount(classes * attribute.reported_size + codes, weights, kinds * attribute.reported_size).reshape(kinds, -1)
            for attribute, codes in zip(self.attributes_, fine, strict=True)
        ]
        self._know_cells()
        codes = np.column_stack([f.of_reported[codes] for f, codes in zip(self.features_, fine, strict=True)])
        learner = self._new_learner()
        given = {} if weights is None else {_weight_of(learner): weights}
        self.learner_ = learner.fit(self._columns_of.reported(codes), self._taken_for()[classes], **given)
        return self

    def _new_learner(self) -> Any:
        """The learner, not yet fitted; one without a seed gets that of this classifier, so that the same reports teach it the same."""
        learner = RandomForestClassifier() if self.learner is None else clone(self.learner)
        seed = check_random_state(0 if self.random_state is None else self.random_state).randint(1 << 31)
        missing = [name for name, value in learner.get_params().items() if name.endswith("random_state") and value is None]
        return learner.set_params(**dict.fromkeys(missing, seed))

    def _know_cells(self) -> None:
        self.features_ = [
            attribute.cells(counts.sum(axis=0), self.bins, MOST_FINE)
            for attribute, counts in zip(self.attributes_, self._counts, strict=True)
        ]
        self.groups_ = shared_draws(self._schema(), self.features_, self.target_.name)
        taken = np.bincount(self._taken_for(), self._counts[0].sum(axis=1), len(self.classes_))
        self.class_prior_ = taken / max(float(taken.sum()), 1e-300)
        self._columns_of = ReportColumns(self.attributes_, self.features_, self.labels == "one-hot")
        self._single: SingleAttributes | None = None

    def _taken_for(self) -> Any:
        """For each reported class the class it is taken for."""
        matrix = self.target_.matrix
        return np.arange(len(matrix)) if matrix.shape[0] == matrix.shape[1] else matrix.argmax(axis=0)

    def _chances(self, columns: Any) -> Any:
        """What the learner says, one column per class; one without chances is sure of what it predicts."""
        chances = np.zeros((len(columns), len(self.classes_)))
        if not len(columns):
            return chances
        if hasattr(self.learner_, "predict_proba"):
            # Several threads would add up the trees of a forest in any order, and so to other last digits.
            with parallel_config(backend="threading", n_jobs=1):
                chances[:, self.learner_.classes_] = self.learner_.predict_proba(columns)
        else:
            chances[np.arange(len(columns)), self.learner_.predict(columns)] = 1.0
        return chances

    def _undone(self, chances: Any) -> Any:
        """Chances of classes, of chances of reported ones."""
        undo = class_weights(self.target_.matrix) if self.target_.hidden else None
        return chances if undo is None or len(undo) != chances.shape[1] else scaled(np.maximum(chances @ undo, 0.0))

    def _proba(self, codes: Any) -> Any:
        return self._undone(self._chances(self._columns_of.true(codes)))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        chances = self._undone(self._chances(self._columns_of.reported(codes)))
        return chances if reported_class is None else scaled(chances * self.target_.matrix[:, reported_class].T)

    def _one_by_one(self) -> SingleAttributes:
        if self._single is None:
            self._single = SingleAttributes(self)
        return self._single

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return self._one_by_one().guessed(codes, reported_class)

    def _learned(self) -> dict[str, Any]:
        stored = self.learner_ if isinstance(self.learner_, StoredTrees) else None
        if stored is None and not is_storable(self.learner_):
            raise ParameterError(
                "cannot_store_learner",
                "A {kind} cannot be written as plain data, and a file that runs code when it is opened is not written. Plain data can be "
                "made of {allowed}. For others keep the reports and fit again, or use a pickle, which only its author should open.",
                kind=type(self.learner_).__name__,
                allowed=list(STORABLE),
            )
        learner = RandomForestClassifier() if self.learner is None else self.learner
        return {
            "parameters": {"labels": self.labels, "bins": self.bins},
            "learner": settings_of(learner),
            "trees": (stored or StoredTrees.of(self.learner_)).to_dict(),
        }

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _restore(self, content: dict[str, Any]) -> None:
        self._know_cells()
        self.learner = learner_from(content["learner"])
        columns = self._columns_of.true(np.zeros((1, len(self.features_)), dtype=np.int64)).shape[1]
        self.learner_ = StoredTrees.from_dict(content["trees"], columns, len(self.classes_))


def _weight_of(learner: Any) -> str:
    """What a learner calls the weights of rows; of a pipeline its last step takes them."""
    last = learner.steps[-1] if isinstance(learner, Pipeline) else ("", learner)
    if not has_fit_parameter(last[1], "sample_weight"):
        raise ParameterError(
            "no_weights_in_learner",
            "A {kind} takes no weights of rows: give whole numbers, which repeat rows, or another learner.",
            kind=type(last[1]).__name__,
        )
    return f"{last[0]}__sample_weight" if isinstance(learner, Pipeline) else "sample_weight"
