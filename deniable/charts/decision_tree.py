"""A decision tree as a picture: tests and leaves in boxes, the class by colour."""

from __future__ import annotations

from typing import Any

import altair as alt

from deniable.charts.layout import FONT_SIZE, text_width, wrap
from deniable.charts.series import wrapped_legend
from deniable.plurals import counted

NARROWEST, WIDEST = 130, 260
"""A leaf is as wide, in pixels, as the longest text needs, within these."""

BOX = 0.92
"""The part of a leaf's width that its box takes."""
BETWEEN = 50
"""Pixels between the boxes of two levels."""
LINE, SMALL_LINE, MARGIN = 14, 11, 9


def decision_tree_chart(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], title: str = "") -> Any:
    """Nodes (x, y, text, class, rows, share, leaf) and edges (x, y, x2, y2, answer) drawn from the root downward.

    >>> node = {"x": 0.0, "y": 0.0, "text": "yes", "class": "yes", "rows": 4.0, "share": 1.0, "leaf": True}
    >>> decision_tree_chart([node], []).to_dict()["layer"][0]["mark"]["type"]
    'rule'
    """
    leaves = 1 + max(node["x"] for node in nodes)
    depth = 1 + max(node["y"] for node in nodes)
    classes = sorted({node["class"] for node in nodes})
    wide = min(WIDEST, max(NARROWEST, 20 + 1.1 * max(text_width(str(node["text"])) for node in nodes)))
    room = BOX * wide - 2 * MARGIN
    # Bold letters are a little wider.
    texts = [wrap(str(node["text"]), room / 1.08) for node in nodes]
    belows = [wrap(f"{counted(round(node['rows']), 'row')}, {node['share']:.0%} {node['class']}", room, 9) for node in nodes]
    high = max(LINE * len(text) + SMALL_LINE * len(below) for text, below in zip(texts, belows, strict=True)) + 2 * MARGIN
    level = high + BETWEEN
    half, half_box = BOX / 2, high / 2 / level
    shown = [
        {
            **node,
            "left": node["x"] - half,
            "right": node["x"] + half,
            "top": node["y"] - half_box,
            "bottom": node["y"] + half_box,
            "lines": text,
            "below": below,
            "upper": node["y"] - (LINE * len(text) + SMALL_LINE * len(below)) / 2 / level,
            "lower": node["y"] + (LINE * len(text) - SMALL_LINE * len(below)) / 2 / level,
            "estimated": " ".join(below),
        }
        for node, text, below in zip(nodes, texts, belows, strict=True)
    ]
    answers = [
        {"x": (edge["x"] + edge["x2"]) / 2, "y": (edge["y"] + edge["y2"]) / 2, "answer": edge["answer"]} for edge in edges
    ]
    drawn = [{**edge, "y": edge["y"] + half_box, "y2": edge["y2"] - half_box} for edge in edges]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.6, leaves - 0.4], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[depth - 0.6, -0.4], nice=False))
    colour = alt.Color(
        "class:N",
        title="likeliest class",
        scale=alt.Scale(domain=classes, scheme="tableau10"),
        legend=alt.Legend(orient="bottom", columns=1, labelLimit=0, **wrapped_legend(classes, leaves * wide - 40)),
    )
    lines = alt.Chart(_inline(drawn)).mark_rule(color="#999").encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    boxes = (
        alt.Chart(_inline(shown))
        .mark_rect(cornerRadius=6, stroke="#666", strokeWidth=0.7)
        .encode(
            x=alt.X("left:Q", axis=None, scale=alt.Scale(domain=[-0.6, leaves - 0.4], nice=False)),
            x2="right:Q",
            y=alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[depth - 0.6, -0.4], nice=False)),
            y2="bottom:Q",
            color=colour,
            opacity=alt.condition("datum.leaf", alt.value(0.55), alt.value(0.12)),
            tooltip=[alt.Tooltip("text:N", title="test or class"), alt.Tooltip("estimated:N")],
        )
    )
    down = alt.Scale(domain=[depth - 0.6, -0.4], nice=False)
    words = alt.Chart(_inline(shown))
    texts_layer = words.mark_text(baseline="top", fontWeight="bold", fontSize=FONT_SIZE, lineHeight=LINE).encode(
        x=x, y=alt.Y("upper:Q", axis=None, scale=down), text="lines:N"
    )
    below_layer = words.mark_text(baseline="top", fontSize=9, lineHeight=SMALL_LINE, color="#444").encode(
        x=x, y=alt.Y("lower:Q", axis=None, scale=down), text="below:N"
    )
    said = alt.Chart(_inline(answers)).mark_text(fontSize=10, color="#555", dx=-12).encode(x=x, y=y, text="answer:N")
    return (
        alt.layer(lines, boxes, texts_layer, below_layer, said)
        .properties(width=max(260, leaves * wide), height=depth * level, title=title)
        .configure_view(strokeWidth=0)
    )


def _inline(values: list[dict[str, Any]]) -> Any:
    return alt.InlineData(values=values)
