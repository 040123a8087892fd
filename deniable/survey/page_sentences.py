"""What the respondent's page tells people about a question, before they answer: the same sentences as static/explain.js, for organisers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.plurals import grouped_in_polish
from deniable.survey.questions.elements import Element
from deniable.survey.recipe_rows import rows

LIGHT = 9.01
"""What changes odds by more is called light by the page."""
_WORDS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "en": {
            "example": "Of {of} people whose answer is “{first}”, about {n} {send} “{second}”.",
            "nothing": " So a “{second}” proves nothing.",
            "send": ("sends", "send"),
            "labels": ("No", "Yes"),
            "ends": ("low", "high"),
            "bit": "{title} Your number is not sent, only “low” or “high”. The larger the number, the likelier is “high”; but each of "
            "them is "
            "sent for every number.",
            "coarse": "{title} Your number is not sent, only one of {n} values from {first} to {last}. Values near your number are "
            "likelier; "
            "but each of them is sent for every number.",
        },
        "pl": {
            "example": "Na {of} osób, których odpowiedź brzmi „{first}”, około {n} {send} „{second}”.",
            "nothing": " Dlatego „{second}” niczego nie dowodzi.",
            "send": ("wysyła", "wysyła"),
            "labels": ("Nie", "Tak"),
            "ends": ("nisko", "wysoko"),
            "bit": "{title} Twoja liczba nie jest wysyłana, tylko „nisko” albo „wysoko”. Im większa liczba, tym częściej „wysoko”; "
            "ale każde z "
            "nich bywa wysyłane przy każdej liczbie.",
            "coarse": "{title} Twoja liczba nie jest wysyłana, tylko jedna z {n} wartości od {first} do {last}. Wartości bliskie "
            "Twojej liczbie "
            "są częstsze; ale każda z nich bywa wysyłana przy każdej liczbie.",
        },
    }
)  # fmt: skip


def people(weight: int, denominator: int) -> tuple[int, int] | None:
    """A share as "n of so many people": as few people as give at least one, and nearly the right number.

    >>> people(1, 7), people(1, 300)
    ((14, 100), (33, 10000))
    """
    of = 10
    while of <= 10**12:
        exact = weight / denominator * of
        n = int(exact + 0.5)
        if n >= 1 and abs(n - exact) <= 0.09 * exact:
            return n, of
        of *= 10
    return None


def told(element: Element, odds: float, languages: list[str], language: str) -> list[str]:
    """What people are told of a private question, in a language of the page; the survey's texts in the same, or in its first.

    >>> from deniable.survey.questionnaire import Questionnaire
    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "strong"}]}]}
    ... ''')
    >>> told(asked.elements[0], 3.0, ["en"], "en")
    ['Of 10 people whose answer is “No”, about 2 send “Yes”. So a “Yes” proves nothing.']
    """
    words, texts = _WORDS[language], language if language in languages else languages[0]
    channel = next(iter(element.channels.values()))
    recipe = channel.law.recipe()
    weights = rows(recipe, channel.domain.size, other_reports=True)[0]
    said, sent = [], _sent(element, weights)
    if sent is not None:
        title = element.title[texts]
        said.append(
            words["bit"].format(title=title)
            if len(sent) == 2
            else words["coarse"].format(title=title, n=len(sent), first=sent[0], last=sent[-1])
        )
    if "asked" in element.extra:
        # How often a second question that is put to people changes what is sent depends on them.
        return said
    second = next((z for z in range(1, len(weights) - 1) if weights[z] > 0), None)
    counted = None if second is None else people(int(weights[second]), int(recipe["denominator"]))
    if second is None or counted is None:
        return said
    labels = _labels(element, sent, words, texts)
    n, of = counted
    sentence = words["example"] + (words["nothing"] if odds <= LIGHT else "")
    grouped = grouped_in_polish if language == "pl" else "{:,}".format
    first = str(element.extra["grid"]["min"]) if "grid" in element.extra else labels[0]
    values = {"of": grouped(of), "n": grouped(n), "send": words["send"][n != 1], "first": first, "second": labels[second]}
    return [*said, sentence.format(**values)]


def _sent(element: Element, weights: Ints) -> list[int] | None:
    """The numbers that are sent for a number of a grid, where they are not those that may be answered."""
    grid = element.extra.get("grid")
    reports = weights[:-1]
    if grid is None or len(reports) == (grid["max"] - grid["min"]) // grid["step"] + 1:
        return None
    width = int(np.count_nonzero(reports == reports.max()))
    apart = (grid["max"] - grid["min"]) / max(len(reports) - width, 1)
    return [int(np.floor(grid["min"] + (z - (width - 1) / 2) * apart + 0.5)) for z in range(len(reports))]


def _labels(element: Element, sent: list[int] | None, words: Mapping[str, Any], texts: str) -> list[str]:
    if sent is not None:
        return list(words["ends"]) if len(sent) == 2 else [str(number) for number in sent]
    grid = element.extra.get("grid")
    if grid is not None:
        return [str(number) for number in range(grid["min"], grid["max"] + 1, grid["step"])]
    if element.type == "checkbox":
        return list(words["labels"])
    return [choice.text[texts] for choice in element.choices]
