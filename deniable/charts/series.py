"""How each series of numbers looks: a colour, a shape and a place in the legend.

Colours are those of Okabe and Ito, which the colour-blind can tell apart; no two series share a shape either, so that a
picture survives a black-and-white printer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from deniable.charts.layout import text_width, wrap
from deniable.errors import ParameterError
from deniable.picture_words import ENGLISH, Words

ESTIMATE = "estimate"
LEGEND = "legend"
"""How the names of the layers that carry a legend begin; `panels` finds them by it."""
LEGEND_WIDTH = 420
INK = "#333333"
FAINT = "#666666"
FONT = "Helvetica, Arial, sans-serif"

# A dot on a rule with caps: what the whiskers look like, in the [-1, 1] box of a Vega symbol.
_DOT_WITH_WHISKERS = "M-.08,-1H-.5V-1.16H.5V-1H.08V-.51A.52,.52,0,0,1,.08,.51V1H.5V1.16H-.5V1H-.08V.51A.52,.52,0,0,1,-.08,-.51Z"


@dataclass(frozen=True)
class Style:
    """Fill, outline and symbol of one series; `bar` series are drawn as bars from zero, others as symbols."""

    fill: str
    stroke: str
    shape: str
    bar: bool = False


ESTIMATE_STYLE = Style(fill="#0072B2", stroke="#0072B2", shape="circle")
ESTIMATE_BAR = Style(fill="#CFE3F1", stroke="#CFE3F1", shape="square", bar=True)
_KNOWN = {
    "truth": Style(fill="#D4D4D4", stroke="#9A9A9A", shape="square", bar=True),
    "reported": Style(fill="#FFFFFF", stroke="#D55E00", shape="diamond"),
}
_OTHERS = (
    Style(fill="#FFFFFF", stroke="#009E73", shape="triangle-up"),
    Style(fill="#CC79A7", stroke="#CC79A7", shape="cross"),
    Style(fill="#FFFFFF", stroke="#000000", shape="triangle-down"),
    Style(fill="#E69F00", stroke="#E69F00", shape="triangle-right"),
)


def styles(names: Sequence[str]) -> dict[str, Style]:
    """The style of each series that is compared; "truth" and "reported" always look the same."""
    unknown = [name for name in names if name not in _KNOWN]
    if len(unknown) > len(_OTHERS):
        raise ParameterError(
            "too_many_series",
            "compare may hold truth, reported and at most {most} more series, got {got}.",
            most=len(_OTHERS),
            got=list(names),
        )
    chosen = {**_KNOWN, **dict(zip(unknown, _OTHERS, strict=False))}
    return {name: chosen[name] for name in names}


def wrapped_legend(names: Sequence[str], pixels: float) -> dict[str, Any]:
    """Settings of a legend whose names take several lines; none where each fits on one."""
    lines = {name: wrap(name, pixels) for name in names}
    if max(map(len, lines.values()), default=1) == 1:
        return {}
    return {"labelExpr": f"{json.dumps(lines)}[datum.label]"}


def legend_layer(
    shown: Sequence[tuple[str, Style]], whiskers: str | None, words: Words = ENGLISH, as_band: bool = False
) -> alt.Chart:
    """A layer without rows that draws nothing but the legend, so that marks of any kind can share one.

    `whiskers` says what the whiskers of the estimate are; None when there are none. With `as_band` they are a band, not whiskers.
    """
    names = [words.estimate if name == ESTIMATE else name for name, _ in shown]
    shapes = [style.shape for _, style in shown]
    fills = [style.fill for _, style in shown]
    strokes = [style.stroke for _, style in shown]
    if whiskers is not None:
        at = [name for name, _ in shown].index(ESTIMATE)
        names[at] = words.with_whiskers.format(whiskers=whiskers)
        if not as_band:
            shapes[at], strokes[at] = _DOT_WITH_WHISKERS, "transparent"
    rooms = [text_width(name) + 46 for name in names]
    look = alt.Legend(
        columns=len(names) if sum(rooms) <= LEGEND_WIDTH else 3 if max(rooms) <= LEGEND_WIDTH / 2 else 1,
        orient="top",
        direction="horizontal",
        title=None,
        symbolSize=150,
        symbolStrokeWidth=1.5,
        symbolOpacity=1,
        labelFont=FONT,
        labelFontSize=12,
        labelColor=INK,
        labelLimit=0,
        columnPadding=16,
        offset=8,
        **wrapped_legend(names, LEGEND_WIDTH),
    )

    def scaled(channel: Any, given: Sequence[str]) -> Any:
        return channel("series:N", scale=alt.Scale(domain=names, range=list(given)), legend=look)

    points: alt.Chart = alt.Chart(alt.InlineData(values=[]), name=LEGEND).mark_point()
    layer: alt.Chart = points.encode(scaled(alt.Shape, shapes), scaled(alt.Fill, fills), scaled(alt.Stroke, strokes))
    return layer
