"""P(whole report | whole truth) for many people and many reports: the basis of the attacks that use several answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.channels.groups import Group
from deniable.core.channels.laws import Law
from deniable.core.channels.operators import Operator
from deniable.core.channels.views import View
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Floats, Ints, fraction
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError

FLOAT_BINS = 200
"""Bins through which a channel in floating point is seen."""

CELLS = 4_000_000
"""How many numbers one piece of the table of reports by truths holds."""


def part(schema: Schema, attributes: Sequence[str] | None) -> Schema:
    """The schema of some attributes; those that share a draw still share it."""
    if attributes is None:
        return schema
    names = [attributes] if isinstance(attributes, str) else list(attributes)
    unknown = [name for name in names if name not in schema]
    if unknown or not names:
        raise ParameterError(
            "unknown_attributes",
            "{got} are not among the attributes {allowed}.",
            got=unknown or "no attributes",
            allowed=list(schema),
        )
    groups = {}
    for name, group in schema.groups.items():
        members = [member for member in group.attributes if member in names]
        if len(members) > 1:
            groups[name] = Group(members, _margin(group, members))
    return Schema({name: schema[name] for name in schema if name in names}, groups=groups)


def _margin(group: Group, members: Sequence[str]) -> dict[tuple[Any, ...], Any] | None:
    """The joint innocuous table of some members of a group."""
    if group.innocuous is None:
        return None
    places = [group.attributes.index(member) for member in members]
    table: dict[tuple[Any, ...], Any] = {}
    for key, share in group.innocuous.items():
        kept = tuple(key[i] for i in places)
        table[kept] = table.get(kept, Fraction(0)) + fraction(share, "Group", "innocuous")
    return table


def column(frame: Any, name: str, what: str) -> Any:
    """A column of a frame (or mapping) of any kind; a missing one is named together with those that are there."""
    names = list(frame) if isinstance(frame, Mapping) else list(getattr(frame, "columns", []))
    if hasattr(frame, "column_names"):
        names = list(frame.column_names)
    if name not in names:
        raise DataError("no_column", "{what} has no column {name!r}; it has {found}.", what=what, name=name, found=names)
    return frame[name]


def rows_of(frame: Any, names: Sequence[str], rows: Ints) -> pa.Table:
    """Some rows of some columns of a frame of any kind."""
    return pa.table({name: to_arrow(column(frame, name, "the frame of truths"), name).take(pa.array(rows)) for name in names})


def views_of(schema: Schema) -> dict[str, View]:
    """Every attribute as an attacker handles it: each label by itself, and numbers without a grid in fine bins."""
    return {name: View.finest(channel, FLOAT_BINS) for name, channel in schema.items()}


def true_codes(views: Mapping[str, View], frame: Any) -> Ints:
    """The cells of the true values of a frame: one row per person, one column per attribute."""
    return np.column_stack([view.encode_true(column(frame, name, "the frame of truths"), name) for name, view in views.items()])


def reported_codes(views: Mapping[str, View], frame: Any) -> Ints:
    """The cells of the reports of a frame: one row per report, one column per attribute."""
    return np.column_stack([view.encode(column(frame, name, "the frame of reports"), name) for name, view in views.items()])


class Likelihoods:
    """log P(report | truth) between rows of codes, block by block."""

    def __init__(self, schema: Schema) -> None:
        self.names = list(schema)
        self._views = views_of(schema)
        self._blocks = schema.blocks

    def truths(self, frame: Any) -> Ints:
        """True codes, one row per person and one column per block."""
        return self._by_block(true_codes(self._views, frame), [view.law.inputs for view in self._views.values()])

    def reports(self, frame: Any) -> Ints:
        """Reported codes, one row per report and one column per block."""
        return self._by_block(reported_codes(self._views, frame), [view.law.outputs for view in self._views.values()])

    def _by_block(self, codes: Ints, sizes: Sequence[int]) -> Ints:
        """The codes of attributes that share a draw as one, the last varying fastest."""
        places = [[self.names.index(name) for name in block.attributes] for block in self._blocks]
        together = [np.ravel_multi_index(tuple(codes[:, at].T), tuple(sizes[i] for i in at)) for at in places]
        return np.column_stack(together).astype(np.int64)

    def pieces(self, reports: Ints, truths: Ints) -> Iterator[tuple[slice, Floats]]:
        """log P(report | truth), some reports at a time: [reports, truths]."""
        tables = [self._table(i, reports[:, i], truths[:, i]) for i in range(len(self._blocks))]
        rows = max(1, CELLS // max(1, len(truths)))
        for start in range(0, len(reports), rows):
            place = slice(start, min(start + rows, len(reports)))
            total = np.zeros((place.stop - place.start, len(truths)))
            for table, which_report, which_truth in tables:
                total += table[which_report[place]][:, which_truth]
            yield place, total

    def _table(self, i: int, reports: Ints, truths: Ints) -> tuple[Floats, Ints, Ints]:
        """Only the labels that occur: a wide domain never becomes a dense matrix."""
        block = self._blocks[i]
        law = self._views[block.name].law if len(block.attributes) == 1 else block.channel.law
        seen, which_report = np.unique(reports, return_inverse=True)
        present, which_truth = np.unique(truths, return_inverse=True)
        with np.errstate(divide="ignore"):
            table = np.log(np.stack([chances(law, int(z))[present] for z in seen]))
        return table, which_report, which_truth


def chances(law: Operator, z: int) -> Floats:
    """P(z | x) for every truth x."""
    if isinstance(law, Law):
        of_each: Floats = law.column(z) / law.denominator
        return of_each
    return law.dense()[:, z]


def posterior_over(log_likelihood: Floats, log_prior: Floats | None = None) -> Floats:
    """Bayes along the last axis; rows that no truth can have produced become NaN."""
    joint = log_likelihood if log_prior is None else log_likelihood + log_prior
    top = joint.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = np.exp(joint - top)
        posterior: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return posterior
