"""From a frame to codes: categories by label, numbers by their rank among the distinct values; and what cannot be used is refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Floats, Ints
from deniable.errors import DataError, ParameterError, Setting
from deniable.publish.cells import as_numbers, as_text, cells, columns_of, number

MOST_CATEGORIES = 1000
"""More categories than this are no answers to group people by."""
MOST_OUTCOMES = 1000
IDENTIFIER_ROWS = 20
"""In fewer rows it is no wonder that all values differ."""
MOSTLY = 0.5
"""Of more categories than `MOST_CATEGORIES`, so many different ones among the rows are names of people: some happen to share theirs."""
NEARLY_ALL = 0.95
"""A column of which so many values are different identifies people, even if some of them share theirs."""
NAMES, NAME_ROWS = 100, 5
"""More different words than the first, with fewer rows each on average than the second, name people too, or nearly."""
NUMBER_OF_A_PERSON = 10**8
"""Whole numbers of this size that are nearly all different are numbers of people, even where a few rows stand twice."""

Codes = np.ndarray[Any, np.dtype[np.int32]]


class PublishingWarning(UserWarning):
    """Something an owner should know before publishing."""


@dataclass(frozen=True)
class Attribute:
    """A column as the tree sees it.

    Parameters
    ----------
    name : what it is called.
    ordered : whether it holds numbers, which are ordered, or categories.
    values : labels of categories (in the order of their codes), or the distinct numbers, ascending.
    missing : the label of missing cells.
    identifier : whether (nearly) every row has a value of its own, or shares it with few: anyone who knows it finds the person.
    lows : where numbers were put into cells: the smallest of each, `values` being the largest.
    measured : whether its values can be made coarser, as those of a salary or a postcode can: single ones identify people, ranges do not.

    Examples
    --------
    >>> town = Attribute("town", False, ["A", "B"])
    >>> town.usable, town.codes(pa.array(["B", "A", "C"])).tolist()
    (True, [1, 0, -1])
    """

    name: str
    ordered: bool
    values: Any
    missing: str | None = None
    identifier: bool = False
    lows: Any = None
    measured: bool = False

    @property
    def usable(self) -> bool:
        """Whether people may be divided by it: a column that only names them is handed on, not used."""
        return len(self.values) > 1 and (self.measured or not self.identifier)

    def codes(self, column: Any) -> Codes:
        """Codes of new cells; a category that was never seen has code -1."""
        array = cells(column, self.name, self.missing, self.ordered)
        if self.ordered:
            return np.searchsorted(self.values, as_numbers(array)).astype(np.int32)
        places = pc.index_in(as_text(array), value_set=pa.array(self.values, pa.large_string()))
        codes: Codes = pc.fill_null(places, -1).to_numpy(zero_copy_only=False).astype(np.int32)
        return codes

    def positions(self, column: Any) -> Floats:
        """What a row is routed by: the number itself, or the code of its category."""
        if self.ordered:
            return as_numbers(cells(column, self.name, self.missing, True))
        return self.codes(column).astype(np.float64)

    def shown(self, code: int) -> str:
        """A value as it is put before people."""
        if self.ordered:
            return number(self.values[code]) if np.isfinite(self.values[code]) else str(self.missing)
        return str(self.values[code])


def read_attribute(column: Any, name: str, categorical: bool | None, missing: str | None, most: int) -> tuple[Attribute, Codes]:
    """An attribute and the codes of its rows. Numbers are ordered, everything else is categories, unless said otherwise.

    Parameters
    ----------
    column : its cells.
    name : what it is called.
    categorical : whether it is categories; None: unless it holds numbers.
    missing : the label of missing cells; None: they are refused.
    most : most categories.

    Returns
    -------
    tuple
        The `Attribute`, and one code per row.

    Examples
    --------
    >>> attribute, codes = read_attribute([30, 20, 30], "age", None, None, 1000)
    >>> attribute.values.tolist(), codes.tolist()
    ([20.0, 30.0], [1, 0, 1])
    """
    raw = column if isinstance(column, pa.Array) else to_arrow(column, name)
    kind = raw.type.value_type if pa.types.is_dictionary(raw.type) else raw.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    ordered = numeric if categorical is None else not categorical
    if ordered and not numeric:
        raise DataError("not_numbers", "Column {column!r} holds no numbers; it can only be categorical.", column=name)
    rows = len(raw)
    # Categories that come as codes already stay codes: a million words would be a hundred million bytes.
    coded_already = pa.types.is_dictionary(raw.type) and not ordered and not raw.null_count
    array = raw if coded_already else cells(raw, name, missing, ordered)
    if ordered:
        values, codes = np.unique(as_numbers(array), return_inverse=True)
        if np.isinf(values[:-1]).any() or (np.isinf(values[-1]) and not array.null_count):
            raise DataError("infinite", "Column {column!r} holds an infinite number; fix it or leave it out.", column=name)
        unique = len(values) >= NEARLY_ALL * rows and rows >= IDENTIFIER_ROWS
        # Whole numbers that are all different are numbers of people; decimals, and whole numbers that recur, measure something.
        numbers_people = pa.types.is_integer(kind) and (len(values) == rows or np.median(values) >= NUMBER_OF_A_PERSON)
        attribute = Attribute(name, True, values, missing, unique, measured=not numbers_people)
        coded: Codes = codes.astype(np.int32).ravel()
    else:
        encoded = array if coded_already else as_text(array).dictionary_encode()
        labels = np.asarray(as_text(encoded.dictionary).to_pylist(), dtype=object)
        indices = encoded.indices.to_numpy(zero_copy_only=False)
        if coded_already:
            present = np.unique(indices)
            indices, labels = np.searchsorted(present, indices), labels[present]
        order = np.argsort(labels)  # by label, so that the order of the rows does not matter
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        unique = (
            len(labels) >= (MOSTLY if len(labels) > max(most, MOST_CATEGORIES) else NEARLY_ALL) * rows
            and rows >= IDENTIFIER_ROWS
        )
        if len(labels) > most and not unique:
            raise DataError(
                "too_many_categories",
                "Column {column!r} has {count:,} categories; at most {most:,} are allowed. Leave it out ({remedy}), or put its rare values "
                "together ({merge}).",
                remedy=Setting("drop", [name]),
                merge=Setting("merge_rare", {name: 20}),
                column=name,
                count=len(labels),
                most=most,
            )
        # A postcode may be shared by few people as well as a name, and be put together with others: so these are not only names.
        rare = not unique and len(labels) > NAMES and len(labels) * NAME_ROWS > rows
        attribute = Attribute(name, False, labels[order].tolist(), missing, unique or rare, measured=rare)
        coded = place[indices] if rows else np.empty(0, np.int32)
    if unique and not attribute.measured:
        warnings.warn(identifies(name, len(attribute.values), rows), PublishingWarning, stacklevel=4)
    return attribute, coded


def identifies(name: str, values: int, rows: int) -> str:
    """The warning about a column in which hardly a value occurs twice."""
    many = "a different value in (nearly) every row" if values >= NEARLY_ALL * rows else f"{values:,} values in {rows:,} rows"
    return (
        f"Column {name!r} has {many}: it identifies people, and a split by it would make every leaf a "
        "person. The tree does not use it, but it is handed on as it is; leave it out of what is published."
    )


def read_table(X: Any, categorical: Iterable[str] | None, missing: str | None, most: int) -> tuple[list[Attribute], Codes]:
    """Attributes and codes (one row per attribute) of a frame."""
    columns = columns_of(X)
    if not columns:
        raise DataError("no_columns", "X has no columns to split by.")
    asked = [categorical] if isinstance(categorical, str) else list(categorical or ())
    unknown = [name for name in asked if name not in columns]
    if unknown:
        raise ParameterError(
            "categorical",
            "categorical names {got}, which are no columns; there are {allowed}.",
            got=unknown,
            allowed=list(columns),
        )
    attributes: list[Attribute] = []
    codes: Codes | None = None
    for at, (name, column) in enumerate(columns.items()):
        attribute, coded = read_attribute(column, name, True if name in asked else None, missing, most)
        if codes is None:
            if not len(coded):
                raise DataError("no_rows", "X has no rows.")
            codes = np.empty((len(columns), len(coded)), np.int32)
        codes[at] = coded
        attributes.append(attribute)
    assert codes is not None
    return attributes, codes


def quantiles(attribute: Attribute, codes: Codes, most: int) -> tuple[Attribute, Codes]:
    """Numbers with at most `most` places to cut, spread evenly over the rows; equal values stay together."""
    if not attribute.ordered or len(attribute.values) <= most:
        return attribute, codes
    running = np.cumsum(np.bincount(codes, minlength=len(attribute.values)))
    cell = np.minimum((running - 1) * most // running[-1], most - 1)
    ends = np.flatnonzero(np.append(np.diff(cell) > 0, True))
    place = np.searchsorted(ends, np.arange(len(attribute.values))).astype(np.int32)
    lows = attribute.values[np.append(0, ends[:-1] + 1)]
    return replace(attribute, values=attribute.values[ends], lows=lows), place[codes]


@dataclass(frozen=True)
class Sensitive:
    """The answers to hide: one attribute, or several taken together as combinations."""

    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    """The possible answers of each attribute."""
    types: tuple[Any, ...]
    missing: str | None = None

    @property
    def outcomes(self) -> int:
        """How many combinations are possible."""
        return int(np.prod([len(answers) for answers in self.labels]))

    @property
    def views(self) -> Codes:
        """The combination itself and, where there are several attributes, the answer of each in it."""
        combined = np.arange(self.outcomes, dtype=np.int32)
        if len(self.names) == 1:
            return combined[None].copy()
        each = np.unravel_index(combined, [len(answers) for answers in self.labels])
        return np.asarray([combined, *each], dtype=np.int32)

    @property
    def view_names(self) -> list[str]:
        """What each view is called."""
        return list(self.names) if len(self.names) == 1 else [" and ".join(self.names), *self.names]

    @property
    def view_outcomes(self) -> list[int]:
        """How many answers each view has."""
        each = [len(answers) for answers in self.labels]
        return each if len(each) == 1 else [self.outcomes, *each]

    def view_counts(self, counts: Any) -> list[Ints]:
        """How many gave each answer, view by view: one row per group, like `counts`, which has one column per combination.

        >>> both = Sensitive(("ill", "poor"), (("no", "yes"), ("no", "yes")), (pa.string(), pa.string()))
        >>> [table.tolist() for table in both.view_counts(np.array([[4, 3, 2, 1]]))]
        [[[4, 3, 2, 1]], [[7, 3]], [[6, 4]]]
        """
        out = []
        for answers, outcomes in zip(self.views, self.view_outcomes, strict=True):
            table = np.zeros((len(counts), outcomes), np.int64)
            for code, answer in enumerate(answers):
                table[:, answer] += counts[:, code]
            out.append(table)
        return out

    def label(self, code: int) -> Any:
        """The answer, or the tuple of answers, behind a code."""
        answers = tuple(self.labels[at][i] for at, i in enumerate(self._each(code)))
        return answers[0] if len(answers) == 1 else answers

    def shown(self, code: int) -> str:
        """The same in words."""
        return ", ".join(str(self.labels[at][i]) for at, i in enumerate(self._each(code)))

    def _each(self, code: Any) -> tuple[Any, ...]:
        return tuple(np.unravel_index(code, [len(answers) for answers in self.labels]))

    def columns(self, codes: Any) -> dict[str, pa.Array]:
        """The columns of answers behind codes."""
        out = {}
        for at, places in enumerate(self._each(codes)):
            labels = pa.array(list(self.labels[at]), self.types[at])
            taken = labels.take(pa.array(places))
            out[self.names[at]] = taken
        return out

    def codes(self, y: Any) -> Codes:
        """The codes of a column, or of a frame of several; an answer that is not possible is refused."""
        columns = sensitive_columns(y)
        if len(columns) != len(self.names):
            raise DataError("y_columns", "y must have the columns {names}, got {got}.", names=self.names, got=list(columns))
        each = []
        for at, (name, column) in enumerate(columns.items()):
            array = cells(column, name, self.missing, False)
            places = pc.index_in(as_text(array), value_set=as_text(pa.array(list(self.labels[at]), self.types[at])))
            bad = np.flatnonzero(places.is_null().to_numpy(zero_copy_only=False))
            if len(bad):
                raise DataError(
                    "unknown_answer",
                    "Column {column!r}: row {row} holds {got!r}, which is none of the answers {allowed}.",
                    column=name,
                    row=int(bad[0]) + 1,
                    got=array[int(bad[0])].as_py(),
                    allowed=list(self.labels[at][:20]),
                )
            each.append(places.to_numpy(zero_copy_only=False))
        codes: Codes = np.asarray(np.ravel_multi_index(tuple(each), [len(answers) for answers in self.labels]), dtype=np.int32)
        return codes


def sensitive_columns(y: Any) -> dict[str, pa.Array]:
    """The column, or columns, of y by name."""
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return columns_of(y)
    if hasattr(y, "columns") or isinstance(y, pa.Table):
        return {name: to_arrow(column, name) for name, column in columns_of(y).items()}
    name = getattr(y, "name", None)
    return {str(name) if name else "y": to_arrow(y, str(name or "y"))}


def read_sensitive(y: Any, outcomes: Any, missing: str | None) -> tuple[Sensitive, Codes]:
    """What is hidden, and its codes; `outcomes` lists answers that are possible though they may occur nowhere."""
    columns = sensitive_columns(y)
    given = outcomes if isinstance(outcomes, dict) else dict.fromkeys(columns, outcomes) if outcomes is not None else {}
    labels, types = [], []
    for name, column in columns.items():
        array = cells(column, name, missing, False)
        seen = pc.unique(array)
        if len(seen) < 2:
            what = f"one answer only ({seen[0].as_py()!r})" if len(seen) else "no answers"
            raise DataError(
                "constant_sensitive",
                "The sensitive column {column!r} has {what}: nobody could deny it. Choose another column.",
                column=name,
                what=what,
            )
        answers = _sorted(seen.to_pylist())
        _refuse_spellings(answers, name)
        declared = list(given.get(name, answers))
        absent = [answer for answer in answers if answer not in declared]
        if absent:
            raise ParameterError(
                "outcomes",
                "{setting} must list every answer of {column!r}. In the data there are also: {got}.",
                setting=Setting("outcomes"),
                column=name,
                got=absent[:20],
            )
        if len(declared) > MOST_OUTCOMES or (len(answers) > 20 and 2 * len(answers) > len(array)):
            raise DataError(
                "too_many_answers",
                "The sensitive column {column!r} has {count:,} different answers in {rows:,} rows; a group of people can hardly share "
                "one. Put the answers into fewer classes first (at most {most:,}).",
                column=name,
                count=len(declared),
                rows=len(array),
                most=MOST_OUTCOMES,
            )
        labels.append(tuple(declared))
        types.append(array.type)
    sensitive = Sensitive(tuple(columns), tuple(labels), tuple(types), missing)
    if sensitive.outcomes > MOST_OUTCOMES:
        raise DataError(
            "too_many_answers",
            "The sensitive columns {names} have {count:,} combinations of answers; at most {most:,} can be hidden together. Hide them "
            "one after the other.",
            names=sensitive.names,
            count=sensitive.outcomes,
            most=MOST_OUTCOMES,
        )
    return sensitive, sensitive.codes(y)


def _refuse_spellings(answers: Sequence[Any], name: str) -> None:
    """Spellings of one answer are no alternatives: anyone who answered "yes" cannot deny it by "Yes"."""
    spelt: dict[str, Any] = {}
    for answer in answers:
        plain = " ".join(str(answer).split()).casefold()
        if plain in spelt:
            raise DataError(
                "spellings",
                "The sensitive column {column!r} holds {a!r} and {b!r}, which are spellings of one answer; counted as two they would "
                "seem to protect each other. Write them alike.",
                column=name,
                a=spelt[plain],
                b=answer,
            )
        spelt[plain] = answer


def _sorted(values: Sequence[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
