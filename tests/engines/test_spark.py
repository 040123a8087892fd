"""Spark is started with our interpreter whatever the machine has; a session that is there already stays as it is."""

import json
import os
import re
import subprocess
import sys
import threading
import venv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import deniable as dn
from deniable.engines.spark import interpreters, spark_session
from deniable.errors import DeniableError

ROOT = Path(dn.__file__).parents[1]

MINE = """
import json, os, sys
import deniable as dn
from deniable.engines.sources import open_source
from deniable.engines.spark import spark_session

session = spark_session(spark__master="local[1]", spark__driver__extraJavaOptions="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
schema = dn.Schema(dict.fromkeys("ab", dn.Flip(0.8, 0.9)))
found = dn.frequent_itemsets(open_source(sys.argv[1], "spark"), schema, 0.1, method="unbiased")
left = [name for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME", "JAVA_HOME") if name in os.environ]
print(json.dumps([found["support"].tolist(), session.sparkContext.pythonExec, left]))
session.stop()
"""


@pytest.mark.xdist_group("servers")
def test_workers_run_with_our_interpreter_whatever_python3_the_path_has(tmp_path):
    """The PATH's python3 fails, and ours lies in a folder whose name holds a space."""
    fake = tmp_path / "bin" / "python3"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho the wrong python3 >&2\nexit 1\n")
    fake.chmod(0o755)
    ours = tmp_path / "my environment"
    ours.symlink_to(sys.prefix)
    python = str(ours / "bin" / "python")
    # 6 of 10 report a, half of them b too. Debiased by hand: (0.6 - 0.1) / 0.7 and, for both, the product of the weights.
    table = pa.table({"a": [1] * 6 + [0] * 4, "b": [1] * 3 + [0] * 3 + [1] * 2 + [0] * 2})
    pa.parquet.write_table(table, tmp_path / "reports.parquet")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME", "JAVA_HOME")
    }
    environment |= {
        "PATH": f"{fake.parent}{os.pathsep}{environment['PATH']}",
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
    }
    done = subprocess.run(
        [python, "-c", MINE, str(tmp_path / "reports.parquet")],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    supports, worker, left = json.loads(done.stdout.splitlines()[-1])
    yes, no = 0.9 / 0.7, -0.1 / 0.7
    both = (3 * yes * yes + 5 * yes * no + 2 * no * no) / 10
    assert supports == pytest.approx([0.5 / 0.7, 0.4 / 0.7, both])
    assert worker == python
    assert left == []


@pytest.mark.parametrize(
    ("environment", "settings", "worker", "driver"),
    [
        ({}, {}, sys.executable, sys.executable),
        ({"PYSPARK_PYTHON": "/env/python"}, {}, "/env/python", "/env/python"),
        ({"PYSPARK_DRIVER_PYTHON": "/env/driver"}, {}, sys.executable, "/env/driver"),
        ({}, {"spark.pyspark.python": "/set/python"}, "/set/python", "/set/python"),
        ({"PYSPARK_PYTHON": "/env/python"}, {"spark.pyspark.python": "/set/python"}, "/set/python", "/set/python"),
        ({}, {"spark.pyspark.driver.python": "/set/driver"}, sys.executable, "/set/driver"),
    ],
)
def test_an_interpreter_that_the_user_named_is_taken(environment, settings, worker, driver):
    """Settings come before the environment, as in Spark's own documentation."""
    assert interpreters(settings, environment) == {"PYSPARK_PYTHON": worker, "PYSPARK_DRIVER_PYTHON": driver}


@pytest.mark.xdist_group("servers")
def test_a_session_of_the_user_is_left_as_it_is_in_every_thread(spark):
    """Spark's idea of an active session ends with the thread that started it."""
    context = spark.sparkContext
    before = dict(spark.conf.getAll), context.pythonExec, dict(os.environ)
    found = []
    thread = threading.Thread(target=lambda: found.append(spark_session(spark__sql__shuffle__partitions="7")))
    thread.start()
    thread.join()
    found.append(spark_session(spark__sql__shuffle__partitions="7"))
    assert all(session is spark for session in found)
    assert (dict(spark.conf.getAll), context.pythonExec, dict(os.environ)) == before


@pytest.mark.xdist_group("servers")
def test_a_session_whose_workers_have_no_packages_says_what_to_set(spark, tmp_path, monkeypatch):
    venv.create(tmp_path / "bare", with_pip=False)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bare" / "bin" / "python"))
    pa.parquet.write_table(pa.table({"a": [0, 1]}), tmp_path / "reports.parquet")
    with pytest.raises(DeniableError, match=r"workers.*no module '\w+'.*PYSPARK_PYTHON.*" + re.escape(sys.executable)):
        dn.Transactions(spark.read.parquet(str(tmp_path / "reports.parquet")))
