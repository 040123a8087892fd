"""CSV files for spreadsheets, which take some texts for formulas and run them: those get an apostrophe, as spreadsheets write it.

Where the decimal sign is a comma, spreadsheets part lines at semicolons, whatever quotes say: what stands behind one is a cell too. Some
take full-width signs for plain ones.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence

_SIGN = r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]"
_FORMULA = re.compile(rf'[\s"]*{_SIGN}')
_NUMBER = re.compile(r"[+-][\d\s().,/-]*")  # a telephone number stays one
_GUARDED = re.compile(rf'(^|;)\'(?=[\s"]*{_SIGN})')


def guarded(cell: str) -> str:
    """A text that a spreadsheet shows and does not run.

    >>> guarded("=1+1"), guarded("+48 555 0100"), guarded("Ada"), guarded("Ada;=1+1")
    ("'=1+1", '+48 555 0100', 'Ada', "Ada;'=1+1")
    """
    return ";".join(_guarded(part) for part in cell.split(";"))


def _guarded(part: str) -> str:
    return f"'{part}" if _FORMULA.match(part) and not _NUMBER.fullmatch(part) else part


def plain(cell: str) -> str:
    """The text that was guarded.

    >>> plain("'=1+1"), plain("'Twas"), plain("Ada;'=1+1")
    ('=1+1', "'Twas", 'Ada;=1+1')
    """
    return _GUARDED.sub(r"\1", cell)


def table(names: Sequence[str], rows: Sequence[Mapping[str, str]], exact: Collection[str] = ()) -> str:
    """A CSV text, with the byte order mark by which Excel knows UTF-8. Columns in `exact` are for programs and stay as they are."""
    text = io.StringIO()
    text.write("\ufeff")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name if name in exact else guarded(name) for name in names])
    writer.writerows(
        [str(row.get(name, "")) if name in exact else guarded(str(row.get(name, ""))) for name in names] for row in rows
    )
    return text.getvalue()
