"""Reading transactions of item numbers from text, one line per transaction: `parse` all of them, `parse_small` most of them sooner."""

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
make_array: Any = arrayobj.make_array

SPACE, TAB, LINE_FEED, RETURN = 32, 9, 10, 13
EIGHT = 8
"""Bytes that are looked at together."""


@intrinsic
def _eight_bytes(typing_context: Any, text: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(signature.args[0])(context, builder, arguments[0])
        word = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(text, types.intp), generate


@intrinsic
def _zeros_below(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


eight_bytes: Any = _eight_bytes
"""The eight bytes of an array from a place on as one word, the first of them lowest."""
zeros_below: Any = _zeros_below
"""How many bits lie below the lowest that is set; the word must not be 0."""


@compiled()
def _last_bytes(text: Any, at: int) -> Any:
    """As `eight_bytes`, with zeros behind the end."""
    word = np.uint64(0)
    for k in range(text.size - at):
        word |= np.uint64(text[at + k]) << np.uint64(8 * k)
    return word


@compiled()
def parse_small(text: Any, starts: Any, numbers: Any, seen: Any) -> Any:
    """(lines, found): line i of so many holds numbers[starts[i]:starts[i + 1]], and so many numbers are found in all.

    All are below `len(seen)`: seen[number] becomes how many lines hold that number, and which was the last of them, from 1 on; it must
    be zero before. `numbers` has room for every second byte.

    Gives (-1, 0) where `parse` has to look: at larger numbers or those of eight digits, other words, returns without line feeds, and
    more lines than `starts` has room for. The digits of a number are made one together: text of many short numbers has no pattern
    that a processor could guess.
    """
    end, room = text.size, len(seen)
    starts[0] = 0
    found = line = i = 0
    while i < end:
        word = eight_bytes(text, i) if i + EIGHT <= end else _last_bytes(text, i)
        # Digits become 0 to 9; a byte that is none has its highest bit set after the sum. Carries reach later bytes only.
        digits = word ^ np.uint64(0x3030303030303030)
        others = (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
        if others == 0:
            return -1, 0
        length = np.int64(zeros_below(others) >> np.uint64(3))
        if length:
            # Aligned at the last digit: pairs, fours, then all eight.
            digits <<= np.uint64(64 - 8 * length)
            digits = ((digits * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
            digits = ((digits * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
            value = np.int64((digits * np.uint64(42949672960001)) >> np.uint64(32))
            if value >= room:
                return -1, 0
            numbers[found] = value
            found += 1
            seen[value, 0] += seen[value, 1] != line + 1
            seen[value, 1] = line + 1
            i += length
            if i == end:
                break
        byte = text[i]
        i += 1
        if byte == LINE_FEED:
            line += 1
            if line == starts.size:
                return -1, 0
            starts[line] = found
        elif byte == RETURN:
            if i == end or text[i] != LINE_FEED:
                return -1, 0
        elif byte != SPACE and byte != TAB:
            return -1, 0
    if end and text[end - 1] != LINE_FEED:
        line += 1
        if line == starts.size:
            return -1, 0
        starts[line] = found
    return line, found


@compiled()
def parse(text: Any) -> Any:
    """(starts, numbers, place): line i holds numbers[starts[i]:starts[i + 1]]; `place` is the first byte that fits no number, or -1.

    The last line need not end in a line feed. An empty line is an empty transaction.
    """
    lines = 0
    for i in range(text.size):
        lines += text[i] == 10
    if text.size and text[text.size - 1] != 10:
        lines += 1
    starts = np.empty(lines + 1, np.int64)
    numbers = np.empty(text.size // 2 + 1, np.int64)
    starts[0] = 0
    n_numbers = 0
    line = 0
    value = np.int64(-1)
    for i in range(text.size):
        byte = text[i]
        if 48 <= byte <= 57:
            value = (0 if value < 0 else value) * 10 + (byte - 48)
            if value > 1 << 53:
                return starts, numbers[:0], i
        elif byte == 32 or byte == 10 or byte == 9 or byte == 13:
            if value >= 0:
                numbers[n_numbers] = value
                n_numbers += 1
                value = np.int64(-1)
            if byte == 10:
                line += 1
                starts[line] = n_numbers
        else:
            return starts, numbers[:0], i
    if value >= 0:
        numbers[n_numbers] = value
        n_numbers += 1
    if text.size and text[text.size - 1] != 10:
        starts[line + 1] = n_numbers
    return starts, numbers[:n_numbers], -1
