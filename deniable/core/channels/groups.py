"""Attributes that share one draw: either all are told as they are, or all are replaced.

A group is one block: what an attacker sees is the joint report, so its epsilon is that of the joint channel, which is
neither the largest nor the sum of its members'.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Flip, Retention, mixture
from deniable.core.channels.laws import Law, Mixture, Table
from deniable.core.channels.sampling import ByteSource, integers_below
from deniable.core.domains import exact
from deniable.core.domains.exact import LARGEST_DENOMINATOR, ROUNDED_DENOMINATOR, Floats, Ints, written
from deniable.errors import ParameterError, SchemaError, WideDomainError

Factors = dict[str, Floats]
"""A product of functions, one for each of some attributes."""

LARGEST_JOINT = 1 << 16
"""Up to this many combinations of labels the joint table of a group is written out."""


class Group:
    """Which attributes share a draw, and, where their innocuous answers depend on each other, the joint table of those.

    >>> import deniable as dn
    >>> dn.Group(["a", "b"], innocuous={(0, 0): 0.5, (1, 1): 0.5}).attributes
    ('a', 'b')
    """

    def __init__(
        self, attributes: Sequence[str], innocuous: Mapping[tuple[Any, ...], Any] | Sequence[Any] | None = None
    ) -> None:
        if isinstance(attributes, str) or not all(isinstance(name, str) for name in attributes):
            raise ParameterError("group_names", "Group: attributes must be a list of names, got {got!r}.", got=attributes)
        self.attributes = tuple(attributes)
        pairs = innocuous.items() if isinstance(innocuous, Mapping) else innocuous
        self.innocuous = None if pairs is None else {tuple(key): value for key, value in pairs}

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `Group.from_json` reads back."""
        table = None
        if self.innocuous is not None:
            table = [[list(key), written(exact.fraction(value, "Group", "innocuous"))] for key, value in self.innocuous.items()]
        return {"attributes": list(self.attributes), "innocuous": table}

    @staticmethod
    def from_json(given: Any) -> Group:
        """The group that a JSON object (or a plain list of names) describes."""
        if isinstance(given, Sequence) and not isinstance(given, str):
            return Group(given)
        if not isinstance(given, dict) or not {"attributes"} <= set(given) <= {"attributes", "innocuous"}:
            raise SchemaError(
                "bad_group",
                "A group must be a list of attributes or an object with attributes and innocuous, got {got!r}.",
                got=given,
            )
        table = given.get("innocuous")
        return Group(given["attributes"], None if table is None else {tuple(key): value for key, value in table})


class JointChannel:
    """The channel of a group: P(joint report | joint truth). Labels are tuples in the order of the attributes.

    Two kinds of members are understood: Retention or UnrelatedQuestion with one theta (together told or together replaced),
    and two-valued KRR with one p (Warner's question for several attributes: together told or together flipped).
    """

    def __init__(self, name: str, group: Group, channels: Sequence[Channel]) -> None:
        self.name = name
        self.attributes = group.attributes
        self.channels = tuple(channels)
        if len(self.channels) < 1:
            raise SchemaError("group_empty", "Group {name!r} has no attributes.", name=name)
        if all(isinstance(channel, Retention) and channel.exact for channel in channels):
            self.flips = False
        elif all(_warner(channel) is not None for channel in channels):
            self.flips = True
        else:
            raise SchemaError(
                "group_kind",
                "Group {name!r}: attributes that share a draw must all be UnrelatedQuestion or Retention, or all KRR with two "
                "labels; got {got}.",
                name=name,
                got={attribute: type(channel).__name__ for attribute, channel in zip(self.attributes, channels, strict=True)},
            )
        thetas = {
            attribute: _warner(channel) if self.flips else channel.p  # type: ignore[attr-defined]
            for attribute, channel in zip(self.attributes, channels, strict=True)
        }
        if len(set(thetas.values())) > 1:
            raise SchemaError(
                "group_theta",
                "Group {name!r}: attributes that share a draw must have one theta, got {got}.",
                name=name,
                got={attribute: float(theta) for attribute, theta in thetas.items() if theta is not None},
            )
        first = next(iter(thetas.values()))
        assert first is not None
        # Rounded once, toward privacy: the draw, epsilon and the weights all read this number.
        self.theta = first if first.denominator <= LARGEST_DENOMINATOR else _floor(first)
        self._table = self._read_table(group) if group.innocuous is not None else None

    def _read_table(self, group: Group) -> dict[tuple[int, ...], Fraction]:
        assert group.innocuous is not None
        if self.flips:
            raise SchemaError(
                "group_table", "Group {name!r}: answers that are flipped have no innocuous table.", name=self.name
            )
        table: dict[tuple[int, ...], Fraction] = {}
        for key, value in group.innocuous.items():
            if len(key) != len(self.channels):
                raise SchemaError(
                    "group_key",
                    "Group {name!r}: the innocuous table has {got!r}; each key needs {k} labels.",
                    name=self.name,
                    got=key,
                    k=len(self.channels),
                )
            codes = tuple(channel.domain.code_of(label) for channel, label in zip(self.channels, key, strict=True))
            table[codes] = exact.probability(value, f"Group {self.name!r}", f"innocuous[{key!r}]")
        shares = exact.normalised(list(table.values()), f"Group {self.name!r}", "innocuous")
        if exact.common_denominator(shares) > LARGEST_DENOMINATOR:
            shares = _rounded_table(shares)
        table = dict(zip(table, shares, strict=True))
        for i, (attribute, channel) in enumerate(zip(self.attributes, self.channels, strict=True)):
            margin = [sum((s for codes, s in table.items() if codes[i] == z), Fraction(0)) for z in range(channel.domain.size)]
            declared = _replacement(channel)
            if max(abs(a - b) for a, b in zip(margin, declared, strict=True)) > Fraction(1, 10**6):
                raise SchemaError(
                    "group_margin",
                    "Group {name!r}: the joint innocuous table gives {attribute!r} the distribution {got}, its own channel says "
                    "{own}; make them equal.",
                    name=self.name,
                    attribute=attribute,
                    got=[float(share) for share in margin],
                    own=[float(share) for share in declared],
                )
        return table

    @property
    def size(self) -> int:
        """How many combinations of labels there are."""
        return math.prod(channel.domain.size for channel in self.channels)

    @property
    def inputs(self) -> tuple[tuple[Any, ...], ...]:
        """All combinations of true labels, the last attribute varying fastest."""
        self._check_size()
        return tuple(itertools.product(*(channel.inputs for channel in self.channels)))

    outputs = inputs

    @cached_property
    def epsilon(self) -> float:
        """log(1 + theta / ((1 - theta) min q)), q being the joint innocuous distribution; a joint flip of two or more
        attributes leaves only two possible truths, so it has none."""
        if self.flips:
            return math.inf if len(self.channels) > 1 else self.channels[0].epsilon
        if self._table is not None:
            smallest = min(self._table.values()) if len(self._table) == self.size else Fraction(0)
        else:
            smallest = math.prod((min(_replacement(channel)) for channel in self.channels), start=Fraction(1))
        rest = (1 - self.theta) * smallest
        if not rest:
            return math.inf
        odds = 1 + self.theta / rest
        # Of a large group the ratio itself may be too large for a float; its logarithm is not.
        return math.log(odds.numerator) - math.log(odds.denominator)

    @cached_property
    def law(self) -> Law:
        """The joint law, for estimating (draws are made in stages and never read it)."""
        self._check_size()
        if self.flips:
            k = self.size
            rows = [
                [self.theta if z == x else 1 - self.theta if z == k - 1 - x else Fraction(0) for z in range(k)]
                for x in range(k)
            ]
            return Table(*exact.integer_rows(rows))
        rest = 1 - self.theta
        return mixture(self.theta, [rest * share for share in self._joint()])

    def _joint(self) -> list[Fraction]:
        combinations = itertools.product(*(range(channel.domain.size) for channel in self.channels))
        if self._table is not None:
            return [self._table.get(codes, Fraction(0)) for codes in combinations]
        shares = [_replacement(channel) for channel in self.channels]
        return [math.prod((shares[i][z] for i, z in enumerate(codes)), start=Fraction(1)) for codes in combinations]

    def _check_size(self) -> None:
        if self.size > LARGEST_JOINT:
            raise WideDomainError(
                "group_too_large",
                "Group {name!r} has {size:,} combinations of labels; its joint table is written out up to {limit:,}.",
                name=self.name,
                size=self.size,
                limit=LARGEST_JOINT,
            )

    @property
    def lumpable(self) -> bool:
        """Whether cells of the joint report may be merged exactly."""
        return not self.flips or len(self.channels) == 1

    def matrix(self) -> Floats:
        """The joint matrix P[true, reported] over all combinations of labels."""
        self._check_size()
        if self.size**2 > 25_000_000:
            raise WideDomainError("matrix_too_large", "A dense joint matrix of {k:,} squared is not built.", k=self.size)
        return self.law.dense()

    def between(self, classes: Mapping[str, Ints]) -> Floats:
        """P between joint cells of some attributes, of which `classes` says in which cell each code is; the last varies fastest.

        Unit functions of the cells, pushed through: theta I + (1 - theta) q, or the joint flip.
        """
        cells = list(itertools.product(*(range(int(of_code.max()) + 1) for of_code in classes.values())))
        matrix = np.zeros((len(cells), len(cells)))
        theta = float(self.theta)
        for z, cell in enumerate(cells):
            matrix[z, z] += theta
            inside = {name: of_code == c for (name, of_code), c in zip(classes.items(), cell, strict=True)}
            if self.flips:
                mirrored = tuple(int(of_code[1 - np.flatnonzero(inside[name])[0]]) for name, of_code in classes.items())
                matrix[z, cells.index(mirrored)] += 1 - theta
            else:
                matrix[:, z] += (1 - theta) * self.innocuous_mean(
                    {name: held.astype(np.float64) for name, held in inside.items()}
                )
        return matrix

    def product_weights(self, factors: Mapping[str, Floats], codes: Mapping[str, Ints]) -> Floats:
        """Unbiased weights, at reported codes, of a product of functions of some of the attributes.

        w(z) = (f(z) - (1 - theta) E_q f) / theta, where E_q f factorises over independent innocuous answers.
        """
        values = _product([factor[codes[name]] for name, factor in factors.items()])
        theta = float(self.theta)
        if self.flips:
            # Together told or together flipped: f and its mirror image mix with theta, and that 2 x 2 mixture is undone.
            mirrored = _product([factor[1 - codes[name]] for name, factor in factors.items()])
            if theta == 0.5:
                raise ParameterError(
                    "no_information", "Group {name!r} flips with probability 1/2: its reports say nothing.", name=self.name
                )
            flipped: Floats = (theta * values - (1 - theta) * mirrored) / (2 * theta - 1)
            return flipped
        weights: Floats = (values - (1 - theta) * self.innocuous_mean(factors)) / theta
        return weights

    def weight_products(self, first: Factors, second: Factors) -> list[tuple[float, Factors]]:
        """E[w_f w_g | truth] for two products of functions of some attributes, as a sum of products of functions of the truth.

        With E[h | truth] = theta h + (1 - theta) E_q h, and c_f = (1 - theta) E_q f:
        (f g - c_g f - c_f g) / theta + ((1 - theta) E_q fg - c_f c_g) / theta^2; flips mix f with its mirror image instead.
        """
        theta = float(self.theta)
        both = joined(first, second)
        if self.flips:
            mirror, other = ({name: f[::-1] for name, f in factors.items()} for factors in (first, second))
            rest, scale = theta * (1 - theta), (2 * theta - 1) ** 2
            return [
                ((theta**3 + (1 - theta) ** 3) / scale, both),
                (rest / scale, joined(mirror, other)),
                (-rest / scale, joined(first, other)),
                (-rest / scale, joined(mirror, second)),
            ]
        f, g = ((1 - theta) * self.innocuous_mean(factors) for factors in (first, second))
        constant = ((1 - theta) * self.innocuous_mean(both) - f * g) / theta**2
        return [(1 / theta, both), (-g / theta, first), (-f / theta, second), (constant, {})]

    def innocuous_mean(self, factors: Mapping[str, Floats]) -> float:
        """The mean of a product of functions of some attributes under the innocuous answers."""
        place = {name: i for i, name in enumerate(self.attributes)}
        if self._table is not None:
            return float(
                sum(
                    float(share) * math.prod(f[codes[place[name]]] for name, f in factors.items())
                    for codes, share in self._table.items()
                )
            )
        return math.prod(
            float(sum(float(share) * value for share, value in zip(_replacement(self.channels[place[name]]), f, strict=True)))
            for name, f in factors.items()
        )

    def draw(self, truth: Sequence[Ints], source: ByteSource) -> list[Ints]:
        """One joint report per respondent, codes in and codes out: first whether to tell, then the innocuous answers.

        Both draws are always made, so that how many bytes are used says nothing about the outcome of the first.
        """
        n = len(truth[0])
        told = integers_below(self.theta.denominator, n, source) < self.theta.numerator
        instead = [1 - codes for codes in truth] if self.flips else self._innocuous(n, source)
        return [np.where(told, codes, other) for codes, other in zip(truth, instead, strict=True)]

    def recipe(self) -> dict[str, Any]:
        """The integers a browser needs to draw a joint report by the same steps (docs/recipes.md)."""
        recipe: dict[str, Any] = {
            "law": "group", "tell": self.theta.numerator, "denominator": self.theta.denominator, "flips": self.flips,
            "sizes": [channel.domain.size for channel in self.channels],
        }  # fmt: skip
        if not self.flips and self._table is None:
            recipe["innocuous"] = [_weights(_replacement(channel)).tolist() for channel in self.channels]
        elif not self.flips:
            assert self._table is not None
            recipe["cells"] = [list(cell) for cell in self._table]
            recipe["weights"] = _weights(list(self._table.values())).tolist()
        return recipe

    def _innocuous(self, n: int, source: ByteSource) -> list[Ints]:
        if self._table is None:
            return [_draw_from(_weights(_replacement(channel)), n, source) for channel in self.channels]
        cells = np.array(list(self._table), dtype=np.int64)
        chosen = _draw_from(_weights(list(self._table.values())), n, source)
        return [cells[chosen, i] for i in range(len(self.channels))]


def joined(first: Factors, second: Factors) -> Factors:
    """The product of two products of functions of single attributes."""
    both = dict(first)
    for name, factor in second.items():
        both[name] = both[name] * factor if name in both else factor
    return both


def _floor(theta: Fraction) -> Fraction:
    return Fraction(math.floor(theta * ROUNDED_DENOMINATOR), ROUNDED_DENOMINATOR)


def _rounded_table(shares: Sequence[Fraction]) -> list[Fraction]:
    """Innocuous shares with a denominator that can be drawn from: all but the largest rounded up, so none becomes rarer."""
    parts = [math.ceil(share * ROUNDED_DENOMINATOR) for share in shares]
    largest = max(range(len(parts)), key=parts.__getitem__)
    parts[largest] += ROUNDED_DENOMINATOR - sum(parts)
    return [Fraction(part, ROUNDED_DENOMINATOR) for part in parts]


def _product(factors: Sequence[Floats]) -> Floats:
    product: Floats = np.prod(np.stack(factors), axis=0)
    return product


def _warner(channel: Channel) -> Fraction | None:
    """The p of a symmetric flip of two labels, else None."""
    if isinstance(channel, KRR) and channel.domain.size == 2:
        return channel.p
    return channel.p if isinstance(channel, Flip) and channel.p == channel.q else None


def _replacement(channel: Channel) -> list[Fraction]:
    """The innocuous distribution of a Retention channel, as its integers have it."""
    assert isinstance(channel.law, Mixture)
    parts = channel.law.replacement.tolist()
    total = sum(parts)
    if not total:
        return [Fraction(1, len(parts))] * len(parts)
    return [Fraction(part, total) for part in parts]


def _weights(shares: Sequence[Fraction]) -> Ints:
    rows, _ = exact.integer_rows([shares])
    weights: Ints = rows[0]
    return weights


def _draw_from(weights: Ints, n: int, source: ByteSource) -> Ints:
    cumulative = np.cumsum(weights)
    chosen: Ints = np.searchsorted(cumulative, integers_below(int(cumulative[-1]), n, source), side="right")
    return chosen
