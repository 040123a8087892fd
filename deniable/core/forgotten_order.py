"""Frames in a random order that keep nothing of the order they had: no dictionary, level or buffer in which it would still be written.

Taking rows out of a frame moves cells, and leaves what cells point to where it was: the words of a dictionary and the levels of an index
are in the order in which they first came, and so are long texts in the buffers of a Polars column.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deniable.errors import DataError

Ints = npt.NDArray[np.int64]  # as in domains, which reads columns with the help of this module


def rows_in_order(frame: Any, order: Ints) -> Any:
    """The rows of a native eager frame in this order, and nothing else of the order they had. An index keeps its rows' labels.

    Dictionaries and categories hold the values that occur, sorted; those with an order of their own (ordered categories, enums) stay as
    they were declared.

    >>> import numpy as np
    >>> table = pa.table({"id": pa.array(["z", "a", "m"]).dictionary_encode()})
    >>> found = rows_in_order(table, np.array([2, 0, 1]))["id"]
    >>> found.to_pylist(), found.chunk(0).dictionary.to_pylist()
    (['m', 'z', 'a'], ['a', 'm', 'z'])
    """
    if isinstance(frame, pa.Table):
        columns = [_arrow(column, order) for column in frame.columns]
        fields = [
            field.with_type(column.type)
            if _is_plain(field.type) or pa.types.is_dictionary(field.type)
            else pa.field(field.name, column.type)
            for field, column in zip(frame.schema, columns, strict=True)
        ]
        return pa.table(columns, schema=pa.schema(fields, frame.schema.metadata))
    if nw.from_native(frame, eager_only=True).implementation is nw.Implementation.POLARS:
        return type(frame)([_polars(column, order) for column in frame.get_columns()])
    return _pandas(frame.iloc[order])


def plain_batch(piece: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with every cell's value beside the others, without dictionaries, views and runs.

    >>> plain_batch(pa.RecordBatch.from_pydict({"a": pa.array(["x"]).dictionary_encode()})).schema.field("a").type
    DataType(string)
    """
    if all(_is_plain(field.type) for field in piece.schema):
        return piece
    return pa.RecordBatch.from_arrays([plain(column) for column in piece.columns], names=piece.schema.names)


def plain(column: Any) -> Any:
    """An Arrow array with every cell's value beside the others, also inside lists and structures.

    >>> plain(pa.array([["x"]], pa.list_(pa.string_view()))).type
    ListType(list<item: large_string>)
    """
    if _is_plain(column.type):
        return column
    if pa.types.is_run_end_encoded(column.type):
        return plain(pc.run_end_decode(column))
    if isinstance(column.type, pa.BaseExtensionType):
        return plain(pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
                     if isinstance(column, pa.ChunkedArray) else column.storage)  # fmt: skip
    try:
        return column.cast(_plain_type(column.type))
    except pa.ArrowNotImplementedError:
        raise DataError(
            "column_encoding",
            "A column of type {kind} cannot be put in another order. Turn it into plain values, or leave it out.",
            kind=str(column.type),
        ) from None


def _plain_type(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        inside = _plain_type(kind.storage_type)
        return kind if inside == kind.storage_type else inside
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _plain_type(kind.value_type)
    if types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
    if types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(i)) for i in range(kind.num_fields)])
    if types.is_fixed_size_list(kind):
        return pa.list_(_plain_field(kind.value_field), kind.list_size)
    if types.is_list(kind) or types.is_list_view(kind):
        return pa.list_(_plain_field(kind.value_field))
    if types.is_large_list(kind) or types.is_large_list_view(kind):
        return pa.large_list(_plain_field(kind.value_field))
    return kind


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(_plain_type(field.type))


def _is_plain(kind: pa.DataType) -> bool:
    return bool(_plain_type(kind) == kind)


def _arrow(column: pa.ChunkedArray, order: Ints) -> pa.ChunkedArray:
    taken = plain(column).take(pa.array(order))
    if not pa.types.is_dictionary(column.type):
        return taken
    if column.type.ordered and column.num_chunks:
        words = column.unify_dictionaries().chunk(0).dictionary
    else:
        words = _sorted(taken.unique().drop_null())
    codes = pc.index_in(taken, value_set=words).cast(column.type.index_type)
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(chunk, words, ordered=column.type.ordered) for chunk in codes.chunks],
        pa.dictionary(column.type.index_type, words.type, column.type.ordered),
    )


def _sorted(words: pa.Array) -> pa.Array:
    try:
        return words.take(pc.sort_indices(words))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        # What cannot be compared stays in the order of the new rows, which tells nothing.
        return words


def _polars(column: Any, order: Ints) -> Any:
    kind = column.dtype
    if kind.is_object() or kind.is_numeric() or kind.is_temporal():
        # These point to nothing that would stay where it was.
        return column.gather(order)
    taken = type(column)(column.name, _arrow(pa.chunked_array([plain(column.to_arrow())]), order))
    if _has_categories(kind):
        # Polars numbers the words of all categorical columns in the order in which it meets them, for as long as one of them is used.
        import polars

        return taken.cast(polars.Enum(taken.drop_nulls().unique().sort())) if not kind.is_nested() else taken
    return taken if taken.dtype == kind else taken.cast(kind)


def _has_categories(kind: Any) -> bool:
    inside = [getattr(kind, "inner", None), *(field.dtype for field in getattr(kind, "fields", ()))]
    return type(kind).__name__ == "Categorical" or any(_has_categories(one) for one in inside if one is not None)


def _pandas(frame: Any) -> Any:
    """A frame of pandas whose rows were taken: its categories and the levels of its index, rebuilt."""
    attrs = frame.attrs
    for at, kind in enumerate(frame.dtypes):
        if _holds_words(kind):
            frame.isetitem(at, _pandas_column(frame.iloc[:, at]))
    index = frame.index
    if index.nlevels > 1:
        levels = [_pandas_column(index.get_level_values(at)) for at in range(index.nlevels)]
        frame.index = type(index).from_arrays(levels, names=index.names)
    elif _holds_words(index.dtype):
        frame.index = _pandas_column(index)
    frame.attrs = attrs
    return frame


def _holds_words(kind: Any) -> bool:
    inside = getattr(kind, "pyarrow_dtype", None)
    return hasattr(kind, "categories") or (inside is not None and not _is_plain(inside))


def _pandas_column(values: Any) -> Any:
    """A series or level of an index with the categories that occur, sorted."""
    kind = values.dtype
    inside = getattr(kind, "pyarrow_dtype", None)
    if inside is not None and not _is_plain(inside):
        array = values.array.__arrow_array__()
        column = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        made = _arrow(column, np.arange(len(values)))
        return type(values)(
            type(values.array)(made), name=values.name, **({"index": values.index} if hasattr(values, "index") else {})
        )
    if not hasattr(kind, "categories") or kind.ordered:
        return values
    present = values.dropna().unique().astype(kind.categories.dtype)
    try:
        present = type(kind.categories)(present).sort_values()
    except TypeError:
        present = type(kind.categories)(present)
    # Not `astype`: to it, categories that are the same in another order are the same.
    return (values.cat if hasattr(values, "cat") else values).set_categories(present)
