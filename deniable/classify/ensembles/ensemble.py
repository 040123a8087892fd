"""`dn.ReconstructionEnsemble`: classifiers that learned from drawn rows, by different reconstructions, decide together (thesis 2.4, 7)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.utils import check_random_state

from deniable.classify.coded_rows import CodedRows, GivenCells
from deniable.classify.confusion import sampled_confusion
from deniable.classify.ensembles.cells import Cells
from deniable.classify.ensembles.stacking import held_out_weights
from deniable.classify.ensembles.training import BAGGING, BOOSTING, ONCE, Copy, Drawing, Task, train
from deniable.classify.ensembles.votes import multiplied, summed, vote_of
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.parallel import finished
from deniable.classify.saving import described
from deniable.classify.tree import ReconstructionTree
from deniable.core.allowed import Allowed, is_number, one_of, whole_from
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.progress import Progress, Silent

MEMBERS = Allowed(
    "None or a list of classifiers of Deniable",
    lambda given: (
        given is None
        or (isinstance(given, (list, tuple)) and len(given) > 0 and all(isinstance(m, ReconstructingClassifier) for m in given))
    ),
)
PART = Allowed("a number above 0 and at most 1", lambda value: is_number(value) and 0 < value <= 1)
TRUTH = Allowed("True or False", lambda value: isinstance(value, (bool, np.bool_)))
TIE = 1e-12
"""So little of the classes' shares is added to votes: it decides between equal ones, the larger class first."""


class ReconstructionEnsemble(ReconstructingClassifier):
    """Many classifiers decide together: copies of each member, trained on drawn rows (bagging) or on what others got wrong (boosting).

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    members : classifiers of Deniable (not fitted; their schema is set to that of the ensemble), ensembles among them; None: `grid()`, that
        is trees of every reconstruction worth having, or one tree where nothing is hidden.
    bagging : how many copies of each member learn from rows drawn with replacement.
    boosting : how many copies of each member are boosted. If both are 0 each member learns once, from all rows.
    vote : "weighted" (a copy votes for one class; its vote counts 1, a boosted one's log((1 - error) / error) / 2), "simple" (each vote
        counts the same), "soft" (chances are averaged, weighted as votes) or "product" (their logarithms are).
    combination : "flat" (all votes are counted together), "hierarchical" (the bagged and the boosted copies of each member decide first,
        then these decisions are counted) or "stacked" (those groups give chances, which count as held-out reports say they should).
    max_samples : how many rows are drawn, as a share of all.
    bootstrap : whether a row may be drawn several times. If not, and all rows are drawn, every bagged copy learns from all rows.
    boost_by : "drawing" (rows are drawn by their weights, as published) or "weights" (members that take them are given weights).
    reports_by : boosting must classify reported rows; "posterior": by P(class | reports), "leaves": trees by the leaves where the truths
        probably end (thesis 7.1).
    stack_folds : into how many parts rows are split to weigh groups by held-out ones.
    bins : through how many cells the trees of `members=None` see numbers.
    n_jobs : how many processes learn at once, as joblib reads it. The result is the same.
    random_state : a seed; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2_000)
    >>> truth = pd.DataFrame({"smokes": np.where(rng.random(2_000) < 0.1 + 0.8 * y, "yes", "no"), "ill": y})
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.7), "ill": dn.Identity(dn.Binary())}, target="ill")
    >>> members = [dn.ReconstructionTree(), dn.ReconstructionNaiveBayes()]
    >>> model = dn.ReconstructionEnsemble(schema, members, bagging=2, boosting=2).fit(schema.randomise(truth, rng))
    >>> model.predict(pd.DataFrame({"smokes": ["no", "yes"]})).tolist()
    [0, 1]
    """

    _kind = "ensemble"
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "members": MEMBERS,
        "bagging": whole_from(0),
        "boosting": whole_from(0),
        "vote": one_of("weighted", "simple", "soft", "product"),
        "combination": one_of("flat", "hierarchical", "stacked"),
        "max_samples": PART,
        "bootstrap": TRUTH,
        "boost_by": one_of("drawing", "weights"),
        "reports_by": one_of("posterior", "leaves"),
        "stack_folds": whole_from(2),
        "bins": whole_from(2),
    }

    def __init__(
        self,
        schema: Any = None,
        members: Sequence[Any] | None = None,
        bagging: int = 5,
        boosting: int = 5,
        vote: str = "weighted",
        combination: str = "flat",
        max_samples: float = 1.0,
        bootstrap: bool = True,
        boost_by: str = "drawing",
        reports_by: str = "posterior",
        stack_folds: int = 5,
        bins: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.schema = schema
        self.members = members
        self.bagging = bagging
        self.boosting = boosting
        self.vote = vote
        self.combination = combination
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.boost_by = boost_by
        self.reports_by = reports_by
        self.stack_folds = stack_folds
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    @staticmethod
    def grid(
        reconstruction: Sequence[str | None] = ("local", "by_class"),
        continuous: Sequence[str] = ("as", "em"),
        nominal: Sequence[str] = ("em/as", "eq"),
        **parameters: Any,
    ) -> list[ReconstructionTree]:
        """Trees of all combinations of reconstruction types and algorithms, as members; `parameters` are those of every tree.

        >>> import deniable as dn
        >>> [(tree.reconstruction, tree.continuous) for tree in dn.ReconstructionEnsemble.grid(nominal=["eq"], bins=5)]
        [('local', 'as'), ('local', 'em'), ('by_class', 'as'), ('by_class', 'em')]
        """
        return [
            ReconstructionTree(reconstruction=kind, continuous=number, nominal=label, **parameters)
            for kind, number, label in itertools.product(reconstruction, continuous, nominal)
        ]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, progress: Progress | None = None) -> ReconstructionEnsemble:
        """Learn from distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        A row with `sample_weight` 2 counts as two rows: it is drawn twice as often. If it is interrupted the ensemble stays what it was.
        """
        before, listener = dict(self.__dict__), progress or Silent()
        try:
            return self._fit(X, y, sample_weight, listener)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            listener.finish()
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any, listener: Progress) -> ReconstructionEnsemble:
        self._check_parameters()
        rows, weights = self._rows(X, y, sample_weight)
        self.members_ = list(self.members) if self.members is not None else self._worth_having(rows)
        seed = self._seed()
        folds = self.stack_folds if self.combination == "stacked" else 0
        listener.start("classifiers", len(self.members_) * max(1, self.bagging + self.boosting) * (1 + folds))
        copies = self._trained(rows, weights, seed.spawn(1)[0], listener)
        self._take(copies, rows.attributes)
        if folds:
            self.group_weights_ = held_out_weights(self, rows, weights, seed.spawn(1)[0], listener)
        listener.finish()
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[CodedRows, Any]:
        """The rows as codes, and how much each counts; reports are counted."""
        columns, classes, weights = self._read_training(X, y, sample_weight)
        bad: list[BadCells] = []
        codes = [attribute.reported(columns[attribute.name], bad) for attribute in self.attributes_]
        raise_bad_cells(bad)
        self._counts = self._single()._count(codes, classes, weights)
        names = getattr(self, "feature_names_in_", None)
        return self._in_order(CodedRows(self._given_columns(), self.target_, codes, np.asarray(classes), names), weights)

    def _seed(self) -> Any:
        return np.random.SeedSequence(
            check_random_state(0 if self.random_state is None else self.random_state).randint(1 << 31)
        )

    def _in_order(self, rows: CodedRows, weights: Any) -> tuple[CodedRows, Any]:
        """The rows as members get them: as they were given."""
        return rows, weights

    def _single(self) -> ReconstructionNaiveBayes:
        """Naive Bayes of the same attributes and classes, for what it knows of single attributes."""
        single = ReconstructionNaiveBayes(self._schema(), bins=self.bins, discount_repeats=False)
        single.attributes_, single.target_, single.classes_ = self.attributes_, self.target_, self.classes_
        return single

    def _given_columns(self) -> list[Any]:
        return [GivenCells(column, counts.sum(axis=0)) for column, counts in zip(self.attributes_, self._counts, strict=True)]

    def _worth_having(self, rows: CodedRows) -> list[Any]:
        """The members where none were given: EQ only where reports can be undone; one tree where nothing is hidden."""
        seen = [column.cells(None, self.bins, self.bins) for column in rows.attributes]
        hidden = [f for f in seen if f.hidden]
        if not hidden:
            return [ReconstructionTree(bins=self.bins)]
        undone = all(f.tells_nothing or f.inverse() is not None for f in hidden if not f.noisy)
        return list(self.grid(nominal=("em/as", "eq") if undone else ("em/as", "em"), bins=self.bins))

    def _tasks(self, seed: Any) -> list[Task]:
        """What is to be learned: one task per bagged copy, one per series of boosted ones."""
        own = [(BAGGING, 1)] * self.bagging + ([(BOOSTING, self.boosting)] if self.boosting else [])
        plan = [(member, how, many) for member in range(len(self.members_)) for how, many in own or [(ONCE, 1)]]
        return [
            Task(member, how, many, one)
            for (member, how, many), one in zip(plan, seed.spawn(len(plan)), strict=True)
        ]  # fmt: skip

    def _trained(self, rows: CodedRows, weights: Any, seed: Any, listener: Progress) -> list[Copy]:
        drawing = Drawing(
            float(self.max_samples), bool(self.bootstrap), self.boost_by == "weights", self.reports_by == "leaves"
        )
        tasks = self._tasks(seed)
        work = (delayed(train)(self.members_[t.member], self.schema, rows, weights, t, drawing) for t in tasks)
        copies: list[Copy] = []
        for task, found in zip(tasks, finished(work, self.n_jobs), strict=True):
            copies += found
            listener.advance(task.copies)
        return copies

    def _take(self, copies: list[Copy], columns: list[Any]) -> None:
        """Be made of these copies, which see attributes through cells of `columns`."""
        self._copies = copies
        self.group_weights_ = np.ones(len(self.group_of_copies_[0]))
        self._cells = Cells(columns, [copy.model for copy in copies])
        single = self._single()
        single.attributes_ = self._cells.columns(self.attributes_)
        single._counts = self._counts
        single._estimate()
        self.features_, self.groups_ = single.features_, single.groups_
        self.class_prior_, self.shares_, self._group_terms = single.class_prior_, single.shares_, single._group_terms

    @property
    def estimators_(self) -> list[Any]:
        """The fitted copies."""
        return [copy.model for copy in self._copies]

    @property
    def estimator_weights_(self) -> Any:
        """How much the vote of each copy counts."""
        return np.array([1.0 if self.vote == "simple" else copy.weight for copy in self._copies])

    @property
    def group_of_copies_(self) -> tuple[list[tuple[int, str]], Any]:
        """The groups that decide first in hierarchies, as (place of the member, "bagging", "boosting" or "once"), and each copy's group."""
        groups = sorted({(copy.member, copy.how) for copy in self._copies})
        return groups, np.array([groups.index((copy.member, copy.how)) for copy in self._copies])

    def _answers(self, codes: Any, reported: bool, reported_class: Any = None) -> list[Any]:
        """The chances that each copy gives, [row, class]."""
        views = self._cells.views(codes, reported)
        return [
            copy.model._proba_distorted(view, reported_class) if reported else copy.model._proba(view)
            for copy, view in zip(self._copies, views, strict=True)
        ]

    def _group_answers(self, answers: list[Any], soft: bool) -> list[Any]:
        """The answer of each group of copies."""
        groups, of_copy = self.group_of_copies_
        counts = self.estimator_weights_
        said = answers if soft else [vote_of(answer) for answer in answers]
        together = [np.flatnonzero(of_copy == g) for g in range(len(groups))]
        return [self._added(soft)([said[i] for i in own], counts[own]) for own in together]

    def _added(self, soft: bool) -> Any:
        """How answers are added up."""
        return multiplied if soft and self.vote == "product" else summed

    def _together(self, answers: list[Any]) -> Any:
        """One answer of all, [row, class]."""
        soft = self.vote in ("soft", "product")
        if self.combination == "stacked":
            total = summed(self._group_answers(answers, True), self.group_weights_)
        elif self.combination == "hierarchical":
            decided = self._group_answers(answers, soft)
            total = self._added(soft)(
                decided if soft else [vote_of(self._no_ties(one)) for one in decided], self.group_weights_
            )
        else:
            total = self._added(soft)(answers if soft else [vote_of(answer) for answer in answers], self.estimator_weights_)
        total = self._no_ties(total)
        return total / total.sum(axis=1, keepdims=True)

    def _no_ties(self, votes: Any) -> Any:
        return votes + TIE * self.class_prior_

    def _proba(self, codes: Any) -> Any:
        return self._together(self._answers(codes, False))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        answers = self._answers(codes, True, reported_class)
        return self._together(answers) if reported_class is None else summed(answers, self.estimator_weights_)

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return sampled_confusion(self, codes, reported_class)

    def _learned(self) -> dict[str, Any]:
        # How many processes learned is no part of what was learned; members are known by their copies.
        left_out = ("schema", "random_state", "n_jobs", "members")
        copies = [
            {"member": copy.member, "how": copy.how, "weight": copy.weight, **described(copy.model)} for copy in self._copies
        ]
        return {
            "parameters": {name: value for name, value in self.get_params(deep=False).items() if name not in left_out},
            "members_given": self.members is not None,
            "copies": copies,
            "group_weights": self.group_weights_.tolist(),
        }

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _restore(self, content: dict[str, Any]) -> None:
        """`copies` of the content are classifiers again."""
        columns = content["columns"]
        copies = [
            Copy(given["model"], int(given["member"]), str(given["how"]), float(given["weight"])) for given in content["copies"]
        ]
        if not copies or not all(
            copy.how in (BAGGING, BOOSTING, ONCE) and np.isfinite(copy.weight) and copy.weight >= 0 for copy in copies
        ):
            raise ValueError("an ensemble needs copies, with weights of at least 0")
        self._take(copies, columns)
        first = {copy.member: copy.model for copy in reversed(copies)}
        self.members_ = [clone(first[place]).set_params(schema=None) for place in range(len(first))]
        self.members = self.members_ if content["members_given"] else None
        self.group_weights_ = np.array(content["group_weights"], dtype=np.float64)
        groups = len(self.group_of_copies_[0])
        if self.group_weights_.shape != (groups,) or not (np.isfinite(self.group_weights_) & (self.group_weights_ >= 0)).all():
            raise ValueError("group_weights must be one number of at least 0 for each group of copies")
