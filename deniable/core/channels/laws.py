"""The law of a channel: integer weights W[true, reported] over one denominator, in the form that suits its structure.

    Table     any matrix, held densely
    Mixture   diagonal * I + 1 * replacement^T    (keep, or replace whatever was true)
    Shift     a noise kernel over offsets, stopped at the ends of the reported grid (`shift.py`)
    Windows   a likelier stretch of reports that moves with the truth (`windows.py`)

All that is asked of a channel (push, pull, weights, epsilon, a draw) is answered here, once per structure, and
nothing but these integers is read. All but Table never build a dense matrix.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.operators import FloatTable, Operator
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.domains.exact import LARGEST_DENOMINATOR, Floats, Ints
from deniable.errors import NotInvertibleError, ParameterError


class Law(Operator):
    """W[true, reported] / denominator = P(reported | true)."""

    denominator: int

    @property
    def inner(self) -> Law:
        """The law of those who answer: without the code for nonresponse, where there is one."""
        return self

    @abstractmethod
    def rows(self, codes: Ints) -> Ints:
        """The integer rows of these true codes, dense."""

    @abstractmethod
    def column(self, z: int) -> Ints:
        """The integer weights with which each true code is reported as `z`."""

    @abstractmethod
    def column_range(self) -> tuple[Ints, Ints]:
        """For each reported code the smallest and the largest weight over all true codes."""

    @abstractmethod
    def choose(self, codes: Ints, draws: Ints) -> Ints:
        """Reported codes for true codes, from uniform integers below the denominator."""

    @abstractmethod
    def recipe(self) -> dict[str, Any]:
        """The integers a browser needs to draw a report by the same steps (docs/recipes.md)."""

    @property
    @abstractmethod
    def lumpable(self) -> bool:
        """Whether merging any true values, and the same reported ones, is again a channel that needs no prior."""

    def dense(self) -> Floats:
        matrix: Floats = self.rows(np.arange(self.inputs)) / self.denominator
        return matrix

    @cached_property
    def mixture(self) -> Mixture | None:
        """The same law as a mixture where it is one, read off its integers."""
        k = self.inputs
        if not self.lumpable or self.outputs != k or k > DENSE_LIMIT:
            return None
        codes = np.arange(k)
        rows = self.rows(codes)
        replacement = rows[(codes + 1) % k, codes] if k > 1 else np.zeros(1, dtype=np.int64)
        mixture = Mixture(int(rows[0, 0] - replacement[0]), replacement)
        return mixture if np.array_equal(mixture.rows(codes), rows) else None

    def keep_and_replacement(self) -> tuple[float, Floats] | None:
        if self.mixture is None:
            return None
        return self.mixture.keep, self.mixture.replacement / self.mixture.denominator

    def between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Operator:
        """The law between cells of codes, truths spread evenly inside a cell: `true` and `reported` say in which of so many cells each
        code is. What replaces an answer does not depend on it, so a mixture stays one."""
        if self.mixture is not None and np.array_equal(true, reported):
            # Below 2**53 the floats of bincount are exact.
            together = np.bincount(true, weights=self.mixture.replacement, minlength=rows)
            return Mixture(self.mixture.diagonal, together.astype(np.int64))
        return FloatTable(self._dense_between(true, reported, rows, columns))

    def _dense_between(self, true: Ints, reported: Ints, rows: int, columns: int) -> Floats:
        matrix = np.zeros((rows, columns))
        for i in range(rows):
            members = true == i
            spread = self.push(members / members.sum())
            matrix[i] = np.bincount(reported, weights=spread, minlength=columns)
        return matrix

    @cached_property
    def epsilon(self) -> float:
        """The largest log ratio of two weights in one column; infinite where one of them is 0 and the other is not."""
        low, high = self.column_range()
        possible = high > 0
        low, high = low[possible], high[possible]
        if (low == 0).any():
            return math.inf
        ratios = high / low
        return max(math.log(int(high[z]) / int(low[z])) for z in np.flatnonzero(ratios >= ratios.max() * (1 - 1e-12)))

    @cached_property
    def worst_case(self) -> tuple[int, int, int]:
        """(reported, likelier true, less likely true): the codes at which epsilon is reached."""
        low, high = self.column_range()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(high > 0, high / low, 0.0)
        z = int(np.argmax(ratios))
        column = self.column(z)
        return z, int(np.argmax(column)), int(np.argmin(column))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the integers: two channels with equal digests are the same channel."""
        summary = hashlib.sha256(f"{type(self).__name__} {self.inputs} {self.outputs} {self.denominator} ".encode())
        for part in self._parts():
            summary.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
        return summary.hexdigest()

    @abstractmethod
    def _parts(self) -> list[Any]:
        """The integer arrays that make up the law."""

    def _check(self) -> None:
        if not 1 <= self.denominator <= LARGEST_DENOMINATOR:
            raise ParameterError(
                "denominator_too_large",
                "The weights of this channel need a denominator of {got}; below 2**53 is allowed. Use rounder probabilities.",
                got=self.denominator,
            )


class Table(Law):
    """Any row-stochastic matrix of integer weights."""

    def __init__(self, weights: Ints, denominator: int) -> None:
        self.weights_table = np.ascontiguousarray(weights, dtype=np.int64)
        self.inputs, self.outputs = self.weights_table.shape
        self.denominator = denominator
        self._check()

    def rows(self, codes: Ints) -> Ints:
        return self.weights_table[codes]

    def column(self, z: int) -> Ints:
        return self.weights_table[:, z]

    def column_range(self) -> tuple[Ints, Ints]:
        return self.weights_table.min(axis=0), self.weights_table.max(axis=0)

    @cached_property
    def _floats(self) -> Floats:
        matrix: Floats = self.weights_table / self.denominator
        return matrix

    def dense(self) -> Floats:
        return self._floats.copy()

    def push(self, p: Floats) -> Floats:
        return p @ self._floats

    def pull(self, v: Floats) -> Floats:
        return self._floats @ v

    @cached_property
    def _cumulative(self) -> Ints:
        return np.cumsum(self.weights_table, axis=1)

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_table

        chosen: Ints = choose_table(codes, draws, self._cumulative)
        return chosen

    @cached_property
    def lumpable(self) -> bool:
        # Only diagonal + replacement survives every merging: off the diagonal each column must be constant.
        if self.inputs != self.outputs:
            return False
        off_diagonal = self.weights_table * (1 - np.eye(self.inputs, dtype=np.int64))
        return bool((off_diagonal.sum(axis=0) == off_diagonal.max(axis=0) * (self.inputs - 1)).all())

    def recipe(self) -> dict[str, Any]:
        return {"law": "table", "denominator": self.denominator, "weights": self.weights_table.tolist()}

    def _parts(self) -> list[Any]:
        return [self.weights_table]


class Mixture(Law):
    """Weight diagonal + replacement[x] on the truth, replacement[z] on every other label; the diagonal may be negative."""

    lumpable = True

    def __init__(self, diagonal: int, replacement: Ints) -> None:
        self.diagonal = int(diagonal)
        self.replacement = np.ascontiguousarray(replacement, dtype=np.int64)
        self.inputs = self.outputs = len(self.replacement)
        self.denominator = self.diagonal + int(self.replacement.sum())
        self._check()

    @property
    def keep(self) -> float:
        """The probability of keeping the truth before replacement (theta)."""
        return self.diagonal / self.denominator

    @property
    def mixture(self) -> Mixture:
        return self

    def rows(self, codes: Ints) -> Ints:
        rows = np.tile(self.replacement, (len(codes), 1))
        rows[np.arange(len(codes)), codes] += self.diagonal
        return rows

    def column(self, z: int) -> Ints:
        column = np.full(self.inputs, self.replacement[z])
        column[z] += self.diagonal
        return column

    def column_range(self) -> tuple[Ints, Ints]:
        kept = self.replacement + self.diagonal
        if len(kept) == 1:
            # One truth: there is no other to compare its reports with.
            return kept, kept
        return np.minimum(kept, self.replacement), np.maximum(kept, self.replacement)

    def push(self, p: Floats) -> Floats:
        pushed: Floats = (self.diagonal * p + np.sum(p) * self.replacement) / self.denominator
        return pushed

    def pull(self, v: Floats) -> Floats:
        pulled: Floats = (self.diagonal * v + self.replacement @ v) / self.denominator
        return pulled

    def weights(self, f: Floats, reported: Floats | None = None) -> Floats:
        """w_f(z) = (f(z) - (1 - theta) E_q f) / theta."""
        if self.diagonal == 0:
            raise NotInvertibleError(
                "no_information",
                "Every true answer is reported with the same probabilities, so the reports say nothing; keep more of the answers.",
            )
        w: Floats = (f * self.denominator - self.replacement @ f) / self.diagonal
        return w

    @cached_property
    def condition_number(self) -> float:
        if self.diagonal == 0:
            return math.inf
        # All but span{1, replacement} is only scaled by the diagonal; that plane is a 2 x 2 matrix.
        ones = np.ones(self.inputs)
        basis, _ = np.linalg.qr(np.column_stack([ones, self.replacement.astype(np.float64)]))
        inside = basis.T @ (self.diagonal * basis + np.outer(ones, self.replacement @ basis))
        singular = [*np.linalg.svd(inside, compute_uv=False), *([abs(self.diagonal)] if self.inputs > 2 else [])]
        return float(max(singular) / min(singular)) if min(singular) > 0 else math.inf

    @cached_property
    def _before(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.replacement)[:-1]])

    def choose(self, codes: Ints, draws: Ints) -> Ints:
        from deniable.kernels.draws import choose_even_mixture, choose_mixture

        other = int(self.replacement[0])
        if other > 0 and (self.replacement == other).all():
            chosen: Ints = choose_even_mixture(codes, draws, self.diagonal + other, other)
        else:
            chosen = choose_mixture(codes, draws, self.diagonal, self.replacement, self._before)
        return chosen

    def recipe(self) -> dict[str, Any]:
        return {
            "law": "mixture", "denominator": self.denominator, "diagonal": self.diagonal, "replacement": self.replacement.tolist()
        }  # fmt: skip

    def _parts(self) -> list[Any]:
        return [[self.diagonal], self.replacement]
