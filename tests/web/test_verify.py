"""`deniable verify` against servers that lie, each in one way."""

import json

import numpy as np
import pytest

import deniable as dn
from deniable.errors import StoreError
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.recipe_rows import rows
from deniable.web import recipes
from deniable.web import verify as verifying
from deniable.web.fetching import Answer, Line
from deniable.web.headers import SECURITY
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
    """What a server sends, to be changed by a test: bodies, statuses and headers by path, told per browser."""
    told = {**Questionnaire.parse(QUESTIONS).client(), "version": 1, "open": True}
    files = {f"/static/{name}": file for name, file in released().items()} | {"/s/town": released()[SHELL]}
    bodies = {path: file.content for path, file in files.items()}
    sent = {"told": told, "bodies": bodies, "headers": {}, "for": None, "status": {}, "asked": []}

    def get(line, url, target, headers, asked_by):
        sent["asked"].append((target, dict(headers)))
        kind = files[target].media_type if target in files else "application/json"
        given = dict(SECURITY) | {"Content-Type": kind, "Cache-Control": "no-cache" if target in files else "no-store"}
        body = sent["bodies"].get(target, json.dumps(sent["told"]).encode())
        if target in ("/", "/organiser"):
            body, given["Content-Type"] = sent.get("front", b"<!doctype html><p>Town"), "text/html; charset=utf-8"
        if sent["for"] in (None, asked_by.split()[0]):
            given |= sent["headers"].get(target, {})
        status = sent["status"].get(target, 200)
        return Answer(url, asked_by, status, tuple(given.items()), body, conditional="If-None-Match" in dict(headers))

    monkeypatch.setattr(Line, "get", get)
    return sent


def wrong():
    return [finding for finding in verifying.verify(URL) if not finding.good]


def test_an_honest_server_is_found_to_mix_and_how_is_said(server):
    found = {finding.what: finding for finding in verifying.verify(URL)}
    assert all(finding.good for finding in found.values()), [one for one in found.values() if not one.good]
    api = "https://town.example/api/surveys/town"
    assert found[f"{api} (smokes)"].found == (
        "a report changes anyone's odds by a factor of at most 3.0; of 100 people whose answer is 'no', 40 send another"
    )
    assert "asked openly" in found[f"{api} (district)"].found
    assert "by a factor of at most 5.0" in found[f"{api} (agree)"].found
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
@pytest.mark.parametrize("browser", [None, "Chrome", "Firefox", "Safari"])
def test_headers_that_lead_elsewhere_are_found_whichever_browser_gets_them(server, name, browser):
    server["headers"] = {"/s/town": {name: "0; url=https://evil.example"}}
    server["for"] = browser
    assert "evil.example" in wrong()[0].found
    server["headers"] = {"/s/town": {"Content-Security-Policy": "default-src *"}}
    assert wrong()[0].found.startswith("Content-Security-Policy: default-src *, released: default-src 'none'")


def test_exactly_the_address_given_is_asked_for_and_what_follows_the_hash_is_neither_sent_nor_shown(server):
    server["bodies"]["/go/s/town?from=letter&x"] = server["bodies"]["/s/town"]
    found = verifying.verify("https://town.example/go/s/town?from=letter&x#secret-token")
    targets = [target for target, _ in server["asked"]]
    assert targets.count("/go/s/town?from=letter&x") == 13
    assert "/s/town" not in targets
    assert "/api/surveys/town" in targets
    assert "secret-token" not in repr(found) + repr(server["asked"])
    assert found[0].what == "https://town.example/go/s/town?from=letter&x"


def test_visits_are_those_of_three_browsers_in_languages_that_the_survey_speaks_with_all_their_habits(server):
    server["told"]["languages"] = ["en", "pl", "uk"]
    verifying.verify(URL)
    pages = [headers for target, headers in server["asked"] if target == "/s/town"]
    assert {"Chrome", "Firefox", "Safari"} <= {
        name for one in pages for name in ("Chrome", "Firefox", "Safari") if name in one["User-Agent"]
    }
    spoken = {one["Accept-Language"][:2] for one in pages}
    assert {"en", "pl", "uk"} <= spoken
    assert {one["Sec-Fetch-Site"] for one in pages} == {"none", "cross-site"}
    data = [headers for target, headers in server["asked"] if target == "/api/surveys/town"]
    assert all(one["Sec-Fetch-Dest"] == "empty" and one["Pragma"] == "no-cache" and "Cookie" not in one for one in data)
    assert any("Cookie" in one for one in pages)
    # Nobody can foresee the visits.
    first = [target for target, _ in server["asked"]]
    server["asked"].clear()
    verifying.verify(URL)
    assert [target for target, _ in server["asked"]] != first


def test_a_redirect_to_https_is_said_and_judged_there_and_only_the_plain_one(server):
    def led(where, **more):
        server["asked"].clear()
        server["status"] = {"/s/town": 301}
        server["headers"] = {"/s/town": {"Location": where} | more}
        return verifying.verify("http://town.example/s/town")

    # The stand-in answers alike over http and https: what is there leads elsewhere again, and is judged so.
    first, second, *_ = led("https://town.example/s/town")
    assert (first.good, "leads to the same address with https" in first.found) == (True, True)
    assert (second.what, second.good) == ("https://town.example/s/town", False)
    assert not led("https://town.example/s/town", **{"Set-Cookie": "a=b"})[0].good
    for where in (
        "https://evil.example/s/town",
        "https://town.example/s/other",
        "https://town.example/s/town?x",
        "/s/town",
        "http://town.example/s/town",
    ):
        found = led(where)
        assert not found[0].good
        assert f"leads to {where}" in found[0].found


def test_what_could_not_be_had_is_not_called_good_and_nobody_is_accused_of_it(server, monkeypatch):
    get = Line.get

    def silent(line, url, target, headers, asked_by):
        if target == "/static/words.js" and "Safari" in asked_by:
            return Answer(url, asked_by, trouble="it does not answer: timed out")
        return get(line, url, target, headers, asked_by)

    monkeypatch.setattr(Line, "get", silent)
    [found] = wrong()
    assert (found.checked, found.what) == (False, "https://town.example/static/words.js")
    assert found.found == "4 of 12 times it does not answer: timed out"


def test_cookies_of_other_pages_count_only_where_they_reach_the_survey(server):
    server["headers"] = {"/": {"Set-Cookie": "a=b; Path=/shop"}}
    assert wrong() == []
    for path in ("", "; Path=/", "; path = /s"):
        server["headers"] = {"/": {"Set-Cookie": f"a=b{path}"}}
        assert "sets a cookie" in wrong()[-1].found


@pytest.mark.parametrize(
    ("kind", "body", "good"),
    [
        ("text/html;charset=UTF-8", b"<h1>Town</h1>", True),
        ("text/html; charset=iso-8859-1", b"<h1>Not Found</h1>", True),
        ("text/html", b"<SCRIPT src=/x>", False),
        ("text/html; charset=utf-7", b"<h1>Town</h1>", False),
        ("application/xhtml+xml", b"<h1>Town</h1>", False),
        ("image/svg+xml", b"<h1>Town</h1>", False),
        ("text/html", b"<p onclick = 'x'>", False),
        ("text/html", b"<iframe src=/x>", False),
        ("text/html", b"<meta http-equiv=refresh>", False),
    ],
)
def test_other_pages_of_the_site_may_hold_no_code(server, kind, body, good):
    server["headers"] = {"/": {"Content-Type": kind}}
    server["front"] = body
    assert (wrong() == []) == good


def test_the_page_for_people_without_javascript_is_no_survey(server):
    with pytest.raises(StoreError, match="without JavaScript"):
        verifying.verify(URL + "?other-way")


def test_a_page_that_is_not_there_but_elsewhere_is_no_released_one(server):
    server["status"] = {"/s/town": 302}
    assert "the server answers 302" in wrong()[0].found


def test_what_is_no_address_or_no_survey_is_refused_with_a_sentence(server):
    assert verifying.verify(URL)[0].good
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
    with pytest.raises(StoreError, match=r"not the address of a survey|does not answer"):
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
    assert "by a factor of at most 16.0, also for an organiser who knows" in recipes.describe_mixing(element, block, 3)
