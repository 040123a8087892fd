"""A cross table on a terminal: one attribute in rows, the other in columns, and below each share how far it may be off."""

from __future__ import annotations

import numpy as np
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.core.simplex import project
from deniable.picture_words import words_of

WIDEST_ROW_LABEL = 30
"""Longer labels of rows are broken into lines; labels of columns are broken if they are wider than what is below them."""
FRAME = 3
"""How many characters the border of a column and the space beside its cells take."""


def cross_table(estimate: Estimate, ends: tuple[Floats, Floats] | None, width: int, turned: bool = False) -> Table | None:
    """The shares of a cross table, in percent, with the ends of their intervals below them; None where that is wider than `width`.
    `turned`: with rows and columns swapped.

    >>> import deniable as dn, pandas as pd
    >>> from rich.console import Console
    >>> schema = dn.Schema({"sex": dn.Identity(dn.Nominal(["F", "M"])), "ill": dn.Identity(dn.Nominal(["no", "yes"]))})
    >>> frame = pd.DataFrame({"sex": ["F"] * 60 + ["M"] * 40, "ill": ["yes", "no", "no", "no"] * 25})
    >>> found = dn.Sample(frame, schema).crosstab("sex", "ill")
    >>> Console(width=60, color_system=None).print(cross_table(found, found.interval(), 60))
    ┏━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━┓
    ┃ sex \\ ill ┃           no ┃         yes ┃  total ┃
    ┡━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━┩
    │ F         │        45.0% │       15.0% │  60.0% │
    │           │ 35.6 to 54.8 │ 9.3 to 23.3 │        │
    │ M         │        30.0% │       10.0% │  40.0% │
    │           │ 21.9 to 39.6 │ 5.5 to 17.4 │        │
    ├───────────┼──────────────┼─────────────┼────────┤
    │ total     │        75.0% │       25.0% │ 100.0% │
    └───────────┴──────────────┴─────────────┴────────┘
    >>> cross_table(found, found.interval(), 40) is None
    True
    """
    assert estimate.table is not None
    (down, first), (across, second) = estimate.table
    grids = [part.reshape(len(first), len(second)) for part in (estimate.shown, *(ends or ()))]
    if turned:
        down, first, across, second, grids = across, second, down, first, [grid.T for grid in grids]
    shares, totals = grids[0], totals_of(estimate)[:: -1 if turned else 1]
    columns = [str(label) for label in second]
    words = words_of(estimate.language)
    total, whole = words.total, words.percent(1.0)

    def points(share: float) -> str:
        return words.number(100 * share, ".1f")

    between = None
    if ends is not None:
        low, high = grids[1:]
        between = [
            [words.ends.format(low=points(low[i, j]), high=points(high[i, j])) for j in range(len(second))]
            for i in range(len(first))
        ]
    corner, rows = f"{down} \\ {across}", [str(label) for label in first]
    widths = []
    for j, label in enumerate(columns):
        below = max([cell_len(whole), *(cell_len(line[j]) for line in between or [])])
        widths.append(_width(label, [], below))
    left = width - sum(widths) - cell_len(whole) - FRAME * (len(widths) + 2) - 1
    widths.insert(0, _width(corner, [*rows, total], max(1, min(left, WIDEST_ROW_LABEL))))
    if widths[0] > left:
        return None
    table = Table()
    for head, room in zip([corner, *columns], widths, strict=True):
        table.add_column(
            Text(head), justify="left" if head is corner else "right", min_width=min(room, cell_len(head)), max_width=room
        )
    table.add_column(total, justify="right")
    for i, label in enumerate(rows):
        cells = [Text(words.percent(share)) for share in shares[i]]
        for j, cell in enumerate(cells):
            cell.append("" if between is None else f"\n{between[i][j]}", style="dim")
        table.add_row(Text(label), *cells, words.percent(totals[0][i]), end_section=i == len(rows) - 1)
    table.add_row(total, *map(words.percent, totals[1]), whole)
    return table


def totals_of(estimate: Estimate) -> tuple[Floats, Floats]:
    """The shares of the labels in rows and in columns. They follow from the estimated cells, including those below 0, as the distribution
    of either attribute does: the cells as shown, none below 0, would make rare labels too frequent."""
    assert estimate.table is not None
    cells = estimate.value.reshape([len(labels) for _, labels in estimate.table])
    return project(cells.sum(axis=1)), project(cells.sum(axis=0))


def adds_up(estimate: Estimate) -> bool:
    """Whether the cells that are shown add up to the totals, but for rounding."""
    assert estimate.table is not None
    cells = estimate.shown.reshape([len(labels) for _, labels in estimate.table])
    return all(np.allclose(cells.sum(axis=1 - axis), total, atol=5e-4) for axis, total in enumerate(totals_of(estimate)))


def _width(head: str, labels: list[str], most: int) -> int:
    """The width of a column whose head and labels are broken into lines of at most `most`, though never within a word."""
    texts = [head, *labels]
    words = [word for text in texts for word in text.split()]
    return max(min(most, max(map(cell_len, texts))) if labels else most, *map(cell_len, words or [""]), 1)
