"""`dn.AutoClassifier`: naive Bayes as long as the reports do not refute what it assumes, else several classifiers together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from deniable.classify.coded_rows import CodedRows
from deniable.classify.confusion import usable_inverse
from deniable.classify.ensembles.behind_noise import score_behind_noise
from deniable.classify.ensembles.choice import choose
from deniable.classify.ensembles.ensemble import ReconstructionEnsemble
from deniable.classify.ensembles.expected import KnownEnds, expected_accuracy, mean_of
from deniable.classify.ensembles.training import Copy, Drawing, train
from deniable.classify.parallel import finished
from deniable.classify.saving import are_whole
from deniable.classify.scoring import score_rows
from deniable.classify.training_rows import MOST_REPEATED
from deniable.core.allowed import Allowed, whole_from
from deniable.core.estimate import Estimate
from deniable.progress import Progress

PARTS = 2
"""Rows are split into so many parts to say what accuracy to expect: each is scored by what the others teach."""
NAMES = {
    "naive_bayes": "naive Bayes",
    "latent_bayes": "Bayes with several kinds of people in each class",
    "forest": "a forest of unbiased weights",
    "as-reported": "a forest on reports",
}
ALL_ROWS = Drawing(1.0, True, False, False)


class AutoClassifier(ReconstructionEnsemble):
    """Chooses a classifier by the reports, says in words what and why, and what accuracy to expect.

    Naive Bayes assumes that attributes are independent within each class. A latent class model tests that: if a class needs several
    kinds of people to explain its reports, naive Bayes, a forest on reports and, of two classes, `UnbiasedForest` decide together (their
    chances are multiplied); else naive Bayes decides alone. Where the model itself predicts clearly more held-out reports right than
    naive Bayes does, it decides in its place.

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    bins : through how many cells naive Bayes and the test see numbers.
    n_jobs : how many processes learn at once, as joblib reads it. The result is the same.
    random_state : a seed; None: the same draws every time.

    Attributes
    ----------
    chosen_ : what decides, in words.
    kinds_ : how many kinds of people the test found in each class.
    expected_accuracy_ : the accuracy on true rows with a band, from held-out reports: an `Estimate`.
    without_privacy_ : what naive Bayes might reach on rows that are not distorted: a guess from the model of the rows.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2_000)
    >>> truth = pd.DataFrame({f"x{i}": (rng.random(2_000) < 0.3 + 0.4 * y).astype(int) for i in range(4)})
    >>> schema = dn.Schema({name: dn.Retention(dn.Binary(), 0.6) for name in truth})
    >>> model = dn.AutoClassifier(schema).fit(schema.randomise(truth, rng), y)
    >>> model.chosen_
    'naive Bayes'
    >>> low, high = model.expected_accuracy_.interval()
    >>> bool(low[0] <= model.score(truth, y) <= high[0])
    True
    """

    _kind = "auto"
    _allowed: ClassVar[Mapping[str, Allowed]] = {"bins": whole_from(2)}
    # How the chosen ones decide together.
    members = None
    bagging = boosting = 0
    vote, combination = "product", "flat"
    max_samples, bootstrap = 1.0, True
    boost_by, reports_by = "drawing", "posterior"
    kinds_: Any
    expected_accuracy_: Estimate
    without_privacy_: float | None

    def __init__(self, schema: Any = None, bins: int = 10, n_jobs: int | None = None, random_state: Any = None) -> None:
        self.schema = schema
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Any, y: Any, sample_weight: Any, listener: Progress) -> AutoClassifier:
        self._check_parameters()
        rows, weights = self._rows(X, y, sample_weight)
        order = np.random.default_rng(0).permutation(len(rows))
        held_out = [np.sort(order[part::PARTS]) for part in range(PARTS)]
        rest = [np.setdiff1d(order, part) for part in held_out]
        others = [clone(self) for _ in rest]
        taught = [
            other._rows(rows.take(part), None, None if weights is None else weights[part])
            for other, part in zip(others, rest, strict=True)
        ]
        self._choose([self, *others], rows, weights is not None, listener)
        seed = self._seed()
        # Parts first: they take longest. Then forests, which come after naive Bayes among the members.
        scored = [
            delayed(learned_and_scored)(other, *own, np.random.SeedSequence(seed.entropy), rows.take(part))
            for other, own, part in zip(others, taught, held_out, strict=True)
        ]
        tasks = sorted(self._tasks(np.random.SeedSequence(seed.entropy)), key=lambda task: -task.member)
        learned = [delayed(train)(self.members_[task.member], self.schema, rows, weights, task, ALL_ROWS) for task in tasks]
        listener.start("classifiers", PARTS + len(learned))
        found = []
        for result in finished([*scored, *learned], self.n_jobs):
            found.append(result)
            listener.advance(1)
        listener.finish()
        self._take(_in_order_of_members(found[PARTS:]), rows.attributes)
        self.expected_accuracy_ = mean_of(found[:PARTS], len(rows))
        return self

    def _choose(self, learners: list[AutoClassifier], rows: CodedRows, weighted: bool, listener: Progress) -> None:
        """Who decides, by all rows. Half of them might choose another, and say what accuracy to expect of that."""
        listener.start("choices", 1)
        choice = choose(rows, self._schema(), self.bins, weighted, self.n_jobs)
        for learner in learners:
            learner.members_, learner.kinds_, learner.without_privacy_ = choice.members, choice.kinds, choice.without_privacy
        listener.advance(1)
        listener.finish()

    def _in_order(self, rows: CodedRows, weights: Any) -> tuple[CodedRows, Any]:
        """Sorted, as the order of rows is nobody's business; of rows that count as several there are as many."""
        order = np.lexsort((*rows.codes, rows.classes))
        if weights is not None:
            weights = weights[order]
            if are_whole(weights) and weights.sum() * max(len(rows.codes), 1) <= MOST_REPEATED:
                order, weights = np.repeat(order, weights.astype(np.int64)), None
        return rows.take(order), weights

    @property
    def chosen_(self) -> str:
        """What decides, in words."""
        check_is_fitted(self)
        names = [NAMES[copy.model._kind] for copy in self._copies]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}, together"

    def explain_choice(self) -> str:
        """What was chosen, why, and what to expect, in sentences.

        >>> import deniable as dn, numpy as np
        >>> x = np.array([[0], [1]] * 50)
        >>> print(dn.AutoClassifier().fit(x, x[:, 0]).explain_choice().split(":")[0])
        Chosen
        """
        check_is_fitted(self)
        if len(self._copies) == 1:
            why = "attributes look independent within each class, which is what it assumes"
            if self._schema() is not None and self._schema().groups:  # type: ignore[union-attr]
                why = "attributes share a draw, so nothing else was tried"
        else:
            most = int(self.kinds_.argmax())
            why = (
                f"attributes depend on each other within classes, which naive Bayes does not see: {int(self.kinds_[most])} kinds of people "
                f"explain the reports of class {self.classes_[most]} clearly better than one"
            )
            if self._copies[0].model._kind == "latent_bayes":
                why += ", and with them clearly more held-out reports are predicted right"
        expected = self.expected_accuracy_
        if expected.has_interval:
            low, high = (float(end[0]) for end in expected.interval())
            band = f" ({low:.0%} to {high:.0%})"
        else:
            band = " (a guess)"
        lines = [
            f"Chosen: {self.chosen_}, as {why}.",
            f"Expected accuracy on true rows: {float(expected.value[0]):.0%}{band}, from held-out reports, trained on half of the rows.",
        ]
        if expected.has_interval and any(usable_inverse(feature) is None for feature in self.features_):
            lines.append(
                "Noise cannot be undone answer by answer: the band reaches from how well reports are predicted to what a model of the "
                "rows says."
            )
        if self.without_privacy_ is not None and self._hides():
            lines.append(
                f"Without privacy naive Bayes might reach {self.without_privacy_:.0%}: a guess, from a model of the rows alone."
            )
        return "\n".join(lines)

    def _hides(self) -> bool:
        """Whether the class or any attribute is hidden at all."""
        return self.target_.hidden or any(feature.hidden for feature in self.features_)

    def _fares(self, codes: Any, worlds: Any, latent: Any) -> Any:
        # What decides alone is known best by itself.
        return (
            self._copies[0].model._fares(codes, worlds, latent)
            if len(self._copies) == 1
            else super()._fares(codes, worlds, latent)
        )

    def _unbiased(self, codes: Any, reported_class: Any, method: str) -> Any:
        if len(self._copies) == 1:
            return self._copies[0].model._unbiased(codes, reported_class, method)
        return super()._unbiased(codes, reported_class, method)

    def _parameters(self) -> dict[str, Any]:
        return {"bins": self.bins}

    def _learned(self) -> dict[str, Any]:
        value = self.expected_accuracy_
        ends = [float(end[0]) for end in value.interval()] if value.has_interval else None
        expected = {"value": float(value.value[0]), "n": value.n, "ends": ends}
        return super()._learned() | {
            "kinds": self.kinds_.tolist(),
            "expected": expected,
            "without_privacy": self.without_privacy_,
        }

    def _restore(self, content: dict[str, Any]) -> None:
        super()._restore(content)
        self.kinds_ = np.array(content["kinds"], dtype=int)
        if self.kinds_.shape != (len(self.classes_),) or (self.kinds_ < 1).any() or len(self._copies) > 3:
            raise ValueError("kinds must be one number of at least 1 for each class, of at most three copies")
        if not all(copy.model._kind in NAMES for copy in self._copies):
            raise ValueError("its copies must be classifiers that can be chosen")
        given, without = content["expected"], content["without_privacy"]
        value = float(given["value"])
        low, high = (value, value) if given["ends"] is None else (float(end) for end in given["ends"])
        if not (0 <= low <= value <= high <= 1 and 0 <= (without or 0.0) <= 1):
            raise ValueError("the expected accuracy must lie between its ends, and all of them between 0 and 1")
        self.expected_accuracy_ = expected_accuracy(
            value, int(given["n"]), None if given["ends"] is None else KnownEnds(low, high)
        )
        self.without_privacy_ = None if without is None else float(without)


def _in_order_of_members(found: list[list[Copy]]) -> list[Copy]:
    return sorted((copy for copies in found for copy in copies), key=lambda copy: copy.member)


def learned_and_scored(other: AutoClassifier, rows: CodedRows, weights: Any, seed: Any, held_out: CodedRows) -> Estimate:
    """The accuracy on true rows of one who learned from some rows, by others; the classifiers need not be passed on."""
    copies = [train(other.members_[task.member], other.schema, rows, weights, task, ALL_ROWS) for task in other._tasks(seed)]
    other._take(_in_order_of_members(copies), held_out.attributes)
    cells = held_out.cells_for(other)
    found = score_rows(other, cells, held_out.classes, "accuracy")
    return found if found.has_interval else score_behind_noise(other, cells, held_out.classes, other.without_privacy_) or found
