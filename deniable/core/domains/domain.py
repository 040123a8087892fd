"""What may be true: the finite lists (`labels.py`) and grids (`grids.py`) of values that an answer can take.

A domain turns values into codes 0..size-1 and back. "No answer" is a label like any other (`missing=`),
so that nonresponse is randomised together with everything else.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Ints
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
