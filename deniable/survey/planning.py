"""What a questionnaire costs in accuracy, seen before it is opened."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from deniable.core.channel import Channel
from deniable.errors import ParameterError
from deniable.plurals import counted
from deniable.privacy.influence import in_people
from deniable.privacy.warnings import notable, warnings_of
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


@dataclass(frozen=True)
class Advice:
    """A sentence about one column: a `note` of what is as it should be, or a `warning`."""

    kind: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}: {self.text}"


def advice(questionnaire: Questionnaire, answers: int) -> list[Advice]:
    """What is asked openly, what is assumed, what protects too little, and what is hidden so well that so many answers would tell nothing.

    >>> questionnaire = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "none"}]}]}
    ... ''')
    >>> print(*advice(questionnaire, 1_000))
    note: smokes: asked openly (privacy: none): the answer is sent and stored as it is, not protected by randomisation.
    """
    found = costs(questionnaire, answers)
    open_ = {name for element in questionnaire.elements if not element.private for name in element.channels}
    epsilons = {cost.name: cost.epsilon for cost in found}
    said = [
        Advice("note", name, f"assumed: {channel.assumption}.")
        for name, channel in questionnaire.schema.items()
        if channel.assumption is not None
    ]
    for block in questionnaire.schema.blocks:
        if block.name in open_:
            sent = "asked openly (privacy: none): the answer is sent and stored as it is, not protected by randomisation."
            said.append(Advice("note", block.name, sent))
        else:
            said += [Advice("warning", block.name, text) for text in [*warnings_of(block), *notable(epsilons[block.name])]]
    return said + [Advice("warning", cost.name, _useless(cost, answers)) for cost in found if cost.margin > USEFUL]


def _useless(cost: Cost, answers: int) -> str:
    tell = f"{counted(answers, 'answer')} {'tells' if answers == 1 else 'tell'}"
    return (
        f"hidden so well that {tell} a share of {SHARE:.0%} only to ± {100 * cost.margin:.0f} points. About "
        f"{_rounded(cost.needed(answers)):,} would tell it to ± {100 * USEFUL:.0f}; or hide it less, or ask with fewer choices."
    )


def _rounded(number: int) -> int:
    """Upward to two figures: a plan is no measurement."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step


def _variance(channel: Channel) -> float:
    """The variance of one answer's unbiased weight for the first label, when a fifth of the people have it."""
    size = channel.law.inputs
    truth = np.full(size, (1 - SHARE) / (size - 1))
    truth[0] = SHARE
    wanted = np.zeros(size)
    wanted[0] = 1.0
    weights = channel.law.weights(wanted)
    return float(channel.law.push(truth) @ weights**2 - SHARE**2)
