"""Finding the tree: greedily as in paper 003, or by searching for the one whose published answers agree most with the true ones.

Expected accuracy is a sum over leaves, so the subtrees below a node can be improved one by one: what is best for one group of people does
not depend on the others. Every search starts from the greedy tree, never returns anything worse by its own guide, and may be stopped.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.progress import Progress
from deniable.publish.tree import CATEGORIES, Branch, Flat, Forest, Tree, flatten

DISTANCES = ("squared", "euclidean", "cosine", "total_variation", "chi2")
SEARCHES = ("greedy", "beam", "backtracking")
LARGE = 20_000
"""Nodes with more rows than this are split one at a time, so that progress is seen and work can be stopped."""


@dataclass
class Settings:
    """What a tree is grown by."""

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


@dataclass
class Rules:
    """What every leaf must meet."""

    min_deniability: float
    min_rows: int
    max_posterior: float
    max_skew: float
    max_skew_ratio: float = math.inf
    max_ruled_out: float = 1.0

    def for_kernel(self, rows: int, views: Any, outcomes: list[int], whole: Floats) -> tuple[Any, ...]:
        """As the kernel reads it."""
        counts = np.arange(1, rows + 1, dtype=np.float64)
        xlog = np.concatenate([[0.0], counts * np.log2(counts)])
        asked = ruled_out_views(outcomes)
        each = [
            (self.min_deniability * math.log2(k), self.max_ruled_out if v in asked else 1.0) for v, k in enumerate(outcomes)
        ]
        need = np.asarray([(self.min_rows, self.max_skew), *each], dtype=np.float64)
        caps = np.full((len(outcomes), max(outcomes)), float(self.max_posterior))
        if math.isfinite(self.max_skew_ratio):
            for v in single_views(outcomes):
                shares = np.bincount(views[v], weights=whole, minlength=outcomes[v])
                caps[v, : outcomes[v]] = np.minimum(caps[v, : outcomes[v]], self.max_skew_ratio * shares)
        return xlog, views, np.asarray(outcomes), need, caps, whole, np.zeros(max(outcomes), np.int64)


def single_views(outcomes: list[int]) -> list[int]:
    """The views that are one column each: of several columns hidden together the first is their combination.

    >>> single_views([2]), single_views([6, 2, 3])
    ([0], [1, 2])
    """
    return [0] if len(outcomes) == 1 else list(range(1, len(outcomes)))


def ruled_out_views(outcomes: list[int]) -> list[int]:
    """The views of which an attacker may rule out an answer and still be in doubt: those of three answers or more.

    >>> ruled_out_views([2]), ruled_out_views([3]), ruled_out_views([4, 2, 2]), ruled_out_views([9, 3, 3])
    ([], [0], [0], [1, 2])
    """
    return [v for v, k in enumerate(outcomes) if k > 2][-len(single_views(outcomes)) :]


class Grower:
    """Codes, rules and room to work in, for one fit."""

    def __init__(
        self, codes: Any, sizes: Ints, forms: Any, y: Any, rules: tuple[Any, ...], settings: Settings, usable: Any
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
        own = rows.copy()
        base = self.counts(rows) / rows.size
        _, values, count = evaluate(self.data, f, own, 0, own.size, base, kind, self.rules, prune, self.work)
        present, part = self.work[2], self.work[3]
        size = split_size(int(self.forms[f]), values, count)
        cuts, parts = np.zeros(size, np.int32), np.zeros(size, np.int32)
        write_split(int(self.forms[f]), present, part, values, cuts, parts, 0)
        begins = part_rows(self.data[0][f], own, self.buffer, 0, own.size, present, part, values, count)
        return cuts, parts, own, begins

    def below(self, used: Any, f: int) -> Any:
        """What may not be asked any more below a split by f."""
        if self.settings.reuse:
            return used
        out = used.copy()
        out[f] = 1
        return out


def greedy(grower: Grower, rows: Any, used: Any, depth: int, progress: Progress) -> Branch | Flat:
    """The greedy tree; large nodes are split one at a time and reported."""
    if rows.size <= LARGE:
        found = grower.greedy(rows, used, depth)
        progress.advance(rows.size)
        return found
    changes = grower.changes(rows, used, depth)
    best = first_best(changes)
    if best < 0:
        progress.advance(rows.size)
        return leaf(grower, rows)
    cuts, parts, own, begins = grower.split(best, rows)
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
            grown.append(greedy(grower, own[begins[child] : begins[child + 1]], below, depth + 1, progress))
            stop += 1
        else:
            grown.append(
                grower.forest(own[begins[child] : begins[stop]], begins[child : stop + 1] - begins[child], below, depth + 1)
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


class Search:
    """Beam and backtracking search guided by expected accuracy, with a deadline."""

    def __init__(
        self, grower: Grower, tree: Tree, guide: tuple[Floats, Any] | None, budget: float | None, progress: Progress
    ) -> None:
        self.grower = grower
        self.template = tree
        self.guide = guide
        self.deadline = math.inf if budget is None else time.monotonic() + budget
        self.progress = progress
        self.finished = True
        """Whether the search came to its end before its time was over."""
        self._memo: dict[tuple[bytes, bytes, int], tuple[float, Branch | Flat]] = {}

    @property
    def late(self) -> bool:
        if time.monotonic() < self.deadline:
            return False
        self.finished = False
        return True

    def worth(self, found: Branch | Flat, guided: Any) -> float:
        """Expected accuracy summed over rows: the published rows themselves, or those of the validation set that come here."""
        if self.guide is None:
            return _agreement(found)
        positions, labels = self.guide
        if not guided.size:
            return 0.0
        flat = flatten(found)
        node = Tree(flat, self.template.attributes, self.template.forms).route(np.ascontiguousarray(positions[:, guided]))
        counts = flat.counts[node]
        return float((counts[np.arange(len(guided)), labels[guided]] / counts.sum(axis=1)).sum())

    def beam(self, rows: Any, used: Any, depth: int, guided: Any, width: int) -> Branch | Flat:
        """At every node finish the `width` most promising splits greedily, keep the best, and go on below it."""
        plain = self.grower.greedy(rows.copy(), used, depth)
        best, kept = self.worth(plain, guided), None
        for f in self._options(rows, used, depth, width):
            if self.late:
                break
            cuts, parts, own, begins = self.grower.split(f, rows)
            below = self.grower.below(used, f)
            grown = self.grower.forest(own.copy(), begins, below, depth + 1)
            found = Branch(f, cuts, parts, self.grower.counts(rows), [grown])
            worth = self.worth(found, guided)
            # The greedy choice comes first and is kept to be improved below; the others must be better, not only as good.
            if worth > best + 1e-9 or (kept is None and worth > best - 1e-9):
                best, kept = max(worth, best), (found, grown.flat, own, begins, below)
        alone = leaf(self.grower, rows)
        if kept is None or (self.guide is not None and self.worth(alone, guided) >= best):
            self.progress.advance(rows.size)
            return plain if self.guide is None or self.worth(alone, guided) < best else alone
        top, trees, own, begins, below = kept
        sent = self._sent(top, trees.counts, guided)
        top.children = []
        for c in range(len(begins) - 1):
            child = own[begins[c] : begins[c + 1]]
            if trees.feature[c] < 0:  # nothing can split it: there is nothing to search
                self.progress.advance(child.size)
                top.children.append(leaf(self.grower, child))
            else:
                top.children.append(self.beam(child, below, depth + 1, sent[c], width))
        return top

    _cut_short = False

    def backtracking(self, rows: Any, used: Any, guided: Any) -> Branch | Flat:
        """Ever wider: at every node the best of 1, 2, 3, ... splits, each with its own best subtree, until time or splits are over."""
        best: Branch | Flat = self.grower.greedy(rows.copy(), used, 0)
        worth = self.worth(best, guided)
        for width in range(2, len(used) + 1):
            self._memo.clear()
            found_worth, found = self._deepen(rows, used, 0, guided, width)
            if found_worth > worth + 1e-9:
                worth, best = found_worth, found
            if self.late or not self._cut_short:
                break
        self._memo.clear()
        self.progress.advance(rows.size)
        return best

    def _deepen(self, rows: Any, used: Any, depth: int, guided: Any, width: int) -> tuple[float, Branch | Flat]:
        key = (_digest(rows), used.tobytes(), depth if self.grower.settings.max_depth is not None else 0)
        if key in self._memo:
            return self._memo[key]
        if depth == 0:
            self._cut_short = False
        plain = self.grower.greedy(rows.copy(), used, depth)
        best: tuple[float, Branch | Flat] = (self.worth(plain, guided), plain)
        if self.guide is not None:
            alone = leaf(self.grower, rows)
            best = max(best, (self.worth(alone, guided), alone), key=lambda found: found[0])
        every = self._options(rows, used, depth, len(used))
        self._cut_short |= len(every) > width
        for f in every[:width]:
            if self.late:
                break
            if self.guide is None and best[0] >= self._most(rows) - 1e-9:
                break  # nothing that meets the rules agrees more than this
            cuts, parts, own, begins = self.grower.split(f, rows)
            below = self.grower.below(used, f)
            children = [own[begins[c] : begins[c + 1]] for c in range(len(begins) - 1)]
            frame = Branch(f, cuts, parts, self.grower.counts(rows), [leaf(self.grower, child) for child in children])
            sent = self._sent(frame, np.zeros((len(children), self.grower.labels), np.int32), guided)
            found = [self._deepen(child, below, depth + 1, held, width) for child, held in zip(children, sent, strict=True)]
            worth = sum(own for own, _ in found)
            if worth > best[0] + 1e-9:
                frame.children = [subtree for _, subtree in found]
                best = (worth, frame)
        if not self.late:
            self._memo[key] = best
        return best

    def _options(self, rows: Any, used: Any, depth: int, width: int) -> list[int]:
        changes = self.grower.changes(rows, used, depth)
        order = np.argsort(-changes, kind="stable")
        return [int(f) for f in order[:width] if changes[f] > 0]

    def _sent(self, found: Branch, counts: Any, guided: Any) -> list[Any]:
        """The validation rows of each child; those with a category that was never seen stay behind."""
        width = found.width
        if self.guide is None:
            return [guided] * width
        none = np.zeros(width, np.int32)
        leaves = Flat(none - 1, none, none, none.astype(np.int64), none, counts[:width], none[:0], none[:0])
        flat = flatten(Branch(found.feature, found.cuts, found.parts, found.counts, [Forest(leaves, width)]))
        node = Tree(flat, self.template.attributes, self.template.forms).route(np.ascontiguousarray(self.guide[0][:, guided]))
        return [guided[node == flat.first[0] + c] for c in range(width)]

    def _most(self, rows: Any) -> float:
        return float(most_agreement(float(self.grower.rules[3][1, 0]), self.grower.labels) * rows.size)


def _agreement(found: Branch | Flat | Forest) -> float:
    """Rows that keep their answer, on average: the sum over leaves of sum c^2 / n."""
    if isinstance(found, Branch):
        return float(sum(_agreement(child) for child in found.children))
    flat = found.flat if isinstance(found, Forest) else found
    counts = flat.counts[flat.feature < 0].astype(np.float64)
    return float(((counts**2).sum(axis=1) / counts.sum(axis=1)).sum())


def most_agreement(entropy: float, labels: int) -> float:
    """The largest sum p^2 of any distribution over so many labels with at least that entropy in bits.

    It is reached by one frequent label and equally rare others, or closer to it than a bound needs to be: among all distributions with a
    given largest share, that sum is at most share^2 + (1 - share) min(share, 1 - share), and the entropy bounds the share.

    >>> round(most_agreement(0.0, 2), 6), round(most_agreement(1.0, 2), 6)
    (1.0, 0.5)
    """
    low, high = 1 / labels, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        rest = 1 - middle
        spread = -middle * math.log2(middle) - (rest * math.log2(rest / (labels - 1)) if rest > 0 else 0.0)
        if spread >= entropy:
            low = middle
        else:
            high = middle
    share = high
    return float(share**2 + (1 - share) * min(share, 1 - share))


def _digest(rows: Any) -> bytes:
    return hashlib.blake2b(np.sort(rows).tobytes(), digest_size=16).digest()
