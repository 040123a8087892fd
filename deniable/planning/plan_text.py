"""A plan as people see it, in a shell, a notebook or a frame: one row per attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from deniable.core.html_table import html_table, paragraphs
from deniable.planning.precision import FEWEST
from deniable.planning.words import ENGLISH, Words

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 60


class PlannedRow(Protocol):
    """What is expected of one attribute (`planned.Row`)."""

    @property
    def name(self) -> str: ...
    @property
    def odds(self) -> float: ...
    @property
    def open(self) -> bool: ...
    @property
    def worth(self) -> float: ...
    @property
    def figures(self) -> Mapping[str, float | None]: ...


class Planned(Protocol):
    """What is shown of a plan (`planned.Plan`)."""

    answers: int
    group: float
    by: str | None
    left_out: list[str]

    @property
    def rows(self) -> Sequence[PlannedRow]: ...


def keys_of(rows: Sequence[PlannedRow]) -> list[str]:
    """The figures that any attribute has: first those of everyone, then those of the group, then differences."""
    found = list(dict.fromkeys(key for row in rows for key in row.figures))
    order = {"group": 1, "difference": 2}
    return sorted(found, key=lambda key: order.get(key.split("_")[0], 0))


def frame(plan: Planned) -> pd.DataFrame:
    """One row per attribute, figures as numbers."""
    import pandas as pd

    keys = keys_of(plan.rows)
    content = [
        {"attribute": row.name, "odds": row.odds, "worth": row.worth}
        | {key: math.nan if (found := row.figures.get(key)) is None else found for key in keys}
        for row in plan.rows
    ]
    return pd.DataFrame(content)


def head_of(key: str, words: Words) -> str:
    """The heading of a figure."""
    part, _, what = key.partition("_")
    if part == "share":
        return words.share.format(share=f"{what}%")
    if part in ("mean", "quantile"):
        return words.mean if part == "mean" else words.quantile
    share = f"{what.removeprefix('share_')}%" if what.startswith("share") else "50%"
    if part == "group":
        return words.mean_in_group if what == "mean" else words.in_group.format(share=share)
    return words.mean_difference if what == "mean" else words.difference.format(share=share)


def figure(key: str, found: float | None, words: Words) -> str:
    """A figure as it is shown: margins with ±, shares in points.

    >>> figure("share_20", 0.0473, ENGLISH), figure("difference_mean", 0.5321, ENGLISH), figure("mean", None, ENGLISH)
    ('± 4.7', '0.53', 'too few')
    >>> figure("share_20", math.inf, ENGLISH)
    'never'
    """
    if found is None:
        return words.too_few
    if math.isinf(found):
        return words.never
    if key.endswith("mean"):
        digits = max(0, 1 - math.floor(math.log10(found))) if found > 0 else 1
        number = words.numbers.number(found, f",.{min(digits, 8)}f")
    else:
        number = words.numbers.number(100 * found, ".1f")
    return number if key.startswith("difference") else words.margin.format(margin=number)


def table_of(plan: Planned, words: Words = ENGLISH) -> tuple[list[str], list[list[str]]]:
    """The head of the table and its rows."""
    keys = keys_of(plan.rows)
    rows = []
    for row in plan.rows:
        odds = words.open if row.open else words.no_limit
        if math.isfinite(row.odds):
            odds = words.numbers.number(math.ceil(10 * row.odds - 1e-6) / 10, ",.1f")
        worth = words.never if math.isnan(row.worth) else words.numbers.number(row.worth, ",.0f")
        rows.append(
            [row.name, odds, worth, *(figure(key, row.figures[key], words) if key in row.figures else "" for key in keys)]
        )
    return [words.attribute, words.odds, words.worth, *(head_of(key, words) for key in keys)], rows


def sentences(plan: Planned, words: Words = ENGLISH) -> list[str]:
    """How to read the table."""
    keys, said = keys_of(plan.rows), [words.reading]
    if any(key.startswith("group") for key in keys):
        share = words.numbers.number(100 * plan.group, ".3g") + "%"
        group = words.group_of["open" if plan.by is None else "hidden"].format(share=share, by=plan.by)
        said.append(words.reading_groups.format(group=group))
    if "mean" in keys:
        said.append(words.reading_means)
    if "quantile" in keys:
        said.append(words.reading_quantiles)
    if any(found is None for row in plan.rows for found in row.figures.values()):
        said.append(words.reading_few.format(fewest=FEWEST))
    if any(found == math.inf for row in plan.rows for found in row.figures.values()):
        said.append(words.reading_never)
    if plan.left_out:
        said.append(words.left_out.format(names=", ".join(plan.left_out)))
    return said


def heading(plan: Planned, words: Words = ENGLISH) -> str:
    """What the table is of."""
    return words.heading.format(n=words.numbers.number(plan.answers, ",d"))


def text(plan: Any) -> str:
    """Line after line, for a terminal: the head is wrapped above its column."""
    head, rows = table_of(plan)
    tall = [_lines(name, max(len(row[i]) for row in rows)) for i, name in enumerate(head)]
    wide = [max(map(len, [*column, *(row[i] for row in rows)])) for i, column in enumerate(tall)]
    above = max(map(len, tall))
    lines = [
        "  ".join(_put(column[line - above + len(column)] if line >= above - len(column) else "", width, i)
                  for i, (column, width) in enumerate(zip(tall, wide, strict=True)))
        for line in range(above)
    ]  # fmt: skip
    lines += ["  ".join(_put(cell, width, i) for i, (cell, width) in enumerate(zip(row, wide, strict=True))) for row in rows]
    shown = lines[: above + MOST_ROWS]
    if len(rows) > MOST_ROWS:
        shown.append(f"... and {len(rows) - MOST_ROWS:,} more")
    return "\n".join([f"{heading(plan)}", *(f"  {line}".rstrip() for line in shown), *sentences(plan)])


def _put(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def _lines(name: str, width: int) -> list[str]:
    lines = [""]
    for word in name.split():
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) <= max(width, 10):
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def page(plan: Any) -> str:
    """The same as HTML, escaped."""
    return html_table(*table_of(plan), caption=heading(plan)) + paragraphs(sentences(plan))
