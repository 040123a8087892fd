"""An estimate as people see it in a notebook or a shell: name, values, how far they may be off, and why there is no interval."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from deniable.core.estimate_numbers import decimals
from deniable.core.estimate_sentences import assumed_and_noted, caption
from deniable.core.estimated_values import EstimatedValues
from deniable.core.html_table import html_table, paragraphs
from deniable.core.intervals import Ends
from deniable.picture_words import words_of
from deniable.plurals import counted

MOST_LINES = 40
SHARE_DIGITS = 4
NO_INTERVAL_BUT = "The band says how much the values vary, not how far they may be off: it is not a confidence interval"


def text(estimate: EstimatedValues) -> str:
    """Line after line, for a terminal."""
    lines = [f"Estimate{' of ' + estimate.name if estimate.name else ''}: {caption(estimate)}"]
    shown, instead, ends = estimate.shown, estimate.said_instead, _ends(estimate)
    word = "" if estimate.has_interval else "band "
    labels, digits = [label_words(label) for label in estimate.labels], _decimals(estimate)
    width = max(map(len, [*labels, *(group for group, _ in estimate.sides)]))
    for group, value, _, between in _sides(estimate):
        lines.append(f"  {group:<{width}}  {value:>8}   {between}".rstrip())
    for i, label in enumerate(labels[:MOST_LINES]):
        if instead[i] is not None:
            lines.append(f"  {label:<{width}}  {instead[i]}")
            continue
        if estimate.by is not None and estimate.group_sizes is not None:
            some = "" if estimate.sizes_known else "an estimated "
            label = f"{label:<{width}}  {some}{counted(round(float(estimate.group_sizes[i])), 'person', 'people')}:"
        number = f",.{digits[i]}f"
        bounds = "" if ends is None else f"   {word}{ends[0][i]:{number}} to {ends[1][i]:{number}}"
        error = f", standard error {estimate.se[i]:{number}}" if word and ends is not None else ""
        lines.append(f"  {label:<{width}}  {shown[i]:8{number}}{'   exact' if estimate.exact else bounds}{error}")
    if len(labels) > MOST_LINES:
        lines.append(f"  ... and {len(labels) - MOST_LINES:,} more")
    return "\n".join([*lines, *(f"  {sentence}" for sentence in _sentences(estimate))])


def page(estimate: EstimatedValues) -> str:
    """The same as HTML, escaped; a cross table as a table of two dimensions."""
    name = f"<strong>{escape(estimate.name)}</strong>: " if estimate.name else ""
    content = _list(estimate) if estimate.table is None else _cross_table(estimate)
    return f"<p>{name}{escape(caption(estimate))}</p>{content}{paragraphs(_sentences(estimate))}"


def _ends(estimate: EstimatedValues) -> Ends | None:
    """The ends of the intervals, or of the bands where they are known without simulating anything."""
    return estimate.interval() if estimate.has_interval else estimate.band() if estimate.error_is_known else None


def _sentences(estimate: EstimatedValues) -> list[str]:
    words = words_of(estimate.language)
    said = [words.warning.format(what=warning) for warning in estimate.warnings]
    if estimate.why_no_interval:
        said.append(words.no_interval.format(reason=estimate.why_no_interval))
        if estimate.error_is_known:
            said.append(f"{NO_INTERVAL_BUT}.")
        elif estimate.has_band:
            said.append("Its variability (.se and .band()) is found by simulating reports, when it is asked for.")
    return said + assumed_and_noted(estimate, words)


def _list(estimate: EstimatedValues) -> str:
    digits = _decimals(estimate)
    head, rows = (
        ["", "value"],
        [
            [label_words(label), _digits(value, places)]
            for label, value, places in zip(estimate.labels, estimate.shown, digits, strict=True)
        ],
    )
    if estimate.by is not None and estimate.group_sizes is not None:
        head = ["", "people" if estimate.sizes_known else "people (estimated)", "value"]
        rows = [[label, f"{size:,.0f}", value] for (label, value), size in zip(rows, estimate.group_sizes, strict=True)]
    first = head.index("value")
    ends = _ends(estimate)
    if ends is not None:
        between = "95% interval" if estimate.has_interval else "95% variability band"
        columns: dict[str, Any] = {
            "standard error": estimate.se,
            between: list(zip(*ends, strict=True)),
            "largest bias": estimate.bias,
        }
        for heading, column in columns.items():
            if column is None:
                continue
            head.append(heading)
            for row, cell, places in zip(rows, column, digits, strict=True):
                told = _between(cell[0], cell[1], places) if isinstance(cell, tuple) else _digits(cell, places)
                row.append("exact" if estimate.exact and isinstance(cell, tuple) else told)
    for row, instead in zip(rows, estimate.said_instead, strict=True):
        if instead is not None:
            row[first:] = [instead, *[""] * (len(row) - first - 1)]
    rows = [*([*side, *[""] * (len(head) - len(side))] for side in _sides(estimate)), *rows]
    return html_table(head, rows)


def _cross_table(estimate: EstimatedValues) -> str:
    assert estimate.table is not None
    (down, first), (across, second) = estimate.table
    ends = _ends(estimate)
    between = (
        "" if ends is None else "; below each value its 95% " + ("interval" if estimate.has_interval else "variability band")
    )
    cells: list[Any] = [
        _digits(value, SHARE_DIGITS)
        if ends is None
        else (_digits(value, SHARE_DIGITS), _between(ends[0][i], ends[1][i], SHARE_DIGITS))
        for i, value in enumerate(estimate.shown)
    ]
    wide = len(second)
    rows = [[label, *cells[i * wide : (i + 1) * wide]] for i, label in enumerate(first)]
    return html_table([f"{down} \\ {across}", *second], rows, caption=f"{down} in rows, {across} in columns{between}")


def _sides(estimate: EstimatedValues) -> list[list[str]]:
    """Of a difference its two sides: the group, the value, its standard error and its interval, or what is said instead."""
    rows = []
    for group, side in estimate.sides:
        [places], [instead], (low, high) = _decimals(side), side.said_instead, side.interval()
        told = [_digits(side.shown[0], places), _digits(side.se[0], places), _between(low[0], high[0], places)]
        rows.append([group, *(told if instead is None else [instead, "", ""])])
    return rows


def _decimals(estimate: EstimatedValues) -> list[int]:
    """How many digits stand behind the point in each line."""
    shown, ends = estimate.shown, _ends(estimate)
    if estimate.is_share or estimate.in_points:
        return [SHARE_DIGITS] * len(shown)
    columns = (shown, *(() if ends is None else ends))
    return decimals([[float(column[i]) for column in columns] for i in range(len(shown))])


def _between(low: float, high: float, digits: int) -> str:
    return f"{_digits(low, digits)} to {_digits(high, digits)}"


def _digits(number: float, digits: int) -> str:
    """A number with this many digits behind the point, or none if it is large."""
    return "" if math.isnan(number) else f"{number:,.0f}" if abs(number) >= 100_000 else f"{number:,.{digits}f}"


def label_words(label: Any) -> str:
    """A label as words, also one of several.

    >>> label_words(("woman", "yes")), label_words(3)
    ('woman, yes', '3')
    """
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
