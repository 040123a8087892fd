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

from deniable.kernels.compiling import compiled
from deniable.kernels.copying import put, put_rows
from deniable.kernels.partition import SLACK, admissible, best_cuts, best_groups, order_by_shares, part_value, parts_from_cuts

CATEGORIES, ORDERED, GROUPED = 0, 1, 2
FEW_VALUES = 8
FEATURE, FIRST, WIDTH, AT, SPAN, PARENT, LEVEL, BEGIN, STOP = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""The columns of the table of nodes: those of a flat tree, and what is known while it grows."""
FIELDS = 9


@compiled(error_model="numpy")
def sort_keys(keys: Any) -> None:
    """Sort in place, by a heap. numpy's sort would take seconds to compile before the first tree is seen."""
    last = keys.size - 1
    start = keys.size // 2
    while last > 0:
        if start > 0:
            start -= 1
        else:
            keys[0], keys[last] = keys[last], keys[0]
            last -= 1
        root = start
        while 2 * root + 1 <= last:
            child = 2 * root + 1
            if child < last and keys[child] < keys[child + 1]:
                child += 1
            if keys[root] >= keys[child]:
                break
            keys[root], keys[child] = keys[child], keys[root]
            root = child


@compiled(error_model="numpy")
def place_of(sorted_codes: Any, count: int, code: int) -> int:
    """Where a code lies among the first `count`, which ascend."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if sorted_codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@compiled(error_model="numpy")
def tabulate(column: Any, size: int, y: Any, rows: Any, start: int, end: int, prefix: Any, present: Any) -> int:
    """Running counts of the labels over the codes that occur in these rows, in their order; returns how many occur."""
    labels = prefix.shape[1]
    n_present = 0
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
                present[n_present] = code
                n_present += 1
                for z in range(labels):
                    prefix[n_present, z] = prefix[code + 1, z] + prefix[n_present - 1, z]
        return n_present
    keys = np.empty(end - start, np.int64)
    for r in range(start, end):
        keys[r - start] = np.int64(column[rows[r]]) * labels + y[rows[r]]
    sort_keys(keys)
    for z in range(labels):
        prefix[0, z] = 0
    for at in range(keys.size):
        code = keys[at] // labels
        if at == 0 or code != present[n_present - 1]:
            present[n_present] = code
            n_present += 1
            for z in range(labels):
                prefix[n_present, z] = prefix[n_present - 1, z]
        prefix[n_present, keys[at] - code * labels] += 1
    return n_present


@compiled(error_model="numpy")
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
    if form == GROUPED and values <= FEW_VALUES:
        return best_groups(kind, prefix, values, base, rules, part)
    # Categories are cut like numbers, in an order in which neighbours have like shares. One call for both: each costs its compilation.
    order = order_by_shares(prefix, values) if form == GROUPED else np.arange(values)
    ordered = prefix
    if form == GROUPED:
        ordered = np.zeros((values + 1, prefix.shape[1]), np.int32)
        for at in range(values):
            for z in range(prefix.shape[1]):
                ordered[at + 1, z] = ordered[at, z] + prefix[order[at] + 1, z] - prefix[order[at], z]
    total = best_cuts(kind, ordered, values, base, rules, prune, room)
    if total < 0:
        return -1.0, 0
    return total, parts_from_cuts(values, room[2], order, part)


@compiled(error_model="numpy")
def shares_of(y: Any, rows: Any, start: int, end: int, counts: Any) -> Any:
    """Fill `counts` with the labels of these rows and return their shares."""
    for z in range(counts.size):
        counts[z] = 0
    for r in range(start, end):
        counts[y[rows[r]]] += 1
    return counts / (end - start)


@compiled(error_model="numpy")
def evaluate(
    data: Any, f: int, rows: Any, start: int, end: int, base: Any, kind: int, rules: Any, prune: bool, work: Any
) -> tuple[float, int, int]:
    """How much splitting these rows by attribute f changes the answers; its codes and parts are left in `work`."""
    codes, sizes, forms, y = data
    prefix, room, present, part = work
    values = tabulate(codes[f], sizes[f], y, rows, start, end, prefix, present)
    total, count = best_partition(forms[f], kind, prefix, values, base, rules, prune, room, part)
    return (total / (end - start) if count else -1.0), values, count


@compiled(error_model="numpy")
def part_rows(
    column: Any, rows: Any, buffer: Any, start: int, end: int, present: Any, part: Any, values: int, count: int
) -> Any:
    """Bring rows of the same part together, in their order; returns where each part begins, and the end."""
    begins = np.zeros(count + 1, np.int64)
    part_of = np.empty(end - start, np.int32)
    for r in range(start, end):
        part_of[r - start] = part[place_of(present, values, column[rows[r]])]
        begins[part_of[r - start] + 1] += 1
    begins[0] = start
    for c in range(count):
        begins[c + 1] += begins[c]
    at = begins[:count].copy()
    for r in range(start, end):
        c = part_of[r - start]
        buffer[at[c]] = rows[r]
        at[c] += 1
    put(buffer[start:end], rows[start:end])
    return begins


@compiled(error_model="numpy")
def split_size(form: int, values: int, count: int) -> int:
    """How many entries of `cuts` a split takes."""
    return count if form == ORDERED else values


@compiled(error_model="numpy")
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


@compiled(error_model="numpy")
def longer_table(array: Any, least: int) -> Any:
    """The table with room for at least so many rows."""
    if array.shape[0] >= least:
        return array
    bigger = np.zeros((max(least, 2 * array.shape[0]), array.shape[1]), array.dtype)
    put_rows(array, bigger)
    return bigger


@compiled(error_model="numpy")
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
    """The greedy tree (003, Algorithm 2, corrected) of each of these groups of rows, as tables of nodes, of their counts, and of cuts and
    parts; rows are reordered in place.

    `begins_at` says where each group begins, and where the last ends; their roots are the first nodes.
    `used` marks attributes that may not be asked any more; `settings` is (distance, least change, deepest, ask again, prune); `kept` is
    room for the codes and parts of the best attribute so far.
    """
    codes, sizes, forms, y = data
    kind, change, deepest, again, prune = settings
    prefix, room, present, part = work
    labels = rules[1].shape[1]
    roots = begins_at.size - 1
    # A few tables instead of a dozen arrays: each array that can grow costs half a second of compilation.
    table = np.zeros((max(64, roots), FIELDS), np.int64)
    counts = np.zeros((max(64, roots), labels), np.int64)
    splits = np.zeros((64, 2), np.int64)
    # A plain zero would be a type of its own, and what it is handed to would be compiled twice.
    none: Any = np.int64(0)
    nodes, filled, node = roots, none, none
    for root in range(roots):
        table[root, BEGIN], table[root, STOP], table[root, LEVEL], table[root, PARENT] = (
            begins_at[root],
            begins_at[root + 1],
            depth,
            -1,
        )
    asked = np.zeros(used.size, np.uint8)
    while node < nodes:
        begin, stop, level = table[node, BEGIN], table[node, STOP], table[node, LEVEL]
        base = shares_of(y, rows, begin, stop, counts[node])
        table[node, FEATURE] = -1
        if level >= deepest:
            node += 1
            continue
        put(used, asked)
        if not again:
            above = table[node, PARENT]
            while above >= 0:
                asked[table[above, FEATURE]] = 1
                above = table[above, PARENT]
        best, chosen, best_values, best_count = change + 1e-12, -1, none, none
        for f in range(codes.shape[0]):
            if asked[f]:
                continue
            # As `evaluate` does: a call of it would have all that it calls optimised once more, 1.5 seconds.
            values = tabulate(codes[f], sizes[f], y, rows, begin, stop, prefix, present)
            total, count = best_partition(forms[f], kind, prefix, values, base, rules, prune, room, part)
            mean_change = total / (stop - begin)
            # A tie within rounding goes to the first: the tree must not depend on the last bit.
            if count > 1 and mean_change > best + (1e-12 if chosen >= 0 else 0.0):
                best, chosen, best_values, best_count = mean_change, f, values, count
                put(present[:values], kept[0])
                put(part[:values], kept[1])
        if chosen >= 0:
            begins = part_rows(codes[chosen], rows, buffer, begin, stop, kept[0], kept[1], best_values, best_count)
            size = split_size(forms[chosen], best_values, best_count)
            splits = longer_table(splits, filled + size)
            write_split(forms[chosen], kept[0], kept[1], best_values, splits[:, 0], splits[:, 1], filled)
            table, counts = longer_table(table, nodes + best_count), longer_table(counts, nodes + best_count)
            table[node, FEATURE], table[node, FIRST], table[node, WIDTH] = chosen, nodes, best_count
            table[node, AT], table[node, SPAN] = filled, size
            for c in range(best_count):
                child = nodes + c
                table[child, PARENT], table[child, LEVEL] = node, level + 1
                table[child, BEGIN], table[child, STOP] = begins[c], begins[c + 1]
            nodes += best_count
            filled += size
        node += 1
    return table[:nodes], counts[:nodes], splits[:filled]


@compiled(error_model="numpy")
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


@compiled(error_model="numpy")
def draw(leaf: Any, cumulative: Any, candidates: Any, bits: int, out: Any, waiting: Any) -> int:
    """One draw for each waiting row from the weights of its leaf, by rejection; returns how many rows still wait.

    `cumulative` holds running sums of integer weights, the last of a row being the denominator. A candidate of `bits` bits below the
    largest multiple of the denominator is accepted, and its remainder picks the label: every weight is met exactly.
    """
    left = 0
    last = cumulative.shape[1] - 1
    for w in range(waiting.size):
        row = waiting[w]
        sums = cumulative[leaf[row]]
        candidate = np.int64(candidates[w] & np.uint64((np.int64(1) << bits) - 1))
        whole = (np.int64(1) << bits) // sums[last] * sums[last]
        if candidate < whole:
            out[row] = place_of(sums, last, candidate % sums[last] + 1)
        else:
            waiting[left] = row
            left += 1
    return left
