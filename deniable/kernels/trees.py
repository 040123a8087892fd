"""Growing a decision tree on cells, with reconstruction where it is wanted. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deniable.kernels.best_test import best_test, split_gini
from deniable.kernels.compiling import compiled, inlined
from deniable.kernels.copying import put, put_rows
from deniable.kernels.reconstructing import COPY, assigned_labels, assigned_sorted, reconstructed

FIXED, LOCAL, LOCAL_ALL = 0, 1, 2
ATTRIBUTE, LEFT, RIGHT, PARENT, DEPTH, FIRST, LAST = range(7)
"""Columns of a node: the attribute tested (-1: leaf), its children and parent, its depth, and the stretch of rows that reached it."""


class TrainingRows(NamedTuple):
    """The rows that a tree is grown on.

    Parameters
    ----------
    reported : reported cells, [attribute, row].
    assigned : true cells as far as they are known, [attribute, row]: all of them (mode FIXED), or those of attributes that were tested on
        the way. `grow` writes the latter.
    ranks : the place of each report among those of its attribute, [attribute, row]; asked behind noise only.
    labels : the reported class of each row.
    weights : how many times each row counts.
    """

    reported: Any
    assigned: Any
    ranks: Any
    labels: Any
    weights: Any


class CellArrays(NamedTuple):
    """The attributes in cells, one entry of every array per attribute.

    Parameters
    ----------
    cells, reports : how many cells of truths and of reports there are; an attribute with one cell is never tested.
    ordered : `UNORDERED`, `ORDERED` or `ORDERED_WITH_SILENCE`.
    edges : where cells of numbers meet.
    noisy : whether the attribute is a number behind noise.
    matrices : P(report | cell), [attribute, cell, report].
    inverses : unbiased weights, [attribute, report, cell].
    how : how distributions of truths are estimated: `COPY`, `EQ`, `EARLY`, `CONVERGED` or `FILLED`.
    limits : the change at which an early stop stops.
    keeps, replacements : the chance that a report is the truth, and otherwise that of each report, where there are such chances.
    """

    cells: Any
    reports: Any
    ordered: Any
    edges: Any
    noisy: Any
    matrices: Any
    inverses: Any
    how: Any
    limits: Any
    keeps: Any
    replacements: Any


class GrowthRules(NamedTuple):
    """By which rules a tree is grown.

    Parameters
    ----------
    class_weights : [reported class, class]: they turn counts by reported class into counts by class.
    mode : `FIXED`, or reconstruct in every node what was not tested on the way: `LOCAL` class by class, `LOCAL_ALL` all classes together.
    reuse : whether a path may test an attribute again.
    max_depth : most tests on a path.
    smallest : fewest rows of a part.
    """

    class_weights: Any
    mode: int
    reuse: bool
    max_depth: int
    smallest: float


@compiled()
def assign_column(
    reports: Any,
    ranks: Any,
    classes: Any,
    weights: Any,
    estimated: Any,
    matrix: Any,
    noisy: bool,
    passes: Any,
    tested: bool,
    by_class: bool,
) -> Any:
    """Cells for rows that follow `estimated` [cell, reported class], class by class or (its one column) all together."""
    n = reports.size
    out = np.empty(n, np.int64)
    for c in range(estimated.shape[1]):
        rows = np.empty(n, np.int64)
        size = 0
        for i in range(n):
            if not by_class or classes[i] == c:
                rows[size] = i
                size += 1
        if size == 0:
            continue
        rows = rows[:size]
        if noisy:
            assigned = assigned_sorted(ranks[rows], weights[rows], estimated[:, c])
        else:
            assigned = assigned_labels(reports[rows], weights[rows], estimated[:, c], matrix, passes, tested)
        for i in range(size):
            out[rows[i]] = assigned[i]
    return out


@compiled()
def estimate_column(
    reports: Any,
    classes: Any,
    weights: Any,
    kinds: int,
    matrix: Any,
    inverse: Any,
    how: int,
    limit: float,
    keep: float,
    replacement: Any,
    by_class: bool,
) -> Any:
    """Estimated counts [cell, reported class] of one attribute, or [cell, 1] of all classes together."""
    columns = kinds if by_class else 1
    counts = np.zeros((columns, matrix.shape[1]))
    for i in range(reports.size):
        counts[classes[i] if by_class else 0, reports[i]] += weights[i]
    out = np.empty((matrix.shape[0], columns))
    for c in range(columns):
        put(reconstructed(counts[c], matrix, inverse, how, limit, keep, replacement), out[:, c])
    return out


@compiled()
def _longer(array: Any, room: int) -> Any:
    out = np.zeros((room, array.shape[1]), array.dtype)
    put_rows(array, out)
    return out


@inlined()
def _count(labels: Any, counted: Any, class_weights: Any, into: Any) -> int:
    """Estimate how many rows of a node have each class, `into` counts by class; gives how many reported classes there are."""
    kinds, classes = class_weights.shape
    by_report = np.zeros(kinds)
    for i in range(labels.size):
        by_report[labels[i]] += counted[i]
    for c in range(classes):
        total = 0.0
        for d in range(kinds):
            total += by_report[d] * class_weights[d, c]
        into[c] = max(total, 0.0)
    present = 0
    for d in range(kinds):
        if by_report[d] > 0:
            present += 1
    return present


@inlined()
def _choose(
    data: TrainingRows, attributes: CellArrays, rules: GrowthRules, members: Any, labels: Any, counted: Any, used: Any, gini: float,
    mask: Any,
) -> Any:  # fmt: skip
    """The attribute whose test has the lowest Gini index, if lower than `gini` (-1: none); the cells that pass the test, and the estimated
    counts of its cells: by class, and by reported class as `estimate_column` gives them. `mask` is room to work in.
    """
    class_weights, mode, smallest = rules.class_weights, rules.mode, rules.smallest
    kinds, classes = class_weights.shape
    # No literal: numba would compile what it is handed to once for True and once for False.
    tested = mode < FIXED
    best, chosen = gini - 1e-12, -1
    best_mask = np.zeros(mask.size, np.bool_)
    best_table, best_estimate = np.zeros((1, 1)), np.zeros((1, 1))
    for a in range(attributes.cells.size):
        k, o = attributes.cells[a], attributes.reports[a]
        if k < 2 or (used[a] and not rules.reuse):
            continue
        estimate = np.zeros((1, 1))
        # Nothing to undo: no reconstruction is wanted, it was done on the way here, or the attribute is not hidden.
        if mode == FIXED or used[a] or attributes.how[a] == COPY:
            by_kind = np.zeros((k, kinds))
            column = data.assigned[a]
            for i in range(members.size):
                by_kind[column[members[i]], labels[i]] += counted[i]
        else:
            matrix, reports = attributes.matrices[a, :k, :o], data.reported[a][members]
            estimate = estimate_column(
                reports, labels, counted, kinds, matrix, attributes.inverses[a, :o, :k], attributes.how[a], attributes.limits[a],
                attributes.keeps[a], attributes.replacements[a, :o], mode == LOCAL,
            )  # fmt: skip
            if mode == LOCAL:
                by_kind = estimate
            else:
                cells = assign_column(
                    reports,
                    data.ranks[a][members],
                    labels,
                    counted,
                    estimate,
                    matrix,
                    attributes.noisy[a],
                    mask[:k],
                    tested,
                    tested,
                )
                by_kind = np.zeros((k, kinds))
                for i in range(members.size):
                    by_kind[cells[i], labels[i]] += counted[i]
        table = np.zeros((k, classes))
        for x in range(k):
            for c in range(classes):
                for d in range(kinds):
                    table[x, c] += by_kind[x, d] * class_weights[d, c]
                if table[x, c] < 0:
                    table[x, c] = 0.0
        value = best_test(table, attributes.ordered[a], smallest, mask[:k], attributes.edges[a])
        if value < best - 1e-12:
            best, chosen = value, a
            best_mask[:] = False
            put(mask[:k], best_mask)
            best_table, best_estimate = table, estimate
    return chosen, best_mask, best_table, best_estimate


@inlined()
def _send(
    data: TrainingRows, attributes: CellArrays, rules: GrowthRules, members: Any, labels: Any, counted: Any, a: int, passes: Any,
    estimate: Any, undo: bool,
) -> int:  # fmt: skip
    """Put the members that pass the test before those that do not, after their cells were assigned (`undo`).

    Gives how many pass; 0, and the members stay as they are, if a part would be too small.
    """
    size, column = members.size, data.assigned[a]
    if undo:
        k, o = attributes.cells[a], attributes.reports[a]
        # No literal, as in `_choose`.
        tested = rules.mode >= FIXED
        cells = assign_column(
            data.reported[a][members], data.ranks[a][members], labels, counted, estimate, attributes.matrices[a, :k, :o],
            attributes.noisy[a], passes[:k], tested, rules.mode == LOCAL,
        )  # fmt: skip
        for i in range(size):
            column[members[i]] = cells[i]
    going, passing = 0, 0.0
    sent = np.empty(size, np.int64)
    for i in range(size):
        if passes[column[members[i]]]:
            sent[going] = members[i]
            passing += counted[i]
            going += 1
    place = going
    for i in range(size):
        if not passes[column[members[i]]]:
            sent[place] = members[i]
            place += 1
    if size - going < 1 or passing < rules.smallest or counted.sum() - passing < rules.smallest:
        going = 0
    if going > 0:
        put(sent, members)
    return going


@compiled()
def grow(data: TrainingRows, attributes: CellArrays, rules: GrowthRules) -> Any:
    """A binary tree over columns of cells.

    Gives for each node: a row of whole numbers (`ATTRIBUTE` and so on), cells that pass to the left, and counts: those of the
    classes, and below them the estimated ones [cell, class] of the attribute tested.
    """
    m, n = data.reported.shape
    classes, most = rules.class_weights.shape[1], 0
    for a in range(m):
        most = max(most, attributes.cells[a])
    room = 64
    nodes = np.zeros((room, 7), np.int64)
    passes = np.zeros((room, most), np.bool_)
    counts = np.zeros((room, 1 + most, classes))
    rows, mask = np.arange(n), np.zeros(most, np.bool_)
    nodes[0, ATTRIBUTE], nodes[0, LEFT], nodes[0, RIGHT], nodes[0, PARENT], nodes[0, LAST] = -1, -1, -1, -1, n
    count = 1
    node = -1
    while node < count - 1:
        node += 1
        members = rows[nodes[node, FIRST] : nodes[node, LAST]]
        labels, counted = data.labels[members], data.weights[members]
        present = _count(labels, counted, rules.class_weights, counts[node, 0])
        if present < 2 or counted.sum() < 2 * rules.smallest or members.size < 2 or nodes[node, DEPTH] >= rules.max_depth:
            continue
        used = np.zeros(m, np.bool_)
        above = nodes[node, PARENT]
        while above >= 0:
            used[nodes[above, ATTRIBUTE]] = True
            above = nodes[above, PARENT]
        gini = split_gini(counts[node, 0], np.zeros(classes))
        chosen, passing, table, estimate = _choose(data, attributes, rules, members, labels, counted, used, gini, mask)
        if chosen < 0:
            continue
        undo = rules.mode != FIXED and not used[chosen] and attributes.how[chosen] != COPY
        going = _send(data, attributes, rules, members, labels, counted, chosen, passing, estimate, undo)
        if going == 0:
            continue
        if count + 2 > room:
            room *= 2
            nodes, passes = _longer(nodes, room), _longer(passes, room)
            roomier = np.zeros((room, 1 + most, classes))
            for old in range(count):
                put_rows(counts[old], roomier[old])
            counts = roomier
        nodes[node, ATTRIBUTE] = chosen
        put(passing, passes[node])
        put_rows(table, counts[node, 1:])
        for side in range(2):
            child = count
            count += 1
            nodes[child, ATTRIBUTE], nodes[child, LEFT], nodes[child, RIGHT] = -1, -1, -1
            nodes[child, FIRST] = nodes[node, FIRST] if side == 0 else nodes[node, FIRST] + going
            nodes[child, LAST] = nodes[node, FIRST] + going if side == 0 else nodes[node, LAST]
            nodes[child, DEPTH] = nodes[node, DEPTH] + 1
            nodes[child, PARENT] = node
            nodes[node, LEFT + side] = child
    return nodes[:count], passes[:count], counts[:count]


@compiled()
def leaves_of(codes: Any, attribute: Any, left: Any, right: Any, passes: Any) -> Any:
    """The leaf that each row of true cells falls into."""
    out = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        node = 0
        while attribute[node] >= 0:
            node = left[node] if passes[node, codes[i, attribute[node]]] else right[node]
        out[i] = node
    return out
