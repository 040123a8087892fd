"""How numbers and tables are put before people on a terminal."""

from __future__ import annotations

import shutil

from rich.console import Console


def console() -> Console:
    """A console that is as wide as the terminal, or 120 columns where the output goes elsewhere."""
    return Console(width=max(80, shutil.get_terminal_size((120, 40)).columns), highlight=False)
