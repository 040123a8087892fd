"""What people get wrong in their first questionnaire is told with what to do."""

from __future__ import annotations

import pytest

from deniable.errors import FileError, QuestionnaireError
from deniable.survey.questionnaire import Questionnaire

GOOD = """survey: habits
title: Zdrowie łódzkie
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?}
"""


def test_a_file_of_windows_is_to_be_saved_as_utf8_and_its_mark_is_no_mistake(tmp_path):
    path = tmp_path / "q.yaml"
    path.write_bytes(GOOD.encode("cp1250"))
    with pytest.raises(FileError, match="Save it again as UTF-8") as error:
        Questionnaire.load(path)
    assert "codec" not in str(error.value)
    path.write_bytes(GOOD.encode("utf-8-sig"))
    assert Questionnaire.load(path).title == {"en": "Zdrowie łódzkie"}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("  - {type", "\t- {type", "line 8: there is a tab where YAML wants spaces. Use spaces instead."),
        ("title: Zdrowie łódzkie", "title:", "line 2: a text is missing: title."),
        (
            "title: Zdrowie łódzkie",
            "title: {en: Health, de: Gesundheit}",
            "title has the unknown ['de']; the survey's languages are ['en'].",
        ),
        ("title: Zdrowie łódzkie", "title: {}", "title is missing ['en']; the survey's languages are ['en']."),
        ("organiser:", "languages: [en, Polski]\norganiser:", "codes of two or three small letters; Polski is none."),
        ("organiser:", "languages: [en, en]\norganiser:", "languages is a list such as [en, pl], got ['en', 'en']."),
    ],
)
def test_a_mistake_is_named(before, after, says):
    text = GOOD.replace(before, after, 1)
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("grid", "noise", "passes"),
    [
        ("min: 0, max: 20", "scale: 10, answered: 0.6", True),  # the examples of docs/questionnaire.md
        ("min: 18, max: 90", "scale: 36, answered: 0.3", True),
        ("min: 18, max: 90", "scale: 1000, answered: 0.7", False),
    ],
)
def test_noise_that_pages_refuse_is_told_of_silence_too(grid, noise, passes):
    number = f"  - {{type: number, name: n, title: How many?, grid: true, {grid}, step: 1, privacy: {{design: laplace, {noise}}}}}\n"
    if passes:
        assert Questionnaire.parse(GOOD + number).title == {"en": "Zdrowie łódzkie"}
        return
    with pytest.raises(QuestionnaireError, match="a smaller p, theta or answered"):
        Questionnaire.parse(GOOD + number)
