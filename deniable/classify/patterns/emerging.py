"""`dn.EmergingPatterns`: patterns are mined once and add up (CAEP; on distorted rows ePPCwEP, thesis 2.3.1 and 6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deniable.classify.confusion import class_weights
from deniable.classify.patterns.base_scores import base_score
from deniable.classify.patterns.classifier import GROWTH, RATE, SHARE, PatternClassifier
from deniable.classify.patterns.found import Found, Patterns, find_patterns
from deniable.classify.patterns.search import Rules
from deniable.classify.patterns.stored import patterns_from, patterns_to
from deniable.classify.patterns.strata import Strata
from deniable.classify.patterns.supports import METHODS
from deniable.core.allowed import Allowed, is_number, none_or, one_of, whole_from
from deniable.errors import NotInvertibleError, SchemaError

LEVEL = 0.95


class EmergingPatterns(PatternClassifier):
    """Classifies by emerging patterns: itemsets that are at least `min_growth` times as frequent in a class as elsewhere.

    A row scores, for each class, the sum over its patterns of growth / (growth + 1) * support, divided by what a typical row of that
    class scores (the `base_percentile` of its training rows). Supports are those of the truths, estimated from reports.

    Parameters
    ----------
    schema : how the rows were distorted; None: not at all.
    min_support : the share of a class that must have a pattern; 0: any that occurs.
    min_growth : how many times as frequent it must be there as elsewhere; infinity: jumping patterns alone.
    method : how supports are estimated: "shrunk", "unbiased" or "mmask" (as of `dn.frequent_itemsets`). Undistorted all agree.
    max_len : the longest pattern; None: any.
    false_discovery_rate : keeps patterns so that the share of those that are in truth no more frequent in their class stays below it.
    base_percentile : which score of a class's rows is the typical one, in percent.
    jump_errors : a support is taken for 0 below so many standard errors of the randomisation.
    binarised : yes/no columns that are the values of one attribute, by its name, if they were made before the distortion.
    r_threshold : of "mmask": the longest itemset that is estimated at once.
    bins : through how many cells numbers are seen.
    random_state : a seed for scores that are drawn; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 4_000)
    >>> truth = pd.DataFrame({"smokes": np.where(rng.random(4_000) < 0.1 + 0.6 * y, "yes", "no"), "ill": y})
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.8), "ill": dn.Identity(dn.Binary())}, target="ill")
    >>> model = dn.EmergingPatterns(schema).fit(schema.randomise(truth, rng))
    >>> [(sorted(items), label) for items, label in zip(model.patterns_["itemsets"], model.patterns_["class"])]
    [(['smokes=no'], 0), (['smokes=yes'], 1)]
    >>> model.predict(pd.DataFrame({"smokes": ["no", "yes"]})).tolist()
    [0, 1]
    """

    _kind = "patterns"
    _most_pairs = 20_000
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "min_support": SHARE,
        "min_growth": GROWTH,
        "method": one_of(*METHODS),
        "max_len": none_or(whole_from(1)),
        "false_discovery_rate": RATE,
        "base_percentile": Allowed("a number from 0 to 100", lambda value: is_number(value) and 0 <= value <= 100),
        "jump_errors": Allowed("a number of at least 0", lambda value: is_number(value) and 0 <= value < float("inf")),
        "binarised": Allowed(
            "None or lists of columns by attribute", lambda value: value is None or isinstance(value, Mapping)
        ),
        "r_threshold": whole_from(1),
        "bins": whole_from(2),
    }

    def __init__(
        self,
        schema: Any = None,
        min_support: float = 0.1,
        min_growth: float = 2.0,
        method: str = "shrunk",
        max_len: int | None = 4,
        false_discovery_rate: float | None = None,
        base_percentile: float = 75.0,
        jump_errors: float = 1.96,
        binarised: Mapping[str, Any] | None = None,
        r_threshold: int = 3,
        bins: int = 5,
        random_state: Any = None,
    ) -> None:
        self.schema = schema
        self.min_support = min_support
        self.min_growth = min_growth
        self.method = method
        self.max_len = max_len
        self.false_discovery_rate = false_discovery_rate
        self.base_percentile = base_percentile
        self.jump_errors = jump_errors
        self.binarised = binarised
        self.r_threshold = r_threshold
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> EmergingPatterns:
        """Mine the patterns of distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        X is a frame or array, or, with a schema, anything that `dn.Transactions` reads: a file, a database, a lazy frame.
        """
        fine, classes = self._read(X, y)
        self._refuse_without_step()
        table = self._item_table(self.binarised)
        of_class = class_weights(self.target_.matrix)
        if of_class is None:
            raise NotInvertibleError(
                "class_not_determined", "The class {name!r}: its reports do not determine it.", name=self.target_.name
            )
        rules = Rules(
            float(self.min_support),
            float(self.min_growth),
            self.method,
            self.max_len,
            int(self.r_threshold),
            float(self.jump_errors),
        )
        self._found: Found | None = find_patterns(Strata(table, fine, classes, of_class), rules, self.false_discovery_rate)
        self._patterns: Patterns = self._found.patterns()
        self._frame: Any = None
        self.n_candidates_ = self._found.tested
        self.base_scores_ = self._base_scores(fine, classes)
        return self

    def _refuse_without_step(self) -> None:
        for attribute, feature in zip(self.attributes_, self.features_, strict=True):
            if attribute.floating and feature.noisy:
                raise SchemaError(
                    "patterns_need_step",
                    "Attribute {name!r} is hidden by noise and has no step: patterns need one, dn.Continuous(low, high, step=...).",
                    name=attribute.name,
                )

    def _base_scores(self, fine: list[Any], classes: Any) -> Any:
        """The typical score of each class's rows for it."""
        cells = np.column_stack(
            [f.of_true_of_reported[f.of_reported[codes]] for f, codes in zip(self.features_, fine, strict=True)]
        ).astype(np.int32)
        scores = self._scores(cells)
        # P(class | reported class): an open class is what it says.
        belongs = self._with_reported_class(np.tile(self.class_prior_, (len(classes), 1)), classes)
        open_rows = not self.target_.hidden and not any(f.hidden for f in self.features_)
        patterns, bases = self._patterns, np.ones(len(self.classes_))
        for c in range(len(bases)):
            own = patterns.label == c
            mean = float(patterns.numbers["contribution"][own] @ patterns.numbers["support"][own])
            bases[c] = base_score(scores[:, c], belongs[:, c], self.base_percentile, None if open_rows else mean)
        return bases

    def _scores(self, cells: Any) -> Any:
        """The aggregate scores of rows of cells, [row, class], before they are divided by base scores."""
        from deniable.kernels.pattern_scores import held_scores

        starts, places, label, contribution = self._arrays()
        return held_scores(cells, starts, places, label, contribution, len(self.classes_))

    def _arrays(self) -> list[Any]:
        """The patterns as kernels read them; arrays that may not be written to, as joblib opens them, would be compiled for once more."""
        found = self._patterns
        return [
            np.require(array, requirements="W")
            for array in (found.starts, found.places, found.label, found.numbers["contribution"])
        ]

    @property
    def patterns_(self) -> Any:
        """The patterns as a pandas frame, the strongest of each class first: `itemsets`, `class`, `support` in the class with its error
        and interval, `other_support`, `growth_rate` with its interval (for the population, and for patterns fixed beforehand),
        `p_value` of "no more frequent than elsewhere", and `contribution` to scores.
        """
        check_is_fitted(self)
        if self._frame is None:
            self._frame = self._with_intervals().to_frame(self.features_, self.classes_, self._notes())
        return self._frame

    def _with_intervals(self) -> Patterns:
        """The patterns with all that is known of them; worked out when it is first asked for."""
        if self._found is not None:
            self._patterns, self._found = self._found.with_intervals(LEVEL), None
        return self._patterns

    def _notes(self) -> dict[str, Any]:
        return {"method": self.method, "target": "population", "min_support": self.min_support, "confidence": LEVEL}

    def _patterns_in(self, cells: Any) -> tuple[Any, str]:
        from deniable.kernels.pattern_scores import held_by

        found = self._with_intervals()
        held = found.take(np.flatnonzero(held_by(cells.astype(np.int64), found.starts, found.places)))
        frame = held.to_frame(self.features_, self.classes_, self._notes())
        place = {label: c for c, label in enumerate(self.classes_.tolist())}
        bases = self.base_scores_[[place[label] for label in frame["class"]]]
        return frame.assign(adds=frame["contribution"] / bases), "what each adds to the score"

    def _proba(self, codes: Any) -> Any:
        return self._as_chances(self._scores(codes) / self.base_scores_, self._single._proba(codes))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        from deniable.kernels.pattern_scores import expected_scores

        tables = [self._chances_of_truths(i) for i in range(len(self.features_))]
        sizes = np.array([table.shape[1] for table in tables])
        offsets = np.concatenate([[0], np.cumsum([table.size for table in tables])])[:-1]
        chances = np.concatenate([table.ravel() for table in tables])
        starts, places, label, contribution = self._arrays()
        scores = expected_scores(codes, offsets, sizes, chances, starts, places, label, contribution, len(self.classes_))
        chances = self._as_chances(scores / self.base_scores_, self._single._proba_distorted(codes))
        return self._with_reported_class(chances, reported_class)

    def _learned(self) -> dict[str, Any]:
        return {
            "parameters": self._parameters(),
            "patterns": patterns_to(self._with_intervals()),
            "base_scores": self.base_scores_.tolist(),
            "candidates": int(self.n_candidates_),
        }

    def _restore(self, content: dict[str, Any]) -> None:
        self._know_attributes()
        self._patterns = patterns_from(content["patterns"], self.features_, len(self.classes_))
        self._found = self._frame = None
        self.base_scores_ = np.array(content["base_scores"], dtype=np.float64)
        if (
            self.base_scores_.shape != (len(self.classes_),)
            or not (np.isfinite(self.base_scores_) & (self.base_scores_ > 0)).all()
        ):
            raise ValueError("base_scores must be one positive number for each class")
        self.n_candidates_ = int(content["candidates"])
