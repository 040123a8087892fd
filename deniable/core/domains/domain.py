"""What may be true: the finite lists and grids of values that an answer can take.

A domain turns values into codes 0..size-1 and back. "No answer" is a label like any other (`missing=`),
so that nonresponse is randomised together with everything else.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Ints, Number, as_float, fraction, written
from deniable.core.domains.stored_labels import StoredLabels
from deniable.errors import ParameterError, SchemaError

NO_ANSWER = "no answer"


class Domain(ABC):
    """What may be true of one attribute."""

    kinds: ClassVar[dict[str, type[Domain]]] = {}
    missing: Any = None
    is_numeric: bool = False
    """Whether its answers are numbers from `low` to `high`, of which bins can be made."""
    has_grid: bool = True
    """Whether it has a list of labels: all have, but numbers without a step."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_"):
            Domain.kinds[cls.__name__] = cls

    @property
    @abstractmethod
    def size(self) -> int:
        """How many labels there are."""

    @property
    @abstractmethod
    def labels(self) -> tuple[Any, ...]:
        """All labels in code order, the missing label last."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """The domain in words, for error sentences."""

    @property
    def answered(self) -> Domain:
        """The domain of those who answer: without the label of its own that `WithMissing` adds to numbers."""
        return self

    @abstractmethod
    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        """Codes of an Arrow column; cells that do not fit go to `bad` (and get code 0). `text`: cells come from a CSV."""

    @abstractmethod
    def column(self, codes: Ints) -> pa.Array:
        """The labels of `codes` as an Arrow column; a missing label that has no place in the type becomes null."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments in JSON form."""

    def encode(self, values: Any, name: str = "values") -> Ints:
        """Codes of a column of any kind; all cells that do not fit are named in one error.

        >>> import deniable as dn
        >>> dn.Nominal(["red", "green"]).encode(["green", "red"]).tolist()
        [1, 0]
        """
        bad = BadCells(name, self.allowed)
        codes = self.codes(to_arrow(values, name, self.missing), bad)
        raise_bad_cells([bad])
        return codes

    def decode(self, codes: Any) -> Any:
        """The labels of `codes` as a numpy array."""
        return self.column(np.asarray(codes, dtype=np.int64)).to_numpy(zero_copy_only=False)

    def code_of(self, label: Any) -> int:
        """The code of one label; an unknown label is refused."""
        if isinstance(label, str) and label == self.missing:
            return self.size - 1
        return int(self.encode([label], "label")[0])

    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The labels as numbers; refused where they are words."""
        raise ParameterError("not_numeric", "{domain} has no numeric values.", domain=repr(self))

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `Domain.from_json` reads back."""
        return {"type": type(self).__name__, **self.parameters()}

    @staticmethod
    def from_json(given: Any) -> Domain:
        """The domain that a JSON object describes."""
        if not isinstance(given, dict) or given.get("type") not in Domain.kinds:
            raise SchemaError(
                "unknown_domain",
                "A domain must be an object with a type among {allowed}, got {got!r}.",
                allowed=sorted(Domain.kinds),
                got=given,
            )
        arguments = {key: value for key, value in given.items() if key != "type"}
        built: Domain = build(Domain.kinds[given["type"]], arguments, "domain")
        return built

    def __eq__(self, other: object) -> bool:
        # As text, for 1 == 1.0 == True in Python: labels of another type are other labels.
        return isinstance(other, Domain) and repr(self.to_json()) == repr(other.to_json())

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.parameters().items() if value is not None)
        return f"{type(self).__name__}({inside})"


def build(cls: type[Any], arguments: dict[str, Any], what: str) -> Any:
    """Call a constructor with arguments from a file: a wrong or missing one is named, not a traceback."""
    known = inspect.signature(cls).parameters
    unknown = [name for name in arguments if name not in known]
    missing = [name for name, p in known.items() if p.default is inspect.Parameter.empty and name not in arguments]
    if unknown or missing:
        raise SchemaError(
            "bad_arguments",
            "The {what} {kind} {problems}; it takes {allowed}.",
            what=what,
            kind=cls.__name__,
            problems=" and ".join(
                words
                for words, names in (
                    (f"needs {', '.join(map(repr, missing))}", missing),
                    (f"does not know {', '.join(map(repr, unknown))}", unknown),
                )
                if names
            ),
            allowed=list(known),
        )
    return cls(**arguments)


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


class _Grid(Domain):
    """Equally spaced numbers from low to high, both included; held as exact fractions."""

    is_numeric = True
    low: Fraction
    high: Fraction
    step: Fraction

    def _set(self, low: Number, high: Number, step: Number) -> None:
        name = type(self).__name__
        self.low, self.high = fraction(low, name, "low"), fraction(high, name, "high")
        self.step = fraction(step, name, "step")
        if self.low > self.high or (self.low == self.high and not self.has_grid):
            # A column may hold one number only; without a grid there is then nothing to spread over.
            allowed = "at most" if self.has_grid else "below"
            raise ParameterError(
                "empty_range", "{owner}: low must be {allowed} high, got {low} and {high}.",
                owner=name, allowed=allowed, low=low, high=high,
            )  # fmt: skip
        if self.step <= 0:
            raise ParameterError("step_not_positive", "{owner}: step must be positive, got {got}.", owner=name, got=step)
        denominator = math.lcm(self.low.denominator, self.step.denominator)
        if self.has_grid and max(abs(self.low), abs(self.high)) * denominator >= 2**53:
            raise ParameterError(
                "grid_too_large",
                "{owner}: {low} to {high} in steps of {step} has more digits than a number can hold (2**53 steps from 0); "
                "use a smaller range or a coarser step.",
                owner=name,
                low=low,
                high=high,
                step=step,
            )
        if (self.high - self.low) % self.step:
            below = self.low + (self.high - self.low) // self.step * self.step
            raise ParameterError(
                "step_does_not_fit",
                "{owner}: steps of {step} from {low} do not reach {high}; the nearest ends are {below} and {above}.",
                owner=name,
                step=step,
                low=low,
                high=high,
                below=as_float(below),
                above=as_float(below + self.step),
            )

    @property
    def size(self) -> int:
        return int((self.high - self.low) / self.step) + 1

    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        denominator = math.lcm(self.low.denominator, self.step.denominator)
        start, stride = int(self.low * denominator), int(self.step * denominator)
        # Whole numbers divided once: the float nearest to the decimal, so 0.1 * 3 prints as 0.3.
        values = (start + stride * np.arange(self.size, dtype=np.int64)) / denominator
        return values.astype(np.float64)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        numbers = self.numbers()
        return tuple(numbers.astype(np.int64).tolist()) if self._whole else tuple(numbers.tolist())

    @property
    def _whole(self) -> bool:
        return self.low.denominator == 1 and self.step.denominator == 1

    @cached_property
    def _arrow_labels(self) -> pa.Array:
        numbers = self.numbers()
        return pa.array(numbers.astype(np.int64) if self._whole else numbers)

    def column(self, codes: Ints) -> pa.Array:
        return self._arrow_labels.take(pa.array(codes))

    @property
    def allowed(self) -> str:
        return f"{as_float(self.low)} to {as_float(self.high)} in steps of {as_float(self.step)}"

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        if pa.types.is_boolean(column.type) and self.low == 0 and self.high == 1:
            column = column.cast(pa.int8())
        values = numeric(column, text)
        steps = (values - float(self.low)) / float(self.step)
        nearest = np.rint(steps)
        with np.errstate(invalid="ignore"):
            fits = (values >= float(self.low)) & (values <= float(self.high)) & self._on_grid(steps, nearest)
        wrong = np.flatnonzero(~fits)
        if wrong.size:
            if not text and (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                bad.allowed = f"numbers, not text: {self.allowed} (make the column numeric first)"
            cells = column.take(pa.array(wrong))
            if text and any(value is not None and "," in value for value in cells[:BAD_ROWS_SHOWN].to_pylist()):
                bad.allowed = f"{self.allowed} (with a decimal point, unless the decimal sign is said to be a comma)"
            bad.add(wrong, cells, offset)
            nearest[wrong] = 0
        codes: Ints = nearest.astype(np.int64)
        return codes

    @abstractmethod
    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        """Which values lie on the grid, or may be moved to it."""

    def parameters(self) -> dict[str, Any]:
        return {"low": written(self.low), "high": written(self.high), "step": written(self.step)}


def numeric(column: pa.Array, text: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An Arrow column as floats; what is no number becomes NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(column.type) or not (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)
    ):
        if not text:
            return np.full(len(column), np.nan)
        try:
            column = pc.utf8_trim_whitespace(column).cast(pa.float64())
        except pa.ArrowInvalid:
            column = pa.array([_number(cell) for cell in column.to_pylist()], type=pa.float64())
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.array(values, dtype=np.float64)


def _number(cell: str | None) -> float | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return None


class Integer(_Grid):
    """Whole numbers from low to high, both included, in steps (of 1 unless said).

    >>> import deniable as dn
    >>> dn.Integer(18, 90).size, dn.Integer(0, 100, step=25).labels
    (73, (0, 25, 50, 75, 100))
    """

    def __init__(self, low: int, high: int, step: int = 1) -> None:
        self._set(low, high, step)
        for name, value in (("low", self.low), ("high", self.high), ("step", self.step)):
            if value.denominator != 1:
                raise ParameterError(
                    "not_whole",
                    "Integer: {name} must be a whole number, got {got}; use Continuous with a step.",
                    name=name,
                    got=float(value),
                )

    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        return np.abs(steps - nearest) < 1e-9


class Continuous(_Grid):
    """Numbers from low to high. With a `step` values are rounded to that grid, and the domain can protect people;
    without one it is for simulation and for data that others distorted.

    >>> import deniable as dn
    >>> dn.Continuous(0, 1, step=0.25).labels
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """

    def __init__(self, low: Number, high: Number, step: Number | None = None) -> None:
        self.has_grid = step is not None
        self._set(
            low, high, fraction(high, "Continuous", "high") - fraction(low, "Continuous", "low") or 1 if step is None else step
        )

    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        return np.isfinite(steps)

    @property
    def _whole(self) -> bool:
        return False

    @property
    def allowed(self) -> str:
        return super().allowed if self.has_grid else f"{as_float(self.low)} to {as_float(self.high)}"

    @property
    def size(self) -> int:
        self._need_step()
        return super().size

    def _need_step(self) -> None:
        if not self.has_grid:
            raise ParameterError(
                "no_step",
                "Continuous({low}, {high}) has no step, so it has no list of labels; give a step, or bins where a table is asked for.",
                low=as_float(self.low),
                high=as_float(self.high),
            )

    def values(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Any:
        """The numbers of a column, checked against the range, not moved to any grid."""
        values = numeric(column, text)
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(~((values >= float(self.low)) & (values <= float(self.high))))
        if wrong.size:
            bad.add(wrong, column.take(pa.array(wrong)), offset)
        return values

    def parameters(self) -> dict[str, Any]:
        written_out = super().parameters()
        return written_out if self.has_grid else {"low": written_out["low"], "high": written_out["high"]}
