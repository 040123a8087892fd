"""Sums over the rows of a Spark frame, made where they live: mining needs more than a table of counts, but only numbers that add up."""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.exact import Floats
from deniable.engines.extras import optional
from deniable.errors import DataError, DeniableError


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """The error of a Spark worker, without the traces around it."""
    errors = optional("pyspark.errors", "spark")
    try:
        yield
    except errors.PySparkException as error:
        missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", str(error))
        if missing is not None:
            raise DeniableError(
                "spark_workers",
                "Spark's workers run with a Python that has no module {module!r}. Start Spark with PYSPARK_PYTHON set to one that has "
                "Deniable installed, for example {python}.",
                module=missing.group(1),
                python=sys.executable,
            ) from None
        reason = re.search(r"deniable\.errors\.\w+: (.*?)(?:\n\n|\n *at |\nDriver|$)", str(error), re.DOTALL)
        if reason is None:
            raise
        raise DataError("in_spark", "{reason}", reason=reason.group(1).strip()) from None


def spark_sums(frame: Any, compute: Callable[[Iterator[pa.Table]], Floats]) -> Floats:
    """The sum over Spark's partitions of an array of numbers that `compute` makes of the rows of each; rows do not travel."""

    def partition(parts: Any) -> Iterator[pa.RecordBatch]:
        numbers = compute(pa.Table.from_batches([part]) for part in parts)
        yield pa.RecordBatch.from_arrays([pa.array([numbers.astype("<f8").tobytes()], pa.binary())], names=["sums"])

    with warnings.catch_warnings(), _explained():
        # Spark warns of new versions of pandas, which has no part in this.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        rows = frame.mapInArrow(partition, "sums binary").collect()
    parts = [np.frombuffer(row["sums"], "<f8") for row in rows]
    total: Floats = np.sum(parts, axis=0) if parts else np.zeros(0)
    return total
