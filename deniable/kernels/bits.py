"""Packed columns: bit r of word w of an item says whether row 64 w + r reports it. Itemsets are ANDs, supports are popcounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

# numba's own tools carry no types.
get_or_insert_function: Any = cgutils.get_or_insert_function
make_array: Any = arrayobj.make_array

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


CHUNK = 32
"""Words that `count_both_in_chunk` takes at a time."""


@intrinsic
def _count_both_in_chunk(typing_context: Any, left: Any, right: Any, first: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Bits are counted in bytes, the width in which processors count them, and widened once a chunk: a byte holds the
        # counts of 8 vectors of 32 bytes, at most 64.
        byte_lanes, wide_lanes = ir.VectorType(ir.IntType(8), 32), ir.VectorType(ir.IntType(16), 32)
        count = get_or_insert_function(builder.module, ir.FunctionType(byte_lanes, [byte_lanes]), "llvm.ctpop.v32i8")
        add_up = get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(16), [wide_lanes]), "llvm.vector.reduce.add.v32i16"
        )

        def vectors(k: int) -> Any:
            array = make_array(signature.args[k])(context, builder, arguments[k])
            return builder.bitcast(builder.gep(array.data, [arguments[2]]), byte_lanes.as_pointer())

        one, other = vectors(0), vectors(1)
        total = ir.Constant(byte_lanes, [0] * 32)
        for k in range(CHUNK * 8 // 32):
            place = ir.Constant(ir.IntType(64), k)
            both = builder.and_(
                builder.load(builder.gep(one, [place]), align=8), builder.load(builder.gep(other, [place]), align=8)
            )
            total = builder.add(total, builder.call(count, [both]))
        return builder.zext(builder.call(add_up, [builder.zext(total, wide_lanes)]), ir.IntType(64))

    return types.uint64(left, right, types.intp), generate


count_both_in_chunk: Any = _count_both_in_chunk
"""How many bits are set in both of two contiguous columns, in the CHUNK words from `first` on."""


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


@njit(cache=True, nogil=True)
def set_bits(packed: Any, starts: Any, codes: Any, place: Any, first: int) -> None:
    """Mark in `packed` what rows hold: row r has codes[starts[r]:starts[r + 1]]; place[code] is its column, -1 for none.

    The first row of `starts` is row number `first` of the packed columns.
    """
    for r in range(starts.size - 1):
        word = (first + r) // 64
        bit = np.uint64(1) << np.uint64((first + r) % 64)
        for k in range(starts[r], starts[r + 1]):
            column = place[codes[k]]
            if column >= 0:
                packed[column, word] |= bit


@njit(cache=True, nogil=True)
def column_counts(packed: Any) -> Any:
    """How many rows report each item."""
    counts = np.zeros(packed.shape[0], np.int64)
    for item in range(packed.shape[0]):
        total = np.uint64(0)
        for w in range(packed.shape[1]):
            total += popcount(packed[item, w])
        counts[item] = np.int64(total)
    return counts


@njit(cache=True, nogil=True)
def _count_and(left: Any, right: Any) -> Any:
    total = np.uint64(0)
    chunks = left.size // CHUNK
    for chunk in range(chunks):
        total += count_both_in_chunk(left, right, chunk * CHUNK)
    for w in range(chunks * CHUNK, left.size):
        total += popcount(left[w] & right[w])
    return np.int64(total)


@njit(cache=True, nogil=True)
def count_itemsets(packed: Any, itemsets: Any, first: int, last: int, counts: Any) -> None:
    """Add to counts[first:last] how many rows report every item of these itemsets (rows of indices, sorted).

    Neighbours in the sorted list share a prefix, whose intersection is kept on a stack: most itemsets cost one AND and one
    popcount a word. Words are taken in blocks, so that what is read again is still in the cache.
    """
    length = itemsets.shape[1]
    words = packed.shape[1]
    stack = np.empty((max(length - 2, 1), BLOCK), np.uint64)
    empty = np.zeros(length, np.bool_)
    for low in range(0, words, BLOCK):
        high = min(low + BLOCK, words)
        size = high - low
        for c in range(first, last):
            if length == 1:
                row = packed[itemsets[c, 0], low:high]
                counts[c] += _count_and(row, row)
                continue
            fresh = 1
            if c > first:
                fresh = 0
                while fresh < length - 1 and itemsets[c, fresh] == itemsets[c - 1, fresh]:
                    fresh += 1
                fresh = max(fresh, 1)
                if itemsets[c, 0] != itemsets[c - 1, 0]:
                    fresh = 1
            for depth in range(fresh, length - 1):
                # stack[depth - 1] is the intersection of the first depth + 1 items
                right = packed[itemsets[c, depth], low:high]
                found = np.uint64(0)
                here = stack[depth - 1]
                if depth == 1:
                    left = packed[itemsets[c, 0], low:high]
                else:
                    if empty[depth - 1]:
                        empty[depth] = True
                        continue
                    left = stack[depth - 2, :size]
                for w in range(size):
                    both = left[w] & right[w]
                    here[w] = both
                    found |= both
                empty[depth] = found == 0
            final = packed[itemsets[c, length - 1], low:high]
            if length == 2:
                counts[c] += _count_and(packed[itemsets[c, 0], low:high], final)
            elif not empty[length - 2]:
                counts[c] += _count_and(stack[length - 3, :size], final)


@njit(cache=True, nogil=True)
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
            own = packed[items[lowest], low:high]
            found = np.uint64(0)
            if above >= m:
                for w in range(size):
                    held[lowest, w] = own[w]
                    found += popcount(own[w])
            else:
                for w in range(size):
                    both = own[w] & held[above, w]
                    held[lowest, w] = both
                    found += popcount(both)
            counts[pattern] += np.int64(found)
    for j in range(m):
        for pattern in range(1 << m):
            if not (pattern >> j) & 1:
                counts[pattern] -= counts[pattern | (1 << j)]
    return counts


@njit(cache=True, nogil=True)
def set_codes(packed: Any, codes: Any, place: Any, first: int) -> None:
    """Mark one code a row: row r sets its bit in column place[codes[r]], unless that is -1."""
    for r in range(codes.size):
        column = place[codes[r]]
        if column >= 0:
            packed[column, (first + r) // 64] |= np.uint64(1) << np.uint64((first + r) % 64)


@njit(cache=True, nogil=True)
def set_shown(words: Any, codes: Any, shows: Any) -> None:
    """Mark the rows of one packed column whose code is among those shown."""
    for r in range(codes.size):
        if shows[codes[r]]:
            words[r // 64] |= np.uint64(1) << np.uint64(r % 64)


@njit(cache=True, nogil=True)
def has_repeats(starts: Any, codes: Any, items: int) -> bool:
    """Whether some row lists a code twice."""
    last = np.full(items, -1, np.int64)
    for r in range(starts.size - 1):
        for k in range(starts[r], starts[r + 1]):
            if last[codes[k]] == r:
                return True
            last[codes[k]] = r
    return False
