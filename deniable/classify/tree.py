"""`dn.ReconstructionTree`: a decision tree grown on distorted rows (papers 001, 002 chapter 3.7 and appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from deniable.classify import tree_scoring, tree_text
from deniable.classify.confusion import class_weights
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.features import MOST_FINE, Feature
from deniable.classify.latent_classes import LatentClasses
from deniable.classify.leaf_worlds import LeafWorlds, can_be_undone
from deniable.classify.pruning import pruned
from deniable.classify.shared import shared_draws
from deniable.classify.training_rows import refuse_one_class, repeated
from deniable.classify.tree_nodes import TreeNodes
from deniable.classify.worlds import Worlds
from deniable.core.allowed import Allowed, none_or, one_of, whole_from
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.errors import NotInvertibleError, SchemaError
from deniable.kernels import reconstructing, trees
from deniable.kernels.trees import (
    FIXED,
    LOCAL,
    LOCAL_ALL,
    CellArrays,
    GrowthRules,
    TrainingRows,
    assign_column,
    estimate_column,
    grow,
)
from deniable.reconstruction.agrawal_srikant import chi_square_point

EARLY_PART = 0.01

Tree = TreeNodes
"""What pickles of earlier releases call it."""


class ReconstructionTree(ReconstructingClassifier):
    """A decision tree (SPRINT-like: Gini index, binary tests, each attribute at most once per path) grown on distorted rows.

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    reconstruction : "local" (in every node, class by class), "by_class" (at the root, class by class), "global" (at the root),
        "local_all" (in every node, all classes together) or None (reports are taken for truths).
    continuous : for numbers behind noise, "em" or "as", both with the published early stop.
    nominal : for everything else "em" (maximum likelihood), "eq" (projected) or "em/as" (early stop).
    pruning : "mdl" or None.
    max_depth : most tests on a path; None: any number.
    min_samples_leaf : fewest rows in a leaf.
    reuse_attributes : whether a path may test an attribute again.
    bins : through how many cells numbers are seen.
    random_state : a seed for scores that are drawn; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> truth = pd.DataFrame({"a": rng.integers(0, 2, 4_000), "b": rng.integers(0, 2, 4_000)})
    >>> y = truth["a"] & truth["b"]
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "b": dn.KRR(dn.Binary(), 0.8)})
    >>> tree = dn.ReconstructionTree(schema).fit(schema.randomise(truth, rng), y)
    >>> tree.predict(pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).tolist()
    [0, 0, 0, 1]
    """

    _kind = "tree"
    _counts_choose_cells_only = True
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "reconstruction": one_of("local", "by_class", "global", "local_all", None),
        "continuous": one_of("em", "as"),
        "nominal": one_of("em", "eq", "em/as"),
        "pruning": one_of("mdl", None),
        "max_depth": none_or(whole_from(1)),
        "min_samples_leaf": whole_from(1),
        "bins": whole_from(2),
    }
    tree_: TreeNodes

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
            fine, classes, weights = repeated(fine, classes, weights)
        refuse_one_class(self.target_, classes)
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
        nodes, passes, counts = grow(
            TrainingRows(reported, assigned, ranks, classes, weights),
            arrays.for_kernel(),
            GrowthRules(
                np.ascontiguousarray(of_class),
                mode,
                self.reuse_attributes,
                1 << 30 if self.max_depth is None else self.max_depth,
                float(self.min_samples_leaf),
            ),
        )
        values, tables = np.ascontiguousarray(counts[:, 0]), np.ascontiguousarray(counts[:, 1:])
        attribute, left, right, _, depth = np.ascontiguousarray(nodes[:, : trees.FIRST].T, dtype=np.int32)
        if self.pruning == "mdl":
            attribute = pruned(attribute, left, right, values, arrays.ordered)
        self._take(TreeNodes(attribute.astype(np.int32), left, right, passes, values, depth, tables).compacted())

    def _take(self, tree: TreeNodes) -> None:
        self.tree_ = tree
        self._chances = tree.chances

    def _learned(self) -> dict[str, Any]:
        return {"tree": self.tree_.to_dict()}

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return (reports,)

    def _restore(self, content: dict[str, Any]) -> None:
        self.features_ = self._cells()
        self.groups_ = shared_draws(self._schema(), self.features_, self.target_.name)
        tree = TreeNodes.from_dict(content["tree"])
        tree.refuse_broken([feature.cells for feature in self.features_], len(self.classes_))
        self._take(tree)

    def _proba(self, codes: Any) -> Any:
        return self._chances[self.tree_.leaves(codes)]

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        return tree_scoring.posterior(self, codes, reported_class).sum(axis=2)

    def _unbiased(self, codes: Any, reported_class: Any, method: str) -> Any:
        return tree_scoring.unbiased(self, codes, reported_class, method)

    def _fares(self, codes: Any, worlds: Worlds, latent: LatentClasses) -> LeafWorlds | None:
        return LeafWorlds(self, codes, worlds, latent) if can_be_undone(self) else None

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return tree_scoring.guessed(self, codes, reported_class)

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
        self.ordered = np.array([f.ordered * (1 + bool(f.n_unordered)) for f in features], dtype=np.int64)
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
            if feature.tells_nothing:
                # Nothing to test, and no reason to refuse the others.
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

    def for_kernel(self) -> CellArrays:
        """As the kernel reads it."""
        return CellArrays(
            self.cells, self.reports, self.ordered, self.edges, self.noisy, self.matrices, self.inverses, self.how, self.limits,
            self.keeps, self.replacements,
        )  # fmt: skip

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
