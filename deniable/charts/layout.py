"""Where the labels of a distribution go (below columns, or beside rows when they are long or many), and its numbers."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FONT_SIZE = 12
WIDTH = 320
"""Width of the plotting area (without axes) where nothing asks for more."""
WIDEST = 400
HEIGHT = 220
NARROW = 170
"""Pixels of a line of a label; what is longer is wrapped, and into wider lines if it would take more than FEW_LINES."""
FEW_LINES = 3
LABEL_LIMIT = 300
"""Pixels of the widest line of a label; only of very many long labels is one longer, and then it is cut."""
MOST_LINES = 10
"""Lines of a label: a text that is longer than ten of the widest lines is no label, and ends in an ellipsis."""
MOST_TALL = 40
"""Most labels that get rows of full height."""
TALLEST = 4_000
"""Pixels: of long labels that would together be taller each keeps one line."""


@dataclass(frozen=True)
class Layout:
    """Pixels and directions of one chart."""

    horizontal: bool
    width: float
    height: float
    step: float
    wrapped: dict[str, list[str]]
    """The lines of every label; empty when all fit on one."""

    @property
    def font_size(self) -> float:
        """Labels shrink with their rows, down to what can still be read."""
        return FONT_SIZE if not self.horizontal else max(9, min(FONT_SIZE, self.step - 3))

    @property
    def bar(self) -> float:
        """Thickness of a bar."""
        return min(72.0, self.step * 0.74)

    @property
    def dot(self) -> float:
        """Area of the symbol of an estimate."""
        return min(46.0, max(1.0, self.step * 0.4) ** 2)

    @property
    def cap(self) -> float:
        """Length of the ends of a whisker; longer than the dot, so that a short whisker is seen behind it."""
        return min(13.0, self.step * 0.55)

    def places(self, count: int) -> list[float]:
        """How far from the middle of a label its `count` symbols stand, from first to last."""
        if count == 1:
            return [0.0]
        spread = 0.85 if count > 2 else 0.46 if self.horizontal else 0.54
        reach = min(8.0 * count, spread * self.bar / 2)
        return [reach * (2 * i / (count - 1) - 1) for i in range(count)]

    @property
    def label_expression(self) -> str | None:
        """A Vega expression that gives a label's lines; the data keep the label as it was given."""
        return f"{json.dumps(self.wrapped)}[datum.value]" if self.wrapped else None

    @property
    def label_offset(self) -> Any:
        """Several lines are moved up by half their height: Vega puts the first one, not the middle, at the row."""
        if not self.wrapped:
            return 0
        counts = {label: len(lines) for label, lines in self.wrapped.items()}
        condition = [
            {"test": f"{json.dumps(counts)}[datum.value] === {count}", "value": -(count - 1) * (self.font_size + 2) / 2}
            for count in sorted(set(counts.values()) - {1})
        ]
        return {"condition": condition, "value": 0}


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Pixels of a line of text in Helvetica or Arial, near enough to tell whether labels fit.

    >>> text_width("mmm") > text_width("iii")
    True
    """
    return size * sum(_em(letter) for letter in text)


def _em(letter: str) -> float:
    if letter in " ,.:;'!|()[]ijlt-":
        return 0.3
    if letter in "mwMW@%":
        return 0.85
    if unicodedata.combining(letter):
        return 0.0
    # Scripts beyond Latin and Greek may be as wide as they are high.
    return 0.56 if letter.islower() or letter.isdigit() else 0.7 if ord(letter) < 0x530 else 1.0


def wrap(text: str, pixels: float, size: float = FONT_SIZE) -> list[str]:
    """The lines of a text, none wider than `pixels`: broken between words or after a hyphen, and inside a word that is wider than a line.

    >>> wrap("prefers not to say anything about it", 100)
    ['prefers not to', 'say anything', 'about it']
    >>> wrap("Konstantynopolitańczykowianeczka", 100)
    ['Konstantynopolit', 'ańczykowianecz', 'ka']
    """
    lines = [""]
    for part in _PARTS.findall(text):
        if text_width((lines[-1] + part).rstrip(), size) <= pixels:
            lines[-1] += part
            continue
        if lines[-1].strip():
            lines.append("")
        for letter in part.lstrip():
            # A mark belongs to the letter before it.
            if lines[-1] and not unicodedata.combining(letter) and text_width(lines[-1] + letter, size) > pixels:
                lines.append("")
            lines[-1] += letter
    return [line.strip() for line in lines if line.strip()] or [text]


_PARTS = re.compile(r"\s+|\S+?(?<=[^\W\d][-/])(?=[^\W\d])|\S+")


def label_lines(labels: Sequence[str]) -> dict[str, list[str]]:
    """The lines of every label: narrow ones while they are few, else wide ones."""
    narrow = {label: wrap(label, NARROW) for label in labels}
    if max(map(len, narrow.values())) <= FEW_LINES:
        return narrow
    wide = {label: wrap(label, LABEL_LIMIT - 10) for label in labels}
    return {
        label: lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1] + "…"]
        for label, lines in wide.items()
    }


def lay_out(labels: Sequence[str]) -> Layout:
    """Columns while every label fits under its own, rows otherwise.

    >>> lay_out(["no", "yes"]).horizontal, lay_out([f"[{i}000, {i + 1}000)" for i in range(12)]).horizontal
    (False, True)
    """
    count = len(labels)
    room = max(max(text_width(label) for label in labels) + 8, 32)
    if count * room <= WIDEST:
        width = max(WIDTH, count * room)
        return Layout(False, width, HEIGHT, width / count, {})
    wrapped = label_lines(labels)
    lines = max(map(len, wrapped.values()))
    if lines == 1:
        wrapped = {}
    step = max(30.0 if count <= 6 else 24.0 if count <= 16 else 18.0, lines * (FONT_SIZE + 2) + 6)
    if count > MOST_TALL and (lines == 1 or count * step > TALLEST):
        # However many there are, the picture can still be opened; labels that would overlap are left out.
        step, wrapped = min(16.0, 2400 / count), {}
    return Layout(True, WIDTH, count * step, step, wrapped)


def label_room(labels: Sequence[str], look: Layout) -> float:
    """Pixels that labels take beside rows; none below columns."""
    if not look.horizontal:
        return 0.0
    lines = [line for several in look.wrapped.values() for line in several] or labels
    return min(LABEL_LIMIT, max(map(text_width, lines)))


def room_of(labels: Sequence[str]) -> float:
    """Pixels that labels take beside the plot of their distribution.

    >>> room_of(["no", "yes"])
    0.0
    """
    return label_room(labels, lay_out(labels))


def gauge(lowest: float, highest: float, from_zero: bool = True) -> tuple[list[float], list[float]]:
    """The ends of the axis of numbers and its ticks: with zero unless told otherwise, never with a tick at the very end.

    A tick at the end would let its label stick out of the chart, and the titles of neighbours would not line up.

    >>> gauge(0.03, 0.52)
    ([0.0, 0.541], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    >>> gauge(-0.012, 0.16)
    ([-0.0189, 0.167], [0.0, 0.05, 0.1, 0.15])
    >>> gauge(1, 5, from_zero=False)
    ([0.84, 5.16], [1.0, 2.0, 3.0, 4.0, 5.0])
    """
    low, high = (min(0.0, lowest), max(0.0, highest)) if from_zero else (lowest, highest)
    span = (high - low) or 1.0
    low = low - 0.04 * span if low < 0 or not from_zero else 0.0
    high = high + 0.04 * span if high > 0 or not from_zero else 0.0
    power = 10.0 ** math.floor(math.log10(span / 3))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if span / (power * factor) <= 5.5)
    ticks = [float(f"{i * step:.12g}") for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    if ticks[-1] > high - 0.03 * span:
        high = ticks[-1] + 0.03 * span
    # Far from zero, three digits would not tell the ends apart.
    digits = ".3g" if from_zero else ".12g"
    return [float(f"{low:{digits}}"), float(f"{high:{digits}}")], ticks
