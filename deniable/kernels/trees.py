"""Growing a decision tree on cells, with reconstruction where it is wanted. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put, put_rows
from deniable.kernels.ordering import ascending
from deniable.kernels.reconstructing import assigned_labels, assigned_sorted, reconstructed

FIXED, LOCAL, LOCAL_ALL = 0, 1, 2
UNORDERED, ORDERED, ORDERED_WITH_SILENCE = 0, 1, 2
MOST_FOR_ALL_SUBSETS = 10
ATTRIBUTE, LEFT, RIGHT, PARENT, DEPTH, FIRST, LAST = range(7)
"""Columns of a node: the attribute tested (-1: leaf), its children and parent, its depth, and the stretch of rows that reached it."""


@compiled()
def split_gini(left: Any, right: Any) -> float:
    """The mean Gini index of two parts with these counts of the classes, each weighted by its size."""
    a, b, aa, bb = 0.0, 0.0, 0.0, 0.0
    for c in range(left.size):
        a += left[c]
        b += right[c]
        aa += left[c] * left[c]
        bb += right[c] * right[c]
    total = a + b
    value = 0.0
    if a > 0:
        value += a - aa / a
    if b > 0:
        value += b - bb / b
    return value / total if total > 0 else 1.0


@compiled()
def _along(table: Any, order: Any, smallest: float, mask: Any) -> float:
    """The best cut along an order of cells; `mask` gets the cells before it."""
    cells, classes = table.shape
    right = np.zeros(classes)
    for x in range(cells):
        for c in range(classes):
            right[c] += table[x, c]
    left = np.zeros(classes)
    total, before = right.sum(), 0.0
    best, cut = 2.0, -1
    for i in range(cells - 1):
        x = order[i]
        for c in range(classes):
            left[c] += table[x, c]
            right[c] -= table[x, c]
            before += table[x, c]
        if before < smallest or total - before < smallest or before <= 0 or total - before <= 0:
            continue
        value = split_gini(left, right)
        if value < best - 1e-12:
            best, cut = value, i
    mask[:] = False
    for i in range(cut + 1):
        mask[order[i]] = True
    return best


@compiled()
def _centre(table: Any, mask: Any, edges: Any) -> None:
    """Move a cut to that edge in the middle of the empty cells it lies beside: nothing here says to which side they belong."""
    cells = mask.size
    last = -1
    for x in range(cells):
        if mask[x]:
            last = x
    if last < 0:
        return
    following = last + 1
    while following < cells and table[following].sum() <= 0:
        following += 1
    if following == cells:
        return
    middle = (edges[last] + edges[following - 1]) / 2
    best = last
    for x in range(last + 1, following):
        if abs(edges[x] - middle) < abs(edges[best] - middle):
            best = x
    for x in range(last + 1, best + 1):
        mask[x] = True


@compiled()
def best_test(table: Any, ordered: int, smallest: float, mask: Any, edges: Any) -> float:
    """The test on one attribute with the lowest Gini index, from counts [cell, class]; `mask` gets the cells that pass it.

    Ordered cells are cut between neighbours; a last cell outside the order ("no answer") goes to either side. Labels are split
    into subsets: of two classes the best subset is a cut along the share of one class (Breiman et al. 1984), exactly; of more
    classes all subsets that hold at most half are tried (each split has such a half) up to 10 labels, and above that cuts along
    the share of every class.
    """
    cells, classes = table.shape
    if ordered == ORDERED:
        found = _along(table, np.arange(cells), smallest, mask)
        _centre(table, mask, edges)
        return found
    if ordered == ORDERED_WITH_SILENCE:
        found = _along(table, np.arange(cells), smallest, mask)
        other = np.zeros(cells, np.bool_)
        first = np.empty(cells, np.int64)
        first[0] = cells - 1
        put(np.arange(cells - 1), first[1:])
        with_silence = _along(table, first, smallest, other)
        if with_silence < found - 1e-12:
            put(other, mask)
            return with_silence
        return found
    share = np.empty(cells)
    best = 2.0
    if classes > 2 and cells <= MOST_FOR_ALL_SUBSETS:
        total = np.zeros(classes)
        for x in range(cells):
            for c in range(classes):
                total[c] += table[x, c]
        everyone = total.sum()
        chosen = -1
        left = np.empty(classes)
        right = np.empty(classes)
        # The last cell stays out: its side of each split is the complement of one that is tried.
        for subset in range(1, 1 << (cells - 1)):
            left[:] = 0.0
            for x in range(cells - 1):
                if subset >> x & 1:
                    for c in range(classes):
                        left[c] += table[x, c]
            inside = left.sum()
            if inside < smallest or everyone - inside < smallest or inside <= 0 or everyone - inside <= 0:
                continue
            for c in range(classes):
                right[c] = total[c] - left[c]
            value = split_gini(left, right)
            if value < best - 1e-12:
                best, chosen = value, subset
        mask[:] = False
        if chosen > 0:
            for x in range(cells - 1):
                mask[x] = (chosen >> x & 1) == 1
    else:
        tried = np.zeros(cells, np.bool_)
        for c in range(1 if classes == 2 else classes):
            for x in range(cells):
                held = 0.0
                for d in range(classes):
                    held += table[x, d]
                # Empty labels go to the end, where they change no split.
                share[x] = table[x, c] / held if held > 0 else 2.0
            value = _along(table, ascending(share), smallest, tried)
            if value < best - 1e-12:
                best = value
                put(tried, mask)
    inside, outside = 0.0, 0.0
    for x in range(cells):
        for c in range(classes):
            if mask[x]:
                inside += table[x, c]
            else:
                outside += table[x, c]
    if best < 2.0 and inside > outside:
        for x in range(cells):
            mask[x] = not mask[x]
    return best


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
            found = assigned_sorted(ranks[rows], weights[rows], estimated[:, c])
        else:
            found = assigned_labels(reports[rows], weights[rows], estimated[:, c], matrix, passes, tested)
        for i in range(size):
            out[rows[i]] = found[i]
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


@compiled()
def grow(
    reported: Any,
    assigned: Any,
    ranks: Any,
    labels: Any,
    weights: Any,
    class_weights: Any,
    cells: Any,
    reports: Any,
    ordered: Any,
    edges: Any,
    noisy: Any,
    matrices: Any,
    inverses: Any,
    how: Any,
    limits: Any,
    keeps: Any,
    replacements: Any,
    mode: int,
    reuse: bool,
    max_depth: int,
    smallest: float,
) -> Any:
    """A binary tree over columns of cells: `reported`, `assigned` and `ranks` are [attribute, row].

    `assigned` holds the true cells as far as they are known: all of them (mode FIXED), or those of attributes that were tested on
    the way (the others are reconstructed in every node: LOCAL class by class, LOCAL_ALL all classes together). `class_weights`
    [reported class, class] turns counts by reported class into counts by class. A row counts `weights` times.

    Gives for each node: a row of whole numbers (`ATTRIBUTE` and so on), cells that pass to the left, and counts: those of the
    classes, and below them the estimated ones [cell, class] of the attribute tested.
    """
    m, n = reported.shape
    kinds, classes = class_weights.shape
    most = 0
    for a in range(m):
        most = max(most, cells[a])
    room = 64
    nodes = np.zeros((room, 7), np.int64)
    passes = np.zeros((room, most), np.bool_)
    # Of every node: the counts of the classes, and below them those of the attribute tested, cell by cell.
    counts = np.zeros((room, 1 + most, classes))
    rows = np.arange(n)
    nodes[0, ATTRIBUTE], nodes[0, LEFT], nodes[0, RIGHT], nodes[0, PARENT], nodes[0, LAST] = -1, -1, -1, -1, n
    count = 1
    node = 0
    mask = np.zeros(most, np.bool_)
    # No literals: numba would compile what they are handed to once for True and once for False.
    guessing, testing = mode < FIXED, mode >= FIXED
    while node < count:
        own = rows[nodes[node, FIRST] : nodes[node, LAST]]
        size = own.size
        people = weights[own].sum()
        by_report = np.zeros(kinds)
        for i in range(size):
            by_report[labels[own[i]]] += weights[own[i]]
        for c in range(classes):
            total = 0.0
            for d in range(kinds):
                total += by_report[d] * class_weights[d, c]
            counts[node, 0, c] = max(total, 0.0)
        present = 0
        for d in range(kinds):
            if by_report[d] > 0:
                present += 1
        if present < 2 or people < 2 * smallest or size < 2 or nodes[node, DEPTH] >= max_depth:
            node += 1
            continue
        here, counted = labels[own], weights[own]
        parent_gini = split_gini(counts[node, 0], np.zeros(classes))
        used = np.zeros(m, np.bool_)
        above = nodes[node, PARENT]
        while above >= 0:
            used[nodes[above, ATTRIBUTE]] = True
            above = nodes[above, PARENT]
        best, chosen = parent_gini - 1e-12, -1
        best_mask = np.zeros(most, np.bool_)
        best_table = np.zeros((1, 1))
        best_estimate = np.zeros((1, 1))
        for a in range(m):
            if used[a] and not reuse:
                continue
            k = cells[a]
            if k < 2:
                continue
            # Nothing to undo: no reconstruction is wanted, it was done on the way here, or the attribute is not hidden.
            known = mode == 0 or used[a] or how[a] == 0
            estimate = np.zeros((1, 1))
            if known:
                by_kind = np.zeros((k, kinds))
                column = assigned[a]
                for i in range(size):
                    by_kind[column[own[i]], here[i]] += counted[i]
            else:
                estimate = estimate_column(
                    reported[a][own], here, counted, kinds, matrices[a, :k, : reports[a]], inverses[a, : reports[a], :k],
                    how[a], limits[a], keeps[a], replacements[a, : reports[a]], mode == 1,
                )  # fmt: skip
                if mode == 1:
                    by_kind = estimate
                else:
                    guessed = assign_column(
                        reported[a][own],
                        ranks[a][own],
                        here,
                        counted,
                        estimate,
                        matrices[a, :k, : reports[a]],
                        noisy[a],
                        mask[:k],
                        guessing,
                        guessing,
                    )
                    by_kind = np.zeros((k, kinds))
                    for i in range(size):
                        by_kind[guessed[i], here[i]] += counted[i]
            table = np.zeros((k, classes))
            for x in range(k):
                for c in range(classes):
                    for d in range(kinds):
                        table[x, c] += by_kind[x, d] * class_weights[d, c]
                    if table[x, c] < 0:
                        table[x, c] = 0.0
            value = best_test(table, ordered[a], smallest, mask[:k], edges[a])
            if value < best - 1e-12:
                best, chosen = value, a
                best_mask[:] = False
                put(mask[:k], best_mask)
                best_table = table
                best_estimate = estimate
        if chosen < 0:
            node += 1
            continue
        k = cells[chosen]
        if mode != 0 and not used[chosen] and how[chosen] != 0:
            found = assign_column(
                reported[chosen][own], ranks[chosen][own], here, counted, best_estimate, matrices[chosen, :k, : reports[chosen]],
                noisy[chosen], best_mask[:k], testing, mode == 1,
            )  # fmt: skip
            for i in range(size):
                assigned[chosen, own[i]] = found[i]
        going, passing = 0, 0.0
        sent = np.empty(size, np.int64)
        for i in range(size):
            if best_mask[assigned[chosen, own[i]]]:
                sent[going] = own[i]
                passing += counted[i]
                going += 1
        place = going
        for i in range(size):
            if not best_mask[assigned[chosen, own[i]]]:
                sent[place] = own[i]
                place += 1
        if going < 1 or size - going < 1 or passing < smallest or people - passing < smallest:
            node += 1
            continue
        put(sent, own)
        if count + 2 > room:
            room *= 2
            nodes, passes = _longer(nodes, room), _longer(passes, room)
            roomier = np.zeros((room, 1 + most, classes))
            for old in range(count):
                put_rows(counts[old], roomier[old])
            counts = roomier
        nodes[node, ATTRIBUTE] = chosen
        put(best_mask, passes[node])
        put_rows(best_table, counts[node, 1:])
        for side in range(2):
            child = count
            count += 1
            nodes[child, ATTRIBUTE], nodes[child, LEFT], nodes[child, RIGHT] = -1, -1, -1
            nodes[child, FIRST] = nodes[node, FIRST] if side == 0 else nodes[node, FIRST] + going
            nodes[child, LAST] = nodes[node, FIRST] + going if side == 0 else nodes[node, LAST]
            nodes[child, DEPTH] = nodes[node, DEPTH] + 1
            nodes[child, PARENT] = node
            nodes[node, LEFT + side] = child
        node += 1
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
