"""What a questionnaire costs in accuracy, seen before it is opened."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from deniable.core.channel import Channel
from deniable.errors import ParameterError
from deniable.privacy.influence import in_people
from deniable.survey.questionnaire import Questionnaire

SHARE = 0.2
"""The share for which costs are shown: neither rare nor half of all."""

USEFUL = 0.1
"""A share of 20% that is known to more than these points either way might as well be half or twice as large."""


@dataclass(frozen=True)
class Cost:
    """Of one column: its epsilon, what the answers are worth, how well a share is known, and what one lie counts as."""

    name: str
    epsilon: float
    worth: float
    margin: float
    counts_as: str = ""

    @property
    def odds(self) -> float:
        """How many times a report may change anyone's odds."""
        return math.exp(self.epsilon)

    def needed(self, answers: int) -> int:
        """How many answers would make the margin useful, if it is not with so many.

        >>> Cost("smokes", 1.1, 50.0, 0.2).needed(1_000)
        4000
        """
        return math.ceil(answers * (self.margin / USEFUL) ** 2 - 1e-9)


def costs(questionnaire: Questionnaire, answers: int) -> list[Cost]:
    """For each column of the data what `answers` randomised answers are worth, for an answer that a fifth of the people give.

    >>> questionnaire = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "standard"}]}]}
    ... ''')
    >>> [cost] = costs(questionnaire, 1_000)
    >>> round(cost.odds), round(cost.worth), round(100 * cost.margin, 1), cost.counts_as
    (5, 274, 4.7, '1.5 people')
    """
    if isinstance(answers, bool) or not isinstance(answers, int) or answers < 1:
        raise ParameterError("answers", "The number of answers must be a whole number above 0, got {got!r}.", got=answers)
    found = []
    epsilons = {name: epsilon for element in questionnaire.elements for name, epsilon in element.epsilons.items()}
    for name, channel in questionnaire.schema.items():
        variance = _variance(channel)
        direct = SHARE * (1 - SHARE)
        reach = NormalDist().inv_cdf(0.975)
        margin = reach * math.sqrt(variance / answers)
        found.append(Cost(name, epsilons[name], answers * direct / variance, margin, in_people(channel)))
    return found


def _variance(channel: Channel) -> float:
    """The variance of one answer's unbiased weight for the first label, when a fifth of the people have it."""
    size = channel.law.inputs
    truth = np.full(size, (1 - SHARE) / (size - 1))
    truth[0] = SHARE
    wanted = np.zeros(size)
    wanted[0] = 1.0
    weights = channel.law.weights(wanted)
    return float(channel.law.push(truth) @ weights**2 - SHARE**2)
