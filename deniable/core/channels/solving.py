"""Solving P w = f: weights on reports whose expectation, given the truth, is f."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import NotInvertibleError

DENSE_LIMIT = 2_000
"""Up to this many true labels a dense matrix may be built (2,000 squared numbers are 32 MB)."""

SMALL = 128
TOLERANCE = 1e-8


def solve_dense(matrix: Floats, f: Floats, reported: Floats) -> Floats:
    """w with P w = f; among many, the one with the least variance under the distribution `reported`.

    >>> solve_dense(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([0.0, 1.0]), np.array([0.5, 0.5])).round(6).tolist()
    [-0.333333, 1.333333]
    """
    inputs, outputs = matrix.shape
    w = _solve_square(matrix, f) if inputs == outputs else None
    if w is None:
        # Minimising sum reported * w^2 is the minimum-norm solution in the scaled unknown sqrt(reported) * w.
        possible = reported > 0
        scale = np.sqrt(reported[possible])
        inner = np.linalg.lstsq(matrix[:, possible] / scale, f)[0]
        w = np.zeros((outputs, *np.shape(f)[1:]))
        w[possible] = (inner.T / scale).T
    if not np.isfinite(w).all() or np.abs(matrix @ w - f).max() > TOLERANCE * max(1.0, float(np.abs(f).max())):
        raise _not_determined(matrix)
    return w


def _solve_square(matrix: Floats, f: Floats) -> Floats | None:
    """The one solution, or None where the matrix is singular to rounding and there may be none or many."""
    if len(matrix) <= SMALL:
        return _solve_small(matrix, f)
    from scipy.linalg import lapack

    factors, pivots, singular = lapack.dgetrf(matrix)
    if singular or lapack.dgecon(factors, np.abs(matrix).sum(axis=0).max())[0] < np.finfo(np.float64).eps:
        return None
    w: Floats = lapack.dgetrs(factors, pivots, f)[0]
    return w


def _solve_small(matrix: Floats, f: Floats) -> Floats | None:
    """The same by numpy, which has no estimate of the condition; its exact value is affordable, and scipy slow to load."""
    try:
        if 1 / np.linalg.cond(matrix, 1) < np.finfo(np.float64).eps:
            return None
        w: Floats = np.asarray(np.linalg.solve(matrix, f), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return w


def _not_determined(matrix: Floats) -> NotInvertibleError:
    """Name the two true values that the reports cannot tell apart, if two rows coincide."""
    order = np.lexsort(matrix.T)
    twins = np.flatnonzero(np.abs(np.diff(matrix[order], axis=0)).max(axis=1) < 1e-12)
    if twins.size:
        first, second = sorted((int(order[twins[0]]), int(order[twins[0] + 1])))
        return NotInvertibleError(
            "rows_coincide",
            "The reports do not determine this: true values number {first} and {second} (counted from 0) are reported with the "
            "same probabilities, so nothing can tell them apart. Merge them or change the channel.",
            first=first,
            second=second,
        )
    rank = int(np.linalg.matrix_rank(matrix))
    if rank == matrix.shape[0]:
        return NotInvertibleError(
            "ill_conditioned",
            "The reports hardly determine this: undoing the channel magnifies errors {condition:.0e} times. "
            "Use wider bins or another channel.",
            condition=float(np.linalg.cond(matrix)),
        )
    return NotInvertibleError(
        "singular",
        "The reports do not determine this: the channel's matrix has rank {rank} for {k} true values. Use wider bins or another channel.",
        rank=rank,
        k=matrix.shape[0],
    )


def solve_operator(
    pull: Callable[[Floats], Floats], push: Callable[[Floats], Floats], inputs: int, outputs: int, f: Floats
) -> Floats:
    """The same for a wide domain, by a Krylov method on push and pull alone; refused when it does not get there."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    if np.ndim(f) != 1:
        raise _wide(inputs)
    operator = LinearOperator((inputs, outputs), matvec=pull, rmatvec=push, dtype=np.float64)
    w: Floats = lsmr(operator, f, atol=1e-13, btol=1e-13, conlim=0, maxiter=2_000)[0]
    if np.abs(pull(w) - f).max() > TOLERANCE * max(1.0, float(np.abs(f).max())):
        raise _wide(inputs)
    return w


def _wide(inputs: int) -> NotInvertibleError:
    return NotInvertibleError(
        "wide_domain",
        "Unbiased weights for this question over {inputs:,} true values are not to be had: on so fine a grid the noise cannot be "
        "undone. Ask for bins, for a mean, or use a coarser step.",
        inputs=inputs,
    )
