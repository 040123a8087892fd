"""The patterns that decided about a row, as bars: how much each adds to the score of its class."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt

from deniable.charts.layout import FONT_SIZE
from deniable.charts.series import wrapped_legend

WIDTH, STEP, LABELS, GAP = 180, 22, 320, 10
"""Pixels: of the longest bar, from one bar to the next, for the names of patterns, and between bars and what is written beside them."""
LETTERS = 110
"""Of a line of the title."""


def pattern_chart(bars: list[dict[str, Any]], title: str = "", below: list[str] | None = None, axis: str = "") -> Any:
    """Bars (pattern, class, adds, growth) from the strongest down; `growth` is written behind each, `below` under the title.

    Without bars there is the title and what is below it.

    >>> bar = {"pattern": "humidity=high", "class": "N", "adds": 0.4, "growth": "2.4 times as frequent"}
    >>> pattern_chart([bar]).to_dict()["layer"][0]["mark"]["type"]
    'bar'
    """
    lines = [line for sentence in below or [] for line in textwrap.wrap(sentence, LETTERS)]
    heading = alt.TitleParams(textwrap.wrap(title, LETTERS) or "", subtitle=lines, anchor="start")
    if not bars:
        nothing = alt.Chart(alt.InlineData(values=[{"words": ""}])).mark_text().encode(text="words:N")
        return (
            alt.layer(nothing)
            .properties(width=WIDTH + LABELS, height=1, title=heading, background="white")
            .configure_view(strokeWidth=0)
        )
    names = [str(bar["pattern"]) for bar in bars]
    # Of three classes a pattern may emerge in two: a bar each.
    names = [name if names.count(name) == 1 else f"{name} ({bar['class']})" for name, bar in zip(names, bars, strict=True)]
    shown = [{**bar, "class": str(bar["class"]), "pattern": name} for name, bar in zip(names, bars, strict=True)]
    base = alt.Chart(alt.InlineData(values=shown)).encode(
        y=alt.Y(
            "pattern:N", sort=names, title=None, axis=alt.Axis(labelLimit=LABELS, labelFontSize=FONT_SIZE - 1, ticks=False)
        ),
    )
    # The numbers are written in a column of their own, where neither bars nor lines cross them.
    axis_of_bars = alt.Axis(grid=False, tickCount=4, titleFontWeight="normal")
    adds = alt.X("adds:Q", title=axis or "adds to the score of its class", axis=axis_of_bars)
    words = base.mark_text(align="left", fontSize=FONT_SIZE - 1, color="#333").encode(x=alt.value(WIDTH + GAP), text="growth:N")
    # A white ground: black words can be read on a dark page, too.
    return (
        alt.layer(base.mark_bar().encode(x=adds, color=_colours(shown), tooltip=_tooltip()), words)
        .properties(width=WIDTH, height=STEP * len(bars), title=heading, background="white")
        .configure_view(strokeWidth=0)
    )


def _colours(shown: list[dict[str, Any]]) -> Any:
    """A colour for each class, named below the bars."""
    classes = list(dict.fromkeys(bar["class"] for bar in shown))
    legend = alt.Legend(orient="bottom", columns=1, labelLimit=0, **wrapped_legend(classes, WIDTH))
    return alt.Color("class:N", title="class", scale=alt.Scale(domain=classes, scheme="tableau10"), legend=legend)


def _tooltip() -> list[Any]:
    return [alt.Tooltip(f"{name}:N") for name in ("pattern", "class", "growth")]
