"""Unbiased weights behind noise in closed form, and the expectations of piecewise linear ones: no dense matrix, however fine the grid."""

from __future__ import annotations

import numpy as np

from deniable.core.channels.shift import Shift
from deniable.core.domains.exact import Floats, Ints

STRAIGHT = 1e-9
"""How far a function may be from a parabola, relative to its largest value, and still be taken for one."""


def closed_form(law: Shift, f: Floats) -> Floats | None:
    """Weights that would be unbiased if no noise were stopped at the ends (parabolas), or whatever is stopped (Laplace noise).

    What little is missing (noise that is stopped, or weights that were rounded) shows in `law.pull(weights) - f`.

    >>> import deniable as dn
    >>> law = dn.Additive(dn.Integer(0, 1000), dn.Laplace(10)).law
    >>> steps = (np.arange(1001) < 300).astype(float)
    >>> bool(np.abs(law.pull(closed_form(law, steps)) - steps).max() < 1e-4)
    True
    """
    a = _geometric(law)
    if a is not None and not (parabola(f) is not None and law.margin):
        # The inverse of two-sided geometric noise looks at neighbours only; at the ends, where all beyond is collected, at one.
        padded = np.pad(f, law.margin, mode="edge")
        step = np.diff(padded)
        w = padded.copy()
        w[1:-1] -= a / (1 - a) ** 2 * np.diff(step)
        w[0] -= a / (1 - a) * step[0]
        w[-1] += a / (1 - a) * step[-1]
        return w
    coefficients = parabola(f)
    if coefficients is None:
        return None
    kernel = law.kernel / law.denominator
    offsets = np.arange(len(kernel)) + law.lowest
    mean = float(kernel @ offsets)
    variance = float(kernel @ (offsets - mean) ** 2)
    constant, slope, square = coefficients
    z = np.arange(law.outputs) - law.margin - mean
    weights: Floats = constant + slope * z + square * (z**2 - variance)
    return weights


def parabola(f: Floats) -> tuple[float, float, float] | None:
    """constant + slope x + square x^2, if f is that at x = 0, 1, 2, ..."""
    if len(f) < 4:
        return None
    x = np.arange(len(f))
    last = len(f) - 1
    # Through the ends and the middle: differences of neighbours would magnify rounding.
    middle = last // 2
    square = ((f[last] - f[0]) / last - (f[middle] - f[0]) / middle) / (last - middle)
    slope = (f[last] - f[0]) / last - square * last
    if np.abs(f[0] + slope * x + square * x**2 - f).max() > STRAIGHT * max(1e-300, float(np.abs(f).max())):
        return None
    return float(f[0]), float(slope), float(square)


def _geometric(law: Shift) -> float | None:
    """The ratio of successive weights if the noise is two-sided geometric (Laplace noise on a grid), up to rounding."""
    centre = -law.lowest
    if not 0 < centre < len(law.kernel) - 2:
        return None
    side = law.kernel[centre:-1].astype(np.float64)
    # Far enough out the ratio is told precisely, while rounding is still small there.
    far = 1 + int(np.searchsorted(-side[1:], -max(0.3 * side[1], 1e4)))
    if not 2 < far < len(side) or side[2] >= side[1]:
        return None
    a = float((side[far] / side[1]) ** (1 / (far - 1)))
    shape = side[1] * a ** np.arange(-1.0, far)
    # The centre takes what rounding left over.
    if (np.abs(side[1 : far + 1] - shape[1:]) > 8 + 1e-9 * side[1]).any() or abs(side[0] / shape[0] - 1) > 1e-3:
        return None
    return a


def hat_expectations(law: Shift, truths: Ints, nodes: Ints) -> Floats:
    """E[hat_j(report) | truth] for the hats that interpolate between nodes (reported codes, from the first to the last): one row per truth.

    Rows sum to 1; where every code is a node this is the channel's matrix.
    """
    # E[(t - report)+] = S(t - truth) - S(-truth), S(u) being the twice summed kernel: stopping at 0 takes S(-truth) away.
    landing = np.zeros(law.inputs + law.outputs + 1)
    place = np.arange(len(law.kernel)) + law.lowest + law.margin + law.inputs
    np.add.at(landing, np.clip(place, 0, len(landing) - 1), law.kernel / law.denominator)
    below = np.cumsum(landing)
    # What landed before the first place counts from there on; its distance is lost, and only differences are used.
    twice = np.concatenate([[0.0], np.cumsum(below)])
    put = twice[nodes[None, :] - truths[:, None] + law.inputs]
    falls = np.diff(put, axis=1) / np.diff(nodes)
    ones, nothing = np.ones((len(truths), 1)), np.zeros((len(truths), 1))
    return np.maximum(np.diff(np.hstack([nothing, falls, ones]), axis=1), 0.0)
