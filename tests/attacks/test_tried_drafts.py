"""Those who want to read a draft by what was made of it to try it.

Drafts are for owners. Somebody who is not logged in guesses the short name of a draft ("harbour"), and asks for its made-up answers or its
trial by every address that is for everyone. They learn neither the questions nor that there is such a draft. Each wins where one
protection is taken away.
"""

import contextlib

import pytest
import sqlalchemy as sa

from deniable.survey import trials
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import surveys
from deniable.survey.trials import make_up, open_trial

SECRET = "Would you protest if the harbour were closed?"
ASKED = Questionnaire.parse(
    f"""
survey: harbour
title: Harbour
organiser: Town hall
contact: t@town.example
other_way: Call us.
offline: true
pages:
- elements:
  - {{type: boolean, name: protest, title: "{SECRET}", privacy: strong}}
"""
)
BODY = {"version": 2_000_001, "id": "a" * 22, "report": {"protest": 1}}
WAYS = [
    ("GET", "/api/surveys/{slug}"),
    ("POST", "/api/surveys/{slug}/answers"),
    ("GET", "/api/offline/{slug}"),
    ("OPTIONS", "/api/offline/{slug}/answers"),
    ("POST", "/api/offline/{slug}/answers"),
    ("GET", "/s/{slug}"),
    ("HEAD", "/s/{slug}"),
    ("GET", "/s/{slug}?other-way"),
    ("GET", "/s/{slug}/"),
    ("GET", "/s/{slug}/results"),
    ("GET", "/s/{slug}/results/"),
    ("GET", "/s/{slug}/results/en"),
]


@contextlib.contextmanager
def counted(engine):
    """The statements that the database is asked meanwhile."""
    asked = []

    def note(_connection, _cursor, statement, *_):
        asked.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def replies(town, slug):
    """What everyone is told of a short name, and what the database was asked for it: the time of a reply is the time of these."""
    found = []
    for verb, address in WAYS:
        with counted(town.store.engine) as asked:
            reply = town.client.request(verb, address.format(slug=slug), json=BODY if verb == "POST" else None)
        headers = {name: value.replace(slug, "SLUG") for name, value in reply.headers.items() if name != "date"}
        found.append((verb, address, reply.status_code, reply.text.replace(slug, "SLUG"), headers, asked))
    return found


@pytest.mark.parametrize("protected", [True, False])
def test_nobody_reads_a_draft_in_its_made_up_answers_nor_learns_that_it_is_there(serve, monkeypatch, protected):
    town = serve()
    make_up(town.store, ASKED, 60)
    if not protected:
        monkeypatch.setattr(surveys, "reserved_for", lambda _: None)
        assert SECRET in town.client.get("/api/surveys/made-up--harbour").text
        return
    # Twice: what was looked up once is remembered for a moment.
    for _ in range(2):
        there, nowhere = replies(town, "made-up--harbour"), replies(town, "made-up--nowhere"[: len("made-up--harbour")])
        assert there == nowhere
    assert all(SECRET not in str(reply) and reply[2] in (404, 307) for reply in there)


def test_nor_while_they_are_made_up(serve, monkeypatch):
    """The survey is open then, and everything else of it as it is with any other."""
    town, seen = serve(), []
    submit = type(town.store).submit

    def look(store, group):
        seen.append(town.client.get("/api/surveys/made-up--harbour").status_code)
        seen.append(town.client.post("/api/surveys/made-up--harbour/answers", json=BODY).status_code)
        return submit(store, group)

    monkeypatch.setattr(type(town.store), "submit", look)
    make_up(town.store, ASKED, 60)
    assert (seen, town.store.overview("made-up--harbour").mixed) == ([404, 404], 60)


@pytest.mark.parametrize("protected", [True, False])
def test_nobody_who_guesses_the_short_name_reads_a_trial(serve, monkeypatch, protected):
    town = serve()
    if not protected:
        monkeypatch.setattr(trials, "new_slug", lambda kind, slug: f"{kind}--{slug}")
    tried = open_trial(town.store, ASKED).slug
    guessed = town.client.get("/api/surveys/trial--harbour")
    assert (guessed.status_code, SECRET in guessed.text) == ((404, False) if protected else (200, True))
    # Whoever was told the address reads it.
    assert SECRET in town.client.get(f"/api/surveys/{tried}").text
    # Nor do those who have the address of one trial read the next.
    changed = Questionnaire.from_json({**ASKED.to_json(), "title": "Another harbour"})
    assert open_trial(town.store, changed).replaced
    town.service.app.state.collector.forget(tried)  # as after a second
    assert town.client.get(f"/api/surveys/{tried}").status_code == (404 if protected else 200)
