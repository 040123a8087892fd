"""Distributions of true cells from counts of reported cells, one small vector at a time, and cells for rows that follow them."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled
from deniable.kernels.ordering import ascending

COPY, EQ, EARLY, CONVERGED, FILLED = 0, 1, 2, 3, 4
TOLERANCE = 1e-7
MAX_STEPS = 2_000


@compiled()
def projected(shares: Any) -> Any:
    """The nearest point of the simplex: subtract one number, cut at 0."""
    k = shares.size
    order = ascending(shares)
    running, excess = 0.0, 0.0
    for i in range(k):
        highest = shares[order[k - 1 - i]]
        running += highest
        level = (running - 1.0) / (i + 1)
        if highest > level:
            excess = level
    out = np.empty(k)
    for x in range(k):
        out[x] = max(shares[x] - excess, 0.0)
    return out


@compiled()
def filled(keep: float, replacement: Any, counts: Any) -> Any:
    """Maximum likelihood behind keep-or-replace: c_z / level - b_z, cut at 0, for the level that makes them sum to keep."""
    k = counts.size
    ratio = np.empty(k)
    for z in range(k):
        ratio[z] = 0.0 if counts[z] <= 0 else (-np.inf if replacement[z] <= 0 else -counts[z] / replacement[z])
    order = ascending(ratio)
    above, below, level = 0.0, keep, 0.0
    for i in range(k):
        z = order[i]
        above += counts[z]
        below += replacement[z]
        if counts[z] > above / below * replacement[z]:
            level = above / below
    shares, total = np.empty(k), 0.0
    for z in range(k):
        shares[z] = max(counts[z] / level - replacement[z], 0.0)
        total += shares[z]
    for z in range(k):
        shares[z] /= total
    return shares


@compiled()
def reconstructed(counts: Any, matrix: Any, inverse: Any, how: int, limit: float, keep: float, replacement: Any) -> Any:
    """Estimated counts of the true cells behind counts of reported ones: EQ projected, EM stopped early or converged."""
    cells, reports = matrix.shape
    n = counts.sum()
    if n <= 0:
        return np.zeros(cells)
    if how == COPY:
        return counts.copy()
    if how == EQ:
        shares = np.zeros(cells)
        for z in range(reports):
            if counts[z] > 0:
                for x in range(cells):
                    shares[x] += inverse[z, x] * counts[z] / n
        return n * projected(shares)
    if how == FILLED:
        return n * filled(keep, replacement, counts)
    shares = np.full(cells, 1.0 / cells)
    for _ in range(MAX_STEPS):
        following = np.zeros(cells)
        for z in range(reports):
            if counts[z] > 0:
                expected = 0.0
                for x in range(cells):
                    expected += matrix[x, z] * shares[x]
                if expected > 0:
                    part = counts[z] / expected
                    for x in range(cells):
                        following[x] += part * matrix[x, z] * shares[x]
        following = following / following.sum()
        change = 0.0
        for x in range(cells):
            difference = following[x] - shares[x]
            if how == EARLY:
                both = following[x] + shares[x]
                if both > 0:
                    change += n * difference * difference / both
            else:
                change = max(change, abs(difference))
        shares = following
        if change < (limit if how == EARLY else TOLERANCE):
            break
    return n * shares


@compiled()
def whole(estimated: Any, n: int) -> Any:
    """Whole numbers that sum to n and follow the estimate: largest remainder, ties to the lowest cell."""
    total = estimated.sum()
    k = estimated.size
    counts = np.zeros(k, np.int64)
    rest = np.empty(k)
    left = n
    for x in range(k):
        exact = estimated[x] / total * n
        counts[x] = int(np.floor(exact + 1e-9))
        rest[x] = exact - counts[x]
        left -= counts[x]
    while left > 0:
        best = 0
        for x in range(1, k):
            if rest[x] > rest[best] + 1e-12:
                best = x
        counts[best] += 1
        rest[best] = -1.0
        left -= 1
    return counts


@compiled()
def _wanted(estimated: Any, weights: Any) -> Any:
    """How much of the rows each cell is to get: whole numbers where every row counts once."""
    for i in range(weights.size):
        if weights[i] != 1.0:
            return estimated / estimated.sum() * weights.sum()
    return whole(estimated, weights.size).astype(np.float64)


@compiled()
def assigned_labels(codes: Any, weights: Any, estimated: Any, matrix: Any, passes: Any, tested: bool) -> Any:
    """ARVeSNA (thesis 3.7.2): rows of a cell reported too often get, in order, the missing cell likeliest to be reported so.

    With a test, missing cells on the same side come first if answers are kept with more than 1/2, on the other side if with less.
    Where reports have other labels than truths, every report is one too many. A row counts `weights` times, and moves as a whole if
    at least half of it has to.
    """
    cells, reports = matrix.shape
    n = codes.size
    missing = _wanted(estimated, weights)
    out = np.empty(n, np.int64)
    same = cells == reports
    excess = np.zeros(reports)
    for i in range(n):
        excess[codes[i]] += weights[i]
    kept = 0.0
    if same:
        for x in range(cells):
            both = min(excess[x], missing[x])
            excess[x] -= both
            missing[x] -= both
            kept += matrix[x, x]
    same_side_first = kept > 0.5 * cells
    tiny = 1e-9 * weights.sum()
    # The first rows of a cell move, as published; `moving` says how much of them still has to.
    for z in range(reports):
        row, moving, last = 0, 0.0, z
        while excess[z] > tiny:
            best, best_preferred = -1, False
            for x in range(cells):
                if missing[x] > tiny:
                    preferred = tested and same and (passes[x] == passes[z]) == same_side_first
                    if (
                        best < 0
                        or (preferred and not best_preferred)
                        or (preferred == best_preferred and matrix[x, z] > matrix[best, z] + 1e-15)
                    ):
                        best, best_preferred = x, preferred
            if best < 0:
                break
            moved = min(excess[z], missing[best])
            excess[z] -= moved
            missing[best] -= moved
            moving += moved
            last = best
            while row < n and (codes[row] != z or weights[row] <= 2 * moving):
                if codes[row] == z:
                    out[row] = best
                    moving -= weights[row]
                row += 1
        if not same and last == z:
            last = int(np.argmax(matrix[:, z]))
        while row < n:
            if codes[row] == z:
                out[row] = z if same else last
            row += 1
    return out


@compiled()
def assigned_sorted(ranks: Any, weights: Any, estimated: Any) -> Any:
    """The lowest reports get the first cell, as much of them as was estimated in it, and so on; a row goes where its middle falls."""
    n = ranks.size
    wanted = _wanted(estimated, weights)
    out = np.empty(n, np.int64)
    order = ascending(ranks.astype(np.float64))
    cell, end, before = 0, wanted[0], 0.0
    for i in range(n):
        row = order[i]
        while cell < wanted.size - 1 and before + 0.5 * weights[row] > end:
            cell += 1
            end += wanted[cell]
        out[row] = cell
        before += weights[row]
    return out
