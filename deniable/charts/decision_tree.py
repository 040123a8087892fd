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
    wide = min(WIDEST, max(NARROWEST, 20 + 1.1 * max(text_width(str(node["text"])) for node in nodes)))
    boxes, high = _boxes(nodes, wide)
    level = high + BETWEEN
    across = alt.Scale(domain=[-0.6, leaves - 0.4], nice=False)
    down = alt.Scale(domain=[depth - 0.6, -0.4], nice=False)

    def x(field: str) -> Any:
        return alt.X(f"{field}:Q", axis=None, scale=across)

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=None, scale=down)

    classes = sorted({node["class"] for node in nodes})
    shown = alt.Chart(_inline(boxes))
    drawn, answers = (alt.Chart(data) for data in _edges(edges, high / 2 / level))
    layers = [
        drawn.mark_rule(color="#999").encode(x=x("x"), y=y("y"), x2="x2:Q", y2="y2:Q"),
        shown.mark_rect(cornerRadius=6, stroke="#666", strokeWidth=0.7).encode(
            x=x("left"),
            x2="right:Q",
            y=y("top"),
            y2="bottom:Q",
            color=_colour(classes, leaves * wide - 40),
            opacity=alt.condition("datum.leaf", alt.value(0.55), alt.value(0.12)),
            tooltip=[alt.Tooltip("text:N", title="test or class"), alt.Tooltip("estimated:N")],
        ),
        shown.mark_text(baseline="top", fontWeight="bold", fontSize=FONT_SIZE, lineHeight=LINE).encode(
            x=x("x"), y=y("upper"), text="lines:N"
        ),
        shown.mark_text(baseline="top", fontSize=9, lineHeight=SMALL_LINE, color="#444").encode(
            x=x("x"), y=y("lower"), text="below:N"
        ),
        answers.mark_text(fontSize=10, color="#555", dx=-12).encode(x=x("x"), y=y("y"), text="answer:N"),
    ]
    return (
        alt.layer(*layers)
        .properties(width=max(260, leaves * wide), height=depth * level, title=title)
        .configure_view(strokeWidth=0)
    )


def _boxes(nodes: list[dict[str, Any]], wide: float) -> tuple[list[dict[str, Any]], float]:
    """The nodes with the sides and the lines of their boxes, `wide` pixels being those of a leaf; and how high a box is, in pixels."""
    room = BOX * wide - 2 * MARGIN
    # Bold letters are a little wider.
    texts = [wrap(str(node["text"]), room / 1.08) for node in nodes]
    belows = [wrap(f"{counted(round(node['rows']), 'row')}, {node['share']:.0%} {node['class']}", room, 9) for node in nodes]
    high = max(LINE * len(text) + SMALL_LINE * len(below) for text, below in zip(texts, belows, strict=True)) + 2 * MARGIN
    level = high + BETWEEN
    half, half_box = BOX / 2, high / 2 / level
    boxes = [
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
    return boxes, high


def _edges(edges: list[dict[str, Any]], half_box: float) -> tuple[Any, Any]:
    """The lines from the lower side of one box to the upper side of the next, and the answers in the middle of each."""
    lines = [{**edge, "y": edge["y"] + half_box, "y2": edge["y2"] - half_box} for edge in edges]
    answers = [
        {"x": (edge["x"] + edge["x2"]) / 2, "y": (edge["y"] + edge["y2"]) / 2, "answer": edge["answer"]} for edge in edges
    ]
    return _inline(lines), _inline(answers)


def _colour(classes: list[Any], pixels: float) -> Any:
    """A colour for each class, and a legend of so many pixels."""
    return alt.Color(
        "class:N",
        title="likeliest class",
        scale=alt.Scale(domain=classes, scheme="tableau10"),
        legend=alt.Legend(orient="bottom", columns=1, labelLimit=0, **wrapped_legend(classes, pixels)),
    )


def _inline(values: list[dict[str, Any]]) -> Any:
    return alt.InlineData(values=values)
