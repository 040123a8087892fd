"""Sources named by one line of text: files, globs of files and tables of databases, opened to be counted, not loaded."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from deniable.engines.countable import Countable
from deniable.engines.countable_files import CountableFiles
from deniable.engines.countable_frames import CountableFrame, unreadable
from deniable.engines.extras import optional
from deniable.engines.spark import spark_session
from deniable.errors import DataError, DeniableError, FileError, ParameterError
from deniable.files.csv_format import find_format, said
from deniable.files.tables import open_table

ENGINES = ("duckdb", "arrow", "spark")
LARGE = 64 << 20
"""Smaller files (in bytes) are counted by pyarrow, which is loaded anyway: DuckDB took more processor time for CSV files up to 51 MB."""
_TABLES = (".csv", ".csv.gz", ".parquet")
_URLS = "duckdb:///FILE#TABLE, sqlite:///FILE#TABLE or postgresql://USER@HOST/DATABASE#TABLE"


def open_source(text: str, engine: str | None = None) -> Countable:
    """Data to count, by its name on a command line: a CSV or Parquet path or glob, or a database table.

    Files are counted by pyarrow; large ones by DuckDB if it is installed; engine="spark" hands any path to Spark. Databases are
    named duckdb:///FILE#TABLE, sqlite:///FILE#TABLE or postgresql://USER@HOST/DATABASE#TABLE.

    >>> import deniable as dn, tempfile
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Binary(), 0.75)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in "ab":
    ...         _ = Path(folder, f"{part}.csv").write_text("smokes\\n1\\n0\\n1\\n")
    ...     open_source(folder + "/*.csv", engine="arrow").cell_table(schema, ["smokes"]).dense().tolist()
    [2, 4]
    """
    if engine is not None and engine not in ENGINES:
        raise ParameterError("unknown_engine", "There is no engine {got!r}; there are {allowed}.", got=engine, allowed=ENGINES)
    if engine == "spark":
        return _spark(text)
    scheme, separator, _ = text.partition("://")
    if separator:
        return _database(text, scheme.lower())
    files, readers = _files(text)
    formats = {(reader.format.delimiter, reader.format.plain) for reader in readers if reader.text}
    if engine == "arrow" or (engine is None and (sum(path.stat().st_size for path in files) < LARGE or not _has_duckdb())):
        return CountableFiles(files, text)
    # DuckDB gets only what it reads as we do; for other encodings it would need an extension.
    alike = len(formats) < 2 and all(plain for _, plain in formats)
    return _duckdb_files(files, readers[0], text) if alike else CountableFiles(files, text)


def _has_duckdb() -> bool:
    try:
        optional("duckdb", "duckdb")
    except DeniableError:
        return False
    return True


def _files(text: str) -> tuple[list[Path], list[Any]]:
    """The files of a path or glob, with their readers: they exist, and their columns are the same in the same order."""
    fitting = sorted(Path(name) for name in glob.glob(text, recursive=True)) if not Path(text).exists() else [Path(text)]
    if not fitting and glob.has_magic(text):
        raise FileError("no_file", "No file matches {path}.", path=text)
    files = fitting or [Path(text)]
    readers = [open_table(path) for path in files]
    for path, reader in zip(files, readers, strict=True):
        if reader.text != readers[0].text:
            raise FileError("mixed_files", "{path} holds CSV and Parquet files; count them separately.", path=text)
        if reader.columns != readers[0].columns:
            raise DataError(
                "columns_differ",
                "{path} has the columns {got}, but {first} has {expected}.",
                path=str(path),
                got=reader.columns,
                first=str(files[0]),
                expected=readers[0].columns,
            )
        duplicates = sorted(name for name, times in Counter(reader.columns).items() if times > 1)
        if duplicates:
            raise DataError("column_twice", "{where} has two columns named {got}.", where=str(path), got=duplicates)
    return files, readers


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _duckdb_files(files: list[Path], reader: Any, name: str) -> CountableFrame:
    # DuckDB treats every path as a glob, so special characters in names are escaped.
    paths = ", ".join(_literal(glob.escape(str(path))) for path in files)
    if reader.text:
        # Nothing is guessed: every cell is text, the header is the first line, as everywhere else in Deniable.
        columns = ", ".join(f"{_literal(column)}: 'VARCHAR'" for column in reader.columns)
        sign = _literal(reader.format.delimiter)
        options = f"columns = {{{columns}}}, auto_detect = false, header = true, delim = {sign}, quote = '\"', escape = '\"', nullstr = ''"
        query = f"SELECT * FROM read_csv([{paths}], {options})"
    else:
        query = f"SELECT * FROM read_parquet([{paths}])"
    return _duckdb(lambda duckdb: duckdb.connect().sql(query), name, reader.text, files)


def _duckdb(relation: Callable[[Any], Any], name: str, text: bool = False, files: Sequence[Path] = ()) -> CountableFrame:
    duckdb = optional("duckdb", "duckdb")
    try:
        return CountableFrame(relation(duckdb), name, text, (duckdb.Error,), files)
    except duckdb.Error as error:
        raise unreadable(name, error) from None


def _database(text: str, scheme: str) -> Countable:
    url, _, table = text.rpartition("#")
    dialect = scheme.partition("+")[0]
    if dialect not in ("duckdb", "sqlite", "postgresql", "postgres"):
        raise ParameterError("bad_url", "{got}:// is not known; use {allowed}, or a path.", got=scheme, allowed=_URLS)
    if not url or not table:
        raise ParameterError("no_table_named", "The URL names no table; write it after a #: {allowed}.", allowed=_URLS)
    table = unquote(table)
    if dialect == "duckdb":
        return _duckdb_table(url, table)
    return _sql_table(url, table)


def _sql_table(url: str, table: str) -> Countable:
    from deniable.engines.sql import SqlTable

    try:
        source = SqlTable(url, table)
        _ = source.columns
    except DataError:
        schema, dot, inside = table.partition(".")
        if not dot:
            raise
        source = SqlTable(url, inside, schema)
        _ = source.columns
    return source


def _duckdb_table(url: str, table: str) -> CountableFrame:
    path = Path(url[len("duckdb:///") :] if url.startswith("duckdb:///") else "")
    if not path.name:
        raise ParameterError("bad_url", "A DuckDB URL needs a file: duckdb:///FILE#TABLE (four slashes for an absolute path).")
    if not path.is_file():
        raise FileError("no_file", "{path} does not exist.", path=str(path))

    def relation(duckdb: Any) -> Any:
        connection = duckdb.connect(str(path), read_only=True)
        rows = connection.sql("SELECT table_schema, table_name FROM information_schema.tables").fetchall()
        names = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in sorted(rows)}
        if table not in names:
            raise DataError(
                "no_table", "{place} has no table {got!r}, only {allowed}.", place=str(path), got=table, allowed=list(names)
            )
        return connection.sql("SELECT * FROM " + ".".join(_quoted(part) for part in names[table]))

    return _duckdb(relation, f"{table} of {path}")


def _spark(text: str) -> CountableFrame:
    session = spark_session()
    complaints = (optional("pyspark.errors", "spark").PySparkException, optional("py4j.protocol", "spark").Py4JError)
    is_text = text.lower().endswith((".csv", ".csv.gz"))
    files = _local_files(text)
    try:
        if is_text:
            sign, encoding = _spark_format(text, files)
            # Headers of several files are compared, and rows that do not have their columns are refused.
            frame = session.read.csv(
                text, header=True, quote='"', escape='"', multiLine=True, enforceSchema=False, mode="FAILFAST", sep=sign,
                encoding=encoding,
            )  # fmt: skip
        else:
            frame = session.read.parquet(text)
    except complaints as error:
        raise unreadable(text, error) from None
    return CountableFrame(frame, text, is_text, complaints, files)


def _spark_format(text: str, files: Sequence[Path]) -> tuple[str, str]:
    """The delimiter and the encoding: as found in files on this machine, elsewhere as given."""
    written = [find_format(path) for path in files]
    if any(one.decimal == "," or one.skip for one in written) or said().decimal == ",":
        raise ParameterError("spark_csv", "Spark does not read the numbers of {path}; leave it to another engine.", path=text)
    formats = {(one.delimiter, one.encoding) for one in written}
    if len(formats) > 1:
        raise FileError("mixed_files", "{path} holds CSV files that are written differently; count them separately.", path=text)
    return formats.pop() if formats else (said().delimiter or ",", said().encoding or "utf-8")


def _local_files(text: str) -> list[Path]:
    """The files on this machine that Spark reads, for the schema they carry; Spark skips names that begin with _ or a dot."""
    path = text.removeprefix("file://") if text.startswith("file:///") else text
    if "://" in path:
        return []
    files: list[Path] = []
    for name in sorted(glob.glob(path)) if glob.has_magic(path) and not Path(path).exists() else [path]:
        inside = sorted(Path(name).rglob("*")) if Path(name).is_dir() else [Path(name)]
        files += [
            file for file in inside if file.is_file() and file.name[0] not in "_." and file.name.lower().endswith(_TABLES)
        ]
    return files
