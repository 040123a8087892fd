"""Survey weights, however they are given: an attribute of the schema, a column of the data, or a series of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.channels.designs import Identity
from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells, raise_bad_cells
from deniable.core.domains.columns import numeric, to_arrow
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.labels import Ordinal
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import can_be_marked, refuse_unpaired
from deniable.engines.count import distinct
from deniable.engines.countable import Countable
from deniable.errors import DataError, ParameterError
from deniable.files.tables import open_table
from deniable.statistics.given_parts import Part

ALLOWED = "numbers of at least 0"
IN_ONE_FRAME = (
    "Let the weights be shuffled with their rows: name them in keep, as in schema.randomise(people, keep=['w']), then give the name of the "
    'column. Arrays and lists cannot show where they come from; in simulations give randomise an rng, or order="kept".'
)


class _Weights(Ordinal):
    """All weights that occur, in ascending order. They are told apart as numbers: 1.50 and .5 are read as other programs write them."""

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        values, known = _numbers(column), self.numbers()
        codes: Ints = np.minimum(np.searchsorted(known, values), len(known) - 1)
        wrong = np.flatnonzero(known[codes] != values)  # if the data has changed since it was opened
        bad.add(wrong, column.take(pa.array(wrong)).to_pylist(), offset)
        return codes


def declared(parts: Sequence[Part], weights: Any) -> tuple[list[Part], str | None]:
    """The parts with their weights as an open attribute of the schema, and its name. What the schema has already stays as it is."""
    if weights is None or (isinstance(weights, str) and any(weights in schema for _, schema in parts)):
        return list(parts), weights
    if isinstance(weights, str):
        name, sources = weights, [data for data, _ in parts]
        for data in sources:
            _refuse_added(data, name)
        numbers = [_column(data, name) for data in sources]
    else:
        if len(parts) > 1:
            raise ParameterError(
                "weights_of_parts", "Of several parts, weights is the name of a column that each of them has, got {got}.",
                got=type(weights).__name__,
            )  # fmt: skip
        frame = _frame(parts[0][0])
        name, given = _free("weights", frame.columns), _checked(_aligned(weights, parts[0][0]), len(frame))
        if len(np.unique(given)) > 1:  # weights that are all alike cannot be mistaken for somebody else's
            refuse_unpaired(parts[0][0], weights, ("The data", "weights"), IN_ONE_FRAME)
        numbers, sources = [given], [frame.with_columns(nw.new_series(name, given, backend=frame.implementation)).to_native()]
    if not any(map(len, numbers)):
        raise ParameterError("no_rows", "The data has no rows.")
    channel = Identity(_Weights(np.unique(np.concatenate(numbers)).tolist()))
    return [
        (data, Schema({**schema, name: channel}, schema.target, schema.groups))
        for data, (_, schema) in zip(sources, parts, strict=True)
    ], name


def _refuse_added(data: Any, name: str) -> None:
    """Weights that were put into a frame after its rows were shuffled belong to other people."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame) and can_be_marked(data) and name in frame.columns:
        refuse_unpaired(frame.select(name).to_native(), None, ("", ""), IN_ONE_FRAME)


def _frame(data: Any) -> Any:
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame
    raise ParameterError(
        "weights_where",
        "A series of weights needs an eager data frame. Of files and databases weights are a column: give its name.",
    )


def _column(data: Any, name: str) -> Floats:
    """The weights that occur in a column, each once."""
    try:
        column = distinct(data, name)
    except DataError as error:
        if error.code != "no_column":
            raise
        raise DataError(
            "no_weights",
            "There is no column {name!r} to take weights from; there are {found}.",
            name=name,
            found=error.parameters["found"],
        ) from None
    numbers = _numbers(column)
    if _unfit(numbers).any():
        _refuse_rows(data, name)
        # What lies elsewhere has rows without places.
        bad = column.filter(pa.array(_unfit(numbers))).to_pylist()[:BAD_ROWS_SHOWN]
        raise DataError(
            "weights_numbers", "Column {name!r} holds {bad}. Weights are {allowed}.",
            name=name, bad=", ".join("missing cells" if cell is None else repr(cell) for cell in bad), allowed=ALLOWED,
        )  # fmt: skip
    return numbers


def _numbers(column: pa.Array) -> Floats:
    """Cells as numbers, NaN where they are none. Words may be numbers: in CSV files all cells are words."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return numeric(column, text=pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _unfit(numbers: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
    unfit: np.ndarray[Any, np.dtype[np.bool_]] = ~np.isfinite(numbers) | (numbers < 0)
    return unfit


def _refuse_rows(data: Any, name: str) -> None:
    """Name the rows of a frame or of files that have no weights."""
    if isinstance(data, Countable):
        for path in data.files:
            bad, rows = BadCells(name, f"{ALLOWED}, as weights are"), 0
            for batch, _ in open_table(path, data.csv).pieces():
                _gather(bad, batch.column(name), rows)
                rows += batch.num_rows
            if bad.total:
                raise DataError("weights_numbers", "{path}: {sentence}", path=str(path), sentence=bad.sentence())
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        bad = BadCells(name, f"{ALLOWED}, as weights are")
        _gather(bad, to_arrow(frame[name].to_native(), name), 0)
        raise_bad_cells([bad])


def _gather(bad: BadCells, column: pa.Array, offset: int) -> None:
    wrong = np.flatnonzero(_unfit(_numbers(column)))
    cells = column.take(pa.array(wrong[:BAD_ROWS_SHOWN])).to_pylist()
    if any(isinstance(cell, str) and "," in cell for cell in cells):
        bad.allowed = f"{ALLOWED}, as weights are (with a decimal point, unless the decimal sign is said to be a comma)"
    bad.add(wrong, cells, offset)


def _free(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else _free(f"{name}_", taken)


def _aligned(weights: Any, data: Any) -> Any:
    """Numbers in the order of the rows. Pandas goes by the index: a series of another order would weigh the wrong people."""
    # pandas is loaded if either is its own; loading it for nothing would take half a second of every command.
    pandas_pair = nw.dependencies.is_pandas_series(weights) and nw.dependencies.is_pandas_dataframe(data)
    if pandas_pair and not weights.index.equals(data.index):
        raise DataError(
            "weights_index",
            "The weights have another index than the data, {weights:,} and {rows:,} rows: so it is not clear whose they are. Give "
            "weights.loc[data.index], or weights.to_numpy() if they are in the order of the rows.",
            weights=len(weights), rows=len(data),
        )  # fmt: skip
    series = nw.from_native(weights, series_only=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) else weights


def _checked(values: Any, rows: int) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "weights_kind",
            "weights is a series of real numbers, or the name of a column or attribute that has them, got {got}.",
            got=type(values).__name__,
        ) from None
    if numbers.shape != (rows,):
        raise DataError(
            "weights_length", "There must be one weight for each of {rows:,} rows, got {got}.",
            rows=rows, got=f"{len(numbers):,}" if numbers.ndim == 1 else f"an array of shape {numbers.shape}",
        )  # fmt: skip
    bad = BadCells("weights", ALLOWED)
    wrong = np.flatnonzero(_unfit(numbers))
    bad.add(wrong, numbers[wrong[:BAD_ROWS_SHOWN]].tolist())
    raise_bad_cells([bad])
    return numbers
