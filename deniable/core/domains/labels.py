"""Domains that are lists of labels: without an order, in an order, and yes or no."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Ints
from deniable.core.domains.stored_labels import StoredLabels
from deniable.errors import ParameterError

WRITTEN = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
"""A label that is a number."""


def rating_numbers(domain: Domain) -> list[Fraction] | None:
    """The numbers of labels in an order that are all numbers, or written as such, without the label for silence; None of others.

    >>> [str(number) for number in rating_numbers(Ordinal(["1", "2.5"], missing="no answer"))], rating_numbers(Ordinal(["low", "high"]))
    (['1', '5/2'], None)
    """
    if not isinstance(domain.answered, Ordinal):
        return None
    labels = [label for label in domain.answered.labels if label != domain.missing]
    if any(isinstance(label, bool) or (isinstance(label, str) and not WRITTEN.fullmatch(label)) for label in labels):
        return None
    return [Fraction(str(label)) for label in labels]


class _Labels(Domain):
    """A finite list of labels of one type."""

    def __init__(self, values: Sequence[Any], missing: Any = None) -> None:
        name = type(self).__name__
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise ParameterError(
                "values_not_a_list", "{owner}: values must be a list of labels, got {got!r}.", owner=name, got=values
            )
        labels = [value.item() if isinstance(value, np.generic) else value for value in values]
        types = {type(value) for value in labels}
        if len(types) > 1 or not types <= {str, int, float, bool}:
            raise ParameterError(
                "label_type",
                "{owner}: labels must all be text, all whole numbers, all decimals or all true/false, got {got}.",
                owner=name,
                got=sorted(kind.__name__ for kind in types),
            )
        if missing is not None and type(missing) is not str and type(missing) not in types:
            raise ParameterError(
                "missing_label",
                "{owner}: the missing label must be text or of the same type as the others, got {got!r}.",
                owner=name,
                got=missing,
            )
        if missing is not None and missing not in labels:
            labels.append(missing)
        elif missing is not None:
            # The missing label always has the last code, wherever it was listed.
            labels.remove(missing)
            labels.append(missing)
        if len(labels) < 1 + (missing is not None):
            raise ParameterError(
                "too_few_labels", "{owner} needs at least one label, got {got!r}.", owner=name, got=list(values)
            )
        duplicates = [label for i, label in enumerate(labels) if label in labels[:i]] if len(set(labels)) < len(labels) else []
        if duplicates:
            raise ParameterError("label_twice", "{owner}: label {got!r} is listed twice.", owner=name, got=duplicates[0])
        if any(isinstance(label, float) and not math.isfinite(label) for label in labels):
            raise ParameterError("label_not_finite", "{owner}: labels must be finite numbers.", owner=name)
        self.missing = missing
        self._labels = tuple(labels)

    @property
    def size(self) -> int:
        return len(self._labels)

    @property
    def labels(self) -> tuple[Any, ...]:
        return self._labels

    @property
    def allowed(self) -> str:
        shown = ", ".join(repr(label) for label in self._labels[:BAD_ROWS_SHOWN])
        more = f" and {self.size - BAD_ROWS_SHOWN:,} more" if self.size > BAD_ROWS_SHOWN else ""
        hint = f" (a missing cell is read as {self.missing!r})" if self.missing is not None else ""
        return shown + more + hint

    @cached_property
    def _by_value(self) -> dict[Any, int]:
        return {label: code for code, label in enumerate(self._labels)}

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {str(label): code for code, label in enumerate(self._labels)}

    @cached_property
    def _stored(self) -> StoredLabels:
        return StoredLabels(self._labels, self.missing)

    def _lookup(self, value: Any, text: bool) -> int:
        if isinstance(value, bool):
            # To Python True is 1, but it is not the answer 1 of 1 to 5.
            return self._stored.code(value)
        code = self._by_text.get(value, -1) if text else self._by_value.get(value, -1)
        return code if code >= 0 else self._stored.code(value)

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        if text:
            column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        code_of_word = [self._lookup(word, text) for word in column.dictionary.to_pylist()]
        code_of_null = self._by_value[self.missing] if self.missing is not None else -1
        lookup = np.array([*code_of_word, code_of_null], dtype=np.int64)
        indices = column.indices.cast(pa.int64()).fill_null(len(code_of_word)).to_numpy(zero_copy_only=False)
        codes: Ints = lookup[indices]
        wrong = np.flatnonzero(codes < 0)
        if wrong.size:
            cells = column.take(pa.array(wrong))
            bad.allowed = self.allowed + self._stored.doubt(cells[:BAD_ROWS_SHOWN].to_pylist())
            bad.may_decline = True
            bad.add(wrong, cells, offset)
            codes[wrong] = 0
        return codes

    @cached_property
    def _arrow_labels(self) -> pa.Array:
        own_type = type(self._labels[0])
        return pa.array([label if type(label) is own_type else None for label in self._labels])

    def column(self, codes: Ints) -> pa.Array:
        return self._arrow_labels.take(pa.array(codes))

    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        if self.missing is not None or isinstance(self._labels[0], str):
            return super().numbers()
        return np.array(self._labels, dtype=np.float64)

    def parameters(self) -> dict[str, Any]:
        values = [label for label in self._labels if label != self.missing] if self.missing is not None else list(self._labels)
        return {"values": values, "missing": self.missing}


class Nominal(_Labels):
    """Labels without an order.

    >>> import deniable as dn
    >>> colour = dn.Nominal(["red", "green", "blue"], missing="no answer")
    >>> colour.labels
    ('red', 'green', 'blue', 'no answer')
    """


class Ordinal(_Labels):
    """Labels in their order; a missing label stands outside it.

    >>> import deniable as dn
    >>> dn.Ordinal(["low", "medium", "high"]).size
    3
    """


class Binary(_Labels):
    """0 and 1. True and False are read as 1 and 0, and so are yes and no.

    >>> import deniable as dn
    >>> dn.Binary().labels
    (0, 1)
    """

    def __init__(self) -> None:
        super().__init__([0, 1])

    def parameters(self) -> dict[str, Any]:
        return {}
