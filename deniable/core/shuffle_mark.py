"""A mark on frames whose rows were shuffled, so that nobody pairs them row by row with something that was not.

It is a random name of the shuffle. Pandas hands it on to columns and parts of a frame (`attrs`), Arrow to parts of a table (metadata), and
each to the other, also through Parquet. Other kinds of frames cannot carry one.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import narwhals.stable.v2 as nw

from deniable.errors import DataError

PANDAS_KEY = "deniable_shuffle"
ARROW_KEY = b"deniable.shuffle"
PANDAS_METADATA = b"pandas"


class ShuffleMark(str):
    """The name of a shuffle. Two of them compare as equal, since pandas keeps `attrs` of frames that are put below each other only if
    they are equal; what is put together out of two shuffles then has the name of the first.

    >>> import pandas as pd
    >>> parts = [marked(pd.DataFrame({"a": [1, 2]})) for _ in range(2)]
    >>> mark_of(pd.concat(parts)) == mark_of(parts[0]) != mark_of(parts[1])
    True
    """

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
    name = secrets.token_hex(8)
    if hasattr(frame, "attrs"):
        frame.attrs = {**frame.attrs, PANDAS_KEY: ShuffleMark(name)}
        return frame
    return frame.replace_schema_metadata(marked_metadata(frame.schema.metadata, name))


def marked_metadata(metadata: dict[bytes, bytes] | None, name: str | None = None) -> dict[bytes, bytes]:
    """Metadata of an Arrow schema with the mark of a new shuffle, where pandas finds it too."""
    metadata = metadata or {}
    name = secrets.token_hex(8) if name is None else name
    for_pandas = {"index_columns": [], "column_indexes": [], "columns": []} | json.loads(metadata.get(PANDAS_METADATA, b"{}"))
    for_pandas["attributes"] = {**for_pandas.get("attributes", {}), PANDAS_KEY: name}
    return {**metadata, ARROW_KEY: name.encode(), PANDAS_METADATA: json.dumps(for_pandas).encode()}


def mark_of(data: Any) -> str | None:
    """The name of the shuffle that these rows come from; None if they carry none."""
    native = nw.to_native(data, pass_through=True)
    attrs = getattr(native, "attrs", None)
    if isinstance(attrs, dict):
        found = attrs.get(PANDAS_KEY)
        return None if found is None else str.__str__(found)
    schema = getattr(native, "schema", None)
    metadata = getattr(schema, "metadata", None) or {}
    if ARROW_KEY in metadata:
        return str(metadata[ARROW_KEY].decode())
    found = json.loads(metadata.get(PANDAS_METADATA, b"{}")).get("attributes", {}).get(PANDAS_KEY)
    return None if found is None else str(found)


def refuse_unpaired(first: Any, second: Any, names: tuple[str, str], mends: str) -> None:
    """Refuse rows that were shuffled beside rows that were not, or that were shuffled another time: they are not the same people.

    >>> import pandas as pd
    >>> Z = marked(pd.DataFrame({"a": [0, 1], "c": [0, 1]}))
    >>> refuse_unpaired(Z[["a"]], Z["c"], ("X", "y"), "")
    >>> refuse_unpaired(Z[["a"]], [0, 1], ("X", "y"), "Give both from one frame.")
    Traceback (most recent call last):
    deniable.errors.DataError: X was shuffled and y was not shuffled with it: the same row is not the same person. Give both from one frame.
    """
    marks = mark_of(first), mark_of(second)
    if marks[0] == marks[1]:
        return
    shuffled, other = names if marks[0] is not None else names[::-1]
    raise DataError(
        "shuffled_rows",
        "{shuffled} was shuffled and {other} was not shuffled with it: the same row is not the same person. {mends}",
        shuffled=shuffled,
        other=other,
        mends=mends,
    )
