"""What lets a command begin sooner: loading takes longer than most answers."""

from __future__ import annotations

import gc
import sys
from typing import Any

FEW_COLLECTIONS = 100_000
"""New objects between two looks for garbage: loading makes a few hundred thousand, and hardly any of them are garbage."""


_OF_THE_COMMAND_LINE = False


def begin() -> None:
    """This process runs one command and ends; only the command line's entry point calls this.

    From now on Python looks for garbage rarely. Commands that run for long, such as `serve`, set their own pace.
    """
    global _OF_THE_COMMAND_LINE
    _OF_THE_COMMAND_LINE = True
    gc.set_threshold(FEW_COLLECTIONS)


def spare_pandas() -> None:
    """Keep PyArrow from loading pandas, in a process that runs one command, unless that command asks for a pandas frame.

    PyArrow loads pandas with its first value, to recognise pandas' own objects; that takes as long as loading numpy, PyArrow and
    narwhals together. If it finds none, it does not look again, except for `to_pandas`. Only for commands that give PyArrow nothing from
    pandas: a test runs them and checks that pandas is not loaded.
    """
    if not _OF_THE_COMMAND_LINE or "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas())
    try:
        pa.scalar(0)
    finally:
        del sys.meta_path[0]


class _NoPandas:
    """While it stands first, pandas cannot be found."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
