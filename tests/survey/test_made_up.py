"""Made-up people: within their ranges, with something to be seen in cross tables, and mixed as the page mixes."""

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.survey.made_up import SILENT, YES, made_up_answers, made_up_reports
from deniable.survey.questionnaire import Questionnaire

TEXT = """
survey: town
title: Town
organiser: Town hall
contact: t@town.example
other_way: Call us.
pages:
- elements:
  - {type: information, name: hello, title: Hello}
  - {type: radiogroup, name: district, title: District, choices: [north, south, east], privacy: none}
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
  - {type: rating, name: buses, title: The buses?, privacy: light}
- elements:
  - {type: number, name: hours, title: Hours?, grid: true, min: 10, max: 30, step: 2, privacy: standard}
  - {type: number, name: trips, title: Trips?, grid: true, min: 0, max: 50, for: mean}
  - {type: checkbox, name: uses, title: Uses?, choices: [bus, bicycle], privacy: none}
  - {type: matrix, name: views, title: Views?, columns: [bad, good], rows: [parks, roads]}
  - {type: age, name: age, title: Age?}
  - {type: boolean, name: moved, title: Moved?, visibleIf: "{district} = 'north'"}
  - {type: boolean, name: stayed, title: Stayed?, visibleIf: "{district} <> 'north'"}
  - {type: consent, name: agreed, title: I agree}
"""
ASKED = Questionnaire.parse(TEXT)
PEOPLE = 20_000


@pytest.fixture(scope="module")
def answers():
    return made_up_answers(ASKED, PEOPLE, np.random.default_rng(7))


def test_every_column_has_an_answer_of_its_domain_from_everyone(answers):
    assert list(answers) == list(ASKED.schema)
    for name, codes in answers.items():
        size = ASKED.schema[name].domain.size
        assert (len(codes), set(np.unique(codes)) <= set(range(size))) == (PEOPLE, True)
        # Every answer of a list occurs, so that every bar of a picture is seen.
        assert len(np.unique(codes)) == size or size > 20


def test_shares_are_those_of_the_model(answers):
    answered = answers["smokes"][answers["smokes"] < 2]
    assert abs(np.mean(answered == 1) - YES) < 4 * np.sqrt(YES * (1 - YES) / len(answered))
    assert abs(np.mean(answers["smokes"] == 2) - SILENT) < 4 * np.sqrt(SILENT * (1 - SILENT) / PEOPLE)
    shares = np.bincount(answers["district"], minlength=4)[:3]
    assert shares[0] > shares[1] > shares[2]


def test_answers_of_a_person_go_together_a_little(answers):
    said = (answers["smokes"] < 2) & (answers["buses"] < 5) & (answers["hours"] < 11)
    found = np.corrcoef([answers[name][said] for name in ("smokes", "buses", "hours")])
    assert all(0.15 < found[i, j] < 0.5 for i, j in ((0, 1), (0, 2), (1, 2)))


def test_what_is_not_shown_is_not_answered(answers):
    north = answers["district"] == 0
    assert (answers["moved"][~north] == 2).all()
    assert (answers["stayed"][north] == 2).all()
    assert (answers["moved"][north] < 2).mean() > 0.9
    # Boxes of an open question are withheld together.
    assert ((answers["uses_bus"] == 2) == (answers["uses_bicycle"] == 2)).all()


def test_reports_are_drawn_by_the_channels(monkeypatch):
    """If everyone answered the same, reports would be the channel's row of that answer; what is open stays as it is."""
    from deniable.survey import made_up

    same = {name: np.full(PEOPLE, 1) for name in ASKED.schema}
    monkeypatch.setattr(made_up, "made_up_answers", lambda *_: same)
    reports = made_up_reports(ASKED, PEOPLE)
    assert {type(code) for report in reports[:10] for code in report.values()} == {int}
    for name, channel in ASKED.schema.items():
        row = np.asarray(channel.matrix())[1]
        counts = np.bincount([report[name] for report in reports], minlength=len(row))
        expected = PEOPLE * row
        assert (counts[row == 0] == 0).all()
        wide = row > 0
        # Nothing is seeded here, so a right channel must hardly ever fail: with all columns together once in ten million runs.
        # Three people in a hundred with a wrong report are still seen.
        found = ((counts - expected)[wide] ** 2 / expected[wide]).sum()
        assert chi2.sf(found, wide.sum() - 1) > 1e-8 or wide.sum() == 1, (name, found)


def test_protecting_draws_use_no_seed():
    """The same made-up people are mixed anew each time."""
    one, other = (made_up_reports(ASKED, 200, np.random.default_rng(1)) for _ in range(2))
    assert [report["district"] for report in one] == [report["district"] for report in other]
    assert [report["smokes"] for report in one] != [report["smokes"] for report in other]
