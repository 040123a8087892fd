"""Those who want something of the pages on which surveys are written.

Somebody writes HTML into every text, key, value and name of a questionnaire, or sends it in a file; a page of another site makes an owner's
browser write, open and delete; an analyst does so by hand; a stranger sends bodies of a megabyte without having logged in; two browsers
overwrite each other. Each of them wins where one protection is taken away.
"""

import contextlib
import importlib.util
import json
import re
import socket
import sys
from pathlib import Path

import pytest

from deniable.pages import renderer
from deniable.survey.drafts import parts
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.accounts import Account
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.drafts import Draft
from deniable.survey.trials import make_up, open_trial
from deniable.web import (
    body_limits,
    draft_opening,
    draft_pages,
    draft_plan,
    draft_protection,
    draft_routes,
    draft_trial,
    permissions,
)
from deniable.web.accounts import COOKIE
from deniable.web.body_limits import LARGEST_DRAFT
from deniable.web.headers import LARGEST_BODY
from deniable.web.pages import Speech
from deniable.web.protocol import LimitedConnection

_SPEC = importlib.util.spec_from_file_location("injection", Path(__file__).with_name("test_html_injection.py"))
injection = importlib.util.module_from_spec(_SPEC)
sys.modules["injection"] = injection
_SPEC.loader.exec_module(injection)
EVIL, Tags = injection.EVIL, injection.Tags
TEXT = {"en": EVIL, "pl": EVIL}

YAML = """
survey: habits
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
"""


def hostile():
    """Drafts that hold the attacker's words wherever a draft can hold words, with mistakes and without."""
    choices = [{"value": EVIL.replace("'", ""), "text": TEXT}, {"value": "b", "text": TEXT, EVIL: EVIL}, EVIL]
    every = {
        "type": "radiogroup", "name": EVIL, "title": TEXT, "description": TEXT, "privacy": {"design": EVIL, EVIL: EVIL}, "visibleIf": EVIL,
        "labelTrue": TEXT, "labelFalse": TEXT, "choices": choices, "rows": choices, "columns": choices, "ordered": EVIL, "rateMin": EVIL,
        "rateMax": EVIL, "minRateDescription": TEXT, "maxRateDescription": TEXT, "bands": [EVIL, 2], "grid": EVIL, "min": EVIL, "max": EVIL,
        "step": EVIL, "unit": TEXT, "for": EVIL, EVIL: {EVIL: [EVIL]},
    }  # fmt: skip
    kinds = [
        "boolean",
        "radiogroup",
        "dropdown",
        "rating",
        "number",
        "age",
        "checkbox",
        "matrix",
        "information",
        "consent",
        EVIL,
        "text",
    ]
    settings = dict.fromkeys(("title", "description", "organiser", "contact", "other_way"), TEXT)
    wrong = {
        **settings, "survey": EVIL, "languages": ["en", "pl"], "closes": EVIL, "linkage": EVIL, "show_sent": EVIL,
        "privacy": EVIL, "budget": EVIL, "practice": EVIL, EVIL: EVIL,
        "pages": [{"title": TEXT, "name": EVIL, "elements": [{**every, "type": kind} for kind in kinds]}],
    }  # fmt: skip
    right = {
        **settings, "survey": "town", "languages": ["en", "pl"],
        "pages": [{"title": TEXT, "elements": [
            {"type": "radiogroup", "name": "where", "title": TEXT, "choices": [choices[0], "b"], "privacy": "none"},
            {"type": "boolean", "name": "smokes", "title": TEXT, "labelTrue": TEXT, "labelFalse": TEXT, "visibleIf": "{where} = 'b'"},
            {"type": "number", "name": "hours", "title": TEXT, "grid": True, "min": 0, "max": 99, "for": "mean"},
            {"type": "checkbox", "name": "goes", "title": TEXT, "choices": ["a", "b"], "privacy": "light"},
        ]}],
    }  # fmt: skip
    yield wrong
    yield right
    yield {EVIL: EVIL, "title": EVIL, "pages": EVIL}


def written(store):
    """Every page of every draft, in both languages; the one without mistakes is being tried."""
    _, right, _ = hostile()
    open_trial(store, Questionnaire.from_json(right))
    make_up(store, Questionnaire.from_json(right), 60)
    for language in ("en", "pl"):
        speech, me, plans = Speech(language, True), Account(EVIL, "owner", "mark", True, None), draft_plan.Plans()
        for content in hostile():
            writer = draft_pages.Writer(Draft("0" * 16, content, 1, EVIL), me, speech)
            yield "draft", draft_pages.draft_page(writer, EVIL)
            yield "yaml", draft_pages.yaml_page(writer)
            yield "typed", draft_pages.yaml_page(writer, EVIL, EVIL)
            yield "open", draft_opening._opening_page(store, writer, EVIL, EVIL, {"until": EVIL})
            yield "plan", draft_plan._plan_page(writer, {**draft_plan.USUAL, "people": "100", "budget": "50"}, plans, EVIL)
            yield "plan", draft_plan._plan_page(writer, dict.fromkeys(draft_plan.USUAL, EVIL), plans)
            changes = [draft_protection.Change(one.place, 3.0, 5.0) for one in parts.questions_of(content)]
            yield "weaker", draft_protection.weaker_page(writer, changes, [(EVIL, EVIL)], EVIL)
            yield "trial", draft_trial.trial_page(store, writer, EVIL, EVIL, {"people": EVIL})
            yield "delete", draft_pages.sure_page(writer, "delete", writer.path)
            yield "settings", draft_pages.part_page(writer, draft_routes._part(writer, "settings", ""), EVIL)
            for one in parts.questions_of(content):
                yield "question", draft_pages.part_page(writer, draft_routes._part(writer, "questions", one.at), EVIL)
                yield "remove", draft_pages.sure_page(writer, "remove", writer.path, [(EVIL, EVIL)], one.given)
                yield "conflict", draft_pages.conflict_page(writer, one.given, {"a": EVIL}, {EVIL: EVIL}, (EVIL, EVIL))
            for number in range(len(parts.pages_of(content))):
                yield "page", draft_pages.part_page(writer, draft_routes._part(writer, "pages", str(number)))
        yield "new", draft_pages.new_page(me, speech, {"title": EVIL, "text": EVIL, "template": EVIL}, EVIL)
        yield "gone", draft_pages.gone_page(me, speech, EVIL)


OURS = re.compile(
    r'<script type="module" src="/static/(?:editor|unsaved)\.js"></script>'
    r'|<svg class="curve" viewBox="0 0 320 204" role="img" focusable="false">'
    r'|<svg class="swatch series-\d" viewBox="-16 -8 32 16" width="32" height="16" aria-hidden="true" focusable="false">'
)


def taken_over(pages):
    """The pages that a browser would run the attacker's words on, or that carry them as tags."""
    return {name for name, text in pages if Tags(OURS.sub("", text)).taken_over}


def test_no_page_of_a_draft_is_taken_over(serve):
    pages = list(written(serve().store))
    assert taken_over(pages) == set()
    assert len(pages) > 100
    # Hostile texts stand in the pictures, too: at the points, in legends and tables.
    assert sum('<svg class="curve"' in text and "<title>" in text and "alert(1)" in text for _, text in pages) >= 2
    # What was written is there to be read, as letters, and nothing in it was computed.
    assert {name for name, text in pages if "alert(1)" not in text or "{{ 7 * 7 }}" not in text} == set()


def test_without_escaping_every_page_is(serve, monkeypatch):
    made = renderer._environment.__wrapped__()
    made.autoescape = False
    monkeypatch.setattr(renderer, "_environment", lambda: made)
    pages = list(written(serve().store))
    assert taken_over(pages) == {name for name, _ in pages}


def session(town, name, role):
    town.store.add_account(name, role, name, COMMAND_LINE)
    return town.service.app.state.accounts._new_session(town.store.choose_password(name, "no password has this hash"))


def tries(town, cookie, headers):
    """What somebody gets done: a draft read, changed and tried, a survey opened, another deleted."""
    asked = Questionnaire.parse(YAML)
    for slug in town.store.slugs():
        town.store.close_survey(slug)
        town.store.delete_survey(slug)
    town.store.open_survey(Questionnaire.parse(YAML.replace("habits", "old")))
    town.store.close_survey("old")
    made = town.store.add_draft(asked.to_json(), COMMAND_LINE)
    path, mark = f"/organiser/drafts/{made.key}", parts.mark_of(made.content)

    def send(verb, where, **data):
        town.client.cookies.clear()
        sent = {**headers, "Cookie": f"{COOKIE}={cookie}"}
        return town.client.request(verb, where, headers=sent, data=data if verb == "POST" else None)

    won = set()
    if "smokes" in send("GET", f"{path}/draft.yaml").text:
        won.add("reads a draft")
    send("POST", path, do="add", kind="rating")
    if town.store.draft(made.key).revision > 1:
        won.add("changes a draft")
    before = len(town.store.drafts())
    send("POST", "/organiser/drafts", survey="old")
    if len(town.store.drafts()) > before:
        won.add("reads a survey's questionnaire")
    town.store.change_draft(made.key, lambda _: asked.to_json(), COMMAND_LINE)
    if "smokes" in send("GET", f"{path}/preview/survey").text:
        won.add("previews")
    for verb, slug in (("try", "trial--habits"), ("make-up", "made-up--habits")):
        send("POST", f"{path}/trial", do=verb, people="60")
        if any(one.startswith(slug) for one in town.store.slugs()):
            won.add(verb)
    open_trial(town.store, asked)
    make_up(town.store, asked, 60)
    send("POST", f"{path}/trial", do="delete", sure="yes")
    send("POST", "/organiser/surveys/made-up--habits/delete", sure="yes")
    if not any("--habits" in one for one in town.store.slugs()):
        won.add("deletes trials")
    send("POST", f"{path}/open", sure="yes", seen=mark)
    if "habits" in town.store.slugs():
        won.add("opens")
    send("POST", "/organiser/surveys/old/delete", typed="old")
    if "old" not in town.store.slugs():
        won.add("deletes")
    for one in town.store.drafts():
        town.store.remove_draft(one.key)
    return won


READS = {"reads a draft", "previews"}
ALL = READS | {"changes a draft", "reads a survey's questionnaire", "opens", "deletes", "try", "make-up", "deletes trials"}


def test_an_analyst_writes_and_opens_nothing(serve, monkeypatch):
    town = serve()
    cookie, own = session(town, "Jan", "analyst"), {"Origin": town.url}
    assert tries(town, cookie, own) == set()
    monkeypatch.setattr(permissions, "may", lambda *_: True)
    assert tries(town, cookie, own) == ALL


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}]
)
def test_pages_of_other_sites_write_and_open_nothing(serve, monkeypatch, headers):
    town = serve()
    cookie = session(town, "Anna", "owner")
    # What is read is read by the owner's own browser, which shows other sites nothing.
    assert tries(town, cookie, headers) <= READS
    monkeypatch.setattr(permissions, "same_site", lambda *_, **__: None)
    assert tries(town, cookie, headers) == ALL


def sends(town, cookie, path, size):
    """What the server answers to a body in pieces."""
    with socket.create_connection(("127.0.0.1", int(town.url.rsplit(":", 1)[1])), 20) as line:
        cookies = f"Cookie: {COOKIE}={cookie}\r\n" if cookie else ""
        kind = "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n{cookies}{kind}".encode())
        with contextlib.suppress(OSError):  # cut off
            for _ in range(size // 0x4000):
                line.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            line.sendall(b"0\r\n\r\n")
        try:
            return line.recv(4096).split(b"\r\n")[0].decode()
        except OSError:
            return "cut off"


def test_only_those_who_have_logged_in_may_send_more_than_64_kib_and_only_to_drafts(serve, monkeypatch):
    taken = [0]
    before = LimitedConnection.on_body

    def on_body(self, body):
        before(self, body)
        taken[0] = max(taken[0], self._body_bytes)

    monkeypatch.setattr(LimitedConnection, "on_body", on_body)
    town = serve()
    cookie = session(town, "Anna", "owner")
    large, piece, drafts = 15 * LARGEST_BODY, 256 * 1024, "/organiser/drafts"
    for who, path in ((None, drafts), ("forged", drafts), (cookie, "/organiser/accounts"), (cookie, "/organiser/draftsman")):
        taken[0] = 0
        status = sends(town, who, path, large)
        # Refused, led to log in, or not found, without a look at the rest.
        assert any(code in status for code in ("413", "303", "404", "cut off")), (who, path)
        assert taken[0] <= 4 * LARGEST_BODY + piece, (who, path)
    status = sends(town, cookie, drafts, large)
    assert (taken[0], "422" in status) == (large, True)
    status = sends(town, cookie, drafts, 8 * LARGEST_DRAFT)
    assert (taken[0] <= 4 * LARGEST_DRAFT + piece, "413" in status or status == "cut off") == (True, True)


def test_a_session_that_is_over_may_send_no_more(serve):
    town = serve()
    cookie = session(town, "Anna", "owner")
    scope = {"path": "/organiser/drafts", "headers": [(b"cookie", f"a=b; {COOKIE}={cookie}".encode())]}
    largest = town.service.app.state.largest_body
    assert largest(scope) == LARGEST_DRAFT
    town.service.app.state.accounts.log_out(cookie)
    assert largest(scope) == LARGEST_BODY
    assert body_limits.largest_body({"path": "/s/town", "headers": []}, lambda _: True) == LARGEST_BODY


@pytest.mark.parametrize("marked", [True, False])
def test_the_second_of_two_browsers_overwrites_nothing(serve, monkeypatch, marked):
    if not marked:
        monkeypatch.setattr(parts, "mark_of", lambda _: "the same")
    town = serve()
    cookie = session(town, "Anna", "owner")
    made = town.store.add_draft(json.loads('{"pages": [{"elements": [{"type": "boolean", "name": "a"}]}]}'), COMMAND_LINE)
    path = f"/organiser/drafts/{made.key}/questions/0-0"
    seen = parts.mark_of(made.content["pages"][0]["elements"][0])
    for title in ("first", "second"):
        headers = {"Origin": town.url, "Cookie": f"{COOKIE}={cookie}"}
        town.client.post(path, data={"seen": seen, "called": "a", "title.en": title}, headers=headers)
    assert town.store.draft(made.key).content["pages"][0]["elements"][0]["title"] == ("first" if marked else "second")


def test_a_draft_that_takes_long_to_read_is_refused(serve):
    """References that multiply, and texts that are nested without end."""
    town = serve()
    cookie = session(town, "Anna", "owner")
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(9)
    )
    for text in (bomb, "[" * 100_000, "{a: " * 20_000):
        headers = {"Origin": town.url, "Cookie": f"{COOKIE}={cookie}"}
        reply = town.client.post("/organiser/drafts", data={"text": text}, headers=headers)
        assert reply.status_code == 422
    assert town.store.drafts() == []
