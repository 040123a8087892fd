"""Estimates as dots on lines, written as static SVG without Vega: quick enough for pages that show many, and nothing in it runs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from deniable.picture_words import answer_to

RIGHT, TOP, BOTTOM = 18, 34, 26


@dataclass(frozen=True)
class Layout:
    """Where things are: how wide a picture is, where its axis begins, how high lines and headings are, and how many letters fit."""

    width: int
    axis: int
    row: int
    label: int
    heading: int
    title: int
    above: bool = False
    """Whether labels stand above their lines instead of beside them."""


WIDE = Layout(width=640, axis=240, row=26, label=36, heading=80, title=88)
NARROW = Layout(width=320, axis=14, row=44, label=46, heading=40, title=38, above=True)
"""For telephones: a wide picture would be scaled down until nobody could read it."""
HEADING = 26
LINE, MARK, GRID = "#2b72c4", "#8a8a8a", "#9a9a9a"
"""Colours that can be told from white and from black grounds; letters have the colour of the page."""
# What XML cannot hold at all, and marks that turn the order of letters round.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Dot:
    """One line of the picture: a label with a value between two ends, or with what is said instead."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    said: str
    reported: float | None = None
    group: str | None = None


def dots(
    rows: Sequence[Dot],
    title: str,
    written: Callable[[float], str],
    reach: tuple[float, float],
    reported: str,
    layout: Layout = WIDE,
) -> str:
    """Dots on lines as SVG, each with a `<title>` that says what it is.

    Parameters
    ----------
    rows
        What is drawn, from top to bottom; a group is named above its first line.
    title
        What stands above.
    written
        How a number of the axis is written.
    reach
        The ends of the axis.
    reported
        What the mark of what was reported is called.
    layout
        That of wide or of narrow pages.

    Returns
    -------
    str
        An `<svg>` that loads nothing, runs nothing and has no styles of its own.

    Examples
    --------
    >>> picture = dots([Dot("yes <b>", 0.2, 0.18, 0.22, "between 18 and 22 in 100")], "Smokes", "{:.0%}".format, (0, 1), "reported")
    >>> "<b>" in picture, "yes &lt;b&gt;" in picture
    (False, True)
    """
    low, high = reach if reach[1] > reach[0] else (reach[0] - 0.5, reach[0] + 0.5)

    def x(number: float) -> float:
        return round(layout.axis + (min(max(number, low), high) - low) / (high - low) * (layout.width - layout.axis - RIGHT), 2)

    drawn, y, group = [], float(TOP), None
    for row in rows:
        if row.group is not None and row.group != group:
            drawn.append(_text(8, y + 17, row.group, "start", 13, layout.heading, "600"))
            y += HEADING
        group = row.group
        drawn.append(_line(row, y, x, reported, layout))
        y += layout.row
    axis = _axis({x(tick): written(tick) for tick in ticks_between(low, high)}, y, layout)
    width, height = layout.width, y + BOTTOM
    told = "; ".join(f"{row.group + ': ' if row.group else ''}{answer_to(row.label, row.said)}" for row in rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" '
        f'font-family="system-ui, sans-serif" color="#1a1a1a" aria-label={quoteattr(clean(f"{title}. {told}"))}>'
        f"<title>{escape(clean(title))}</title>{_text(8, 18, title, 'start', 14, layout.title, '600')}{axis}{''.join(drawn)}</svg>"
    )


def _axis(ticks: Mapping[float, str], y: float, layout: Layout) -> str:
    return "".join(
        f'<line x1="{x}" y1="{TOP - 4}" x2="{x}" y2="{y}" stroke="{GRID}" stroke-width="0.5" opacity="0.6"/>'
        + _text(x, y + 16, written, "middle", 11, layout.label)
        for x, written in ticks.items()
    )


def _line(row: Dot, top: float, x: Callable[[float], float], reported: str, layout: Layout) -> str:
    y = top + (layout.row - 12 if layout.above else layout.row / 2)
    beside = (layout.axis - 10, y + 4, row.label, "end")
    label = _text(*((8, top + 16, row.label, "start") if layout.above else beside), 12, layout.label)
    hover = f"<title>{escape(clean(answer_to(row.label, row.said)))}</title>"
    if row.value is None or row.low is None or row.high is None:
        instead = _text(8 if layout.above else layout.axis, y + 4, row.said, "start", 12, layout.label + 10, italic=True)
        return f"<g>{hover}{label}{instead}</g>"
    mark = ""
    if row.reported is not None:
        at = x(row.reported)
        points = f"{at},{y - 5} {at + 5},{y} {at},{y + 5} {at - 5},{y}"
        mark = f'<polygon points="{points}" fill="none" stroke="{MARK}" opacity="0.7"><title>{escape(clean(reported))}</title></polygon>'
    whisker = f'<line x1="{x(row.low)}" y1="{y}" x2="{x(row.high)}" y2="{y}" stroke="{LINE}" stroke-width="3" stroke-linecap="round"/>'
    return f'<g>{hover}{label}{mark}{whisker}<circle cx="{x(row.value)}" cy="{y}" r="5" fill="{LINE}"/></g>'


def _text(
    x: float, y: float, words: str, anchor: str, size: int, longest: int, weight: str = "400", italic: bool = False
) -> str:
    shown = clean(words)
    shown = shown if len(shown) <= longest else shown[: longest - 1].rstrip() + "…"
    style = ' font-style="italic"' if italic else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}"{style} fill="currentColor">'
        f"{escape(shown)}</text>"
    )


def ticks_between(low: float, high: float) -> list[float]:
    """About five round numbers between two.

    >>> ticks_between(0, 0.42)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(times for times in (1, 2, 2.5, 5, 10) if (high - low) / (step * times) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [round((first + i) * step, 12) for i in range(int((high - first * step) / step + 1e-9) + 1)]


def clean(text: str) -> str:
    """A text that XML can hold, on one line.

    >>> clean("a\\x00b\\nc")
    'ab c'
    """
    return " ".join(_UNPRINTABLE.sub("", text).split())


def headline(words: str) -> str:
    """A line of text as a picture of its own, to be stacked upon others.

    >>> "<text" in headline("Made up")
    True
    """
    text = _text(8, 18, words, "start", 14, WIDE.title, "600")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDE.width} 28" width="{WIDE.width}" height="28" '
        f'font-family="system-ui, sans-serif" color="#8a1c1c" aria-label={quoteattr(clean(words))}>'
        f"<title>{escape(clean(words))}</title>{text}</svg>"
    )


def stacked(pictures: Sequence[str]) -> str:
    """Several such pictures as one, one below the other.

    >>> stacked(["<svg height=\\"10\\" width=\\"640\\"></svg>"] * 2).count("<svg")
    3
    """
    if len(pictures) == 1:
        return pictures[0]
    heights = [float(re.search(r'height="([\d.]+)"', picture).group(1)) for picture in pictures]  # type: ignore[union-attr]
    inside, y = [], 0.0
    for picture, height in zip(pictures, heights, strict=True):
        inside.append(picture.replace("<svg ", f'<svg y="{y:g}" ', 1))
        y += height
    width = WIDE.width
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y:g}" width="{width}" height="{y:g}">{"".join(inside)}</svg>'


def as_png(svg: str) -> bytes:
    """A picture as PNG on a white ground, at twice the size."""
    import vl_convert

    ground = svg.replace(">", '><rect width="100%" height="100%" fill="white"/>', 1)
    return bytes(vl_convert.svg_to_png(ground, scale=2))
