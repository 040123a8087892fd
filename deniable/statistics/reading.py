"""`dn.read`: randomised data by name, with the schema that travels with it."""

from __future__ import annotations

from pathlib import Path

from deniable.core.schema import Schema
from deniable.engines.sources import open_source
from deniable.errors import DataError, FileError
from deniable.statistics.sample import Sample


def read(source: str | Path, schema: Schema | str | Path | None = None, engine: str | None = None) -> Sample:
    """Open randomised data to be asked: a CSV or Parquet path or glob, or `duckdb:///f.db#table`, `sqlite:///f.db#table`,
    `postgresql://...#table`. The schema is found inside Parquet or beside the file unless it is given; nothing is loaded.

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
    opened = open_source(str(source), engine)
    return Sample(opened, schema_of(opened.files, source, schema))


def schema_of(files: tuple[Path, ...], source: str | Path, given: Schema | str | Path | None) -> Schema:
    """The schema given, or the one that travels with the files; files that contradict it are refused."""
    named = given if isinstance(given, Schema) else None if given is None else Schema.load(given)
    for path in files:
        try:
            own = Schema.load(path)
        except FileError:
            if named is None:
                raise
            continue
        if named is not None and own != named:
            raise DataError(
                "schemas_differ",
                "{path} was randomised under another schema (fingerprint {own}...) than the one given ({named}...).",
                path=str(path),
                own=own.fingerprint[:12],
                named=named.fingerprint[:12],
            )
        named = own
    if named is None:
        raise DataError("no_schema", "{source} carries no schema: give it.", source=str(source))
    return named
