"""A stranger who has only the server's address, and looks at whatever can be found there: which surveys run, and who answers when?

Some surveys are for those who are invited alone; that one runs may be nobody else's business. A page of health that counted answers, or
repeated what the database complained of, would tell when somebody sent, or what.
"""

import html
import json
import re
from urllib.parse import urljoin

import pytest

from deniable.web import app

NAME = "a-private-survey"
SECRET = "the-id-that-somebody-sent"
GUESSED = (
    "/",
    "/organiser",
    "/api/health",
    "/openapi.json",
    "/robots.txt",
    "/sitemap.xml",
    "/s",
    "/s/",
    "/api/surveys",
    "/health",
)
HEADERS = (
    {},
    {"Accept-Language": "pl", "Cookie": "deniable_organiser=1", "Referer": "https://town.example/", "User-Agent": "Chrome"},
    {"Accept": "application/json", "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost", "Host": "localhost"},
)


def found_by(client, headers):
    """All that can be read from the addresses that anybody guesses, and from what those lead to."""
    waiting, seen = [*GUESSED], {}
    while waiting:
        path = waiting.pop()
        if path not in seen:
            reply = client.get(path, headers=headers)
            seen[path] = f"{reply.headers} {reply.text}"
            links = [*re.findall(r'(?:href|src|action)="([^"]*)"', reply.text), reply.headers.get("location", "")]
            waiting += [
                target.partition("#")[0]
                for link in links
                if link and (target := urljoin(path, html.unescape(link))).startswith("/") and not target.startswith("//")
            ]
    return seen


@pytest.mark.parametrize("headers", HEADERS)
def test_a_stranger_finds_no_survey_by_the_servers_address(serve, standin, headers):
    town = serve(standin.Standin(slug=NAME, title="Private matters"))
    seen = found_by(town.client, headers)
    assert {"/organiser/login", "/static/icon.svg"} <= set(seen)
    assert [path for path, text in seen.items() if NAME in text or "Private matters" in text] == []


def test_the_same_search_finds_it_for_the_organiser(serve, standin):
    """The attack is real: were any of these pages like the organiser's, it would be found."""
    town = serve(standin.Standin(slug=NAME))
    first = town.service.first_link[len(town.url) :]
    town.client.post(first, data=dict.fromkeys(("password", "again"), "a long password"), headers={"Origin": town.url})
    assert [path for path, text in found_by(town.client, {}).items() if NAME in text]


def test_the_front_page_is_the_same_bytes_whatever_the_server_holds_and_whoever_asks(serve, standin):
    empty, full = serve(db="empty.db"), serve(standin.Standin(slug=NAME), db="full.db")
    full.post(standin.body(), slug=NAME)
    replies = [one.client.get("/", headers=headers) for one in (empty, full) for headers in HEADERS]
    kept = [{name: value for name, value in reply.headers.items() if name != "date"} for reply in replies]
    assert {reply.content for reply in replies} == {replies[0].content}
    assert kept == [kept[0]] * len(kept)
    assert "set-cookie" not in kept[0]


def healths(town, standin, monkeypatch):
    """What the page of health says before an answer, after one, and when the database complains of one with its parameters."""
    said = [town.client.get("/api/health")]
    assert town.post(standin.body()).status_code == 201
    said.append(town.client.get("/api/health"))
    body = standin.body() | {"id": SECRET}

    def complain(group):
        raise RuntimeError(f"disk full: {body}")

    with monkeypatch.context() as patch:
        patch.setattr(town.store, "submit", complain)
        assert town.post(body).status_code == 503
    assert SECRET in town.service.app.state.collector.writer.trouble
    said.append(town.client.get("/api/health"))
    return said


def test_health_tells_nothing_of_respondents(serve, standin, monkeypatch):
    before, after, trouble = healths(serve(standin.Standin()), standin, monkeypatch)
    assert before.content == after.content
    assert set(before.json()) == {"status", "version"}
    assert (trouble.status_code, trouble.json()["code"]) == (503, "failing")
    assert SECRET not in trouble.text
    assert "disk" not in trouble.text


def test_a_health_that_repeats_the_trouble_tells_it(serve, standin, monkeypatch):
    """The attack is real: what the database complains of may hold what was sent."""
    town = serve(standin.Standin())
    collector = town.service.app.state.collector
    monkeypatch.setattr(app, "problem", lambda *_: outspoken(collector.writer.trouble))
    assert SECRET in healths(town, standin, monkeypatch)[-1].text


def outspoken(trouble):
    return app.Response(json.dumps({"trouble": trouble}), 503)
