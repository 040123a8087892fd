"""Packed columns: bit r of word w of an item says whether row 64 w + r reports it. Itemsets are ANDs, supports are popcounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from deniable.kernels.compiling import compiled

# numba's own tools carry no types.
get_or_insert_function: Any = cgutils.get_or_insert_function
make_array: Any = arrayobj.make_array
alloca_once_value: Any = cgutils.alloca_once_value

WORD = 64
BLOCK = 1024
"""Words of every column that are worked on at a time: 8 KiB a column, so that a prefix and many columns stay in the cache."""


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


popcount: Any = _popcount
"""How many bits of a 64-bit word are set, as the processor's own instruction."""


LANES = 32
"""Bytes that `count_both` takes at a time."""
MOST_VECTORS = 31
"""How many of them it adds up in bytes, which hold at most 31 times 8, before it widens the sums."""


@intrinsic
def _count_both(typing_context: Any, left: Any, at: Any, right: Any, place: Any, vectors: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Bits are counted in bytes, the width in which processors count them, and widened once.
        byte_lanes, wide_lanes = ir.VectorType(ir.IntType(8), LANES), ir.VectorType(ir.IntType(16), LANES)
        count = get_or_insert_function(builder.module, ir.FunctionType(byte_lanes, [byte_lanes]), f"llvm.ctpop.v{LANES}i8")
        add_up = get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(16), [wide_lanes]), f"llvm.vector.reduce.add.v{LANES}i16"
        )

        def start(k: int) -> Any:
            array = make_array(signature.args[k])(context, builder, arguments[k])
            return builder.bitcast(builder.gep(array.data, [arguments[k + 1]]), byte_lanes.as_pointer())

        one, other = start(0), start(2)
        total = alloca_once_value(builder, ir.Constant(byte_lanes, [0] * LANES))
        with cgutils.for_range(builder, arguments[4]) as loop:
            both = builder.and_(
                builder.load(builder.gep(one, [loop.index]), align=8), builder.load(builder.gep(other, [loop.index]), align=8)
            )
            builder.store(builder.add(builder.load(total), builder.call(count, [both])), total)
        return builder.zext(builder.call(add_up, [builder.zext(builder.load(total), wide_lanes)]), ir.IntType(64))

    return types.uint64(left, types.intp, right, types.intp, types.intp), generate


count_both: Any = _count_both
"""How many bits are set in both of two flat arrays, from word `at` and word `place` on, in so many vectors, at most MOST_VECTORS."""


def words_for(rows: int) -> int:
    """How many words hold so many rows.

    >>> words_for(64), words_for(65)
    (1, 2)
    """
    return -(-rows // WORD)


def pack(columns: Any) -> Any:
    """Packed columns of a boolean array (rows x items): uint64, items x words; rows beyond the last are 0.

    >>> pack(np.array([[True, False], [True, True]])).tolist()
    [[3], [2]]
    """
    flags = np.asarray(columns, dtype=bool)
    rows, items = flags.shape
    packed = np.zeros((items, words_for(rows) * 8), np.uint8)
    if rows:
        for item in range(items):
            squeezed = np.packbits(flags[:, item], bitorder="little")
            packed[item, : len(squeezed)] = squeezed
    return packed.view(np.uint64)


@compiled()
def set_bits(packed: Any, starts: Any, codes: Any, place: Any, first: int) -> None:
    """Mark in `packed` what rows hold: row r has codes[starts[r]:starts[r + 1]]; place[code] is its column, -1 for none.

    The first row of `starts` is row number `first` of the packed columns.
    """
    # Most codes may have no column: whether they have one is in a table small enough for the nearest cache.
    wanted = place >= 0
    for r in range(starts.size - 1):
        word = (first + r) // 64
        bit = np.uint64(1) << np.uint64((first + r) % 64)
        for k in range(starts[r], starts[r + 1]):
            code = np.uint64(codes[np.uint64(k)])
            if wanted[code]:
                packed[place[code], word] |= bit


@compiled()
def column_counts(packed: Any) -> Any:
    """How many rows report each item."""
    counts = np.zeros(packed.shape[0], np.int64)
    for item in range(packed.shape[0]):
        total = np.uint64(0)
        for w in range(packed.shape[1]):
            total += popcount(packed[item, w])
        counts[item] = np.int64(total)
    return counts


@compiled()
def _count_and(left: Any, at: int, right: Any, place: int, size: int) -> Any:
    total = np.uint64(0)
    vectors = size * 8 // LANES
    for first in range(0, vectors, MOST_VECTORS):
        skip = first * LANES // 8
        total += count_both(left, at + skip, right, place + skip, min(vectors - first, MOST_VECTORS))
    for w in range(vectors * LANES // 8, size):
        total += popcount(left[at + w] & right[place + w])
    return np.int64(total)


@compiled()
def _and_into(into: Any, here: int, left: Any, at: int, right: Any, place: int, size: int) -> None:
    """Write the bits that are set in both."""
    for w in range(np.uint64(size)):
        into[np.uint64(here) + w] = left[np.uint64(at) + w] & right[np.uint64(place) + w]


@compiled()
def count_itemsets(packed: Any, itemsets: Any, first: int, last: int, counts: Any) -> None:
    """Add to counts[first:last] how many rows report every item of these itemsets (rows of indices, sorted).

    Neighbours in the sorted list share a prefix, whose intersection is kept on a stack: most itemsets cost one AND and one
    popcount per word. Words are taken in blocks, so that what is read again is still in the cache.
    """
    length = itemsets.shape[1]
    words = packed.shape[1]
    # Flat: slices of rows would be counted references, which cost as much as the bits.
    flat = packed.reshape(-1)
    stack = np.empty(max(length - 2, 1) * BLOCK, np.uint64)
    for low in range(0, words, BLOCK):
        size = min(words - low, BLOCK)
        for c in range(first, last):
            begin = itemsets[c, 0] * words + low
            final = itemsets[c, length - 1] * words + low
            if length <= 2:
                counts[c] += _count_and(flat, begin, flat, final, size)
                continue
            fresh = 1
            if c > first and itemsets[c, 0] == itemsets[c - 1, 0]:
                while fresh < length - 1 and itemsets[c, fresh] == itemsets[c - 1, fresh]:
                    fresh += 1
            for depth in range(fresh, length - 1):
                # The intersection of the first depth + 1 items lies on the stack at (depth - 1) * BLOCK.
                right = itemsets[c, depth] * words + low
                here = (depth - 1) * BLOCK
                if depth == 1:
                    _and_into(stack, here, flat, begin, flat, right, size)
                else:
                    _and_into(stack, here, stack, here - BLOCK, flat, right, size)
            counts[c] += _count_and(stack, (length - 3) * BLOCK, flat, final, size)


@compiled()
def pattern_counts(packed: Any, items: Any, rows: int) -> Any:
    """How many rows show each of the 2^m patterns of these items: bit j of the pattern's number says whether item j is reported.

    Supports of all 2^m subsets first (one AND a subset), then inclusion and exclusion.
    """
    m = items.size
    counts = np.zeros(1 << m, np.int64)
    counts[0] = rows
    held = np.empty((m + 1, BLOCK), np.uint64)
    for low in range(0, packed.shape[1], BLOCK):
        high = min(low + BLOCK, packed.shape[1])
        size = high - low
        for pattern in range(1, 1 << m):
            # held[j] is the intersection of the subset's items from the highest down to the j-th: only what the
            # counting up of `pattern` changed, its lowest bits, is built anew.
            lowest = 0
            while not (pattern >> lowest) & 1:
                lowest += 1
            above = lowest + 1
            while above < m and not (pattern >> above) & 1:
                above += 1
            column = packed[items[lowest], low:high]
            bits_set = np.uint64(0)
            if above >= m:
                for w in range(size):
                    held[lowest, w] = column[w]
                    bits_set += popcount(column[w])
            else:
                for w in range(size):
                    both = column[w] & held[above, w]
                    held[lowest, w] = both
                    bits_set += popcount(both)
            counts[pattern] += np.int64(bits_set)
    for j in range(m):
        for pattern in range(1 << m):
            if not (pattern >> j) & 1:
                counts[pattern] -= counts[pattern | (1 << j)]
    return counts


@compiled()
def set_codes(packed: Any, codes: Any, place: Any, first: int) -> None:
    """Mark one code per row: row r sets its bit in column place[codes[r]], unless that is -1."""
    for r in range(codes.size):
        column = place[codes[r]]
        if column >= 0:
            packed[column, (first + r) // 64] |= np.uint64(1) << np.uint64((first + r) % 64)


@compiled()
def set_shown(words: Any, codes: Any, shows: Any) -> None:
    """Mark the rows of one packed column whose code is among those shown."""
    for r in range(codes.size):
        if shows[codes[r]]:
            words[r // 64] |= np.uint64(1) << np.uint64(r % 64)


@compiled()
def has_repeats(starts: Any, codes: Any, items: int) -> bool:
    """Whether some row lists a code twice."""
    last = np.full(items, -1, np.int64)
    for r in range(starts.size - 1):
        for k in range(starts[r], starts[r + 1]):
            if last[codes[k]] == r:
                return True
            last[codes[k]] = r
    return False
