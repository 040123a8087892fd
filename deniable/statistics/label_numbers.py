"""Labels as numbers: which attributes have means, quantiles, correlations and regressions, and what is said of it.

Numbers of a grid are numbers. So are labels in an order that are all written as numbers, as those of a rating are. Of yes and no, yes is 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats
from deniable.core.domains.labels import WRITTEN, Ordinal

NO_AND_YES = (("no", "yes"), ("false", "true"), ("nie", "tak"))


def answered(domain: Domain) -> Any:
    """The domain of numbers without the label for silence, where it has one."""
    return domain.answered


def has_numbers(domain: Domain) -> bool:
    """Whether every answer is a number, or yes or no.

    >>> import deniable as dn
    >>> has_numbers(dn.Ordinal(["1", "2", "3"], missing="no answer")), has_numbers(dn.Nominal(["no", "yes"]))
    (True, True)
    >>> has_numbers(dn.Nominal(["red", "green"])), has_numbers(dn.Nominal(["1", "2"]))
    (False, False)
    """
    return domain.is_numeric or _of_labels(domain) is not None


def numbers_of(domain: Domain) -> Floats:
    """The numbers of a domain; silence, where there is such a label, stands last with the largest of them and is left out by those who
    ask (a condition to have answered)."""
    numbers = answered(domain).numbers() if hasattr(answered(domain), "low") else _of_labels(domain)
    assert numbers is not None  # the caller has looked
    return numbers if domain.missing is None else np.append(numbers, numbers.max())


def counts_as(name: str, domain: Domain) -> str | None:
    """What to say of an attribute whose answers are yes and no; None of numbers.

    >>> import deniable as dn
    >>> counts_as("smokes", dn.Nominal(["yes", "no"]))
    "of 'smokes', 'yes' counts as 1 and 'no' as 0"
    """
    labels = () if domain.is_numeric else _answers(domain)
    if len(labels) != 2 or not isinstance(labels[0], (str, bool)) or _yes(labels) is None:
        return None
    yes = _yes(labels)
    assert yes is not None
    return f"of {name!r}, {labels[yes]!r} counts as 1 and {labels[1 - yes]!r} as 0"


def looks_like_numbers(domain: Domain) -> bool:
    """Whether all labels are written as numbers, in an order or not."""
    return all(isinstance(label, str) and WRITTEN.fullmatch(label) for label in _answers(domain))


def _answers(domain: Domain) -> tuple[Any, ...]:
    return domain.labels if domain.missing is None else domain.labels[:-1]


def _yes(labels: tuple[Any, ...]) -> int | None:
    """The place of yes, if the labels are yes and no."""
    words = tuple(str(label).casefold() for label in labels)
    return next((words.index(pair[1]) for pair in NO_AND_YES if set(words) == set(pair) and len(words) == 2), None)


def _of_labels(domain: Domain) -> Floats | None:
    """The numbers of the labels of a list; None of words, and of names that look like numbers."""
    labels = _answers(domain)
    if not any(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=np.float64)
    if _yes(labels) is not None:
        return np.arange(2.0) if _yes(labels) else 1.0 - np.arange(2.0)
    if isinstance(domain.answered, Ordinal) and looks_like_numbers(domain):
        return np.array([float(label) for label in labels])
    return None
