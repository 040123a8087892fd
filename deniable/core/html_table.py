"""A table as HTML for notebooks: everything in it is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST_ROWS = 200
"""Longer tables are cut, as nobody reads them in a notebook."""


def html_table(head: Sequence[Any], rows: Sequence[Sequence[Any]], headings: int = 1, caption: str = "") -> str:
    """Rows below a head; the first `headings` cells of each name it. A cell of several lines is a tuple.

    >>> html_table(["a", "n"], [["<b>", 3]])
    '<table><thead><tr><th>a</th><th>n</th></tr></thead><tbody><tr><th scope="row">&lt;b&gt;</th><td>3</td></tr></tbody></table>'
    """
    body = "".join(
        _row([*(_cell("th", cell, ' scope="row"') for cell in row[:headings]), *(_cell("td", cell) for cell in row[headings:])])
        for row in rows[:MOST_ROWS]
    )
    if len(rows) > MOST_ROWS:
        body += f'<tr><td colspan="{len(head)}">... and {len(rows) - MOST_ROWS:,} more</td></tr>'
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{said}<thead>{_row(_cell('th', cell) for cell in head)}</thead><tbody>{body}</tbody></table>"


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, content: Any, scope: str = "") -> str:
    first, *more = content if isinstance(content, tuple) else (content,)
    return f"<{tag}{scope}>{escape(str(first))}{''.join(f'<br><small>{escape(str(line))}</small>' for line in more)}</{tag}>"


def paragraphs(sentences: Iterable[str]) -> str:
    """Sentences as paragraphs of their own.

    >>> paragraphs(["1 < 2"])
    '<p>1 &lt; 2</p>'
    """
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
