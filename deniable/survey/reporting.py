"""The privacy report of a questionnaire: its questions in their own words, and every warning that checking it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deniable.errors import ParameterError
from deniable.privacy.reporting.report import PrivacyReport, report
from deniable.privacy.reporting.rows import Row, at_odds
from deniable.survey.planning import advice, costs
from deniable.survey.question_texts import question_texts
from deniable.survey.questionnaire import Questionnaire


def privacy_report(
    questionnaire: Questionnaire, answers: int = 1_000, prior: Mapping[str, Any] | None = None, language: str | None = None
) -> PrivacyReport:
    """What a questionnaire gives away, for so many expected answers. Questions and answers are in one of its languages: in
    English unless said, or in its first if it is not asked in English.

    >>> questionnaire = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "strong"},
    ...                          {"type": "boolean", "name": "votes", "title": "May you vote?", "privacy": "none"}]}]}
    ... ''')
    >>> report = privacy_report(questionnaire)
    >>> report.rows[0].text, report.rows[0].odds, report.asked_openly
    ('Do you smoke?', 'by a factor of at most 3.0', ('votes',))
    """
    if language is None:
        language = "en" if "en" in questionnaire.languages else questionnaire.languages[0]
    if language not in questionnaire.languages:
        raise ParameterError(
            "language", "The questionnaire is not asked in {got!r}, only in {allowed}.",
            got=language, allowed=", ".join(questionnaire.languages),
        )  # fmt: skip
    plain = how_it_hides(questionnaire, language, prior)
    said = advice(questionnaire, answers)
    lies = {cost.name: cost.counts_as for cost in costs(questionnaire, answers)}

    def completed(row: Row) -> Row:
        warnings = tuple(one.text for one in said if one.kind == "warning" and one.name == row.name)
        return replace(row, warnings=warnings, counts_as=lies[row.name])

    notes = tuple((one.name, one.text) for one in said if one.kind == "note")
    return PrivacyReport(questionnaire.schema, tuple(map(completed, plain.rows)), notes=notes, language=language)


def how_it_hides(questionnaire: Questionnaire, language: str, prior: Mapping[str, Any] | None = None) -> PrivacyReport:
    """The same without warnings and advice, which take long to compute: how each question is hidden, and what a report gives away."""
    texts = _texts(questionnaire, language)
    epsilons = {name: epsilon for element in questionnaire.elements for name, epsilon in element.epsilons.items()}
    plain = report(questionnaire.schema, prior, texts=question_texts(questionnaire).questions(language))

    def known(row: Row) -> Row:
        # Beside a second question that is put to people the odds are those of an organiser who knows its answer.
        row = at_odds(row, epsilons[row.name]) if epsilons[row.name] > row.epsilon else row
        return replace(row, text=texts[row.name])

    return PrivacyReport(questionnaire.schema, tuple(map(known, plain.rows)), language=language)


def _texts(questionnaire: Questionnaire, language: str) -> dict[str, str]:
    """The words of each column's question; of a box or a row of a matrix, with those of the box or the row."""
    titles = {}
    for element in questionnaire.elements:
        parts = element.rows or (element.choices if element.type == "checkbox" else [])
        title = element.title[language]
        for i, name in enumerate(element.channels):
            titles[name] = f"{title} – {parts[i].text[language]}" if parts else title
    return titles
