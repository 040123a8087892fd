"""Counting where the data lives: a three-condition count through DuckDB and Polars against the same GROUP BY by hand.

    python -m benchmarks.pushdown [--rows 10000000] [--quick]

Median of 9 interleaved runs; then the same count by Spark in local mode; then the growth of memory while 1, 10 and
50 million rows are counted.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn
from benchmarks.channels import Peak
from benchmarks.timing import interleaved

CONDITION = "sex == 'F' and 30 <= age < 60 and credit in ('none', 'repaid')"
COLUMNS = ["sex", "age", "credit"]


def write(path: Path, rows: int, schema: dn.Schema) -> None:
    """A Parquet file of so many randomised rows, made of one randomised million over and over."""
    rng = np.random.default_rng(1)
    piece = 1_000_000
    reported = schema.randomise(dn.datasets.town(piece, rng)[COLUMNS], rng)
    table = pa.Table.from_pandas(reported, preserve_index=False)
    with pq.ParquetWriter(path, table.schema) as writer:
        for begin in range(0, rows, piece):
            writer.write_table(table.slice(0, min(piece, rows - begin)), row_group_size=250_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    town = dn.datasets.town_schema()
    schema = dn.Schema({name: town[name] for name in COLUMNS})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "town.parquet"
        rows = 1_000_000 if options.quick else options.rows
        write(path, rows, schema)
        keys = ", ".join(COLUMNS)
        by_hand = f"SELECT {keys}, count(*) FROM '{path}' GROUP BY {keys}"
        contestants: dict[str, Any] = {
            "DuckDB, by hand": lambda: duckdb.sql(by_hand).to_arrow_table(),
            "DuckDB, count": lambda: dn.Sample(duckdb.sql(f"SELECT * FROM '{path}'"), schema).count(CONDITION),
            "Polars, by hand": lambda: pl.scan_parquet(path).group_by(COLUMNS).len().collect(),
            "Polars, count": lambda: dn.Sample(pl.scan_parquet(path), schema).count(CONDITION),
        }
        seconds = interleaved(contestants, 3 if options.quick else 9)
        print(f"{rows:,} rows, {CONDITION}")
        for engine in ("DuckDB", "Polars"):
            hand, ours = seconds[f"{engine}, by hand"], seconds[f"{engine}, count"]
            times = f"GROUP BY by hand {1e3 * hand:>7.0f} ms   estimate with interval {1e3 * ours:>7.0f} ms"
            print(f"  {engine:<8} {times}   ratio {ours / hand:.2f}")
        estimates = [
            dn.Sample(data, schema).count(CONDITION) for data in (duckdb.sql(f"SELECT * FROM '{path}'"), pl.scan_parquet(path))
        ]
        assert np.array_equal(estimates[0].value, estimates[1].value)
        print("  equal to the last bit; " + str(estimates[0]).splitlines()[1].strip())
        spark = dn.read(path, schema, engine="spark").count(CONDITION)
        if not np.array_equal(spark.value, estimates[0].value):
            raise SystemExit(f"Spark disagrees: {spark.value!r} instead of {estimates[0].value!r}")
        print("  Spark in local mode agrees to the last bit")
        print("Memory while counting through DuckDB:")
        for size in (1_000_000,) if options.quick else (1_000_000, 10_000_000, 50_000_000):
            big = Path(folder) / f"{size}.parquet"
            write(big, size, schema)
            with Peak() as peak:
                dn.Sample(duckdb.sql(f"SELECT * FROM '{big}'"), schema).count(CONDITION)
            print(f"  {size:>12,} rows: grew by at most {peak.grown:.0f} MB")
            big.unlink()


if __name__ == "__main__":
    main()
