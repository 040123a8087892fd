"""Trying a survey before it is opened: with colleagues, or with made-up people. Each is a survey of its own (apart.py)."""

from __future__ import annotations

import datetime
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deniable.errors import DeniableError, RefusedError
from deniable.survey.apart import MADE_UP, TRIAL, slug_apart
from deniable.survey.made_up import made_up_reports
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.audit import Actor
from deniable.survey.store.surveys import Overview
from deniable.survey.submission import Asked, read_submission

PEOPLE, MOST_PEOPLE = 500, 10_000
GROUP = 100
"""Made-up people are stored so many at a time: real ones who answer meanwhile wait for no more than that."""
CONTACT_DAYS = 30
"""Contact details that are given in a trial are erased after so many days, if it is not deleted before."""
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Tried:
    """A trial that is open, or one that is full of made-up answers; whether an earlier one was deleted for it."""

    slug: str
    number: int
    replaced: bool


def trial_of(asked: Questionnaire, kind: str) -> Questionnaire:
    """The questionnaire as it is tried: under a name of its own, and without invitations, which nobody has.

    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "invited": true, "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?"}]}]}
    ... ''')
    >>> tried = trial_of(asked, TRIAL)
    >>> tried.slug, tried.invited
    ('trial--habits', False)
    """
    content = {key: value for key, value in asked.to_json().items() if key != "invited"}
    return Questionnaire.from_json({**content, "survey": slug_apart(kind, asked.slug)})


def find_trial(store: Store, kind: str, slug: str) -> Overview | None:
    """The trial, or the made-up answers, of the survey that has this short name; None where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/town.db") as store:
    ...     find_trial(store, TRIAL, "town") is None
    True
    """
    apart = slug_apart(kind, slug)
    seen = store.overview(apart) if apart in store.slugs() else None
    return seen if seen is not None and seen.kind is not None else None


def is_of_now(store: Store, kind: str, asked: Questionnaire) -> bool:
    """Whether what is tried is the questionnaire as it is now."""
    frozen = store.version(slug_apart(kind, asked.slug)).questionnaire
    return json.dumps(frozen, sort_keys=True) == json.dumps(trial_of(asked, kind).to_json(), sort_keys=True)


def open_trial(store: Store, asked: Questionnaire, by: Actor | None = None) -> Tried:
    """Open a trial for colleagues. One that is open with the same questions stays as it is; any other gives way, with its answers."""
    asked.check_last_day(datetime.date.today())
    before = find_trial(store, TRIAL, asked.slug)
    if before is not None and before.state == "open" and is_of_now(store, TRIAL, asked):
        return Tried(before.slug, before.number, replaced=False)
    return _begun(store, asked, TRIAL, before, by)


def make_up(store: Store, asked: Questionnaire, people: int = PEOPLE, by: Actor | None = None) -> Tried:
    """Fill a survey with made-up people, whose answers take the way of real ones, and close it. An earlier one gives way."""
    if not 1 <= people <= MOST_PEOPLE:
        raise RefusedError(
            "made_up_people", "1 to {most:,} people can be made up at once, got {got:,}.", most=MOST_PEOPLE, got=people
        )
    asked.check_last_day(datetime.date.today())
    reports = made_up_reports(asked, people)
    made = _begun(store, asked, MADE_UP, find_trial(store, MADE_UP, asked.slug), by)
    try:
        answering, _ = store.current(made.slug)
        sent = [read_submission(answering, body) for body in _bodies(answering, reports)]
        for begin in range(0, people, GROUP):
            for refused in store.submit(sent[begin : begin + GROUP]):
                if isinstance(refused, DeniableError):
                    raise refused
        store.close_survey(made.slug, by)
    except BaseException:
        delete_trial(store, made.slug, by)
        raise
    return made


def delete_trial(store: Store, slug: str, by: Actor | None = None) -> None:
    """Delete a trial or made-up answers, open or closed; whatever else has that name is refused."""
    seen = store.overview(slug)
    if seen.kind is None:
        raise RefusedError("no_trial", "{slug} is no trial, so it is not deleted as one.", slug=slug)
    if seen.state == "open" or seen.due:
        store.close_survey(slug, by)
    store.delete_survey(slug, by)


def _begun(store: Store, asked: Questionnaire, kind: str, before: Overview | None, by: Actor | None) -> Tried:
    tried = trial_of(asked, kind)
    if before is not None:
        delete_trial(store, before.slug, by)
    until = datetime.date.today() + datetime.timedelta(CONTACT_DAYS) if asked.linkage == "register" else None
    number = store.open_survey(tried, until, by=by, trial=True)
    return Tried(tried.slug, number, before is not None)


def _bodies(asked: Asked, reports: list[dict[str, int]]) -> Iterator[dict[str, Any]]:
    """What the page would send for each of them."""
    for i, report in enumerate(reports):
        body: dict[str, Any] = {"version": asked.number, "id": secrets.token_hex(16), "report": report}
        if asked.linkage != "none":
            body["code"] = "-".join("".join(secrets.choice(_LETTERS) for _ in range(5)) for _ in range(3))
        if asked.linkage == "register":
            body["contact"] = {"name": f"Made-up resident {i + 1}", "email": f"resident{i + 1}@example.invalid"}
        yield body
