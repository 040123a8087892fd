"""Growing the tree greedily, as in paper 003: at every node the split that changes the answers most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.progress import Progress
from deniable.publish.tree import CATEGORIES, Branch, Flat, Forest

DISTANCES = ("squared", "euclidean", "cosine", "total_variation", "chi2")
LARGE = 20_000
"""Nodes with more rows than this are split one at a time, so that progress is seen and work can be stopped."""


@dataclass
class GrowthSettings:
    """What a tree is grown by.

    Parameters
    ----------
    distance : how a change of the answers is measured.
    min_change : least change that makes a split worth it.
    max_depth : most questions on a path; None: any number.
    reuse : whether an attribute may be asked again further down.
    prune : whether cuts that cannot win are skipped, which changes nothing but the time.

    Examples
    --------
    >>> GrowthSettings("squared", 0.0, 3, False).for_kernel()
    (0, 0.0, 3, False, True)
    """

    distance: str
    min_change: float
    max_depth: int | None
    reuse: bool
    prune: bool = True

    def for_kernel(self) -> tuple[Any, ...]:
        """As the kernel reads it."""
        deepest = np.iinfo(np.int32).max if self.max_depth is None else self.max_depth
        prune = self.prune and self.distance != "cosine"  # cosine is not convex: there the shortcut would not be exact
        return DISTANCES.index(self.distance), float(self.min_change), deepest, self.reuse, prune


class Grower:
    """Codes, rules and room to work in, for one fit.

    Parameters
    ----------
    codes : the codes of the rows, one row per attribute.
    sizes : how many values each attribute has.
    forms : whether each is ordered, categories, or categories that may share a branch.
    y : the codes of the answers.
    rules : what every leaf must meet, as the kernel reads it.
    settings : what the tree is grown by.
    usable : which attributes may be asked.
    """

    def __init__(
        self, codes: Any, sizes: Ints, forms: Any, y: Any, rules: tuple[Any, ...], settings: GrowthSettings, usable: Any
    ) -> None:
        self.data = (codes, sizes, forms, y)
        self.forms = forms
        self.rules = rules
        self.settings = settings
        self.kernel_settings = settings.for_kernel()
        self.labels = rules[1].shape[1]
        self.blocked = (~usable).astype(np.uint8)
        widest = int(sizes[usable].max()) if usable.any() else 1
        # Only cuts need room of their own: of numbers, and of categories in the order of their shares.
        room = max([int(size) for f, size in enumerate(sizes) if usable[f] and forms[f] != CATEGORIES], default=1) + 1
        self.work = (
            np.zeros((widest + 1, self.labels), np.int32),
            (np.zeros(room), np.zeros(room), np.zeros(room, np.int32), np.zeros((self.labels, room)), np.zeros(room)),
            np.zeros(widest, np.int32),
            np.zeros(widest, np.int32),
        )
        self.kept = (np.zeros(widest, np.int32), np.zeros(widest, np.int32))
        self.buffer = np.zeros(len(y), np.int32)

    def greedy(self, rows: Any, used: Any, depth: int) -> Flat:
        """The greedy tree of these rows, which are reordered in place."""
        return self.forest(rows, np.asarray([0, rows.size]), used, depth).flat

    def forest(self, rows: Any, begins: Ints, used: Any, depth: int) -> Forest:
        """The greedy trees of several groups of rows that lie side by side; they are reordered in place."""
        from deniable.kernels.deniability import AT, FEATURE, FIRST, SPAN, WIDTH, grow

        table, counts, splits = grow(
            self.data, rows, self.buffer, begins, used, depth, self.kernel_settings, self.rules, self.work, self.kept
        )
        narrow, cuts = table[:, : SPAN + 1].astype(np.int32), splits.astype(np.int32)
        flat = Flat(
            narrow[:, FEATURE].copy(),
            narrow[:, FIRST].copy(),
            narrow[:, WIDTH].copy(),
            table[:, AT].copy(),
            narrow[:, SPAN].copy(),
            counts.astype(np.int32),
            cuts[:, 0].copy(),
            cuts[:, 1].copy(),
        )
        return Forest(flat, len(begins) - 1)

    def counts(self, rows: Any) -> Any:
        """How many of these rows have each label."""
        return np.bincount(self.data[3][rows], minlength=self.labels).astype(np.int32)

    def changes(self, rows: Any, used: Any, depth: int) -> Floats:
        """How much each attribute changes the answers; -1 where it may not be used."""
        from deniable.kernels.deniability import evaluate

        kind, change, deepest, _, prune = self.kernel_settings
        out = np.full(len(self.forms), -1.0)
        if depth >= deepest:
            return out
        base = self.counts(rows) / rows.size
        for f in np.flatnonzero(used == 0).tolist():
            value, _, count = evaluate(self.data, f, rows, 0, rows.size, base, kind, self.rules, prune, self.work)
            if count > 1 and value > change + 1e-12:
                out[f] = value
        return out

    def split(self, f: int, rows: Any) -> tuple[Any, Any, Any, Ints]:
        """Split rows (copied) by an attribute: its cuts, their parts, the rows child after child, and where each child begins."""
        from deniable.kernels.deniability import evaluate, part_rows, split_size, write_split

        kind, _, _, _, prune = self.kernel_settings
        sent = rows.copy()
        base = self.counts(rows) / rows.size
        _, values, count = evaluate(self.data, f, sent, 0, sent.size, base, kind, self.rules, prune, self.work)
        present, part = self.work[2], self.work[3]
        size = split_size(int(self.forms[f]), values, count)
        cuts, parts = np.zeros(size, np.int32), np.zeros(size, np.int32)
        write_split(int(self.forms[f]), present, part, values, cuts, parts, 0)
        begins = part_rows(self.data[0][f], sent, self.buffer, 0, sent.size, present, part, values, count)
        return cuts, parts, sent, begins

    def below(self, used: Any, f: int) -> Any:
        """What may not be asked any more below a split by f."""
        if self.settings.reuse:
            return used
        out = used.copy()
        out[f] = 1
        return out


def greedy(grower: Grower, rows: Any, used: Any, depth: int, progress: Progress) -> Branch | Flat:
    """The greedy tree; large nodes are split one at a time and reported.

    Parameters
    ----------
    grower : codes and rules.
    rows : the rows to divide, which are reordered in place.
    used : which attributes may not be asked any more.
    depth : how many questions led here.
    progress : a listener for long work.

    Returns
    -------
    Branch or Flat
        The tree of these rows.
    """
    if rows.size <= LARGE:
        small = grower.greedy(rows, used, depth)
        progress.advance(rows.size)
        return small
    changes = grower.changes(rows, used, depth)
    best = first_best(changes)
    if best < 0:
        progress.advance(rows.size)
        return leaf(grower, rows)
    cuts, parts, sent, begins = grower.split(best, rows)
    counts, below = grower.counts(rows), grower.below(used, best)
    del rows
    grown: list[Branch | Flat | Forest] = []
    child, last = 0, len(begins) - 1
    while child < last:
        # Small children that lie side by side are grown in one go: there may be as many of them as there are people.
        stop = child
        while stop < last and begins[stop + 1] - begins[child] <= LARGE:
            stop += 1
        if stop == child:
            grown.append(greedy(grower, sent[begins[child] : begins[child + 1]], below, depth + 1, progress))
            stop += 1
        else:
            grown.append(
                grower.forest(sent[begins[child] : begins[stop]], begins[child : stop + 1] - begins[child], below, depth + 1)
            )
            progress.advance(int(begins[stop] - begins[child]))
        child = stop
    return Branch(best, cuts, parts, counts, grown)


def first_best(changes: Floats) -> int:
    """The attribute that changes the answers most; within rounding the first of them, as the kernel chooses."""
    best, chosen = -1.0, -1
    for f, value in enumerate(changes):
        if value > 0 and (chosen < 0 or value > best + 1e-12):
            best, chosen = float(value), f
    return chosen


def leaf(grower: Grower, rows: Any) -> Flat:
    """A tree that is one leaf."""
    none = np.zeros(1, np.int32)
    empty = np.zeros(0, np.int32)
    return Flat(none - 1, none, none, none.astype(np.int64), none, grower.counts(rows)[None], empty, empty)
