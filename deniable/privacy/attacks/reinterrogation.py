"""The attack with mined rules: what is known about everyone is used to read the reports of one person."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.privacy.measures.likelihood import Likelihoods, part, posterior_over
from deniable.privacy.measures.priors import is_number, over_labels

if TYPE_CHECKING:
    import pandas as pd


def reinterrogation_privacy(channels: Sequence[Channel], support: Any, as_published: bool = False) -> float:
    """P(no item is true | all items of the itemset are reported), by Bayes (thesis 3.5.2).

    What is left in doubt after mining: how likely it is that a person who reports a whole itemset has none of its items.
    `support` is the itemset's reconstructed support (everyone else is taken to have none of the items), or a mapping from
    tuples of true labels to their shares. For two labels the item is the last one. With `as_published` the thesis' product
    prod (1 - q) (1 - support) is given: a joint probability with a wrong prior, which it reads as a posterior.

    >>> import deniable as dn
    >>> itemset = [dn.Flip(0.95, 0.95)] * 3
    >>> round(1 - dn.privacy.reinterrogation_privacy(itemset, 0.005), 3)                 # at least one item is true
    0.972
    >>> round(1 - dn.privacy.reinterrogation_privacy(itemset, 0.005, as_published=True), 9)
    0.999875625
    """
    if not channels or any(not isinstance(channel, Channel) or channel.law.inputs != 2 for channel in channels):
        raise ParameterError("itemset", "reinterrogation_privacy takes the channels of items, each with two labels.")
    for channel in channels:
        if channel.inputs != channel.outputs:
            raise ParameterError("same_labels", "An item must be reported under the labels it has, got {got!r}.", got=channel)
    none = tuple(channel.inputs[0] for channel in channels)
    everything = tuple(channel.inputs[1] for channel in channels)
    if isinstance(support, Mapping):
        believed = {tuple(key): float(share) for key, share in support.items()}
    elif is_number(support) and 0 <= support <= 1:
        believed = {everything: float(support), none: 1 - float(support)}
    else:
        raise ParameterError(
            "support", "support must lie in [0, 1] or map tuples of labels to shares, got {got!r}.", got=support
        )
    bad = [
        key
        for key in believed
        if len(key) != len(channels) or any(x not in channel.inputs for x, channel in zip(key, channels, strict=True))
    ]
    if bad:
        raise ParameterError("support_key", "support names {got!r}, which is no combination of the items' labels.", got=bad[0])
    shares: list[float] = over_labels(list(believed.values()), len(believed), (), "support").tolist()
    reported = [channel.law.column(1) / channel.law.denominator for channel in channels]

    def chance(truth: tuple[Any, ...]) -> float:
        """P(all reported | truth)."""
        return math.prod(
            float(column[channel.inputs.index(label)]) for channel, column, label in zip(channels, reported, truth, strict=True)
        )

    if as_published:
        return chance(none) * dict(zip(believed, shares, strict=True)).get(none, 0.0)
    joint = {truth: share * chance(truth) for truth, share in zip(believed, shares, strict=True)}
    total = math.fsum(joint.values())
    if total == 0:
        raise ParameterError("impossible_report", "Under this support nobody can have reported the whole itemset.")
    return joint.get(none, 0.0) / total


def reinterrogation_attack(
    schema: Schema, rules: Any, report: Mapping[str, Any], attributes: Sequence[str] | None = None
) -> pd.DataFrame:
    """P(x_j | z_1, ..., z_m) for every attribute and answer: one person's whole report, read with what mining found out.

    `rules` is the joint distribution of the attributes: a frame of truths (or of people drawn like them), or a mapping from
    tuples of labels, in the order of the attributes, to shares. The columns `before`, `after` and `odds` (by how much the
    odds changed) obey odds <= e^epsilon, epsilon being that of all the blocks together, whatever the rules say: the column
    `bound`. (A question's own epsilon bounds only what its own report says; rules make other reports speak about it too.)

    >>> import deniable as dn
    >>> asked = dn.KRR(dn.Binary(), 0.75)
    >>> schema = dn.Schema({"smokes": asked, "coughs": asked})
    >>> rules = {(0, 0): 0.7, (0, 1): 0.1, (1, 0): 0.02, (1, 1): 0.18}
    >>> found = dn.privacy.reinterrogation_attack(schema, rules, {"smokes": 1, "coughs": 1})
    >>> found.loc[1, ["before", "after", "odds", "bound"]].astype(float).round(3).tolist()       # smokes: 1
    [0.2, 0.627, 6.72, 9.0]
    """
    import pandas as pd

    asked = part(schema, attributes)
    likelihoods = Likelihoods(asked)
    frame, shares = _rules(asked, rules)
    missing = [name for name in asked if name not in report]
    if missing:
        raise ParameterError("report_lacks", "The report is missing {got}.", got=missing)
    reports = likelihoods.reports({name: [report[name]] for name in asked})
    _, table = next(likelihoods.pieces(reports, likelihoods.truths(frame)))
    with np.errstate(divide="ignore"):
        posterior = posterior_over(table, np.log(shares))[0]
    if np.isnan(posterior).any():
        raise ParameterError("impossible_report", "Under these rules nobody can have sent this report.")
    bound = math.exp(asked.epsilon) if asked.epsilon < 700 else math.inf
    rows = []
    for name, channel in asked.items():
        codes = channel.domain.encode(frame[name], name)
        k = channel.law.inputs
        before = np.bincount(codes, weights=shares, minlength=k)
        after = np.bincount(codes, weights=posterior, minlength=k)
        for label, b, a in zip(channel.inputs, before.tolist(), after.tolist(), strict=True):
            rows.append((name, label, b, a, _odds_change(b, a), bound))
    return pd.DataFrame(rows, columns=["attribute", "answer", "before", "after", "odds", "bound"])


def _rules(schema: Schema, rules: Any) -> tuple[Any, Floats]:
    """A frame of truths and the share of each of its rows."""
    if isinstance(rules, Mapping) and all(isinstance(key, tuple) for key in rules):
        keys = list(rules)
        if any(len(key) != len(schema) for key in keys):
            raise ParameterError("rules_keys", "Each key of rules needs a label for each of {names}.", names=list(schema))
        shares = over_labels(list(rules.values()), len(keys), (), "rules")
        return {name: [key[i] for key in keys] for i, name in enumerate(schema)}, shares
    size = len(rules[next(iter(schema))])
    return rules, np.full(size, 1 / size)


def _odds_change(before: float, after: float) -> float:
    """Odds after over odds before; an answer that was certain or excluded before cannot change."""
    if before <= 0 or before >= 1:
        return 1.0
    return (after / before) * ((1 - before) / (1 - after)) if after < 1 else math.inf
