"""Cross tables: the joint shares of two attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.statistics import likely, weighted_shares
from deniable.statistics.answers import Subject, answer
from deniable.statistics.attribute_cells import cell_conditions, cells
from deniable.statistics.functions import factor
from deniable.statistics.question_checks import JOINT_OR_EM, check_method
from deniable.statistics.reports import Reports


def crosstab(
    reports: Reports, a: str, b: str, target: str, bins: Mapping[str, Any] | None, method: str, most_cells: int | None
) -> Estimate:
    """`Sample.crosstab`."""
    check_method(method, JOINT_OR_EM)
    target = reports.target(target)
    if a == b:
        raise ParameterError("same_attribute", "crosstab needs two different attributes, got {got!r} twice.", got=a)
    a_bins, b_bins = ((bins or {}).get(name) for name in (a, b))
    (rows, row_masks), (columns, column_masks) = cells(reports.channels, a, a_bins), cells(reports.channels, b, b_bins)
    _check_size((a, len(rows)), (b, len(columns)), most_cells)
    if method == "em":
        (_, of_rows), (_, of_columns) = (
            cell_conditions(reports.channels, a, a_bins),
            cell_conditions(reports.channels, b, b_bins),
        )
        fitted = reports.fits.of([*of_rows, *of_columns])
        estimate = likely.crosstab(fitted, (a, rows, of_rows), (b, columns, of_columns), target)
    else:
        functions = [factor(a, p) * factor(b, q) for p in row_masks for q in column_masks]
        labels = [(x, y) for x in rows for y in columns]
        estimate = weighted_shares.table(reports.sums(target), functions, labels, f"{a} by {b}", target)
        alone = [factor(a, mask) for mask in row_masks]
        estimate.row_people = lambda: weighted_shares.people_in(reports.sums(target), alone, functions[0])
        estimate = reports.smoothing.point(estimate, functions, lambda means: means)
    estimate.table = ((a, tuple(rows)), (b, tuple(columns)))
    estimate.attributes = (a, b)
    return answer(reports, Subject([], [a, b]), estimate)


def _check_size(rows: tuple[str, int], columns: tuple[str, int], most: int | None) -> None:
    """Refuse a table with more cells than were expected."""
    (a, height), (b, width) = rows, columns
    if most is not None and height * width > most:
        raise ParameterError(
            "large_table",
            "{a!r} by {b!r} has {rows:,} x {columns:,} = {cells:,} cells, more than most_cells={most:,}: it takes long, and its "
            "covariances alone {room:.1f} GB. Give bins, such as bins={{{a!r}: 10}}, or most_cells={cells} if you want every cell.",
            a=a, b=b, rows=height, columns=width, cells=height * width, most=most, room=8 * (height * width) ** 2 / 1e9,
        )  # fmt: skip
