"""`deniable verify` against servers that lie, each in one way."""

import email.message
import json

import numpy as np
import pytest

import deniable as dn
from deniable.errors import StoreError
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.recipe_rows import rows
from deniable.web import recipes
from deniable.web import verify as verifying
from deniable.web.headers import POLICY
from deniable.web.released import SHELL, released

QUESTIONS = """
survey: town
title: Town
organiser: Town hall
contact: a@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Smoke?, privacy: strong}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
  - {type: rating, name: agree, title: Agree?, privacy: standard}
  - {type: checkbox, name: has, title: Have, choices: [car, bike]}
  - {type: number, name: income, title: Income, grid: true, min: 0, max: 100, step: 5, privacy: {design: laplace, scale: 60, answered: 0.6}}
"""
URL = "https://town.example/s/town"


@pytest.fixture
def server(monkeypatch):
    """What a server sends, to be changed by a test: bodies and headers by path, told per browser."""
    told = {**Questionnaire.parse(QUESTIONS).client(), "version": 1, "open": True}
    files = {f"/static/{name}": file.content for name, file in released().items()}
    sent = {"told": told, "bodies": files | {"/s/town": released()[SHELL].content}, "headers": {}, "for": None, "status": {}}

    def get(url, agent):
        path = url.removeprefix("https://town.example")
        headers = email.message.Message()
        headers["Content-Security-Policy"] = POLICY
        body = sent["bodies"].get(path, json.dumps(sent["told"]).encode())
        if sent["for"] in (None, agent):
            for name, value in sent["headers"].get(path, {}).items():
                del headers[name]
                headers[name] = value
        return body, headers, sent["status"].get(path, 200)

    monkeypatch.setattr(verifying, "_get", get)
    return sent


def wrong():
    return [finding for finding in verifying.verify(URL) if not finding.good]


def test_an_honest_server_is_found_to_mix_and_how_is_said(server):
    found = {finding.what: finding for finding in verifying.verify(URL)}
    assert all(finding.good for finding in found.values()), [one for one in found.values() if not one.good]
    api = "https://town.example/api/surveys/town"
    assert found[f"{api} (smokes)"].found == (
        "a report changes anyone's odds at most 3.0 times; of 100 people whose answer is 'no', 40 send another"
    )
    assert "asked openly" in found[f"{api} (district)"].found
    assert "at most 5.0 times" in found[f"{api} (agree)"].found
    assert f"{api} (has_bike)" in found
    assert "changes anyone's odds" in found[f"{api} (income)"].found


SIZES = {"smokes": 3, "district": 3, "agree": 6, "has_car": 3, "has_bike": 3, "income": 22}


def identity(block):
    size = SIZES[block["attributes"][0]]
    block.update(law="table", denominator=1, weights=np.eye(size, dtype=int).tolist())


def hardly(block):
    size = SIZES[block["attributes"][0]]
    block.update(law="mixture", denominator=1_000 + size, diagonal=1_000, replacement=[1] * size)


@pytest.mark.parametrize("change", [identity, hardly])
@pytest.mark.parametrize("place", range(6))
def test_a_recipe_that_does_not_mix_is_found_without_the_questionnaire(server, change, place):
    block = server["told"]["recipe"]["blocks"][place]
    change(block)
    found = wrong()
    if block["attributes"] == ["district"]:  # openly asked
        assert [finding.found.split(": ")[-1] for finding in found] == (
            [] if change is identity else ["it is asked openly, but not sent as it is."]
        )
    else:
        assert f"({block['attributes'][0].split('_')[0]})" in found[0].what
        assert "NOT MIXED" in found[0].found


@pytest.mark.parametrize(
    "change",
    [
        {"law": "nothing"},
        {"denominator": 7},
        {"denominator": 0},
        {"denominator": "5"},
        {"replacement": []},
        {"replacement": [[1]]},
        {"replacement": [-1, 1, 1]},
        {"replacement": [1] * 100_000},
        {"law": "silent", "even": [1, 1, 1], "inner": {}},
    ],
)
def test_a_recipe_that_cannot_be_followed_is_no_good_one(server, change):
    server["told"]["recipe"]["blocks"][0].update(change)
    assert len(wrong()) == 1
    assert "cannot be followed" in wrong()[0].found


def test_a_missing_recipe_and_a_missing_survey_are_found(server):
    server["told"]["recipe"]["blocks"].pop(0)
    assert "not every column is drawn exactly once" in wrong()[0].found
    server["told"] |= {"recipe": 3, "pages": [1]}
    assert "pages is a list of pages with elements" in wrong()[0].found
    server["told"] = {}
    assert "pages refuse this survey" in wrong()[0].found


@pytest.mark.parametrize("name", ["Refresh", "Location", "Link", "Content-Location", "Set-Cookie", "NEL"])
@pytest.mark.parametrize("agent", [None, *verifying.AGENTS])
def test_headers_that_lead_elsewhere_are_found_whichever_browser_gets_them(server, name, agent):
    server["headers"] = {"/s/town": {name: "0; url=https://evil.example"}}
    server["for"] = agent
    assert "evil.example" in wrong()[0].found
    server["headers"] = {"/s/town": {"Content-Security-Policy": "default-src *"}}
    assert wrong()[0].found == "default-src *"


def test_a_page_that_is_not_there_but_elsewhere_is_no_released_one(server):
    server["status"] = {"/s/town": 302}
    assert "the server answers 302" in wrong()[0].found


def test_what_is_no_address_or_no_survey_is_refused_with_a_sentence(server):
    server["bodies"]["/api/surveys/town"] = b"<html>"
    with pytest.raises(StoreError, match="does not answer with a survey"):
        verifying.verify(URL)
    server["bodies"]["/api/surveys/town"] = b"[" * 100_000
    with pytest.raises(StoreError, match="does not answer with a survey"):
        verifying.verify(URL)


@pytest.mark.parametrize(
    "url", ["http://[::1/s/x", "http://h:99999999/s/x", "http://127.0.0.1:1/s/ż", "http://h\x00/s/x", "ftp://h/s/x"]
)
def test_bad_addresses_are_refused_with_a_sentence(url):
    with pytest.raises(StoreError, match=r"no address of a survey|does not answer"):
        verifying.verify(url)


def test_rows_of_recipes_are_those_of_their_channels():
    channels = [
        dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6),
        dn.Retention(dn.Integer(0, 9), 0.3),
        dn.Matrix(dn.Binary(), [[0.9, 0.1], [0.3, 0.7]]),
        dn.Additive(dn.Integer(0, 20), dn.Laplace(3), edges="clamp"),
        dn.Optional(dn.Additive(dn.Integer(0, 20), dn.Laplace(3), edges="clamp"), 0.9),
    ]
    for channel in channels:
        recipe = channel.law.recipe()
        assert np.array_equal(rows(recipe, channel.law.inputs), channel.law.rows(np.arange(channel.law.inputs)))


def test_a_second_question_is_told_as_to_an_organiser_who_knows_its_answer():
    element = {"type": "boolean", "choices": [{"value": "no"}, {"value": "yes"}], "asked": {"en": "Born in May?"}}
    block = {"law": "mixture", "denominator": 25, "diagonal": 15, "replacement": [4, 4, 2]}
    # "No answer" from someone known to have said something else to the second question: (15 + 1) / 1 times.
    assert "at most 16.0 times, also for an organiser who knows" in recipes.mixing(element, block, 3)
