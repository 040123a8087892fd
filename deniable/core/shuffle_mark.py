"""A mark on frames whose rows were shuffled, so that nobody pairs them row by row with something that was not.

It is a random name of the shuffle, and the names of the columns that were shuffled together. Pandas hands it on to columns and parts of a
frame (`attrs`), Arrow to parts of a table (metadata), and each to the other, also through Parquet; there pandas loses the name of the
shuffle, not that there was one. Pandas drops the mark where a frame without one is joined or put beside. Other kinds of frames cannot
carry a mark.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from deniable.errors import DataError
from deniable.files.tables import is_parquet, opened_parquet

PANDAS_KEY = "deniable_shuffle"
ARROW_KEY = b"deniable.shuffle"
PANDAS_METADATA = b"pandas"


class Mark(NamedTuple):
    """Which shuffle rows come from (None where only that they were shuffled is known), and the columns that were shuffled together."""

    shuffle: str | None
    columns: tuple[str, ...]


class ShuffleMark(str):
    """A mark among the `attrs` of pandas: the columns as text, and the name of the shuffle beside it.

    Pandas keeps `attrs` of frames that are put below each other only if they are equal. So two marks compare as equal, and what is put
    together out of two shuffles has the name of the first. What goes through a file is only the text, which is the same for two shuffles.

    >>> import pandas as pd
    >>> parts = [marked(pd.DataFrame({"a": [1, 2]})) for _ in range(2)]
    >>> mark_of(pd.concat(parts)) == mark_of(parts[0]) != mark_of(parts[1])
    True
    """

    shuffle: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, str)

    def __hash__(self) -> int:
        return hash(ShuffleMark)


def can_be_marked(frame: Any) -> bool:
    """Whether this kind of frame carries a mark, also when rows or columns are taken out of it."""
    kind = nw.from_native(frame, eager_only=True).implementation
    return kind in (nw.Implementation.PANDAS, nw.Implementation.PYARROW)


def marked(frame: Any) -> Any:
    """The frame with the mark of a new shuffle, if it can carry one."""
    if not can_be_marked(frame):
        return frame
    if not hasattr(frame, "attrs"):
        return frame.replace_schema_metadata(marked_metadata(frame.schema.metadata, frame.column_names))
    mark = ShuffleMark(_text(frame.columns))
    mark.shuffle = secrets.token_hex(8)
    frame.attrs = {**frame.attrs, PANDAS_KEY: mark}
    return frame


def marked_metadata(metadata: dict[bytes, bytes] | None, columns: Sequence[str]) -> dict[bytes, bytes]:
    """Metadata of an Arrow schema with the mark of a new shuffle, where pandas finds it too."""
    metadata = metadata or {}
    for_pandas = {"index_columns": [], "column_indexes": [], "columns": []} | json.loads(metadata.get(PANDAS_METADATA, b"{}"))
    for_pandas["attributes"] = {**for_pandas.get("attributes", {}), PANDAS_KEY: _text(columns)}
    mark = json.dumps([secrets.token_hex(8), _text(columns)])
    return {**metadata, ARROW_KEY: mark.encode(), PANDAS_METADATA: json.dumps(for_pandas).encode()}


def _text(columns: Iterable[Any]) -> str:
    return json.dumps(sorted(map(str, columns)))


def mark_of(data: Any) -> Mark | None:
    """The mark of the shuffle that these rows come from; None if they carry none."""
    native = nw.to_native(data, pass_through=True)
    attrs = getattr(native, "attrs", None)
    if isinstance(attrs, dict):
        columns, shuffle = attrs.get(PANDAS_KEY), getattr(attrs.get(PANDAS_KEY), "shuffle", None)
    else:
        metadata = getattr(getattr(native, "schema", None), "metadata", None) or {}
        if ARROW_KEY in metadata:
            shuffle, columns = json.loads(metadata[ARROW_KEY])
        else:
            shuffle, columns = None, json.loads(metadata.get(PANDAS_METADATA, b"{}")).get("attributes", {}).get(PANDAS_KEY)
    return None if columns is None else Mark(shuffle, tuple(json.loads(str.__str__(columns))))


def file_is_marked(path: Path) -> bool:
    """Whether a Parquet file holds rows that `Schema.randomise` shuffled: pandas and PyArrow hand their mark on to such files."""
    return is_parquet(path) and mark_of(opened_parquet(path).schema_arrow.empty_table()) is not None


def refuse_unpaired(first: Any, second: Any, names: tuple[str, str], remedy: str) -> None:
    """Refuse rows that were shuffled beside rows that were not, or that were shuffled another time: they are not the same people.

    Nor are columns that were put into a shuffled frame afterwards. `second` may be None if everything is in the first.

    >>> import pandas as pd
    >>> Z = marked(pd.DataFrame({"a": [0, 1], "c": [0, 1]}))
    >>> refuse_unpaired(Z[["a"]], Z["c"], ("X", "y"), "")
    >>> refuse_unpaired(Z[["a"]], [0, 1], ("X", "y"), "Give both from one frame.")
    Traceback (most recent call last):
    deniable.errors.DataError: X was shuffled and y was not shuffled with it: the same row is not the same person. Give both from one frame.
    """
    for data in (first, second):
        _refuse_added(data, remedy)
    marks = mark_of(first), mark_of(second)
    if second is None or _same(*marks):
        return
    shuffled, other = names if marks[0] is not None else names[::-1]
    raise DataError(
        "shuffled_rows",
        "{shuffled} was shuffled and {other} was not shuffled with it: the same row is not the same person. {remedy}",
        shuffled=shuffled,
        other=other,
        remedy=remedy,
    )


def _same(first: Mark | None, second: Mark | None) -> bool:
    """Whether rows may come from one shuffle. Of rows from a file only the columns are known."""
    if first is None or second is None:
        return first is second
    known = first.shuffle is not None and second.shuffle is not None
    return first.shuffle == second.shuffle if known else first.columns == second.columns


def _refuse_added(data: Any, remedy: str) -> None:
    """Refuse columns that a shuffled frame got later: pandas pairs them with the rows by their new numbers, which say nothing."""
    mark = mark_of(data)
    if mark is None:
        return
    native = nw.to_native(data, pass_through=True)
    names = native.column_names if hasattr(native, "column_names") else getattr(native, "columns", None)
    if names is None:
        names = [] if getattr(native, "name", None) is None else [native.name]
    added = [str(name) for name in names if str(name) not in mark.columns]
    if added:
        raise DataError(
            "added_columns",
            "The columns {got} were not there when the rows were shuffled: the same row is not the same person. {remedy} Columns that were "
            "made of this frame's own, or have another name now, are best made or renamed before randomising.",
            got=added,
            remedy=remedy,
        )
