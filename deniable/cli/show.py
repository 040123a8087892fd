"""How numbers and tables are put before people on a terminal."""

from __future__ import annotations

import math
import shutil

from rich.console import Console


def console() -> Console:
    """A console that is as wide as the terminal, or 120 columns where the output goes elsewhere."""
    return Console(width=max(80, shutil.get_terminal_size((120, 40)).columns), highlight=False)


def odds(epsilon: float) -> str:
    """Epsilon in words: by what factor a report can change the odds of any answer.

    >>> odds(1.0986), odds(math.inf)
    ('at most 3.0 times', 'without limit')
    """
    if math.isinf(epsilon):
        return "without limit"
    factor = math.exp(epsilon)
    return f"at most {factor:,.1f} times" if factor < 1e5 else f"at most {factor:.1e} times"
