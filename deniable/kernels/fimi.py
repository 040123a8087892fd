"""Reading transactions of item numbers from text, one line per transaction."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled


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
