"""What a row counts at a node of a tree: one unbiased weight for each draw whose attributes were tested on the way. Arrays in, arrays out.

Each tested attribute has the set S of its cells that are left, however often it was tested. A draw of its own weighs a row by the sum over
S of the inverse channel at its report. A draw that several attributes share weighs it by `part` * product of `told` + `other_part` *
product of `other`, each summed over the sets of those that were tested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deniable.kernels.compiling import compiled


class ForestRows(NamedTuple):
    """Rows as reported.

    Parameters
    ----------
    reports : reported cells, [attribute, row].
    labels : reported classes.
    weights : how many times each row counts.
    """

    reports: Any
    labels: Any
    weights: Any


class ForestCells(NamedTuple):
    """The attributes in cells, one entry of each array per attribute.

    Parameters
    ----------
    cells, reports : how many cells of truths and of reports there are; an attribute with one cell is never tested.
    ordered : `UNORDERED`, `ORDERED` or `ORDERED_WITH_SILENCE`.
    open : whether reports are the truth; such attributes have no tables.
    draw : which draw hides it; attributes that share one have the same.
    starts : where the tables of an attribute begin in `told` and `other`: report by report, cell by cell.
    told, other : see above.
    part, other_part : one number for each draw; 1 and 0 for attributes with a draw of their own.
    """

    cells: Any
    reports: Any
    ordered: Any
    open: Any
    draw: Any
    starts: Any
    told: Any
    other: Any
    part: Any
    other_part: Any


class Paths(NamedTuple):
    """The way to the node that is worked on and to those above it, one entry of each array per level.

    Parameters
    ----------
    used : how many attributes were tested.
    attribute : which ones, [level, place].
    inside : the cells that are left, [level, place, cell].
    told, other : sums over those cells at each report, [level, place, report].
    """

    used: Any
    attribute: Any
    inside: Any
    told: Any
    other: Any


@compiled()
def new_paths(levels: int, most_cells: int, most_reports: int) -> Paths:
    """Room for the way to nodes of so many levels."""
    return Paths(
        np.zeros(levels, np.int64),
        np.zeros((levels, levels), np.int64),
        np.zeros((levels, levels, most_cells), np.bool_),
        np.zeros((levels, levels, most_reports)),
        np.zeros((levels, levels, most_reports)),
    )


@compiled()
def left_of(paths: Paths, level: int, a: int, cells: int, inside: Any) -> int:
    """Which cells of attribute a are left, `inside`; gives its place on the path, -1 if it was not tested."""
    for k in range(paths.used[level]):
        if paths.attribute[level, k] == a:
            for x in range(cells):
                inside[x] = paths.inside[level, k, x]
            return k
    for x in range(cells):
        inside[x] = True
    return -1


@compiled()
def sum_set(cells: ForestCells, a: int, inside: Any, mask: Any, passing: bool, told: Any, other: Any) -> None:
    """Sums of both tables of attribute a, at each report, over the cells inside that pass a test, or do not."""
    k, o, start = cells.cells[a], cells.reports[a], cells.starts[a]
    for z in range(o):
        told[z], other[z] = 0.0, 0.0
    for x in range(k):
        if not inside[x] or mask[x] != passing:
            continue
        if cells.open[a]:
            told[x] = 1.0
            continue
        for z in range(o):
            told[z] += cells.told[start + z * k + x]
            other[z] += cells.other[start + z * k + x]


@compiled()
def enter(cells: ForestCells, paths: Paths, level: int, a: int, mask: Any, passing: bool, room: Any) -> None:
    """Go down to `level`: the path of the level above, and one test of attribute a more."""
    above = level - 1
    paths.used[level] = paths.used[above]
    for k in range(paths.used[above]):
        b = paths.attribute[above, k]
        paths.attribute[level, k] = b
        for x in range(cells.cells[b]):
            paths.inside[level, k, x] = paths.inside[above, k, x]
        for z in range(cells.reports[b]):
            paths.told[level, k, z] = paths.told[above, k, z]
            paths.other[level, k, z] = paths.other[above, k, z]
    place = left_of(paths, above, a, cells.cells[a], room)
    if place < 0:
        place = paths.used[level]
        paths.used[level] += 1
        paths.attribute[level, place] = a
    sum_set(cells, a, room, mask, passing, paths.told[level, place], paths.other[level, place])
    for x in range(cells.cells[a]):
        paths.inside[level, place, x] = room[x] and mask[x] == passing


@compiled()
def path_weights(
    rows: ForestRows, members: Any, size: int, cells: ForestCells, paths: Paths, level: int, a: int, told: Any, other: Any
) -> None:
    """What each member counts by all draws on the path, `told`.

    With an attribute a, by all that was tested but it: the weight with a set S of a is then `told` times the sum over S of its table, plus
    `other` times that of its other one. Without (-1) `other` is 0.
    """
    for i in range(size):
        told[i], other[i] = rows.weights[members[i]], 0.0
    own = cells.draw[a] if a >= 0 else -1
    for k in range(paths.used[level]):
        b = paths.attribute[level, k]
        draw = cells.draw[b]
        if draw == own:
            continue
        column, table = rows.reports[b], paths.told[level, k]
        if cells.other_part[draw] == 0:
            for i in range(size):
                told[i] *= table[column[members[i]]]
            continue
        first = True
        for j in range(k):
            if cells.draw[paths.attribute[level, j]] == draw:
                first = False
        if first:
            for i in range(size):
                told[i] *= _of_shared(rows, members[i], cells, paths, level, draw)
    if a < 0 or cells.other_part[own] == 0:
        return
    for i in range(size):
        other[i] = told[i] * cells.other_part[own]
        told[i] *= cells.part[own]
        for k in range(paths.used[level]):
            b = paths.attribute[level, k]
            if b != a and cells.draw[b] == own:
                z = rows.reports[b, members[i]]
                told[i] *= paths.told[level, k, z]
                other[i] *= paths.other[level, k, z]


@compiled()
def _of_shared(rows: ForestRows, row: int, cells: ForestCells, paths: Paths, level: int, draw: int) -> Any:
    """The weight of one row by a draw that attributes share."""
    told, other = cells.part[draw], cells.other_part[draw]
    for k in range(paths.used[level]):
        b = paths.attribute[level, k]
        if cells.draw[b] == draw:
            z = rows.reports[b, row]
            told *= paths.told[level, k, z]
            other *= paths.other[level, k, z]
    return told + other
