"""How tables and designs are shown on a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from deniable.core.channels.base import Channel


def console() -> Console:
    """A console that is as wide as the terminal, or 120 columns where the output goes elsewhere."""
    return Console(width=max(80, shutil.get_terminal_size((120, 40)).columns), highlight=False)


def show_designs(
    schema: Mapping[str, Channel], names: Iterable[str] | None = None, say: Callable[[str], str] = lambda english: english
) -> None:
    """What the names of the designs in a table mean, each explained once."""
    # Most commands name no designs, and measures of privacy are slow to load.
    from deniable.privacy.reporting.describe_designs import describe_designs

    print(say("How answers are hidden:"))
    for line in describe_designs(schema, names):
        design, colon, words = line.partition("): ")
        line = f"{design}{colon}{say(words)}"
        print(textwrap.fill(line, console().width, initial_indent="  ", subsequent_indent="    "))
