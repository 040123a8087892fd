"""Shares of very many numbers as a curve: one step per value, and a band from the lower to the upper end of each value's interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt

from deniable.charts.layout import HEIGHT, Layout
from deniable.charts.series import ESTIMATE, ESTIMATE_BAR, ESTIMATE_STYLE, FAINT, FONT, Style, legend_layer
from deniable.picture_words import ENGLISH, Words

MANY_NUMBERS = 30
"""More numbers than this are a curve: nobody reads so many rows."""
WIDTH = 480


def curve_layout(width: float | None = None) -> Layout:
    """Pixels of a curve.

    >>> curve_layout().width
    480
    """
    return Layout(False, width or WIDTH, HEIGHT, 1.0, {})


def curve_layers(
    positions: Sequence[float],
    ends: tuple[list[float], list[float]],
    compared: Mapping[str, Style],
    band: str | None,
    as_percent: bool,
    words: Words = ENGLISH,
    unit: str | None = None,
) -> list[Any]:
    """A band and a line for the estimate, a line for each series compared, and the legend; `band` is what the band is called, if any.

    Steps, not slopes: between two values there is none.

    >>> len(curve_layers(range(40), ([0, 1], [0, 1]), {}, "95% interval", True))
    3
    """
    numbers = ".2%" if as_percent else ",.6~r"
    title = words.share if as_percent else unit
    look: dict[str, Any] = {
        "titleFont": FONT, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": FAINT, "labelFont": FONT, "labelFontSize": 11,
        "labelColor": FAINT, "labelPadding": 6, "ticks": False, "domain": False,
    }  # fmt: skip
    x = alt.X(
        "position:Q",
        scale=alt.Scale(domain=[min(positions), max(positions)], nice=False),
        axis=alt.Axis(
            title=None,
            grid=False,
            tickCount=6,
            labelFlush=True,
            labelOverlap="greedy",
            labelSeparation=12,
            format=",.12~r",
            **look,
        ),
    )
    scale = alt.Scale(domain=ends[0], nice=False)
    measure = alt.Axis(
        title=title, values=ends[1], gridColor="#E8E8E8", labelFlush=False, format=".2~%" if as_percent else ",.12~r", **look
    )
    tooltip = [alt.Tooltip("label:N"), alt.Tooltip("series:N"), alt.Tooltip("value:Q", title=title, format=numbers)]
    tooltip += [alt.Tooltip(f"{end}:Q", format=numbers) for end in ("low", "high")]

    def along(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=measure, scale=scale)

    def series(name: str) -> alt.Chart:
        return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="series", equal=name))

    layers: list[Any] = []
    if band is not None:
        shaded = series(ESTIMATE).transform_filter("isValid(datum.low)")
        layers.append(
            shaded.mark_area(color=ESTIMATE_BAR.fill, interpolate="step", opacity=0.75).encode(
                x, along("low"), alt.Y2("high"), tooltip=tooltip
            )
        )
    for name, style in compared.items():
        line = series(name).mark_line(color=style.stroke, interpolate="step", strokeWidth=1.2)
        layers.append(line.encode(x, along("value"), tooltip=tooltip[:3]))
    layers.append(
        series(ESTIMATE)
        .mark_line(color=ESTIMATE_STYLE.stroke, interpolate="step", strokeWidth=1.6)
        .encode(x, along("value"), tooltip=tooltip if band is not None else tooltip[:3])
    )
    if compared or band is not None:
        own = replace(ESTIMATE_STYLE, shape="stroke") if band is None else replace(ESTIMATE_BAR, stroke=ESTIMATE_STYLE.stroke)
        shown = [(name, replace(style, shape="stroke")) for name, style in compared.items()]
        layers.append(legend_layer([*shown, (ESTIMATE, own)], band, words, as_band=True))
    return layers
