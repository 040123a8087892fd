"""People who do not exist, with answers to a questionnaire: to see what results will look like before anyone is asked.

The model is plain on purpose. Each person has one leaning, which moves all of their answers a little in one direction, so that cross
tables show something; beyond that, questions have nothing to do with each other. Of yes or no a third says yes, of a list the first
answers are the most frequent, scales and numbers crowd somewhat above or below their middle. One answer in 25 is withheld. Nothing of this
says anything about real people. The answers are then mixed by the channels of the questionnaire, with the operating system's randomness, as
the respondent's page would mix them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deniable.core.channels.base import Channel
from deniable.core.channels.sampling import byte_source
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.labels import Ordinal
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.questions.elements import Element

YES = 0.35
SILENT = 0.04
LEANING = 0.6
"""How much of an answer is its person's leaning: answers to two questions correlate by the square of it."""


def made_up_reports(asked: Questionnaire, people: int, rng: np.random.Generator | None = None) -> list[dict[str, int]]:
    """What the pages of so many made-up people would send: the number of a reported label for each column.

    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?"}]}]}
    ... ''')
    >>> reports = made_up_reports(asked, 300)
    >>> len(reports), {report["smokes"] for report in reports} <= {0, 1, 2}
    (300, True)
    """
    truths = made_up_answers(asked, people, rng)
    drawn = {name: asked.schema[name].draw(codes, byte_source(None)) for name, codes in truths.items()}
    return [{name: int(codes[i]) for name, codes in drawn.items()} for i in range(people)]


def made_up_answers(asked: Questionnaire, people: int, rng: np.random.Generator | None = None) -> dict[str, Ints]:
    """What they would answer, as label numbers by column; the last label of each is silence.

    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "number", "name": "hours", "title": "?", "grid": true, "min": 0, "max": 10}]}]}
    ... ''')
    >>> codes = made_up_answers(asked, 300)["hours"]
    >>> len(codes), bool(((codes >= 0) & (codes <= 11)).all())
    (300, True)
    """
    rng = np.random.default_rng() if rng is None else rng
    leaning = rng.standard_normal(people)
    answers: dict[str, Ints] = {}
    for element in asked.elements:
        shown = _is_shown(element, asked, answers, people)
        # Open boxes of which none is ticked are withheld together; whatever else is asked is withheld by itself.
        together = None if element.private else rng.random(people) < SILENT
        for name, channel in element.channels.items():
            silent = rng.random(people) < SILENT if together is None else together
            codes = _leaning_to(_shares(element, channel), leaning, rng)
            answers[name] = np.where(shown & ~silent, codes, channel.domain.size - 1)
    return answers


def _is_shown(element: Element, asked: Questionnaire, answers: dict[str, Ints], people: int) -> npt.NDArray[np.bool_]:
    """Who is asked a question: that depends on an open one before it, of which silence is no answer."""
    rule = element.visible_if
    if rule is None:
        return np.ones(people, dtype=bool)
    before = next(one for one in asked.elements if one.name == rule["name"])
    wanted = [choice.value for choice in before.choices].index(rule["value"])
    chosen: npt.NDArray[np.bool_] = answers[before.name] == wanted
    return chosen if rule["equal"] else ~chosen


def _shares(element: Element, channel: Channel) -> Floats:
    """The shares of the answers to one column, silence left out."""
    count = channel.domain.size - 1
    place = (np.arange(count) + 0.5) / count
    if element.type in ("boolean", "checkbox"):
        weights = np.array([1 - YES, YES])
    elif element.extra.get("grid") is not None:
        weights = place * (1 - place) ** 2
    elif isinstance(channel.domain, Ordinal):
        weights = 0.3 + np.exp(-8 * (place - 0.6) ** 2)
    else:
        weights = 1 / np.sqrt(1.0 + np.arange(count))
    shares: Floats = weights / weights.sum()
    return shares


def _leaning_to(shares: Floats, leaning: Floats, rng: np.random.Generator) -> Ints:
    """Answers with these shares, of people with these leanings: a Gaussian copula of one factor."""
    from scipy.special import ndtr

    own = rng.standard_normal(leaning.size)
    rank = ndtr(LEANING * leaning + np.sqrt(1 - LEANING**2) * own)
    codes: Ints = np.searchsorted(np.cumsum(shares)[:-1], rank, side="right").astype(np.int64)
    return codes
