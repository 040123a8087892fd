"""What the order of rows still tells where it is kept: the values of columns that were left out or made coarser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.columns import to_arrow
from deniable.core.order import MORE, SURPRISE, SerialCorrelation


def sorted_by(hidden: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of the columns that the rows are (nearly) sorted by: anyone who knows that finds a person by the place of their row.

    >>> sorted_by({"name": pa.array([f"p{i:03}" for i in range(100)]), "coin": pa.array([0, 1, 1, 0] * 25)})
    ('name',)
    """
    return tuple(name for name, column in hidden.items() if _in_order(column, name))


def _in_order(column: Any, name: str) -> bool:
    array = column if isinstance(column, pa.Array) else to_arrow(column, name)
    array = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    try:
        ranks = pc.rank(array, tiebreaker="dense")
    except pa.ArrowNotImplementedError:
        return False  # lists and the like have no order
    neighbours = SerialCorrelation()
    neighbours.add(ranks.to_numpy())
    correlation, surprise = neighbours.found()
    return surprise > SURPRISE and correlation > MORE
