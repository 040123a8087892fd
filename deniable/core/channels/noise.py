"""Noise to add to numbers. On a grid it is a list of integer weights per offset, computed without floating point,
so that every machine and every browser builds the same list; off the grid (simulation only) it is a density.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from deniable.core.domains.domain import build
from deniable.core.domains.exact import ROUNDED_DENOMINATOR, Floats, Ints, Number, fraction, integer_rows, written
from deniable.errors import ParameterError, SchemaError

_BITS = 192
_LARGEST_KERNEL = 2**52


class Noise(ABC):
    """A distribution of what is added to a number."""

    kinds: ClassVar[dict[str, type[Noise]]] = {}
    bounded: ClassVar[bool]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_"):
            Noise.kinds[cls.__name__] = cls

    @abstractmethod
    def kernel(self, step: Fraction, reach: int) -> tuple[Ints, int]:
        """Integer weights of the offsets (in steps) and the first offset. Unbounded noise is cut at +-reach, and the
        offsets there take the mass beyond them."""

    @abstractmethod
    def margin(self, step: Fraction) -> int:
        """By how many steps the reported grid is widened so that hardly any noise is stopped at its ends."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments in JSON form."""

    def density(self, t: Floats) -> Floats:
        """The density of the noise off the grid."""
        raise self._needs_grid()

    def cdf(self, t: Floats) -> Floats:
        """P(noise <= t) off the grid."""
        raise self._needs_grid()

    def cdf_integral(self, t: Floats) -> Floats:
        """An antiderivative of the cdf: exact averages over an interval of truths need no quadrature."""
        raise self._needs_grid()

    def quantile(self, u: Floats) -> Floats:
        """The inverse of the cdf."""
        raise self._needs_grid()

    def _needs_grid(self) -> ParameterError:
        return ParameterError(
            "noise_needs_grid", "{noise} is defined on a grid only; give the domain a step.", noise=type(self).__name__
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `Noise.from_json` reads back."""
        return {"type": type(self).__name__, **self.parameters()}

    @staticmethod
    def from_json(given: Any) -> Noise:
        """The noise that a JSON object describes."""
        if not isinstance(given, dict) or given.get("type") not in Noise.kinds:
            raise SchemaError(
                "unknown_noise",
                "Noise must be an object with a type among {allowed}, got {got!r}.",
                allowed=sorted(Noise.kinds),
                got=given,
            )
        built: Noise = build(Noise.kinds[given["type"]], {k: v for k, v in given.items() if k != "type"}, "noise")
        return built

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(str(value) for value in self.parameters().values())})"


def _positive(value: Any, owner: str, name: str) -> Fraction:
    read = fraction(value, owner, name)
    if read <= 0:
        raise ParameterError("not_positive", "{owner}: {name} must be positive, got {got}.", owner=owner, name=name, got=value)
    return read


class Uniform(Noise):
    """Every offset from -half_width to +half_width equally likely. Bounded: its epsilon is infinite.

    >>> import deniable as dn
    >>> dn.Additive(dn.Integer(18, 90), dn.Uniform(10)).epsilon
    inf
    """

    bounded = True

    def __init__(self, half_width: Number) -> None:
        self.half_width = _positive(half_width, "Uniform", "half_width")

    def margin(self, step: Fraction) -> int:
        steps = self.half_width / step
        if steps.denominator != 1:
            raise ParameterError(
                "half_width_off_grid",
                "Uniform: half_width {got} is not a whole number of steps of {step}; use {below} or {above}.",
                got=float(self.half_width),
                step=float(step),
                below=float(math.floor(steps) * step) or float(step),
                above=float(math.ceil(steps) * step),
            )
        return int(steps)

    def kernel(self, step: Fraction, reach: int) -> tuple[Ints, int]:
        h = self.margin(step)
        return np.ones(2 * h + 1, dtype=np.int64), -h

    def density(self, t: Floats) -> Floats:
        a = float(self.half_width)
        height: Floats = (np.abs(t) <= a) / (2 * a)
        return height

    def cdf(self, t: Floats) -> Floats:
        a = float(self.half_width)
        return np.clip((t + a) / (2 * a), 0.0, 1.0)

    def cdf_integral(self, t: Floats) -> Floats:
        a = float(self.half_width)
        inside = np.clip(t, -a, a)
        area: Floats = (inside + a) ** 2 / (4 * a) + np.maximum(t - a, 0.0)
        return area

    def quantile(self, u: Floats) -> Floats:
        shift: Floats = float(self.half_width) * (2 * u - 1)
        return shift

    def parameters(self) -> dict[str, Any]:
        return {"half_width": written(self.half_width)}


class _Unbounded(Noise):
    """A symmetric, unimodal noise that reaches every offset with at least one part of the denominator."""

    bounded = False

    @abstractmethod
    def _heights(self, step: Fraction, reach: int) -> tuple[list[int], int]:
        """Unnormalised weights of the offsets 0 to reach in fixed point (fewer where they vanish), and the sum beyond."""

    def kernel(self, step: Fraction, reach: int) -> tuple[Ints, int]:
        heights, beyond = self._heights(step, reach)
        total = 2 * (sum(heights) + beyond) - heights[0]
        side = heights[1:]
        if len(side) == reach:
            side[-1] += beyond
        # Every offset gets at least one part, which keeps epsilon finite, and is rounded up: none becomes rarer, against
        # the centre, than it should be. The centre takes what is left; the denominator makes its loss negligible.
        needed = 2_000 * reach * total // heights[0]
        if needed > 100 * _LARGEST_KERNEL:
            raise ParameterError(
                "grid_too_fine",
                "{noise!r} on a grid of {labels:,} labels needs weights beyond 2**53; use a coarser step.",
                noise=self,
                labels=reach + 1,
            )
        denominator = min(max(ROUNDED_DENOMINATOR, 1 << needed.bit_length()), _LARGEST_KERNEL)
        parts = [max(1, -(-height * denominator // total)) for height in side] + [1] * (reach - len(side))
        centre = denominator - 2 * sum(parts)
        kernel = np.array([*reversed(parts), centre, *parts], dtype=np.int64)
        return kernel, -reach


def _fixed_exp(exponent: Fraction) -> int:
    """exp(-exponent) in fixed point with _BITS bits, from decimal arithmetic: the same integer on every machine."""
    with localcontext() as context:
        context.prec = 80
        value = (-(Decimal(exponent.numerator) / Decimal(exponent.denominator))).exp()
        return int(value * (1 << _BITS))


class Laplace(_Unbounded):
    """Offsets with weights proportional to exp(-|offset| / b): the two-sided geometric distribution on the grid.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(18, 90), dn.Laplace(20))
    >>> 3.5 < channel.epsilon < 3.7        # about (90 - 18) / 20
    True
    """

    def __init__(self, b: Number) -> None:
        self.b = _positive(b, "Laplace", "b")

    def margin(self, step: Fraction) -> int:
        return math.ceil(12 * self.b / step)

    def _heights(self, step: Fraction, reach: int) -> tuple[list[int], int]:
        ratio, heights = _fixed_exp(step / self.b), [1 << _BITS]
        while heights[-1] >> (_BITS - 64) and len(heights) <= reach:
            heights.append(heights[-1] * ratio >> _BITS)
        return heights, heights[-1] * ratio // ((1 << _BITS) - ratio)

    def density(self, t: Floats) -> Floats:
        b = float(self.b)
        height: Floats = np.exp(-np.abs(t) / b) / (2 * b)
        return height

    def cdf(self, t: Floats) -> Floats:
        tail = 0.5 * np.exp(-np.abs(t) / float(self.b))
        return np.where(t < 0, tail, 1 - tail)

    def cdf_integral(self, t: Floats) -> Floats:
        b = float(self.b)
        tail: Floats = 0.5 * b * np.exp(-np.abs(t) / b) + np.maximum(t, 0.0)
        return tail

    def quantile(self, u: Floats) -> Floats:
        shift: Floats = -float(self.b) * np.sign(u - 0.5) * np.log1p(-2 * np.abs(u - 0.5))
        return shift

    def parameters(self) -> dict[str, Any]:
        return {"b": written(self.b)}


class Normal(_Unbounded):
    """Offsets with weights proportional to exp(-offset^2 / (2 sd^2)): the discrete Gaussian on the grid.

    >>> import deniable as dn
    >>> channel = dn.Additive(dn.Integer(18, 90), dn.Normal(15))
    >>> channel.outputs[0], channel.outputs[-1]          # stopped at the ends of the domain
    (18, 90)
    """

    def __init__(self, sd: Number) -> None:
        self.sd = _positive(sd, "Normal", "sd")

    def margin(self, step: Fraction) -> int:
        return math.ceil(5 * self.sd / step)

    def _heights(self, step: Fraction, reach: int) -> tuple[list[int], int]:
        # exp(-c (o+1)^2) = exp(-c o^2) * exp(-c (2 o + 1)), and that factor shrinks by exp(-2 c) a step.
        c = (step / self.sd) ** 2 / 2
        ratio, squared, heights = _fixed_exp(c), _fixed_exp(2 * c), [1 << _BITS]
        while heights[-1] >> (_BITS - 64):
            heights.append(heights[-1] * ratio >> _BITS)
            ratio = ratio * squared >> _BITS
        return heights[: reach + 1], sum(heights[reach + 1 :])

    def density(self, t: Floats) -> Floats:
        sd = float(self.sd)
        height: Floats = np.exp(-0.5 * (t / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
        return height

    def cdf(self, t: Floats) -> Floats:
        from scipy.special import ndtr

        share: Floats = ndtr(t / float(self.sd))
        return share

    def cdf_integral(self, t: Floats) -> Floats:
        sd = float(self.sd)
        area: Floats = t * self.cdf(t) + sd * np.exp(-0.5 * (t / sd) ** 2) / math.sqrt(2 * math.pi)
        return area

    def quantile(self, u: Floats) -> Floats:
        from scipy.special import ndtri

        shift: Floats = float(self.sd) * ndtri(u)
        return shift

    def parameters(self) -> dict[str, Any]:
        return {"sd": written(self.sd)}


def _whole(offset: Any) -> int:
    read = fraction(offset, "Staircase", "an offset")
    if read.denominator != 1:
        raise ParameterError("staircase_offset", "Staircase: offsets must be whole steps, got {got}.", got=offset)
    return read.numerator


class Staircase(Noise):
    """Whole steps with weights of your own (thesis 5.2): a list of odd length around offset 0, or a mapping from offset to weight.

    >>> import deniable as dn
    >>> dn.Additive(dn.Integer(0, 3), dn.Staircase([1, 2, 1])).matrix()[0].tolist()      # reports -1 to 4
    [0.25, 0.5, 0.25, 0.0, 0.0, 0.0]
    """

    bounded = True

    def __init__(self, weights: Sequence[Number] | Mapping[int, Number]) -> None:
        if isinstance(weights, Mapping):
            by_offset = {_whole(offset): weight for offset, weight in weights.items()}
            half = max(map(abs, by_offset), default=0)
            listed: list[Any] = [by_offset.get(offset, 0) for offset in range(-half, half + 1)]
        elif isinstance(weights, (str, bytes)) or not hasattr(weights, "__len__"):
            raise ParameterError(
                "staircase_list",
                "Staircase: weights must be a list around offset 0 or a mapping from offset to weight, got {got!r}.",
                got=weights,
            )
        else:
            listed = list(weights)
        if len(listed) % 2 == 0:
            raise ParameterError(
                "staircase_even",
                "Staircase: weights must have odd length, the middle one being offset 0, got {got} weights.",
                got=len(listed),
            )
        read = [fraction(weight, "Staircase", "weights") for weight in listed]
        if min(read) < 0 or sum(read) == 0:
            raise ParameterError(
                "staircase_weights", "Staircase: weights must be non-negative and not all 0, got {got}.", got=listed
            )
        self.weights = read

    @classmethod
    def rounded(cls, noise: Uniform, method: str = "nearest") -> Staircase:
        """The staircase that comes of drawing continuous uniform noise and rounding it ("nearest" or "down").

        >>> import deniable as dn
        >>> dn.Staircase.rounded(dn.Uniform(5)).parameters()["weights"][-2:]     # 4 is twice as likely as 5
        [0.1, 0.05]
        """
        if not isinstance(noise, Uniform) or method not in ("nearest", "down"):
            raise ParameterError(
                "rounding",
                "Staircase.rounded takes Uniform noise and method 'nearest' or 'down', got {noise!r} and {method!r}.",
                noise=noise,
                method=method,
            )
        a = noise.half_width
        half = math.ceil(a)
        begin = Fraction(-1, 2) if method == "nearest" else Fraction(0)

        def share(low: Fraction) -> Fraction:
            return max(Fraction(0), min(low + 1, a) - max(low, -a)) / (2 * a)

        return cls([share(offset + begin) for offset in range(-half, half + 1)])

    def margin(self, step: Fraction) -> int:
        return len(self.weights) // 2

    def kernel(self, step: Fraction, reach: int) -> tuple[Ints, int]:
        total = sum(self.weights, Fraction(0))
        rows, _ = integer_rows([[weight / total for weight in self.weights]])
        return rows[0], -self.margin(step)

    def parameters(self) -> dict[str, Any]:
        return {"weights": [written(weight) for weight in self.weights]}


__all__ = ["Laplace", "Noise", "Normal", "Staircase", "Uniform"]
