"""An organiser who knows what people answer to the second question (their month of birth, say) must not read the first."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable.survey.planning import costs
from deniable.survey.questionnaire import Questionnaire
from deniable.web.released import STATIC

DRAWS = 40_000
ATTACKED = Path(os.environ.get("DENIABLE_ATTACKED", STATIC))
SURVEY = """
survey: debts
title: Debts
organiser: Town hall
contact: town@town.example
other_way: Call us.
budget: 3
pages:
- elements:
  - type: boolean
    name: debt
    title: Debt?
    privacy: {design: unrelated, theta: 0.6, innocuous: [0.4, 0.4, 0.2], asked: true, question: Born in May?}
"""


@pytest.fixture(scope="module")
def sent(node_program):
    """Shares of what is sent, by answer and second answer."""
    [block] = Questionnaire.parse(SURVEY).client()["recipe"]["blocks"]
    command = [
        node_program,
        str(Path(__file__).with_name("second_question.mjs")),
        ATTACKED.as_uri(),
        json.dumps(block),
        str(DRAWS),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    return np.array(json.loads(done.stdout)) / DRAWS


def test_anyone_who_knows_the_second_answer_proves_no_first_one(sent):
    proven = sum(
        sent[answer, second, z] / 9
        for answer in range(3)
        for second in range(3)
        for z in range(3)
        if all(sent[other, second, z] == 0 for other in range(3) if other != answer)
    )
    assert proven == 0, f"{proven:.0%} of the first answers are proven"


def test_the_odds_that_are_shown_hold_against_them_and_are_reached(sent):
    """By hand: 2 * 15 / 2 + 1 = 16, for the label that the table has least of."""
    seen = [(sent[:, second, z].max() / sent[:, second, z].min()) for second in range(3) for z in range(3)]
    assert max(seen) == pytest.approx(16, rel=0.25)  # the rarest has 4% of 40,000: 2.5% either way, four times, without a seed
    [cost] = costs(Questionnaire.parse(SURVEY), 1_000)
    assert cost.odds == pytest.approx(16)
    assert Questionnaire.parse(SURVEY).epsilon == pytest.approx(np.log(16))
    with pytest.raises(Exception, match="more than the budget of 2"):
        Questionnaire.parse(SURVEY.replace("budget: 3", "budget: 2.5"))


def test_where_second_answers_are_as_declared_reports_are_as_the_schema_says(sent):
    """Estimates are made by the schema: averaged over second answers, the page must draw by it."""
    channel = Questionnaire.parse(SURVEY).schema["debt"]
    averaged = np.einsum("asz,s->az", sent, [0.4, 0.4, 0.2])
    assert np.abs(averaged - channel.matrix()).max() < 0.025
