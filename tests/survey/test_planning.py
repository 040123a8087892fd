"""What a plan may say: nothing that cannot be, and what checking and reporting say is the same."""

from __future__ import annotations

import datetime
import re

import pytest

from deniable.errors import ParameterError
from deniable.survey.planning import MOST_ANSWERS, advice, costs, over
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.reporting import privacy_report

HEAD = """
survey: habits
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
"""
AGE = "  - {type: number, name: age, title: How old?, grid: true, min: 18, max: 90, privacy: {design: DESIGN}}\n"


def asked(design: str) -> Questionnaire:
    return Questionnaire.parse(HEAD + AGE.replace("DESIGN", design))


@pytest.mark.parametrize("design", ["laplace, scale: 35, answered: 0.3", "normal, scale: 70, answered: 0.3"])
@pytest.mark.parametrize("answers", [1, 200, 3_000])
def test_behind_noise_no_plan_is_impossible(design, answers):
    [cost] = costs(asked(design), answers)
    assert 0 < cost.margin <= 0.8
    lie = re.fullmatch(r"([\d,.]+) people|one person|all who answer", cost.counts_as)
    assert lie is not None
    assert lie[1] is None or float(lie[1].replace(",", "")) <= answers + 0.1
    for one in advice(asked(design), answers):
        assert all(float(points) <= 80 for points in re.findall(r"± (\d+) points", one.text))
        assert all(int(number.replace(",", "")) <= MOST_ANSWERS for number in re.findall(r"About ([\d,]+)", one.text))


def test_what_cannot_be_told_is_said_with_the_parameter_that_binds():
    [*_, few] = advice(asked("laplace, scale: 35, answered: 0.3"), 100)
    assert "cannot be told from 100 answers" in few.text
    [*_, noise] = advice(asked("laplace, scale: 35, answered: 0.3"), 3_000)
    assert "a smaller scale" in noise.text
    assert "answered" not in noise.text


def test_checking_warns_of_all_questions_together_as_the_report_does():
    boxes = "".join(f"  - {{type: boolean, name: q{i}, title: Q{i}?, privacy: light}}\n" for i in range(4))
    questionnaire = Questionnaire.parse(HEAD + boxes)
    said = [(one.name, one.text) for one in advice(questionnaire, 1_000) if one.kind == "warning"]
    assert said == list(privacy_report(questionnaire, 1_000).warnings)
    # 9^4 = 6561: 10% becomes 729 / 730.
    assert said[-1][0] == "all questions together"
    assert "10% to 99.87%" in said[-1][1]


def test_a_report_shows_answers_by_their_texts_in_a_language():
    choices = "choices: [{value: n, text: {en: Never, pl: Nigdy}}, {value: o, text: {en: Often, pl: Często}}]"
    body = f"  - {{type: radiogroup, name: drinks, title: {{en: Do you drink?, pl: Czy pijesz?}}, {choices}}}\n"
    questionnaire = Questionnaire.parse(HEAD.replace("organiser", "languages: [en, pl]\norganiser", 1) + body)
    [row] = privacy_report(questionnaire).rows
    assert (row.text, row.answers) == ("Do you drink?", "Never, Often, no answer")
    assert "reports 'Often'" in row.says
    page = privacy_report(questionnaire, language="pl").to_html()
    assert "Czy pijesz?" in page
    assert "Często" in page
    assert "Often" not in page
    with pytest.raises(ParameterError, match="not asked in 'de', only in en, pl"):
        privacy_report(questionnaire, language="de")


def test_checking_warns_of_a_last_day_that_is_past():
    questionnaire = Questionnaire.parse(
        "closes: 2020-03-31" + HEAD + AGE.replace("DESIGN", "laplace, scale: 35, answered: 0.3")
    )
    assert [one.name for one in over(questionnaire, datetime.date(2020, 4, 1))] == ["closes"]
    assert over(questionnaire, datetime.date(2020, 3, 31)) == []


def test_an_open_question_is_not_called_hidden():
    openly = Questionnaire.parse(HEAD + "  - {type: boolean, name: votes, title: May you vote?, privacy: none}\n")
    [_, few] = advice(openly, 50)
    assert few.text == "asked openly, but 50 answers tell a share of 20% only to ± 11 points. About 62 would tell it to ± 10."


def test_silence_is_no_end_of_a_range():
    levelled = Questionnaire.parse(HEAD + "  - {type: number, name: age, title: How old?, grid: true, min: 18, max: 90}\n")
    assert privacy_report(levelled).rows[0].answers == "73 values, 18 to 90, or 'no answer'"
