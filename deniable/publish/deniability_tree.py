"""The deniability ensuring tree (paper 003): people are divided into groups that differ in their answers as long as every group stays
deniable, and each person's published answer is drawn from the answers of the group."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from deniable.core.domains.exact import Floats, Ints
from deniable.core.forgotten_order import rows_in_order
from deniable.core.shuffle_mark import refuse_unpaired
from deniable.core.shuffling import random_order
from deniable.errors import DataError
from deniable.progress import Progress, Silent
from deniable.publish.cells import columns_of
from deniable.publish.checks.limits import Limits
from deniable.publish.drawing import draw_codes
from deniable.publish.encoding import MOST_CATEGORIES, quantiles, read_sensitive, read_table
from deniable.publish.fitted_tree import FittedTree
from deniable.publish.growing import Grower, GrowthSettings, greedy
from deniable.publish.guarantees import Guarantees, guarantees
from deniable.publish.guided_search import GuidedSearch
from deniable.publish.impossible_rules import refuse_impossible
from deniable.publish.parameters import check_parameters
from deniable.publish.rules import Rules
from deniable.publish.text import export_text, picture
from deniable.publish.tree import CATEGORIES, GROUPED, ORDERED, Tree, flatten

_ONE_FRAME = "Take both from one frame."


class DeniabilityTree(BaseEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """A tree whose leaves are groups of people with enough different answers for each of them to deny theirs.

    Deniability of a group is the entropy of its answers over the most that entropy can be, all possible answers counted (003, equation 3).
    An attribute may split a group if no part falls below `min_deniability`; the one that changes the answers most is taken: the mean over
    the rows of distance(answers of the part, answers of the group), as long as it is above `min_change`. Numbers are cut where the sum is
    largest (003, Algorithm 1 corrected: any number of cuts, equal values together). Each attribute is asked once on a path.

    Parameters
    ----------
    min_deniability : in [0, 1]. It sounds larger than it is: 0.1 of a yes/no answer is met by a minority of 1.3%. See `minority_share_`.
    min_change : least change that makes a split worth it, on the scale of the distance between shares p and q of k answers:
        "squared" sum (p - q)^2 / k (at most 2 / k), "euclidean" the root of that sum / k (at most 1.42 / k), "cosine" 1 - cos (at most 1),
        "total_variation" half the sum of |p - q| (at most 1), "chi2" sum (p - q)^2 / q (at most 1 / min q - 1).
    distance : which of them.
    max_depth : most questions on a path.
    search : "greedy" (the paper's), "beam" (finish the `beam_width` most promising splits of every node and keep the best) or
        "backtracking" (best of 2, 3, ... splits at every node with their own best subtrees). Both are guided by expected accuracy and stop
        after `time_budget` seconds (None: never) with the best tree so far, which is never worse by its guide than the greedy one.
    min_rows, max_posterior, max_skew : further rules for every leaf: fewest rows, largest share of one answer, largest distance (total
        variation) of its answers from those of all rows.
    max_skew_ratio : the same relatively: how many times as frequent an answer may be in a leaf as among all rows; None: any number.
    max_ruled_out : largest share of an answer in a leaf among those who did not give another one (asked of three answers or more).
    mix : share of each draw that comes from the answers of all rows instead of the leaf's; gives a finite `epsilon_`.
    group : whether categories may share a branch. All groupings of up to 8 categories are compared; more are ordered by their answers.
    reuse : whether an attribute may be asked again further down.
    categorical : names of columns of numbers that are categories. Everything that is no number is categories anyway.
    missing : the label of missing cells; without it they are refused.
    outcomes : all possible answers, if some of them occur nowhere (a list, or for several sensitive columns a mapping).
    max_categories : most categories of a column.
    resolution : most places to cut a column of numbers; None tries them all.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame({"age": rng.integers(18, 90, 2000), "town": rng.choice(["A", "B"], 2000)})
    >>> smokes = pd.Series(np.where(rng.random(2000) < np.where(people.age < 40, 0.6, 0.1), "yes", "no"), name="smokes")
    >>> tree = dn.DeniabilityTree(0.4, min_change=0.01, min_rows=20).fit(people, smokes)
    >>> tree.deniability_ >= 0.4, tree.expected_accuracy(people, smokes) > 0.6
    (True, True)
    >>> published = tree.publish(people)
    >>> list(published.columns), sorted(published["age"]) == sorted(people["age"])
    (['age', 'town', 'smokes'], True)
    """

    def __init__(
        self,
        min_deniability: float = 0.1,
        min_change: float = 0.0,
        distance: str = "squared",
        max_depth: int | None = None,
        search: str = "greedy",
        *,
        beam_width: int = 4,
        time_budget: float | None = 30.0,
        min_rows: int = 1,
        max_posterior: float = 1.0,
        max_skew: float = 1.0,
        max_skew_ratio: float | None = None,
        max_ruled_out: float = 1.0,
        mix: float = 0.0,
        group: bool = False,
        reuse: bool = False,
        categorical: Iterable[str] | None = None,
        missing: str | None = None,
        outcomes: Any = None,
        max_categories: int = MOST_CATEGORIES,
        resolution: int | None = None,
    ) -> None:
        self.min_deniability = min_deniability
        self.min_change = min_change
        self.distance = distance
        self.max_depth = max_depth
        self.search = search
        self.beam_width = beam_width
        self.time_budget = time_budget
        self.min_rows = min_rows
        self.max_posterior = max_posterior
        self.max_skew = max_skew
        self.max_skew_ratio = max_skew_ratio
        self.max_ruled_out = max_ruled_out
        self.mix = mix
        self.group = group
        self.reuse = reuse
        self.categorical = categorical
        self.missing = missing
        self.outcomes = outcomes
        self.max_categories = max_categories
        self.resolution = resolution

    def fit(
        self,
        X: Any,
        y: Any,
        validation: tuple[Any, Any] | None = None,
        progress: Progress | None = None,
        by_identifiers: bool = True,
    ) -> DeniabilityTree:
        """Find the groups.

        Parameters
        ----------
        X : the other columns. Those that only name people never divide them.
        y : the sensitive column, or a frame of several that are hidden jointly: then every one of them, and their combination, keeps the
            minimum in every leaf.
        validation : other rows, as (X, y), by whose expected accuracy searches are guided; None: they are guided by how many of these
            very rows keep their answers.
        progress : a listener for long work.
        by_identifiers : whether measurements that identify people (a salary to the cent) may divide them.

        Returns
        -------
        DeniabilityTree
            Itself.
        """
        check_parameters(self.get_params())
        refuse_unpaired(X, y, ("X", "y"), _ONE_FRAME)
        self.sensitive_, labels = read_sensitive(y, self.outcomes, self.missing)
        columns = columns_of(X)
        both = [name for name in self.sensitive_.names if name in columns]
        if both:
            raise DataError(
                "sensitive_in_x",
                "{got} is in X and in y: the true answers would be used to divide people into groups. Drop it from X.",
                got=both,
            )
        attributes, codes = read_table(X, self.categorical, self.missing, self.max_categories)
        if codes.shape[1] != len(labels):
            raise DataError("rows_differ", "X has {a:,} rows and y has {b:,}.", a=codes.shape[1], b=len(labels))
        if self.resolution is not None:
            for f, attribute in enumerate(attributes):
                attributes[f], codes[f] = quantiles(attribute, codes[f], self.resolution)
        self.feature_names_in_ = np.asarray(list(columns), dtype=object)
        self.n_features_in_ = len(attributes)
        self.classes_ = [self.sensitive_.label(code) for code in range(self.sensitive_.outcomes)]
        self.counts_ = np.bincount(labels, minlength=self.sensitive_.outcomes)
        refuse_impossible(self._rules, self.sensitive_, self.counts_)
        forms = np.asarray([ORDERED if a.ordered else GROUPED if self.group else CATEGORIES for a in attributes])
        flat, self.search_finished_ = self._grow(
            attributes, codes, forms, labels, validation, progress or Silent(), by_identifiers
        )
        self.tree_ = Tree(flat, attributes, forms)
        return self

    def _grow(
        self, attributes: Any, codes: Any, forms: Any, labels: Any, validation: Any, progress: Progress, by_identifiers: bool
    ) -> tuple[Any, bool]:
        whole = self.counts_ / self.counts_.sum()
        for_kernel = self._rules.for_kernel(len(labels), self.sensitive_.views, self.sensitive_.view_outcomes, whole)
        usable = np.asarray([a.usable and (by_identifiers or not a.identifier) for a in attributes])
        sizes = np.asarray([len(a.values) for a in attributes])
        settings = GrowthSettings(self.distance, float(self.min_change), self.max_depth, self.reuse)
        grower = Grower(codes, sizes, forms, labels, for_kernel, settings, usable)
        rows = np.arange(len(labels), dtype=np.int32)
        progress.start("looking for groups (rows)", len(labels))
        try:
            if self.search == "greedy":
                return flatten(greedy(grower, rows, grower.blocked, 0, progress)), True
            template = Tree(flatten(grower.greedy(rows[:1].copy(), grower.blocked, 0)), attributes, forms)
            guide = None
            if validation is not None:
                held = columns_of(validation[0])
                positions = np.asarray([a.positions(held[a.name]) for a in attributes])
                guide = (positions, self.sensitive_.codes(validation[1]))
            search = GuidedSearch(grower, template, guide, self.time_budget, progress)
            guided = np.arange(0 if guide is None else len(guide[1]))
            if self.search == "beam":
                top = search.beam(rows, grower.blocked, 0, guided, self.beam_width)
            else:
                top = search.backtracking(rows, grower.blocked, guided)
            return flatten(top), search.finished
        finally:
            progress.finish()

    @property
    def _rules(self) -> Rules:
        return Rules(
            float(self.min_deniability),
            self.min_rows,
            float(self.max_posterior),
            float(self.max_skew),
            math.inf if self.max_skew_ratio is None else float(self.max_skew_ratio),
            float(self.max_ruled_out),
        )

    @property
    def fitted_(self) -> FittedTree:
        """What was found, as data. The rules are those that are set now, as they count for whatever is measured and drawn next."""
        if not hasattr(self, "tree_"):
            raise NotFittedError("This DeniabilityTree is not fitted yet; call fit(X, y) first.")
        return FittedTree(self.tree_, self.sensitive_, self.counts_, self._rules, self.max_depth, self.mix)

    @property
    def minority_share_(self) -> float:
        """The least minority that `min_deniability` leaves in any leaf and any sensitive column: 0.1 of a yes/no answer is 1.3%.

        The minority of a column are those who did not give its most frequent answer. Of columns hidden jointly it is the smallest, not
        that of their combination, which is always larger: anyone who has another answer in one column has another combination too.
        """
        return self.fitted_.minority_share

    @property
    def minority_shares_(self) -> dict[str, float]:
        """The same of each sensitive column by itself: columns with more possible answers keep a larger minority."""
        return self.fitted_.minority_shares

    @property
    def leaves_(self) -> Ints:
        """The nodes that are leaves."""
        return self.fitted_.leaves

    @property
    def deniability_(self) -> float:
        """The smallest deniability of any leaf, in any sensitive attribute and in their combination."""
        return self.fitted_.deniability

    def leaf_deniability(self) -> Floats:
        """Deniability of every leaf (one row per leaf, in the order of `leaves_`): of the combination and of each attribute."""
        return self.fitted_.deniability_of_nodes(self.leaves_)

    @property
    def epsilon_(self) -> float:
        """What one person's answer can change in all that is published, given the tree and the overall shares as public: infinite without
        `mix`. The tree itself, which was found by looking at the answers, is not covered."""
        return self.fitted_.epsilon

    def apply(self, X: Any) -> Ints:
        """The node where each row comes to rest: its leaf, or the node at which it has a category that was never seen."""
        return self.fitted_.apply(X)

    def predict_proba(self, X: Any) -> Floats:
        """For each row the probabilities of the answers that may be published for it, in the order of `classes_`."""
        nodes, place = np.unique(self.apply(X), return_inverse=True)
        weights = self.fitted_.weights(nodes)
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares[place]

    def expected_accuracy(self, X: Any, y: Any) -> float:
        """The mean over the rows of the probability that the published answer is the one in `y` (003, 3.4, the DenETree classifier).

        On the rows of `fit` it is the share of answers that are published unchanged; on other rows it predicts, roughly, the accuracy of
        classifiers that learn from the published set.
        """
        refuse_unpaired(X, y, ("X", "y"), _ONE_FRAME)
        nodes, place = np.unique(self.apply(X), return_inverse=True)
        labels = self.sensitive_.codes(y)
        if len(labels) != len(place):
            raise DataError("rows_differ", "X has {a:,} rows and y has {b:,}.", a=len(place), b=len(labels))
        weights = self.fitted_.weights(nodes)
        return float((weights[place, labels] / weights.sum(axis=1)[place]).mean())

    def draw(self, X: Any, rng: np.random.Generator | None = None) -> Ints:
        """A code (place in `classes_`) for each row, drawn exactly by the weights of its leaf; `rng=None`: the system's randomness."""
        nodes, place = np.unique(self.apply(X), return_inverse=True)
        return draw_codes(place, np.cumsum(self.fitted_.weights(nodes), axis=1), rng)

    def publish(self, X: Any, rng: np.random.Generator | None = None, shuffle: bool = True) -> Any:
        """The table to publish: every column of X as it is and the sensitive column with drawn answers, rows in random order.

        If X has a column of that name (the true answers), it is replaced in its place; otherwise the new one comes last.
        `shuffle=False` keeps the order of rows, by which people may be found. For an array instead of a frame only the drawn answers
        are returned, one for each row in its order.
        """
        drawn = self.draw(X, rng)
        columns = self.sensitive_.columns(drawn)
        if isinstance(X, (np.ndarray, list, tuple)):
            arrays = [column.to_numpy(zero_copy_only=False) for column in columns.values()]
            return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=1)
        frame = nw.from_native(X, eager_only=True)
        new = nw.from_arrow(pa.table(columns), backend=frame.implementation)
        if hasattr(X, "index"):
            new = nw.from_native(new.to_native().set_axis(X.index, axis=0), eager_only=True)
        out = frame.with_columns(new[name] for name in columns)
        if not shuffle:
            return out.to_native()
        shuffled = rows_in_order(out.to_native(), random_order(len(drawn), rng))
        # The labels of an index would tell the order.
        return shuffled.reset_index(drop=True) if hasattr(shuffled, "reset_index") else shuffled

    def guarantees(
        self, X: Any, y: Any, limits: Limits | None = None, published: Any = None, shuffled: bool = False
    ) -> Guarantees:
        """What is promised and what is still exposed if these rows are published.

        Parameters
        ----------
        X : the other columns.
        y : the true answers.
        limits : from where on something counts as exposed; None: the usual limits.
        published : the same rows in the same order with drawn answers, to count how many kept theirs.
        shuffled : whether the rows are published in another order than this.

        Returns
        -------
        Guarantees
            Every check, with the rows that are exposed.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> people, ill = pd.DataFrame({"town": ["A", "B"] * 50}), pd.Series(["yes"] * 50 + ["no"] * 50, name="ill")
        >>> dn.DeniabilityTree(0.5).fit(people, ill).guarantees(people, ill, shuffled=True).passed
        True
        """
        return guarantees(self.fitted_, X, y, limits, published, shuffled=shuffled)

    def export_text(self, max_depth: int | None = None) -> str:
        """The tree in words: at every leaf its rows, its deniability with the minority this means, and its answers."""
        return export_text(self.fitted_, max_depth)

    def plot(self, max_depth: int = 3, max_leaves: int = 24) -> Any:
        """A picture of the tree's first levels; save it with `deniable.charts.save`."""
        # Altair loads with the first picture.
        from deniable.charts import with_picture

        return with_picture(picture(self.fitted_, max_depth, max_leaves))
