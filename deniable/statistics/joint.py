"""The joint distribution of true answers behind a condition, by maximum likelihood on the joint table of reports.

Each block's true values are merged to atoms, the classes of values that no part of the condition tells apart, so the table
stays small. Merging is exact for keep-or-replace channels; under noise truths are taken as uniform inside an atom, and
estimates say so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.groups import JointChannel
from deniable.core.channels.operators import Operator
from deniable.core.channels.views import View
from deniable.core.channels.windows import only_means
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.partitions import Partition
from deniable.core.schema import Schema
from deniable.errors import WideDomainError
from deniable.reconstruction.em import em
from deniable.statistics.conditions import AnyOf, Compare, Condition, Joined, Not
from deniable.statistics.label_numbers import answered, numbers_of

MOST_CELLS = 200_000
NOISE_BINS = 12
"""How finely numbers are kept apart where their shape matters."""
NOTHING: Mapping[str, int] = MappingProxyType({})
FEW_VALUES = 60
"""Up to so many values each is kept apart; beyond, unbiased weights under noise vary so much that bins are better."""


class Product(Operator):
    """Independent blocks: P is the Kronecker product of the blocks' matrices, applied one block at a time."""

    def __init__(self, matrices: list[Floats]) -> None:
        self.matrices = matrices
        self.inputs = math.prod(len(matrix) for matrix in matrices)
        self.outputs = math.prod(matrix.shape[1] for matrix in matrices)

    def dense(self) -> Floats:
        whole = np.ones((1, 1), dtype=np.float64)
        for matrix in self.matrices:
            whole = np.kron(whole, matrix).astype(np.float64)
        return whole

    def push(self, p: Floats) -> Floats:
        tensor = p.reshape([len(matrix) for matrix in self.matrices])
        for matrix in self.matrices:
            # The contracted axis leaves the front and the new one joins the end: after all blocks the order is restored.
            tensor = np.tensordot(tensor, matrix, axes=(0, 0))
        return tensor.reshape(-1)

    def pull(self, v: Floats) -> Floats:
        tensor = v.reshape([matrix.shape[1] for matrix in self.matrices])
        for matrix in self.matrices:
            tensor = np.tensordot(tensor, matrix, axes=(0, 1))
        return tensor.reshape(-1)

    def draw(self, people: Ints, rng: np.random.Generator) -> Ints:
        """Simulated counts of joint reports of these people, counted by their joint truths: only the randomisation is random."""
        tensor = people.reshape([len(matrix) for matrix in self.matrices])
        for matrix in self.matrices:
            rows = np.maximum(matrix, 0.0)
            drawn = rng.multinomial(np.moveaxis(tensor, 0, -1), rows / rows.sum(axis=1, keepdims=True))
            tensor = drawn.sum(axis=-2)
        return tensor.reshape(-1)


def atoms_of(channel: Channel, classes: Ints) -> View:
    """The values of an attribute merged as far as a condition's classes allow; under noise every value, or bins, which makes some
    reports more telling."""
    if channel.lumpable:
        return View.merged(channel, classes)
    return View.values(channel) if channel.domain.size <= FEW_VALUES else _noisy(channel, classes)


def _classes(name: str, comparisons: Sequence[Compare], schema: Schema, fine: int) -> Ints:
    """Which values of an attribute the comparisons do not tell apart; `fine`: so many bins of them are kept apart."""
    k = schema[name].domain.size
    masks = [part.members(schema).astype(np.int64) for part in comparisons if part.name == name]
    if fine:
        masks.append(np.arange(k) * min(k, fine) // k)
    _, found = np.unique(np.array(masks).T, axis=0, return_inverse=True)
    return found.reshape(-1).astype(np.int64)


def _noisy(channel: Channel, classes: Ints) -> View:
    """Under noise: bins that end where the condition's classes do, and some more between for the shape; silence by itself."""
    values = answered(channel.domain).numbers()
    borders = {
        *(np.flatnonzero(np.diff(classes[: len(values)])) + 1).tolist(),
        *(np.arange(1, NOISE_BINS) * len(values) // NOISE_BINS).tolist(),
    }
    return View.bins(channel, edges_between(values, sorted(borders - {0})))


def edges_between(values: Floats, borders: Sequence[int]) -> list[str]:
    """Edges of bins over a grid of which new ones begin at these places; they lie between values, so the last may be alone.

    >>> edges_between(np.array([1.0, 2.0, 3.0]), [2])
    ['1.0', '2.5', '3.0']
    """
    between = [float(values[i - 1] + values[i]) / 2 for i in borders]
    return [repr(edge) for edge in (float(values[0]), *between, float(values[-1]))]


class JointTruth:
    """What conditions tell apart of the true answers (joint atoms), and how that is reported."""

    def __init__(self, schema: Schema, conditions: Sequence[Condition], fine: Mapping[str, int] = NOTHING) -> None:
        self.schema = schema
        comparisons = [part for condition in conditions for part in condition.comparisons()]
        wanted = {part.name for part in comparisons} | set(fine)
        self.true: dict[str, Partition] = {}
        self.reported: dict[str, Partition] = {}
        self.exact = True
        """Whether no uniformity inside atoms is assumed."""
        matrices = []
        for block in schema.blocks:
            names = [name for name in block.attributes if name in wanted]
            classes = {name: _classes(name, comparisons, schema, fine.get(name, 0)) for name in names}
            if names and isinstance(block.channel, JointChannel):
                cells = {name: Partition(schema[name].domain, classes=classes[name]) for name in names}
                self.true |= cells
                self.reported |= cells
                matrices.append(block.channel.between(classes))
            elif names and isinstance(block.channel, Channel):
                if block.channel.tells_means_only:
                    raise only_means(block.name)
                view = atoms_of(block.channel, classes[block.name])
                self.true[block.name], self.reported[block.name] = view.true, view.reported
                self.exact &= not view.assumes_uniform
                matrices.append(view.matrix())
        self.names = list(self.true)
        self.law = Product(matrices)
        if max(self.law.inputs, self.law.outputs) > MOST_CELLS:
            raise WideDomainError(
                "joint_too_large", "The question needs a joint table of {got:,} cells, more than {most:,}.",
                got=max(self.law.inputs, self.law.outputs), most=MOST_CELLS,
            )  # fmt: skip

    def same_atoms(self, other: JointTruth) -> bool:
        """Whether another version of the schema tells the same true answers apart."""
        mine, others = ([(name, cells.of_code.tobytes()) for name, cells in truth.true.items()] for truth in (self, other))
        return mine == others

    def numbers(self, name: str) -> Floats:
        """For each joint atom the mean of an attribute's values in it, all taken as equally frequent."""
        index = self.true[name].of_code
        means = np.bincount(index, weights=numbers_of(self.schema[name].domain)) / np.bincount(index)
        return np.broadcast_to(self._along(name, means), self._axes).reshape(-1)

    def spread(self, name: str, shares: Floats) -> Floats:
        """The share of each value of an attribute, that of an atom spread evenly over its values."""
        axis = self.names.index(name)
        along = shares.reshape(self._axes).sum(axis=tuple(d for d in range(len(self.names)) if d != axis))
        index = self.true[name].of_code
        even: Floats = (along / np.bincount(index))[index]
        return even

    def apart(self, name: str) -> bool:
        """Whether every value of an attribute is an atom of its own."""
        return len(self.true[name]) == self.schema[name].domain.size

    @property
    def _axes(self) -> list[int]:
        return [len(cells) for cells in self.true.values()]

    def _along(self, name: str, values: Any) -> Any:
        axis = self.names.index(name)
        return values.reshape([-1 if d == axis else 1 for d in range(len(self.names))])

    def cells_that_meet(self, condition: Condition) -> Any:
        """For each joint atom whether it meets the condition: every label of an atom does, or none."""
        first = {name: np.unique(cells.of_code, return_index=True)[1] for name, cells in self.true.items()}

        def holds(part: Condition) -> Any:
            if isinstance(part, Compare):
                return self._along(part.name, part.members(self.schema)[first[part.name]])
            if isinstance(part, Not):
                return ~holds(part.part)
            assert isinstance(part, Joined)
            joined = holds(part.parts[0])
            for other in part.parts[1:]:
                joined = joined | holds(other) if isinstance(part, AnyOf) else joined & holds(other)
            return joined

        return np.broadcast_to(holds(condition), self._axes).reshape(-1)

    def codes(self, reported: dict[str, Ints]) -> Ints:
        """The merged code of each row's joint report."""
        total = np.zeros(len(next(iter(reported.values()))), dtype=np.int64)
        for name, cells in self.reported.items():
            total = total * len(cells) + cells.of_code[reported[name]]
        return total

    def fit(self, counts: Floats) -> Floats:
        """Maximum likelihood shares of the joint atoms, from counts of merged joint reports."""
        return em(self.law, counts, tolerance=1e-7, max_evaluations=20_000).shares

    def posterior(self, shares: Floats, condition: Condition) -> Floats:
        """For each merged joint report the probability that the condition is met."""
        below = self.law.push(shares)
        above = self.law.push(shares * self.cells_that_meet(condition))
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(below > 0, above / below, np.nan)
        return found
