"""A fitted decision tree as data: its nodes in arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.kernels.trees import leaves_of

_TYPES = {
    "attribute": "int32",
    "left": "int32",
    "right": "int32",
    "passes": "bool",
    "values": "float64",
    "depth": "int32",
    "tables": "float64",
}


@dataclass
class TreeNodes:
    """The nodes of a fitted tree in arrays; node 0 is the root, and children come after their parents.

    Parameters
    ----------
    attribute : the attribute that each node tests; -1: it is a leaf.
    left, right : its children.
    passes : the cells that pass to the left, [node, cell].
    values : estimated counts of the classes, [node, class].
    depth : how many tests lead to it.
    tables : estimated counts of the attribute that is tested, [node, cell, class].
    """

    attribute: Any
    left: Any
    right: Any
    passes: Any
    values: Any
    depth: Any
    tables: Any

    def leaves(self, codes: Any) -> Any:
        """The leaf of each row of true cells."""
        return leaves_of(np.ascontiguousarray(codes), self.attribute, self.left, self.right, self.passes)

    @property
    def chances(self) -> Any:
        """P(class) in every node; an empty one is like its parent."""
        totals = self.values.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            chances = self.values / totals
        for node in range(len(self.attribute)):
            if totals[node, 0] <= 0:
                chances[node] = 1 / self.values.shape[1]
            if self.attribute[node] >= 0:
                for child in (self.left[node], self.right[node]):
                    if totals[child, 0] <= 0:
                        self.values[child] = chances[node]
                        chances[child] = chances[node]
                        totals[child, 0] = 1.0
        return chances

    def compacted(self) -> TreeNodes:
        """The same without the nodes that pruning cut off; a leaf keeps no test."""
        order, place = [0], 0
        while place < len(order):
            node = order[place]
            if self.attribute[node] >= 0:
                order += [int(self.left[node]), int(self.right[node])]
            place += 1
        new = {node: i for i, node in enumerate(order)}
        inner = self.attribute[order] >= 0
        left, right = (
            np.array([new[int(side[node])] if keep else -1 for node, keep in zip(order, inner, strict=True)], dtype=np.int32)
            for side in (self.left, self.right)
        )
        return TreeNodes(
            self.attribute[order],
            left,
            right,
            self.passes[order],
            self.values[order].copy(),
            self.depth[order],
            self.tables[order],
        )

    def refuse_broken(self, cells: list[int], classes: int) -> None:
        """Refuse nodes that lead nowhere or in circles, as a damaged file may have them: compiled code follows them without looking.

        `cells` says how many cells each attribute has.
        """
        nodes, most = len(self.attribute), self.passes.shape[-1]
        shapes = {"left": (nodes,), "right": (nodes,), "depth": (nodes,), "values": (nodes, classes), "passes": (nodes, most),
                  "tables": (nodes, most, classes)}  # fmt: skip
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} of its tree has the shape {getattr(self, name).shape}, not {shape}")
        inner = np.flatnonzero(self.attribute >= 0)
        if not nodes or (self.attribute >= len(cells)).any() or any(cells[i] > most for i in self.attribute[inner]):
            raise ValueError("its tree tests attributes or cells that are not there, or has no nodes")
        for side in (self.left[inner], self.right[inner]):
            if ((side <= inner) | (side >= nodes)).any():
                raise ValueError("a node of its tree leads to no later node")
        for name in ("values", "tables"):
            if not (np.isfinite(getattr(self, name)) & (getattr(self, name) >= 0)).all():
                raise ValueError(f"{name} of its tree must be numbers of at least 0")

    def to_dict(self) -> dict[str, Any]:
        """The arrays as lists, for JSON."""
        return {name: getattr(self, name).tolist() for name in _TYPES}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> TreeNodes:
        """The nodes that `to_dict` gave; `refuse_broken` says whether they can be followed."""
        return cls(**{name: np.array(content[name], dtype=kind) for name, kind in _TYPES.items()})
