"""What those may see who may not export: no group of fewer than 50 people, however views are combined (docs/security.md).

Open answers are put into cells, and people into classes by the cells of a few open questions, chosen once and in a fixed order. Every class
has at least 50 people or none, and every group that may be asked about is made of whole classes. So whatever is added, subtracted or
complemented, what is left is made of whole classes.

Reports of hidden questions are no groups that anyone can be recognised by, but several of them together are a part of a row, and those
who reported the same to all of them but one are a group that the last one is told of. So two or three may be combined only if each such
group has at least 50 people, in every class of the finest division in which they may be asked about; more than three never.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.core.question_texts import QuestionTexts
from deniable.core.schema import Schema
from deniable.core.tables import Axis, CellTable
from deniable.engines.countable import Countable
from deniable.errors import ParameterError
from deniable.results.cells import FEWEST, Cells, coarse_codes, is_nominal, merged
from deniable.results.words import said_in
from deniable.statistics.conditions import AnyOf, Compare, Condition, Joined, Not

MOST_HIDDEN = 3
"""So many hidden questions may be combined."""
MOST_CLASSES = 200
MOST_OPEN = 4
"""So many open questions divide people into classes."""


def open_names(schema: Schema) -> list[str]:
    """The attributes that are reported as they are."""
    return [block.attributes[0] for block in schema.blocks if block.open]


@dataclass(frozen=True)
class Viewable:
    """Which views of one version may be seen by those who may not export."""

    data: Countable
    schema: Schema
    cells: dict[str, Cells]
    """Those of every open attribute that has at least two of them."""
    chain: tuple[str, ...]
    """The open attributes whose cells divide people into classes, in this order."""
    everyone_only: bool = False
    """Whether answers have come since the results were first shown: then only single hidden questions of everyone are."""
    _levels: dict[tuple[str, ...], int | None] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Countable, schema: Schema, everyone_only: bool = False) -> Viewable:
        """The cells and classes of these answers."""
        if everyone_only:
            return cls(data, schema, {}, (), True)
        cells: dict[str, Cells] = {}
        chain: list[str] = []
        for name in open_names(schema):
            counts = _dense(data.cell_table(schema, [name]))
            for bands in (None, 2):
                found = merged(name, schema[name].domain, counts, bands=bands)
                if found is None or (bands is not None and is_nominal(schema[name].domain)):
                    continue
                cells.setdefault(name, found)
                if len(chain) < MOST_OPEN and _divides(data, schema, {**cells, name: found}, [*chain, name]):
                    cells[name] = found
                    chain.append(name)
                    break
        return cls(data, schema, cells, tuple(chain))

    @property
    def is_marked(self) -> bool:
        """Whether rare answers are put together, which readers must be told."""
        return any(cells.is_marked(self.schema[name].domain) for name, cells in self.cells.items())

    def allows(self, names: Sequence[str]) -> bool:
        """Whether a view of these attributes may be seen."""
        opened = [name for name in dict.fromkeys(names) if name in set(open_names(self.schema))]
        hidden = sorted({name for name in names if name not in opened})
        if any(name not in self.cells for name in opened) or len(hidden) > MOST_HIDDEN:
            return False
        beside = [name for name in opened if name not in self.chain]
        if beside:  # it divides nobody, so it may be looked at by itself alone
            return len(opened) == 1 and not hidden
        if self.data.cell_table(self.schema, [next(iter(self.schema))]).total < FEWEST:
            return False
        if len(hidden) < 2:
            return True
        if self.everyone_only:
            return False
        depth = max((self.chain.index(name) + 1 for name in opened), default=0)
        level = self._level(tuple(hidden))
        return level is not None and depth <= level

    def _level(self, hidden: tuple[str, ...]) -> int | None:
        """By how many attributes of the chain people may be divided so that those who reported the same to all of these but one are
        enough in every class; None if they are not even among everyone."""
        if hidden not in self._levels:
            found = None
            for depth in range(len(self.chain) + 1):
                alike = itertools.combinations(hidden, len(hidden) - 1)
                if not all(self._frequent(list(self.chain[:depth]), list(names)) for names in alike):
                    break
                found = depth
            self._levels[hidden] = found
        return self._levels[hidden]

    def _frequent(self, divided: list[str], hidden: list[str]) -> bool:
        """Whether all combinations of these reports occur often enough in every class."""
        combinations = math.prod(len(self.schema[name].outputs) for name in hidden)
        table = coarse_table(self.data, self.schema, self.cells, [*divided, *hidden])
        classes = table.marginal(*divided).cells if divided else np.zeros((1, 0))
        return len(table.n) == len(classes) * combinations and bool((table.n >= FEWEST).all())

    def coarse(self) -> tuple[Countable, Schema]:
        """The answers in cells, under a schema that knows nothing finer; open questions that have none are left out."""
        opened = set(open_names(self.schema))
        kept = [name for name in self.schema if name not in opened or name in self.cells]
        channels = {
            name: self.cells[name].channel(self.schema[name].domain) if name in self.cells else self.schema[name]
            for name in kept
        }
        groups = {name: group for name, group in self.schema.groups.items() if set(group.attributes) <= set(kept)}
        schema = Schema(channels, None, groups, self._texts(kept))
        return InCells(self.data, self.schema, self.cells), schema

    def _texts(self, kept: Sequence[str]) -> QuestionTexts | None:
        """The survey's texts, those of cells made of its answers'."""
        texts = self.schema.texts
        if texts is None:
            return None
        attributes = {name: given for name, given in texts.to_json()["attributes"].items() if name in kept}
        spoken = {language: texts.questions(language) for language in texts.languages}
        for name, cells in self.cells.items():
            if name in attributes:
                domain = self.schema[name].domain
                codes = [str(label) for label in cells.channel(domain).domain.labels]
                said = {
                    language: cells.in_words(domain, spoken[language][name], said_in(language).either)
                    for language in texts.languages
                }
                labels = {code: {language: said[language][i] for language in texts.languages} for i, code in enumerate(codes)}
                attributes[name] = {"title": attributes[name]["title"], "labels": labels}
        return QuestionTexts(texts.languages, attributes)

    def rewritten(self, condition: Condition | None) -> Condition | None:
        """A condition in terms of cells; one that cuts through a cell is refused."""
        if condition is None:
            return None
        if isinstance(condition, Not):
            part = self.rewritten(condition.part)
            assert part is not None
            return Not(part)
        if isinstance(condition, Joined):
            parts = tuple(part for one in condition.parts if (part := self.rewritten(one)) is not None)
            return AnyOf(parts) if isinstance(condition, AnyOf) else type(condition)(parts)
        assert isinstance(condition, Compare)
        return self._comparison(condition)

    def _comparison(self, condition: Compare) -> Condition:
        cells = self.cells.get(condition.name)
        if cells is None:
            return condition
        domain = self.schema[condition.name].domain
        labels = cells.channel(domain).domain.labels
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        if condition.operator in ("==", "!=", "in", "not in") and all(value in labels for value in values):
            return condition  # it names cells, as our own pages do
        inside = condition.members(self.schema)
        each = [set(inside[list(codes)].tolist()) for codes in cells.codes]
        if any(len(one) > 1 for one in each):
            raise ParameterError(
                "cuts_a_cell", "{condition} divides people more finely than may be shown; {name!r} can be asked about by {allowed}.",
                condition=str(condition), name=condition.name, allowed="; ".join(map(str, labels)),
            )  # fmt: skip
        return Compare(condition.name, "in", tuple(label for label, one in zip(labels, each, strict=True) if one == {True}))


class InCells(Countable):
    """Data whose open attributes are counted in cells."""

    def __init__(self, data: Countable, schema: Schema, cells: dict[str, Cells]) -> None:
        self.name = data.name
        self._data, self._schema, self._cells = data, schema, cells

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reports, or cells, occurs."""
        return coarse_table(self._data, self._schema, self._cells, list(attributes))


def coarse_table(data: Countable, schema: Schema, cells: dict[str, Cells], names: Sequence[str]) -> CellTable:
    """The table of reports with open attributes in cells."""
    table = data.cell_table(schema, list(names))
    axes, columns = [], []
    for d, name in enumerate(names):
        found = cells.get(name)
        labels: tuple[Any, ...] = table.axes[d].labels if found is None else found.channel(schema[name].domain).domain.labels
        axes.append(Axis(name, labels))
        columns.append(table.cells[:, d] if found is None else coarse_codes(found, table.cells[:, d]))
    return CellTable(axes, np.column_stack(columns) if columns else table.cells, table.n)


def _divides(data: Countable, schema: Schema, cells: dict[str, Cells], names: Sequence[str]) -> bool:
    """Whether all classes that these attributes divide people into, and that anyone is in, are large enough."""
    table = coarse_table(data, schema, cells, names)
    return len(table.n) <= MOST_CLASSES and bool((table.n >= FEWEST).all())


def _dense(table: CellTable) -> Ints:
    return table.dense()
