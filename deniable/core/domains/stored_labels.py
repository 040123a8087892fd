"""Labels as stores hold them: "5" as the number 5, yes as TRUE, 1 as the text "1"; read where only one meaning is possible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_BOOLEAN_WORDS = {"false": False, "true": True, "f": False, "t": True}
"""How programs write booleans: Excel, pandas and DuckDB in full, PostgreSQL by the first letter."""
_TRUTH = _BOOLEAN_WORDS | {
    "no": False, "yes": True, "n": False, "y": True, "nie": False, "tak": True, "nein": False, "ja": True, "non": False, "oui": True,
}  # fmt: skip


class StoredLabels:
    """What else may stand for each label of a list. The codes are places in `labels`.

    >>> StoredLabels(("1", "2", "3")).code(2)
    1
    >>> yes_no = StoredLabels(("no", "yes", "no answer"), missing="no answer")
    >>> yes_no.code(True), yes_no.code("TRUE"), yes_no.code(1)
    (1, 1, 1)
    >>> StoredLabels(("yes", "no")).code(1)  # the second, or yes?
    -1
    """

    def __init__(self, labels: Sequence[Any], missing: Any = None) -> None:
        self._words = isinstance(labels[0], str)
        answers = [label for label in labels if label != missing or type(label) is not type(missing)]
        numbers = [_number(label) for label in labels]
        often = Counter(numbers)
        # "1" and "01" are one number: it stands for neither.
        self._by_number = {number: code for code, number in enumerate(numbers) if number is not None and often[number] == 1}
        truths = [_truth(label) for label in answers]
        self._by_truth = {}
        if isinstance(labels[0], bool) or (set(truths) == {False, True} and len(truths) == 2):
            self._by_truth = {truth: labels.index(label) for truth, label in zip(truths, answers, strict=True)}
        # As a truth 1 is yes, as a place in a list it is the second label: of words it is read only where both agree.
        if self._words and truths == [False, True]:
            self._by_number |= {0.0: self._by_truth[False], 1.0: self._by_truth[True]}

    def code(self, value: Any) -> int:
        """The code of the one label that a value stands for, or -1."""
        if isinstance(value, bool):
            return self._by_truth.get(value, -1)
        number = _number(value)
        if number is not None:
            return self._by_number.get(number, -1)
        if isinstance(value, str):
            truth = (_BOOLEAN_WORDS if self._words else _TRUTH).get(value.strip().casefold())
            return -1 if truth is None else self._by_truth.get(truth, -1)
        return -1

    def doubt(self, values: Sequence[Any]) -> str:
        """What is to be said of values that were not understood, if they are of another kind than the labels."""
        if any(isinstance(value, bool) for value in values):
            return "; nothing says which of them is true and which is false: write the labels themselves"
        if self._words and any(isinstance(value, (int, float, Decimal)) for value in values):
            return "; a number does not say which of them it stands for: write the labels themselves"
        return ""


def _truth(label: Any) -> bool | None:
    if isinstance(label, str):
        return _TRUTH.get(label.strip().casefold())
    return bool(label) if label in (0, 1) else None


def _number(value: Any) -> float | None:
    """The number that a value is or spells, if it is one."""
    if isinstance(value, str) and ("_" in value or not value.strip(" +-")[:1].isdigit()):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
