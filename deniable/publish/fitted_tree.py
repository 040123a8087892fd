"""What a fit found, as data: the groups, the answers they hide, and the rules that every group was made to meet.

Everything that measures, draws, words or pictures groups reads this; `DeniabilityTree` is the estimator on top of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints, probability
from deniable.errors import DataError, ParameterError
from deniable.privacy.measures.deniability import deniability_of_groups, minority_share
from deniable.publish.cells import columns_of
from deniable.publish.encoding import Sensitive
from deniable.publish.epsilon import epsilon_of
from deniable.publish.rules import Rules
from deniable.publish.tree import CHUNK, Tree


@dataclass(frozen=True)
class FittedTree:
    """The groups that a fit found.

    Parameters
    ----------
    tree : the questions, and the answers counted at every node.
    sensitive : the answers that are hidden.
    counts : how many of all rows gave each of them.
    rules : what every group was made to meet.
    max_depth : most questions on a path; None: any number.
    mix : share of each draw that comes from all rows.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50})
    >>> fitted = dn.DeniabilityTree(0.5).fit(people, pd.Series(["yes", "no"] * 50, name="ill")).fitted_
    >>> fitted.leaves.tolist(), fitted.deniability, fitted.minority_shares["ill"].__round__(2)
    ([0], 1.0, 0.11)
    """

    tree: Tree
    sensitive: Sensitive
    counts: Ints
    rules: Rules
    max_depth: int | None
    mix: Any

    @property
    def names(self) -> str:
        """The sensitive columns, in words."""
        return " and ".join(self.sensitive.names)

    @property
    def leaves(self) -> Ints:
        """The nodes that are leaves: the groups."""
        leaves: Ints = self.tree.flat.leaves
        return leaves

    @property
    def minority_share(self) -> float:
        """The least minority that the minimum leaves in any leaf and any sensitive column."""
        return min(self.minority_shares.values())

    @property
    def minority_shares(self) -> dict[str, float]:
        """The same of each sensitive column by itself: columns with more possible answers keep a larger minority."""
        each = zip(self.sensitive.names, self.sensitive.labels, strict=True)
        return {name: minority_share(self.rules.min_deniability, max(2, len(labels))) for name, labels in each}

    def deniability_of_nodes(self, nodes: Any) -> Floats:
        """One row per node: the deniability of the combination and of each sensitive column."""
        tables = self.sensitive.view_counts(self.tree.flat.counts[nodes])
        return np.stack([deniability_of_groups(table) for table in tables], axis=1)

    @property
    def deniability(self) -> float:
        """The smallest deniability of any leaf, in any sensitive column and in their combination."""
        return float(self.deniability_of_nodes(self.leaves).min())

    @property
    def epsilon(self) -> float:
        """What one person's answer can change in all that is published: infinite without `mix`."""
        return epsilon_of(self.mix, self.sizes, self.counts)

    @property
    def sizes(self) -> Ints:
        """How many rows each leaf has."""
        sizes: Ints = self.tree.flat.counts[self.leaves].sum(axis=1)
        return sizes

    def apply(self, X: Any) -> Ints:
        """The node where each row comes to rest: its leaf, or the node at which it has a category that was never seen."""
        columns = columns_of(X)
        names = [attribute.name for attribute in self.tree.attributes]
        missing = [name for name in names if name not in columns]
        if missing:
            raise DataError(
                "no_column", "The columns {got} are missing; there are {allowed}.", got=missing, allowed=list(columns)
            )
        rows = len(columns[names[0]])
        out = np.empty(rows, np.int64)
        for begin in range(0, rows, CHUNK):
            # In pieces: what rows are routed by is floats, and a copy of the whole table of them would double the memory.
            piece = {name: _slice(columns[name], begin, begin + CHUNK) for name in names}
            out[begin : begin + CHUNK] = self.tree.route(self.tree.positions(piece))
        return out

    def weights(self, nodes: Ints) -> Ints:
        """The integer weights by which answers are drawn in these nodes: one row per node."""
        counts: Ints = self.tree.flat.counts[nodes].astype(np.int64)
        mix = probability(self.mix, "DeniabilityTree", "mix")
        if mix == 0:
            return counts
        sizes = counts.sum(axis=1)
        total = int(self.counts.sum())
        if mix.denominator * int(sizes.max()) * total > LARGEST_DENOMINATOR:
            raise ParameterError(
                "mix_denominator",
                "mix={got} needs too fine a table for {rows:,} rows; write it with fewer digits.",
                got=self.mix,
                rows=total,
            )
        kept, other = mix.denominator - mix.numerator, mix.numerator
        weights: Ints = kept * total * counts + other * sizes[:, None] * self.counts[None]
        return weights


def _slice(column: Any, begin: int, end: int) -> Any:
    return column[begin:end] if not isinstance(column, (pa.Array, pa.ChunkedArray)) else column.slice(begin, end - begin)
