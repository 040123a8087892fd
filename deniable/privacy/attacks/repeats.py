"""The attack by repetition: someone who is asked again and again, with fresh randomness, is found out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats, Ints
from deniable.errors import ParameterError, WideDomainError
from deniable.privacy.measures.likelihood import posterior_over
from deniable.privacy.measures.priors import shares

LARGEST_ENUMERATION = 2_000_000
"""Up to this many outcomes of the repeats (times answers) are gone through one by one."""


def averaging_attack(channel: Channel, repeats: int, prior: Any = None, rule: str = "posterior") -> float:
    """How often the truth is guessed from `repeats` independent reports of one person, exactly.

    sum over outcomes n of [repeats! / prod n_z!] max_x P(x) prod_z P(z | x)^n_z for the rule "posterior", which nobody can
    beat; "majority" takes the label reported most often (ties are broken at random). The chance nears 1 as repeats grow, which is why
    an answer is drawn once, and then repeated as it is.

    >>> import deniable as dn
    >>> asked = dn.KRR(dn.Binary(), 0.75)
    >>> [round(dn.privacy.averaging_attack(asked, r), 4) for r in (1, 5, 21)]
    [0.75, 0.8965, 0.9936]
    """
    _check(channel, repeats, rule)
    before = shares(channel, prior)
    outcomes = math.comb(repeats + channel.law.outputs - 1, repeats)
    if outcomes * channel.law.inputs > LARGEST_ENUMERATION:
        raise WideDomainError(
            "too_many_outcomes",
            "{repeats} reports of {labels} labels have {outcomes:,} outcomes; use simulate_averaging.",
            repeats=repeats,
            labels=channel.law.outputs,
            outcomes=outcomes,
        )
    counts = _compositions(repeats, channel.law.outputs)
    factorial = np.array([math.lgamma(i + 1) for i in range(repeats + 1)])
    ways = factorial[repeats] - factorial[counts].sum(axis=1)
    together = np.exp(ways[:, None] + _log_likelihood(channel, counts)) * before
    if rule == "posterior":
        return float(together.max(axis=1).sum())
    return float((together * _shared_top(counts)).sum())


def simulate_averaging(
    channel: Channel,
    repeats: int,
    prior: Any = None,
    rule: str = "posterior",
    people: int = 10_000,
    rng: np.random.Generator | None = None,
) -> float:
    """The share of people whose truth the attack of `averaging_attack` guesses, by drawing their reports.

    Parameters
    ----------
    channel : Channel
        How one answer is randomised.
    repeats : int
        How often everybody is asked, with fresh randomness each time.
    prior : distribution, optional
        The shares of the true answers; equal by default.
    rule : str
        "posterior" guesses the likeliest answer, "majority" the one that was reported most often.
    people : int
        How many people are drawn.
    rng : numpy.random.Generator, optional
        Makes the simulation repeatable.

    Returns
    -------
    float
        The share of people whose answer was guessed.

    Examples
    --------
    >>> import deniable as dn, numpy as np
    >>> found = dn.privacy.simulate_averaging(dn.KRR(dn.Binary(), 0.75), 21, rng=np.random.default_rng(1))
    >>> 0.99 < found < 0.997
    True
    """
    _check(channel, repeats, rule)
    generator = np.random.default_rng() if rng is None else rng
    before = shares(channel, prior)
    truth = generator.choice(len(before), size=people, p=before)
    asked = channel.domain.decode(np.repeat(truth, repeats))
    reports = channel.reported.encode(channel.randomise(asked, generator)).reshape(people, repeats)
    outputs = channel.law.outputs
    counts = np.bincount((np.arange(people)[:, None] * outputs + reports).ravel(), minlength=people * outputs)
    counts = counts.reshape(people, outputs)
    if rule == "majority":
        return float(_shared_top(counts)[np.arange(people), truth].mean())
    with np.errstate(divide="ignore"):
        posterior = posterior_over(_log_likelihood(channel, counts), np.log(before))
    return float((posterior.argmax(axis=1) == truth).mean())


def _check(channel: Channel, repeats: int, rule: str) -> None:
    if isinstance(repeats, bool) or not isinstance(repeats, (int, np.integer)) or repeats < 1:
        raise ParameterError("repeats", "repeats must be a whole number of at least 1, got {got!r}.", got=repeats)
    if rule not in ("posterior", "majority"):
        raise ParameterError("rule", "rule must be 'posterior' or 'majority', got {got!r}.", got=rule)
    if rule == "majority" and channel.law.inputs != channel.law.outputs:
        raise ParameterError("majority_labels", "The rule 'majority' needs as many reported as true labels.")


def _compositions(total: int, parts: int) -> Ints:
    """All ways to split `total` into `parts` counts, one row per way."""
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for _ in range(parts - 1):
        chosen = np.concatenate([np.arange(rest + 1) for rest in left])
        origin = np.repeat(np.arange(len(left)), left + 1)
        rows, left = np.column_stack([rows[origin], chosen]), left[origin] - chosen
    return np.column_stack([rows, left])


def _log_likelihood(channel: Channel, counts: Ints) -> Floats:
    """log prod_z P(z | x)^n_z: one row per outcome, one column per truth."""
    chances = channel.matrix()
    impossible = chances == 0
    logs = np.log(np.where(impossible, 1.0, chances))
    total: Floats = counts.astype(np.float64) @ logs.T
    total[(counts @ impossible.T.astype(np.int64)) > 0] = -np.inf
    return total


def _shared_top(counts: Ints) -> Floats:
    """1 for the most frequent label, shared among ties."""
    top = (counts == counts.max(axis=1, keepdims=True)).astype(np.float64)
    share: Floats = top / top.sum(axis=1, keepdims=True)
    return share
