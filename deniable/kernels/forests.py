"""Growing a tree on reports by unbiased path weights (`path_weights.py`). Arrays in, arrays out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put, put_rows
from deniable.kernels.cuts import best_cut, gini_of
from deniable.kernels.path_weights import (
    ForestCells,
    ForestRows,
    Paths,
    enter,
    left_of,
    new_paths,
    path_weights,
    sum_set,
)

ATTRIBUTE, LEFT, RIGHT, DEPTH = range(4)
"""Columns of a node: the attribute tested (-1: leaf), its children, its depth."""
NO_CUT = 2.0


class ForestRules(NamedTuple):
    """By which rules trees are grown.

    Parameters
    ----------
    class_weights : [reported class, class]: they turn sums by reported class into sums by class.
    max_depth : most tests on a path.
    smallest : least effective size of a part, (sum of weights)^2 / sum of their squares.
    tried : how many attributes are looked at in each node.
    """

    class_weights: Any
    max_depth: int
    smallest: float
    tried: int


class Room(NamedTuple):
    """Arrays to work in, so that no node asks for new ones.

    Parameters
    ----------
    inside : the cells of an attribute that are left.
    whole : what each row counts at the node.
    told, other : what it counts by all that is on the path but one attribute, as `path_weights` has them.
    of_set, of_other : sums over a set at each report.
    """

    inside: Any
    whole: Any
    told: Any
    other: Any
    of_set: Any
    of_other: Any


@compiled()
def _shuffle(order: Any, state: Any) -> None:
    """Put attributes in random order; `state` is that of a splitmix64 generator, so that a seed means the same in every thread."""
    for i in range(order.size - 1, 0, -1):
        state[0] += np.uint64(0x9E3779B97F4A7C15)
        z = state[0]
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        j = np.int64(z % np.uint64(i + 1))
        kept = order[i]
        order[i] = order[j]
        order[j] = kept


@compiled()
def sum_classes(rows: ForestRows, members: Any, size: int, weights: Any, class_weights: Any, into: Any) -> float:
    """Sums of the weights by class, put `into` an array; gives the sum of their squares."""
    kinds, classes = class_weights.shape
    by_report = np.zeros(kinds)
    squares = 0.0
    for i in range(size):
        by_report[rows.labels[members[i]]] += weights[i]
        squares += weights[i] * weights[i]
    for c in range(classes):
        into[c] = 0.0
        for d in range(kinds):
            into[c] += by_report[d] * class_weights[d, c]
    return squares


@compiled()
def cell_table(
    rows: ForestRows, members: Any, size: int, cells: ForestCells, a: int, inside: Any, told: Any, other: Any, class_weights: Any
) -> Any:  # fmt: skip
    """Unbiased sums by cell and class, [cell, class], of the cells of attribute a that are inside.

    `told` and `other` are what each row counts by all that is on the path but this attribute.
    """
    kinds, classes = class_weights.shape
    k, o, start = cells.cells[a], cells.reports[a], cells.starts[a]
    shared = cells.other_part[cells.draw[a]] != 0
    column = rows.reports[a]
    by_report, by_other = np.zeros((o, kinds)), np.zeros((o if shared else 1, kinds))
    for i in range(size):
        by_report[column[members[i]], rows.labels[members[i]]] += told[i]
    if shared:
        for i in range(size):
            by_other[column[members[i]], rows.labels[members[i]]] += other[i]
    table, undone = np.zeros((k, classes)), np.zeros(kinds)
    for x in range(k):
        if not inside[x]:
            continue
        for d in range(kinds):
            undone[d] = by_report[x, d] if cells.open[a] else 0.0
        if not cells.open[a]:
            for z in range(o):
                weight = cells.told[start + z * k + x]
                for d in range(kinds):
                    undone[d] += by_report[z, d] * weight
                if shared:
                    weight = cells.other[start + z * k + x]
                    for d in range(kinds):
                        undone[d] += by_other[z, d] * weight
        for c in range(classes):
            for d in range(kinds):
                table[x, c] += undone[d] * class_weights[d, c]
    return table


@compiled()
def _is_large(rows: ForestRows, members: Any, size: int, a: int, told: Any, room: Room, smallest: float) -> bool:
    """Whether the part of a set of attribute a, whose sums are in `room`, has the effective size it needs."""
    column = rows.reports[a]
    total, squares = 0.0, 0.0
    for i in range(size):
        z = column[members[i]]
        weight = told[i] * room.of_set[z] + room.other[i] * room.of_other[z]
        total += weight
        squares += weight * weight
    return total > 0 and total * total >= smallest * squares * (1 - 1e-12)


@compiled()
def _without(
    rows: ForestRows, members: Any, size: int, cells: ForestCells, paths: Paths, level: int, a: int, room: Room
) -> Any:
    """What rows count by all on the path but attribute a, and `inside` the cells of it that are left.

    Most attributes are not on the path: rows then count as they do at the node. (`other` keeps what it held, and is not asked.)
    """
    place = left_of(paths, level, a, cells.cells[a], room.inside)
    if place < 0 and cells.other_part[cells.draw[a]] == 0:
        return room.whole
    path_weights(rows, members, size, cells, paths, level, a, room.told, room.other)
    return room.told


@compiled()
def _choose(
    rows: ForestRows, members: Any, size: int, cells: ForestCells, rules: ForestRules, paths: Paths, level: int, gini: float,
    order: Any, room: Room,
) -> Any:  # fmt: skip
    """The attribute whose test has the lowest Gini index and leaves two parts large enough (-1: none), and the cells that pass."""
    tried = min(rules.tried, order.size)
    ginis = np.full(tried, NO_CUT)
    masks = np.zeros((tried, room.inside.size), np.bool_)
    for t in range(tried):
        a = order[t]
        told = _without(rows, members, size, cells, paths, level, a, room)
        table = cell_table(rows, members, size, cells, a, room.inside, told, room.other, rules.class_weights)
        ginis[t] = best_cut(table, room.inside, cells.ordered[a], rules.smallest, masks[t])
    while True:
        best = -1
        for t in range(tried):
            if ginis[t] < gini - 1e-9 and (best < 0 or ginis[t] < ginis[best]):
                best = t
        if best < 0:
            return -1, room.inside
        a = order[best]
        told = _without(rows, members, size, cells, paths, level, a, room)
        enough = True
        for side in range(2):
            sum_set(cells, a, room.inside, masks[best], side == 0, room.of_set, room.of_other)
            enough = enough and _is_large(rows, members, size, a, told, room, rules.smallest)
        if enough:
            return a, masks[best]
        ginis[best] = NO_CUT


@compiled()
def _send(rows: ForestRows, cells: ForestCells, a: int, mask: Any, passing: bool, members: Any, size: int, into: Any) -> int:
    """The members that go on to a side of a test: all of them, with other weights, unless reports are the truth."""
    column, going = rows.reports[a], 0
    for i in range(size):
        if not cells.open[a] or mask[column[members[i]]] == passing:
            into[going] = members[i]
            going += 1
    return going


@compiled()
def _longer(array: Any, room: int) -> Any:
    out = np.zeros((room, array.shape[1]), array.dtype)
    put_rows(array, out)
    return out


@compiled()
def _usable(cells: ForestCells) -> Any:
    """The attributes that can be tested."""
    usable = np.empty(cells.cells.size, np.int64)
    size = 0
    for a in range(cells.cells.size):
        if cells.cells[a] > 1:
            usable[size] = a
            size += 1
    return usable[:size]


@compiled()
def grow_tree(rows: ForestRows, held: ForestRows, cells: ForestCells, rules: ForestRules, seed: Any) -> Any:
    """A binary tree that `rows` choose, whose nodes are estimated on the rows that were `held` back.

    Gives for each node: whole numbers (`ATTRIBUTE` and so on), the cells that pass to the left, and numbers: unbiased sums by class, and
    last the sum of squares of the weights.
    """
    n, nh, levels, classes = rows.labels.size, held.labels.size, rules.max_depth + 1, rules.class_weights.shape[1]
    most_cells, most_reports, most = cells.cells.max(), cells.reports.max(), max(n, nh)
    order, state = _usable(cells), np.empty(1, np.uint64)
    state[0] = seed
    space, count = 64, 1
    nodes, passes, sums = np.full((space, 4), -1), np.zeros((space, most_cells), np.bool_), np.zeros((space, classes + 1))
    paths = new_paths(levels, most_cells, most_reports)
    members, held_members = np.zeros((levels, n), np.int32), np.zeros((levels, nh), np.int32)
    sizes, held_sizes = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    for i in range(n):
        members[0, i] = i
    for i in range(nh):
        held_members[0, i] = i
    sizes[0], held_sizes[0], nodes[0, DEPTH] = n, nh, 0
    room = Room(
        np.ones(most_cells, np.bool_), np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most_reports), np.zeros(most_reports)
    )  # fmt: skip
    own, nothing = np.zeros(classes), np.zeros(classes)
    # Depth first, left before right: the levels above a node are then those of its own way. Node, its parent, its side.
    waiting = np.zeros((2 * levels + 2, 3), np.int64)
    waiting[0, 1] = -1
    to_do = 1
    while to_do > 0:
        to_do -= 1
        node, above, side = waiting[to_do, 0], waiting[to_do, 1], waiting[to_do, 2]
        level = nodes[node, DEPTH]
        if above >= 0:
            a, mask = nodes[above, ATTRIBUTE], passes[above]
            enter(cells, paths, level, a, mask, side == 0, room.inside)
            sizes[level] = _send(rows, cells, a, mask, side == 0, members[level - 1], sizes[level - 1], members[level])
            held_sizes[level] = _send(
                held, cells, a, mask, side == 0, held_members[level - 1], held_sizes[level - 1], held_members[level]
            )
        path_weights(held, held_members[level], held_sizes[level], cells, paths, level, -1, room.told, room.other)
        sums[node, classes] = sum_classes(
            held, held_members[level], held_sizes[level], room.told, rules.class_weights, sums[node]
        )
        if level >= rules.max_depth:
            continue
        path_weights(rows, members[level], sizes[level], cells, paths, level, -1, room.whole, room.other)
        sum_classes(rows, members[level], sizes[level], room.whole, rules.class_weights, own)
        gini = gini_of(own, nothing)
        if gini <= 0:
            continue
        _shuffle(order, state)
        chosen, passing = _choose(rows, members[level], sizes[level], cells, rules, paths, level, gini, order, room)
        if chosen < 0:
            continue
        if count + 2 > space:
            space *= 2
            nodes, passes, sums = _longer(nodes, space), _longer(passes, space), _longer(sums, space)
        nodes[node, ATTRIBUTE] = chosen
        put(passing, passes[node])
        for side in range(1, -1, -1):
            child = count + side
            nodes[child, ATTRIBUTE], nodes[child, LEFT], nodes[child, RIGHT] = -1, -1, -1
            nodes[child, DEPTH] = level + 1
            nodes[node, LEFT + side] = child
            waiting[to_do, 0], waiting[to_do, 1], waiting[to_do, 2] = child, node, side
            to_do += 1
        count += 2
    return nodes[:count], passes[:count], sums[:count]
