"""Shares of very many numbers as a curve: one step per value, and a band from the lower to the upper end of each value's interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    """A band and a line for the estimate, a line for each series compared, and the legend.

    Steps, not slopes: between two values there is none.

    Parameters
    ----------
    positions
        The numbers along the curve.
    ends
        The ends of the axis of shares, and its ticks.
    compared
        The style of each series that is compared.
    band
        What the band is called, None if there is none.
    as_percent, unit
        Whether the numbers are shares, and what they are counted in if not.
    words
        Those of a language.

    Returns
    -------
    list
        The layers, the legend last.

    Examples
    --------
    >>> len(curve_layers(range(40), ([0, 1], [0, 1]), {}, "95% interval", True))
    3
    """
    axes = _Axes.of(positions, ends, as_percent, words.share if as_percent else unit)
    layers: list[Any] = []
    if band is not None:
        shaded = _series(ESTIMATE).transform_filter("isValid(datum.low)")
        area = shaded.mark_area(color=ESTIMATE_BAR.fill, interpolate="step", opacity=0.75)
        layers.append(area.encode(axes.x, axes.along("low"), alt.Y2("high"), tooltip=axes.tooltip))
    for name, style in compared.items():
        line = _series(name).mark_line(color=style.stroke, interpolate="step", strokeWidth=1.2)
        layers.append(line.encode(axes.x, axes.along("value"), tooltip=axes.tooltip[:3]))
    line = _series(ESTIMATE).mark_line(color=ESTIMATE_STYLE.stroke, interpolate="step", strokeWidth=1.6)
    layers.append(line.encode(axes.x, axes.along("value"), tooltip=axes.tooltip if band is not None else axes.tooltip[:3]))
    if compared or band is not None:
        in_legend = (
            replace(ESTIMATE_STYLE, shape="stroke") if band is None else replace(ESTIMATE_BAR, stroke=ESTIMATE_STYLE.stroke)
        )
        shown = [(name, replace(style, shape="stroke")) for name, style in compared.items()]
        layers.append(legend_layer([*shown, (ESTIMATE, in_legend)], band, words, as_band=True))
    return layers


def _series(name: str) -> alt.Chart:
    return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="series", equal=name))


@dataclass(frozen=True)
class _Axes:
    """The axis of the positions, that of the shares, and what is told of a point."""

    x: Any
    measure: Any
    scale: Any
    tooltip: list[Any]

    @classmethod
    def of(
        cls, positions: Sequence[float], ends: tuple[list[float], list[float]], as_percent: bool, title: str | None
    ) -> _Axes:
        numbers = ".2%" if as_percent else ",.6~r"
        look: dict[str, Any] = {
            "titleFont": FONT, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": FAINT, "labelFont": FONT,
            "labelFontSize": 11, "labelColor": FAINT, "labelPadding": 6, "ticks": False, "domain": False,
        }  # fmt: skip
        of_positions = alt.Axis(
            title=None, grid=False, tickCount=6, labelFlush=True, labelOverlap="greedy", labelSeparation=12, format=",.12~r", **look
        )  # fmt: skip
        measure = alt.Axis(
            title=title, values=ends[1], gridColor="#E8E8E8", labelFlush=False, format=".2~%" if as_percent else ",.12~r", **look
        )  # fmt: skip
        tooltip = [alt.Tooltip("label:N"), alt.Tooltip("series:N"), alt.Tooltip("value:Q", title=title, format=numbers)]
        tooltip += [alt.Tooltip(f"{end}:Q", format=numbers) for end in ("low", "high")]
        across = alt.Scale(domain=[min(positions), max(positions)], nice=False)
        x = alt.X("position:Q", scale=across, axis=of_positions)
        return cls(x, measure, alt.Scale(domain=ends[0], nice=False), tooltip)

    def along(self, field: str) -> Any:
        """The axis of shares, for one field."""
        return alt.Y(f"{field}:Q", axis=self.measure, scale=self.scale)
