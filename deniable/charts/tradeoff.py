"""What privacy costs: curves of accuracy, each point a level of privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from deniable.charts.distribution import heading
from deniable.charts.layout import text_width, wrap
from deniable.charts.series import FAINT, FONT, INK, wrapped_legend
from deniable.errors import ParameterError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
WIDTH, HEIGHT = 560, 340
LABEL_HEIGHT = 13


def tradeoff_chart(
    series: Mapping[str, Sequence[tuple[float, float, str]]],
    *,
    x: str,
    y: str,
    lines: Mapping[str, float] | None = None,
    title: str = "",
    note: str = "",
) -> alt.LayerChart:
    """Curves of points, in shares of 1.

    Parameters
    ----------
    series
        The points of each curve: (x, y, label).
    x, y
        What the axes are called.
    lines
        Heights to compare with, drawn dashed and named at the left.
    title, note
        What stands above the chart, the note in smaller letters.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> chart = tradeoff_chart({"tree": [(0.8, 0.9, "0.1")]}, x="posterior", y="accuracy")
    >>> chart.description
    'tree: 0.8 gives 0.9.'
    """
    _check(series)
    rows: list[dict[str, Any]] = [
        {"series": name, "x": point[0], "y": point[1], "label": point[2], "at": at}
        for name, points in series.items()
        for at, point in enumerate(points)
    ]
    heights = [row["y"] for row in rows] + list((lines or {}).values())
    low, high = min(heights), max(heights)
    room = max(0.02, (high - low) * 0.12)
    _tell_together(rows, (min(row["x"] for row in rows), max(row["x"] for row in rows)), high - low + 2 * room)
    scale = alt.Scale(domain=[max(0.0, low - room), min(1.0, high + room)], nice=False)
    chart: Any = alt.layer(*_lines(lines or {}, scale), *_curves(rows, list(series), (x, y), scale))
    chart = chart.properties(width=WIDTH, height=HEIGHT)
    chart.view = alt.ViewBackground(stroke=None)
    if title or note:
        chart.title = heading(title, note, WIDTH)
    told = "; ".join(
        f"{name}: " + ", ".join(f"{point[0]:.3g} gives {point[1]:.3g}" for point in points) for name, points in series.items()
    )
    chart.description = f"{title}. {told}." if title else f"{told}."
    drawn: alt.LayerChart = chart
    return drawn


def _check(series: Mapping[str, Sequence[Any]]) -> None:
    if not series or not any(len(points) for points in series.values()):
        raise ParameterError("no_series", "tradeoff_chart: there are no points to draw.")
    if len(series) > len(COLOURS):
        raise ParameterError(
            "too_many_series", "tradeoff_chart: at most {most} curves, got {got}.", most=len(COLOURS), got=len(series)
        )


def _lines(lines: Mapping[str, float], scale: Any) -> list[Any]:
    """Dashed lines with their names."""
    if not lines:
        return []
    flat: list[dict[str, Any]] = [{"y": height, "name": wrap(name, WIDTH - 20, 11)} for name, height in lines.items()]
    ruled = alt.Chart(alt.InlineData(values=flat))
    layers: list[Any] = [ruled.mark_rule(color=FAINT, strokeDash=[5, 4]).encode(y=alt.Y("y:Q", scale=scale))]
    # The highest line is named above it, the others below: two that lie near each other would have their names on one another.
    top = max(lines.values())
    sides: list[tuple[list[dict[str, Any]], Any, int]] = [
        ([line for line in flat if line["y"] == top], "bottom", -4),
        ([line for line in flat if line["y"] < top], "top", 4),
    ]
    for chosen, baseline, dy in sides:
        named = alt.Chart(alt.InlineData(values=chosen)).mark_text(
            align="left", baseline=baseline, dx=4, dy=dy, color=FAINT, font=FONT, fontSize=11
        )
        layers.append(named.encode(y=alt.Y("y:Q", scale=scale), x=alt.value(0), text="name:N"))
    return layers


def _curves(rows: list[dict[str, Any]], names: list[str], titles: tuple[str, str], scale: Any) -> list[Any]:
    """Lines, points and their labels."""
    axis: dict[str, Any] = {
        "labelFont": FONT,
        "titleFont": FONT,
        "titleColor": INK,
        "labelColor": INK,
        "titleFontWeight": "normal",
    }
    across = alt.Axis(format="%", grid=False, tickCount=6, **axis)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("x:Q", title=titles[0], scale=alt.Scale(zero=False, padding=16), axis=across),
        y=alt.Y("y:Q", title=titles[1], scale=scale, axis=alt.Axis(format="%", gridColor="#E5E8EB", **axis)),
    )
    look = alt.Legend(
        title=None,
        orient="top",
        labelFont=FONT,
        labelFontSize=12,
        labelLimit=0,
        symbolOpacity=1,
        columns=3 if max(map(text_width, names)) < WIDTH / 3 - 30 else 1,
        **wrapped_legend(names, WIDTH - 60),
    )
    colour = alt.Color("series:N", scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])), legend=look)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=look)
    return [
        base.mark_line(strokeWidth=2).encode(color=colour, order="at:Q"),
        base.mark_point(size=70, filled=True, opacity=1).encode(color=colour, shape=shape),
        # The labels of a curve's points; those of other curves would only repeat them.
        base.mark_text(dy=-11, font=FONT, fontSize=11, color=INK).encode(text="told:N"),
    ]


def _tell_together(rows: list[dict[str, Any]], ends: tuple[float, float], height: float) -> None:
    """Labels of points (`told`): one that would lie on the label before it joins it."""
    spread = max(ends[1] - ends[0], 1e-9)
    shown: list[dict[str, Any]] = []
    for row in rows:
        row["told"] = row["label"]
        if not row["label"]:
            continue
        for near in shown:
            joined = f"{near['told']}, {row['label']}"
            apart = abs(row["x"] - near["x"]) / spread * WIDTH, abs(row["y"] - near["y"]) / height * HEIGHT
            if apart[0] < (text_width(near["told"]) + text_width(row["label"])) / 2 + 4 and apart[1] < LABEL_HEIGHT:
                near["told"], row["told"] = joined, ""
                break
        else:
            shown.append(row)
