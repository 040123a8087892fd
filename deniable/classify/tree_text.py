"""A tree for people: its tests in words, as indented text, and where its nodes go in a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

LABELS_SHOWN = 6


def test_in_words(model: Any, node: int) -> str:
    """The test of a node, such as "age < 35" or "colour in {green, red}"."""
    tree = model.tree_
    feature = model.features_[tree.attribute[node]]
    passing = np.flatnonzero(tree.passes[node, : feature.cells])
    if feature.ordered and not feature.n_unordered and feature.edges is not None and len(passing) and passing[0] == 0:
        return f"{feature.name} < {feature.edges[passing[-1]]:.6g}"
    if feature.ordered and not feature.n_unordered and len(passing) and passing[0] == 0:
        return f"{feature.name} <= {feature.labels[passing[-1]]}"
    if feature.ordered and feature.n_unordered and feature.edges is not None:
        answered = [x for x in passing if x < feature.cells - 1]
        silent = f" or {feature.labels[-1]}" if feature.cells - 1 in passing else ""
        if answered and answered[-1] < len(feature.edges):
            return f"{feature.name} < {feature.edges[answered[-1]]:.6g}{silent}"
    shown = [feature.labels[x] for x in passing[:LABELS_SHOWN]]
    more = f", and {len(passing) - LABELS_SHOWN} more" if len(passing) > LABELS_SHOWN else ""
    return f"{feature.name} in {{{', '.join(shown)}{more}}}"


def leaf_in_words(model: Any, node: int) -> str:
    """The class of a leaf, and how many of the rows in it (as estimated) have that class."""
    values = model.tree_.values[node]
    best = int(values.argmax())
    return f"{model.classes_[best]} ({values[best]:.0f} of {values.sum():.0f})"


def export_text(model: Any, max_depth: int) -> str:
    """The tree as indented text."""
    lines: list[str] = []

    def write(node: int, depth: int, lead: str) -> None:
        tree = model.tree_
        if tree.attribute[node] < 0 or depth >= max_depth:
            cut = "" if tree.attribute[node] < 0 else " ..."
            lines.append(f"{lead}{leaf_in_words(model, node)}{cut}")
            return
        lines.append(f"{lead}{test_in_words(model, node)}")
        inside = "  " * (depth + 1)
        write(int(tree.left[node]), depth + 1, f"{inside}yes: ")
        write(int(tree.right[node]), depth + 1, f"{inside}no:  ")

    write(0, 0, "")
    return "\n".join(lines)


def layout(model: Any, max_depth: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Nodes and edges with places: leaves side by side, a parent above the middle of its children."""
    tree = model.tree_
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    beside = 0.0

    def place(node: int, depth: int) -> float:
        nonlocal beside
        leaf = tree.attribute[node] < 0 or depth >= max_depth
        values = tree.values[node]
        best = int(values.argmax())
        if leaf:
            x, beside = beside, beside + 1.0
        else:
            ends = [place(int(child), depth + 1) for child in (tree.left[node], tree.right[node])]
            x = sum(ends) / 2
            for end, answer in zip(ends, ("yes", "no"), strict=True):
                edges.append({"x": x, "y": float(depth), "x2": end, "y2": float(depth + 1), "answer": answer})
        cut = " …" if leaf and tree.attribute[node] >= 0 else ""
        nodes.append(
            {
                "x": x,
                "y": float(depth),
                "text": (str(model.classes_[best]) + cut) if leaf else test_in_words(model, node),
                "class": str(model.classes_[best]),
                "rows": float(values.sum()),
                "share": float(values[best] / values.sum()) if values.sum() else 0.0,
                "leaf": bool(leaf),
            }
        )
        return x

    place(0, 0)
    return nodes, edges
