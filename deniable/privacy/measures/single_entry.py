"""Single-entry privacy (paper 004): how often a guess drawn from the posterior misses the true answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.groups import JointChannel
from deniable.core.domains.exact import Floats
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.privacy.measures.priors import AnyChannel, joint, shares


def single_entry_privacy(channel: AnyChannel, prior: Any = None, as_published: bool = False) -> float:
    """PSE(PRE) = sum_x P(x) sum_z P(z | x) (1 - P(x | z)) (004, section 4.1).

    For two answers this is 2 Wa (1 - Wa) [P(1|1) P(1|0) / P(R=1) + P(0|1) P(0|0) / P(R=0)]: the chance that an attacker who
    knows the report, the channel and how frequent the answers are, and guesses in proportion, is wrong about a person.
    `as_published` gives the printed components, the first of which has (1 - theta)(1 - Wy) where (1 - theta) Wy belongs.

    >>> import deniable as dn
    >>> asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.6, innocuous=0.3)
    >>> round(dn.privacy.single_entry_privacy(asked, 0.2), 4)
    0.2189
    >>> dn.privacy.single_entry_privacy(dn.UnrelatedQuestion(dn.Binary(), theta=1), 0.2)         # 004, section 5.3: all true
    0.0
    """
    if as_published:
        return _printed(channel, float(shares(channel, prior)[-1]))
    return 1.0 - guessed(joint(channel, prior))


def guessed(together: Floats) -> float:
    """sum_z P(z) sum_x P(x | z)^2 from P(x, z): how often a guess drawn from the posterior is right."""
    reported = together.sum(axis=0)
    possible = reported > 0
    right = float((together[:, possible] ** 2 / reported[possible]).sum())
    return min(1.0, right)


def _printed(channel: AnyChannel, wa: float) -> float:
    if channel.law.inputs != 2 or channel.law.outputs != 2:
        raise ParameterError("printed_binary", "The printed formula of 004, 4.1 is for two answers, got {got!r}.", got=channel)
    (zero_zero, zero_one), (one_zero, one_one) = channel.matrix().tolist()  # P[true, reported]

    def part(this: float, other: float) -> float:
        """A term: the answer with share wa gives this report with chance `this`, the other answer with chance `other`."""
        both = this * wa + other * (1 - wa)
        return wa * (1 - wa) * this * other / both if both else 0.0

    # The first term takes P(R=0 | O=1) for P(R=1 | O=0).
    return part(one_one, one_zero) + part(one_one, zero_one) + 2 * part(one_zero, zero_zero)


def group_privacy(schema: Mapping[str, Channel], prior: Mapping[str, Any] | None = None, as_published: bool = False) -> float:
    """The smallest single-entry privacy among attributes (004, sections 4 and 6.3).

    Entries that are randomised together fall together: the weakest counts for all of them. Attributes that share a draw are
    judged by the whole report of their group, which says more about each than its own answer does; `as_published` judges
    each by its own. `prior` maps attributes to distributions, taken as independent.

    >>> import deniable as dn
    >>> asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    >>> separate = dn.Schema({"a": asked, "b": asked})
    >>> together = dn.Schema({"a": asked, "b": asked}, groups={"g": ["a", "b"]})
    >>> rare = {"a": 0.1, "b": 0.1}
    >>> round(dn.privacy.group_privacy(separate, rare), 3), round(dn.privacy.group_privacy(together, rare), 3)
    (0.161, 0.154)
    """
    read = schema if isinstance(schema, Schema) else Schema(schema)
    given = by_attribute(read, prior)
    levels = []
    for block in read.blocks:
        if isinstance(block.channel, JointChannel) and not as_published:
            levels.extend(_within(block.channel, given))
        else:
            levels.extend(single_entry_privacy(read[name], given.get(name), as_published) for name in block.attributes)
    return min(levels)


def by_attribute(schema: Mapping[str, Channel], prior: Mapping[str, Any] | None) -> dict[str, Any]:
    """A prior for some of the attributes; a name that is not in the schema is refused."""
    if prior is None:
        return {}
    if not isinstance(prior, Mapping):
        raise ParameterError(
            "prior_mapping",
            "prior must map attributes to distributions, such as {{'smokes': {{'yes': 0.1, 'no': 0.9}}}}, got {got!r}.",
            got=prior,
        )
    unknown = [name for name in prior if name not in schema]
    if unknown:
        raise ParameterError(
            "prior_attribute",
            "prior names {got!r}, which is not among the attributes {allowed}.",
            got=unknown[0],
            allowed=list(schema),
        )
    return dict(prior)


def _within(group: JointChannel, prior: Mapping[str, Any]) -> list[float]:
    """The single-entry privacy of each member of a group, given the whole report."""
    sizes = tuple(channel.domain.size for channel in group.channels)
    believed = np.ones(1)
    for name, channel in zip(group.attributes, group.channels, strict=True):
        believed = np.multiply.outer(believed, shares(channel, prior.get(name), f"prior[{name!r}]")).ravel()
    together = (believed[:, None] * group.matrix()).reshape(*sizes, -1)
    axes = range(len(sizes))
    return [1.0 - guessed(together.sum(axis=tuple(i for i in axes if i != member))) for member in axes]
