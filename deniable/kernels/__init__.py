"""Hot loops, compiled by numba: arrays in, arrays out, nothing else known."""

from __future__ import annotations

from numba.core import event

from deniable import progress


class _Compiling(event.Listener):
    """Tells of every loop that is compiled, not of those that come from numba's cache."""

    def on_start(self, _: event.Event) -> None:
        progress.compiling()

    def on_end(self, _: event.Event) -> None:
        pass


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]
