"""`dn.reconstruct`: the one way from counts of reports back to the distribution of truths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.channels.views import View
from deniable.core.channels.windows import only_means
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.core.intervals import Moments, ScoreInterval
from deniable.core.simplex import to_simplex
from deniable.core.tables import CellTable, view_of
from deniable.errors import DataError, NotInvertibleError, ParameterError
from deniable.reconstruction.agrawal_srikant import early_stopped, midpoint_law
from deniable.reconstruction.assign import target_counts
from deniable.reconstruction.em import em
from deniable.reconstruction.inversion import covariance, eq
from deniable.reconstruction.misfit import misfit
from deniable.reconstruction.smooth import COARSE_CELLS, FINE_CELLS, Cells, smooth_each

METHODS = ("em", "eq", "em/as", "as")
UNIFORM_INSIDE = "truths were taken as uniform inside each bin, which biases it; a lumpable channel or no bins would not."
EARLY = "it stops early, which biases it toward the uniform distribution it starts from; its variability band says how much it varies."
SMOOTHED = (
    "undoing noise is ill-posed, so the estimate is smoothed, which biases it; its variability band says how much it varies."
)


def reconstruct(
    counts: Any,
    channel: Channel,
    method: str = "em",
    target: str = "population",
    *,
    negative: str = "raw",
    regularise: bool | None = None,
    stop: str = "estimates",
    truth: Any = None,
    name: str = "",
) -> Estimate:
    """Estimate the distribution of the true answers from counts of reports.

    Parameters
    ----------
    counts : CellTable, array or mapping
        What `dn.counts` gives, an array in the order of `channel.outputs`, or a mapping from label.
    channel : Channel
        How the answers were randomised.
    method : str
        How to estimate:

        - "em": maximum likelihood, inside the simplex
        - "eq": unbiased; may leave [0, 1]
        - "em/as", "as": the iterative algorithms as published, with their stopping rules
    target : str
        What the error bars are about: "population" or "respondents".
    negative : str
        What "eq" does with shares outside [0, 1]: "raw" leaves them, "clip" cuts them off, "project" takes the nearest possible shares.
    regularise : bool, optional
        Whether "em" is smoothed. By default it is under additive or multiplicative noise, where the plain maximum is all spikes.
    stop : str
        When the published algorithms stop: "estimates", "reports" or, with `truth`, "truth".
    truth : array, optional
        The true distribution, for `stop="truth"`.
    name : str
        What the estimate is called; the name of the counted column by default.

    Returns
    -------
    Estimate
        The shares of the true answers, with their error bars where the method has any.

    Examples
    --------
    >>> import deniable as dn
    >>> channel = dn.KRR(dn.Nominal(["a", "b"]), 0.75)
    >>> dn.reconstruct({"a": 60, "b": 40}, channel).value.round(4).tolist()
    [0.7, 0.3]
    """
    if not isinstance(channel, Channel):
        raise ParameterError(
            "not_a_channel",
            "reconstruct takes the channel of one attribute (schema[name]), got {got}.",
            got=type(channel).__name__,
        )
    if method not in METHODS:
        raise ParameterError(
            "method", "reconstruct: method must be one of {allowed}, got {got!r}.", allowed=list(METHODS), got=method
        )
    if channel.tells_means_only:
        raise only_means(name or (counts.axes[0].name if isinstance(counts, CellTable) else ""))
    view = View.values(channel)
    if isinstance(counts, CellTable):
        name = name or counts.axes[0].name
        view = view_of(counts, channel)
    observed = _vector(counts, view)
    widths = view.true.widths
    n_unordered = int(channel.domain.missing is not None)
    noisy = channel.inner.adds_noise
    if method == "em" and (noisy if regularise is None else regularise):
        fit = (
            _finely(view)
            if view.true.bins is not None and not n_unordered
            else lambda c: smooth_each(view.law, c, widths, n_unordered)
        )
        estimate = _biased(view, observed, fit, "em, regularised", SMOOTHED, target, name)
    elif method in ("em/as", "as"):
        law = midpoint_law(view) if method == "as" else view.law

        def stopped(counts: Floats) -> Floats:
            return np.array([early_stopped(law, row, stop, truth, widths).shares for row in counts])

        estimate = _biased(view, observed, stopped, method, EARLY, target, name)
    else:
        estimate = _unbiased(view, observed, method, target, negative, name)
    estimate.assumes = () if channel.assumption is None else (channel.assumption,)
    doubt = misfit(observed, channel, name, view)
    estimate.warnings = () if doubt is None else (doubt,)
    return estimate


def _finely(view: View) -> Callable[[Floats], Floats]:
    """Smooth over finer cells of truths and add them up: inside a wide bin, truths are anything but uniform."""

    def cells(least: int) -> Cells:
        fine = view.finer(least)
        assert fine.true.bins is not None
        assert view.true.bins is not None
        first = np.searchsorted(fine.true.bins.floats[:-1], view.true.bins.floats[:-1] - 1e-12)
        return Cells(fine.law.dense(), fine.true.widths, first.tolist())

    coarse, fine = cells(COARSE_CELLS), cells(FINE_CELLS)
    return lambda c: smooth_each(view.law, c, view.true.widths, coarse=coarse, fine=fine)


def _biased(
    view: View, observed: Floats, fit: Callable[[Floats], Floats], method: str, reason: str, target: str, name: str
) -> Estimate:
    """`fit` gives shares for rows of counts."""
    shares = fit(observed[None])[0]

    n = round(float(observed.sum()))

    def again(rng: np.random.Generator, draws: int) -> Floats:
        if target == "respondents":
            # The people are fixed and only the randomisation is drawn anew.
            people, dense = target_counts(shares, n), view.law.dense()
            simulated = np.array([rng.multinomial(people, dense).sum(axis=0) for _ in range(draws)])
        else:
            expected = view.law.push(shares)
            simulated = rng.multinomial(n, expected / expected.sum(), size=draws)
        return fit(simulated.astype(np.float64))

    return Estimate(shares, view.inputs, n=n, method=method, target=target, name=name, no_interval=reason, resample=again)


def _unbiased(view: View, observed: Floats, method: str, target: str, negative: str, name: str) -> Estimate:
    """EQ and converged EM: both are judged by the unbiased weights, whose errors are known."""
    law, n = view.law, observed.sum()
    fitted = em(law, observed) if method == "em" else None
    shares = fitted.shares if fitted is not None else None
    if fitted is not None and not fitted.converged:
        method = "em, not converged"
    reason = UNIFORM_INSIDE if view.assumes_uniform else None
    if method != "eq" and law.inputs > DENSE_LIMIT:
        reason = f"error bars are computed for at most {DENSE_LIMIT:,} labels; give bins."
        return Estimate(shares, view.inputs, n=round(float(n)), method=method, target=target, name=name, no_interval=reason)
    try:
        centre, weights = eq(law, observed)
    except NotInvertibleError as error:
        if method == "eq":
            raise
        return Estimate(shares, view.inputs, n=round(float(n)), method=method, target=target, name=name, no_interval=str(error))
    raw = centre if shares is None else shares
    # Variances are those at the estimate: at the observed reports for EQ, at the fitted ones for EM.
    spread = observed if method == "eq" else n * law.push(raw)
    return Estimate(
        to_simplex(raw, negative) if method == "eq" else raw,
        view.inputs,
        n=round(float(n)),
        method=f"eq, {negative}" if method == "eq" and negative != "raw" else method,
        target=target,
        covariance=covariance(weights, spread, raw, target),
        ends=ScoreInterval(_moments(law, weights, centre, raw), round(float(n)), target),
        name=name,
        no_interval=reason,
        whole=law.inputs,
    )


def _moments(law: Any, weights: Floats, centre: Floats, shares: Floats) -> Moments:
    """Second moments of every label's weights, given that label and given the others as they are distributed."""
    second = law.dense() @ weights**2
    given = np.diag(second).copy()
    inside = np.maximum(shares, 0.0)
    rest = inside[:, None] * (1 - np.eye(len(inside)))
    # A share of 1 leaves no others to average over; then all others count equally.
    rest = np.where(rest.sum(axis=0) > 0, rest, 1 - np.eye(len(inside)))
    others = (rest * second).sum(axis=0) / np.maximum(rest.sum(axis=0), len(inside) == 1)
    return Moments(centre, given, others)


def _are_counts(series: Any, outputs: int) -> bool:
    """Whether a pandas Series holds counts by label, not the cells of a column."""
    of_rows = type(series.index).__name__ == "RangeIndex" and len(series) != outputs
    return series.dtype.kind in "iuf" and not of_rows


def _vector(counts: Any, view: View) -> Floats:
    outputs = view.law.outputs
    if hasattr(counts, "items") and hasattr(counts, "index") and not isinstance(counts, Mapping):
        if not _are_counts(counts, outputs):
            raise DataError(
                "not_counts",
                "These are {n:,} cells, not how often each label was reported: count them first, "
                "dn.reconstruct(dn.counts(column, channel), channel).",
                n=len(counts),
            )
        # A pandas Series carries its labels; read by position, value_counts() would swap them.
        counts = dict(counts.items())
    if isinstance(counts, Mapping):
        unknown = [label for label in counts if label not in view.outputs]
        if unknown:
            raise DataError(
                "unknown_report",
                "The channel cannot report {got!r}; it reports {allowed}.",
                got=unknown[0],
                allowed=list(view.outputs[:20]),
            )
        counts = [counts.get(label, 0) for label in view.outputs]
    try:
        vector = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "not_counts", "Counts must be numbers, one per label (or a mapping from label), got {got}; use dn.counts(...).",
            got=type(counts).__name__,
        ) from None  # fmt: skip
    if vector.shape != (outputs,):
        raise DataError(
            "counts_shape",
            "The channel reports {outputs:,} labels, so that many counts are needed, got shape {got}.",
            outputs=outputs,
            got=vector.shape,
        )
    if not np.isfinite(vector).all() or (vector < 0).any():
        raise DataError("counts_negative", "Counts must be finite and not negative, got {got}.", got=vector[:20].tolist())
    if vector.sum() == 0:
        raise DataError("counts_zero", "All counts are 0: there is nothing to estimate from.")
    possible = view.law.push(np.full(view.law.inputs, 1 / view.law.inputs)) > 0
    impossible = np.flatnonzero((vector > 0) & ~possible)
    if impossible.size:
        raise DataError(
            "impossible_report",
            "{count:g} reports of {label!r} were counted, which this channel never reports.",
            count=vector[impossible[0]],
            label=view.outputs[impossible[0]],
        )
    return vector
