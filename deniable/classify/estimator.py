"""What every reconstructing classifier shares: reading rows, true or distorted, as codes; predicting; scoring."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from deniable.classify.coded_rows import CodedRows
from deniable.classify.confusion import grid_confusion, usable_inverse
from deniable.classify.drawn_worlds import DrawnWorlds
from deniable.classify.features import Column, Feature, Hidden, undistorted_attribute
from deniable.classify.parameters import check_parameters
from deniable.classify.saving import to_json
from deniable.classify.scoring import score_rows
from deniable.classify.target import Target
from deniable.classify.training_rows import (
    as_frame,
    checked_weights,
    classes_of,
    no_classes,
    refuse_other_columns,
    refuse_two_classes,
    refuse_unpaired_classes,
    refuse_unpaired_weights,
    rows_that_count,
)
from deniable.core.allowed import Allowed
from deniable.core.channels.designs import Identity
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import mark_of
from deniable.errors import DataError, ParameterError, RandomisedRowsWarning
from deniable.files.atomic import write_text
from deniable.plurals import counted

PREDICTED_WRONGLY = "Reports that are taken for truths are predicted wrongly: "
SHOWN = 3
"""So many names stand for all in a warning."""


class ReconstructingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits on distorted rows, predicts true ones; knows how distorted ones are read."""

    _kind: ClassVar[str]
    """What files call it."""
    _allowed: ClassVar[Mapping[str, Allowed]]
    """What its parameters may be."""
    _counts_choose_cells_only: ClassVar[bool] = False
    """Whether counts of reports say nothing more once its cells are chosen."""

    # What `fit` learns.
    attributes_: list[Column]
    features_: list[Feature]
    target_: Target
    classes_: Any
    _counts: list[Any]

    def _check_parameters(self) -> None:
        check_parameters(self._allowed, {name: getattr(self, name) for name in self._allowed}, type(self).__name__)

    def _declare(self, schema: Schema) -> None:
        """Take the class and the attributes from a schema with a target, without any rows."""
        assert schema.target is not None
        names = [name for name in schema if name != schema.target]
        self.target_ = Target.declared(schema.target, schema[schema.target])
        self.classes_ = self.target_.labels
        self.attributes_ = [Hidden(name, schema[name]) for name in names]
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any = None, reset: bool = True, classes: Any = None
    ) -> tuple[dict[str, Any], Any, Any]:
        """Columns by name, the reported classes and how much each row counts (None: once); on the first call also what they may hold."""
        schema = self._schema()
        if isinstance(X, CodedRows):
            return (*X.given_to(self), checked_weights(sample_weight, len(X)))
        frame = as_frame(X)
        refuse_unpaired_classes(X, y)
        y = classes_of(y)
        if schema is not None and schema.target is not None and frame is not None and schema.target in frame.columns:
            column = frame[schema.target].to_native()
            if y is not None:
                refuse_two_classes(to_arrow(column, schema.target), y, schema.target)
            y = column
        if y is None:
            raise no_classes(schema, frame)
        columns = self._columns(X, reset)
        if schema is None:
            y = column_or_1d(y, warn=True) if not hasattr(y, "to_arrow") else y
        if not columns:
            raise DataError("no_attributes", "There is nothing to learn from: the rows have a class and no other column.")
        rows = len(next(iter(columns.values())))
        if len(y) != rows:
            raise DataError("rows_differ", "X has {x} and y has {y:,}.", x=counted(rows, "row"), y=len(y))
        weights = checked_weights(sample_weight, rows)
        if weights is not None:
            refuse_unpaired_weights(X, sample_weight, weights, y)
            if schema is None and not weights.all():
                # Without a schema the rows say what there may be, and rows that do not count say nothing.
                columns, y, weights = rows_that_count(columns, y, weights)
                rows = len(weights)
        if rows < 2:
            raise DataError(
                "too_few_rows",
                "n_samples = {rows}: X has {rows} sample(s), minimum of 2 is required to tell classes apart.",
                rows=rows,
            )
        if reset:
            declared = schema is not None and schema.target is not None
            if declared:
                self.target_ = Target.declared(schema.target, schema[schema.target]).read_as(y)  # type: ignore[index,union-attr,arg-type]
            else:
                self.target_ = Target.seen(y if classes is None else classes)
            self.classes_ = self.target_.labels
            self.attributes_ = [
                Hidden(name, schema[name]) if schema is not None else undistorted_attribute(name, column, weights)
                for name, column in columns.items()
            ]
        return columns, self.target_.reported(y), weights

    def _schema(self) -> Schema | None:
        schema = getattr(self, "schema", None)
        if schema is not None and not isinstance(schema, Schema):
            raise ParameterError(
                "schema", "{owner}: schema must be a dn.Schema or None (undistorted data), got {got}.",
                owner=type(self).__name__, got=type(schema).__name__,
            )  # fmt: skip
        return schema

    def _columns(self, X: Any, reset: bool) -> dict[str, Any]:
        """The attributes of X by name, in the order of training."""
        schema = self._schema()
        frame = as_frame(X)
        if schema is None:
            if frame is None or all(dtype.is_numeric() for dtype in frame.schema.values()):
                array = validate_data(self, X, reset=reset, dtype=np.float64)
                names = getattr(self, "feature_names_in_", None)
                names = [str(name) for name in names] if names is not None else [f"x{i}" for i in range(array.shape[1])]
                return {name: array[:, i] for i, name in enumerate(names)}
            validate_data(self, X, reset=reset, skip_check_array=True)
            return {name: frame[name].to_native() for name in frame.columns}
        names = [name for name in schema if name != schema.target]
        if frame is None:
            array = np.asarray(X, dtype=None if not isinstance(X, list) else object)
            if array.ndim != 2 or array.shape[1] != len(names):
                raise DataError(
                    "columns_of_array",
                    "An array must have one column for each attribute of the schema in its order, {names} ({k}), got shape {got}; "
                    "or give a data frame.",
                    names=names,
                    k=len(names),
                    got=array.shape,
                )
            self.n_features_in_ = len(names)
            return {name: array[:, i] if array.dtype != object else array[:, i].tolist() for i, name in enumerate(names)}
        refuse_other_columns(schema, names, list(frame.columns))
        if reset:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
        return {name: frame[name].to_native() for name in names}

    def _codes(self, X: Any, reported: bool) -> Any:
        """Cells of every attribute, one row per row of X."""
        check_is_fitted(self)
        columns = self._columns(X, reset=False)
        bad: list[BadCells] = []
        cells = []
        for attribute, feature in zip(self.attributes_, self.features_, strict=True):
            column = columns[attribute.name]
            if reported:
                cells.append(feature.of_reported[attribute.reported(column, bad)])
            else:
                cells.append(feature.of_true[attribute.true(column, bad)])
        raise_bad_cells(bad)
        return np.column_stack(cells).astype(np.int32)

    @abstractmethod
    def _proba(self, codes: Any) -> Any:
        """P(class | true cells)."""

    @abstractmethod
    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        """P(class | reported cells and, where given, the reported class)."""

    def _unbiased(self, codes: Any, reported_class: Any, method: str) -> Any:
        """For every distorted row the unbiased weight of each (class, prediction), [row, class, prediction]; None where that is no use."""
        return grid_confusion(self, codes, reported_class, method)

    def _fares(self, codes: Any, worlds: Any, latent: Any) -> Any:
        """How people fare in worlds that the reports do not refute; None where reports cannot be undone."""
        undone = all(usable_inverse(feature) is not None for feature in self.features_)
        return DrawnWorlds(self, codes, worlds, latent) if undone else None

    @abstractmethod
    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        """Weights like the unbiased ones of rows guessed as if attributes were independent in each class."""

    @abstractmethod
    def _learned(self) -> dict[str, Any]:
        """What it learned beside counts of reports, for JSON."""

    @abstractmethod
    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        """The shape of the counts of an attribute that has so many reports."""

    @abstractmethod
    def _restore(self, content: dict[str, Any]) -> None:
        """Become what was saved as `content`; the schema is declared and the counts are in place."""

    def predict_proba(self, X: Any) -> Any:
        """P(class) for rows of true values, columns in the order of `classes_`; warns of rows that `Schema.randomise` shuffled."""
        check_is_fitted(self)
        self._warn_of_randomised(
            X, "predict_proba", PREDICTED_WRONGLY + "predict_proba_distorted reads them through the channels."
        )
        return self._proba(self._codes(X, reported=False))

    def predict(self, X: Any) -> Any:
        """The likeliest class of rows of true values; warns of rows that `Schema.randomise` shuffled."""
        check_is_fitted(self)
        self._warn_of_randomised(X, "predict", PREDICTED_WRONGLY + "predict_distorted reads them through the channels.")
        return self._predicted(X)

    def _predicted(self, X: Any) -> Any:
        return self.classes_[self._proba(self._codes(X, reported=False)).argmax(axis=1)]

    def _warn_of_randomised(self, X: Any, asked: str, fix: str, names: Iterable[str] | None = None) -> None:
        """Warn of reports that are taken for truths, where the mark of their shuffle tells.

        A warning, not a refusal: scikit-learn's own tools (`cross_val_predict`, `permutation_importance`) can only call `predict` and
        `score`, and a mark says that rows went through `randomise`, not that every column is still a report.
        """
        schema = self._schema()
        if schema is None or mark_of(X) is None:
            return
        names = [name for name in schema if name != schema.target] if names is None else names
        hidden = [name for name in names if not isinstance(schema[name], Identity)]
        if hidden:
            some = ", ".join(hidden[:SHOWN]) + (f" and {len(hidden) - SHOWN:,} more" if len(hidden) > SHOWN else "")
            warnings.warn(
                f"{asked} takes rows as true, and these went through Schema.randomise, which hides {some}. {fix}",
                RandomisedRowsWarning,
                stacklevel=3,
            )

    def predict_proba_distorted(self, Z: Any) -> Any:
        """P(class) for distorted rows: what their reports, read through the channels, say."""
        check_is_fitted(self)
        return self._proba_distorted(self._codes(Z, reported=True))

    def predict_distorted(self, Z: Any) -> Any:
        """The likeliest class of distorted rows."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba_distorted(Z).argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows of true values whose class is predicted; warns of rows that `Schema.randomise` shuffled."""
        from sklearn.metrics import accuracy_score

        check_is_fitted(self)
        refuse_unpaired_classes(X, y)
        self._warn_of_randomised(
            X,
            "score",
            "So it says how well reports are predicted. How well true rows are, estimated from randomised ones: score_distorted; in "
            "searches and cross-validation scoring=dn.distorted_scorer().",
            self._schema(),
        )
        return float(accuracy_score(classes_of(y), self._predicted(X), sample_weight=sample_weight))

    def score_distorted(
        self, Z: Any, y: Any = None, metric: str = "accuracy", pos_label: Any = None, method: str = "auto"
    ) -> Estimate:
        """How well `predict` does on true rows, estimated from distorted ones.

        Parameters
        ----------
        Z : distorted rows.
        y : their reported classes; None: they are a column of Z, as the schema's target says.
        metric : accuracy, balanced_accuracy, sensitivity, recall, specificity, precision, f1, F with another weight (f0.5, f2, ...), auc
            or log_loss.
        pos_label : the class that a metric of one class is about; None: the mean over all classes.
        method : "unbiased" undoes the channels of exactly what the prediction depends on; "model" undoes them for attributes one by one and
            in pairs, and leaves the rest to a latent class model of the rows; "auto" is the first where its error is small.

        Returns
        -------
        Estimate
            The score with a 95% interval; its `method` says how it was obtained. Where reports cannot be undone it is a guess
            (`method` "model-based"), which has none.

        Examples
        --------
        >>> import deniable as dn, numpy as np, pandas as pd
        >>> schema = dn.Schema({"a": dn.Identity(dn.Binary()), "c": dn.KRR(dn.Binary(), 0.75)}, target="c")
        >>> rows = pd.DataFrame({"a": [0, 1] * 500, "c": [0, 1] * 500})
        >>> Z = schema.randomise(rows, np.random.default_rng(1))
        >>> score = dn.ReconstructionNaiveBayes(schema).fit(Z).score_distorted(Z)
        >>> score.method, bool(score.interval()[1][0] > 0.99)
        ('unbiased', True)
        """
        return score_rows(self, *self._reported_rows(Z, y), metric, pos_label, method)

    def _reported_rows(self, Z: Any, y: Any) -> tuple[Any, Any]:
        """Reported cells and classes of distorted rows."""
        check_is_fitted(self)
        refuse_unpaired_classes(Z, y)
        y = classes_of(y)
        if y is None:
            frame = as_frame(Z)
            if frame is None or self.target_.name not in (frame.columns if frame is not None else ()):
                column = "" if self.target_.name is None else f", or a frame with the column {self.target_.name!r}"
                raise DataError("no_class", "score_distorted needs the reported classes: give y{column}.", column=column)
            y = frame[self.target_.name].to_native()
        codes = self._codes(Z, reported=True)
        reported_class = self.target_.reported(y)
        if len(reported_class) != len(codes):
            raise DataError("rows_differ", "X has {x} and y has {y:,}.", x=counted(len(codes), "row"), y=len(reported_class))
        return codes, reported_class

    def save(self, path: Any, force: bool = False) -> None:
        """Write the fitted classifier to a JSON file, as `deniable classify fit` does; `dn.load_model` opens it. A file in the way stays
        unless `force`. It holds the schema and counts of reports, no rows.

        >>> import deniable as dn, pandas as pd, tempfile
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
        >>> model = dn.ReconstructionNaiveBayes(schema).fit(pd.DataFrame({"a": [0, 0, 1, 1], "c": [0, 0, 1, 1]}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(folder + "/model.json")
        ...     dn.load_model(folder + "/model.json").predict([[0], [1]]).tolist()
        [0, 1]
        """
        write_text(Path(path), to_json(self), force)
