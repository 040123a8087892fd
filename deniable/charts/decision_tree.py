"""A decision tree as a picture: tests and leaves in boxes, the class by colour."""

from __future__ import annotations

from typing import Any

import altair as alt

from deniable.plurals import counted

NARROWEST, WIDEST = 130, 260
"""A leaf is as wide, in pixels, as the longest text needs, within these."""

HEIGHT_OF_LEVEL = 90
HALF_BOX = 0.22


def decision_tree_chart(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], title: str = "") -> Any:
    """Nodes (x, y, text, class, rows, share, leaf) and edges (x, y, x2, y2, answer) drawn from the root downward.

    >>> node = {"x": 0.0, "y": 0.0, "text": "yes", "class": "yes", "rows": 4.0, "share": 1.0, "leaf": True}
    >>> decision_tree_chart([node], []).to_dict()["layer"][0]["mark"]["type"]
    'rule'
    """
    leaves = 1 + max(node["x"] for node in nodes)
    depth = 1 + max(node["y"] for node in nodes)
    classes = sorted({node["class"] for node in nodes})
    wide = min(WIDEST, max(NARROWEST, 20 + 7 * max(len(str(node["text"])) for node in nodes)))
    half = 0.46
    shown = [
        {
            **node,
            "left": node["x"] - half,
            "right": node["x"] + half,
            "top": node["y"] - HALF_BOX,
            "bottom": node["y"] + HALF_BOX,
            "below": f"{counted(round(node['rows']), 'row')}, {node['share']:.0%} {node['class']}",
        }
        for node in nodes
    ]
    answers = [
        {"x": (edge["x"] + edge["x2"]) / 2, "y": (edge["y"] + edge["y2"]) / 2, "answer": edge["answer"]} for edge in edges
    ]
    drawn = [{**edge, "y": edge["y"] + HALF_BOX, "y2": edge["y2"] - HALF_BOX} for edge in edges]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.6, leaves - 0.4], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[depth - 0.6, -0.4], nice=False))
    colour = alt.Color(
        "class:N",
        title="likeliest class",
        scale=alt.Scale(domain=classes, scheme="tableau10"),
        legend=alt.Legend(orient="bottom"),
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
            tooltip=[alt.Tooltip("text:N", title="test or class"), alt.Tooltip("below:N", title="estimated")],
        )
    )
    limit = wide - 14
    texts = alt.Chart(_inline(shown)).mark_text(dy=-7, fontWeight="bold", limit=limit).encode(x=x, y=y, text="text:N")
    below = alt.Chart(_inline(shown)).mark_text(dy=8, fontSize=9, color="#444", limit=limit).encode(x=x, y=y, text="below:N")
    said = alt.Chart(_inline(answers)).mark_text(fontSize=10, color="#555", dx=-12).encode(x=x, y=y, text="answer:N")
    return (
        alt.layer(lines, boxes, texts, below, said)
        .properties(width=max(260, leaves * wide), height=max(120, depth * HEIGHT_OF_LEVEL), title=title)
        .configure_view(strokeWidth=0)
    )


def _inline(values: list[dict[str, Any]]) -> Any:
    return alt.InlineData(values=values)
