"""The trees of a forest as data: grown, in arrays, as JSON and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.kernels.forest_chances import ForestNodes, mean_chances


def shrunk_chances(nodes: Any, sums: Any, shrinkage: float, class_inflation: float) -> Any:
    """P(class) in each node, from unbiased sums by class and the sum of squared weights.

    A node counts by its effective size, (sum of weights)^2 / sum of squares, beside `shrinkage` rows like its parent; the root beside rows
    of all classes alike.

    >>> nodes = np.array([[0, 1, 2], [-1, -1, -1], [-1, -1, -1]])
    >>> shrunk_chances(nodes, np.array([[50.0, 50.0, 100.0], [50.0, 0.0, 50.0], [0.0, 50.0, 50.0]]), 50.0, 1.0).tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    by_class, squares = sums[:, :-1], sums[:, -1]
    total = np.maximum(by_class.sum(axis=1), 0.0)
    effective = np.divide(total**2, squares * class_inflation, out=np.zeros_like(total), where=squares > 0)
    counts = np.maximum(by_class, 0.0)
    held = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, held, out=np.full_like(counts, 1 / counts.shape[1]), where=held > 0)
    trust = effective / (effective + shrinkage) if shrinkage > 0 else (effective > 0).astype(np.float64)
    chances = np.full_like(shares, 1 / shares.shape[1])
    chances[0] = trust[0] * shares[0] + (1 - trust[0]) * chances[0]
    for node in np.flatnonzero(nodes[:, 0] >= 0):
        for child in (nodes[node, 1], nodes[node, 2]):
            chances[child] = trust[child] * shares[child] + (1 - trust[child]) * chances[node]
    return chances


@dataclass
class Trees:
    """All trees of a forest; the nodes of a tree follow each other, the root first."""

    nodes: ForestNodes

    @classmethod
    def of(cls, grown: list[tuple[Any, Any, Any]]) -> Trees:
        """From trees as (nodes, cells that pass, chances)."""
        sizes = np.array([len(nodes) for nodes, _, _ in grown])
        roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        moved = [nodes[:, 1:3] + root * (nodes[:, :1] >= 0) for (nodes, _, _), root in zip(grown, roots, strict=True)]
        left, right = (np.ascontiguousarray(np.concatenate(moved)[:, side], dtype=np.int32) for side in range(2))
        attribute = np.concatenate([nodes[:, 0] for nodes, _, _ in grown]).astype(np.int32)
        passes, chances = (np.ascontiguousarray(np.concatenate([tree[i] for tree in grown])) for i in (1, 2))
        return cls(ForestNodes(roots, attribute, left, right, passes, chances))

    def chances(self, codes: Any) -> Any:
        """P(class) of rows of true cells."""
        return mean_chances(np.ascontiguousarray(codes, dtype=np.int32), self.nodes)

    def to_dict(self) -> dict[str, Any]:
        """As lists, for JSON; the cells that pass as bits of a number in hexadecimal digits, the first cell being the lowest bit."""
        nodes = self.nodes
        bits = np.packbits(nodes.passes, axis=1, bitorder="little")
        return {
            "roots": nodes.roots.tolist(),
            "attribute": nodes.attribute.tolist(),
            "left": nodes.left.tolist(),
            "right": nodes.right.tolist(),
            "cells": int(nodes.passes.shape[1]),
            "passes": [row.tobytes().hex() if inner else "" for row, inner in zip(bits, nodes.attribute >= 0, strict=True)],
            "chances": nodes.chances.tolist(),
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any], cells: list[int], classes: int) -> Trees:
        """What `to_dict` gave; what compiled code could not follow is refused."""
        roots = np.array(content["roots"], dtype=np.int64)
        attribute, left, right = (np.array(content[name], dtype=np.int32) for name in ("attribute", "left", "right"))
        most, count = content["cells"], len(attribute)
        chances = np.array(content["chances"], dtype=np.float64)
        if type(most) is not int or not 1 <= most <= max(cells) or len(content["passes"]) != count:
            raise ValueError(f"its trees must have up to {max(cells)} cells and one test for each node")
        width = -(-most // 8)
        written = [bytes.fromhex(digits) if digits else bytes(width) for digits in content["passes"]]
        if any(len(row) != width for row in written):
            raise ValueError("a test of its trees has other cells than its attribute")
        bits = np.frombuffer(b"".join(written), dtype=np.uint8).reshape(count, width)
        passes = np.unpackbits(bits, axis=1, count=most, bitorder="little").astype(bool)
        trees = cls(ForestNodes(roots, attribute, left, right, passes, chances))
        trees.refuse_broken(cells, classes)
        return trees

    def refuse_broken(self, cells: list[int], classes: int) -> None:
        """Refuse nodes that lead nowhere or in circles, as a damaged file may have them: compiled code follows them without looking.

        `cells` says how many cells each attribute has.
        """
        nodes, count = self.nodes, len(self.nodes.attribute)
        if nodes.left.shape != (count,) or nodes.right.shape != (count,) or nodes.chances.shape != (count, classes):
            raise ValueError("its trees need two children and one chance for each class in every node")
        if (
            not count
            or not len(nodes.roots)
            or nodes.roots.ndim != 1
            or (nodes.roots < 0).any()
            or (nodes.roots >= count).any()
        ):
            raise ValueError("its trees have no nodes, or begin outside them")
        inner = np.flatnonzero(nodes.attribute >= 0)
        if (nodes.attribute < -1).any() or (nodes.attribute >= len(cells)).any():
            raise ValueError("its trees test attributes that are not there")
        if (np.array(cells)[nodes.attribute[inner]] > nodes.passes.shape[1]).any():
            raise ValueError("its trees test attributes of which they do not have all cells")
        for side in (nodes.left[inner], nodes.right[inner]):
            if ((side <= inner) | (side >= count)).any():
                raise ValueError("a node of its trees leads to no later node")
        if not (np.isfinite(nodes.chances) & (nodes.chances >= 0)).all():
            raise ValueError("chances in its trees must be numbers of at least 0")

    def depth(self) -> int:
        """How many tests the longest path has."""
        level = np.zeros(len(self.nodes.attribute), dtype=np.int64)
        for node in np.flatnonzero(self.nodes.attribute >= 0):
            level[self.nodes.left[node]] = level[self.nodes.right[node]] = level[node] + 1
        return int(level.max())
