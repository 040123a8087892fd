"""Rows to learn from: where their classes are, how much each row counts, and what is refused because it does not belong together."""

from __future__ import annotations

from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import refuse_unpaired
from deniable.errors import DataError, SchemaError

MOST_REPEATED = 20_000_000
"""Cells of rows that are repeated by their weights."""


def refuse_unpaired_classes(X: Any, y: Any) -> None:
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


def no_classes(schema: Schema | None, frame: Any) -> DataError:
    """Nothing to learn: where the classes were looked for, and where to put them. It begins as scikit-learn's own checks want it."""
    columns = [] if frame is None else list(frame.columns)
    if schema is None:
        why, fix = "there is no schema that names a column of X as the class", "Give the classes as y: fit(X, y)."
    elif schema.target is None:
        why = "the schema names no target, so no column of X is taken as the class"
        strange = [name for name in columns if name not in schema]
        fix = (
            f"If the class is among {strange}, which the schema does not describe, declare it there (dn.Identity if it is not hidden) and "
            f"name it: {_named(schema, 'NAME', '{**schema, NAME: channel}')}. Or drop it from X and give it as y."
            if strange
            else f"Name it: {_named(schema, 'NAME')}, one of {list(schema)}; or give the classes as y."
        )
    else:
        target = repr(schema.target)
        where = "X is an array, whose columns have no names" if frame is None else f"X has no such column, only {columns}"
        why, fix = f"by the schema the class is {target}, and {where}", f"Give a frame with the column {target}, or give y."
    return DataError(
        "no_class", "This classifier requires y to be passed, but the target y is None: {why}. {fix}", why=why, fix=fix
    )


def _named(schema: Schema, name: str, channels: str = "schema") -> str:
    """How a schema is written that names the class; groups, without which reports would be undone wrongly, go with it."""
    return f"dn.Schema({channels}, target={name}{', groups=schema.groups' if schema.groups else ''})"


def checked_weights(given: Any, rows: int) -> Any:
    """How much each row counts, checked; None if each counts once."""
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    weights = np.full(rows, float(weights)) if weights.ndim == 0 else weights
    if weights.shape != (rows,):
        raise DataError(
            "weights_shape", "sample_weight must be one number for each of the {rows:,} rows, got the shape {got}.",
            rows=rows, got=weights.shape,
        )  # fmt: skip
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise DataError(
            "weights",
            "sample_weight must be numbers of at least 0; row {row:,} has {got}.",
            row=int(wrong[0]) + 1,
            got=weights[wrong[0]],
        )
    if not weights.any():
        raise DataError("no_weights", "sample_weight is zero in every row: nothing is left to learn from.")
    return weights


def refuse_unpaired_weights(X: Any, given: Any, weights: Any, y: Any) -> None:
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


def rows_that_count(columns: dict[str, Any], y: Any, weights: Any) -> tuple[dict[str, Any], Any, Any]:
    """The rows that count."""
    rows = np.flatnonzero(weights)
    taken = {
        name: column[rows] if isinstance(column, np.ndarray) else to_arrow(column, name).take(pa.array(rows))
        for name, column in columns.items()
    }
    return taken, np.asarray(y)[rows], weights[rows]


def repeated(fine: list[Any], classes: Any, weights: Any) -> tuple[list[Any], Any, Any]:
    """Rows as often as their whole weights say, where there is room for them; else rows that count, and their weights."""
    total = float(weights.sum())
    if (weights == np.rint(weights)).all() and (total <= 2 * len(weights) or total * len(fine) <= MOST_REPEATED):
        rows = np.repeat(np.arange(len(weights)), weights.astype(np.int64))
        return [codes[rows] for codes in fine], classes[rows], None
    rows = np.flatnonzero(weights)
    return [codes[rows] for codes in fine], classes[rows], weights[rows]


def read_reports(attributes: Any, columns: dict[str, Any], classes: Any, weights: Any) -> tuple[list[Any], Any, Any]:
    """Fine codes of the reports, one array per attribute, reported classes and weights (None: all count once), in an order of their own.

    They are sorted, so that what depends on random parts of the rows is the same in whatever order these came, and tells nothing of it.
    """
    bad: list[BadCells] = []
    fine = [np.asarray(attribute.reported(columns[attribute.name], bad)) for attribute in attributes]
    raise_bad_cells(bad)
    classes = np.asarray(classes)
    if weights is not None:
        fine, classes, weights = repeated(fine, classes, weights)
    order = np.lexsort([*(() if weights is None else (weights,)), *fine, classes])
    return [codes[order] for codes in fine], classes[order], None if weights is None else weights[order]


def refuse_one_class(target: Any, classes: Any) -> None:
    """Refuse a declared class of which all rows say the same; a class that is hidden may still have two."""
    if target.name is not None and not target.hidden and (classes == classes[0]).all():
        raise DataError(
            "one_class", "The class {name!r} has one value only in the data ({got!r}): there is nothing to tell apart.",
            name=target.name, got=target.labels[classes[0]],
        )  # fmt: skip


def classes_of(y: Any) -> Any:
    """The classes, where they are given as a PyArrow table with one column: that carries the mark of its shuffle, a column does not."""
    return y.column(0) if isinstance(y, pa.Table) and y.num_columns == 1 else y


def refuse_two_classes(column: Any, y: Any, name: str) -> None:
    """Refuse a y beside a column of classes in the frame that says something else."""
    given = to_arrow(y, "y")
    if len(column) == len(given) and column.to_pylist() != given.to_pylist():
        raise DataError(
            "two_classes",
            "y differs from the column {name!r} of X, which the schema declares as the class. Leave y out, or leave the column out of X.",
            name=name,
        )


def as_frame(X: Any) -> Any:
    """X as a frame (narwhals); None if it is an array or the like. A path is refused: rows are classified in memory."""
    if isinstance(X, (str, PathLike)):
        raise DataError(
            "path_for_rows",
            "Rows are wanted, got the path {path!r}: read the file first, for instance with pandas.read_csv. On the command line "
            "`deniable classify` reads files.",
            path=str(X),
        )
    if isinstance(X, (np.ndarray, list)) or hasattr(X, "toarray"):
        return None
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        return None


def refuse_other_columns(schema: Schema, names: list[str], columns: list[str]) -> None:
    """Refuse a frame that does not have exactly the attributes of the schema."""
    missing = [name for name in names if name not in columns]
    strange = [name for name in columns if name not in schema]
    if not missing and not strange:
        return
    if schema.target is None and len(missing) == 1 and not strange:
        told = f" every attribute must be there. If {missing[0]!r} is the class, name it as such: {_named(schema, repr(missing[0]))}."
    elif strange:
        told = f" it has {strange}, which the schema does not describe (drop them, or declare them as dn.Identity)."
    else:
        told = " every attribute must be there."
    raise SchemaError(
        "frame_does_not_match",
        "The frame does not match the schema:{missing}{strange}",
        missing=f" it lacks the columns {missing};" if missing else "",
        strange=told,
        columns=missing + strange,
    )
