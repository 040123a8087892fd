"""`dn.distort_and_cross_validate`: how well a classifier learns through a schema, from data whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from deniable.classify.measures import MACRO, OF_ALL_CLASSES, check_metric, measure, metric_label
from deniable.classify.parameters import check_parameters
from deniable.core.allowed import whole_from
from deniable.core.domains.columns import to_arrow
from deniable.core.html_table import html_table
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import refuse_unpaired
from deniable.errors import DataError, ParameterError
from deniable.progress import Progress, Silent


@dataclass
class DistortedScores:
    """Scores on true rows, one row per repeat of the distortion: `frame`, their `mean()` and its `se()` over the repeats."""

    frame: Any
    pos_label: Any = None

    def mean(self) -> Any:
        """The mean of each measure over the repeats."""
        return self.frame.drop(columns="repeat").mean()

    def se(self) -> Any:
        """The standard error of those means; repeats of the distortion, not new people."""
        return self.frame.drop(columns="repeat").std(ddof=1) / np.sqrt(len(self.frame))

    def __repr__(self) -> str:
        mean, se = self.mean(), self.se()
        labels = self._labels
        width = max(18, *map(len, labels))
        lines = [
            f"  {label:<{width}} {mean[name]:.4f}" + (f" ± {se[name]:.4f}" if len(self.frame) > 1 else "")
            for name, label in zip(mean.index, labels, strict=True)
        ]
        return "\n".join([self._heading, *lines, *(f"Note: {note}." for note in self._notes)])

    def _repr_html_(self) -> str:
        mean, se = self.mean(), self.se()
        several = len(self.frame) > 1
        rows = [
            [label, f"{mean[name]:.4f}", *([f"{se[name]:.4f}"] if several else [])]
            for name, label in zip(mean.index, self._labels, strict=True)
        ]
        table = html_table(["", "mean", *(["standard error"] if several else [])], rows)
        notes = ["The error speaks of other distortions, not of other people."] if several else []
        below = "".join(f"<p>{note}</p>" for note in [*notes, *(f"Note: {note}." for note in self._notes)])
        return f"<p>{self._heading}</p>{table}{below}"

    @property
    def _notes(self) -> list[str]:
        averaged = self.pos_label is None and not set(self.mean().index) <= set(OF_ALL_CLASSES)
        return [MACRO] if averaged else []

    @property
    def _labels(self) -> list[str]:
        return [metric_label(name, self.pos_label) for name in self.mean().index]

    @property
    def _heading(self) -> str:
        return f"Scores on true rows, {len(self.frame)} distortion{'s' if len(self.frame) > 1 else ''} of the training rows"


def distort_and_cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    schema: Schema,
    *,
    cv: int = 10,
    repeats: int = 10,
    metrics: Sequence[str] = ("accuracy", "balanced_accuracy"),
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
) -> DistortedScores:
    """Distort true rows under `schema`, train on k - 1 of k folds, predict the true rows of the last; all of it `repeats` times.

    The predictions of all folds of a repeat are measured together. The distortion is simulated (a numpy generator from `random_state`):
    this is for planning, not for protecting.

    Parameters
    ----------
    estimator : a classifier of Deniable; its `schema` is set to the given one.
    X : true rows.
    y : their true classes.
    schema : how the rows are distorted.
    cv : how many folds there are.
    repeats : how often the rows are distorted anew.
    metrics : what is measured, as in `score_distorted`, of predictions (no auc, no log_loss).
    pos_label : the class that metrics of one class are about; None: their mean over all classes.
    n_jobs : how many processes work at once, as joblib reads it.
    random_state : a seed, for the same distortions again.
    progress : a listener for long work.

    Returns
    -------
    DistortedScores
        One row per repeat, with their mean and its standard error.

    Examples
    --------
    >>> import deniable as dn
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> schema = dn.Schema({name: dn.Retention(dn.Continuous(0, 8, step=0.1), 0.5) for name in X})
    >>> scores = dn.distort_and_cross_validate(dn.ReconstructionNaiveBayes(), X, y, schema, cv=5, repeats=2, random_state=1)
    >>> bool(scores.mean()["accuracy"] > 0.8)
    True
    """
    import pandas as pd

    if isinstance(metrics, str):
        metrics = [metrics]
    for metric in metrics:
        check_metric(metric, of_predictions=True)
    check_parameters({"cv": whole_from(2), "repeats": whole_from(1)}, {"cv": cv, "repeats": repeats})
    refuse_unpaired(X, y, ("X", "y"), "Give the true rows and their classes.")
    table, labels = _true_rows(X, y, schema)
    classes, codes = np.unique(labels, return_inverse=True)
    smallest = np.bincount(codes)
    if len(labels) < cv or smallest.min() < 2:
        raise DataError(
            "too_few_rows",
            "{cv} folds need at least {cv} rows and two of every class; there are {rows:,}, of class {label!r} only {least}.",
            cv=cv,
            rows=len(labels),
            label=classes[smallest.argmin()],
            least=int(smallest.min()),
        )
    positive = None
    if pos_label is not None:
        matches = np.flatnonzero(classes == pos_label)
        if not matches.size:
            raise ParameterError(
                "pos_label", "pos_label must be one of {allowed}, got {got!r}.", allowed=classes.tolist(), got=pos_label
            )
        positive = int(matches[0])
    seeds = np.random.SeedSequence(random_state).spawn(repeats)
    listener = progress or Silent()
    listener.start("distortions", repeats)
    work = (delayed(_one_repeat)(estimator, table, labels, classes, schema, cv, seed) for seed in seeds)
    rows = []
    for i, shares in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(work)):
        rows.append({"repeat": i + 1, **{metric: measure(shares, metric, positive) for metric in metrics}})
        listener.advance(1)
    listener.finish()
    return DistortedScores(pd.DataFrame(rows), pos_label)


def _true_rows(X: Any, y: Any, schema: Schema) -> tuple[pa.Table, Any]:
    names = [name for name in schema if name != schema.target]
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.shape[1] != len(names):
            raise DataError(
                "columns_of_array",
                "An array must have one column for each of {names}, got shape {got}.",
                names=names,
                got=X.shape,
            )
        columns = {name: to_arrow(X[:, i].tolist() if X.dtype == object else X[:, i], name) for i, name in enumerate(names)}
    else:
        frame = nw.from_native(X, eager_only=True)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise DataError("no_column", "The data has no columns {got}, only {found}.", got=missing, found=list(frame.columns))
        columns = {name: to_arrow(frame[name].to_native(), name) for name in names}
    if y is None:
        raise DataError("no_class", "y is None: give the true classes, one for each row of X.")
    labels = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    rows = {len(labels), *(len(column) for column in columns.values())}
    if len(rows) > 1:
        raise DataError("rows_differ", "X and y differ in their number of rows: {got}.", got=sorted(rows))
    if schema.target is not None:
        columns[schema.target] = to_arrow(labels.tolist() if labels.dtype == object else labels, schema.target)
    return pa.table(columns), labels


def _one_repeat(estimator: Any, table: pa.Table, labels: Any, classes: Any, schema: Schema, cv: int, seed: Any) -> Any:
    """The confusion matrix of one distortion, all folds together."""
    rng = np.random.default_rng(seed)
    distorted = schema.randomise(table, rng)
    attributes = [name for name in schema if name != schema.target]
    reported = labels if schema.target is None else distorted[schema.target].to_numpy()
    counts = np.zeros((len(classes), len(classes)))
    folds = StratifiedKFold(cv, shuffle=True, random_state=int(rng.integers(1 << 31)))
    for train, test in _split(folds, labels, cv):
        model = clone(estimator).set_params(schema=schema)
        model.fit(distorted.select(attributes).take(pa.array(train)), reported[train])
        predicted = model.predict(table.select(attributes).take(pa.array(test)))
        for truth, guess in zip(np.searchsorted(classes, labels[test]), _codes(classes, predicted), strict=True):
            if guess >= 0:
                counts[truth, guess] += 1
            else:
                # A class that the schema knows and the data has not: wrong whatever the truth.
                counts[truth, (truth + 1) % len(classes)] += 1
    return counts / counts.sum()


def _codes(classes: Any, predicted: Any) -> Any:
    place = np.clip(np.searchsorted(classes, predicted), 0, len(classes) - 1)
    return np.where(classes[place] == predicted, place, -1)


def _split(folds: Any, labels: Any, cv: int) -> Any:
    import warnings

    with warnings.catch_warnings():
        # Classes with fewer rows than folds are told apart as well as they can be.
        warnings.filterwarnings("ignore", message="The least populated class")
        yield from folds.split(np.zeros(len(labels)), labels)
