"""How well something will be known: curves of margins, against what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from deniable.charts.distribution import heading
from deniable.charts.layout import text_width
from deniable.charts.series import FAINT, FONT, INK, wrapped_legend
from deniable.charts.tradeoff import COLOURS, SHAPES
from deniable.errors import ParameterError

WIDTH, HEIGHT = 560, 320
MOST_CURVES = len(COLOURS)
NICE, NICE_BETWEEN = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)
"""Where ticks are; on an axis of less than DECADES there is room for more."""
DECADES = 1.5
Points = Sequence[tuple[float, float]]


def margin_chart(
    curves: Mapping[str, Points], *, x: str, y: str, marks: Mapping[str, tuple[float, float]], line: tuple[str, float] | None = None,
    title: str = "", note: str = "", number: str = ",",
) -> alt.LayerChart:  # fmt: skip
    """Curves of points (x, margin), x on a logarithmic axis; margins in percentage points, from 0.

    Parameters
    ----------
    curves
        The points of each curve, by name.
    x, y
        What the axes are called.
    marks
        A point on each curve that is marked: what is chosen now.
    line
        A word and a place on the x axis: what is planned, drawn dashed.
    title, note
        What stands above the chart, the note in smaller letters.
    number
        How numbers on the x axis are written, in d3's words.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> chart = margin_chart({"smokes": [(100, 15.0), (1000, 4.7)]}, x="answers", y="margin", marks={"smokes": (1000, 4.7)})
    >>> chart.description
    'smokes: 100 gives 15, 1,000 gives 4.7.'
    """
    if not any(len(points) for points in curves.values()):
        raise ParameterError("no_series", "margin_chart: there are no points to draw.")
    if len(curves) > MOST_CURVES:
        raise ParameterError(
            "too_many_series", "margin_chart: at most {most} curves, got {got}.", most=MOST_CURVES, got=len(curves)
        )
    rows: list[dict[str, Any]] = [
        {"series": name, "x": float(a), "y": float(b)} for name, points in curves.items() for a, b in points
    ]
    chosen: list[dict[str, Any]] = [{"series": name, "x": float(a), "y": float(b)} for name, (a, b) in marks.items()]
    every = [row["x"] for row in [*rows, *chosen]] + ([] if line is None else [line[1]])
    axis = _axis(x, every, number)
    chart: Any = alt.layer(*_line(line, axis), *_curves(rows, chosen, list(curves), axis, y))
    chart = chart.properties(width=WIDTH, height=HEIGHT)
    chart.view = alt.ViewBackground(stroke=None)
    if title or note:
        chart.title = heading(title, note, WIDTH)
    told = "; ".join(
        f"{name}: " + ", ".join(f"{a:,.6g} gives {b:.3g}" for a, b in points) for name, points in curves.items() if points
    )
    chart.description = f"{title}. {told}." if title else f"{told}."
    drawn: alt.LayerChart = chart
    return drawn


def _look() -> dict[str, Any]:
    return {"labelFont": FONT, "titleFont": FONT, "titleColor": INK, "labelColor": INK, "titleFontWeight": "normal"}


def _axis(title: str, values: Sequence[float], number: str) -> Any:
    low, high = min(values), max(values)
    digits = NICE if math.log10(high / low) > DECADES else NICE_BETWEEN
    ticks = [digit * 10.0**power for power in range(-1, 9) for digit in digits]
    inside = [tick for tick in ticks if 0.999 * low <= tick <= 1.001 * high]
    axis = alt.Axis(grid=False, values=inside, format=number, labelOverlap=True, **_look())
    return alt.X("x:Q", title=title, scale=alt.Scale(type="log", domain=[low, high], nice=False), axis=axis)


def _line(line: tuple[str, float] | None, axis: Any) -> list[Any]:
    if line is None:
        return []
    at = alt.Chart(alt.InlineData(values=[{"x": line[1], "word": line[0]}]))
    word = at.mark_text(align="left", baseline="top", dx=4, dy=2, color=FAINT, font=FONT, fontSize=11)
    return [at.mark_rule(color=FAINT, strokeDash=[5, 4]).encode(x=axis), word.encode(x=axis, y=alt.value(0), text="word:N")]


def _curves(rows: list[dict[str, Any]], chosen: list[dict[str, Any]], names: list[str], across: Any, title: str) -> list[Any]:
    axis = alt.Axis(gridColor="#E5E8EB", tickCount=6, **_look())
    up = alt.Y("y:Q", title=title, scale=alt.Scale(domainMin=0, nice=True), axis=axis)
    legend = alt.Legend(
        title=None, orient="top", labelFont=FONT, labelFontSize=12, labelColor=INK, labelLimit=0, symbolOpacity=1,
        columns=3 if max(map(text_width, names)) < WIDTH / 3 - 30 else 1, **wrapped_legend(names, WIDTH - 60),
    )  # fmt: skip
    colour = alt.Color("series:N", scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])), legend=legend)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=legend)
    tooltip = [alt.Tooltip("series:N"), alt.Tooltip("x:Q", format=",.4~r"), alt.Tooltip("y:Q", format=".2f")]
    drawn = alt.Chart(alt.InlineData(values=rows)).encode(x=across, y=up, tooltip=tooltip)
    marked = alt.Chart(alt.InlineData(values=chosen)).encode(x=across, y=up, tooltip=tooltip)
    return [
        drawn.mark_line(strokeWidth=2, interpolate="monotone").encode(color=colour),
        marked.mark_point(size=80, filled=True, opacity=1).encode(color=colour, shape=shape),
    ]
