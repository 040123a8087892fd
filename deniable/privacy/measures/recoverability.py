"""What mining adds for the attacker (paper 004, section 4.2): rules carry over from one answer to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import over_labels
from deniable.privacy.measures.single_entry import guessed, single_entry_privacy


def recoverability(channel: Channel, rules: Any, antecedent: Any = None, as_published: bool = False) -> float:
    """sum P(z, a) sum_x P(x | z, a)^2: how often a guess from the report z and the rule's antecedent a is right.

    `rules` is the joint distribution of antecedent and answer, an array [a, x] or a mapping from (a, x): what rules "a => x"
    with their supports and confidences say. `antecedent` says how the attacker knows a. None: its true value is known
    (scenario I). A channel: only its report through that channel is known (scenario II).

    As published (004, 4.2) scenario I is sum_a P(a) sum_x P(x | a), which is always 1, and scenario II
    sum_a sum_z P(z | a) P(x = z | z) over reported a and z, without the weight P(a), so that it can reach the number of a's.

    >>> import deniable as dn
    >>> asked = dn.KRR(dn.Binary(), 0.75)
    >>> rules = [[0.45, 0.05], [0.1, 0.4]]                                # a = 0 mostly means x = 0
    >>> known = dn.privacy.recoverability(asked, rules)
    >>> reported = dn.privacy.recoverability(asked, rules, antecedent=asked)
    >>> round(known, 3), round(reported, 3), round(1 - dn.privacy.single_entry_privacy(asked, 0.45), 3)
    (0.788, 0.664, 0.628)
    """
    together = _joint(channel, rules, antecedent)
    if as_published:
        return _scenario_one(together) if antecedent is None else _scenario_two(together, channel, antecedent)
    seen = _seen(together, antecedent)
    # Each pair (what is known of a, report z) is one observation.
    observed = seen[:, :, None] * channel.matrix()[None, :, :]
    return guessed(observed.transpose(1, 0, 2).reshape(seen.shape[1], -1))


def final_privacy(channel: Channel, rules: Any, antecedent: Any = None, as_published: bool = False) -> float:
    """1 - recoverability: how often an attacker who knows the report and the mined rules still guesses wrong.

    As published (004, 4.2) it is PSE(PRE) - REC, which is negative in scenario I for every channel.

    >>> import deniable as dn
    >>> asked = dn.KRR(dn.Binary(), 0.75)
    >>> round(dn.privacy.final_privacy(asked, [[0.45, 0.05], [0.1, 0.4]]), 3)
    0.212
    """
    recovered = recoverability(channel, rules, antecedent, as_published)
    if not as_published:
        return 1.0 - recovered
    answers = _joint(channel, rules, antecedent).sum(axis=0)
    return single_entry_privacy(channel, answers, as_published=True) - recovered


def _joint(channel: Channel, rules: Any, antecedent: Any) -> Floats:
    """P(a, x), rows by antecedent."""
    k = channel.law.inputs
    if antecedent is not None and not isinstance(antecedent, Channel):
        raise ParameterError(
            "antecedent",
            "antecedent must be None (its truth is known) or the channel that hides it, got {got!r}.",
            got=antecedent,
        )
    if isinstance(rules, Mapping):
        causes = list(antecedent.inputs) if antecedent is not None else list(dict.fromkeys(a for a, _ in rules))
        pairs = [(a, x) for a in causes for x in channel.inputs]
        return over_labels(rules, len(pairs), pairs, "rules").reshape(len(causes), k)
    table = np.asarray(rules, dtype=np.float64)
    rows = len(table) if antecedent is None else antecedent.law.inputs
    if table.shape != (rows, k):
        raise ParameterError(
            "rules_shape",
            "rules must have a row for each value of the antecedent ({rows}) and a column for each answer ({k}), got shape {got}.",
            rows=rows,
            k=k,
            got=table.shape,
        )
    return over_labels(table.ravel(), table.size, (), "rules").reshape(table.shape)


def _seen(together: Floats, antecedent: Channel | None) -> Floats:
    """P(what is known of a, x)."""
    return together if antecedent is None else antecedent.matrix().T @ together


def _scenario_one(together: Floats) -> float:
    precondition = together.sum(axis=1)
    held = precondition > 0
    confidence = together[held] / precondition[held, None]
    return float((precondition[held, None] * confidence).sum())


def _scenario_two(together: Floats, channel: Channel, antecedent: Channel) -> float:
    if channel.inputs != channel.outputs:
        raise ParameterError("same_labels", "The printed recoverability needs reports with the labels of the answers.")
    reported = _seen(together, antecedent) @ channel.matrix()
    confidence = reported / reported.sum(axis=1, keepdims=True)
    posterior = channel.posterior(together.sum(axis=0))
    return float((confidence * np.diag(posterior)).sum())
