"""The cells of reports that a question is about, in one part of a sample: how often each occurs, and the weights of functions on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from deniable.core.caps import Cap
from deniable.core.domains.exact import Floats
from deniable.core.undoing import Undone
from deniable.errors import ParameterError
from deniable.statistics.functions import Function, Residual
from deniable.statistics.parts import Parts

MAY_WELL = 1.645
"""A share may well be this many standard errors larger than it is estimated."""


def counted_parts(parts: Parts, names: Sequence[str]) -> list[Counted]:
    """The cells of reports of these attributes, in each part that asks them."""
    counted = [Counted(parts, i, names) for i in parts.places_asking(names)]
    if not sum(part.rows for part in counted):
        raise ParameterError("no_rows", "The data has no rows.")
    if not sum(part.people for part in counted) > 0:
        raise ParameterError("no_people", "The survey weights {name!r} are all 0: nobody is stood for.", name=parts.weights)
    return counted


class Counted:
    """One part's cells of reports of the attributes that a question is about."""

    def __init__(self, parts: Parts, i: int, names: Sequence[str]) -> None:
        schema, weights = parts.all[i][1], parts.weights
        asked = list(dict.fromkeys([*names, *([weights] if weights else [])]))
        table = parts.table(i, asked)
        self._parts, self._i = parts, i
        self._shares: dict[tuple[str, int], tuple[float, float, float]] = {}
        self.schema = schema
        self.codes = {name: table.cells[:, d] for d, name in enumerate(asked)}
        self.n = table.n.astype(np.float64)
        self.rows = float(self.n.sum())
        self.stands_for: Floats = (
            np.ones(len(self.n)) if weights is None else schema[weights].domain.numbers()[self.codes[weights]]
        )
        if (self.stands_for < 0).any():
            raise ParameterError(
                "negative_weights",
                "The survey weights {name!r} are below 0 in some rows: nobody stands for fewer than no people.",
                name=weights,
            )

    @cached_property
    def people(self) -> float:
        """How many people its respondents stand for."""
        return float(self.n @ self.stands_for)

    def weights(self, functions: Sequence[Function]) -> Floats:
        """The weights of functions, one row each."""

        def undo(name: str, f: Floats, n: float, mass: float) -> Undone:
            return Undone(self._parts.undoer(self._i, name).weights(f, min(n, self.direct_rows), mass), None)

        return np.array([function.undone(self.schema, self.codes, self.n, undo)[0] for function in functions])

    def undone(self, functions: Sequence[Function]) -> tuple[Floats, list[list[Residual]]]:
        """The weights of functions, one row each, and by how much each function's are off where they are not unbiased."""
        undone = [function.undone(self.schema, self.codes, self.n, self.undo) for function in functions]
        return np.array([weights for weights, _ in undone]), [off for _, off in undone]

    def undo(self, name: str, f: Floats, n: float, mass: float) -> Undone:
        """The weights of a function of one attribute."""
        return self._parts.undoer(self._i, name).of(f, min(n, self.direct_rows), mass)

    def means_at_face_value(self, functions: Sequence[Function]) -> Floats:
        """The means of functions if reports behind noise were true."""

        def believed(name: str, f: Floats, n: float, mass: float) -> Undone:
            return Undone(self._parts.undoer(self._i, name).at_face_value(f), None)

        weights = [function.undone(self.schema, self.codes, self.n, believed)[0] for function in functions]
        means: Floats = np.array(weights) @ (self.n * self.stands_for) / self.people
        return means

    def cap(self, name: str) -> Cap:
        """The class of truths that is assumed of an attribute."""
        return self._parts.cap(name)

    def mean_range(self, function: Function) -> tuple[float, float, float]:
        """The share of the people that a function is the members of: as it is estimated, and as small and as large as it may well be."""
        weights = self.weights([function])[0]
        mean = float(weights @ (self.n * self.stands_for)) / max(self.people, 1e-300)
        error = float(np.sqrt(((weights - mean) * self.stands_for) ** 2 @ self.n)) / max(self.people, 1e-300)
        low, middle, high = (float(np.clip(mean + times * error, 0.0, 1.0)) for times in (-MAY_WELL, 0.0, MAY_WELL))
        return low, middle, high

    def share_range(self, name: str, label: int) -> tuple[float, float, float]:
        """The same of those who have one label of an attribute, by its place; every number that is asked for needs it."""
        if (name, label) not in self._shares:
            members = (np.arange(self.schema[name].domain.size) == label).astype(np.float64)
            self._shares[name, label] = self.mean_range(Function([(1.0, {name: members})]))
        return self._shares[name, label]

    @cached_property
    def direct_rows(self) -> float:
        """How many equally weighted answers these are worth (Kish)."""
        squared = float(self.n @ self.stands_for**2)
        return float(self.n @ self.stands_for) ** 2 / squared if squared else 0.0
