"""CSV files for spreadsheets, which take some texts for formulas and run them: those get an apostrophe, as spreadsheets write it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence

_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-][\d\s().,/-]*")  # a telephone number stays one
_GUARDED = re.compile(r"'(?=[=+\-@\t\r])")


def guarded(cell: str) -> str:
    """A text that a spreadsheet shows and does not run.

    >>> guarded("=1+1"), guarded("+48 555 0100"), guarded("Ada")
    ("'=1+1", '+48 555 0100', 'Ada')
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def plain(cell: str) -> str:
    """The text that was guarded.

    >>> plain("'=1+1"), plain("'Twas")
    ('=1+1', "'Twas")
    """
    return _GUARDED.sub("", cell, count=1) if cell.startswith("'") else cell


def table(names: Sequence[str], rows: Sequence[Mapping[str, str]], exact: Collection[str] = ()) -> str:
    """A CSV text. Columns in `exact` are for programs and stay as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name if name in exact else guarded(name) for name in names])
    writer.writerows(
        [str(row.get(name, "")) if name in exact else guarded(str(row.get(name, ""))) for name in names] for row in rows
    )
    return text.getvalue()
