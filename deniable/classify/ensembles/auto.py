"""`dn.AutoClassifier`: naive Bayes as long as the reports do not refute what it assumes, else several classifiers together.

Which classifier is best on true rows cannot be seen from few distorted ones: gains of one or two points drown. What can be seen is
whether attributes depend on each other within the classes, which naive Bayes assumes they do not. Where they clearly do, a forest finds
what naive Bayes cannot, and an average with it loses little where it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_is_fitted

from deniable.classify.as_reported import AsReported
from deniable.classify.coded_rows import CodedRows
from deniable.classify.ensembles.ensemble import ReconstructionEnsemble
from deniable.classify.forest.unbiased import UnbiasedForest
from deniable.classify.latent_classes import LatentClasses, fit_latent_classes
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.saving import are_whole
from deniable.classify.scoring import score_rows
from deniable.classify.training_rows import MOST_REPEATED
from deniable.core.allowed import Allowed, whole_from
from deniable.core.estimate import Estimate
from deniable.core.intervals import Ends
from deniable.errors import ParameterError
from deniable.progress import Progress

REFUTED = 2.0
"""So many kinds of people in a class, on average over people, refute that attributes are independent within classes."""
MOST_TESTED = 20_000
"""Of more rows some are enough for the test, evenly spread."""
TREES, LEAST_IN_LEAF = 100, 5
"""Of the forest on reports. No leaf is about one report alone, as the file of the classifier may be passed on."""
DRAWN = 5_000
STORED_LEVEL = 0.95
"""The level of the band that files hold."""
PARTS = 2
"""Rows are split into so many parts to say what accuracy to expect: each is scored by what the others teach."""


class AutoClassifier(ReconstructionEnsemble):
    """Chooses a classifier by the reports, says in words what and why, and what accuracy to expect.

    Naive Bayes assumes that attributes are independent within each class. A latent class model tests that: if a class needs several
    kinds of people to explain its reports, naive Bayes, a forest on reports and, of two classes, `UnbiasedForest` decide together (their
    chances are multiplied); else naive Bayes decides alone.

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
        rows, weights = self._chosen(X, y, sample_weight, listener)
        self.expected_accuracy_ = self._expected(rows, weights, listener)
        return self

    def _chosen(self, X: Any, y: Any, sample_weight: Any, listener: Progress) -> tuple[CodedRows, Any]:
        """Test, and train what is chosen; the rows as they were read, and how much each counts."""
        super()._fit(X, y, sample_weight, listener)
        rows, weights = self.__dict__.pop("_read")
        return rows, weights

    def _in_order(self, rows: CodedRows, weights: Any) -> tuple[CodedRows, Any]:
        """Sorted, as the order of rows is nobody's business; of rows that count as several there are as many."""
        order = np.lexsort((*rows.codes, rows.classes))
        if weights is not None:
            weights = weights[order]
            if are_whole(weights) and weights.sum() * max(len(rows.codes), 1) <= MOST_REPEATED:
                order, weights = np.repeat(order, weights.astype(np.int64)), None
        self._read = rows.take(order), weights
        return self._read

    def _worth_having(self, rows: CodedRows) -> list[Any]:
        """Who decides, by the test."""
        latent = self._tested(rows)
        classes = len(rows.target.labels)
        self.kinds_ = np.ones(classes, dtype=int) if latent is None else np.bincount(latent.of_class, minlength=classes)
        self.without_privacy_ = None if latent is None else _without_privacy(latent, classes)
        alone = ReconstructionNaiveBayes(bins=self.bins)
        if latent is None or float(latent.parts @ self.kinds_[latent.of_class]) < REFUTED:
            return [alone]
        reports = AsReported(RandomForestClassifier(TREES, min_samples_leaf=LEAST_IN_LEAF), bins=self.bins)
        # Products of weights need many rows of each class.
        return [alone, UnbiasedForest(bins=self.bins), reports] if classes == 2 else [alone, reports]

    def _tested(self, rows: CodedRows) -> LatentClasses | None:
        """A latent class model of the reports; None where groups share a draw, so that reports depend on each other anyway."""
        schema = self._schema()
        if schema is not None and schema.groups:
            return None
        cells = [column.cells(None, self.bins, self.bins) for column in rows.attributes]
        some = np.arange(len(rows))[:: -(-len(rows) // MOST_TESTED)]
        codes = np.column_stack([cell.of_reported[codes[some]] for cell, codes in zip(cells, rows.codes, strict=True)])
        return fit_latent_classes(codes, rows.classes[some], [cell.matrix for cell in cells], rows.target.matrix)

    def _expected(self, rows: CodedRows, weights: Any, listener: Progress) -> Estimate:
        """The accuracy on true rows, each part of the rows scored by a classifier that was chosen and trained on the others."""
        order = np.random.default_rng(0).permutation(len(rows))
        found = []
        for part in range(PARTS):
            held_out = np.sort(order[part::PARTS])
            rest = np.setdiff1d(order, held_out)
            other = AutoClassifier(self.schema, self.bins, self.n_jobs, self.random_state)
            other._chosen(rows.take(rest), None, None if weights is None else weights[rest], listener)
            scored = rows.take(held_out)
            found.append(score_rows(other, scored.cells_for(other), scored.classes, "accuracy"))
        return _mean_of(found, len(rows))

    @property
    def chosen_(self) -> str:
        """What decides, in words."""
        check_is_fitted(self)
        names = ["naive Bayes", "a forest of unbiased weights", "a forest on reports"]
        if len(self._copies) == 2:
            names.pop(1)
        return names[0] if len(self._copies) == 1 else f"{', '.join(names[:-1])} and {names[-1]}, together"

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
        given, without = content["expected"], content["without_privacy"]
        value = float(given["value"])
        low, high = (value, value) if given["ends"] is None else (float(end) for end in given["ends"])
        if not (0 <= low <= value <= high <= 1 and 0 <= (without or 0.0) <= 1):
            raise ValueError("the expected accuracy must lie between its ends, and all of them between 0 and 1")
        self.expected_accuracy_ = _estimate(value, int(given["n"]), None if given["ends"] is None else KnownEnds(low, high))
        self.without_privacy_ = None if without is None else float(without)


@dataclass(frozen=True)
class MeanOfEnds:
    """The rule of the interval of a mean of estimates: the mean of their ends, as their errors may go together."""

    rules: tuple[Estimate, ...]

    def __call__(self, level: float) -> Ends:
        ends = [estimate.interval(level) for estimate in self.rules]
        return np.mean([low for low, _ in ends], axis=0), np.mean([high for _, high in ends], axis=0)


@dataclass(frozen=True)
class KnownEnds:
    """The rule of an interval that was read from a file: it is known at one level."""

    low: float
    high: float

    def __call__(self, level: float) -> Ends:
        if level != STORED_LEVEL:
            raise ParameterError(
                "stored_level", "A saved classifier knows its expected accuracy at the level {known} alone, got {got}.",
                known=STORED_LEVEL, got=level,
            )  # fmt: skip
        return np.array([self.low]), np.array([self.high])


def _mean_of(found: list[Estimate], rows: int) -> Estimate:
    """Unbiased accuracies may lie above 1; what is shown may not, nor outside its interval."""
    value = float(np.clip(np.mean([estimate.value[0] for estimate in found]), 0, 1))
    if not all(estimate.has_interval for estimate in found):
        return _estimate(value, rows, None)
    rule = MeanOfEnds(tuple(found))
    low, high = rule(STORED_LEVEL)
    return _estimate(float(np.clip(value, low[0], high[0])), rows, rule)


def _estimate(value: float, rows: int, rule: Any) -> Estimate:
    """Accuracy as an estimate; without a rule it is a guess."""
    known: dict[str, Any] = {"no_interval": "reports that matter cannot be undone."} if rule is None else {"ends": rule}
    variance = 0.0 if rule is None else float((rule(STORED_LEVEL)[1][0] - rule(STORED_LEVEL)[0][0]) / 3.92) ** 2
    return Estimate(
        [value],
        ["accuracy"],
        n=rows,
        method="held-out reports",
        covariance=[[variance]],
        name="accuracy",
        limits=(0.0, 1.0),
        **known,
    )


def _without_privacy(latent: LatentClasses, classes: int) -> float:
    """How well naive Bayes of people drawn from a model predicts others drawn from it."""
    rng = np.random.default_rng(0)
    shares = np.bincount(latent.of_class, latent.parts, minlength=classes)
    present = [y for y in range(classes) if shares[y] > 0]
    drawn = {y: latent.draw(y, DRAWN, rng) for y in present}
    tests = {y: latent.draw(y, DRAWN, rng) for y in present}
    attributes, cells = latent.cells.shape[1:]
    logs = np.zeros((classes, attributes, cells))
    for y, people in drawn.items():
        for j in range(attributes):
            logs[y, j] = np.log((np.bincount(people[:, j], minlength=cells) + 1) / (DRAWN + cells))
    right = 0.0
    for y, people in tests.items():
        said = (
            np.log(np.maximum(shares[present], 1e-300))
            + np.array([logs[c][np.arange(attributes), people].sum(axis=1) for c in present]).T
        )
        right += shares[y] * float((np.array(present)[said.argmax(axis=1)] == y).mean())
    return right / float(shares.sum())
