"""`dn.UnbiasedForest`: many trees on reports, in which rows count by unbiased weights of the path they are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.utils import check_random_state

from deniable.classify.confusion import class_weights, inflation, scaled
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.features import MOST_FINE
from deniable.classify.forest.cells import forest_cells
from deniable.classify.forest.reported import chances_of_reports
from deniable.classify.forest.trees import Trees, shrunk_chances
from deniable.classify.parallel import finished
from deniable.classify.shared import SharedDraw, shared_draws
from deniable.classify.single_attributes import SingleAttributes
from deniable.classify.training_rows import read_reports, refuse_one_class
from deniable.core.allowed import Allowed, is_number, none_or, whole_from
from deniable.errors import NotInvertibleError, SchemaError
from deniable.kernels.forests import ForestRules, grow_tree
from deniable.kernels.path_weights import ForestCells, ForestRows
from deniable.progress import Progress, Silent

DEEPEST = 30
"""The most tests on a path where no other number is given."""
AT_LEAST_0 = Allowed("a number of at least 0", lambda value: is_number(value) and 0 <= value < float("inf"))


class UnbiasedForest(ReconstructingClassifier):
    """A random forest grown on distorted rows by unbiased path weights.

    On the way to a node every tested attribute has a set S of cells that are left. A row counts there by the product of one weight for each
    tested attribute: the sum over S of the inverse of its channel at the report (attributes that share a draw: jointly). So sums of rows,
    which may count less than 0, are unbiased for counts of truths in every node, and (sum of weights)^2 / sum of squares says how
    many true rows would tell as much. Where an inverse has weights above 10, as that of noise, weights are bounded instead, with a bias.

    Each tree is chosen by the rows of a bootstrap sample and estimated on all others.

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    n_estimators : how many trees there are.
    max_depth : most tests on a path; None: up to 30.
    max_features : which share of the attributes is looked at in each node, at random.
    min_effective : least effective size of both parts of a test.
    shrinkage : nodes are shrunk to their parents as if so many rows said the same as those.
    sharpness : the odds of the mean tree against the shares of the classes are raised to this power, or to a lower one where little is
        hidden (1 where nothing is): noise in the leaves, which the mean takes out, made each tree cautious.
    bins : through how many cells hidden numbers are seen.
    n_jobs : how many threads grow trees, as joblib reads it. It changes nothing but the time.
    random_state : a seed; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> truth = pd.DataFrame({"a": rng.integers(0, 2, 4_000), "b": rng.integers(0, 2, 4_000)})
    >>> y = truth["a"] ^ truth["b"]
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8), "b": dn.KRR(dn.Binary(), 0.8)})
    >>> forest = dn.UnbiasedForest(schema, max_features=1.0).fit(schema.randomise(truth, rng), y)
    >>> forest.predict(pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})).tolist()
    [0, 1, 1, 0]
    """

    _kind = "forest"
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_estimators": whole_from(1),
        "max_depth": none_or(
            Allowed("a whole number from 1 to 30", lambda value: whole_from(1).fits(value) and value <= DEEPEST)
        ),
        "max_features": Allowed("a share above 0, at most 1", lambda value: is_number(value) and 0 < value <= 1),
        "min_effective": AT_LEAST_0,
        "shrinkage": AT_LEAST_0,
        "sharpness": Allowed("a number of at least 1", lambda value: is_number(value) and 1 <= value < float("inf")),
        "bins": whole_from(2),
    }
    trees_: Trees
    groups_: list[SharedDraw]

    def __init__(
        self,
        schema: Any = None,
        n_estimators: int = 80,
        max_depth: int | None = 6,
        max_features: float = 2 / 3,
        min_effective: float = 3.0,
        shrinkage: float = 1.0,
        sharpness: float = 2.0,
        bins: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.schema = schema
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_effective = min_effective
        self.shrinkage = shrinkage
        self.sharpness = sharpness
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, progress: Progress | None = None) -> UnbiasedForest:
        """Grow on distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        A row with `sample_weight` 2 counts as two rows. The order of rows does not matter. `progress` is told of every tree.
        """
        self._check_parameters()
        columns, classes, weights = self._read_training(X, y, sample_weight)
        fine, classes, weights = read_reports(self.attributes_, columns, classes, weights)
        refuse_one_class(self.target_, classes)
        kinds = self.target_.matrix.shape[1]
        self._counts = [
            np.bincount(classes * attribute.reported_size + codes, weights, kinds * attribute.reported_size).reshape(kinds, -1)
            for attribute, codes in zip(self.attributes_, fine, strict=True)
        ]
        cells = self._know_cells()
        of_class = class_weights(self.target_.matrix)
        if of_class is None:
            raise NotInvertibleError("class_not_determined", "The reported class does not determine the class.")
        reports = np.stack([f.of_reported[codes] for f, codes in zip(self.features_, fine, strict=True)]).astype(np.int32)
        rows = ForestRows(reports, classes.astype(np.int64), np.ones(len(classes)) if weights is None else weights)
        self._grow(rows, cells, np.ascontiguousarray(of_class), progress or Silent())
        return self

    def _know_cells(self) -> ForestCells:
        self.features_ = [
            attribute.cells(counts.sum(axis=0), self.bins, MOST_FINE)
            for attribute, counts in zip(self.attributes_, self._counts, strict=True)
        ]
        self.groups_ = shared_draws(self._schema(), self.features_, self.target_.name)
        self._single: SingleAttributes | None = None
        for group in self.groups_:
            if group.class_name is not None and self.target_.hidden:
                raise SchemaError(
                    "class_in_group",
                    "UnbiasedForest cannot learn a class {name!r} that shares its draw with attributes ({group!r}). Use "
                    "dn.ReconstructionNaiveBayes.",
                    name=group.class_name,
                    group=group.channel.name,
                )
        return forest_cells(self.features_, self.groups_)

    def _grow(self, rows: ForestRows, cells: ForestCells, of_class: Any, progress: Progress) -> None:
        usable = int((cells.cells > 1).sum())
        rules = ForestRules(
            of_class,
            DEEPEST if self.max_depth is None else int(self.max_depth),
            float(self.min_effective),
            max(1, round(float(self.max_features) * usable)),
        )
        entropy = check_random_state(0 if self.random_state is None else self.random_state).randint(1 << 31)
        settings = (cells, rules, float(self.shrinkage), inflation(of_class))
        seeds = np.random.SeedSequence(entropy).spawn(self.n_estimators)
        # Arrays as arguments of their own are sent once where other machines grow trees.
        work = (delayed(_one_tree)(*rows, *settings, seed) for seed in seeds)
        progress.start("trees", self.n_estimators)
        grown, kept = [], []
        try:
            # Compiled code lets other threads work; threads also need no copies of the rows.
            for tree, share in finished(work, self.n_jobs, threads=True):
                grown.append(tree)
                kept.append(share)
                progress.advance(1)
        finally:
            progress.finish()
        self.trees_ = Trees.of(grown)
        self.class_prior_ = self.trees_.nodes.chances[self.trees_.nodes.roots].mean(axis=0)
        self.power_ = min(float(self.sharpness), 1 / max(float(np.mean(kept)), 1e-12))

    def _sharpened(self, chances: Any) -> Any:
        prior = np.maximum(self.class_prior_, 1e-12)
        logs = np.log(prior) + self.power_ * (np.log(np.maximum(chances, 1e-12)) - np.log(prior))
        raised = np.exp(logs - logs.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True)

    def _proba(self, codes: Any) -> Any:
        return self._sharpened(self.trees_.chances(codes))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        if any(feature.hidden for feature in self.features_):
            # Not sharpened: that truths are hidden is a reason for caution that stays.
            chances = chances_of_reports(self, self._one_by_one(), codes)
        else:
            chances = self._proba(codes)
        if reported_class is None:
            return chances
        return scaled(chances * self.target_.matrix[:, reported_class].T)

    def _one_by_one(self) -> SingleAttributes:
        if self._single is None:
            self._single = SingleAttributes(self)
        return self._single

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return self._one_by_one().guessed(codes, reported_class)

    def _learned(self) -> dict[str, Any]:
        kept = ("schema", "random_state", "n_jobs")
        return {
            "parameters": {name: value for name, value in self.get_params().items() if name not in kept},
            "trees": self.trees_.to_dict(),
            "power": self.power_,
        }

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _restore(self, content: dict[str, Any]) -> None:
        self._know_cells()
        self.trees_ = Trees.from_dict(content["trees"], [feature.cells for feature in self.features_], len(self.classes_))
        self.class_prior_ = self.trees_.nodes.chances[self.trees_.nodes.roots].mean(axis=0)
        self.power_ = float(content["power"])
        if not 1 <= self.power_ <= self.sharpness:
            raise ValueError("its power must lie between 1 and its sharpness")


def _one_tree(
    reports: Any,
    labels: Any,
    weights: Any,
    cells: ForestCells,
    rules: ForestRules,
    shrinkage: float,
    of_class: float,
    seed: Any,
) -> Any:
    """A tree that a bootstrap sample chooses and the other rows estimate, and how much of a true row a row in its leaves tells.

    The first three arguments are those of `ForestRows`.
    """
    rows = ForestRows(reports, labels, weights)
    # Arrays that may not be written to, as other processes get them, would be compiled for once more.
    cells = ForestCells(*(np.require(array, requirements="W") for array in cells))
    rules = rules._replace(class_weights=np.require(rules.class_weights, requirements="W"))
    rng = np.random.default_rng(seed)
    n = len(rows.labels)
    drawn = np.bincount(rng.integers(0, n, n), minlength=n)
    inside, outside = np.flatnonzero(drawn), np.flatnonzero(drawn == 0)
    if not outside.size:
        outside = inside
    chosen, held = (
        ForestRows(np.ascontiguousarray(rows.reports[:, part]), rows.labels[part], rows.weights[part] * times)
        for part, times in ((inside, drawn[inside].astype(np.float64)), (outside, 1.0))
    )
    nodes, passes, sums = grow_tree(chosen, held, cells, rules, np.uint64(rng.integers(1 << 63)))
    leaves = sums[nodes[:, 0] < 0]
    people = np.maximum(leaves[:, :-1].sum(axis=1), 0.0)
    effective = np.divide(people**2, leaves[:, -1] * of_class, out=np.zeros_like(people), where=leaves[:, -1] > 0)
    share = min(1.0, float(effective.sum() / people.sum())) if people.sum() > 0 else 1.0
    return (nodes, passes, shrunk_chances(nodes, sums, shrinkage, of_class)), share
