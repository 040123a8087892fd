"""Rows made of counts: for miners and classifiers, which look at rows one by one, always in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.schema import Schema
from deniable.engines.count import cell_table

MOST_ROWS = 2_000_000
"""More rows are thinned out evenly."""


def rows_of(data: Any, schema: Schema, names: Sequence[str], most: int = MOST_ROWS) -> Any:
    """The reports of some attributes as a pandas frame, sorted by their codes: counted data of any kind gives the same rows. Of more
    than `most` rows some are taken, evenly.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    >>> rows_of(pd.DataFrame({"a": ["yes", "no", "yes"]}), schema, ["a"])["a"].tolist()
    ['no', 'yes', 'yes']
    """
    table = cell_table(data, schema, names)
    order = np.lexsort(table.cells.T[::-1])
    codes = np.repeat(table.cells[order], table.n[order], axis=0)
    if len(codes) > most:
        codes = codes[np.linspace(0, len(codes) - 1, most).astype(np.int64)]
    columns = {name: schema[name].reported.column(codes[:, d]) for d, name in enumerate(names)}
    return pa.table(columns).to_pandas()


def only(schema: Schema, names: Sequence[str], target: str | None = None) -> Schema:
    """The schema of some attributes, whose draws must be their own."""
    return Schema({name: schema[name] for name in names}, target)
