"""The patterns that decided about a row, as bars: how much each adds to the score of its class."""

from __future__ import annotations

from typing import Any

import altair as alt

from deniable.charts.layout import FONT_SIZE
from deniable.charts.series import wrapped_legend

WIDTH, STEP, LABELS = 360, 24, 320
"""Pixels: of the longest bar, from one bar to the next, and for the names of patterns."""


def pattern_chart(bars: list[dict[str, Any]], title: str = "", below: list[str] | None = None) -> Any:
    """Bars (pattern, class, adds, growth) from the strongest down; `growth` is written behind each, `below` under the title.

    >>> bar = {"pattern": "humidity=high", "class": "N", "adds": 0.4, "growth": "2.4 times as frequent"}
    >>> pattern_chart([bar]).to_dict()["layer"][0]["mark"]["type"]
    'bar'
    """
    classes = list(dict.fromkeys(str(bar["class"]) for bar in bars))
    names = [str(bar["pattern"]) for bar in bars]
    # Of three classes a pattern may emerge in two: a bar each.
    names = [name if names.count(name) == 1 else f"{name} ({bar['class']})" for name, bar in zip(names, bars, strict=True)]
    shown = [{**bar, "class": str(bar["class"]), "pattern": name} for name, bar in zip(names, bars, strict=True)]
    longest = max((bar["adds"] for bar in bars), default=1.0)
    base = alt.Chart(alt.InlineData(values=shown)).encode(
        y=alt.Y("pattern:N", sort=names, title=None, axis=alt.Axis(labelLimit=LABELS)),
        x=alt.X("adds:Q", title="adds to the score of its class", scale=alt.Scale(domain=[0, longest * 1.6], nice=False)),
    )
    colour = alt.Color(
        "class:N",
        title="class",
        scale=alt.Scale(domain=classes, scheme="tableau10"),
        legend=alt.Legend(orient="bottom", columns=1, labelLimit=0, **wrapped_legend(classes, WIDTH)),
    )
    drawn = base.mark_bar().encode(
        color=colour,
        tooltip=[alt.Tooltip(f"{name}:N") for name in ("pattern", "class", "growth")],
    )
    words = base.mark_text(align="left", dx=4, fontSize=FONT_SIZE - 1, color="#444").encode(text="growth:N")
    heading = alt.TitleParams(title, subtitle=below or [], anchor="start")
    return (
        alt.layer(drawn, words)
        .properties(width=WIDTH, height=max(STEP * len(bars), STEP), title=heading)
        .configure_view(strokeWidth=0)
    )
