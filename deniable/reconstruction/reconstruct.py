"""`dn.reconstruct`: the one way from counts of reports back to the distribution of truths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.channel import Binned, Channel
from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.tables import CellTable, seen_through
from deniable.errors import DataError, ParameterError
from deniable.reconstruction.em import em
from deniable.reconstruction.inversion import covariance, eq, inverse_weights

METHODS = ("em", "eq")


def reconstruct(counts: Any, channel: Channel, method: str = "em", target: str = "population", name: str = "") -> Estimate:
    """Estimate the distribution of the truths from counts of reports.

    `counts` is what `dn.counts` gives, an array in the order of `channel.outputs`, or a mapping from label.
    Methods: "em" (maximum likelihood, stays inside the simplex) and "eq" (unbiased, may leave it).

    >>> import deniable as dn
    >>> channel = dn.KRR(dn.Nominal(["a", "b"]), 0.75)
    >>> dn.reconstruct({"a": 60, "b": 40}, channel).value.round(4).tolist()
    [0.7, 0.3]
    """
    if method not in METHODS:
        raise ParameterError(
            "method", "reconstruct: method must be one of {allowed}, got {got!r}.", allowed=list(METHODS), got=method
        )
    seen: Channel | Binned = channel
    if isinstance(counts, CellTable):
        name = name or counts.axes[0].name
        seen = seen_through(counts, channel)
    observed = _vector(counts, seen)
    n = round(float(observed.sum()))
    if method == "eq":
        shares, weights = eq(seen.law, observed)
        spread = observed
    else:
        shares = em(seen.law, observed)
        spread = observed.sum() * seen.law.push(shares)
        weights = inverse_weights(seen.law, seen.law.push(shares) if seen.law.outputs != seen.law.inputs else None)
    reason = None
    if isinstance(seen, Binned) and seen.assumes_uniform:
        reason = "truths were taken as uniform inside each bin, which biases it; a lumpable channel or no bins would not."
    return Estimate(
        shares,
        seen.inputs,
        n=n,
        method=method,
        target=target,
        covariance=covariance(weights, spread, shares, target),
        name=name,
        no_interval=reason,
    )


def _vector(counts: Any, channel: Channel | Binned) -> Floats:
    outputs = channel.law.outputs
    if isinstance(counts, Mapping):
        unknown = [label for label in counts if label not in channel.outputs]
        if unknown:
            raise DataError(
                "unknown_report",
                "The channel cannot report {got!r}; it reports {allowed}.",
                got=unknown[0],
                allowed=list(channel.outputs[:20]),
            )
        counts = [counts.get(label, 0) for label in channel.outputs]
    vector = np.asarray(counts, dtype=np.float64)
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
    possible = channel.law.push(np.full(channel.law.inputs, 1 / channel.law.inputs)) > 0
    impossible = np.flatnonzero((vector > 0) & ~possible)
    if impossible.size:
        raise DataError(
            "impossible_report",
            "{count:g} reports of {label!r} were counted, which this channel never reports.",
            count=vector[impossible[0]],
            label=channel.outputs[impossible[0]],
        )
    return vector
