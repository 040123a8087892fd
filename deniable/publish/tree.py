"""A tree as flat arrays: where rows come to rest, the counts there, and its questions in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.publish.cells import number
from deniable.publish.encoding import Attribute

CATEGORIES, ORDERED, GROUPED = 0, 1, 2
CHUNK = 1 << 16


class Flat(NamedTuple):
    """The arrays of kernels/deniability.py; children of a node lie side by side, the root is node 0.

    Parameters
    ----------
    feature : the attribute that each node asks for; -1: it is a leaf.
    first, width : its first child, and how many there are.
    at, span : where its cuts begin, and how many there are.
    counts : the answers of its rows, one column per answer.
    cuts, parts : the values that were told apart, and which child each leads to (of numbers: the last and the first value of each child).
    """

    feature: Any
    first: Any
    width: Any
    at: Any
    span: Any
    counts: Any
    cuts: Any
    parts: Any

    @property
    def leaves(self) -> Any:
        """The nodes without children."""
        return np.flatnonzero(self.feature < 0)


@dataclass
class Forest:
    """The subtrees of several children that lie side by side: the first `roots` nodes of one set of arrays."""

    flat: Flat
    roots: int


@dataclass
class Branch:
    """A split that was chosen outside the kernel, with its children; `flatten` makes one `Flat` of them.

    Parameters
    ----------
    feature : the attribute that is asked for.
    cuts, parts : as in `Flat`, of this node alone.
    counts : the answers of its rows.
    children : what lies below, in the order of the parts.
    """

    feature: int
    cuts: Any
    parts: Any
    counts: Any
    children: list[Branch | Flat | Forest]

    @property
    def width(self) -> int:
        """How many children there are."""
        return sum(child.roots if isinstance(child, Forest) else 1 for child in self.children)


def flatten(top: Branch | Flat) -> Flat:
    """One set of arrays, node 0 the root.

    A subtree's root takes the place its parent keeps for it; its other nodes are appended.
    """
    if isinstance(top, Flat):
        return top
    pieces: list[tuple[int, Branch | Flat | Forest]] = [(0, top)]
    nodes, filled = 1, 0
    placed: list[tuple[Any, Flat]] = []
    while pieces:
        place, piece = pieces.pop()
        if isinstance(piece, Branch):
            flat = Flat(
                np.asarray([piece.feature]),
                np.asarray([nodes]),
                np.asarray([piece.width]),
                np.asarray([filled]),
                np.asarray([len(piece.cuts)]),
                piece.counts[None],
                piece.cuts,
                piece.parts,
            )
            placed.append((np.asarray([place]), flat))
            at = nodes
            for child in piece.children:
                pieces.append((at, child))
                at += child.roots if isinstance(child, Forest) else 1
            nodes = at
        else:
            flat, roots = (piece.flat, piece.roots) if isinstance(piece, Forest) else (piece, 1)
            rest = len(flat.feature) - roots
            index = np.concatenate([np.arange(place, place + roots), np.arange(nodes, nodes + rest)])
            moved = np.where(flat.feature >= 0, flat.first - roots + nodes, 0)
            placed.append((index, flat._replace(first=moved, at=flat.at + filled)))
            nodes += rest
        filled += len(flat.cuts)
    labels = placed[0][1].counts.shape[1]
    out = Flat(
        np.full(nodes, -1, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int32),
        np.zeros((nodes, labels), np.int32),
        np.concatenate([flat.cuts for _, flat in placed]).astype(np.int32),
        np.concatenate([flat.parts for _, flat in placed]).astype(np.int32),
    )
    for index, flat in placed:
        for name in ("feature", "first", "width", "at", "span", "counts"):
            getattr(out, name)[index] = getattr(flat, name)
    return out


class Tree:
    """A fitted tree over attributes."""

    def __init__(self, flat: Flat, attributes: Sequence[Attribute], forms: Any) -> None:
        self.flat = flat
        self.attributes = list(attributes)
        self.forms = forms

    @property
    def nodes(self) -> int:
        """How many nodes there are, leaves included."""
        return len(self.flat.feature)

    @cached_property
    def ends(self) -> Floats:
        """Thresholds of the cuts of numbers, midway between the last value of a part and the first of the next."""
        out = np.full(len(self.flat.cuts), np.inf)
        for node in np.flatnonzero(self.flat.feature >= 0):
            f = self.flat.feature[node]
            if self.forms[f] != ORDERED:
                continue
            at = slice(self.flat.at[node], self.flat.at[node] + self.flat.span[node])
            values, lows = self.attributes[f].values, self.attributes[f].lows
            low, high = values[self.flat.cuts[at][:-1]], (values if lows is None else lows)[self.flat.parts[at][1:]]
            middle = np.where(np.isinf(high), low, low + (np.where(np.isinf(high), low, high) - low) / 2)
            # Between neighbouring floats there is no middle; the threshold must stay below the next value.
            out[self.flat.at[node] : self.flat.at[node] + self.flat.span[node] - 1] = np.where(middle < high, middle, low)
        return out

    def positions(self, columns: dict[str, Any]) -> Floats:
        """What rows are routed by: one row per attribute."""
        used = set(self.flat.feature.tolist())
        rows = len(next(iter(columns.values())))
        out = np.zeros((len(self.attributes), rows))
        for f, attribute in enumerate(self.attributes):
            if f in used:
                out[f] = attribute.positions(columns[attribute.name])
        return out

    def route(self, positions: Floats) -> Ints:
        """The node where each row comes to rest."""
        from deniable.kernels.deniability import route

        nodes: Ints = route(positions, self.forms, tuple(self.flat), self.ends)
        return nodes

    def children(self, node: int) -> range:
        """The children of a node."""
        first = int(self.flat.first[node])
        return range(first, first + int(self.flat.width[node]))

    def questions(self, node: int) -> list[str]:
        """For each child of a node the values that lead to it, in words."""
        f = int(self.flat.feature[node])
        attribute = self.attributes[f]
        at = slice(int(self.flat.at[node]), int(self.flat.at[node] + self.flat.span[node]))
        cuts, parts = self.flat.cuts[at], self.flat.parts[at]
        if self.forms[f] != ORDERED:
            members = [[attribute.shown(code) for code in cuts[parts == child]] for child in range(self.flat.width[node])]
            return [
                f"{attribute.name} = {names[0]}" if len(names) == 1 else f"{attribute.name} in {{{', '.join(names)}}}"
                for names in members
            ]
        ends = self.ends[at]
        out = []
        for child in range(len(cuts)):
            low = f"{number(ends[child - 1])} < " if child else ""
            high = f" <= {number(ends[child])}" if child < len(cuts) - 1 else ""
            with_missing = bool(np.isinf(attribute.values[cuts[child]]))
            if with_missing and np.isinf(attribute.values[parts[child]]):
                out.append(f"{attribute.name} = {attribute.missing}")
            else:
                text = f"{low}{attribute.name}{high}" if high else f"{attribute.name} > {number(ends[child - 1])}"
                out.append(text + (f" or {attribute.missing}" if with_missing else ""))
        return out

    def paths(self) -> dict[int, list[str]]:
        """For every leaf the answers that lead to it."""
        return {node: above for node, above in self._walk() if self.flat.feature[node] < 0}

    def _walk(self) -> Iterator[tuple[int, list[str]]]:
        waiting: list[tuple[int, list[str]]] = [(0, [])]
        while waiting:
            node, above = waiting.pop()
            yield node, above
            if self.flat.feature[node] >= 0:
                asked = self.questions(node)
                waiting += [(child, [*above, asked[c]]) for c, child in enumerate(self.children(node))][::-1]

    def depths(self) -> Ints:
        """How many questions lead to each node."""
        out = np.zeros(self.nodes, np.int64)
        for node in np.flatnonzero(self.flat.feature >= 0):
            # Parents come before their children.
            out[self.flat.first[node] : self.flat.first[node] + self.flat.width[node]] = out[node] + 1
        return out
