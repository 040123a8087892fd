"""The parts of a sample: data that was hidden under one or several schemas, whose attributes have the same answers.

What they say together is in `weighing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from deniable.core.caps import Cap, check_most
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.core.undoing import Undoer
from deniable.engines.count import cell_table
from deniable.engines.countable import Countable
from deniable.errors import ParameterError, SchemaError
from deniable.reconstruction.misfit import misfit
from deniable.statistics.given_parts import Part

KEPT_TABLES = 8
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
        found = self._tables.get(key)
        if found is None:
            found = self._summed(*key)
            if found is None:
                found = cell_table(*self.all[i], list(names))
            # Never changed, always replaced: another thread may be looking through them.
            self._tables = {**dict(list(self._tables.items())[1 - KEPT_TABLES :]), key: found}
        return found

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
        """What to say of attributes whose reports do not fit their schema, in the parts that ask all of these."""
        wanted = list(names)
        asking = [i for i, (_, schema) in enumerate(self.all) if all(name in schema for name in wanted)]
        said = [self._misfit(i, name) for i in asking for name in wanted]
        return list(dict.fromkeys(sentence for sentence in said if sentence is not None))

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
        stray = any(not asked & set().union(*names[:i]) for i, asked in enumerate(names) if i)
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
        return [self.all[i] for i in self.places_asking(names)]

    def remembering(self, names: Sequence[str]) -> list[Part]:
        """The same, with data whose tables are counted once."""
        return [(_Remembered(self, i), self.all[i][1]) for i in self.places_asking(names)]

    def places_asking(self, names: Sequence[str]) -> list[int]:
        """The places of the parts in which all these attributes were asked; there is at least one."""
        places = [i for i, (_, schema) in enumerate(self.all) if all(name in schema for name in names)]
        if not places:
            raise ParameterError(
                "asked_apart", "No part of the sample asks {names} together, so nothing joins their answers.", names=list(names)
            )
        return places


class _Remembered(Countable):
    """The data of a part, which counts what is not kept."""

    def __init__(self, parts: Parts, i: int) -> None:
        self.name = f"part {i}"
        self._parts, self._i = parts, i

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reported labels of these attributes occurs."""
        return self._parts.table(self._i, attributes)
