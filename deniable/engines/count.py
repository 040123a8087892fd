"""From data of any kind to an additive table of reported values, counted where the data lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.countable import Countable
from deniable.engines.countable_frames import CountableFrame


def as_countable(data: Any) -> Countable:
    """Opened data as it is; a frame of any kind as data that counts itself.

    >>> import pandas as pd
    >>> as_countable(pd.DataFrame({"a": [1]})).columns
    ['a']
    """
    return data if isinstance(data, Countable) else CountableFrame(data)


def distinct(data: Any, column: str) -> pa.Array:
    """The distinct values of a column of a frame, a SqlTable or an opened source.

    >>> import pyarrow as pa
    >>> sorted(distinct(pa.table({"w": [2.0, 0.5, 2.0]}), "w").to_pylist())
    [0.5, 2.0]
    """
    return as_countable(data).distinct(column)


def cell_table(data: Any, schema: Schema, attributes: Sequence[str]) -> CellTable:
    """How often each combination of reported labels of these attributes occurs in a frame, a SqlTable or an opened source.

    >>> import deniable as dn, pyarrow as pa
    >>> schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"], missing="no answer"), 0.75)})
    >>> cell_table(pa.table({"a": ["y", None, "y"]}), schema, ["a"]).dense().tolist()
    [0, 2, 1]
    """
    return as_countable(data).cell_table(schema, list(dict.fromkeys(attributes)))
