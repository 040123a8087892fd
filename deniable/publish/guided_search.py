"""Searching for the tree whose published answers agree most with the true ones.

Expected accuracy is a sum over leaves, so the subtrees below a node can be improved one by one: what is best for one group of people does
not depend on the others. Every search starts from the greedy tree, never returns anything worse by its own guide, and may be stopped.
"""

from __future__ import annotations

import hashlib
import math
import time
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.progress import Progress
from deniable.publish.growing import Grower, leaf
from deniable.publish.tree import Branch, Flat, Forest, Tree, flatten

SEARCHES = ("greedy", "beam", "backtracking")


class GuidedSearch:
    """Beam and backtracking search guided by expected accuracy, with a deadline.

    Parameters
    ----------
    grower : codes and rules.
    tree : any tree over the same attributes, by whose reading of them validation rows are sent down.
    guide : positions and answers of a validation set; None: the rows themselves are the guide.
    budget : seconds after which the best tree so far is taken; None: no limit.
    progress : a listener for long work.
    """

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

    def worth(self, top: Branch | Flat, guided: Any) -> float:
        """Expected accuracy summed over rows: the published rows themselves, or those of the validation set that come here."""
        if self.guide is None:
            return _agreement(top)
        positions, labels = self.guide
        if not guided.size:
            return 0.0
        flat = flatten(top)
        node = Tree(flat, self.template.attributes, self.template.forms).route(np.ascontiguousarray(positions[:, guided]))
        counts = flat.counts[node]
        return float((counts[np.arange(len(guided)), labels[guided]] / counts.sum(axis=1)).sum())

    def beam(self, rows: Any, used: Any, depth: int, guided: Any, width: int) -> Branch | Flat:
        """At every node finish the `width` most promising splits greedily, keep the best, and go on below it.

        Parameters
        ----------
        rows : the rows to divide.
        used : which attributes may not be asked any more.
        depth : how many questions led here.
        guided : the validation rows that come here.
        width : how many splits are tried.

        Returns
        -------
        Branch or Flat
            The best tree that was found of these rows.
        """
        plain = self.grower.greedy(rows.copy(), used, depth)
        best, kept = self.worth(plain, guided), None
        for f in self._options(rows, used, depth, width):
            if self.late:
                break
            cuts, parts, sent, begins = self.grower.split(f, rows)
            below = self.grower.below(used, f)
            grown = self.grower.forest(sent.copy(), begins, below, depth + 1)
            branch = Branch(f, cuts, parts, self.grower.counts(rows), [grown])
            worth = self.worth(branch, guided)
            # The greedy choice comes first and is kept to be improved below; the others must be better, not only as good.
            if worth > best + 1e-9 or (kept is None and worth > best - 1e-9):
                best, kept = max(worth, best), (branch, grown.flat, sent, begins, below)
        alone = leaf(self.grower, rows)
        if kept is None or (self.guide is not None and self.worth(alone, guided) >= best):
            self.progress.advance(rows.size)
            return plain if self.guide is None or self.worth(alone, guided) < best else alone
        top, trees, sent, begins, below = kept
        guides = self._sent(top, trees.counts, guided)
        top.children = []
        for c in range(len(begins) - 1):
            child = sent[begins[c] : begins[c + 1]]
            if trees.feature[c] < 0:  # nothing can split it: there is nothing to search
                self.progress.advance(child.size)
                top.children.append(leaf(self.grower, child))
            else:
                top.children.append(self.beam(child, below, depth + 1, guides[c], width))
        return top

    _cut_short = False

    def backtracking(self, rows: Any, used: Any, guided: Any) -> Branch | Flat:
        """Ever wider: at every node the best of 1, 2, 3, ... splits, each with its own best subtree, until time or splits are over."""
        best: Branch | Flat = self.grower.greedy(rows.copy(), used, 0)
        worth = self.worth(best, guided)
        for width in range(2, len(used) + 1):
            self._memo.clear()
            wider_worth, wider = self._deepen(rows, used, 0, guided, width)
            if wider_worth > worth + 1e-9:
                worth, best = wider_worth, wider
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
            best = max(best, (self.worth(alone, guided), alone), key=lambda pair: pair[0])
        every = self._options(rows, used, depth, len(used))
        self._cut_short |= len(every) > width
        for f in every[:width]:
            if self.late:
                break
            if self.guide is None and best[0] >= self._most(rows) - 1e-9:
                break  # nothing that meets the rules agrees more than this
            cuts, parts, sent, begins = self.grower.split(f, rows)
            below = self.grower.below(used, f)
            children = [sent[begins[c] : begins[c + 1]] for c in range(len(begins) - 1)]
            frame = Branch(f, cuts, parts, self.grower.counts(rows), [leaf(self.grower, child) for child in children])
            guides = self._sent(frame, np.zeros((len(children), self.grower.labels), np.int32), guided)
            deepened = [
                self._deepen(child, below, depth + 1, held, width) for child, held in zip(children, guides, strict=True)
            ]
            worth = sum(gain for gain, _ in deepened)
            if worth > best[0] + 1e-9:
                frame.children = [subtree for _, subtree in deepened]
                best = (worth, frame)
        if not self.late:
            self._memo[key] = best
        return best

    def _options(self, rows: Any, used: Any, depth: int, width: int) -> list[int]:
        changes = self.grower.changes(rows, used, depth)
        order = np.argsort(-changes, kind="stable")
        return [int(f) for f in order[:width] if changes[f] > 0]

    def _sent(self, branch: Branch, counts: Any, guided: Any) -> list[Any]:
        """The validation rows of each child; those with a category that was never seen stay behind."""
        width = branch.width
        if self.guide is None:
            return [guided] * width
        none = np.zeros(width, np.int32)
        leaves = Flat(none - 1, none, none, none.astype(np.int64), none, counts[:width], none[:0], none[:0])
        flat = flatten(Branch(branch.feature, branch.cuts, branch.parts, branch.counts, [Forest(leaves, width)]))
        node = Tree(flat, self.template.attributes, self.template.forms).route(np.ascontiguousarray(self.guide[0][:, guided]))
        return [guided[node == flat.first[0] + c] for c in range(width)]

    def _most(self, rows: Any) -> float:
        return float(most_agreement(float(self.grower.rules[3][1, 0]), self.grower.labels) * rows.size)


def _agreement(tree: Branch | Flat | Forest) -> float:
    """Rows that keep their answer, on average: the sum over leaves of sum c^2 / n."""
    if isinstance(tree, Branch):
        return float(sum(_agreement(child) for child in tree.children))
    flat = tree.flat if isinstance(tree, Forest) else tree
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
