"""How much each attribute counts in naive Bayes: less where others say the same again.

Naive Bayes adds up what the attributes say about the class, e_i = log P(cell | class), as if none repeated another. Where they do
within the classes, the sum counts that twice. Linear discriminant analysis of the e_i has the remedy: with their spreads s_i and
correlations R within the classes the weights w solve R (s w) = s, and are 1 where nothing is correlated.

R is estimated from pairs of reports, undone by the channels; behind strong channels that is mostly noise. So most pairs are taken
to be uncorrelated beforehand (an attribute has half a partner on average), and the evidence of each pair decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PARTNERS = 0.5
"""Before the data is seen: how many others an attribute repeats, on average."""

SIZE = 0.5
"""Before the data is seen: the standard deviation of a correlation where there is one."""

LEAST_EIGENVALUE = 0.5
"""Of the correlations: however much is repeated, no direction counts more than double."""

MOST_ROWS = 100_000
MOST_NUMBERS = 20_000_000
"""So many rows (evenly spread), and numbers of them, are enough to see what is repeated."""


def contrasts(logs: Any) -> Any:
    """What each cell says about the classes, [cell, contrast], from log P(cell | class), [class, cell].

    The contrasts are orthonormal and leave out what is the same for all classes.

    >>> abs(contrasts(np.log([[0.5, 0.2], [0.5, 0.8]]))).round(3).tolist()  # log(0.5 / 0.2) and log(0.8 / 0.5), over the root of 2
    [[0.0], [0.98]]
    """
    classes = len(logs)
    basis = np.linalg.qr(np.column_stack([np.ones(classes), np.eye(classes)[:, 1:]]))[0][:, 1:]
    return np.asarray(logs).T @ basis


def variance(shares: Any, said: Any, prior: Any) -> float:
    """How much what an attribute says varies within the classes, by its distributions, [class, cell]."""
    return float(prior @ (shares @ said**2 - (shares @ said) ** 2).sum(axis=1))


def likely_correlations(estimated: Any, error: Any, chance: float) -> Any:
    """Posterior means of correlations from estimates of them, each with variance `error`, if only a share `chance` of them is not 0.

    >>> likely_correlations(np.array([0.2, 0.8]), np.array([0.02, 0.02]), 0.05).round(2).tolist()
    [0.01, 0.74]
    """
    error = np.maximum(error, 1e-12)
    evidence = 0.5 * estimated**2 * (1 / error - 1 / (error + SIZE**2)) - 0.5 * np.log1p(SIZE**2 / error)
    there = 1 / (1 + np.exp(-np.clip(evidence + np.log(chance / (1 - chance)), -500, 500)))
    return there * estimated * SIZE**2 / (SIZE**2 + error)


def weights(said: list[Any], variances: Any, cells: Any, classes: Any, counted: Any = None) -> Any:
    """One weight per attribute: lower where others say the same again.

    Parameters
    ----------
    said : for each attribute what each of its reports says, [report, contrast]: an unbiased estimate of what the truth says. None: the
        attribute counts fully.
    variances : how much what each says varies within the classes.
    cells : the reported cells, [row, attribute].
    classes : the class of each row.
    counted : how much each row counts; None: once.

    Returns
    -------
    array
        One weight per attribute.

    Examples
    --------
    The third of these attributes is a copy of the second:

    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 5_000)
    >>> x = (rng.random((5_000, 2)) < 0.3 + 0.4 * y[:, None]).astype(int)[:, [0, 1, 1]]
    >>> one = contrasts(np.log([[0.7, 0.3], [0.3, 0.7]]))
    >>> spread = variance(np.array([[0.7, 0.3], [0.3, 0.7]]), one, np.array([0.5, 0.5]))
    >>> weights([one] * 3, np.full(3, spread), x, y).round(1).tolist()
    [1.0, 0.5, 0.5]
    """
    counted_as = np.ones(len(said))
    variances = np.asarray(variances, dtype=np.float64)
    places = [i for i, each in enumerate(said) if each is not None and variances[i] > 1e-9]
    if len(places) < 2:
        return counted_as
    size = said[places[0]].shape[1]
    rows = max(2, min(MOST_ROWS, MOST_NUMBERS // (len(places) * size)))
    step = -(-len(cells) // rows)
    cells, classes = cells[::step], classes[::step]
    counted = np.ones(len(cells)) if counted is None else counted[::step]
    n = counted.sum()
    values = np.concatenate([said[i][cells[:, i]] for i in places], axis=1)
    for label in np.unique(classes[counted > 0]):
        members = classes == label
        values[members] -= np.average(values[members], axis=0, weights=counted[members])
    between = ((values * counted[:, None]).T @ values / n).reshape(len(places), size, len(places), size)
    within = np.einsum("icid->icd", between)
    scale = np.sqrt(variances[places])
    both = np.outer(scale, scale)
    # If a pair is not correlated, the variance of its mean product is the trace of the product of their covariances, over n.
    error = np.einsum("icd,jdc->ij", within, within) / n / both**2
    chance = min(0.5, PARTNERS / (len(places) - 1))
    correlations = np.clip(likely_correlations(np.einsum("icjc->ij", between) / both, error, chance), -1, 1)
    np.fill_diagonal(correlations, 1)
    values, vectors = np.linalg.eigh(correlations)
    solved = vectors @ ((vectors.T @ scale) / np.maximum(values, LEAST_EIGENVALUE))
    counted_as[places] = np.maximum(solved / scale, 0)
    return counted_as
