"""A model of people without what hiding shows by chance.

Shares cannot fall below 0, so of a cell that nobody in a class has reports show something on average, and other cells lack as many people.
Where a rule makes a class it has many such cells, and people of the model vary more than those of the class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.latent_classes import LatentClasses

BY_CHANCE = 2.0
"""So many standard errors of hiding are taken off what reports show of every cell: chance rarely shows more."""
MOST_LEFT_OUT = 0.5
"""Of an attribute that would lose a larger part nothing is left out: not so many people are there by chance, its cells are just rare."""


def without_chance_cells(
    latent: LatentClasses, y: int, matrices: list[Any], inverses: list[Any], people: float
) -> LatentClasses:
    """The model with less of every cell in a class: by what hiding may show of a cell that nobody has, if it was asked of so many people.

    >>> keep = np.array([[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]])
    >>> seen = LatentClasses(np.array([0]), np.ones(1), np.array([[[0.8, 0.18, 0.02]]]))
    >>> without_chance_cells(seen, 0, [keep], [np.linalg.inv(keep)], 200).cells[0, 0].round(2).tolist()
    [0.89, 0.11, 0.0]
    >>> without_chance_cells(seen, 0, [np.eye(3)], [np.eye(3)], 200).cells[0, 0].tolist()  # nothing is hidden
    [0.8, 0.18, 0.02]
    >>> many = LatentClasses(np.array([0]), np.ones(1), np.array([[[0.4, 0.3, 0.3]]]))
    >>> without_chance_cells(many, 0, [keep], [np.linalg.inv(keep)], 20).cells[0, 0].tolist()  # too few reports to leave anything out
    [0.4, 0.3, 0.3]
    """
    mine, cells = np.flatnonzero(latent.of_class == y), latent.cells.copy()
    parts, _ = latent.of(y)
    for j, (matrix, inverse) in enumerate(zip(matrices, inverses, strict=True)):
        of_kinds = cells[mine, j, : len(matrix)]
        shares = parts @ of_kinds
        # Unbiased weights vary by so much more than direct answers would.
        errors = np.sqrt(np.maximum((shares @ matrix) @ inverse**2 - shares, 0) / max(people, 1.0))
        left = of_kinds * np.maximum(1 - BY_CHANCE * errors / np.maximum(shares, 1e-12), 0)
        total = left.sum(axis=1, keepdims=True)
        if parts @ total[:, 0] >= MOST_LEFT_OUT:
            cells[mine, j, : len(matrix)] = np.where(total > 0, left / np.maximum(total, 1e-12), of_kinds)
    return LatentClasses(latent.of_class, latent.parts, cells)
