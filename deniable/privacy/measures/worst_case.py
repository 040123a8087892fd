"""The worst that one report can do to one person: the largest posterior, and the largest rise over the prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.channels.views import View
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import AnyChannel, is_number, joint, shares


@dataclass(frozen=True)
class Rise:
    """What a report does: after `report`, the true answer `truth` has the chance `after` instead of `before`."""

    report: Any
    truth: Any
    before: float
    after: float

    @property
    def rise(self) -> float:
        """after - before."""
        return self.after - self.before


def worst_posterior(channel: AnyChannel, prior: Any = None) -> Rise:
    """max over z and x of P(x | z): how certain the most revealing report can make anyone, if the answers are distributed as
    `prior` (uniformly by default).

    >>> import deniable as dn
    >>> worst = dn.privacy.worst_posterior(dn.KRR(dn.Nominal(["no", "yes"]), 0.75), 0.1)
    >>> worst.report, worst.truth, round(worst.after, 3)
    ('no', 'no', 0.964)
    """
    return _largest(channel, prior, against_prior=False)


def worst_rise(channel: AnyChannel, prior: Any = None) -> Rise:
    """max over z and x of P(x | z) - P(x): the most that any report adds to what was believed, under `prior`, or, with None,
    under the prior that makes it largest.

    Over all priors it is tanh(epsilon / 4), reached where an answer with chance 1 / (1 + e^(epsilon / 2)) meets one that makes
    the report least likely; with an infinite epsilon it comes as close to 1 as one likes.

    >>> import deniable as dn
    >>> asked = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
    >>> worst = dn.privacy.worst_rise(asked, 0.1)
    >>> worst.report, worst.truth, worst.before, round(worst.after, 3)
    ('yes', 'yes', 0.1, 0.25)
    >>> anyhow = dn.privacy.worst_rise(asked)
    >>> round(anyhow.before, 3), round(anyhow.after, 3)
    (0.366, 0.634)
    """
    if prior is not None:
        return _largest(channel, prior, against_prior=True)
    if isinstance(channel, View):
        raise ParameterError("binned_epsilon", "A channel seen through bins has no epsilon; give worst_rise a prior.")
    z, likelier, _ = channel.law.worst_case
    before = 1 / (1 + math.exp(channel.epsilon / 2)) if channel.epsilon < 1400 else 0.0
    return Rise(channel.outputs[z], channel.inputs[likelier], before, posterior_bound(channel, before) if before else 1.0)


def posterior_bound(source: Any, before: float) -> float:
    """before e^epsilon / (before e^epsilon + 1 - before): the most that an answer with chance `before` can have after a report,
    however the other answers are distributed. `source` is a channel, a schema, or epsilon itself.

    >>> import deniable as dn
    >>> round(dn.privacy.posterior_bound(dn.KRR(dn.Binary(), 0.8), 0.1), 3)            # odds change by a factor of 4 at most
    0.308
    """
    epsilon = source if is_number(source) else getattr(source, "epsilon", None)
    if not is_number(epsilon) or not epsilon >= 0:
        raise ParameterError(
            "posterior_bound_of",
            "posterior_bound takes a channel, a schema or an epsilon of at least 0, got {got!r}.",
            got=source,
        )
    if not is_number(before) or not 0 <= before <= 1:
        raise ParameterError("before", "posterior_bound: before must lie in [0, 1], got {got!r}.", got=before)
    if before == 0:
        return 0.0
    return float(before / (before + (1 - before) * math.exp(-float(epsilon))))


def _largest(channel: AnyChannel, prior: Any, against_prior: bool) -> Rise:
    before = shares(channel, prior)
    together = joint(channel, prior)
    reported = together.sum(axis=0)
    after = np.divide(together, reported, out=np.zeros_like(together), where=reported > 0)
    x, z = np.unravel_index(int(np.argmax(after - before[:, None] if against_prior else after)), after.shape)
    return Rise(channel.outputs[z], channel.inputs[x], float(before[x]), float(after[x, z]))
