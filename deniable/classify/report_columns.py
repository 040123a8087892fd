"""Cells as columns of numbers, for learners that know nothing of cells: numbers as numbers, labels as yes/no columns or as codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.features import Column, Feature


class ReportColumns:
    """How each attribute is written: one table for cells of truths and one for cells of reports, [cell, column]."""

    def __init__(self, attributes: list[Column], features: list[Feature], one_hot: bool) -> None:
        pairs = [_tables(attribute, feature, one_hot) for attribute, feature in zip(attributes, features, strict=True)]
        self._true, self._reported = [true for true, _ in pairs], [reported for _, reported in pairs]

    def true(self, codes: Any) -> Any:
        """Rows of cells of truths as numbers."""
        return np.concatenate([table[codes[:, i]] for i, table in enumerate(self._true)], axis=1)

    def reported(self, codes: Any) -> Any:
        """Rows of cells of reports as numbers: as if they were truths."""
        return np.concatenate([table[codes[:, i]] for i, table in enumerate(self._reported)], axis=1)


def _tables(attribute: Column, feature: Feature, one_hot: bool) -> tuple[Any, Any]:
    truths, reports = attribute.numbers(reported=False), attribute.numbers(reported=True)
    if truths is not None and reports is not None:
        true = _means(feature.of_true, truths, feature.cells)
        reported = _means(feature.of_reported, reports, feature.matrix.shape[1])
        middle = float(np.nanmean(true))
        silent = np.isnan(true).any() or np.isnan(reported).any()
        return _with_silence(true, middle, silent), _with_silence(reported, middle, silent)
    # A report that is no label of a truth is taken for the truth that it is likeliest for.
    taken_for = feature.of_true_of_reported
    places = np.arange(feature.cells, dtype=np.float64)
    if feature.ordered:
        inside = feature.cells - feature.n_unordered
        places[inside:] = np.nan
        table = _with_silence(places, (inside - 1) / 2, bool(feature.n_unordered))
    elif one_hot and feature.cells > 2:
        table = np.eye(feature.cells)
    else:
        table = places[:, None]
    return table, table[taken_for]


def _means(cell_of: Any, numbers: Any, cells: int) -> Any:
    """The mean number of each cell, NaN for "no answer"."""
    count = np.bincount(cell_of, minlength=cells)
    return np.bincount(cell_of, numbers, minlength=cells) / np.maximum(count, 1)


def _with_silence(numbers: Any, middle: float, silent: bool) -> Any:
    """Numbers as a column; where some cells have none, the middle stands there and a second column says so."""
    if not silent:
        return numbers[:, None]
    none = np.isnan(numbers)
    return np.column_stack([np.where(none, middle, numbers), none.astype(np.float64)])
