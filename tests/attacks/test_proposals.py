"""What the plan of a draft proposes protects people as it says: no total above the budget, nothing that grows afterwards, and no
difference too large to be seen."""

import importlib.util
import math
import random
from pathlib import Path

import pytest

from deniable.errors import ParameterError
from deniable.survey.drafts.fields import applied, fields_of, shown
from deniable.survey.drafts.plannable import plannable
from deniable.survey.drafts.planned import DraftPlan, Wishes, can_change, odds_of, with_odds
from deniable.survey.page_rules import MOST_ODDS
from deniable.web.draft_protection import changes_of, is_weaker

_SPEC = importlib.util.spec_from_file_location("questionnaires", Path(__file__).parents[1] / "survey" / "questionnaires.py")
questionnaires = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(questionnaires)
SMOKES = {"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "standard"}
TRAMS = {"type": "rating", "name": "trams", "title": "The trams?", "for": "mean", "privacy": "light"}


def draft(*elements):
    return {"title": "Habits", "pages": [{"elements": list(elements)}]}


def used(content, **wishes):
    """The draft after "Use this proposal"."""
    planned = DraftPlan(plannable(content)[0], Wishes(**wishes))
    rows = {row.name: row.odds for row in planned.proposal.rows}
    return rows, with_odds(content, planned.asked, rows)


def test_questions_that_cannot_change_are_taken_off_the_budget():
    rows, changed = used(draft(SMOKES, TRAMS), answers=2_000, budget=20)
    # The trams are asked for their mean: what is proposed for them is what they have, 9, and 20 / 9 is left for the other.
    assert rows == {"smokes": 2.2, "trams": pytest.approx(9)}
    assert plannable(changed)[0].epsilon <= math.log(20)
    assert odds_of(plannable(changed)[0]) == {(0, 0): pytest.approx(2.2), (0, 1): pytest.approx(9)}


def test_no_proposal_exceeds_its_budget_whatever_is_asked():
    shared = refused = fixed = 0
    for seed in range(80):
        content = questionnaires.Maker(seed).questionnaire()
        asked, left = plannable(content)
        assert left == []
        budget = round(random.Random(seed).choice([1.5, 5, 20, 200, 5_000, 900_000]) * random.Random(seed).uniform(1, 2), 1)
        try:
            rows, changed = used(content, answers=1_000, budget=budget)
        except ParameterError as error:
            refused += error.code in ("budget_fixed", "budget_too_small", "budget_all_fixed")
            continue
        after = plannable(changed)[0]
        epsilons = {name: each for one in after.elements if one.private for name, each in one.epsilons.items()}
        assert after.epsilon <= math.log(budget) + 1e-9, seed
        # Each question has the odds that its row says, so that the page hides nothing.
        assert {name: math.exp(each) for name, each in epsilons.items()} == {
            name: pytest.approx(odds) for name, odds in rows.items()
        }
        assert max(rows.values()) <= MOST_ODDS + 1e-9
        shared += 1
        fixed += any(one.private and not can_change(one) for one in asked.elements)
    assert shared + refused == 80
    assert min(shared, refused, fixed) > 9


@pytest.mark.parametrize(
    ("elements", "budget", "code"),
    [
        ((SMOKES, TRAMS), 9.5, "budget_fixed"),
        ((TRAMS,), 20, "budget_all_fixed"),
        ((SMOKES, {**SMOKES, "name": "b"}), 1.2, "budget_too_small"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(elements, budget, code):
    with pytest.raises(ParameterError) as error:
        used(draft(*elements), budget=budget)
    assert error.value.code == code


def test_answers_that_are_added_afterwards_weaken_no_protection_that_was_taken_over():
    party = {"type": "radiogroup", "name": "party", "title": "Party?", "privacy": "light", "choices": ["A", "B"]}
    planned = DraftPlan(plannable(draft(party))[0], Wishes(answers=1_000, margin=0.06))
    (one,) = planned.questions
    changed = with_odds(draft(party), planned.asked, {"party": one.strongest.odds})
    question = changed["pages"][0]["elements"][0]
    fields = fields_of(question)
    more = {f"choices.{i}.value": letter for i, letter in enumerate("ABCDEFGHIJ")}
    question = applied(fields, question, {**shown(fields, question, ["en"]), **more}, ["en"])
    assert len(question["choices"]) == 10
    assert odds_of(plannable(draft(question))[0]) == {(0, 0): pytest.approx(one.strongest.odds)}


def test_what_all_answers_give_away_is_compared_however_much_it_is():
    """Beyond e^30 a cut would have called any two drafts alike; beyond e^709 floats end."""

    def grid(rows, level):
        answers = {"rows": [f"r{i}" for i in range(rows)], "columns": ["a", "b", "c"]}
        return draft({"type": "matrix", "name": "m", "title": "M?", "privacy": level, **answers})

    for fewer, rows in ((20, 21), (450, 460)):
        changes = changes_of(grid(fewer, "standard"), grid(rows, "standard"))
        assert [(one.place, one.kind) for one in changes] == [(None, "weaker")]
        assert is_weaker(changes)
    assert not is_weaker(changes_of(grid(20, "standard"), grid(20, "strong")))
