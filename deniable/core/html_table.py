"""A table as HTML for notebooks: everything in it is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST_ROWS = 200
"""Longer tables are cut, as nobody reads them in a notebook."""

_PADDED = "padding: 0.2em 0.7em; vertical-align: top; text-align: "
LEFT, RIGHT = _PADDED + "left", _PADDED + "right"


def html_table(
    head: Sequence[Any], rows: Sequence[Sequence[Any]], headings: int = 1, caption: str = "", numbers: bool = True
) -> str:
    """Rows below a head. A cell of several lines is a tuple.

    Parameters
    ----------
    head, rows
        The names of the columns, and the cells of each row.
    headings
        How many cells, from the first, name their row.
    caption
        What stands above the table, in small letters.
    numbers
        Whether the other cells are numbers, which stand at the right.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> html_table(["a", "n"], [["<b>", 3]]).count("&lt;b&gt;")
    1
    """
    other = RIGHT if numbers else LEFT
    top = "".join(_cell("th", cell, LEFT if i < headings else other) for i, cell in enumerate(head))
    body = "".join(
        f"<tr>{''.join(_cell('th', cell, LEFT, ' scope=row') for cell in row[:headings])}"
        f"{''.join(_cell('td', cell, other) for cell in row[headings:])}</tr>"
        for row in rows[:MOST_ROWS]
    )
    if len(rows) > MOST_ROWS:
        body += f'<tr><td colspan="{len(head)}">... and {len(rows) - MOST_ROWS:,} more</td></tr>'
    said = f"<p><small>{escape(caption)}</small></p>" if caption else ""
    return f'{said}<table class="dataframe"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def _cell(tag: str, content: Any, style: str, scope: str = "") -> str:
    first, *more = content if isinstance(content, tuple) else (content,)
    lines = "".join(f"<br><small>{escape(str(line))}</small>" for line in more)
    return f'<{tag}{scope} style="{style}">{escape(str(first))}{lines}</{tag}>'


def paragraphs(sentences: Iterable[str]) -> str:
    """Sentences as paragraphs of their own.

    >>> paragraphs(["1 < 2"])
    '<p>1 &lt; 2</p>'
    """
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
