"""A domain cut into cells: its labels one by one, classes of them, or bins of its numbers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.domains.bins import Bins
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats, Ints


class Partition:
    """The cells of a domain: bins of its numbers, classes of its codes, or, with neither, every label by itself.

    A label for nonresponse that was added to numbers has a cell of its own after their bins.

    >>> import deniable as dn
    >>> Partition(dn.Nominal(["red", "green", "blue"]), classes=np.array([0, 1, 1])).labels
    ('red', 'green or blue')
    """

    def __init__(self, domain: Domain, bins: Bins | None = None, classes: Ints | None = None) -> None:
        self.domain, self.bins, self._classes = domain, bins, classes

    @property
    def is_fine(self) -> bool:
        """Whether every label is a cell by itself."""
        return self.bins is None and self._classes is None

    def __len__(self) -> int:
        if self.bins is not None:
            return len(self.bins) + (self.domain.missing is not None)
        return self.domain.size if self._classes is None else int(self._classes.max()) + 1

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """What the cells are called, in their order."""
        if self.bins is not None:
            return self.bins.labels if self.domain.missing is None else (*self.bins.labels, self.domain.missing)
        if self._classes is None:
            return self.domain.labels
        members: list[list[str]] = [[] for _ in range(len(self))]
        for label, cell in zip(self.domain.labels, self._classes, strict=True):
            members[cell].append(str(label))
        return tuple(" or ".join(names) for names in members)

    @cached_property
    def of_code(self) -> Ints:
        """The cell of every code of the domain."""
        if self._classes is not None:
            return self._classes
        if self.bins is None:
            return np.arange(self.domain.size)
        cells = self.bins.index(self.domain.answered.numbers())
        return cells if self.domain.missing is None else np.append(cells, len(self.bins))

    @property
    def numbers(self) -> Floats:
        """What each cell stands for: its number, or the middle of its bin."""
        return self.domain.numbers() if self.bins is None else self.bins.middles

    @property
    def widths(self) -> Floats:
        """How much of the domain each cell holds: values of the grid, or length where there is none; of bins, nonresponse the average."""
        if self.bins is not None and not self.domain.has_grid:
            return np.diff(self.bins.floats)
        held = np.bincount(self.of_code, minlength=len(self)).astype(np.float64)
        if self.bins is not None and self.domain.missing is not None:
            held[-1] = held[:-1].mean()
        return held
