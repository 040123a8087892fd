"""Domains of numbers: whole ones, and those of a grid with any step; without a step numbers are for simulation."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells
from deniable.core.domains.columns import numeric
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Ints, Number, as_float, fraction, written
from deniable.errors import ParameterError


class _Grid(Domain):
    """Equally spaced numbers from low to high, both included; held as exact fractions."""

    is_numeric = True
    low: Fraction
    high: Fraction
    step: Fraction

    def _set(self, low: Number, high: Number, step: Number) -> None:
        name = type(self).__name__
        self.low, self.high = fraction(low, name, "low"), fraction(high, name, "high")
        self.step = fraction(step, name, "step")
        if self.low > self.high or (self.low == self.high and not self.has_grid):
            # A column may hold one number only; without a grid there is then nothing to spread over.
            allowed = "at most" if self.has_grid else "below"
            raise ParameterError(
                "empty_range", "{owner}: low must be {allowed} high, got {low} and {high}.",
                owner=name, allowed=allowed, low=low, high=high,
            )  # fmt: skip
        if self.step <= 0:
            raise ParameterError("step_not_positive", "{owner}: step must be positive, got {got}.", owner=name, got=step)
        denominator = math.lcm(self.low.denominator, self.step.denominator)
        if self.has_grid and max(abs(self.low), abs(self.high)) * denominator >= 2**53:
            raise ParameterError(
                "grid_too_large",
                "{owner}: {low} to {high} in steps of {step} has more digits than a number can hold (2**53 steps from 0); "
                "use a smaller range or a coarser step.",
                owner=name,
                low=low,
                high=high,
                step=step,
            )
        if (self.high - self.low) % self.step:
            below = self.low + (self.high - self.low) // self.step * self.step
            raise ParameterError(
                "step_does_not_fit",
                "{owner}: steps of {step} from {low} do not reach {high}; the nearest ends are {below} and {above}.",
                owner=name,
                step=step,
                low=low,
                high=high,
                below=as_float(below),
                above=as_float(below + self.step),
            )

    @property
    def size(self) -> int:
        return int((self.high - self.low) / self.step) + 1

    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        denominator = math.lcm(self.low.denominator, self.step.denominator)
        start, stride = int(self.low * denominator), int(self.step * denominator)
        # Whole numbers divided once: the float nearest to the decimal, so 0.1 * 3 prints as 0.3.
        values = (start + stride * np.arange(self.size, dtype=np.int64)) / denominator
        return values.astype(np.float64)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        numbers = self.numbers()
        return tuple(numbers.astype(np.int64).tolist()) if self._whole else tuple(numbers.tolist())

    @property
    def _whole(self) -> bool:
        return self.low.denominator == 1 and self.step.denominator == 1

    @cached_property
    def _arrow_labels(self) -> pa.Array:
        numbers = self.numbers()
        return pa.array(numbers.astype(np.int64) if self._whole else numbers)

    def column(self, codes: Ints) -> pa.Array:
        return self._arrow_labels.take(pa.array(codes))

    @property
    def allowed(self) -> str:
        return f"{as_float(self.low)} to {as_float(self.high)} in steps of {as_float(self.step)}"

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        if pa.types.is_boolean(column.type) and self.low == 0 and self.high == 1:
            column = column.cast(pa.int8())
        values = numeric(column, text)
        steps = (values - float(self.low)) / float(self.step)
        nearest = np.rint(steps)
        with np.errstate(invalid="ignore"):
            fits = (values >= float(self.low)) & (values <= float(self.high)) & self._on_grid(steps, nearest)
        wrong = np.flatnonzero(~fits)
        if wrong.size:
            if not text and (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                bad.allowed = f"numbers, not text: {self.allowed} (make the column numeric first)"
            cells = column.take(pa.array(wrong))
            if text and any(value is not None and "," in value for value in cells[:BAD_ROWS_SHOWN].to_pylist()):
                bad.allowed = f"{self.allowed} (with a decimal point, unless the decimal sign is said to be a comma)"
            bad.add(wrong, cells, offset)
            nearest[wrong] = 0
        codes: Ints = nearest.astype(np.int64)
        return codes

    @abstractmethod
    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        """Which values lie on the grid, or may be moved to it."""

    def parameters(self) -> dict[str, Any]:
        return {"low": written(self.low), "high": written(self.high), "step": written(self.step)}


class Integer(_Grid):
    """Whole numbers from low to high, both included, in steps (of 1 unless said).

    >>> import deniable as dn
    >>> dn.Integer(18, 90).size, dn.Integer(0, 100, step=25).labels
    (73, (0, 25, 50, 75, 100))
    """

    def __init__(self, low: int, high: int, step: int = 1) -> None:
        self._set(low, high, step)
        for name, value in (("low", self.low), ("high", self.high), ("step", self.step)):
            if value.denominator != 1:
                raise ParameterError(
                    "not_whole",
                    "Integer: {name} must be a whole number, got {got}; use Continuous with a step.",
                    name=name,
                    got=float(value),
                )

    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        return np.abs(steps - nearest) < 1e-9


class Continuous(_Grid):
    """Numbers from low to high. With a `step` values are rounded to that grid, and the domain can protect people;
    without one it is for simulation and for data that others distorted.

    >>> import deniable as dn
    >>> dn.Continuous(0, 1, step=0.25).labels
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """

    def __init__(self, low: Number, high: Number, step: Number | None = None) -> None:
        self.has_grid = step is not None
        self._set(
            low, high, fraction(high, "Continuous", "high") - fraction(low, "Continuous", "low") or 1 if step is None else step
        )

    def _on_grid(self, steps: Any, nearest: Any) -> Any:
        return np.isfinite(steps)

    @property
    def _whole(self) -> bool:
        return False

    @property
    def allowed(self) -> str:
        return super().allowed if self.has_grid else f"{as_float(self.low)} to {as_float(self.high)}"

    @property
    def size(self) -> int:
        self._need_step()
        return super().size

    def _need_step(self) -> None:
        if not self.has_grid:
            raise ParameterError(
                "no_step",
                "Continuous({low}, {high}) has no step, so it has no list of labels; give a step, or bins where a table is asked for.",
                low=as_float(self.low),
                high=as_float(self.high),
            )

    def values(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Any:
        """The numbers of a column, checked against the range, not moved to any grid."""
        values = numeric(column, text)
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(~((values >= float(self.low)) & (values <= float(self.high))))
        if wrong.size:
            bad.add(wrong, column.take(pa.array(wrong)), offset)
        return values

    def parameters(self) -> dict[str, Any]:
        written_out = super().parameters()
        return written_out if self.has_grid else {"low": written_out["low"], "high": written_out["high"]}
