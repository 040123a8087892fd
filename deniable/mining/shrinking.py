"""Supports from reports and from subsets together: each unbiased estimate is drawn toward what its subsets let one expect.

At high privacy the unbiased estimate of a long itemset is mostly noise, of known size, while its subsets are known far better and
nearly determine it. So, level by level (a small-area model in the manner of Fay and Herriot, fitted to all candidates of the level):

    expected = b1 * (support if any two items were independent given the others) + b2 * (support of the rarest subset)
    support  = expected + g * (unbiased - expected),      g = 1 - noise / spread

`noise` is the randomisation's part of the variance of the unbiased estimate, less what it shares with the expectation (both come from
the same reports); `spread` is the variance of their difference as seen over the level: c * expected^2 + f * variance. Where nothing
was distorted there is no noise, g = 1, and the support is the counted one. docs/mining.md has what else was tried, and the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.mining.choices import Choice
from deniable.mining.counting import Sums
from deniable.mining.levels import Level

MOST_FITTED = 1 << 16
"""Candidates that the four coefficients of a level are fitted to; more would not change them."""
FEW = 30
"""With fewer candidates the coefficients of the level below are kept."""
PRIOR_SPREAD = 0.5
"""How far b1 and b2 are expected from 1 and 0 (standard deviation)."""
TINY = 1e-14
NOT_ASKED = 1, 0.0, 0.0, False
"""What `kernels.support_scores.shrunk_columns` is asked of no itemsets."""
MULTIPLES = (0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)
SHARES = (0.35, 0.40, 0.18, 0.05, 0.015, 0.005)


class Fit(NamedTuple):
    """The coefficients of one level."""

    independent: float = 1.0
    rarest: float = 0.0
    spread_expected: float = 1.0
    spread_noise: float = 1.0
    untold: float = 1.0  # how small a spread, relative to the squared expectation, the level could not have told from none


@dataclass
class _Known:
    """What the level above needs of the itemsets found: supports, their noise, the rows of their subsets, their errors."""

    support: Floats
    noise: Floats
    parents: Any
    error: Floats


class Shrunk(Choice):
    """Chooses the frequent candidates of level after level by their shrunk supports."""

    looks_at_levels = True

    def __init__(
        self, rows: int, limit: float, biased: Any = None, asked: tuple[int, float, float, bool] | None = None
    ) -> None:
        """`biased` says whose weights are; `asked` is as in `kernels.support_scores.support_columns`, None if nobody asks for columns."""
        self._rows, self._limit, self._asked = rows, limit, asked
        self._biased = biased if biased is not None and biased.any() else None
        # Of the empty set, which everybody has; rows as in `kernels.expected.known_subsets`.
        self._below: Any = np.array([[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]])
        self._fit = Fit()
        self._new: list[_Known] = []
        self._looked_at: tuple[Any, Any, Any] | None = None

    def fit(self, itemsets: Any, parents: Any, sums: Sums) -> None:
        """Fit the coefficients to candidates of the level that begins."""
        if parents.shape[1] == 1 or len(parents) < FEW:
            return
        own, expected = self._both(itemsets, parents, sums)
        step = -(-len(parents) // MOST_FITTED)
        own, expected = own[:, ::step], expected[:, ::step]
        if own[1].any():
            self._fit = fitted(*own, *expected[:3])

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, Floats]:
        """(which are frequent, their supports, the standard deviations of these) for some candidates of the level.

        Supports and deviations of others say no more than that these are not frequent.
        """
        from deniable.kernels.expected import chosen_supports, without_noise

        own, expected = self._both(itemsets, parents, sums)
        self._looked_at = None
        if parents.shape[1] == 1 or not own[1].any():
            reached, support, error, noise = without_noise(own, expected, self._limit)
        else:
            reached, support, error, noise = chosen_supports(
                own, expected, tuple(self._fit), self._limit, np.array(MULTIPLES), np.array(SHARES)
            )
        frequent = reached > 0
        self._new.append(_Known(support[frequent], noise[frequent], parents[frequent], error[frequent]))
        return frequent, support, error

    def finish(self) -> None:
        """The level is complete: it is the one below from now on."""
        from deniable.kernels.expected import known_subsets

        new, self._new = self._new, []
        support, noise, parents, error = (
            np.concatenate([getattr(part, name) for part in new]) for name in ("support", "noise", "parents", "error")
        )
        self._below = known_subsets(support, noise, error, parents, self._below)

    def in_one_call(self, level: Level, with_columns: bool) -> tuple[Any, tuple[Any, ...]] | None:
        """As in `Choice`; items whose weights are biased are left to the caller."""
        from deniable.kernels.next_level import shrunk_level_above

        if self._biased is not None:
            return None
        asked = FEW, MOST_FITTED, PRIOR_SPREAD**-2, np.array(MULTIPLES), np.array(SHARES)
        known: Any = level.sums.total, level.sums.second, level.support, level.error
        told = known if with_columns and self._asked is not None else tuple(each[:0] for each in known)
        below = told[:2], told[2:], self._asked or NOT_ASKED
        return shrunk_level_above, (float(self._rows), self._limit, (self._below, tuple(self._fit)), asked, below)

    def made(self, told: Any) -> tuple[Floats, Floats]:
        """As in `Choice`."""
        support, error, self._below, fit = told
        self._fit = Fit(*fit)
        return support, error

    def columns(self, level: Level) -> Any:
        """As in `Choice`."""
        from deniable.kernels.support_scores import shrunk_columns

        if self._asked is None or self._biased is not None:
            return None
        return shrunk_columns((level.sums.total, level.sums.second), (level.support, level.error), self._asked)

    def _both(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Any]:
        """What candidates' own reports tell, and what their subsets let one expect; candidates are looked at twice, one after the other."""
        from deniable.kernels.expected import expectations, own_estimates

        if self._looked_at is None or self._looked_at[0] is not parents:
            less = sums.total
            if self._biased is not None:
                # Where weights are biased the most that the randomisation can give: the whole variance.
                less = np.where(self._biased[itemsets].any(axis=1), sums.total**2 / self._rows, sums.total)
            own = own_estimates(sums.total, sums.second, less, float(self._rows))
            self._looked_at = parents, own, expectations(parents, self._below)
        return self._looked_at[1:]


def heavy_tailed(off: Floats, spread: Floats, variance: Floats, noise: Floats, share: float) -> tuple[Floats, Floats]:
    """(weight of the unbiased estimate, error of the result) if most itemsets are as expected and a few are far from it.

    The spread is one of several multiples of the level's, with `SHARES` as prior probabilities: one that is many spreads off its
    expectation is taken for one of the few, and believed.

    Parameters
    ----------
    off
        Unbiased supports less expected ones.
    spread
        The level's variance of true supports around expected ones.
    variance, noise
        The variances of the unbiased supports, and the part of them that is not shared with the expectation.
    share
        How much of the variance the level was seen to have.
    """
    from deniable.kernels.expected import believed

    both: tuple[Floats, Floats] = believed(off, spread, variance, noise, share, np.array(MULTIPLES), np.array(SHARES))
    return both


def fitted(support: Floats, variance: Floats, independent: Floats, least: Floats, shared: Floats) -> Fit:
    """The coefficients that explain the unbiased supports of a level: weighted least squares with a weak prior, then moments.

    Parameters
    ----------
    support, variance
        The unbiased supports of a level and their variances.
    independent, least
        The supports if any two items were independent given the others, and those of the rarest subset.
    shared
        How much of the variance an expectation shares with the unbiased support, relative to the squared expectation.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> independent = rng.uniform(0.05, 0.2, 5_000)
    >>> truth = 1.1 * independent * (1 + 0.1 * rng.standard_normal(5_000))
    >>> noise = np.full(5_000, 0.03**2)
    >>> fit = fitted(truth + 0.03 * rng.standard_normal(5_000), noise, independent, np.full(5_000, 0.5), np.zeros(5_000))
    >>> round(fit.independent, 1), abs(fit.rarest) < 0.02, round(fit.spread_noise, 1)
    (1.1, True, 1.0)
    """
    from deniable.kernels.level_fit import fit_level

    own, expected = np.stack([support, variance]), np.stack([independent, least, shared])
    return Fit(*fit_level(own, expected, PRIOR_SPREAD**-2))
