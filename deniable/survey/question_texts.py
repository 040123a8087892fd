"""What a questionnaire asks, column by column: the texts that travel with its answers."""

from __future__ import annotations

from typing import Any

from deniable.core.domains.domain import NO_ANSWER
from deniable.core.question_texts import QuestionTexts, one_line
from deniable.errors import QuestionnaireError
from deniable.survey.page_rules import SEVERAL
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.questions.choices import Choice
from deniable.survey.questions.elements import Element
from deniable.survey.texts import Text, joined


def question_texts(asked: Questionnaire) -> QuestionTexts:
    r'''The title and the labels of every column, in all languages of the survey.

    >>> questionnaire = Questionnaire.parse("""
    ... survey: habits
    ... title: Habits
    ... organiser: Town hall
    ... contact: survey@town.example
    ... other_way: Call 555 0100 to take part by telephone.
    ... languages: [pl]
    ... pages:
    ... - elements:
    ...   - {type: checkbox, name: took, title: 'Co Pan/Pani bierze?', choices: [{value: asp, text: Aspiryna}]}
    ... """)
    >>> question_texts(questionnaire).questions()["took_asp"]
    Question(title='Co Pan/Pani bierze? – Aspiryna', labels={'no': 'Nie', 'yes': 'Tak', 'no answer': 'brak odpowiedzi'})
    '''
    languages = asked.languages
    silence = joined(languages, en=NO_ANSWER, pl="brak odpowiedzi")
    ticked = [
        Choice("no", joined(languages, en="No", pl="Nie")),
        Choice("yes", joined(languages, en="Yes", pl="Tak")),
    ]
    texts = {}
    for element in asked.elements:
        for column, part in zip(element.channels, _parts(element), strict=True):
            labels = ticked if element.type == "checkbox" else element.choices
            texts[column] = {
                "title": _title(element, part, languages),
                "labels": {choice.value: _lines(choice.text) for choice in labels} | {NO_ANSWER: silence},
            }
    return QuestionTexts(languages, texts, asked.slug)


def frozen_texts(given: dict[str, Any]) -> QuestionTexts | None:
    """The texts of a frozen questionnaire; None of one that this release would not open any more, whose answers are still to be had."""
    try:
        return question_texts(Questionnaire.from_json(given))
    except QuestionnaireError:
        return None


def _parts(element: Element) -> list[Choice | None]:
    """What each column of a question asks about, where there are several."""
    if element.type not in SEVERAL:
        return [None] * len(element.channels)
    return [*(element.choices if element.type == "checkbox" else element.rows)]


def _title(element: Element, part: Choice | None, languages: list[str]) -> Text:
    unit = element.extra.get("unit")
    return {
        language: one_line(element.title[language])
        + (f" – {one_line(part.text[language])}" if part is not None else "")
        + (f" ({one_line(unit[language])})" if unit is not None else "")
        for language in languages
    }


def _lines(text: Text) -> Text:
    return {language: one_line(words) for language, words in text.items()}
