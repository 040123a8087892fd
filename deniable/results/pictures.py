"""Blocks of figures as pictures."""

from __future__ import annotations

from deniable.charts.dots import Dot, dots
from deniable.results.figures import MEAN, POINTS, SHARE, Block
from deniable.results.words import Said


def picture(block: Block, said: Said, title: str | None = None) -> str:
    """A block as SVG: dots on lines, what was reported as a faint mark, and what is said where nothing is drawn."""
    rows = []
    for figure in block.figures:
        said_of_it = _said(figure.value, figure.sentence, block.kind, said)
        rows.append(Dot(figure.label, figure.value, figure.low, figure.high, said_of_it, figure.reported, figure.group))
    if not rows:
        rows = [Dot("", None, None, None, block.sentences[0] if block.sentences else said.cannot_be_told)]
    return dots(
        rows,
        block.title if title is None else title,
        lambda number: _written(number, block.kind, said),
        _reach(block),
        said.reported,
    )


def _said(value: float | None, sentence: str, kind: str, said: Said) -> str:
    return sentence if value is None else f"{exactly(value, kind, said)}, {sentence}"


def exactly(value: float, kind: str, said: Said) -> str:
    """An estimate as it is written beside its interval."""
    if kind == SHARE:
        return said.words.percent(value)
    if kind == POINTS:
        return f"{said.words.number(100 * value, '+.1f')} {said.words.points}"
    return said.number(value)


def _written(number: float, kind: str, said: Said) -> str:
    if kind == SHARE:
        return said.words.number(100 * number, ".3g") + "%"
    return said.words.number(100 * number, ".3g") if kind == POINTS else said.number(number)


def _reach(block: Block) -> tuple[float, float]:
    """The ends of the axis: 0 is on it where numbers are shares or differences; of means all that is drawn, with some room."""
    numbers = [
        number
        for figure in block.figures
        for number in (figure.value, figure.low, figure.high, figure.reported)
        if number is not None
    ]
    if not numbers:
        return 0.0, 1.0
    low, high = min(numbers), max(numbers)
    if block.kind == SHARE:
        return 0.0, min(1.0, max(0.05, 1.05 * high))
    room = 0.05 * (high - low or abs(high) or 1.0)
    return (low - room, high + room) if block.kind == MEAN else (min(low - room, 0.0), max(high + room, 0.0))
