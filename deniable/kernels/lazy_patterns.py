"""Patterns that are looked for row by row: training rows reduced to what they share with the row, as bits of as many words as it takes.

Bit i % 64 of word i // 64 of a reduced row says that attribute i matches (masks: rows x words). What is asked is how many reduced rows
of a class hold a pattern of that class: a set of bits that enough of them have, and that is `growth` times as frequent there as among
the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.bits import WORD, popcount, words_for
from deniable.kernels.compiling import compiled, inlined

TOO_LONG = -1
NONE = -1
MULTIPLIER = 0x9E3779B97F4A7C15
ROUNDING = 1e-12


_words_for: Any = compiled()(words_for)


@inlined()
def _holds(masks: Any, i: int, inside: Any, j: int) -> bool:
    """Whether mask i has all bits of mask j of other masks."""
    # The first word by itself: mostly there is no other.
    found: bool = masks[i, 0] & inside[j, 0] == inside[j, 0]
    for w in range(1, masks.shape[1]):
        found &= masks[i, w] & inside[j, w] == inside[j, w]
    return found


@inlined()
def _bits_of(masks: Any, i: int) -> Any:
    """How many bits of mask i are set."""
    bits = np.int64(popcount(masks[i, 0]))
    for w in range(1, masks.shape[1]):
        bits += np.int64(popcount(masks[i, w]))
    return bits


@inlined()
def _copy_mask(masks: Any, i: int, into: Any, j: int) -> None:
    for w in range(masks.shape[1]):
        into[j, w] = masks[i, w]


@inlined()
def _same(masks: Any, i: int, others: Any, j: int) -> bool:
    same = True
    for w in range(masks.shape[1]):
        same &= masks[i, w] == others[j, w]
    return same


@inlined()
def _is_empty(masks: Any, i: int) -> bool:
    empty = True
    for w in range(masks.shape[1]):
        empty &= masks[i, w] == np.uint64(0)
    return empty


@compiled()
def reduce_rows(row: Any, cells: Any, offsets: Any, sizes: Any, matches: Any, bits: Any, masks: Any) -> None:
    """The training rows (`cells`, attributes x rows: class and report in one number) reduced to what they share with a row.

    `bits` is room for what every such number of an attribute adds to a mask: then the long loop has no branch.
    """
    for r in range(len(masks)):
        for w in range(masks.shape[1]):
            masks[r, w] = np.uint64(0)
    for i in range(cells.shape[0]):
        bit, word = np.uint64(1) << np.uint64(i % WORD), i // WORD
        end = offsets[i + 1] if i + 1 < offsets.size else matches.size
        any_match = False
        for v in range((end - offsets[i]) // sizes[i]):
            bits[v] = bit if matches[offsets[i] + v * sizes[i] + row[i]] else np.uint64(0)
            any_match |= bits[v] != np.uint64(0)
        if any_match:
            here = cells[i]
            for r in range(len(masks)):
                masks[r, word] |= bits[here[r]]


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
    for r in range(len(masks)):
        mixed = np.uint64(0)
        for w in range(masks.shape[1]):
            mixed = (mixed ^ masks[r, w]) * np.uint64(MULTIPLIER)
        place = np.int64(mixed >> shift) & last
        while table[place] != NONE and not _same(found, table[place], masks, r):
            place = (place + 1) & last
        if table[place] == NONE:
            table[place] = number
            _copy_mask(masks, r, found, number)
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
    room = WORD * masks.shape[1]
    starts = np.zeros(room + 2, np.int64)
    for i in range(number):
        starts[room + 1 - _bits_of(masks, i)] += 1
    for k in range(1, room + 2):
        starts[k] += starts[k - 1]
    for i in range(number):
        missing = room - _bits_of(masks, i)
        place = starts[missing]
        starts[missing] += 1
        _copy_mask(masks, i, sorted_masks, place)
        for c in range(counts.shape[1]):
            sorted_counts[place, c] = counts[i, c]


@compiled()
def largest(masks: Any, number: int, chosen: Any) -> int:
    """Of masks, those with most bits first, the ones that no other contains: the border of what occurs, in `chosen`."""
    found = last = 0
    for i in range(number):
        # What held the last one often holds the next.
        inside = found > 0 and _holds(chosen, last, masks, i)
        if not inside:
            for k in range(found):
                if _holds(chosen, k, masks, i):
                    inside, last = True, k
                    break
        if not inside:
            _copy_mask(masks, i, chosen, found)
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
    for u in range(len(own)):
        if _is_empty(own, u):
            continue
        support = 0.0
        for v in range(len(own)):
            if _holds(own, v, own, u):
                support += own_times[v]
        if support >= least and _grows(support, surely[u], n_own, n_others, growth):
            for v in range(len(own)):
                if _holds(own, v, own, u):
                    covered[v] = True


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
    most_rows = max(len(own), len(others))
    lists = np.empty((2, attributes + 1, most_rows), np.int32)
    lengths = np.zeros((2, attributes + 1), np.int64)
    following = np.zeros(attributes + 1, np.int64)
    sets = np.zeros((attributes + 1, own.shape[1]), np.uint64)
    surely = np.zeros(len(own))
    for u in range(len(own)):
        for v in range(len(others)):
            if _holds(others, v, own, u):
                surely[u] += other_times[v]
    if len(held) == 0 and not every:
        win_whole_rows(own, own_times, surely, sizes, (least, growth), covered)
    for u in range(len(own)):
        lists[0, 0, u] = u
    for v in range(len(others)):
        lists[1, 0, v] = v
    lengths[0, 0], lengths[1, 0] = len(own), len(others)
    depth = written = 0
    steps = 0.0
    while depth >= 0:
        j = following[depth]
        if j == attributes:
            depth -= 1
            continue
        following[depth] = j + 1
        bit, word = np.uint64(1) << np.uint64(j % WORD), j // WORD
        steps += lengths[0, depth] + lengths[1, depth]
        if steps > most:
            return TOO_LONG
        support, length = 0.0, 0
        for k in range(lengths[0, depth]):
            u = lists[0, depth, k]
            if own[u, word] & bit:
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
            if others[v, word] & bit:
                lists[1, depth + 1, length] = v
                length += 1
                elsewhere += other_times[v]
        lengths[1, depth + 1] = length
        _copy_mask(sets, depth, sets, depth + 1)
        sets[depth + 1, word] |= bit
        if _grows(support, elsewhere, n_own, n_others, growth):
            for k in range(lengths[0, depth + 1]):
                covered[lists[0, depth + 1, k]] = True
            if written < len(held):
                _copy_mask(sets, depth + 1, held, written)
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
            _copy_mask(found, i, own, mine)
            own_times[mine] = counts[i, c]
            mine += 1
        if elsewhere > 0:
            _copy_mask(found, i, others, theirs)
            other_times[theirs] = elsewhere
            theirs += 1
    won = 0.0
    if np.isinf(growth):
        # What jumps is inside none of the others, and so inside none of their largest.
        theirs = largest(others, theirs, borders)
        if least <= 1:
            last = 0
            for i in range(mine):
                jumps = not _is_empty(own, i) and (theirs == 0 or not _holds(borders, last, own, i))
                bits = _bits_of(own, i)
                for k in range(theirs if jumps else 0):
                    if _holds(borders, k, own, i):
                        jumps, last = False, k
                        break
                    if _bits_of(borders, k) < bits:
                        break
                if jumps:
                    won += own_times[i]
            return won
        for k in range(theirs):
            _copy_mask(borders, k, others, k)
            other_times[k] = 1.0
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
    shape = n, _words_for(cells.shape[0])
    masks, found, ordered = np.empty(shape, np.uint64), np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    counts, ordered_counts = np.zeros((n, totals.size)), np.zeros((n, totals.size))
    table = np.full(size, NONE, np.int64)
    bits = np.empty(matches.size, np.uint64)
    room = (
        np.empty(shape, np.uint64), np.empty(shape, np.uint64), np.empty(n), np.empty(n), np.empty(shape, np.uint64),
        np.empty(n, np.bool_), np.empty((0, shape[1]), np.uint64),
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
