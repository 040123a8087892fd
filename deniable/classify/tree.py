"""`dn.ReconstructionTree`: a decision tree grown on distorted rows (papers 001, 002 chapter 3.7 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify import tree_scoring, tree_text
from deniable.classify.confusion import class_weights
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.features import MOST_FINE, Feature
from deniable.classify.pruning import pruned
from deniable.classify.shared import shared_draws
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.errors import DataError, NotInvertibleError, ParameterError, SchemaError
from deniable.kernels import reconstructing, trees
from deniable.kernels.trees import FIXED, LOCAL, LOCAL_ALL, assign_column, estimate_column, grow, leaves_of
from deniable.reconstruction.agrawal_srikant import chi_square_point

RECONSTRUCTIONS = ("local", "by_class", "global", "local_all", None)
CONTINUOUS = ("em", "as")
NOMINAL = ("em", "eq", "em/as")
EARLY_PART = 0.01
MOST_REPEATED = 20_000_000
"""Cells of rows that are repeated by their weights."""


@dataclass
class Tree:
    """Nodes in arrays: which attribute is tested (-1: leaf), children, the cells that pass to the left, counts of the classes and
    the estimated counts [cell, class] of the attribute that is tested."""

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


class ReconstructionTree(ReconstructingClassifier):
    """A decision tree (SPRINT-like: Gini index, binary tests, an attribute once a path) grown on distorted rows.

    - `reconstruction`: "local" (in every node, class by class), "by_class" (at the root, class by class), "global" (at the root),
      "local_all" (in every node, all classes together) or None (reports are taken for truths).
    - `continuous`: for numbers behind noise, "em" or "as", both with the published early stop; `nominal`: for everything else "em"
      (maximum likelihood), "eq" (projected) or "em/as" (early stop).
    - `pruning`: "mdl" or None; `reuse_attributes` lets a path test an attribute again; numbers are seen through `bins` cells.

    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> truth = pd.DataFrame({"a": rng.integers(0, 2, 4_000), "b": rng.integers(0, 2, 4_000)})
    >>> y = truth["a"] & truth["b"]
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "b": dn.KRR(dn.Binary(), 0.8)})
    >>> tree = dn.ReconstructionTree(schema).fit(schema.randomise(truth, rng), y)
    >>> tree.predict(pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).tolist()
    [0, 0, 0, 1]
    """

    def __init__(
        self,
        schema: Any = None,
        reconstruction: str | None = "local",
        continuous: str = "em",
        nominal: str = "em",
        pruning: str | None = "mdl",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        reuse_attributes: bool = False,
        bins: int = 10,
        random_state: Any = None,
    ) -> None:
        self.schema = schema
        self.reconstruction = reconstruction
        self.continuous = continuous
        self.nominal = nominal
        self.pruning = pruning
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.reuse_attributes = reuse_attributes
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ReconstructionTree:
        """Grow on distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        A row with `sample_weight` 2 counts as two rows. Whole weights give the tree of the repeated rows; otherwise, and where repeating
        them would take too much room, a row goes one way as a whole.
        """
        self._check_parameters()
        columns, classes, weights = self._read_training(X, y, sample_weight)
        bad: list[BadCells] = []
        fine = [attribute.reported(columns[attribute.name], bad) for attribute in self.attributes_]
        raise_bad_cells(bad)
        if weights is not None:
            fine, classes, weights = _repeated(fine, classes, weights)
        if self.target_.name is not None and not self.target_.hidden and (classes == classes[0]).all():
            raise DataError(
                "one_class", "The class {name!r} has one value only in the data ({got!r}): there is nothing to tell apart.",
                name=self.target_.name, got=self.classes_[classes[0]],
            )  # fmt: skip
        self._counts = [
            np.bincount(codes, weights, minlength=attribute.reported_size)
            for attribute, codes in zip(self.attributes_, fine, strict=True)
        ]
        self.features_ = self._cells()
        self.groups_ = shared_draws(self._schema(), self.features_, self.target_.name)
        self._refuse_class_in_group()
        reported = np.stack([f.of_reported[codes] for f, codes in zip(self.features_, fine, strict=True)]).astype(np.int64)
        ranks = np.zeros_like(reported)
        for i, feature in enumerate(self.features_):
            if feature.noisy:
                ranks[i, np.argsort(fine[i], kind="stable")] = np.arange(len(classes))
        self._grow(reported, ranks, np.asarray(classes, dtype=np.int64), np.ones(len(classes)) if weights is None else weights)
        return self

    def _cells(self) -> list[Feature]:
        return [
            attribute.cells(counts, self.bins, MOST_FINE)
            for attribute, counts in zip(self.attributes_, self._counts, strict=True)
        ]

    def _check_parameters(self) -> None:
        choices = {"reconstruction": RECONSTRUCTIONS, "continuous": CONTINUOUS, "nominal": NOMINAL, "pruning": ("mdl", None)}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ParameterError(
                    name, "ReconstructionTree: {name} must be one of {allowed}, got {got!r}.",
                    name=name, allowed=list(allowed), got=getattr(self, name),
                )  # fmt: skip
        for name, least in (("max_depth", 1), ("min_samples_leaf", 1), ("bins", 2)):
            value = getattr(self, name)
            if value is None and name == "max_depth":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise ParameterError(
                    name, "ReconstructionTree: {name} must be a whole number of at least {least}, got {got!r}.",
                    name=name, least=least, got=value,
                )  # fmt: skip

    def _refuse_class_in_group(self) -> None:
        for group in self.groups_:
            if group.class_name is not None and self.target_.hidden:
                raise SchemaError(
                    "class_in_group",
                    "A tree cannot learn a class {name!r} that shares its draw with attributes ({group!r}): rows sent to a node "
                    "are no random part of the told ones. Use dn.ReconstructionNaiveBayes.",
                    name=group.class_name,
                    group=group.channel.name,
                )

    def _grow(self, reported: Any, ranks: Any, classes: Any, weights: Any) -> None:
        arrays = _Arrays(self.features_, self.continuous, self.nominal, self.reconstruction is not None)
        of_class = class_weights(self.target_.matrix) if self.target_.hidden else np.eye(len(self.classes_))
        if of_class is None:
            raise NotInvertibleError("class_not_determined", "The reported class does not determine the class.")
        assigned = reported.copy()
        if self.reconstruction is None:
            for i, feature in enumerate(self.features_):
                assigned[i] = feature.of_true_of_reported[reported[i]]
        elif self.reconstruction in ("by_class", "global"):
            by_class = self.reconstruction == "by_class"
            for i, feature in enumerate(self.features_):
                if arrays.how[i] == reconstructing.COPY or arrays.cells[i] < 2:
                    continue
                estimate = arrays.estimate(i, reported[i], classes, weights, of_class.shape[0], by_class)
                matrix = feature.matrix
                assigned[i] = assign_column(
                    reported[i],
                    ranks[i],
                    classes,
                    weights,
                    estimate,
                    matrix,
                    feature.noisy,
                    np.zeros(len(matrix), dtype=bool),
                    False,
                    by_class,
                )
        mode = {"local": LOCAL, "local_all": LOCAL_ALL}.get(str(self.reconstruction), FIXED)
        grown = grow(
            reported, assigned, ranks, classes, weights, np.ascontiguousarray(of_class), arrays.cells, arrays.reports, arrays.ordered,
            arrays.edges, arrays.noisy, arrays.matrices, arrays.inverses, arrays.how, arrays.limits, arrays.keeps, arrays.replacements,
            mode, self.reuse_attributes, 1 << 30 if self.max_depth is None else self.max_depth, float(self.min_samples_leaf),
        )  # fmt: skip
        nodes, passes, counts = grown
        values, tables = np.ascontiguousarray(counts[:, 0]), np.ascontiguousarray(counts[:, 1:])
        attribute, left, right, _, depth = np.ascontiguousarray(nodes[:, : trees.FIRST].T, dtype=np.int32)
        if self.pruning == "mdl":
            attribute = pruned(attribute, left, right, values, arrays.ordered)
        self.tree_ = _compact(Tree(attribute.astype(np.int32), left, right, passes, values, depth, tables))
        self._chances = self.tree_.chances

    def _proba(self, codes: Any) -> Any:
        return self._chances[self.tree_.leaves(codes)]

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        return tree_scoring.posterior(self, codes, reported_class).sum(axis=2)

    def _confusion(self, codes: Any, reported_class: Any, method: str) -> tuple[Any, str]:
        return tree_scoring.confusion(self, codes, reported_class, method)

    def get_depth(self) -> int:
        """How many tests the longest path has."""
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """How many leaves there are."""
        return int((self.tree_.attribute < 0).sum())

    def export_text(self, max_depth: int = 10) -> str:
        """The tree as indented text, with the estimated number of each class in the leaves.

        >>> import deniable as dn, pandas as pd
        >>> X = pd.DataFrame({"sport car": ["yes", "no", "no", "yes"] * 5, "age": [20, 40, 45, 50] * 5})
        >>> print(dn.ReconstructionTree().fit(X, ["high", "low", "low", "high"] * 5).export_text())
        sport car in {no}
          yes: low (10 of 10)
          no:  high (10 of 10)
        """
        return tree_text.export_text(self, max_depth)

    def plot(self, max_depth: int = 4) -> Any:
        """The tree as an Altair picture."""
        from deniable.charts import with_picture
        from deniable.charts.decision_tree import decision_tree_chart

        return with_picture(decision_tree_chart(*tree_text.layout(self, max_depth)))


class _Arrays:
    """The features as rectangular arrays for the kernels."""

    def __init__(self, features: list[Feature], continuous: str, nominal: str, wanted: bool) -> None:
        m = len(features)
        self.cells = np.array([f.matrix.shape[0] for f in features], dtype=np.int64)
        self.reports = np.array([f.matrix.shape[1] for f in features], dtype=np.int64)
        most, most_reports = int(self.cells.max()), int(self.reports.max())
        # Undistorted attributes are copied, so their (large) identity matrices are left out.
        hidden = [wanted and not np.array_equal(f.matrix, np.eye(f.cells)) for f in features]
        self.ordered = np.array([f.ordered * (1 + bool(f.apart)) for f in features], dtype=np.int64)
        # Where cells of numbers meet; of ordered labels the places between them.
        self.edges = np.tile(np.arange(float(max(most - 1, 1))), (m, 1))
        for i, f in enumerate(features):
            if f.edges is not None:
                self.edges[i, : len(f.edges)] = f.edges
        self.noisy = np.array([f.noisy for f in features])
        self.how = np.zeros(m, dtype=np.int64)
        self.limits = np.zeros(m)
        self.keeps = np.zeros(m)
        self.replacements = np.zeros((m, most_reports))
        any_hidden = any(hidden)
        self.matrices = np.zeros((m, most, most_reports)) if any_hidden else np.zeros((m, 1, 1))
        self.inverses = np.zeros((m, most_reports, most)) if any_hidden else np.zeros((m, 1, 1))
        for i, feature in enumerate(features):
            if not hidden[i]:
                continue
            if np.allclose(feature.matrix, feature.matrix[:1]):
                # Reports say nothing about the truth (yes/no kept with 1/2): nothing to test, and no reason to refuse the others.
                self.cells[i] = 1
                continue
            k, o = self.cells[i], self.reports[i]
            matrix = (
                feature.midpoints if feature.noisy and continuous == "as" and feature.midpoints is not None else feature.matrix
            )
            self.matrices[i, :k, :o] = matrix
            self.limits[i] = EARLY_PART * chi_square_point(max(int(k), 2))
            self.how[i] = self._method(feature, continuous, nominal, i)
            if self.how[i] == reconstructing.EQ:
                inverse = feature.inverse()
                if inverse is None:
                    raise NotInvertibleError(
                        "not_determined", "Attribute {name!r}: its reports do not determine the truth; use nominal='em'.",
                        name=feature.name,
                    )  # fmt: skip
                self.inverses[i, :o, :k] = inverse

    def _method(self, feature: Feature, continuous: str, nominal: str, i: int) -> int:
        if feature.noisy:
            return reconstructing.EARLY
        if nominal == "eq":
            return reconstructing.EQ
        if nominal == "em/as":
            return reconstructing.EARLY
        mixture = feature.law.keep_and_replacement()
        if mixture is None or mixture[0] <= 0:
            return reconstructing.CONVERGED
        self.keeps[i] = mixture[0]
        self.replacements[i, : len(mixture[1])] = mixture[1]
        return reconstructing.FILLED

    def estimate(self, i: int, reports: Any, classes: Any, weights: Any, kinds: int, by_class: bool) -> Any:
        """Estimated counts [cell, class] of one attribute in all rows."""
        k, o = self.cells[i], self.reports[i]
        return estimate_column(
            reports, classes, weights, kinds, self.matrices[i, :k, :o], self.inverses[i, :o, :k], self.how[i], self.limits[i],
            self.keeps[i], self.replacements[i, :o], by_class,
        )  # fmt: skip


def _repeated(fine: list[Any], classes: Any, weights: Any) -> tuple[list[Any], Any, Any]:
    """Rows as often as their whole weights say, where there is room for them; else rows that count, and their weights."""
    total = float(weights.sum())
    if (weights == np.rint(weights)).all() and (total <= 2 * len(weights) or total * len(fine) <= MOST_REPEATED):
        rows = np.repeat(np.arange(len(weights)), weights.astype(np.int64))
        return [codes[rows] for codes in fine], classes[rows], None
    rows = np.flatnonzero(weights)
    return [codes[rows] for codes in fine], classes[rows], weights[rows]


def _compact(tree: Tree) -> Tree:
    """The tree without the nodes that pruning cut off; a leaf keeps no test."""
    order, place = [0], 0
    while place < len(order):
        node = order[place]
        if tree.attribute[node] >= 0:
            order += [int(tree.left[node]), int(tree.right[node])]
        place += 1
    new = {node: i for i, node in enumerate(order)}
    inner = tree.attribute[order] >= 0
    left = np.array(
        [new[int(tree.left[node])] if keep else -1 for node, keep in zip(order, inner, strict=True)], dtype=np.int32
    )
    right = np.array(
        [new[int(tree.right[node])] if keep else -1 for node, keep in zip(order, inner, strict=True)], dtype=np.int32
    )
    return Tree(
        tree.attribute[order], left, right, tree.passes[order], tree.values[order].copy(), tree.depth[order], tree.tables[order]
    )
