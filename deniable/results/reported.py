"""What was reported: shares and means as they would be if reports were answers, shown as a faint mark beside estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.results.conditions import met
from deniable.results.material import Material
from deniable.statistics.attribute_cells import cells
from deniable.statistics.conditions import Condition
from deniable.statistics.label_numbers import numbers_of


def reported_shares(
    material: Material, name: str, condition: Condition | None, by: str | None = None, bins: Any = None, by_bins: Any = None,
    of_everyone: bool = False,
) -> Floats | None:  # fmt: skip
    """The shares of the labels (or bins) of an attribute among reports, or None where reports are no answers.

    Parameters
    ----------
    material
        The answers.
    name, by
        The attribute, and the one whose labels are groups.
    condition
        What reports must meet.
    bins, by_bins
        Bins of either.
    of_everyone
        Whether shares are of everyone, as in a cross table, instead of their group.

    Returns
    -------
    array or None
        In the order of the labels, those of one group after the other.
    """
    counted = _counted(
        material, [name, *([by] if by else []), *([] if condition is None else condition.attributes())], condition
    )
    if counted is None:
        return None
    codes, n = counted
    masks = [mask[codes[name]] for mask in cells(material.schema, name, bins)[1]]
    groups = [np.ones(len(n))] if by is None else [mask[codes[by]] for mask in cells(material.schema, by, by_bins)[1]]
    each = np.array([[float((group * mask) @ n) for mask in masks] for group in groups])
    bottom = np.full((len(groups), 1), n.sum()) if of_everyone else np.array([[float(group @ n)] for group in groups])
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = (each / bottom).reshape(-1)
    return shares


def reported_means(
    material: Material, name: str, condition: Condition | None, by: str | None = None, by_bins: Any = None
) -> Floats | None:
    """The mean of reports, of all or in each group, silence left out."""
    counted = _counted(
        material, [name, *([by] if by else []), *([] if condition is None else condition.attributes())], condition
    )
    if counted is None:
        return None
    codes, n = counted
    domain = material.schema[name].domain
    answered = codes[name] < domain.size - (domain.missing is not None)
    numbers = numbers_of(domain)[codes[name]]
    groups = [np.ones(len(n))] if by is None else [mask[codes[by]] for mask in cells(material.schema, by, by_bins)[1]]
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.array([(group * answered * numbers) @ n / ((group * answered) @ n) for group in groups])
    return means


def _counted(material: Material, names: Sequence[str], condition: Condition | None) -> Any:
    """Codes and counts of the reports that meet a condition; None where some reports are no answers."""
    wanted = list(dict.fromkeys(names))
    if any(material.schema[name].outputs != material.schema[name].inputs for name in wanted):
        return None
    table = material.table(wanted)
    codes = {name: table.cells[:, d] for d, name in enumerate(wanted)}
    inside = met(condition, material.schema, codes, len(table.n))
    return {name: column[inside] for name, column in codes.items()}, table.n[inside].astype(np.float64)
