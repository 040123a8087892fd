"""What a questionnaire costs in accuracy, seen before it is opened."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Identity
from deniable.errors import ParameterError
from deniable.planning.known_to import SHARE, Known, binding, is_noisy, known_for
from deniable.planning.precision import Wanted, margin
from deniable.planning.questions import has_mean
from deniable.plurals import counted
from deniable.privacy.measures.influence import in_people
from deniable.privacy.reporting.warnings import ALL_TOGETHER, MEANS_ALONE, notable, warnings_of, weak_together
from deniable.statistics.label_numbers import numbers_of
from deniable.survey.questionnaire import Questionnaire

USEFUL = 0.1
"""With a margin of error above this a share of 20% might as well be half or twice as large."""

UNKNOWN = 1 - SHARE
"""A share of 20% that may be off by so much may be anything."""

MOST_ANSWERS = 10_000_000
"""No survey gets more; what would need more cannot be told."""


@dataclass(frozen=True)
class Cost:
    """Of one column: its epsilon, what the answers are worth, how well a share is known, and what one lie counts as."""

    name: str
    epsilon: float
    worth: float
    margin: float
    counts_as: str = ""
    use: str | None = None
    """What a number is asked for, where that is said; then `margin` is of that."""
    span: float = 1.0
    """How far numbers lie apart whose mean is asked for: its margin is a part of that."""

    @property
    def odds(self) -> float:
        """How many times a report may change anyone's odds."""
        return math.exp(self.epsilon)

    @property
    def is_known(self) -> bool:
        """Whether anything is known about a share of 20%, or about what a number is asked for."""
        return self.margin < most_unknown(self.use)

    @property
    def worth_in_words(self) -> str:
        """How many direct answers would tell as much.

        >>> Cost("smokes", 1.1, 50.2, 0.2).worth_in_words, Cost("age", 2.8, 0.9, 0.8).worth_in_words
        ('50', 'less than one')
        """
        return f"{round(self.worth):,}" if self.worth >= 1 else "less than one"

    @property
    def margin_in_words(self) -> str:
        """How well a share of 20% is known, or what a number is asked for.

        >>> Cost("smokes", 1.1, 50.2, 0.2).margin_in_words, Cost("age", 2.8, 0.9, 0.8).margin_in_words
        ('± 20.0 points', 'cannot be told')
        >>> Cost("hours", 1.6, 440.0, 0.0465, use="mean", span=99).margin_in_words
        'mean: ± 4.6'
        """
        known = self.within(self.margin, ".1f") if self.is_known else "cannot be told"
        return known if self.use is None else f"{_OF_WHAT[self.use]}: {known}"

    def within(self, margin: float, digits: str = ".0f") -> str:
        """A margin in points, or in numbers where it is that of their mean.

        >>> Cost("hours", 1.6, 440.0, 0.0465, use="mean", span=99).within(0.1)
        '± 9.9'
        """
        two_figures = float(f"{margin * self.span:.2g}")
        return f"± {two_figures:,g}" if self.use == "mean" else f"± {100 * margin:{digits}} points"


_OF_WHAT = {"mean": "mean", "share": "lowest fifth", "quantile": "median"}


def most_unknown(use: str | None) -> float:
    """From this margin on what is asked for may be anything."""
    return UNKNOWN if use in (None, "share") else 0.5


def costs(questionnaire: Questionnaire, answers: int) -> list[Cost]:
    """For each column of the data what `answers` randomised answers are worth, for an answer that a fifth of the people give: the one
    that is hardest to tell.

    Behind noise, where nobody asks for a single value, that answer is the lowest fifth of the values. A number that says what it is `for`
    is judged by that.

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
    all_costs, margins = [], dict[tuple[Channel, str | None], tuple[Known, float]]()
    epsilons = {name: epsilon for element in questionnaire.elements for name, epsilon in element.epsilons.items()}
    reach = NormalDist().inv_cdf(0.975)
    uses = {name: element.use for element in questionnaire.elements for name in element.channels}
    for name, channel in questionnaire.schema.items():
        use = uses[name]
        if (channel, use) not in margins:
            margins[channel, use] = known_for(channel, answers, use), _shown(channel, answers, use)
        known, shown = margins[channel, use]
        worth = known.direct * (reach / min(known.margin, most_unknown(use))) ** 2
        lies = in_people(channel, answers, known.influence)
        all_costs.append(Cost(name, epsilons[name], worth, shown, lies, use, _span(channel)))
    return all_costs


def _shown(channel: Channel, answers: int, use: str | None) -> float:
    """The margin that a plan shows (`dn.plan`), as a part of the range where it is one of a mean. Where a plan calls the answers too few,
    it is that of an interval that is not cut at 0 and 1."""
    lowest, share = use == "share" or is_noisy(channel), 0.5 if use == "quantile" else SHARE
    found = margin(channel, Wanted(use or "share", share, lowest=lowest), answers)
    if found is None or math.isinf(found):
        return min(known_for(channel, answers, use).margin, most_unknown(use))
    return min(found / (_span(channel) if use == "mean" else 1.0), most_unknown(use))


def _span(channel: Channel) -> float:
    return float(np.ptp(numbers_of(channel.domain))) if has_mean(channel.domain) else 1.0


@dataclass(frozen=True)
class Advice:
    """A sentence about one column: a `note` of what is as it should be, or a `warning`."""

    kind: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}: {self.text}"


def advice(questionnaire: Questionnaire, answers: int) -> list[Advice]:
    """What is asked openly, what is assumed, what protects too little, alone or with the others,
    and what is hidden so well that so many answers would say nothing.

    >>> questionnaire = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "none"}]}]}
    ... ''')
    >>> print(*advice(questionnaire, 1_000))
    note: smokes: asked openly (privacy: none): the answer is sent and stored as it is, not protected by randomisation.
    """
    all_costs = costs(questionnaire, answers)
    open_ = {name for element in questionnaire.elements if not element.private for name in element.channels}
    epsilons, uses = {cost.name: cost.epsilon for cost in all_costs}, {cost.name: cost.use for cost in all_costs}
    named = {cost.name: cost for cost in all_costs}
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
            warned = [*warnings_of(block), *notable(epsilons[block.name])]
            if uses.get(block.name):
                said.append(Advice("note", block.name, _chosen(questionnaire, named[block.name], answers)))
            # A number that is asked for its mean alone need not tell more.
            kinds = {MEANS_ALONE: "note"} if uses.get(block.name) else {}
            said += [Advice(kinds.get(text, "warning"), block.name, text) for text in warned]
    said += [Advice("warning", cost.name, _useless(questionnaire, cost, answers)) for cost in all_costs if _is_wide(cost)]
    together = [epsilons[block.name] for block in questionnaire.schema.blocks if block.name not in open_]
    return said + [Advice("warning", ALL_TOGETHER, text) for text in weak_together(together)]


def _chosen(questionnaire: Questionnaire, cost: Cost, answers: int) -> str:
    """Which design a question's use has chosen, and what that gains."""
    channel = questionnaire.schema[cost.name]
    chosen = type(channel).__name__
    if isinstance(channel, KRR):
        return f"chosen for what it is asked for ({cost.use}): {chosen}; no other design at these odds tells it better."
    plain = KRR.from_epsilon(channel.domain, channel.epsilon)
    without = replace(cost, margin=_shown(plain, answers, cost.use))
    known, otherwise = (each.margin_in_words.split(": ")[1] for each in (cost, without))
    gain = f"{known} (without `for`: {otherwise})"
    return f"chosen for what it is asked for ({cost.use}): {chosen}. With {counted(answers, 'answer')}: {gain}."


def _is_wide(cost: Cost) -> bool:
    """Whether a margin is above the useful one by as much as can be shown."""
    return round(100 * cost.margin, 1) > 100 * USEFUL


def _within(cost: Cost) -> str:
    return cost.within(cost.margin) if cost.use == "mean" else f"± {_points(cost.margin)} points"


def _points(margin: float) -> str:
    """A margin of error in points, with a decimal where it would look like the useful one without.

    >>> _points(0.104), _points(0.237)
    ('10.4', '24')
    """
    return f"{100 * margin:.1f}" if round(100 * margin) == round(100 * USEFUL) else f"{100 * margin:.0f}"


def _useless(questionnaire: Questionnaire, cost: Cost, answers: int) -> str:
    channel = questionnaire.schema[cost.name]
    known = known_for(channel, answers, cost.use)
    show = f"{counted(answers, 'answer')} {'pins' if answers == 1 else 'pin'} down"
    useful, it = cost.within(USEFUL).removesuffix(" points"), "the mean" if cost.use == "mean" else "it"
    if isinstance(channel, Identity):
        enough = _rounded(_needed(questionnaire, cost, answers) or MOST_ANSWERS)
        start = f"asked openly, but {show} {known.about} only to within {_within(cost)}."
        return f"{start} About {enough:,} would pin {it} down to within {useful}."
    if cost.is_known:
        start = f"hidden so well that {show} {known.about} only to within {_within(cost)}."
    else:
        start = (
            f"hidden so well that {known.about} cannot be estimated from {counted(answers, 'answer')}: it might be anything."
        )
    needed = _needed(questionnaire, cost, answers)
    more = (
        f"About {_rounded(needed):,} would pin {it} down to within {useful}"
        if needed is not None
        else f"Not even {MOST_ANSWERS:,} would pin {it} down to within {useful}"
    )
    return f"{start} {more}; {'or' if needed is not None else 'so'} {binding(channel, answers, USEFUL)}."


def _needed(questionnaire: Questionnaire, cost: Cost, answers: int) -> int | None:
    """How many answers would make the margin useful; None where no survey gets so many."""
    channel = questionnaire.schema[cost.name]

    def useful(number: int) -> bool:
        return known_for(channel, number, cost.use).margin <= USEFUL

    if not useful(MOST_ANSWERS):
        return None
    low, high = answers, max(answers, MOST_ANSWERS)
    while high > low + 1 + low // 1_000:
        middle = max(low + 1, math.isqrt(low * high))
        low, high = (low, middle) if useful(middle) else (middle, high)
    return high


def _rounded(number: int) -> int:
    """Upward to two figures: a plan is no measurement."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step
