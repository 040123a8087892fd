"""Counting by choosing rows, condition after condition (paper 000, Figure 3). Biased: chosen rows are not the true members.

Kept so that published results can be repeated; with two identical attributes it counts 60 where 100 are true.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Ints
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.core.tables import CellTable, counts
from deniable.errors import ParameterError
from deniable.reconstruction.assign import arvesna, assign_sorted
from deniable.reconstruction.reconstruct import reconstruct
from deniable.statistics.conditions import All, Compare, Condition
from deniable.statistics.joint import edges_between
from deniable.statistics.label_numbers import answered, numbers_of
from deniable.statistics.weighted import check_group

CHOSEN_ROWS = "the iterative method chooses rows by their reports, and chosen rows are not the true members: it is biased."


def choose_iteratively(columns: dict[str, Any], schema: Schema, condition: Condition) -> tuple[float, Ints]:
    """The number who meet a conjunction, and the rows assigned to it (all literally as published)."""
    parts = condition.parts if isinstance(condition, All) else (condition,)
    if not all(isinstance(part, Compare) for part in parts):
        raise ParameterError(
            "iterative_conjunction",
            "method='iterative' takes conditions joined by 'and' only, as published; got {got}.",
            got=str(condition),
        )
    rows = np.arange(len(next(iter(columns.values()))))
    number = float(len(rows))
    for part in parts:
        assert isinstance(part, Compare)
        channel = schema[part.name]
        inside = part.members(schema)
        number, met = _meet(np.asarray(columns[part.name])[rows], channel, inside)
        rows = rows[met]
        if not len(rows):
            return 0.0, rows
    return number, rows


def _meet(reports: Any, channel: Channel, inside: Any) -> tuple[float, Any]:
    """How many of these rows meet one condition, and which are assigned to it."""
    if isinstance(channel, Additive):
        values = channel.domain.numbers()
        borders = [0, *(np.flatnonzero(np.diff(inside)) + 1).tolist()]
        edges = edges_between(values, borders[1:])
        table: CellTable = counts(reports, channel, edges)
        shares = reconstruct(table, channel, "as").value
        wanted = inside[borders]
        return float(len(reports) * shares[wanted].sum()), wanted[assign_sorted(reports, shares)]
    shares = reconstruct(counts(reports, channel), channel, "em/as").value
    return float(len(reports) * shares[inside].sum()), inside[arvesna(reports, shares, channel)]


def iterative_count(columns: dict[str, Any], schema: Schema, condition: Condition, target: str) -> Estimate:
    """The number who meet a conjunction, as an estimate without an interval."""
    number, _ = choose_iteratively(columns, schema, condition)
    n = len(next(iter(columns.values())))
    return _estimate([number], ["count"], n, target, str(condition), (0.0, float(n)))


def _estimate(
    value: list[float], labels: list[str], n: int, target: str, title: str, limits: tuple[float, float] | None
) -> Estimate:
    return Estimate(value, labels, n=n, method="iterative", target=target, name=title, no_interval=CHOSEN_ROWS, limits=limits)


def iterative_mean(
    columns: dict[str, Any], schema: Schema, name: str, condition: Condition | None, title: str, target: str
) -> Estimate:
    """The mean of the reported numbers of the rows assigned to the condition (paper 000, IV.A.2).

    Published for noise of mean 0; other channels move the mean besides.
    """
    rows = _rows(columns, schema, condition)
    check_group(len(rows), len(columns[name]), f"mean of {name}", condition)
    reports, reported = np.asarray(columns[name])[rows], schema[name].reported
    if hasattr(answered(reported), "low"):
        return _estimate([float(reports.astype(np.float64).mean())], [name], len(rows), target, title, None)
    codes = reported.encode(reports, name)
    said = codes if reported.missing is None else codes[codes < reported.size - 1]
    return _estimate([float(numbers_of(reported)[said].mean())], [name], len(rows), target, title, None)


def _rows(columns: dict[str, Any], schema: Schema, condition: Condition | None) -> Ints:
    if condition is None:
        return np.arange(len(next(iter(columns.values()))))
    return choose_iteratively(columns, schema, condition)[1]


def iterative_distribution(
    columns: dict[str, Any], schema: Schema, name: str, condition: Condition | None, bins: Any
) -> Estimate:
    """The distribution reconstructed from the reports of the rows assigned to the condition: AS for noise, EM/AS for labels."""
    rows = _rows(columns, schema, condition)
    check_group(len(rows), len(columns[name]), f"distribution of {name}", condition)
    method = "as" if isinstance(schema[name], Additive) else "em/as"
    return reconstruct(counts(np.asarray(columns[name])[rows], schema[name], bins), schema[name], method)
