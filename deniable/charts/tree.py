"""A tree of groups: its questions, how many people each group has, and how deniable it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from deniable.charts.distribution import heading
from deniable.charts.layout import text_width, wrap
from deniable.charts.series import FAINT, FONT, INK
from deniable.errors import ParameterError
from deniable.plurals import counted

ROW = 34
STEP = 36
LINE = 14
WIDEST = 1_100
"""Pixels of the picture; what is longer is wrapped."""
DOT = (70, 700)


def tree_chart(nodes: Sequence[Mapping[str, Any]], *, title: str = "", note: str = "") -> alt.LayerChart:
    """A tree drawn from the left to the right, one line per node, as a file manager shows folders.

    Each node is a mapping: node, parent (None for the root), depth, question, rows, deniability, answers, folded (how many groups below
    it are left out). Dots are as large as the group and as dark as it is deniable.

    >>> chart = tree_chart([
    ...     {"node": 0, "parent": None, "depth": 0, "question": "everyone", "rows": 10, "deniability": 1.0,
    ...      "answers": "no 50%", "folded": False},
    ... ])
    >>> chart.description
    'Tree of groups. everyone: 10 rows, deniability 1.000, no 50%.'
    """
    if not nodes:
        raise ParameterError("no_nodes", "tree_chart: nodes is empty; there is nothing to draw.")
    points, height = _lines_of(_in_order(nodes))
    widest = max(row["x"] + 26 + max(map(text_width, [*row["first_line"], *row["second_line"]])) for row in points)
    width = min(float(WIDEST), max(420.0, widest))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-14, width - 14], nice=False))
    downward = alt.Scale(domain=[height - ROW / 2, -ROW / 2], nice=False)

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=None, scale=downward)

    branches = alt.Chart(alt.InlineData(values=_branches(points))).mark_rule(color="#B8BEC5", strokeWidth=1.2)
    base = alt.Chart(alt.InlineData(values=points))
    words: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 18, "font": FONT, "lineHeight": LINE}
    upper = base.mark_text(dy=-6, fontSize=12, fontWeight=600, color=INK, **words)
    lower = base.mark_text(dy=8, fontSize=11, color=FAINT, **words)
    layers = [
        branches.encode(x=x, y=y("y"), y2="y2:Q"),
        branches.encode(x=x, x2="x2:Q", y=y("y2")),
        _dots(base, x, y("y")),
        upper.encode(x=x, y=y("first_y"), text="first_line:N"),
        lower.encode(x=x, y=y("y"), text="second_line:N"),
    ]
    chart: Any = alt.layer(*layers).properties(width=width, height=height)
    chart.view = alt.ViewBackground(stroke=None)
    if title or note:
        chart.title = heading(title, note, width)
    chart.description = f"{title or 'Tree of groups'}. {_in_words(points[:12])}."
    drawn: alt.LayerChart = chart
    return drawn


def _lines_of(order: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], float]:
    """The nodes, one below the other, with the lines of their texts; and how high they are together, in pixels."""
    points: list[dict[str, Any]] = []
    height = 0.0
    for row in order:
        left = row["depth"] * STEP
        first = wrap(row["question"] + _left_out(row["folded"]), WIDEST - left - 60)
        second = wrap(
            f"{counted(row['rows'], 'row')}, deniability {row['deniability']:.3f}: {row['answers']}", WIDEST - left - 40
        )
        # The dot stands at the end of the first text, whatever the number of lines.
        at = height + (len(first) - 1) * LINE
        points.append({**row, "x": left, "y": at, "first_y": height, "first_line": first, "second_line": second})
        height = at + ROW + (len(second) - 1) * LINE
    return points, height


def _branches(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """From each parent down, and to the right to its child."""
    by_node = {row["node"]: row for row in points}
    return [
        {"x": by_node[row["parent"]]["x"], "y": by_node[row["parent"]]["y"], "x2": row["x"], "y2": row["y"]}
        for row in points
        if row["parent"] is not None
    ]


def _dots(base: Any, x: Any, y: Any) -> Any:
    """As large as the group and as dark as it is deniable."""
    legend = alt.Legend(title="deniability", orient="top", format=".1f", labelFont=FONT, titleFont=FONT, gradientLength=160)
    colours = alt.Scale(domain=[0, 1], range=["#D55E00", "#E8C27A", "#0072B2"])
    return base.mark_circle(opacity=1, stroke="#FFFFFF", strokeWidth=1).encode(
        x=x,
        y=y,
        size=alt.Size("rows:Q", scale=alt.Scale(type="sqrt", range=list(DOT)), legend=None),
        color=alt.Color("deniability:Q", scale=colours, legend=legend),
        tooltip=["question:N", "rows:Q", "deniability:Q", "answers:N"],
    )


def _in_words(points: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{' '.join(row['first_line'])}: {counted(row['rows'], 'row')}, deniability {row['deniability']:.3f}, {row['answers']}"
        for row in points
    )


def _left_out(folded: int) -> str:
    return f" ({counted(int(folded), 'group')} below, not drawn)" if folded else ""


def _in_order(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Every node right after the subtree of the sibling before it."""
    below: dict[Any, list[Mapping[str, Any]]] = {}
    for row in nodes:
        below.setdefault(row["parent"], []).append(row)
    out: list[Mapping[str, Any]] = []
    waiting = below.get(None, [])[::-1]
    while waiting:
        row = waiting.pop()
        out.append(row)
        waiting += below.get(row["node"], [])[::-1]
    return out
