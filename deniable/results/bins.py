"""Bins of numbers as people say them. Data, JSON and code keep "[18, 25)"."""

from __future__ import annotations

import re
from typing import Any

from deniable.core.question_texts import Question
from deniable.results.words import Said

_BIN = re.compile(r"\[(-?[\d.]{1,20}(?:e[-+]\d{1,3})?), (-?[\d.]{1,20}(?:e[-+]\d{1,3})?)([)\]])")


def spelled(label: str, said: Said) -> str:
    """The label of a bin as people say it; others as they are.

    >>> from deniable.results.words import said_in
    >>> spelled("[18, 25)", said_in("en")), spelled("[82, 89.5]", said_in("pl")), spelled("yes", said_in("en"))
    ('18 to under 25', 'od 82 do 89,5', 'yes')
    """
    found = _BIN.fullmatch(label)
    if found is None:
        return label
    low, high = (number.replace(".", said.words.decimal).replace("-", said.words.minus) for number in found.group(1, 2))
    return (said.from_to if found[3] == "]" else said.from_to_under).format(low=low, high=high)


def label_in_words(question: Question | None, label: Any, said: Said) -> str:
    """An answer by its text, a bin as people say it, anything else as it is.

    >>> from deniable.results.words import said_in
    >>> smoking = Question("Do you smoke?", {"no": "No"})
    >>> label_in_words(smoking, "no", said_in("en")), label_in_words(None, "[0, 5)", said_in("en"))
    ('No', '0 to under 5')
    """
    if question is not None and str(label) in question.labels:
        return str(question.label(label))
    return spelled(str(label), said)
