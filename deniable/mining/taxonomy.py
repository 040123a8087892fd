"""Generalised itemsets (thesis 2.1.2): items of every level of an is-a hierarchy, "food" beside "bread".

An ancestor is true if one of the items below it is: 1 - prod (1 - x_i). If the items are hidden independently, the unbiased weight of
that is 1 - prod (1 - w_i); values of one attribute exclude each other, so inside the product their weights add up. An itemset is the
product of its members' weights if no block of answers is below two of them; otherwise

    prod_j (1 - prod_(i below j) (1 - x_i))  =  sum over subsets T of the members of (-1)^|T| prod_(i below some j in T) (1 - x_i),

every term of which is again a product over blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.errors import DataError, ParameterError
from deniable.mining.ahead import ItemArrays
from deniable.mining.choices import Choice
from deniable.mining.counting import Sums, in_threads
from deniable.mining.items import Items
from deniable.mining.levels import MOST_CANDIDATES, Level, Tally
from deniable.mining.row_weights import RowWeights
from deniable.mining.search import Search
from deniable.mining.transactions import Transactions
from deniable.progress import Progress


class Taxonomy:
    """An is-a hierarchy: from each item to what it is, a name or several (`{"milk": "drink", "beer": ["drink", "alcohol"]}`).

    >>> taxonomy = Taxonomy({"milk": "drink", "water": "drink", "bread": "food", "drink": "grocery", "food": "grocery"})
    >>> taxonomy.ancestors("milk") == {"drink", "grocery"}
    True
    >>> sorted(taxonomy.below("grocery"))
    ['bread', 'drink', 'food', 'milk', 'water']
    """

    def __init__(self, parents: Mapping[Any, Any]) -> None:
        if not isinstance(parents, Mapping):
            raise ParameterError(
                "taxonomy",
                "A taxonomy maps items to what they are, such as {{'milk': 'drink'}}; got {got}.",
                got=type(parents).__name__,
            )
        self._parents: dict[Any, tuple[Any, ...]] = {}
        for child, parent in parents.items():
            several = parent if isinstance(parent, (list, tuple, set, frozenset)) else [parent]
            if any(name is None or isinstance(name, (Mapping, list, tuple, set, frozenset)) for name in several):
                raise ParameterError(
                    "taxonomy_nested",
                    "A taxonomy maps each item to a name or a list of names; {child!r} has {got!r}. Write every step by itself, such "
                    "as {{'milk': 'drink', 'drink': 'grocery'}}.",
                    child=child,
                    got=parent,
                )
            self._parents[child] = tuple(dict.fromkeys(several))
        self._children: dict[Any, list[Any]] = {}
        for child, of in self._parents.items():
            for parent in of:
                self._children.setdefault(parent, []).append(child)
        for name in self._parents:
            if name in self.ancestors(name):
                raise ParameterError("taxonomy_circle", "The taxonomy goes in a circle: {name!r} is above itself.", name=name)

    @property
    def names(self) -> list[Any]:
        """All that is above something, in order of appearance."""
        return list(self._children)

    @property
    def children(self) -> list[Any]:
        """All that is below something."""
        return list(self._parents)

    def ancestors(self, name: Any) -> set[Any]:
        """Everything above a name."""
        return _reached(name, self._parents)

    def below(self, name: Any) -> set[Any]:
        """Everything below a name."""
        return _reached(name, self._children)


def _reached(name: Any, steps: Mapping[Any, Iterable[Any]]) -> set[Any]:
    reached: set[Any] = set()
    waiting = list(steps.get(name, ()))
    while waiting:
        step = waiting.pop()
        if step not in reached:
            reached.add(step)
            waiting.extend(steps.get(step, ()))
    return reached


class Generalised:
    """Transactions whose items are those reported and all that is above them in a taxonomy.

    >>> import deniable as dn
    >>> baskets = dn.Transactions([["milk"], ["water", "bread"], ["bread"]])
    >>> extended = Generalised(baskets, {"milk": "drink", "water": "drink"})
    >>> extended.names, extended.weight(3).tolist()
    (['bread', 'milk', 'water', 'drink'], [1.0, 1.0, 0.0])
    """

    def __init__(self, transactions: Transactions, taxonomy: Mapping[Any, Any] | Taxonomy) -> None:
        self.taxonomy = taxonomy if isinstance(taxonomy, Taxonomy) else Taxonomy(taxonomy)
        self.rows = transactions.rows
        self.leaves = RowWeights(transactions)
        place = {name: number for number, name in enumerate(self.leaves.names)}
        self._refuse_unknown(transactions, place)
        below = {
            name: [place[leaf] for leaf in [name, *self.taxonomy.below(name)] if leaf in place] for name in self.taxonomy.names
        }
        above = {name: sorted(numbers) for name, numbers in below.items() if numbers}
        self.names: list[Any] = [name for name in self.leaves.names if name not in above] + list(above)
        self.sets: list[tuple[int, ...]] = [tuple(above[name]) if name in above else (place[name],) for name in self.names]
        self._blocks = [{int(self.leaves.block[leaf]) for leaf in leaves} for leaves in self.sets]
        unknown = np.full(len(self.names), np.nan)
        # No item is plain here, and none belongs to an attribute alone: pairs that exclude each other are left out by `apart`.
        biased = transactions.items.biased
        untold = np.array([biased[list(leaves)].any() for leaves in self.sets])
        self.items = Items(self.names, np.arange(len(self.names)), unknown, unknown, untold=untold if untold.any() else None)

    def _refuse_unknown(self, transactions: Transactions, place: Mapping[Any, int]) -> None:
        known = set(place) | set(self.taxonomy.names)
        missing = [name for name in self.taxonomy.children if name not in known]
        # Baskets need not hold every item that is for sale, but the columns of a frame are all the items there are.
        if missing and (not transactions.listed or len(missing) == len(self.taxonomy.children)):
            raise DataError(
                "taxonomy_unknown", "The taxonomy speaks of {got}, which the data does not have. Items are {items}.",
                got=missing[:20], items=list(place)[:20],
            )  # fmt: skip

    def weight(self, item: int) -> Floats:
        """The weight of one item in every row."""
        leaves = self.sets[item]
        return self.leaves.of(leaves) if len(leaves) == 1 else 1 - self.leaves.none_of(leaves)

    def of(self, itemset: Iterable[int]) -> Floats:
        """The weight of an itemset in every row."""
        members = [int(item) for item in itemset]
        if not self.share_blocks(members):
            return np.prod([self.weight(item) for item in members], axis=0)  # type: ignore[no-any-return]
        total = np.ones(self.rows)
        for size in range(1, len(members) + 1):
            for some in combinations(members, size):
                union = set().union(*(self.sets[item] for item in some))
                total += (-1) ** size * self.leaves.none_of(sorted(union))
        return total

    def share_blocks(self, members: Iterable[int]) -> bool:
        """Whether one answer bears on two of these items."""
        seen: set[int] = set()
        for item in members:
            if seen & self._blocks[item]:
                return True
            seen |= self._blocks[item]
        return False

    def apart(self, first: int, second: int) -> bool:
        """Whether two items make a pair worth counting: neither says the other, and both can be true."""
        one, two = set(self.sets[first]), set(self.sets[second])
        if one <= two or two <= one:
            return False
        attribute = self.leaves.attribute
        homes = {int(attribute[leaf]) for leaf in one | two}
        return bool(len(homes) > 1 or one & two)


class GeneralisedSums:
    """Sums over rows for itemsets of some generalised items: each item's weights as a table of the few values that they take."""

    def __init__(self, generalised: Generalised, which: Ints) -> None:
        self._generalised, self._which = generalised, which
        codes, tables, shows = [], [], []
        for item in which.tolist():
            weights, shown = generalised.weight(item), generalised.leaves.shown(generalised.sets[item])
            # Equal weights of reported and unreported rows must stay apart: the sign bit of a complex number's other part.
            values, code = np.unique(weights + 1j * shown, return_inverse=True)
            codes.append(code)
            tables.append(values.real)
            shows.append(values.imag > 0)
        widest = max(len(table) for table in tables)
        kind = np.uint8 if widest <= 1 << 8 else np.uint16 if widest <= 1 << 16 else np.uint32
        self._codes = np.stack(codes).astype(kind)
        self._starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
        self._tables, self._shows = np.concatenate(tables), np.concatenate(shows)

    def sums(self, itemsets: Any) -> Sums:
        """Reported rows, sums of weights and of their squares."""
        from deniable.kernels.row_products import row_sums

        sums = Sums(np.zeros(len(itemsets), np.int64), np.zeros(len(itemsets)), np.zeros(len(itemsets)))
        column = np.arange(len(self._which))

        def work(first: int, last: int) -> None:
            row_sums(
                self._codes, column, self._starts, self._tables, self._shows, itemsets, first, last,
                sums.reported, sums.total, sums.second,
            )  # fmt: skip

        in_threads(work, len(itemsets), float(len(itemsets)) * self._generalised.rows)
        for number, row in enumerate(self._which[itemsets].tolist()):
            if self._generalised.share_blocks(row):
                weights = self._generalised.of(row)
                sums.total[number], sums.second[number] = weights.sum(), weights @ weights
        return sums


@dataclass(frozen=True)
class Apart(Choice):
    """The choice of all whose support reaches a limit and none of whose pairs are an item and what is above it."""

    limit: float
    rows: int
    apart: Any  # items x items: whether a pair is worth counting

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, None]:
        support = sums.total / self.rows
        frequent = support >= self.limit
        if itemsets.shape[1] == 2:
            # A pair that is left out is in no longer candidate either.
            frequent &= self.apart[itemsets[:, 0], itemsets[:, 1]]
        return frequent, support, None


def generalised_levels(
    generalised: Generalised,
    min_support: float,
    max_len: int | None = None,
    progress: Progress | None = None,
    max_candidates: int = MOST_CANDIDATES,
    tally: Tally | None = None,
) -> Iterator[Level]:
    """Level after level of itemsets over all levels of the taxonomy; no itemset holds an item and what is above it.

    Parameters
    ----------
    generalised
        The transactions with what is above their items.
    min_support
        The share of the transactions that an itemset must reach.
    max_len, progress, max_candidates
        As of `dn.frequent_itemsets`.
    tally
        Counts the candidates that were tested.

    Examples
    --------
    >>> import deniable as dn
    >>> baskets = dn.Transactions([["milk", "bread"], ["water", "bread"], ["bread"], ["milk"]])
    >>> levels = generalised_levels(Generalised(baskets, {"milk": "drink", "water": "drink"}), 0.5)
    >>> [level.support.tolist() for level in levels]          # bread, milk, drink; bread and drink
    [[0.75, 0.5, 0.75], [0.5]]
    """
    tally = tally or Tally()
    tally.add(1, len(generalised.names))
    n = generalised.rows
    support = np.array([generalised.weight(item).mean() for item in range(len(generalised.names))])
    which = np.flatnonzero(support >= min_support)
    if not len(which):
        return
    numbers = which.tolist()
    apart = np.array([[generalised.apart(a, b) for b in numbers] for a in numbers])
    nothing = np.zeros(len(which))
    search = Search(
        GeneralisedSums(generalised, which), n, ItemArrays(np.arange(len(which)), nothing, nothing),
        Apart(min_support, n, apart), max_candidates, progress, tally,
    )  # fmt: skip
    for level in search.levels(max_len):
        yield replace(level, itemsets=which.astype(np.int32).take(level.itemsets))
