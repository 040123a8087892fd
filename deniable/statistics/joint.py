"""The joint distribution of true answers behind a condition, by maximum likelihood on the joint table of reports.

Each block's true values are merged to atoms, the classes of values that no part of the condition tells apart, so the table
stays small. Merging is exact for keep-or-replace channels; under noise truths are taken as uniform inside an atom, and
estimates say so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.blocks import Block
from deniable.core.channels.groups import JointChannel
from deniable.core.channels.operators import Operator
from deniable.core.domains.exact import Floats, Ints
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


@dataclass(frozen=True)
class Atoms:
    """How one block's true labels and reported labels are merged, and the matrix between the merged ones."""

    attributes: tuple[str, ...]
    true: dict[str, Ints]
    reported: dict[str, Ints]
    sizes: dict[str, int]
    reported_sizes: dict[str, int]
    matrix: Floats
    exact: bool

    def reported_code(self, codes: dict[str, Ints]) -> Ints:
        """The merged code of each row of reported codes."""
        total = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
        for name in self.attributes:
            total = total * self.reported_sizes[name] + self.reported[name][codes[name]]
        return total


def atoms_of(block: Block, comparisons: Sequence[Compare], schema: Schema, fine: Mapping[str, int]) -> Atoms:
    """Merge what the comparisons do not tell apart; of an attribute in `fine` so many bins are kept apart, which makes some
    reports more telling."""
    wanted = {part.name for part in comparisons} | set(fine)
    names = tuple(name for name in block.attributes if name in wanted)
    classes = {name: _classes(name, comparisons, schema, fine.get(name, 0)) for name in names}
    sizes = {name: int(found.max()) + 1 for name, found in classes.items()}
    if isinstance(block.channel, JointChannel):
        return Atoms(names, classes, classes, sizes, sizes, _joint_matrix(block.channel, classes, sizes), exact=True)
    [name] = names
    channel = block.channel
    if channel.lumpable:
        matrix = _lumped(channel, classes[name], sizes[name])
        return Atoms(names, classes, classes, sizes, sizes, matrix, exact=True)
    if channel.domain.size <= FEW_VALUES:
        k, m = channel.law.inputs, channel.law.outputs
        return Atoms(names, {name: np.arange(k)}, {name: np.arange(m)}, {name: k}, {name: m}, channel.matrix(), exact=True)
    return _noisy(name, channel, classes[name])


def _classes(name: str, comparisons: Sequence[Compare], schema: Schema, fine: int) -> Ints:
    k = schema[name].domain.size
    masks = [part.members(schema).astype(np.int64) for part in comparisons if part.name == name]
    if fine:
        masks.append(np.arange(k) * min(k, fine) // k)
    _, found = np.unique(np.array(masks).T, axis=0, return_inverse=True)
    return found.reshape(-1).astype(np.int64)


def _lumped(channel: Channel, classes: Ints, size: int) -> Floats:
    first = np.array([np.flatnonzero(classes == i)[0] for i in range(size)])
    rows = channel.law.rows(first) / channel.law.denominator
    matrix = np.zeros((size, size))
    for i in range(size):
        np.add.at(matrix[i], classes, rows[i])
    return matrix


def _joint_matrix(channel: JointChannel, classes: dict[str, Ints], sizes: dict[str, int]) -> Floats:
    """Unit functions of the merged cells, pushed through: P = theta I + (1 - theta) q, or the joint flip."""
    cells = list(itertools.product(*(range(size) for size in sizes.values())))
    matrix = np.zeros((len(cells), len(cells)))
    theta = float(channel.theta)
    for z, cell in enumerate(cells):
        factors = {name: (classes[name] == c).astype(np.float64) for name, c in zip(sizes, cell, strict=True)}
        if channel.flips:
            mirrored = tuple(
                int(classes[name][1 - np.flatnonzero(classes[name] == c)[0]]) for name, c in zip(sizes, cell, strict=True)
            )
            matrix[z, z] += theta
            matrix[z, cells.index(mirrored)] += 1 - theta
        else:
            matrix[:, z] += (1 - theta) * channel.innocuous_mean(factors)
            matrix[z, z] += theta
    return matrix


def _noisy(name: str, channel: Channel, classes: Ints) -> Atoms:
    """Under noise: bins that end where the condition's classes do, and some more between for the shape; silence by itself."""
    domain = answered(channel.domain)
    values = domain.numbers()
    borders = {
        *(np.flatnonzero(np.diff(classes[: len(values)])) + 1).tolist(),
        *(np.arange(1, NOISE_BINS) * len(values) // NOISE_BINS).tolist(),
    }
    edges = edges_between(values, sorted(borders - {0}))
    binned = channel.binned(edges)
    true = binned.true.index(values)
    reported = binned.reported_bins.index(answered(channel.reported).numbers())
    if channel.domain.missing is not None:
        true, reported = np.append(true, len(binned.true)), np.append(reported, len(binned.reported_bins))
    matrix = binned.matrix()
    sizes = matrix.shape
    return Atoms((name,), {name: true}, {name: reported}, {name: sizes[0]}, {name: sizes[1]}, matrix, exact=False)


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
        involved = [block for block in schema.blocks if set(block.attributes) & wanted]
        self.blocks = [atoms_of(block, comparisons, schema, fine) for block in involved]
        self.law = Product([atoms.matrix for atoms in self.blocks])
        if max(self.law.inputs, self.law.outputs) > MOST_CELLS:
            raise WideDomainError(
                "joint_too_large", "The question needs a joint table of {got:,} cells, more than {most:,}.",
                got=max(self.law.inputs, self.law.outputs), most=MOST_CELLS,
            )  # fmt: skip
        self.names = [name for atoms in self.blocks for name in atoms.attributes]

    def same_atoms(self, other: JointTruth) -> bool:
        """Whether another version of the schema tells the same true answers apart."""
        mine = [(name, atoms.true[name].tobytes()) for atoms in self.blocks for name in atoms.attributes]
        return mine == [(name, atoms.true[name].tobytes()) for atoms in other.blocks for name in atoms.attributes]

    def numbers(self, name: str) -> Floats:
        """For each joint atom the mean of an attribute's values in it, all taken as equally frequent."""
        index = self._true(name)
        means = np.bincount(index, weights=numbers_of(self.schema[name].domain)) / np.bincount(index)
        return np.broadcast_to(self._along(name, means), self._axes).reshape(-1)

    def spread(self, name: str, shares: Floats) -> Floats:
        """The share of each value of an attribute, that of an atom spread evenly over its values."""
        axis = self.names.index(name)
        along = shares.reshape(self._axes).sum(axis=tuple(d for d in range(len(self.names)) if d != axis))
        index = self._true(name)
        even: Floats = (along / np.bincount(index))[index]
        return even

    def apart(self, name: str) -> bool:
        """Whether every value of an attribute is an atom of its own."""
        return int(self._true(name).max()) + 1 == self.schema[name].domain.size

    def _true(self, name: str) -> Ints:
        return next(atoms.true[name] for atoms in self.blocks if name in atoms.attributes)

    @property
    def _axes(self) -> list[int]:
        return [atoms.sizes[name] for atoms in self.blocks for name in atoms.attributes]

    def _along(self, name: str, values: Any) -> Any:
        axis = self.names.index(name)
        return values.reshape([-1 if d == axis else 1 for d in range(len(self.names))])

    @property
    def exact(self) -> bool:
        """Whether no uniformity inside atoms is assumed."""
        return all(atoms.exact for atoms in self.blocks)

    def cells_that_meet(self, condition: Condition) -> Any:
        """For each joint atom whether it meets the condition: every label of an atom does, or none."""
        first = {
            name: [int(np.flatnonzero(atoms.true[name] == i)[0]) for i in range(atoms.sizes[name])]
            for atoms in self.blocks
            for name in atoms.attributes
        }

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
        for atoms in self.blocks:
            total = total * atoms.matrix.shape[1] + atoms.reported_code(reported)
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
