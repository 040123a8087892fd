"""What the trees of a forest say about rows: of true cells, and of reports. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deniable.kernels.compiling import compiled


class ForestNodes(NamedTuple):
    """The nodes of all trees, one after another; children come after their parents.

    Parameters
    ----------
    roots : the first node of each tree.
    attribute : the attribute that each node tests; -1: it is a leaf.
    left, right : its children.
    passes : the cells that pass to the left, [node, cell].
    chances : P(class), [node, class].
    """

    roots: Any
    attribute: Any
    left: Any
    right: Any
    passes: Any
    chances: Any


@compiled()
def mean_chances(codes: Any, nodes: ForestNodes) -> Any:
    """P(class) of rows of true cells, the mean over trees."""
    out = np.zeros((codes.shape[0], nodes.chances.shape[1]))
    for i in range(codes.shape[0]):
        for root in nodes.roots:
            node = root
            while nodes.attribute[node] >= 0:
                node = nodes.left[node] if nodes.passes[node, codes[i, nodes.attribute[node]]] else nodes.right[node]
            for c in range(out.shape[1]):
                out[i, c] += nodes.chances[node, c]
        for c in range(out.shape[1]):
            out[i, c] /= nodes.roots.size
    return out


@compiled()
def expected_chances(codes: Any, beliefs: Any, nodes: ForestNodes, starts: Any, tables: Any, reports: Any, depth: int) -> Any:
    """P(class) of rows of reports: the mean over trees of what is said of the truths that may be behind them.

    `beliefs` are chances of the classes, [row, class]. On the way to a node a class counts by the chance that its truth goes there, given
    what was reported: `tables` from `starts`, class by class, report by report; where `starts` is -1 reports are the truth.
    """
    classes = beliefs.shape[1]
    out = np.zeros((codes.shape[0], classes))
    waiting, weights = np.empty(2 * depth + 2, np.int64), np.empty((2 * depth + 2, classes))
    own = np.empty(classes)
    for i in range(codes.shape[0]):
        for root in nodes.roots:
            waiting[0], to_do = root, 1
            for c in range(classes):
                weights[0, c] = beliefs[i, c]
            while to_do > 0:
                to_do -= 1
                node, total = waiting[to_do], 0.0
                for c in range(classes):
                    own[c] = weights[to_do, c]
                    total += own[c]
                a = nodes.attribute[node]
                if a < 0:
                    for c in range(classes):
                        out[i, c] += total * nodes.chances[node, c]
                    continue
                z = codes[i, a]
                for side in range(2):
                    child = nodes.left[node] if side == 0 else nodes.right[node]
                    if starts[child] < 0 and nodes.passes[node, z] != (side == 0):
                        continue
                    total = 0.0
                    for c in range(classes):
                        part = 1.0 if starts[child] < 0 else tables[starts[child] + c * reports[a] + z]
                        weights[to_do, c] = own[c] * part
                        total += weights[to_do, c]
                    if total > 0:
                        waiting[to_do] = child
                        to_do += 1
        for c in range(classes):
            out[i, c] /= nodes.roots.size
    return out
