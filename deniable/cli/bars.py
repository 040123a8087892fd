"""Progress bars on standard error, so that they never mix with results."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from deniable import interrupts


class Bar:
    """Shows progress as a bar; silent where standard error is not a terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task: TaskID | None = None

    def start(self, what: str, total: int | None) -> None:
        self._bar.start()
        self._task = self._bar.add_task(what, total=total)

    def advance(self, units: int) -> None:
        interrupts.check()
        if self._task is not None:
            self._bar.advance(self._task, units)

    def finish(self) -> None:
        self._bar.stop()
