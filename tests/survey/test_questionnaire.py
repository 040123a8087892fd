"""Questionnaires: every type of question, every refusal with its line, and privacy levels that hold exactly."""

from __future__ import annotations

import itertools
import json
import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

import deniable as dn
import deniable.survey
from deniable.errors import FileError, QuestionnaireError
from deniable.survey.json_schema import json_schema
from deniable.survey.levels import LEVELS, channel_for, neighbours_for
from deniable.survey.planning import costs
from deniable.survey.questionnaire import Questionnaire

HEAD = """survey: habits
title: {en: Habits, pl: Nawyki}
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
languages: [en, pl]
closes: 2027-03-31
pages:
- title: Page one
  elements:
"""
EVERY = (
    HEAD
    + """
  - {type: information, name: hello, title: Welcome}
  - {type: consent, name: agree, title: I take part of my own will}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
  - {type: boolean, name: smokes, title: {en: 'Do you smoke?', pl: 'Czy pali Pan/Pani?'}, privacy: strong}
  - {type: dropdown, name: credit, title: Credit, choices: [none, {value: late, text: {en: Overdue, pl: Zaległy}}], privacy: light}
  - {type: rating, name: mayor, title: The mayor, rateMax: 5}
  - {type: rating, name: roads, title: Roads, choices: [bad, fair, good], privacy: {design: neighbours, level: standard}}
  - {type: age, name: age, title: Age}
  - {type: number, name: income, title: Income, bands: [1000, 2000, 4000], unit: zł}
  - {type: number, name: children, title: Children, grid: true, min: 0, max: 6}
  - {type: checkbox, name: drugs, title: Which, choices: [alcohol, tobacco, other drugs]}
  - {type: matrix, name: trust, title: Trust, rows: [police, courts], columns: [little, some, much]}
  - type: boolean
    name: debt
    title: Debt
    privacy: {design: unrelated, theta: 0.6, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}}
    visibleIf: "{district} = 'north'"
"""
)


def refused(body, head=HEAD):
    with pytest.raises(QuestionnaireError) as caught:
        Questionnaire.parse(head + body, "survey.yaml")
    return str(caught.value)


def test_every_type_of_question_becomes_its_columns():
    found = Questionnaire.parse(EVERY, "survey.yaml")
    assert list(found.schema) == [
        "district", "smokes", "credit", "mayor", "roads", "age", "income", "children",
        "drugs_alcohol", "drugs_tobacco", "drugs_other_drugs", "trust_police", "trust_courts", "debt",
    ]  # fmt: skip
    odds = {name: round(math.exp(channel.epsilon), 4) for name, channel in found.schema.items() if name != "district"}
    assert odds["smokes"] == 3
    assert odds["credit"] == 9
    assert odds["mayor"] == odds["age"] == odds["children"] == odds["drugs_alcohol"] == odds["trust_police"] == 5
    assert 4.9 < odds["roads"] <= 5
    assert found.schema["district"].epsilon == math.inf
    assert found.schema["income"].inputs == ("under 1000", "1000-1999", "2000-3999", "4000 or more", "no answer")
    assert found.schema["children"].inputs == (0, 1, 2, 3, 4, 5, 6, "no answer")
    assert all("no answer" in channel.inputs for channel in found.schema.values())
    assert Questionnaire.from_json(found.to_json()).schema == found.schema
    assert json.loads(json.dumps(found.client()))["recipe"]["fingerprint"] == found.schema.fingerprint


def test_the_page_is_told_texts_in_every_language_and_no_channel_but_the_recipe():
    client = Questionnaire.parse(EVERY, "survey.yaml").client()
    elements = {element["name"]: element for element in client["pages"][0]["elements"]}
    assert client["title"] == {"en": "Habits", "pl": "Nawyki"}
    assert elements["smokes"]["choices"][1]["text"] == {"en": "Yes", "pl": "Tak"}
    assert elements["age"]["choices"][-1]["text"]["pl"] == "75 lub więcej"
    assert "mixing" not in elements["smokes"]
    assert elements["district"]["private"] is False
    assert elements["debt"]["visibleIf"] == {"name": "district", "equal": True, "value": "north"}
    blocks = client["recipe"]["blocks"]
    assert [name for block in blocks for name in block["attributes"]] == list(Questionnaire.parse(EVERY).schema)


@pytest.mark.servers
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("k", [2, 3, 7, 30])
def test_a_level_bounds_the_odds_exactly(level, k):
    domain = dn.Nominal([f"v{i}" for i in range(k)], missing="no answer")
    channel = channel_for(domain, level)
    rows, denominator = channel.law.rows(np.arange(k + 1)), channel.law.denominator
    assert (rows.sum(axis=1) == denominator).all()
    assert (rows.max(axis=0) == LEVELS[level] * rows.min(axis=0)).all()
    if k < 10:
        ordered = dn.Ordinal([f"v{i}" for i in range(k)], missing="no answer")
        near = neighbours_for(ordered, LEVELS[level])
        table = near.law.rows(np.arange(k + 1))
        assert (table > 0).all()
        assert (table.max(axis=0) <= LEVELS[level] * table.min(axis=0)).all()
        if k > 2:
            assert table[0, 1] > table[0, k - 1]


@pytest.mark.servers
@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("  - {type: ranking, name: a, title: A}\n", 11, "first choice"),
        ("  - {type: comment, name: a, title: A}\n", 11, "identify its writer"),
        ("  - {type: file, name: a, title: A}\n", 11, "cannot be randomised"),
        ("  - {type: map, name: a, title: A}\n", 11, "district"),
        ("  - {type: magic, name: a, title: A}\n", 11, "no question type 'magic'"),
        (
            "  - type: radiogroup\n    name: a\n    title: A\n    showOtherItem: true\n    choices: [x, y]\n",
            14,
            "'other: specify'",
        ),
        ("  - type: boolean\n    name: a b\n    title: A\n", 12, "begins with a letter"),
        ("  - type: boolean\n    name: a\n", 11, "a text is missing"),
        ("  - type: boolean\n    name: a\n    title: {en: A}\n", 13, "is missing ['pl']"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: extreme\n", 14, "one of"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr}\n", 14, "missing ['p']"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, p: 1/3}\n", 14, "say nothing"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, odds: 1}\n", 14, "odds must be above 1"),
        (
            "  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, odds: 4 to 1}\n",
            14,
            "odds must be a finite number",
        ),
        (
            "  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, odds: 4, p: 0.5}\n",
            14,
            "a p or odds, not both",
        ),
        (
            "  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, odds: 20.1}\n",
            14,
            "pages refuse more than 20",
        ),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: {design: neighbours, level: strong}\n", 14, "order"),
        ("  - type: boolean\n    name: a\n    title: A\n    colour: red\n", 14, "no 'colour'"),
        ("  - type: radiogroup\n    name: a\n    title: A\n    choices: [x]\n", 14, "2 to 500"),
        ("  - type: radiogroup\n    name: a\n    title: A\n    choices:\n    - x\n    - x\n", 16, "given twice"),
        ("  - type: radiogroup\n    name: a\n    title: A\n    choices:\n    - x\n    - no answer\n", 16, "by itself"),
        ("  - type: number\n    name: a\n    title: A\n    bands: [3, 2]\n", 14, "rise"),
        ("  - type: number\n    name: a\n    title: A\n", 11, "bands"),
        ("  - {type: boolean, name: a, title: A}\n  - type: boolean\n    name: A\n    title: A\n", 13, "used twice"),
        (
            "  - {type: boolean, name: a, title: A}\n  - type: boolean\n    name: b\n    title: B\n    visibleIf: \"{a} = 'yes'\"\n",
            15,
            "is private",
        ),
        ("  - type: boolean\n    name: b\n    title: B\n    visibleIf: \"{a} = 'yes'\"\n", 14, "not asked before"),
        ("  - type: boolean\n    name: b\n    name: c\n    title: B\n", 13, "given twice"),
        ("  - {type: information, name: a, title: A}\n", 8, "asks nothing"),
        ("  - {type: boolean, name: a, title: A\n", 11, "the { that opens here is not closed by }"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: 5\n", 14, "privacy must be one of"),
        ("  - type: boolean\n    name: a\n    title: A\n    privacy: {design: krr, p: 1}\n", 14, "would prove an answer"),
        (
            "  - type: boolean\n    name: a\n    title: A\n    privacy: {design: unrelated, theta: .5, innocuous: [.5, .5, 0]}\n",
            14,
            "would prove",
        ),
        ("  - type: number\n    name: a\n    title: A\n    grid: yes\n    min: 0\n    max: 10000000\n", 16, "at most"),
        ("  - type: number\n    name: a\n    title: A\n    grid: true\n    min: '0'\n    max: 5\n", 16, "whole numbers"),
        ("  - type: radiogroup\n    name: a\n    title: A\n    choices: [x, y]\n    ordered: maybe\n", 15, "true or false"),
        ('  - type: boolean\n    name: a\n    title: "A\\x7f"\n', 13, "control character"),
        ("  - type: checkbox\n    name: a\n    title: A\n    choices: [%s]\n" % ("x" * 70), 11, "more than 63 bytes"),
    ],
)
def test_errors_name_the_line(body, line, said):
    sentence = refused(body)
    assert f"survey.yaml, line {line}:" in sentence
    assert said in sentence


def test_a_survey_over_its_budget_is_refused_and_one_within_it_is_not():
    body = "  - {type: boolean, name: a, title: A, privacy: strong}\n  - {type: boolean, name: b, title: B, privacy: strong}\n"
    assert "more than the budget of 2" in refused(body, "budget: 2\n" + HEAD)
    open_too = body + "  - {type: boolean, name: c, title: C, privacy: none}\n"
    assert Questionnaire.parse("budget: 2.3\n" + HEAD + open_too).budget == 2.3


def test_the_head_is_checked_too():
    body = "  - {type: boolean, name: a, title: A}\n"
    for old, new, said in (
        ("survey: habits", "survey: My Habits", "short name"),
        ("closes: 2027-03-31", "closes: soon", "a day such as"),
        ("languages: [en, pl]", "languages: [english]", "list such as"),
        ("contact: survey@town.example\n", "", "is missing ['contact']"),
        ("organiser: Town hall", "organiser: Town hall\nlinkage: full", "one of"),
        ("organiser: Town hall", "organiser: Town hall\ncolour: red", "no 'colour'"),
    ):
        assert said in refused(body, HEAD.replace(old, new))
    with pytest.raises(QuestionnaireError, match="mapping"):
        Questionnaire.parse("- a\n- b\n")
    with pytest.raises(FileError, match="does not exist"):
        Questionnaire.load("nowhere.yaml")


@pytest.mark.statistical
def test_costs_are_those_of_a_simulation():
    found = Questionnaire.parse(HEAD + "  - {type: boolean, name: a, title: A, privacy: standard}\n")
    [cost] = costs(found, 1_000)
    rng = np.random.default_rng(5)
    channel = found.schema["a"]
    truth = rng.choice(channel.inputs, p=[0.2, 0.4, 0.4], size=(1_000,))
    estimates = []
    for _ in range(600):
        truth = rng.choice(channel.inputs, p=[0.2, 0.4, 0.4], size=1_000)
        estimates.append(dn.reconstruct(dn.counts(channel.randomise(truth, rng), channel), channel, "eq").value[0])
    assert 1.96 * np.std(estimates) == pytest.approx(cost.margin, rel=0.1)
    assert cost.worth == pytest.approx(0.16 / np.var(estimates), rel=0.2)


@pytest.mark.servers
def test_the_published_json_schema_is_the_one_of_the_code_and_accepts_what_the_reader_accepts():
    import jsonschema

    published = json.loads((Path(deniable.survey.__file__).parent / "questionnaire.v1.json").read_text())
    assert published == json_schema()
    jsonschema.Draft202012Validator.check_schema(published)
    validator = jsonschema.Draft202012Validator(published)
    given = Questionnaire.parse(EVERY).to_json()
    validator.validate(given)
    given["pages"][0]["elements"][3]["type"] = "comment"
    assert not validator.is_valid(given)


def test_the_survey_of_the_demo_fits_the_town():
    from deniable.cli.demo_survey import TOWN, answers

    questionnaire = Questionnaire.load(TOWN)
    people = answers(dn.datasets.town(500, np.random.default_rng(1)))
    assert list(people.columns) == list(questionnaire.schema)
    assert questionnaire.schema.randomise(people).shape == people.shape


@pytest.mark.servers
def test_hostile_documents_end_in_a_sentence():
    for text in ("a: &a [*a]", "[" * 5_000, "survey: x\nbudget: " + "9" * 400):
        with pytest.raises(QuestionnaireError):
            Questionnaire.parse(text)
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{c}: &{c} [{', '.join([f'*{b}'] * 10)}]\n" for b, c in itertools.pairwise("abcdefg")
    )
    with pytest.raises(QuestionnaireError, match="more than"):
        Questionnaire.parse(bomb)


def test_a_frozen_questionnaire_reads_back_whatever_its_texts_hold():
    body = "  - {type: boolean, name: a, title: 'Émile: \u201cwhat?\u201d # no - & * ! | >'}\n"
    found = Questionnaire.parse(HEAD + body)
    assert Questionnaire.from_json(json.loads(json.dumps(found.to_json()))).client() == found.client()


@pytest.mark.servers
@pytest.mark.parametrize(
    "text",
    ["[" * 5_000, "- " * 5_000, "{a: " * 5_000, "a:\n" + "".join(" " * i + "- \n" for i in range(400))],
    ids=["lists", "dashes", "mappings", "steps"],
)
def test_what_is_nested_without_end_is_refused_at_once(text):
    begun = time.process_time()
    with pytest.raises(QuestionnaireError):
        Questionnaire.parse(text)
    assert time.process_time() - begun < 2


def test_too_many_choices_or_bands_are_refused_and_not_all_repeated():
    head = "{survey: a, title: A, organiser: O, contact: C, other_way: W, pages: [{elements: ["
    for element, says in (
        (f"{{type: radiogroup, name: x, title: X, choices: {list(range(501))}}}", "got 501"),
        (f"{{type: age, name: x, title: X, bands: {list(range(1, 501))}}}", "2 to 499"),
        (f"{{type: radiogroup, name: x, title: X, choices: {{a: {'b' * 5_000}}}}}", "characters)"),
    ):
        with pytest.raises(QuestionnaireError, match=re.escape(says)) as refused:
            Questionnaire.parse(head + element + "]}]}")
        assert len(str(refused.value)) < 400
    Questionnaire.parse(head + f"{{type: age, name: x, title: X, bands: {list(range(1, 500))}, privacy: light}}" + "]}]}")


def test_a_survey_says_whether_its_page_may_be_a_file_and_mistakes_have_their_line():
    question = "  - {type: boolean, name: a, title: A}\n"
    assert "offline" not in Questionnaire.parse(HEAD + question).client()
    assert "offline" not in Questionnaire.parse("offline: false\n" + HEAD + question).client()
    found = Questionnaire.parse("offline: true\n" + HEAD + question)
    assert (found.offline, found.client()["offline"]) == (True, True)
    assert refused(question, HEAD.replace("languages:", "offline: maybe\nlanguages:")) == (
        "survey.yaml, line 6: offline must be true or false, got 'maybe'."
    )


def test_thousands_of_references_to_earlier_parts_are_refused_at_once():
    text = "a: &a [" + "x, " * 2_000 + "]\nb: [" + "*a, " * 2_000 + "]\n"
    began = time.process_time()
    with pytest.raises(QuestionnaireError) as refused:
        Questionnaire.parse(text, "survey.yaml")
    assert refused.value.code == "too_many_aliases"
    assert time.process_time() - began < 2.0


WRONG = """survey: Town Health
titel: Health
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
closes: soon
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strongest}
  - {type: radiogroup, name: drinks, choices: [never, never, no answer], privacy: weakish}
  - {type: comment, name: why, title: Why?}
- elements:
  - {type: boolean, name: owes, title: Debts?, visibleIf: "{drinks} = 'never'"}
  - {type: boolean, name: owns, title: A house?, visibleIf: "{lives} = 'yes'"}
  - {type: boolean, name: owes, title: Debts again?}
"""


def test_all_mistakes_are_told_at_once_each_with_its_line():
    found = refused(WRONG, head="")
    lines = found.splitlines()
    assert lines[0] == "survey.yaml has 10 mistakes:"
    told = [(int(re.match(r"  line (\d+): ", line)[1]), line) for line in lines[1:]]
    assert [number for number, _ in told] == sorted(number for number, _ in told)
    for number, words in [
        (1, "survey is a short name"), (2, "has no 'titel'; did you mean 'title'?"), (6, "closes is a day"), (9, "'strongest'"),
        (10, "a text is missing"), (10, "'weakish'"), (10, "cannot be a choice"), (11, "free text"), (14, "'lives'"),
        (15, "'owes' is used twice"),
    ]:  # fmt: skip
        assert any(at == number and words in line for at, line in told), (number, words)
    # `drinks` is asked, though not as it should be: what depends on it is not blamed.
    assert not any(number == 13 for number, _ in told)


def test_wrong_languages_are_told_once_and_not_by_every_text():
    found = refused("  - {type: boolean, name: a, title: {en: A, pl: A}}\n", HEAD.replace("[en, pl]", "English"))
    assert found.count("line") == 1
    assert "languages is a list" in found


def test_every_question_that_pages_refuse_is_told_and_the_budget_too():
    body = "  - {type: boolean, name: a, title: A, privacy: {design: krr, p: 0.95}}\n"
    body += "  - {type: boolean, name: b, title: B, privacy: {design: krr, p: 0.96}}\n"
    found = refused(body, HEAD.replace("pages:", "budget: 2\npages:"))
    assert found.startswith("survey.yaml has 3 mistakes:")
    assert [
        part in found for part in ("line 12: pages refuse this survey: 'a'", "line 13: pages refuse", "line 8: all private")
    ] == [True] * 3


def test_a_key_given_twice_is_one_mistake_among_others():
    found = refused("  - {type: boolean, name: a, name: b}\n")
    assert "'name' is given twice" in found
    assert "a text is missing" in found


def test_hundreds_of_mistakes_are_counted_and_fifty_shown():
    found = refused("".join(f"  - {{type: map, name: a{i}, title: A}}\n" for i in range(200)))
    assert found.startswith("survey.yaml has 200 mistakes:")
    assert found.endswith("and 150 more.")
