"""Anyone who knows all answers but one publishes the table once with each answer that this one may have given, and compares.

What lies beside the published table (`NAME.publication.json`) must be the same, byte for byte, whatever the answer was: everything in it
that depends on the answers, be it the number of groups, would rule some of them out.
"""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish import guarantees as module

ROWS = 300
ILLNESSES = ["asthma", "cancer", "dementia", "diabetes", "flu", "gout", "healthy", "hepatitis", "migraine", "obesity"]
ANSWERS = [*ILLNESSES, "rabies"]  # the last one nobody else gave
FEW = ["asthma", "obesity", "rabies"]
VICTIMS = range(12)


def world(victim, answer):
    """The table if the one unknown person gave this answer; everything else the attacker knows."""
    rng = np.random.default_rng(5)
    age, sex = rng.integers(18, 90, ROWS) // 10 * 10, rng.choice(["f", "m"], ROWS)
    ill = np.array(ILLNESSES)[np.minimum(rng.geometric(0.25, ROWS) - 1 + (age > 60), len(ILLNESSES) - 1)].astype(object)
    ill[victim] = answer
    smokes = np.where(rng.random(ROWS) < 0.3 + 0.2 * (sex == "m"), "yes", "no")
    return pd.DataFrame({"age": age, "sex": sex, "ill": ill, "smokes": smokes})


def beside(frame, sensitive, asked):
    """What would lie beside the published table; the draws come from the same source each time."""
    publication = dn.publish_frame(frame, sensitive, rng=np.random.default_rng(1), **asked)
    return json.dumps(publication.to_dict()).encode()


def answers_left(victim, answers=ANSWERS, sensitive="ill", **asked):
    """The answers of the unknown person that what was published does not rule out; the one they gave is the first."""
    seen = beside(world(victim, answers[0]), sensitive, asked)
    return [answer for answer in answers if beside(world(victim, answer), sensitive, asked) == seen]


@pytest.mark.parametrize(
    ("sensitive", "asked"),
    [
        ("ill", {"mix": 0.2}),
        ("ill", {"min_deniability": 0.3, "recode": True}),
        ("ill", {"merge_rare": {"ill": 20}}),
        (["smokes", "ill"], {}),
        (["ill", "smokes"], {"joint": True}),
    ],
)
def test_what_lies_beside_a_published_table_rules_out_no_answer_of_the_one_unknown(sensitive, asked):
    assert answers_left(0, FEW, sensitive, **asked) == FEW


def test_nor_does_it_rule_out_any_answer_at_all():
    assert answers_left(0) == ANSWERS


def test_bands_of_a_sensitive_column_are_told_by_their_rule(tmp_path):
    paid = [np.random.default_rng(2).lognormal(10, 0.4, ROWS).round(-1) for _ in range(2)]
    paid[1][0] *= 40
    told = [beside(world(0, "flu").assign(pay=pay), "pay", {"drop": ["ill", "smokes"]}) for pay in paid]
    assert told[0] == told[1]


def test_the_number_of_groups_would_have_ruled_out_answers(monkeypatch):
    monkeypatch.setattr(module, "PUBLIC", (*module.PUBLIC, "groups"))
    assert any(answers_left(victim, FEW) != FEW for victim in VICTIMS)


def test_a_list_of_the_answers_that_occur_would_have_told_a_rare_one(monkeypatch):
    def listed(publication, tree, rows):
        return {"answers": list(tree.sensitive_.labels[0])}

    monkeypatch.setattr(dn.Publication, "_tree", listed)
    assert answers_left(0, FEW) != FEW


def test_answers_that_the_owner_declared_are_public():
    told = dn.publish_frame(world(0, "flu"), "ill", outcomes=ANSWERS).to_dict()["columns"][0]
    assert told["answers"] == [ANSWERS]
    # Eleven answers mean a larger minority than the two that are counted where none are declared.
    least = "minority_share_of_minimum"
    undeclared = dn.publish_frame(world(0, "flu"), "ill").to_dict()["columns"][0]
    assert told["guarantees"]["overall"][least] > 2 * undeclared["guarantees"]["overall"][least]
    assert "answers" not in undeclared
