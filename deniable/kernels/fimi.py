"""Reading transactions of item numbers from text, one line per transaction: `parse` all of them, `parse_small` most of them sooner."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from deniable.kernels.compiling import compiled, inlined

# numba's own tools carry no types.
make_array: Any = arrayobj.make_array

SPACE, TAB, LINE_FEED, RETURN, ZERO = 32, 9, 10, 13, 48
EIGHT = 8
"""Most digits of a number that are made one together."""
BLOCK = 64
"""Bytes that are looked at together."""


@intrinsic
def _eight_bytes(typing_context: Any, text: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(signature.args[0])(context, builder, arguments[0])
        word = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(text, types.intp), generate


@intrinsic
def _no_digits(typing_context: Any, text: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.VectorType(ir.IntType(8), BLOCK)
        array = make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.bitcast(builder.gep(array.data, [arguments[1]]), lanes.as_pointer())
        digits = builder.sub(builder.load(start, align=1), ir.Constant(lanes, [ZERO] * BLOCK))
        return builder.bitcast(builder.icmp_unsigned(">", digits, ir.Constant(lanes, [9] * BLOCK)), ir.IntType(BLOCK))

    return types.uint64(text, types.intp), generate


@intrinsic
def _zeros_below(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


eight_bytes: Any = _eight_bytes
"""The eight bytes of an array from a place on as one word, the first of them lowest."""
no_digits: Any = _no_digits
"""Which of the bytes from a place on are no digits: bit k is set if the k-th of `BLOCK` is none."""
zeros_below: Any = _zeros_below
"""How many bits lie below the lowest that is set; the word must not be 0."""


@inlined()
def _as_number(word: Any, length: Any) -> Any:
    """The number that so many digits make, the last bytes of eight."""
    unused = np.uint64(8 * (EIGHT - length))
    digits = ((word ^ np.uint64(0x3030303030303030)) >> unused) << unused
    # Pairs of digits, fours, then all eight.
    digits = ((digits * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    digits = ((digits * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return np.int64((digits * np.uint64(42949672960001)) >> np.uint64(32))


@compiled()
def parse_small(text: Any, end: int, line: int, found: int, starts: Any, numbers: Any, seen: Any) -> Any:
    """(lines, found) after some lines of a file more: line i holds numbers[starts[i]:starts[i + 1]].

    The lines are text[EIGHT:end], of which the last byte is a line feed; `EIGHT` bytes before and `BLOCK` behind belong to the array.
    `line` and `found` are how many lines and numbers there were before. Numbers are below `len(seen) / 2`: seen[2 number] becomes how
    many lines hold that number, and the next entry which was the last of them, from 1 on. `numbers` has room for every second byte.

    Gives (-1, 0) where `parse` has to look: at larger numbers, other words, returns without line feeds, and more lines than `starts`
    has room for. Text of many short numbers has no pattern that a processor could guess, so the ends of numbers are found in blocks,
    and the digits of one are made a number together.
    """
    room = len(seen) // 2
    first: Any = EIGHT
    for block in range(EIGHT, end, BLOCK):
        others = no_digits(text, block)
        if block + BLOCK > end:
            others &= (np.uint64(1) << np.uint64(end - block)) - np.uint64(1)
        while others:
            place = block + np.int64(zeros_below(others))
            others &= others - np.uint64(1)
            length = place - first
            first = place + 1
            if length:
                value = _as_number(eight_bytes(text, place - EIGHT), length)
                if length > EIGHT or value >= room:
                    return -1, 0
                # Unsigned: no processor has to see whether they count from the end.
                numbers[np.uint64(found)] = value
                found += 1
                at = np.uint64(value) << np.uint64(1)
                seen[at] += seen[at + np.uint64(1)] != line + 1
                seen[at + np.uint64(1)] = line + 1
            byte = text[np.uint64(place)]
            if byte == SPACE:
                continue
            if byte == LINE_FEED:
                line += 1
                if line == starts.size:
                    return -1, 0
                starts[line] = found
            elif byte == RETURN:
                if text[place + 1] != LINE_FEED:
                    return -1, 0
            elif byte != TAB:
                return -1, 0
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
