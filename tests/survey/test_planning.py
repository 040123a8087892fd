"""What a plan may say: nothing that cannot be, and what checking and reporting say is the same."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError, QuestionnaireError
from deniable.planning.known_to import known_to
from deniable.survey import planning
from deniable.survey.planning import MOST_ANSWERS, advice, costs
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


@pytest.mark.servers
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


@pytest.mark.servers
def test_what_cannot_be_told_is_said_with_the_parameter_that_binds():
    [*_, few] = advice(asked("laplace, scale: 35, answered: 0.3"), 100)
    assert "cannot be estimated from 100 answers" in few.text
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


def test_a_last_day_that_is_past_is_a_mistake_with_its_line():
    body = "  - {type: boolean, name: smokes, title: Do you smoke?}\n"
    questionnaire = Questionnaire.parse(HEAD.replace("organiser", "closes: 2020-03-31\norganiser", 1) + body, "q.yaml")
    questionnaire.check_last_day(datetime.date(2020, 3, 31))
    with pytest.raises(
        QuestionnaireError, match=r"^q.yaml, line \d: closes: 2020-03-31 is over, .* a later day, or take the line away"
    ):
        questionnaire.check_last_day(datetime.date(2020, 4, 1))


@pytest.mark.parametrize(
    ("margin", "says"), [(0.1004, None), (0.1006, "± 10.1 points"), (0.104, "± 10.4 points"), (0.17, "± 17 points")]
)
def test_a_margin_is_told_apart_from_the_useful_one_or_not_told(monkeypatch, margin, says):
    questionnaire = Questionnaire.parse(HEAD + "  - {type: boolean, name: smokes, title: Do you smoke?}\n")
    monkeypatch.setattr(planning, "costs", lambda *_: [planning.Cost("smokes", 1.0, 50.0, margin)])
    said = [str(one) for one in advice(questionnaire, 1_000) if "pin" in one.text]
    assert [says in one for one in said] == ([] if says is None else [True])


def test_an_open_question_is_not_called_hidden():
    openly = Questionnaire.parse(HEAD + "  - {type: boolean, name: votes, title: May you vote?, privacy: none}\n")
    [_, few] = advice(openly, 50)
    assert (
        few.text
        == "asked openly, but 50 answers pin down a share of 20% only to within ± 11 points. About 62 would pin it down to within ± 10."
    )


def test_silence_is_no_end_of_a_range():
    levelled = Questionnaire.parse(HEAD + "  - {type: number, name: age, title: How old?, grid: true, min: 18, max: 90}\n")
    assert privacy_report(levelled).rows[0].answers == "73 values, 18 to 90, or 'no answer'"


@pytest.mark.parametrize("answers", [0, -5, True, 2.5, "many", None])
def test_a_number_of_answers_that_is_none_is_refused(answers):
    for plan in (costs, advice):
        with pytest.raises(ParameterError, match=f"whole number above 0, got {answers!r}"):
            plan(asked("laplace, scale: 35, answered: 0.3"), answers)


BOX = "  - {type: boolean, name: NAME, title: Really?, privacy: PRIVACY}\n"


def boxes(**privacy: str) -> Questionnaire:
    return Questionnaire.parse(
        HEAD + "".join(BOX.replace("NAME", name).replace("PRIVACY", how) for name, how in privacy.items())
    )


def test_what_is_open_assumed_or_weak_is_said_of_its_question():
    second = (
        "{design: unrelated, theta: 0.6, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true, question: Born in May?}"
    )
    plan = advice(boxes(open_one="none", fine="standard", weak_one="{design: krr, p: 0.88}", second=second), 1_000)

    def said(kind: str, name: str) -> str:
        return " ".join(one.text for one in plan if (one.kind, one.name) == (kind, name))

    assert "asked openly" in said("note", "open_one")
    assert "assumed: people answer the unrelated question as declared" in said("note", "second")
    assert "anyone who knows someone's answer to the second question" in said("warning", "second")
    assert "change someone's odds by a factor of up to 14.7" in said("warning", "weak_one")
    assert not said("warning", "open_one")
    assert not said("note", "fine")
    assert not said("warning", "fine")


def test_open_questions_do_not_hide_what_the_private_ones_tell_together():
    private = {f"q{i}": "light" for i in range(4)}
    alone, beside = (
        [one.text for one in advice(boxes(**questions), 1_000) if one.name == "all questions together"]
        for questions in (private, {"open_one": "none", **private})
    )
    assert alone == beside != []


@pytest.mark.parametrize("privacy", ["strong", "{design: krr, p: 0.4}"])
def test_as_many_answers_as_a_plan_names_are_enough_and_hardly_fewer(privacy):
    questionnaire = boxes(q=privacy)
    [*_, few] = [one for one in advice(questionnaire, 20) if one.name == "q"]
    named = int(re.search(r"About ([\d,]+) would pin it down to within ± 10", few.text)[1].replace(",", ""))
    assert costs(questionnaire, named)[0].margin <= 0.1
    assert costs(questionnaire, round(0.85 * named))[0].margin > 0.1


@pytest.mark.servers
def test_more_answers_than_any_survey_gets_are_not_promised():
    [*_, hopeless] = advice(asked("normal, scale: 70, answered: 0.3"), 1_000)
    assert f"Not even {MOST_ANSWERS:,} would pin it down to within ± 10; so " in hopeless.text


def test_margins_are_those_of_the_answer_that_is_hardest_to_tell():
    """Computed by hand from the inverse matrix: each answer in turn is given by a fifth, the others evenly."""
    matrix = np.array([[0.9, 0.05, 0.05], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]])
    inverse = np.linalg.inv(matrix)
    margins = []
    for k in range(3):
        truth = np.full(3, 0.4)
        truth[k] = 0.2
        reports, weights = truth @ matrix, inverse[:, k]
        margins.append(1.959964 * np.sqrt((reports @ weights**2 - (reports @ weights) ** 2) / 2_000))
    assert np.round(100 * np.array(margins), 1).tolist() == [4.1, 6.1, 4.9]
    channel = dn.Matrix(dn.Nominal(["no", "yes", "no answer"]), matrix.tolist())
    assert known_to(channel, 2_000).margin == pytest.approx(max(margins), rel=1e-6)
