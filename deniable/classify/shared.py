"""Groups of attributes that share one draw, as classifiers see them: in cells, with or without the class among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.classify.features import Feature
from deniable.core.channels.groups import JointChannel
from deniable.core.schema import Schema


@dataclass
class SharedDraw:
    """Attributes (by their place among the features) that are together told, or together replaced (or flipped)."""

    channel: JointChannel
    members: list[int]
    features: list[Feature]
    class_name: str | None
    independent: bool

    @property
    def theta(self) -> float:
        """The chance that all are told."""
        return float(self.channel.theta)

    @property
    def flips(self) -> bool:
        """Whether answers that are not told are turned round, instead of replaced."""
        return self.channel.flips

    def innocuous(self, codes: Any, class_codes: Any = None) -> Any:
        """The chance of each row of cells of the members (and of the class) if innocuous answers are given."""
        if self.independent:
            product = np.ones(len(codes))
            for margin, column in zip(self.margins(), codes.T, strict=True):
                product *= margin[column]
            return product if class_codes is None or self.class_name is None else product * self.of_class()[class_codes]
        rows = codes if class_codes is None or self.class_name is None else np.column_stack([codes, class_codes])
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        names = [feature.name for feature in self.features]
        chances = np.empty(len(distinct))
        for i, row in enumerate(distinct):
            factors = {
                name: (feature.of_reported == cell).astype(np.float64)
                for name, feature, cell in zip(names, self.features, row, strict=False)
            }
            if len(row) > len(names) and self.class_name is not None:
                labels = self.channel.channels[self.channel.attributes.index(self.class_name)].domain.size
                factors[self.class_name] = np.eye(labels)[row[-1]]
            chances[i] = self.channel.innocuous_mean(factors)
        return chances[inverse.reshape(-1)]

    def margins(self) -> list[Any]:
        """For each member how often each of its cells is an innocuous answer."""
        return [
            np.array([self.channel.innocuous_mean({f.name: (f.of_reported == x).astype(np.float64)}) for x in range(f.cells)])
            for f in self.features
        ]

    def of_class(self) -> Any:
        """How often each class is an innocuous answer."""
        assert self.class_name is not None
        size = self.channel.channels[self.channel.attributes.index(self.class_name)].domain.size
        return np.array([self.channel.innocuous_mean({self.class_name: unit}) for unit in np.eye(size)])

    def with_class(self, place: int, matrix_of_class: Any) -> Any:
        """P(reported class and cell | class and cell) of one member and the class, classes varying slowest."""
        feature = self.features[self.members.index(place)]
        classes, cells = len(matrix_of_class), feature.cells
        size = classes * cells
        if self.flips:
            both = self.theta * np.eye(size)
            for c in range(classes):
                for x in range(cells):
                    both[c * cells + x, (1 - c) * cells + (1 - x)] += 1 - self.theta
            return both
        one = SharedDraw(self.channel, [place], [feature], self.class_name, self.independent)
        codes = np.tile(np.arange(cells), classes)[:, None]
        instead = one.innocuous(codes, np.repeat(np.arange(classes), cells))
        return self.theta * np.eye(size) + (1 - self.theta) * instead


def shared_draws(schema: Schema | None, features: list[Feature], class_name: str | None) -> list[SharedDraw]:
    """The groups of a schema that hold at least one feature."""
    draws = []
    place = {feature.name: i for i, feature in enumerate(features)}
    for block in schema.blocks if schema is not None else ():
        members = [place[name] for name in block.attributes if name in place]
        if isinstance(block.channel, JointChannel) and members:
            in_group = class_name if class_name in block.attributes else None
            independent = schema is None or schema.groups[block.name].innocuous is None
            draws.append(SharedDraw(block.channel, members, [features[i] for i in members], in_group, independent))
    return draws
