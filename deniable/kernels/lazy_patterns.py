"""Patterns that are looked for row by row: training rows reduced to what they share with the row, as bits of one word.

Bit i of a reduced row says that attribute i matches. What is asked is how many reduced rows of a class hold a pattern of that class: a
set of bits that enough of them have, and that is `growth` times as frequent there as among the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import popcount
from deniable.kernels.compiling import compiled

TOO_LONG = -1
NONE = -1
MULTIPLIER = 0x9E3779B97F4A7C15
ROUNDING = 1e-12


@compiled()
def reduce_rows(row: Any, cells: Any, offsets: Any, sizes: Any, matches: Any, bits: Any, masks: Any) -> None:
    """The training rows (`cells`, attributes x rows: class and report in one number) reduced to what they share with a row.

    `bits` is room for what every such number of an attribute adds to a mask: then the long loop has no branch.
    """
    for r in range(masks.size):
        masks[r] = np.uint64(0)
    for i in range(cells.shape[0]):
        bit = np.uint64(1) << np.uint64(i)
        end = offsets[i + 1] if i + 1 < offsets.size else matches.size
        any_match = False
        for v in range((end - offsets[i]) // sizes[i]):
            bits[v] = bit if matches[offsets[i] + v * sizes[i] + row[i]] else np.uint64(0)
            any_match |= bits[v] != np.uint64(0)
        if any_match:
            here = cells[i]
            for r in range(masks.size):
                masks[r] |= bits[here[r]]


@compiled()
def distinct_masks(masks: Any, label: Any, times: Any, table: Any, found: Any, counts: Any) -> int:
    """Different reduced rows, and how often each class has each; `table` is all NONE, its size a power of two, and is left so."""
    shift = np.uint64(64)
    size = table.size
    while size > 1:
        size //= 2
        shift -= np.uint64(1)
    last = np.int64(table.size - 1)
    number = 0
    for r in range(masks.size):
        mask = masks[r]
        place = np.int64((mask * np.uint64(MULTIPLIER)) >> shift) & last
        while table[place] != NONE and found[table[place]] != mask:
            place = (place + 1) & last
        if table[place] == NONE:
            table[place] = number
            found[number] = mask
            for c in range(counts.shape[1]):
                counts[number, c] = 0
            number += 1
        counts[table[place], label[r]] += times[r]
    for slot in range(table.size):
        table[slot] = NONE
    return number


@compiled()
def largest_first(masks: Any, counts: Any, number: int, sorted_masks: Any, sorted_counts: Any) -> None:
    """Masks and their counts, those with most bits first."""
    starts = np.zeros(66, np.int64)
    for i in range(number):
        starts[65 - np.int64(popcount(masks[i]))] += 1
    for k in range(1, 66):
        starts[k] += starts[k - 1]
    for i in range(number):
        missing = 64 - np.int64(popcount(masks[i]))
        place = starts[missing]
        starts[missing] += 1
        sorted_masks[place] = masks[i]
        for c in range(counts.shape[1]):
            sorted_counts[place, c] = counts[i, c]


@compiled()
def largest(masks: Any, number: int, chosen: Any) -> int:
    """Of masks, those with most bits first, the ones that no other contains: the border of what occurs, in `chosen`."""
    found = last = 0
    for i in range(number):
        mask = masks[i]
        # What held the last one often holds the next.
        inside = found > 0 and chosen[last] & mask == mask
        if not inside:
            for k in range(found):
                if chosen[k] & mask == mask:
                    inside, last = True, k
                    break
        if not inside:
            chosen[found] = mask
            found += 1
    return found


@compiled()
def _grows(own: float, others: float, n_own: float, n_others: float, growth: float) -> bool:
    """Whether a set that so many rows of each side hold is frequent enough in the class compared with elsewhere."""
    if others == 0:
        return True
    if np.isinf(growth):
        return False
    return own * n_others >= growth * (1 - ROUNDING) * others * n_own


@compiled()
def win_whole_rows(own: Any, own_times: Any, surely: Any, sizes: Any, rules: Any, covered: Any) -> None:
    """Marks rows that hold a row which emerges as a whole; `surely` says how many of the others hold each.

    Most rows that can be won are won so, without a search, which is then about the few others.
    """
    least, growth = rules
    n_own, n_others = sizes
    for u in range(own.size):
        if own[u] == np.uint64(0):
            continue
        support = 0.0
        for w in range(own.size):
            if own[w] & own[u] == own[u]:
                support += own_times[w]
        if support >= least and _grows(support, surely[u], n_own, n_others, growth):
            for w in range(own.size):
                if own[w] & own[u] == own[u]:
                    covered[w] = True


@compiled()
def search_row(
    attributes: int, own: Any, own_times: Any, others: Any, other_times: Any, sizes: Any, rules: Any, covered: Any, held: Any
) -> int:
    """Sets of attributes that emerge in a class, depth first, attributes in order; how many were written to `held`.

    `own` and `others` are different reduced rows with `own_times` and `other_times`; `sizes` are the rows of both sides, `rules` (the
    least number of rows, the growth rate, the most steps, whether every set is wanted). Rows that hold a set that emerges are marked in
    `covered`. Growth is not convex, so nothing is known of a set from its subsets but this: no set inside a row u can be rarer among
    the others than all of u, nor more frequent in the class than what it was made from. A branch in which no row can still be won is
    left; unless every set is wanted, rows that are won already need not be won again. Where sets need not be written at all, whole rows
    are tried first. Negative: too many steps, or sets.
    """
    least, growth, most, every = rules
    n_own, n_others = sizes
    most_rows = max(own.size, others.size)
    lists = np.empty((2, attributes + 1, most_rows), np.int32)
    lengths = np.zeros((2, attributes + 1), np.int64)
    following = np.zeros(attributes + 1, np.int64)
    sets = np.zeros(attributes + 1, np.uint64)
    surely = np.zeros(own.size)
    for u in range(own.size):
        for v in range(others.size):
            if others[v] & own[u] == own[u]:
                surely[u] += other_times[v]
    if held.size == 0 and not every:
        win_whole_rows(own, own_times, surely, sizes, (least, growth), covered)
    for u in range(own.size):
        lists[0, 0, u] = u
    for v in range(others.size):
        lists[1, 0, v] = v
    lengths[0, 0], lengths[1, 0] = own.size, others.size
    depth = written = 0
    steps = 0.0
    while depth >= 0:
        j = following[depth]
        if j == attributes:
            depth -= 1
            continue
        following[depth] = j + 1
        bit = np.uint64(1) << np.uint64(j)
        steps += lengths[0, depth] + lengths[1, depth]
        if steps > most:
            return TOO_LONG
        support, length = 0.0, 0
        for k in range(lengths[0, depth]):
            u = lists[0, depth, k]
            if own[u] & bit:
                lists[0, depth + 1, length] = u
                length += 1
                support += own_times[u]
        if support < least or length == 0:
            continue
        promising = False
        for k in range(length):
            u = lists[0, depth + 1, k]
            if (every or not covered[u]) and _grows(support, surely[u], n_own, n_others, growth):
                promising = True
                break
        if not promising:
            continue
        lengths[0, depth + 1] = length
        elsewhere, length = 0.0, 0
        for k in range(lengths[1, depth]):
            v = lists[1, depth, k]
            if others[v] & bit:
                lists[1, depth + 1, length] = v
                length += 1
                elsewhere += other_times[v]
        lengths[1, depth + 1] = length
        sets[depth + 1] = sets[depth] | bit
        if _grows(support, elsewhere, n_own, n_others, growth):
            for k in range(lengths[0, depth + 1]):
                covered[lists[0, depth + 1, k]] = True
            if written < held.size:
                held[written] = sets[depth + 1]
                written += 1
            elif every:
                return TOO_LONG
            continue
        depth += 1
        following[depth] = j + 1
    return written


@compiled()
def _won(c: int, attributes: int, found: Any, counts: Any, number: int, totals: Any, rules: Any, room: Any) -> float:
    """How many rows of class c hold a pattern of it; negative if the search took too many steps."""
    least, growth, most = rules
    own, others, own_times, other_times, borders, covered, nothing = room
    mine = theirs = 0
    everyone = 0.0
    for k in range(totals.size):
        everyone += totals[k]
    for i in range(number):
        elsewhere = -counts[i, c]
        for k in range(totals.size):
            elsewhere += counts[i, k]
        if counts[i, c] > 0:
            own[mine], own_times[mine] = found[i], counts[i, c]
            mine += 1
        if elsewhere > 0:
            others[theirs], other_times[theirs] = found[i], elsewhere
            theirs += 1
    won = 0.0
    if np.isinf(growth):
        # What jumps is inside none of the others, and so inside none of their largest.
        theirs = largest(others, theirs, borders)
        if least <= 1:
            last = 0
            for i in range(mine):
                mask = own[i]
                jumps = mask != np.uint64(0) and (theirs == 0 or borders[last] & mask != mask)
                bits = popcount(mask)
                for k in range(theirs if jumps else 0):
                    if borders[k] & mask == mask:
                        jumps, last = False, k
                        break
                    if popcount(borders[k]) < bits:
                        break
                if jumps:
                    won += own_times[i]
            return won
        for k in range(theirs):
            others[k], other_times[k] = borders[k], 1.0
    for i in range(mine):
        covered[i] = False
    sizes = totals[c], everyone - totals[c]
    ended = search_row(
        attributes, own[:mine], own_times[:mine], others[:theirs], other_times[:theirs], sizes, (least, growth, most, False),
        covered, nothing,
    )  # fmt: skip
    if ended == TOO_LONG:
        return -1.0
    for i in range(mine):
        if covered[i]:
            won += own_times[i]
    return won


@compiled()
def compact_scores(
    rows: Any,
    cells: Any,
    label: Any,
    times: Any,
    offsets: Any,
    sizes: Any,
    matches: Any,
    totals: Any,
    least: Any,
    growth: float,
    most: float,
) -> Any:
    """[row, class]: the share of a class's rows that hold at least one of its patterns; negative where a search took too many steps.

    `cells` are attributes x training rows (class and report in one number), of class `label`, each standing for `times` rows; `matches`
    says, for attribute i, such a number v and the row's cell x, whether they match: at offsets[i] + v * sizes[i] + x. `totals` are the
    rows of each class, `least` the fewest that must hold a pattern.
    """
    n = cells.shape[1]
    size = 1
    while size < 2 * n:
        size *= 2
    masks, found, ordered = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    counts, ordered_counts = np.zeros((n, totals.size)), np.zeros((n, totals.size))
    table = np.full(size, NONE, np.int64)
    bits = np.empty(matches.size, np.uint64)
    room = (
        np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n), np.empty(n), np.empty(n, np.uint64), np.empty(n, np.bool_),
        np.empty(0, np.uint64),
    )  # fmt: skip
    scores = np.zeros((rows.shape[0], totals.size))
    for t in range(rows.shape[0]):
        reduce_rows(rows[t], cells, offsets, sizes, matches, bits, masks)
        number = distinct_masks(masks, label, times, table, found, counts)
        largest_first(found, counts, number, ordered, ordered_counts)
        for c in range(totals.size):
            if totals[c] > 0:
                won = _won(c, cells.shape[0], ordered, ordered_counts, number, totals, (least[c], growth, most), room)
                scores[t, c] = won / totals[c]
                if won < 0:
                    # The next row would take as long: better to say so now.
                    return scores
    return scores
