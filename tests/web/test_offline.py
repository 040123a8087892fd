"""What the service opens to pages that are files: answers to surveys that say so, and nothing else."""

from __future__ import annotations

import secrets

import pytest

from deniable.survey.questionnaire import Questionnaire

QUESTIONS = """
survey: {slug}
title: Town
organiser: Town hall
contact: a@town.example
other_way: Call us.
{more}
pages:
- elements:
  - {{type: boolean, name: smokes, title: Smoke?, privacy: strong}}
"""
ELSEWHERE = {"Origin": "https://www.town.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
FILE = {"Origin": "null", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}


def asked(slug, more=""):
    return Questionnaire.parse(QUESTIONS.format(slug=slug, more=more))


def body(**more):
    return {"version": 1, "id": secrets.token_urlsafe(16), "report": {"smokes": 1}, **more}


@pytest.fixture
def both(serve):
    return serve(asked("filed", "offline: true"), asked("plain"), burst=0)


@pytest.mark.parametrize("headers", [ELSEWHERE, FILE], ids=["site", "file"])
def test_a_page_of_another_site_may_ask_for_the_version_and_send_answers_without_credentials(both, headers):
    seen = both.client.get("/api/offline/filed", headers=headers)
    assert (seen.status_code, seen.json()) == (200, {"version": 1, "open": True})
    first = both.client.options(
        "/api/offline/filed/answers",
        headers=headers | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"},
    )
    assert first.status_code == 204
    assert (first.headers["access-control-allow-methods"], first.headers["access-control-allow-headers"]) == (
        "POST",
        "content-type",
    )
    sent = both.client.post("/api/offline/filed/answers", json=body(), headers=headers)
    assert (sent.status_code, sent.json()) == (201, {"stored": True})
    for answer in (seen, first, sent):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"


def test_a_page_of_another_site_can_read_why_it_was_refused(both):
    refused = both.client.post("/api/offline/filed/answers", json=body(version=2), headers=FILE)
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_version")
    assert refused.headers["access-control-allow-origin"] == "*"
    # Without a preflight browsers send plain text and forms alone: those are never taken.
    plain = both.client.post("/api/offline/filed/answers", content=b"{}", headers=FILE | {"Content-Type": "text/plain"})
    assert (plain.status_code, plain.json()["code"]) == (415, "content_type")


def test_nothing_else_is_opened_to_other_sites(both):
    tried = [
        ("GET", "/api/offline/plain"), ("OPTIONS", "/api/offline/plain/answers"), ("POST", "/api/offline/plain/answers"),
        ("GET", "/api/offline/nowhere"), ("POST", "/api/offline/nowhere/answers"), ("OPTIONS", "/api/offline/nowhere/answers"),
        ("GET", "/api/surveys/filed"), ("POST", "/api/surveys/filed/answers"), ("OPTIONS", "/api/surveys/filed/answers"),
        ("GET", "/s/filed"), ("GET", "/static/respond.js"), ("GET", "/organiser/login"), ("GET", "/api/health"), ("OPTIONS", "/"),
        ("GET", "/api/offline/filed/answers"), ("DELETE", "/api/offline/filed/answers"), ("GET", "/openapi.json"),
    ]  # fmt: skip
    for method, path in tried:
        answer = both.client.request(method, path, json=body() if method == "POST" else None, headers=ELSEWHERE)
        allowed = [name for name in answer.headers if name.startswith("access-control-")]
        assert allowed == [], (method, path)
        assert answer.status_code < 500
    assert both.client.post("/api/surveys/filed/answers", json=body(), headers=ELSEWHERE).status_code == 403
    assert both.client.post("/api/offline/plain/answers", json=body(), headers=ELSEWHERE).status_code == 404
    both.store.close_survey("plain")
    assert sum(both.store.waiting()[both.store.version("plain").id]) == 0


def test_closing_and_a_new_version_are_told_and_old_answers_refused(serve):
    running = serve(asked("filed", "offline: true"), burst=0)
    running.store.close_survey("filed")
    running.service.app.state.collector.forget("filed")
    assert running.client.get("/api/offline/filed").json() == {"version": 1, "open": False}
    assert running.client.post("/api/offline/filed/answers", json=body()).json()["code"] == "closed"
    running.store.open_survey(
        Questionnaire.parse(QUESTIONS.format(slug="filed", more="offline: true").replace("Smoke?", "Drink?"))
    )
    running.service.app.state.collector.forget("filed")
    assert running.client.get("/api/offline/filed").json() == {"version": 2, "open": True}
    assert running.client.post("/api/offline/filed/answers", json=body()).json()["code"] == "wrong_version"
    assert sum(running.store.waiting()[running.store.version("filed").id]) == 0


def test_invitations_and_limits_hold_for_files_too(serve):
    running = serve(asked("filed", "offline: true\ninvited: true"), burst=2, per_second=0.01)
    codes = [running.client.post("/api/offline/filed/answers", json=body(), headers=FILE).json()["code"] for _ in range(3)]
    assert codes == ["token_missing", "token_missing", "too_many"]
    unknown = running.client.post("/api/offline/filed/answers", json=body(token="x"), headers=FILE)
    assert unknown.headers["access-control-allow-origin"] == "*"
