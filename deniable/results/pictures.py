"""Blocks of figures as pictures."""

from __future__ import annotations

from deniable.charts.dots import WIDE, Dot, Layout, dots
from deniable.results.figures import MEAN, NUMBER, POINTS, SHARE, Block, Figure
from deniable.results.rounding import supported
from deniable.results.words import Said


def picture(
    block: Block, said: Said, title: str | None = None, ends: tuple[float, float] | None = None, layout: Layout = WIDE
) -> str:
    """A block as SVG: dots on lines, what was reported as a faint mark, and what is said where nothing is drawn.

    Parameters
    ----------
    block, said
        What is drawn, and the sentences of a language.
    title
        What stands above, if that is not the title of the block.
    ends
        Those of the axis, where it is that of other pictures, too.
    layout
        That of wide or of narrow pages.

    Returns
    -------
    str
    """
    rows = []
    for figure in block.figures:
        exact = "" if figure.value is None else f"{exactly(figure, figure.value, block.kind, said)}, "
        said_of_it = f"{exact}{figure.sentence}"
        rows.append(Dot(figure.label, figure.value, figure.low, figure.high, said_of_it, figure.reported, figure.group))
    if not rows:
        rows = [Dot("", None, None, None, block.sentences[0] if block.sentences else said.cannot_be_told)]
    return dots(
        rows,
        block.title if title is None else title,
        lambda number: written(number, block.kind, said),
        ends or reach(block),
        said.reported,
        layout,
    )


def exactly(figure: Figure, number: float, kind: str, said: Said) -> str:
    """A figure's estimate, or what was reported instead of it, as pictures and pages write it: means as exactly as their interval supports.

    >>> from deniable.results.words import said_in
    >>> mean = Figure("Age", None, ("age",), 43.2178, 41.9, 44.6, None, None, "")
    >>> exactly(mean, 0.125, SHARE, said_in("pl")), exactly(mean, 0.05, POINTS, said_in("en")), exactly(mean, 43.2178, MEAN, said_in("pl"))
    ('12,5%', '+5.0 points', '43,2')
    """
    if kind == SHARE:
        return said.words.percent(number)
    if kind == POINTS:
        # Adding 0 takes the sign from -0.
        return f"{said.words.number(round(100 * number, 1) + 0.0, '+.1f')} {said.words.points}"
    low, high = (number if end is None else end for end in (figure.low, figure.high))
    return supported(number, low, high, said, signed=kind == NUMBER)


def written(number: float, kind: str, said: Said) -> str:
    """A number on an axis.

    >>> from deniable.results.words import said_in
    >>> written(0.125, SHARE, said_in("pl"))
    '12,5%'
    """
    if kind == SHARE:
        return said.words.number(100 * number, ".3g") + "%"
    return said.words.number(100 * number, ".3g") if kind == POINTS else said.words.number(number, ",.10g")


def reach(block: Block) -> tuple[float, float]:
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
