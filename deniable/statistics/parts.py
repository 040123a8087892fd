"""The parts of a sample: data that was hidden under one or several schemas, and how their answers are taken together.

For the respondents the parts are added up. For the population, if the parts are alike, each counts by its precision: a respondent of part
i by 1 / V_i, V_i being the variance of one report's weight under the *design* of that part, at what all parts together say of the
truths. (Weights from each part's own answers would be biased: an answer that happens to be small looks precise.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.caps import Cap, check_most
from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.channels.designs import Identity
from deniable.core.channels.groups import JointChannel
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.core.undoing import Undoer, Undone
from deniable.engines.count import cell_table
from deniable.engines.countable import Countable
from deniable.errors import ParameterError, SchemaError
from deniable.reconstruction.misfit import misfit
from deniable.statistics.bounded import Bounded, Residuals
from deniable.statistics.functions import MOST_TERMS, Function, Residual, weight_product
from deniable.statistics.weighted import Weighted

Part = tuple[Any, Schema]
Sums = Callable[[Sequence[Function], Residuals], Weighted]
"""Sums functions over the people; what the residuals are of is to be known precisely."""

DIFFERENT = 0.01
"""Below this probability parts differ more than chance explains."""
MAY_WELL = 1.645
"""A share may well be so many standard errors larger than it is estimated."""
KEPT_TABLES = 8
ROUNDS = 3
"""How often precision is worked out anew from what the parts together say; the second time changes little, the third nothing."""


Most = float | Mapping[str, float] | None
"""The largest share of the people that a single value of an attribute holds: of all attributes, of some by name, or as usual."""


class Parts:
    """(data, schema) pairs whose attributes have the same answers, though they may hide them differently."""

    def __init__(self, parts: Sequence[Part], weights: str | None, alike: bool, most: Most = None) -> None:
        self.all = list(parts)
        self.weights = weights
        self.alike = alike
        self.most = most
        self._undoers: dict[tuple[int, str], Undoer] = {}
        self._tables: dict[tuple[int, tuple[str, ...]], CellTable] = {}
        self._caps: dict[str, Cap] = {}
        self._misfits: dict[tuple[int, str], str | None] = {}
        self.channels: dict[str, Channel] = {}
        for _, schema in self.all:
            self.channels = {**schema, **self.channels}
        self._check_versions()
        self._check_weights()
        self._check_most()

    def _check_most(self) -> None:
        if not isinstance(self.most, Mapping):
            check_most(self.most)
            return
        for name in self.most:
            if name not in self.channels:
                raise ParameterError(
                    "most_names", "most names {got!r}; there are {allowed}.", got=name, allowed=list(self.channels)
                )
            self.cap(name)

    def cap(self, name: str) -> Cap:
        """The class of truths for which intervals of an attribute are meant, where its noise cannot be undone."""
        if name not in self._caps:
            most = self.most.get(name) if isinstance(self.most, Mapping) else self.most
            self._caps[name] = Cap.of(self.channels[name].domain, most, name)
        return self._caps[name]

    def table(self, i: int, names: Sequence[str]) -> CellTable:
        """How often each combination of reports occurs in a part; the last few are kept, since questions come in groups."""
        key = (i, tuple(names))
        if key not in self._tables:
            found = self._summed(*key)
            if len(self._tables) >= KEPT_TABLES:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = cell_table(*self.all[i], list(names)) if found is None else found
        return self._tables[key]

    def _summed(self, i: int, names: tuple[str, ...]) -> CellTable | None:
        """The table from one that is kept and has all of these attributes, if there is one."""
        for (part, kept), table in self._tables.items():
            if part == i and set(names) <= set(kept):
                places = [kept.index(name) for name in names]
                return CellTable([table.axes[place] for place in places], table.cells[:, places], table.n)
        return None

    def undoer(self, i: int, name: str) -> Undoer:
        """How the reports of an attribute in one of the parts are undone."""
        if (i, name) not in self._undoers:
            self._undoers[i, name] = Undoer(self.all[i][1][name].law, self.cap(name), self._counts(i, name))
        return self._undoers[i, name]

    def _counts(self, i: int, name: str) -> Floats:
        """How often each report of an attribute occurs in one of the parts."""
        table = self.table(i, [name])
        counts = np.bincount(table.cells[:, 0], weights=table.n, minlength=self.all[i][1][name].law.outputs)
        return counts.astype(np.float64)

    def misfits(self, names: Iterable[str]) -> list[str]:
        """What is to be said of attributes whose reports do not fit their schema, in the parts that ask all of these."""
        wanted = list(names)
        asking = [i for i, (_, schema) in enumerate(self.all) if all(name in schema for name in wanted)]
        found = [self._misfit(i, name) for i in asking for name in wanted]
        return list(dict.fromkeys(said for said in found if said is not None))

    def _misfit(self, i: int, name: str) -> str | None:
        channel = self.all[i][1][name]
        if (i, name) not in self._misfits:
            checked = channel.exact and not isinstance(channel, Identity)
            self._misfits[i, name] = misfit(self._counts(i, name), channel, name) if checked else None
        return self._misfits[i, name]

    def _check_versions(self) -> None:
        different = {
            name for _, schema in self.all for name in schema if schema[name].inputs != self.channels[name].inputs
        }  # fmt: skip
        names = [set(schema) for _, schema in self.all]
        stray = any(not own & set().union(*names[:i]) for i, own in enumerate(names) if i)
        if different or stray:
            raise SchemaError(
                "versions_differ",
                "Versions of a survey may hide answers differently, but the answers must be the same; {got} differ.",
                got=sorted(different) or "all attributes",
            )

    def _check_weights(self) -> None:
        for _, schema in self.all:
            if self.weights is not None and not (
                self.weights in schema and isinstance(schema[self.weights], Identity) and schema[self.weights].exact
            ):
                raise SchemaError(
                    "survey_weights",
                    "{name!r} cannot be the survey weights: {why}. Weights are a column that is not hidden; in a schema it is "
                    "dn.Identity(dn.Continuous(low, high, step)).",
                    name=self.weights,
                    why="the schema hides it" if self.weights in schema else "it is in the schema of some parts only",
                )

    def asking(self, names: Sequence[str]) -> list[Part]:
        """The parts in which all these attributes were asked."""
        return [self.all[i] for i in self._asking(names)]

    def remembering(self, names: Sequence[str]) -> list[Part]:
        """The same, with data whose tables are counted once."""
        return [(_Remembered(self, i), self.all[i][1]) for i in self._asking(names)]

    def _asking(self, names: Sequence[str]) -> list[int]:
        found = [i for i, (_, schema) in enumerate(self.all) if all(name in schema for name in names)]
        if not found:
            raise ParameterError(
                "asked_apart", "No part of the sample asks {names} together, so nothing joins their answers.", names=list(names)
            )
        return found

    def counted(self, names: Sequence[str]) -> list[Counted]:
        """The cells of reports of these attributes, in each part that asks them."""
        found = [Counted(self, i, names) for i in self._asking(names)]
        if not sum(part.rows for part in found):
            raise ParameterError("no_rows", "The data has no rows.")
        if not sum(part.people for part in found) > 0:
            raise ParameterError("no_people", "The survey weights {name!r} are all 0: nobody is stood for.", name=self.weights)
        return found

    def weigh(self, functions: Sequence[Function], residuals: Residuals, by_precision: bool = False) -> Weighted:
        """The weights of functions on every cell of reports; parts count by their precision for the `residuals`, if that is asked for
        (for the population)."""
        names = list(dict.fromkeys(name for function in functions for name in function.attributes))
        counted = self.counted(names)
        undone = [part.undone(functions) for part in counted]
        values = np.concatenate([values for values, _ in undone], axis=1)
        n, stands_for, place = (
            np.concatenate(found)
            for found in zip(
                *((part.n, part.stands_for, np.full(len(part.n), i)) for i, part in enumerate(counted)), strict=True
            )
        )
        weighted = Weighted(values, n, stands_for, place)
        designs = {_design(part.schema, names) for part in counted if part.people}
        if by_precision and self.alike and len(designs) > 1:
            weighted = _by_precision(weighted, counted, functions, residuals)
        off = [terms for _, terms in undone]
        if any(terms for of_part in off for terms in of_part):
            weighted.bounded = Bounded(weighted, counted, functions, off, residuals)
        return weighted


class _Remembered(Countable):
    """The data of a part, which counts what is not kept."""

    def __init__(self, parts: Parts, i: int) -> None:
        self.name = f"part {i}"
        self._parts, self._i = parts, i

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reported labels of these attributes occurs."""
        return self._parts.table(self._i, attributes)


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

        def undo(name: str, f: Floats, n: float) -> Undone:
            return Undone(self._parts.undoer(self._i, name).weights(f, min(n, self.direct_rows)), None)

        return np.array([function.undone(self.schema, self.codes, self.n, undo)[0] for function in functions])

    def undone(self, functions: Sequence[Function]) -> tuple[Floats, list[list[Residual]]]:
        """The weights of functions, one row each, and by how much each function's are off where they are not unbiased."""
        found = [function.undone(self.schema, self.codes, self.n, self.undo) for function in functions]
        return np.array([weights for weights, _ in found]), [off for _, off in found]

    def undo(self, name: str, f: Floats, n: float) -> Undone:
        """The weights of a function of one attribute."""
        return self._parts.undoer(self._i, name).of(f, min(n, self.direct_rows))

    def means_at_face_value(self, functions: Sequence[Function]) -> Floats:
        """The means of functions if reports behind noise were true."""

        def believed(name: str, f: Floats, n: float) -> Undone:
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


def _design(schema: Schema, names: Sequence[str]) -> tuple[Any, ...]:
    """What makes two parts hide these attributes in the same way."""
    return tuple(sorted(_digest(block) for block in schema.blocks if set(block.attributes) & set(names)))


def _digest(block: Block) -> tuple[str, ...]:
    if isinstance(block.channel, JointChannel):
        return (*block.attributes, str(block.channel.recipe()))
    return (*block.attributes, block.channel.law.digest)


def _by_precision(
    weighted: Weighted, counted: Sequence[Counted], functions: Sequence[Function], residuals: Residuals
) -> Weighted:
    """The same weights, each part counting by the precision of its design at what the parts together say."""
    means = np.array([function.even_mean() for function in functions])
    variances = _Variances(weighted, counted, functions)
    sizes = np.array([part.direct_rows for part in counted])
    counts_as = weighted.counts_as
    for turn in range(ROUNDS):
        rows = residuals(means)
        if rows is None:
            return weighted
        spread = variances.at(rows, means, counts_as if turn else None)
        if not spread.max() > 1e-12 * float((rows**2).sum()):
            # Nothing varies: every part says the same for certain.
            return weighted
        shares = sizes / spread / (sizes / spread).sum()
        people = np.array([part.people for part in counted])
        each = np.divide(shares * people.sum(), people, out=np.zeros(len(people)), where=people > 0)
        counts_as = each[weighted.part]
        means = weighted.values @ (weighted.n * weighted.stands_for * counts_as) / weighted.people
    rows = residuals(means)
    if rows is None:
        return weighted
    pooled = Weighted(weighted.values, weighted.n, weighted.stands_for, weighted.part, counts_as)
    if len(rows) == 1:
        pooled.design_variance = float(np.divide(shares**2 * spread, sizes, out=np.zeros(len(sizes)), where=sizes > 0).sum())
    pooled.assumes = (_told(shares[shares > 0], difference_probability(pooled, rows @ weighted.values)),)
    return pooled


class _Variances:
    """The variance of one report's residuals under the design of each part."""

    def __init__(self, weighted: Weighted, counted: Sequence[Counted], functions: Sequence[Function]) -> None:
        self._weighted, self._counted, self._functions = weighted, counted, functions

    def at(self, rows: Floats, means: Floats, counts_as: Floats | None) -> Floats:
        """The sum over the rows of their variances, for each part; before any answer is looked at if `counts_as` is None."""
        squares = rows.T @ rows
        pairs = [(a, b) for a in range(len(means)) for b in range(a, len(means)) if squares[a, b]]
        terms = sum(len(self._functions[a].terms) * len(self._functions[b].terms) for a, b in pairs)
        found = []
        for i, part in enumerate(self._counted):
            if terms > MOST_TERMS // 8:
                found.append(self._seen(i, rows, means))
                continue
            expected = Function([])
            for a, b in pairs:
                product = weight_product(self._functions[a], self._functions[b], part.schema, part.undo)
                expected = expected + product.times(squares[a, b] * (1 if a == b else 2))
            found.append(self._mean(expected, counts_as) - float(((rows @ means) ** 2).sum()))
        spread = np.array(found)
        # Only what is impossible by far gets here, and counts as varying little.
        least: Floats = np.maximum(spread, 1e-6 * max(float(spread.max()), 1e-300))
        return least

    def _mean(self, function: Function, counts_as: Floats | None) -> float:
        """The mean of a function of the truth, one standard error up: near the border of what is possible it may be 0 or below, and
        a handful of undistorted answers would then seem to know everything."""
        if counts_as is None:
            return function.even_mean()
        values = np.concatenate([part.weights([function])[0] for part in self._counted])
        each = self._weighted.stands_for * counts_as
        mean = float(values @ (self._weighted.n * each)) / self._weighted.people
        error = float(np.sqrt(((values - mean) * each) ** 2 @ self._weighted.n)) / self._weighted.people
        return max(mean, 0.0) + error

    def _seen(self, i: int, rows: Floats, means: Floats) -> float:
        """The spread of a part's own reports about what all say: for questions with too many terms to be worked out."""
        inside = self._weighted.part == i
        apart = rows @ self._weighted.values[:, inside] - (rows @ means)[:, None]
        return float((apart**2).sum(axis=0) @ self._weighted.n[inside]) / max(float(self._weighted.n[inside].sum()), 1.0)


def difference_probability(weighted: Weighted, residuals: Floats) -> float:
    """How probable differences between parts as large as these are if the parts are alike (Cochran's Q; Bonferroni over the numbers)."""
    from scipy.special import gammaincc

    each = weighted.n * weighted.stands_for
    whole = residuals @ (each * weighted.counts_as) / weighted.people
    apart = residuals - whole[:, None]
    means, precisions = [], []
    for i in np.unique(weighted.part[each > 0]):
        inside = weighted.part == i
        means.append(apart[:, inside] @ each[inside] / each[inside].sum())
        squared = apart[:, inside] ** 2 @ (each * weighted.stands_for)[inside] / each[inside].sum() ** 2
        precisions.append(np.divide(1.0, squared, out=np.zeros(len(squared)), where=squared > 0))
    mean, precision = np.array(means), np.array(precisions)
    common = np.divide(
        (mean * precision).sum(axis=0), precision.sum(axis=0), out=np.zeros(len(whole)), where=precision.any(axis=0)
    )
    q = ((mean - common) ** 2 * precision).sum(axis=0)
    least = float(np.min(gammaincc((len(means) - 1) / 2, q / 2))) if len(means) > 1 else 1.0
    return min(1.0, len(q) * least)


def _told(shares: Floats, probability: float) -> str:
    counts = ", ".join(f"{100 * share:.3g}%" for share in shares)
    said = f"the {len(shares)} parts are alike, so that each counts by its precision ({counts})"
    if probability >= DIFFERENT:
        return f"{said}; a test at the 1% level does not find them different (p = {probability:.2g})"
    return f"{said}; but a test at the 1% level finds that they differ (p = {probability:.1g}): ask each part alone, or take alike=False"
