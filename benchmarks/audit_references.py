"""What other methods say of the same reports: the yardsticks of the audit's root mean square errors, and the best affine interval."""

from __future__ import annotations

import math
from functools import cached_property
from statistics import NormalDist

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from benchmarks.audit_cases import Array, Case, Tables
from benchmarks.audit_questions import Asked, Question

REFERENCES = ("reports alone", "unbiased", "likelihood", "method em")
MOST_CELLS = 101
STEPS = 150


class References:
    """Estimates of all questions by reports alone, by unbiased weights and by maximum likelihood of the table of x by g."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.case: Case = asked.case
        self.dense = len(self.case.numbers) <= MOST_CELLS

    @cached_property
    def _other(self) -> tuple[Array, Array]:
        return self.case.schema["g"].matrix(), self.case.schema["y"].matrix()

    @cached_property
    def _unbiased(self) -> tuple[Array, Array, Array]:
        """Weights of reports with the least variance if all truths were equally frequent: P w = f."""
        found = []
        functions = (self.asked.true, self.asked.of_g, self.asked.of_y)
        for P, f in zip((self.case.channel.matrix(), *self._other), functions, strict=True):
            root = np.sqrt(P.mean(axis=0))
            found.append(np.linalg.lstsq(P / root, f, rcond=1e-12)[0] / root[:, None])
        return found[0], found[1], found[2]

    @cached_property
    def _cells(self) -> tuple[Array, Array, Array]:
        """Cells of true values and of reports, none wider than a hundredth of the range, and P between them."""
        case, k = self.case, len(self.case.numbers)
        if self.dense:
            return np.arange(k), np.arange(len(case.reported)), case.channel.matrix()
        true = np.arange(k) * MOST_CELLS // k
        reported = np.clip(np.searchsorted(case.numbers, case.reported), 0, k - 1) * MOST_CELLS // k
        rows = []
        for cell in range(MOST_CELLS):
            inside = (true == cell) / (true == cell).sum()
            rows.append(np.bincount(reported, weights=case.channel.push(inside), minlength=MOST_CELLS))
        return true, reported, np.array(rows)

    def reports_alone(self, question: Question, reports: Tables, n: int) -> Array:
        """The statistic as if reports were true."""
        found = question.from_means(self.asked.means(reports, self.asked.face_value), self.asked, n)
        return np.array([self.asked.median(reports.x, self.case.reported)]) if found is None else found

    def unbiased(self, question: Question, reports: Tables, n: int) -> Array | None:
        """The statistic from means of weights; wide domains and the quantile have none here."""
        if not self.dense or question.value is None:
            return None
        return question.from_means(self.asked.means(reports, *self._unbiased), self.asked, n)

    def likely_table(self, reports: Tables) -> Tables:
        """The likeliest shares of x by g after so many steps of EM, two at a leap (SQUAREM), from even shares."""
        true, reported, P = self._cells
        seen = np.zeros((P.shape[1], 2))
        np.add.at(seen, reported, reports.xg)
        G = self._other[0]

        def step(p: Array) -> Array:
            told = P.T @ p @ G
            return p * (P @ np.divide(seen, told, out=np.zeros_like(seen), where=seen > 0) @ G.T)

        def likelihood(p: Array) -> float:
            return float((seen[seen > 0] * np.log((P.T @ p @ G)[seen > 0])).sum())

        p = np.full((P.shape[0], 2), 1 / (2 * P.shape[0]))
        for _ in range(STEPS):
            one = step(p)
            two = step(one)
            r, v = one - p, two - 2 * one + p
            leap = max(1.0, math.sqrt((r**2).sum() / max((v**2).sum(), 1e-300)))
            far = np.maximum(p + 2 * leap * r + leap**2 * v, 1e-3 * two)
            far = step(far / far.sum())
            # A leap too far would have to be made good for many steps.
            p = far if likelihood(far) >= likelihood(two) else two
        members = np.bincount(true)
        return Tables((p / members[:, None])[true], np.zeros((len(true), self.asked.of_y.shape[0])))

    def likelihood(self, question: Question, table: Tables, n: int) -> Array | None:
        """The statistic of the likeliest table."""
        if not question.has_likelihood:
            return None
        return question.truth(table, self.asked, n)


def critical_value(ratio: float, level: float = 0.95) -> float:
    """How many standard errors hold an error whose bias is up to `ratio` standard errors."""
    normal = NormalDist()
    covers = lambda c: normal.cdf(c - ratio) - normal.cdf(-c - ratio) - level  # noqa: E731
    return float(brentq(covers, 0.0, ratio + 10.0))


def best_affine_half_width(P: Array, q: Array, f: Array, n: int, cell: Array, most: float) -> float:
    """The least half width of a 95% interval around the mean of weights of reports, for truths whose cells hold at most `most` each.

    `q` is the law of reports at which the standard error is judged, `cell` the cell of every true value. The largest bias B(w) is half of
    what max p.r and max -p.r are together, r = P w - f. The least standard error under B(w) <= b is a convex programme; b is searched for
    over all that is worth while: on a grid, then around its best.
    """
    import cvxpy as cp

    size = float(np.ptp(f)) or 1.0
    seen = q > 1e-12
    root = np.sqrt(np.where(seen, q, 1.0))
    u, bound = cp.Variable(P.shape[1]), cp.Parameter(nonneg=True)
    r = (P / root) @ u - f / size
    cells = int(cell.max()) + 1
    join = np.zeros((len(cell), cells))
    join[np.arange(len(cell)), cell] = 1.0
    largest = []
    for sign in (1, -1):
        top, tau = cp.Variable(cells), cp.Variable()
        largest.append((tau + most * cp.sum(cp.pos(top - tau)), join @ top >= sign * r))
    bias = (largest[0][0] + largest[1][0]) / 2
    problem = cp.Problem(cp.Minimize(cp.norm(u[np.flatnonzero(seen)])), [bias <= bound, largest[0][1], largest[1][1]])

    def half_width(b: float) -> float:
        bound.value = b
        try:
            problem.solve(solver=cp.CLARABEL)
        except cp.SolverError:
            return math.inf
        if problem.status not in ("optimal", "optimal_inaccurate"):
            return math.inf
        se = max(float(problem.value), 1e-12) / math.sqrt(n)
        return size * se * critical_value(b / se)

    powers = np.linspace(-5.0, math.log10(0.5), 11)
    widths = [half_width(10**power) for power in powers]
    best = int(np.argmin(widths))
    around = (powers[max(best - 1, 0)], powers[min(best + 1, len(powers) - 1)])
    found = minimize_scalar(lambda power: half_width(10**power), bounds=around, method="bounded", options={"maxiter": 8})
    return float(min(found.fun, widths[best]))
