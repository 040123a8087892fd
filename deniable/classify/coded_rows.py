"""Rows that were read once and are learned from many times: codes of reports instead of cells of a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from deniable.classify.features import Column, Feature
from deniable.classify.target import Target


class GivenCells:
    """A column whose cells are chosen by the reports of all rows, not by those of the part that is learned from; it reads codes."""

    def __init__(self, column: Any, counts: Any) -> None:
        self.name, self.floating, self.reported_size = column.name, column.floating, column.reported_size
        self._column, self._counts = column, counts
        self.asked: dict[tuple[int, int], Feature] = {}
        """The cells that were asked for."""

    @property
    def plain(self) -> Any:
        """The column as it reads frames."""
        return getattr(self._column, "plain", self._column)

    def __getattr__(self, name: str) -> Any:
        """All else is as the column has it."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._column, name)

    def reported(self, column: Any, bad: list[Any]) -> Any:
        """Codes are what they are."""
        return column

    true = reported

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        """The cells, whatever the counts of a part say."""
        if (bins, undistorted) not in self.asked:
            self.asked[bins, undistorted] = self._column.cells(self._counts, bins, undistorted)
        return self.asked[bins, undistorted]

    def cut_at(self, edges: Any) -> Feature:
        """The cells between these edges."""
        cut: Feature = self._column.cut_at(edges)
        return cut


class KnownCells(GivenCells):
    """A column whose cells are known already."""

    def __init__(self, column: Any, feature: Feature) -> None:
        super().__init__(column, None)
        self._feature = feature

    def cells(self, counts: Any, bins: int, undistorted: int) -> Feature:
        """Those."""
        return self._feature


@dataclass
class CodedRows:
    """Reported rows as codes: one array per attribute, the reported classes, and what they mean.

    Any classifier takes them in the place of a frame: `fit(rows)`.
    """

    attributes: list[Column]
    target: Target
    codes: list[Any]
    classes: Any
    names: Any = field(default=None)

    def __len__(self) -> int:
        return len(self.classes)

    def __sizeof__(self) -> int:
        """With all codes: what is large is sent once to other machines, not with every task."""
        return object.__sizeof__(self) + sum(int(array.nbytes) for array in (*self.codes, self.classes))

    @cached_property
    def order(self) -> Any:
        """Their places in an order that depends on what they hold alone, so that the same reports give the same draws."""
        return np.lexsort([*self.codes, self.classes])

    def take(self, rows: Any) -> CodedRows:
        """Some of them, in the order given, as often as given."""
        return CodedRows(self.attributes, self.target, [codes[rows] for codes in self.codes], self.classes[rows], self.names)

    def given_to(self, model: Any) -> tuple[dict[str, Any], Any]:
        """Tell a classifier what the rows may hold; columns by name and reported classes, as it reads them."""
        self.named(model)
        # Arrays that may not be written to, as joblib opens them, would be compiled for once more.
        named = zip(self.attributes, self.codes, strict=True)
        return {column.name: np.require(codes, requirements="W") for column, codes in named}, self.classes

    def named(self, model: Any) -> None:
        """Tell a classifier the class and the attributes."""
        model.attributes_, model.target_, model.classes_ = self.attributes, self.target, self.target.labels
        model.n_features_in_ = len(self.attributes)
        if self.names is not None:
            model.feature_names_in_ = self.names

    def cells_for(self, model: Any) -> Any:
        """The reported cells of all rows as a fitted classifier sees them, [row, attribute]."""
        seen = [feature.of_reported[codes] for feature, codes in zip(model.features_, self.codes, strict=True)]
        return np.column_stack(seen).astype(np.int32)
