"""`dn.LazyPatterns`: patterns are looked for in each row that is classified (DeEPs; on distorted rows lPPCwEP, thesis 2.3.2 and 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deniable.classify.patterns.classifier import GROWTH, SHARE, PatternClassifier
from deniable.classify.patterns.items import item_name
from deniable.classify.patterns.matching import Matches
from deniable.classify.patterns.row_patterns import NOT_KNOWN, growth_of, reduced_rows, smallest_patterns
from deniable.core.allowed import Allowed, is_number, whole_from
from deniable.errors import DataError, ParameterError
from deniable.mining.counting import in_threads

MOST_ATTRIBUTES = 1024
"""A search keeps a list of rows for each attribute that a set may have."""
MOST_STEPS = 2e9
"""Reduced rows that the search for one row may look at, beyond which it is stopped: some seconds."""


def _is_match(value: Any) -> bool:
    return is_number(value) and 0 <= value < 1


@dataclass(frozen=True)
class TrainingRows:
    """Different reported rows: their fine codes (rows x attributes), their reported class and how often each occurs."""

    fine: Any
    reported_class: Any
    times: Any

    @classmethod
    def of(cls, fine: list[Any], classes: Any) -> TrainingRows:
        """Rows in no order but that of their codes: the one they came in is nobody's business."""
        distinct, times = np.unique(np.column_stack([classes, *fine]), axis=0, return_counts=True)
        return cls(distinct[:, 1:], distinct[:, 0], times)


class LazyPatterns(PatternClassifier):
    """Classifies each row by the patterns inside it: sets of its values that are at least `min_growth` times as frequent in a class as
    elsewhere. The class wins of which the largest share of training rows holds one (compact summation).

    Parameters
    ----------
    schema : how the training rows were distorted; None: not at all.
    min_growth : how many times as frequent a pattern must be in the class; infinity: jumping patterns alone, which no other class has
        (the fastest; where classes overlap there may be none, and then single attributes decide).
    min_support : the share of a class that must have a pattern; 0: any that occurs.
    min_match : a report counts as a value of the row if its truth is that value with a higher probability than this (p_thr of the
        thesis); one number, or one for each attribute by name.
    neighbours : of numbers and ordered labels, so many cells on either side count as the same value.
    bins : through how many cells numbers are seen.
    random_state : a seed for scores that are drawn; None: the same draws every time.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> X = pd.DataFrame({"outlook": ["sunny", "rain", "rain", "sunny"], "windy": ["no", "no", "yes", "yes"]})
    >>> model = dn.LazyPatterns(min_growth=float("inf")).fit(X, ["play", "play", "stay", "play"])
    >>> model.predict(pd.DataFrame({"outlook": ["rain", "sunny"], "windy": ["yes", "yes"]})).tolist()
    ['stay', 'play']
    """

    _kind = "lazy"
    _most_pairs = 300
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "min_growth": GROWTH,
        "min_support": SHARE,
        "min_match": Allowed(
            "a probability of at least 0 and below 1, or such probabilities by attribute",
            lambda value: _is_match(value) or (isinstance(value, Mapping) and all(map(_is_match, value.values()))),
        ),
        "neighbours": whole_from(0),
        "bins": whole_from(2),
    }

    def __init__(
        self,
        schema: Any = None,
        min_growth: float = 2.0,
        min_support: float = 0.05,
        min_match: Any = 0.5,
        neighbours: int = 0,
        bins: int = 5,
        random_state: Any = None,
    ) -> None:
        self.schema = schema
        self.min_growth = min_growth
        self.min_support = min_support
        self.min_match = min_match
        self.neighbours = neighbours
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> LazyPatterns:
        """Keep distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        X is a frame or array, or, with a schema, anything that `dn.Transactions` reads: a file, a database, a lazy frame.
        """
        fine, classes = self._read(X, y)
        self._rows = TrainingRows.of(fine, classes)
        return self._prepare()

    def _prepare(self) -> LazyPatterns:
        """What searches read: the rows as cells, and which of them match what."""
        if len(self.features_) > MOST_ATTRIBUTES:
            raise DataError(
                "too_many_attributes",
                "LazyPatterns takes up to {most} attributes, got {got}. Use dn.EmergingPatterns.",
                most=MOST_ATTRIBUTES,
                got=len(self.features_),
            )
        least = self._least_matches()
        rows = self._rows
        codes = np.column_stack([f.of_reported[rows.fine[:, i]] for i, f in enumerate(self.features_)]).astype(np.int64)
        self._label = rows.reported_class
        if self.target_.hidden:
            # Whose class is hidden belongs to the class that all reports together make likeliest.
            self._label = self._single._proba_distorted(codes, rows.reported_class).argmax(axis=1)
        self._matches = Matches.of(self.features_, self.shares_, least, int(self.neighbours))
        self._numbers = self._matches.numbers(codes, self._label)
        self._totals = np.bincount(self._label, rows.times, minlength=len(self.classes_)).astype(np.float64)
        return self

    def _least_matches(self) -> dict[str, float]:
        names = [feature.name for feature in self.features_]
        if not isinstance(self.min_match, Mapping):
            return dict.fromkeys(names, float(self.min_match))
        missing = [name for name in names if name not in self.min_match]
        if missing:
            raise ParameterError("min_match", "min_match must name every attribute; it lacks {got}.", got=missing)
        return {name: float(self.min_match[name]) for name in names}

    @property
    def _least_rows(self) -> Any:
        """How many rows of each class must hold a pattern, but for rounding."""
        return np.maximum(self.min_support * self._totals * (1 - 1e-12), 1e-9)

    def _scores(self, cells: Any) -> Any:
        """The compact scores of rows of cells, [row, class]."""
        from deniable.kernels.lazy_patterns import compact_scores

        distinct, inverse = np.unique(cells.astype(np.int64), axis=0, return_inverse=True)
        # Arrays that may not be written to, as joblib opens them, would be compiled for once more.
        numbers, label, flat, offsets, sizes = (
            np.require(array, requirements="W")
            for array in (self._numbers, self._label, self._matches.flat, self._matches.offsets, self._matches.sizes)
        )
        times, totals = self._rows.times.astype(np.float64), self._totals.copy()
        scores = np.zeros((len(distinct), len(self.classes_)))

        def work(first: int, last: int) -> None:
            if (scores < 0).any():
                return
            scores[first:last] = compact_scores(
                distinct[first:last], numbers, label, times, offsets, sizes, flat, totals, self._least_rows, float(self.min_growth),
                MOST_STEPS,
            )  # fmt: skip

        in_threads(work, len(distinct), float(len(distinct)) * numbers.size)
        if (scores < 0).any():
            raise too_long()
        return scores[inverse.reshape(-1)]

    def _patterns_in(self, cells: Any) -> tuple[Any, str]:
        import pandas as pd

        reduced = reduced_rows(self, cells)
        near = "≈" if self.neighbours else "="
        names = [item_name(f, x, near if f.ordered else "=") for f, x in zip(self.features_, cells, strict=True)]
        pieces = []
        for c, label in enumerate(self.classes_):
            found = smallest_patterns(self, reduced, c, MOST_STEPS)
            if found is None:
                raise too_long()
            itemsets = [frozenset(name for i, name in enumerate(names) if bits >> i & 1) for bits in found]
            pieces.append(pd.DataFrame({"itemsets": itemsets, "class": label} | growth_of(self, reduced, cells, c, found)))
        full = [piece for piece in pieces if len(piece)]
        frame = pd.concat(full, ignore_index=True) if full else pieces[0]
        if frame["growth_low"].isna().any():
            frame.attrs["no_interval"] = NOT_KNOWN
        return frame.assign(adds=frame["matched_support"]), "the share of the class that counts as having each"

    def _proba(self, codes: Any) -> Any:
        return self._as_chances(self._scores(codes), self._single._proba(codes))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        likeliest = [self._chances_of_truths(i).argmax(axis=1)[codes[:, i]] for i in range(len(self.features_))]
        return self._with_reported_class(self._proba(np.column_stack(likeliest).astype(np.int32)), reported_class)

    def save(self, path: Any, force: bool = False) -> None:
        """Write the fitted classifier to a JSON file, as `deniable classify fit` does; `dn.load_model` opens it. A file in the way stays
        unless `force`. **It holds the reported rows**, for they are what the classifier works with: it tells as much as the randomised
        data, and of attributes that are not hidden the truth.
        """
        super().save(path, force)

    def _learned(self) -> dict[str, Any]:
        rows = self._rows
        return {
            "parameters": self._parameters(),
            "rows": rows.fine.tolist(),
            "classes": rows.reported_class.tolist(),
            "times": rows.times.tolist(),
        }

    def _restore(self, content: dict[str, Any]) -> None:
        self._know_attributes()
        fine = np.array(content["rows"], dtype=np.int64)
        classes, times = (np.array(content[name], dtype=np.int64) for name in ("classes", "times"))
        sizes = np.array([attribute.reported_size for attribute in self.attributes_])
        if fine.ndim != 2 or fine.shape[1] != len(sizes) or classes.shape != (len(fine),) or times.shape != (len(fine),):
            raise ValueError("rows need one code for each attribute, a class and how often they occur")
        if ((fine < 0) | (fine >= sizes)).any() or (times < 1).any():
            raise ValueError("rows name reports that are not there")
        if ((classes < 0) | (classes >= self.target_.matrix.shape[1])).any():
            raise ValueError("rows name classes that are not there")
        self._rows = TrainingRows(fine, classes, times)
        self._prepare()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_numbers")


def too_long() -> ParameterError:
    """A search that would take too long, and what shortens it."""
    return ParameterError(
        "search_too_long",
        "The search for the patterns of a row takes too long: raise min_support or min_growth (infinity: jumping patterns, the fastest), "
        "or give fewer attributes.",
    )
