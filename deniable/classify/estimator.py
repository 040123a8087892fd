"""What every reconstructing classifier shares: reading rows, true or distorted, as codes; predicting; scoring."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from deniable.classify.features import Column, Feature, Hidden, undistorted_attribute
from deniable.classify.target import Target
from deniable.core.channels.designs import Identity
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import mark_of, refuse_unpaired
from deniable.errors import DataError, ParameterError, RandomisedRowsWarning, SchemaError
from deniable.plurals import counted

PREDICTED_WRONGLY = "Reports that are taken for truths are predicted wrongly: "
SHOWN = 3
"""So many names stand for all in a warning."""


class ReconstructingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits on distorted rows, predicts true ones; knows how distorted ones are read."""

    # Of what `fit` learns.
    attributes_: list[Column]
    features_: list[Feature]
    target_: Target
    classes_: Any

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any = None, reset: bool = True, classes: Any = None
    ) -> tuple[dict[str, Any], Any, Any]:
        """Columns by name, the reported classes and how much each row counts (None: once); on the first call also what they may hold."""
        schema = self._schema()
        frame = _as_frame(X)
        _refuse_unpaired(X, y)
        y = _column_of(y)
        if schema is not None and schema.target is not None and frame is not None and schema.target in frame.columns:
            own = frame[schema.target].to_native()
            if y is not None:
                _refuse_two_classes(to_arrow(own, schema.target), y, schema.target)
            y = own
        if y is None:
            raise _no_classes(schema, frame)
        columns = self._columns(X, reset)
        if schema is None:
            y = column_or_1d(y, warn=True) if not hasattr(y, "to_arrow") else y
        rows = len(next(iter(columns.values())))
        if len(y) != rows:
            raise DataError("rows_differ", "X has {x} and y has {y:,}.", x=counted(rows, "row"), y=len(y))
        weights = _weights(sample_weight, rows)
        if weights is not None:
            _refuse_unpaired_weights(X, sample_weight, weights, y)
            if schema is None and not weights.all():
                # Without a schema the rows say what there may be, and rows that do not count say nothing.
                columns, y, weights = _without(columns, y, weights)
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
        frame = _as_frame(X)
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
        _check_names(schema, names, list(frame.columns))
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

    @abstractmethod
    def _confusion(self, codes: Any, reported_class: Any, method: str) -> tuple[Any, str]:
        """For every distorted row the weight of each (class, prediction), [row, class, prediction], and how it was obtained."""

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

    def _warn_of_randomised(self, X: Any, asked: str, mends: str, names: Iterable[str] | None = None) -> None:
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
                f"{asked} takes rows as true, and these went through Schema.randomise, which hides {some}. {mends}",
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
        _refuse_unpaired(X, y)
        self._warn_of_randomised(
            X,
            "score",
            "So it says how well reports are predicted. How well true rows are, estimated from randomised ones: score_distorted; in "
            "searches and cross-validation scoring=dn.distorted_scorer().",
            self._schema(),
        )
        return float(accuracy_score(_column_of(y), self._predicted(X), sample_weight=sample_weight))

    def score_distorted(
        self, Z: Any, y: Any = None, metric: str = "accuracy", pos_label: Any = None, method: str = "auto"
    ) -> Estimate:
        """How well `predict` does on true rows, estimated from distorted ones.

        method="unbiased" undoes the channels of exactly what the prediction depends on; "model" takes attributes as independent in
        each class instead, which biases it as far as they are not; "auto" is the first where it is possible with a useful
        error. The estimate's `method` says which it was.

        >>> import deniable as dn, numpy as np, pandas as pd
        >>> schema = dn.Schema({"a": dn.Identity(dn.Binary()), "c": dn.KRR(dn.Binary(), 0.75)}, target="c")
        >>> rows = pd.DataFrame({"a": [0, 1] * 500, "c": [0, 1] * 500})
        >>> Z = schema.randomise(rows, np.random.default_rng(1))
        >>> found = dn.ReconstructionNaiveBayes(schema).fit(Z).score_distorted(Z)
        >>> found.method, bool(found.interval()[1][0] > 0.99)
        ('unbiased', True)
        """
        from deniable.classify.scoring import score

        check_is_fitted(self)
        _refuse_unpaired(Z, y)
        y = _column_of(y)
        if y is None:
            frame = _as_frame(Z)
            if frame is None or self.target_.name not in (frame.columns if frame is not None else ()):
                column = "" if self.target_.name is None else f", or a frame with the column {self.target_.name!r}"
                raise DataError("no_class", "score_distorted needs the reported classes: give y{column}.", column=column)
            y = frame[self.target_.name].to_native()
        codes = self._codes(Z, reported=True)
        reported_class = self.target_.reported(y)
        if len(reported_class) != len(codes):
            raise DataError("rows_differ", "X has {x} and y has {y:,}.", x=counted(len(codes), "row"), y=len(reported_class))
        weights, how = self._confusion(codes, reported_class, method)
        return score(weights, how, self.classes_, metric, pos_label)

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
        from deniable.classify import store

        store.save(self, path, force)


def _refuse_unpaired(X: Any, y: Any) -> None:
    """Rows that `Schema.randomise` shuffled have their classes among their own columns, nowhere else."""
    refuse_unpaired(
        X,
        y,
        ("X", "y"),
        "Let the class be shuffled with its rows: declare it in the schema, as dn.Identity if it is not hidden, with target=...; or "
        "name it in keep; then leave y out, or take both from the same frame: Z[names] and Z[target] of pandas, Z.select(names) and "
        "Z.select([target]) of PyArrow. Arrays, lists and columns of PyArrow cannot show where they come from. In simulations give "
        'randomise an rng; order="kept" keeps the order of the rows, which tells answers where they were sorted.',
    )


def _no_classes(schema: Schema | None, frame: Any) -> DataError:
    """Nothing to learn: where the classes were looked for, and where to put them. It begins as scikit-learn's own checks want it."""
    found = [] if frame is None else list(frame.columns)
    if schema is None:
        why, mends = "there is no schema that names a column of X as the class", "Give the classes as y: fit(X, y)."
    elif schema.target is None:
        why = "the schema names no target, so no column of X is taken as the class"
        strange = [name for name in found if name not in schema]
        mends = (
            f"If the class is among {strange}, which the schema does not describe, declare it there (dn.Identity if it is not hidden) and "
            f"name it: {_named(schema, 'NAME', '{**schema, NAME: channel}')}. Or drop it from X and give it as y."
            if strange
            else f"Name it: {_named(schema, 'NAME')}, one of {list(schema)}; or give the classes as y."
        )
    else:
        target = repr(schema.target)
        where = "X is an array, whose columns have no names" if frame is None else f"X has no such column, only {found}"
        why, mends = f"by the schema the class is {target}, and {where}", f"Give a frame with the column {target}, or give y."
    return DataError(
        "no_class", "This classifier requires y to be passed, but the target y is None: {why}. {mends}", why=why, mends=mends
    )


def _named(schema: Schema, name: str, channels: str = "schema") -> str:
    """How a schema is written that names the class; groups, without which reports would be undone wrongly, go with it."""
    return f"dn.Schema({channels}, target={name}{', groups=schema.groups' if schema.groups else ''})"


def _weights(given: Any, rows: int) -> Any:
    """How much each row counts, checked; None if each counts once."""
    if given is None:
        return None
    found = np.asarray(given, dtype=np.float64)
    found = np.full(rows, float(found)) if found.ndim == 0 else found
    if found.shape != (rows,):
        raise DataError(
            "weights_shape", "sample_weight must be one number for each of the {rows:,} rows, got the shape {got}.",
            rows=rows, got=found.shape,
        )  # fmt: skip
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size:
        raise DataError(
            "weights",
            "sample_weight must be numbers of at least 0; row {row:,} has {got}.",
            row=int(wrong[0]) + 1,
            got=found[wrong[0]],
        )
    if not found.any():
        raise DataError("no_weights", "sample_weight is zero in every row: nothing is left to learn from.")
    return found


def _refuse_unpaired_weights(X: Any, given: Any, weights: Any, y: Any) -> None:
    """Weights belong to people as classes do. Those that depend on the class alone cannot be mistaken for somebody else's."""
    values = to_arrow(y, "y").to_pylist()
    if len(set(zip(values, weights.tolist(), strict=True))) == len(set(values)):
        return
    refuse_unpaired(
        X,
        given,
        ("X", "sample_weight"),
        "Let the weights be shuffled with their rows: name them in keep, and give Z[name] of the same frame. Arrays and lists cannot show "
        'where they come from; in simulations give randomise an rng, or order="kept".',
    )


def _without(columns: dict[str, Any], y: Any, weights: Any) -> tuple[dict[str, Any], Any, Any]:
    """The rows that count."""
    rows = np.flatnonzero(weights)
    taken = {
        name: column[rows] if isinstance(column, np.ndarray) else to_arrow(column, name).take(pa.array(rows))
        for name, column in columns.items()
    }
    return taken, np.asarray(y)[rows], weights[rows]


def _column_of(y: Any) -> Any:
    """The classes, where they are given as a PyArrow table with one column: that carries the mark of its shuffle, a column does not."""
    return y.column(0) if isinstance(y, pa.Table) and y.num_columns == 1 else y


def _refuse_two_classes(own: Any, y: Any, name: str) -> None:
    """Refuse a y beside a column of classes in the frame that says something else."""
    given = to_arrow(y, "y")
    if len(own) == len(given) and own.to_pylist() != given.to_pylist():
        raise DataError(
            "two_classes",
            "y differs from the column {name!r} of X, which the schema declares as the class. Leave y out, or leave the column out of X.",
            name=name,
        )


def _as_frame(X: Any) -> Any:
    if isinstance(X, (np.ndarray, list)) or hasattr(X, "toarray"):
        return None
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        return None


def _check_names(schema: Schema, names: list[str], found: list[str]) -> None:
    lacking = [name for name in names if name not in found]
    strange = [name for name in found if name not in schema]
    if lacking or strange:
        raise SchemaError(
            "frame_does_not_match",
            "The frame does not match the schema:{lacking}{strange}",
            lacking=f" it lacks the columns {lacking};" if lacking else "",
            strange=f" every attribute must be there. If {lacking[0]!r} is the class, name it as such: {_named(schema, repr(lacking[0]))}."
            if schema.target is None and len(lacking) == 1 and not strange
            else f" it has {strange}, which the schema does not describe (drop them, or declare them as dn.Identity)." if strange
            else " every attribute must be there.",
            columns=lacking + strange,
        )  # fmt: skip
