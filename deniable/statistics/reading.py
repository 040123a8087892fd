"""`dn.read`: randomised data by name, with the schema that travels with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deniable.core.schema import Schema
from deniable.engines.opening import open_data
from deniable.statistics.parts import Most
from deniable.statistics.sample import Sample


def read(
    source: str | Path | Sequence[str | Path], schema: Schema | str | Path | None = None, engine: str | None = None, most: Most = None,
    weights: str | None = None,
) -> Sample:  # fmt: skip
    """Open randomised data to be asked: a CSV or Parquet path or glob, or `duckdb:///f.db#table`, `sqlite:///f.db#table`,
    `postgresql://...#table`; or a list of these. Nothing is loaded.

    Parameters
    ----------
    source
        The name of the data, or several.
    schema
        What it was randomised under; without it that inside Parquet or beside the file.
    engine
        What counts: "duckdb", "arrow" or "spark"; chosen by what is installed, and by size, unless given.
    most, weights
        Those of `dn.Sample`; weights are the name of a column.

    Returns
    -------
    Sample
        The data, to be asked.

    Examples
    --------
    >>> import deniable as dn, pandas as pd, tempfile, os
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "truth.csv")
    ...     pd.DataFrame({"smokes": ["no"] * 900 + ["yes"] * 100}).to_csv(path, index=False)
    ...     _ = schema.randomise(path, output=os.path.join(folder, "reported.csv"))
    ...     answer = dn.read(os.path.join(folder, "reported.csv")).count("smokes == 'yes'")
    >>> answer.n
    1000
    """
    if isinstance(source, (str, Path)):
        return Sample(open_data(source, schema, engine), weights=weights, most=most)
    opened = [open_data(each, schema, engine) for each in source]
    return Sample([(each, each.declared) for each in opened], weights=weights, most=most)
