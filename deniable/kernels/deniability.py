"""Growing a deniability tree: count, choose the attribute that changes the answers most, part the rows in place, go on.

Every attribute is codes: of categories, or ranks among its distinct values. A tree is flat arrays: `feature` (-1: leaf), `first` and
`width` (its children lie side by side), `at` and `span` (where its split lies in `cuts` and `parts`), `counts` (labels of its rows).
The split of
a node lists codes in `cuts`: the categories that occur with the child of each in `parts`; or, for numbers, the last code of each child
with its first code in `parts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from deniable.kernels.copying import put, put_rows
from deniable.kernels.partition import SLACK, admissible, best_cuts, best_groups, order_by_shares, part_value, parts_from_cuts

CATEGORIES, ORDERED, GROUPED = 0, 1, 2
FEW_VALUES = 8


@njit(cache=True, nogil=True, error_model="numpy")
def tabulate(column: Any, size: int, y: Any, rows: Any, start: int, end: int, prefix: Any, present: Any) -> int:
    """Running counts of the labels over the codes that occur in these rows, in their order; returns how many occur."""
    labels = prefix.shape[1]
    found = 0
    if size <= 4 * (end - start):
        for code in range(size + 1):
            for z in range(labels):
                prefix[code, z] = 0
        for r in range(start, end):
            prefix[column[rows[r]] + 1, y[rows[r]]] += 1
        for code in range(size):
            occurs = False
            for z in range(labels):
                occurs |= prefix[code + 1, z] > 0
            if occurs:
                present[found] = code
                found += 1
                for z in range(labels):
                    prefix[found, z] = prefix[code + 1, z] + prefix[found - 1, z]
        return found
    own = np.empty(end - start, np.int32)
    for r in range(start, end):
        own[r - start] = column[rows[r]]
    order = np.argsort(own)
    for z in range(labels):
        prefix[0, z] = 0
    for at in range(order.size):
        code = own[order[at]]
        if at == 0 or code != present[found - 1]:
            present[found] = code
            found += 1
            for z in range(labels):
                prefix[found, z] = prefix[found - 1, z]
        prefix[found, y[rows[start + order[at]]]] += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def best_partition(
    form: int, kind: int, prefix: Any, values: int, base: Any, rules: Any, prune: bool, room: Any, part: Any
) -> tuple[float, int]:
    """The best partition of the values of one attribute, as (summed value, number of parts); (-1, 0) if none is admissible."""
    if values < 2:
        return -1.0, 0
    if form == CATEGORIES:
        total = 0.0
        for i in range(values):
            if not admissible(prefix, i + 1, prefix, i, rules, SLACK):
                return -1.0, 0
            total += part_value(kind, prefix, i + 1, prefix, i, base)
            part[i] = i
        return total, values
    if form == ORDERED:
        total = best_cuts(kind, prefix, values, base, rules, prune, room)
        if total < 0:
            return -1.0, 0
        return total, parts_from_cuts(values, room[2], part)
    if values <= FEW_VALUES:
        return best_groups(kind, prefix, values, base, rules, part)
    order = order_by_shares(prefix, values)
    ordered = np.zeros((values + 1, prefix.shape[1]), np.int32)
    for at in range(values):
        for z in range(prefix.shape[1]):
            ordered[at + 1, z] = ordered[at, z] + prefix[order[at] + 1, z] - prefix[order[at], z]
    total = best_cuts(kind, ordered, values, base, rules, prune, room)
    if total < 0:
        return -1.0, 0
    along = np.empty(values, np.int32)
    count = parts_from_cuts(values, room[2], along)
    for at in range(values):
        part[order[at]] = along[at]
    return total, count


@njit(cache=True, nogil=True, error_model="numpy")
def shares_of(y: Any, rows: Any, start: int, end: int, counts: Any) -> Any:
    """Fill `counts` with the labels of these rows and return their shares."""
    for z in range(counts.size):
        counts[z] = 0
    for r in range(start, end):
        counts[y[rows[r]]] += 1
    return counts / (end - start)


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate(
    data: Any, f: int, rows: Any, start: int, end: int, base: Any, kind: int, rules: Any, prune: bool, work: Any
) -> tuple[float, int, int]:
    """How much splitting these rows by attribute f changes the answers; its codes and parts are left in `work`."""
    codes, sizes, forms, y = data
    prefix, room, present, part = work
    values = tabulate(codes[f], sizes[f], y, rows, start, end, prefix, present)
    total, count = best_partition(forms[f], kind, prefix, values, base, rules, prune, room, part)
    return (total / (end - start) if count else -1.0), values, count


@njit(cache=True, nogil=True, error_model="numpy")
def part_rows(
    column: Any, rows: Any, buffer: Any, start: int, end: int, present: Any, part: Any, values: int, count: int
) -> Any:
    """Bring rows of the same part together, in their order; returns where each part begins, and the end."""
    begins = np.zeros(count + 1, np.int64)
    own = np.empty(end - start, np.int32)
    for r in range(start, end):
        own[r - start] = part[np.searchsorted(present[:values], column[rows[r]])]
        begins[own[r - start] + 1] += 1
    begins[0] = start
    for c in range(count):
        begins[c + 1] += begins[c]
    at = begins[:count].copy()
    for r in range(start, end):
        c = own[r - start]
        buffer[at[c]] = rows[r]
        at[c] += 1
    put(buffer[start:end], rows[start:end])
    return begins


@njit(cache=True, nogil=True, error_model="numpy")
def split_size(form: int, values: int, count: int) -> int:
    """How many entries of `cuts` a split takes."""
    return count if form == ORDERED else values


@njit(cache=True, nogil=True, error_model="numpy")
def write_split(form: int, present: Any, part: Any, values: int, cuts: Any, parts: Any, at: int) -> None:
    """Note a split: last and first code of every child for numbers, otherwise the child of every code."""
    if form != ORDERED:
        for i in range(values):
            cuts[at + i] = present[i]
            parts[at + i] = part[i]
        return
    for i in range(values):
        child = at + part[i]
        cuts[child] = present[i]
        if i == 0 or part[i] != part[i - 1]:
            parts[child] = present[i]


@njit(cache=True, nogil=True, error_model="numpy")
def longer(array: Any, least: int) -> Any:
    """The array with room for at least so many entries."""
    if array.shape[0] >= least:
        return array
    bigger = np.zeros(max(least, 2 * array.shape[0]), array.dtype)
    put(array, bigger)
    return bigger


@njit(cache=True, nogil=True, error_model="numpy")
def longer_table(array: Any, least: int) -> Any:
    """The same for a table."""
    if array.shape[0] >= least:
        return array
    bigger = np.zeros((max(least, 2 * array.shape[0]), array.shape[1]), array.dtype)
    put_rows(array, bigger)
    return bigger


@njit(cache=True, nogil=True, error_model="numpy")
def grow(
    data: Any,
    rows: Any,
    buffer: Any,
    begins_at: Any,
    used: Any,
    depth: int,
    settings: Any,
    rules: Any,
    work: Any,
    kept: Any,
) -> Any:
    """The greedy tree (003, Algorithm 2, corrected) of each of these groups of rows as flat arrays; rows are reordered in place.

    `begins_at` says where each group begins, and where the last ends; their roots are the first nodes.
    `used` marks attributes that may not be asked any more; `settings` is (distance, least change, deepest, ask again, prune); `kept` is
    room for the codes and parts of the best attribute so far.
    """
    codes, _, forms, y = data
    kind, change, deepest, again, prune = settings
    present, part = work[2], work[3]
    labels = rules[1].shape[1]
    feature = np.full(64, -1, np.int32)
    parent = np.full(64, -1, np.int32)
    first = np.zeros(64, np.int32)
    width = np.zeros(64, np.int32)
    level = np.zeros(64, np.int32)
    at = np.zeros(64, np.int64)
    span = np.zeros(64, np.int32)
    begin = np.zeros(64, np.int64)
    stop = np.zeros(64, np.int64)
    counts = np.zeros((64, labels), np.int32)
    cuts = np.zeros(64, np.int32)
    parts = np.zeros(64, np.int32)
    nodes, filled, node = begins_at.size - 1, 0, 0
    feature, parent, first = longer(feature, nodes), longer(parent, nodes), longer(first, nodes)
    width, level, at, span = longer(width, nodes), longer(level, nodes), longer(at, nodes), longer(span, nodes)
    begin, stop, counts = longer(begin, nodes), longer(stop, nodes), longer_table(counts, nodes)
    for root in range(nodes):
        begin[root], stop[root], level[root], parent[root] = begins_at[root], begins_at[root + 1], depth, -1
    asked = used.copy()
    while node < nodes:
        base = shares_of(y, rows, begin[node], stop[node], counts[node])
        feature[node] = -1
        if level[node] >= deepest:
            node += 1
            continue
        put(used, asked)
        if not again:
            above = parent[node]
            while above >= 0:
                asked[feature[above]] = 1
                above = parent[above]
        best, chosen, best_values, best_count = change + 1e-12, -1, 0, 0
        for f in range(codes.shape[0]):
            if asked[f]:
                continue
            found, values, count = evaluate(data, f, rows, begin[node], stop[node], base, kind, rules, prune, work)
            # A tie within rounding goes to the first: the tree must not depend on the last bit.
            if count > 1 and found > best + (1e-12 if chosen >= 0 else 0.0):
                best, chosen, best_values, best_count = found, f, values, count
                put(present[:values], kept[0])
                put(part[:values], kept[1])
        if chosen >= 0:
            form = forms[chosen]
            begins = part_rows(codes[chosen], rows, buffer, begin[node], stop[node], kept[0], kept[1], best_values, best_count)
            size = split_size(form, best_values, best_count)
            cuts, parts = longer(cuts, filled + size), longer(parts, filled + size)
            write_split(form, kept[0], kept[1], best_values, cuts, parts, filled)
            least = nodes + best_count
            feature, parent, first = longer(feature, least), longer(parent, least), longer(first, least)
            width, level, at = longer(width, least), longer(level, least), longer(at, least)
            span = longer(span, least)
            begin, stop, counts = longer(begin, least), longer(stop, least), longer_table(counts, least)
            feature[node], first[node], width[node], at[node], span[node] = chosen, nodes, best_count, filled, size
            for c in range(best_count):
                parent[nodes + c] = node
                level[nodes + c] = level[node] + 1
                begin[nodes + c], stop[nodes + c] = begins[c], begins[c + 1]
            nodes += best_count
            filled += size
        node += 1
    return (
        feature[:nodes].copy(),
        first[:nodes].copy(),
        width[:nodes].copy(),
        at[:nodes].copy(),
        span[:nodes].copy(),
        counts[:nodes].copy(),
        cuts[:filled].copy(),
        parts[:filled].copy(),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def route(values: Any, forms: Any, flat: Any, ends: Any) -> Any:
    """The node where each row (a column of `values`) comes to rest: a leaf, or the node at which a category was never seen.

    `ends` are the thresholds of numbers, in the place of their cut: a row goes to the first child whose end is not below its value.
    """
    feature, first, width, at, span, _, cuts, parts = flat
    out = np.empty(values.shape[1], np.int32)
    for r in range(values.shape[1]):
        node = 0
        while feature[node] >= 0:
            value = values[feature[node], r]
            low, high = at[node], at[node]
            if forms[feature[node]] == ORDERED:
                high += width[node] - 1
                while low < high:
                    middle = (low + high) // 2
                    if value <= ends[middle]:
                        high = middle
                    else:
                        low = middle + 1
                child = low - at[node]
            else:
                high += span[node]
                while low < high:
                    middle = (low + high) // 2
                    if cuts[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                if low == at[node] + span[node] or cuts[low] != value:
                    break
                child = parts[low]
            node = first[node] + child
        out[r] = node
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def draw(leaf: Any, cumulative: Any, candidates: Any, bits: int, out: Any, waiting: Any) -> int:
    """One draw for each waiting row from the weights of its leaf, by rejection; returns how many rows still wait.

    `cumulative` holds running sums of integer weights, the last of a row being the denominator. A candidate of `bits` bits below the
    largest multiple of the denominator is accepted, and its remainder picks the label: every weight is met exactly.
    """
    left = 0
    last = cumulative.shape[1] - 1
    for w in range(waiting.size):
        row = waiting[w]
        own = cumulative[leaf[row]]
        candidate = np.int64(candidates[w] & np.uint64((np.int64(1) << bits) - 1))
        whole = (np.int64(1) << bits) // own[last] * own[last]
        if candidate < whole:
            out[row] = np.searchsorted(own, candidate % own[last], side="right")
        else:
            waiting[left] = row
            left += 1
    return left
