"""Attackers who serve the released page and lie about the survey. Each won 20 times of 20 before the page had rules of its own.

To see one win: DENIABLE_ATTACKED=FOLDER DENIABLE_ROUNDS=20 pytest tests/attacks/page, with the static files of an earlier release.
"""

from __future__ import annotations

import secrets

import pytest

from deniable.survey.page_rules import PageRuleError, check_page
from deniable.web.recipes import judged

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

AS_IT_IS = {"law": "mixture", "denominator": 1, "diagonal": 1, "replacement": [0, 0, 0]}
SELECTOR = '{}"],[name="q-smokes'


def parts(client):
    smokes, district = client["pages"][0]["elements"]
    return smokes, district, client["recipe"]["blocks"]


def alias(client):
    smokes, district, blocks = parts(client)
    smokes["name"] = "extra"
    district["attributes"] = ["district", "extra"]
    blocks.append({"attributes": ["extra"], **AS_IT_IS})


def selector(client):
    _, district, blocks = parts(client)
    district["attributes"] = ["district", SELECTOR.format("x")]
    blocks.append({"attributes": [SELECTOR.format("x")], **AS_IT_IS})


def hidden(client):
    smokes, district, blocks = parts(client)
    smokes["attributes"], blocks[0]["attributes"] = ["mixed"], ["mixed"]
    blank = {**district, "type": "matrix", "name": "blank", "title": {"en": " "}, "attributes": ["smokes"], "rows": []}
    client["pages"][0]["elements"].append(blank)
    blocks.append({"attributes": ["smokes"], **AS_IT_IS})


def repeat(client):
    smokes, _, blocks = parts(client)
    names = [SELECTOR.format(f"r{i}") for i in range(40)]
    again = {**smokes, "type": "matrix", "name": "again", "title": {"en": " "}, "attributes": names, "rows": []}
    client["pages"][0]["elements"].append(again)
    blocks.extend({**blocks[0], "attributes": [name]} for name in names)


def condition(client):
    _, district, _ = parts(client)
    district["visibleIf"] = {"name": "smokes", "equal": True, "value": "yes"}


def weak(client):
    _, _, blocks = parts(client)
    blocks[0].update(denominator=2**53 - 1, diagonal=2**53 - 4, replacement=[1, 1, 1])


def emptied(client):
    """Python took [] for "asked openly" and looked no further; JavaScript showed it as mixed."""
    smokes, _, _ = parts(client)
    weak(client)
    smokes["private"] = []


def fraction(client):
    """The page shows 300 of 400 cases for the truth; the sampler gives it all of them, for the inner recipe has 800."""
    _, _, blocks = parts(client)
    inner = {"law": "mixture", "denominator": 800, "diagonal": 400, "replacement": [200, 200]}
    blocks[0] = {"attributes": ["smokes"], "law": "silent", "denominator": 402, "even": [1, 1], "inner": inner}


def minus_zero(client):
    """Odds of 1 / -0 are minus infinity to JavaScript, which is below every limit."""
    _, _, blocks = parts(client)
    blocks[0] = {"attributes": ["smokes"], **AS_IT_IS, "replacement": [-0.0, -0.0, -0.0]}


def label(name):
    return lambda report: report[name] == 1


def majority(report):
    said = [code for name, code in report.items() if "smokes" in name]
    return said.count(1) > said.count(0)


ATTACKS = {
    "alias": (alias, label("extra")),
    "selector": (selector, label(SELECTOR.format("x"))),
    "hidden": (hidden, label("smokes")),
    "repeat": (repeat, majority),
    "condition": (condition, lambda report: report["district"] == 0),
    "weak": (weak, label("smokes")),
    "emptied": (emptied, label("smokes")),
    "fraction": (fraction, label("smokes")),
    "minus-zero": (minus_zero, label("smokes")),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_server_that_lies_about_the_survey_learns_nothing(served, victim, attack):
    change, guess = ATTACKS[attack]
    address = served(f"json-{attack}")
    person, truths = victim(), []
    person.told(f"json-{attack}", change)
    for _ in range(served.rounds):
        if person.opens(address):
            truths.append(secrets.randbelow(2) == 1)
            person.answers(truths[-1])
    right = sum(guess(report) == smokes for report, smokes in zip(person.reports, truths, strict=True))
    assert person.reports == [], f"{right} of {served.rounds} true answers were read"
    assert "give some of them away" in person.page.get_by_role("alert").inner_text()


@pytest.mark.parametrize("attack", ATTACKS)
def test_verify_and_the_server_refuse_what_the_page_refuses(served, attack):
    import json

    served(f"judge-{attack}")
    client = json.loads(served.store.current(f"judge-{attack}")[1])
    check_page(client)
    ATTACKS[attack][0](client)
    assert [good for _, good, _ in judged(client)] == [False]
    with pytest.raises(PageRuleError, match="pages refuse this survey"):
        check_page(client)
