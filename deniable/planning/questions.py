"""The questions that a plan asks: shares and means, of everyone or in a group, and their differences between two groups; and what is taken
to be true of the people.

A share is that of one answer, all others being equally frequent. A mean is that of numbers that are equally frequent, unless it is said how
frequent they are. A group is a share of the people, who say so openly or by a hidden answer; it is compared with everyone else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats
from deniable.core.domains.labels import Nominal
from deniable.core.schema import Schema
from deniable.planning.known_to import is_noisy, known_to, lowest, spread_over
from deniable.planning.outcomes import Outcome, Question
from deniable.statistics import weighted_means, weighted_shares
from deniable.statistics.functions import ONE, Function, factor
from deniable.statistics.groups import Group
from deniable.statistics.label_numbers import has_numbers, numbers_of
from deniable.statistics.numeric_attributes import who_answered

ASKED, GROUP = "asked", "group"
POPULATION = "population"


@dataclass(frozen=True)
class Divided:
    """How the people are divided: a share of them is in the group. Without a channel they say so openly."""

    share: float
    channel: Channel | None = None

    def hidden_by(self) -> Channel:
        """The channel of the attribute by which they are divided."""
        return Identity(Nominal(["in the group", "others"])) if self.channel is None else self.channel

    def members(self) -> Floats:
        """Which answers of that attribute are those of the group: the one that is hardest to tell, behind noise the lowest values."""
        return np.array([1.0, 0.0]) if self.channel is None else known_to(self.channel, 1_000, self.share).asked


class AskedShare:
    """The share of those who give the answer that is hardest to tell (behind noise, and for quantiles, one of the lowest numbers)."""

    is_mean = False

    def __init__(self, channel: Channel, share: float, lowest_values: bool = False) -> None:
        self.channel, self.share = channel, share
        self.asked = lowest(channel, share)[0] if lowest_values or is_noisy(channel) else known_to(channel, 1_000, share).asked
        self.most_apart = 1 - share

    def truth(self, apart: float = 0.0) -> Floats:
        """How frequent answers are; among those whose share is larger by `apart`, if it is given."""
        return spread_over(self.asked, self.share + apart)

    def question(self, members: Function | None, compared: bool) -> Question:
        """What a sample is asked, of everyone or in a group, which may be compared with the others."""
        asked, variance = factor(ASKED, self.asked), self.share * (1 - self.share)
        group = Group((), ONE if members is None else members, None if members is None else GROUP)
        if not compared or members is None:
            return Question(lambda sums: weighted_shares.share(sums, asked, group, "", POPULATION), ((0, 2),), (variance,))
        others = Group((), ONE - members, "others")
        return Question(
            lambda sums: weighted_shares.between(sums, asked, group, others, "", POPULATION),
            ((0, 2), (3, 5)), (variance, variance),
        )  # fmt: skip


class AskedMean:
    """The mean of numbers among those who give one."""

    is_mean = True

    def __init__(self, channel: Channel, truth: Floats | None = None) -> None:
        self.channel = channel
        size = channel.domain.size
        self._even = np.full(size, 1 / size) if truth is None else truth
        self._numbers = numbers_of(channel.domain)
        self._answering = np.arange(size) < size - (channel.domain.missing is not None)
        told = self._even * self._answering
        told = told / told.sum()
        self._mean = float(told @ self._numbers)
        self.variance = float(told @ (self._numbers - self._mean) ** 2)
        self.most_apart = 0.9 * (float(self._numbers[told > 0].max()) - self._mean)

    def truth(self, apart: float = 0.0) -> Floats:
        """How frequent answers are; among those whose mean is larger by `apart` the larger ones are more frequent, by the same factor for
        each step."""
        if not apart:
            return self._even
        span = float(np.ptp(self._numbers)) or 1.0
        numbers = (self._numbers - self._mean) / span
        answering = self._even * self._answering
        low, high = -1e3, 1e3
        for _ in range(80):
            middle = (low + high) / 2
            tilted = answering * np.exp(middle * numbers - np.max(middle * numbers))
            found = float(tilted @ self._numbers / tilted.sum()) - self._mean
            low, high = (middle, high) if found < apart else (low, middle)
        truth: Floats = tilted / tilted.sum() * answering.sum() + self._even * ~self._answering
        return truth

    def question(self, members: Function | None, compared: bool) -> Question:
        """What a sample is asked, of everyone or in a group, which may be compared with the others."""
        number = weighted_means.Number(ASKED, factor(ASKED, self._numbers), not self.channel.tells_means_only)
        answered = who_answered({ASKED: self.channel}, ASKED)
        limits = float(self._numbers.min()), float(self._numbers.max())
        inside = ONE if members is None else members
        if not compared or members is None:
            groups = [Group((), inside, GROUP)]
            return Question(
                lambda sums: weighted_means.means(sums, number, groups, answered, "", POPULATION, limits),
                ((0, 1),), (self.variance,),
            )  # fmt: skip
        first, second = (None, inside * answered), (None, (ONE - inside) * answered)
        return Question(
            lambda sums: weighted_means.difference(sums, number, first, second, POPULATION, (limits, limits)),
            ((0, 1), (2, 3)), (self.variance, self.variance),
        )  # fmt: skip


Asked = AskedShare | AskedMean


def of_everyone(asked: Asked, answers: float) -> Outcome:
    """What so many answers will tell of everyone.

    >>> import deniable as dn
    >>> round(of_everyone(AskedShare(dn.Identity(dn.Binary()), 0.5), 1_000).margin, 3)
    0.031
    """
    return Outcome(asked.question(None, False), Schema({ASKED: asked.channel}), asked.truth(), answers)


def of_group(asked: Asked, divided: Divided, answers: float) -> Outcome:
    """What they will tell of a group."""
    members = divided.members()
    question = asked.question(factor(GROUP, members), False)
    return Outcome(question, _schema(asked, divided), _joint(asked, divided, members, 0.0), answers)


def of_difference(asked: Asked, divided: Divided, answers: float, apart: float) -> Outcome:
    """What they will tell of the difference between a group and the others, whose share or mean is smaller by `apart`."""
    members = divided.members()
    question = asked.question(factor(GROUP, members), True)
    return Outcome(question, _schema(asked, divided), _joint(asked, divided, members, apart), answers)


def _schema(asked: Asked, divided: Divided) -> Schema:
    return Schema({ASKED: asked.channel, GROUP: divided.hidden_by()})


def _joint(asked: Asked, divided: Divided, members: Floats, apart: float) -> Floats:
    """How frequent each answer is together with each of the attribute that divides the people."""
    sizes = spread_over(members, divided.share)
    inside, outside = asked.truth(apart), asked.truth()
    joint: Floats = np.outer(inside, sizes * members) + np.outer(outside, sizes * (1 - members))
    return joint


def has_mean(domain: Domain) -> bool:
    """Whether a plan has a mean: of numbers, and of ratings; that of yes and no is a share."""
    return has_numbers(domain) and domain.size - (domain.missing is not None) > 2


def told_best(channel: Channel) -> str:
    """What an attribute is judged by of which nobody said what it is asked for: a share, where shares are told."""
    return "mean" if channel.tells_means_only else "share"
