"""Trying a survey before it is opened: with colleagues, or with made-up people. Each is a survey of its own (apart.py)."""

from __future__ import annotations

import contextlib
import datetime
import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from deniable.errors import DeniableError, RefusedError
from deniable.survey.apart import MADE_UP, TRIAL, is_tried_as, new_slug
from deniable.survey.made_up import made_up_reports
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.audit import Actor
from deniable.survey.store.surveys import Overview
from deniable.survey.submission import Asked, read_submission

PEOPLE, MOST_PEOPLE = 500, 10_000
MOST_CELLS = 2_000_000
"""Of made-up people times columns: what a press of a button may cost in time and space."""
GROUP = 100
"""Made-up people are made and stored so many at a time: real ones who answer meanwhile wait for no more than that, and once, about a
second, for the mixing at the end. The file is not rewritten for them: they are nobody."""
CONTACT_DAYS = 30
"""Contact details that are given in a trial are erased after so many days, if it is not deleted before."""
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Tried:
    """A trial that is open, or one that is full of made-up answers; whether an earlier one was deleted for it."""

    slug: str
    number: int
    replaced: bool


def trial_of(asked: Questionnaire, name: str) -> Questionnaire:
    """The questionnaire as it is tried: under a name of its own, and without invitations, which nobody has.

    >>> asked = Questionnaire.parse('''
    ... {"survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    ...  "invited": true, "pages": [{"elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?"}]}]}
    ... ''')
    >>> tried = trial_of(asked, new_slug(MADE_UP, "habits"))
    >>> tried.slug, tried.invited
    ('made-up--habits', False)
    """
    content = {key: value for key, value in asked.to_json().items() if key != "invited"}
    return Questionnaire.from_json({**content, "survey": name})


def find_trial(store: Store, kind: str, slug: str) -> Overview | None:
    """The trial, or the made-up answers, of the survey that has this short name; None where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/town.db") as store:
    ...     find_trial(store, TRIAL, "town") is None
    True
    """
    return next(iter(_all(store, kind, slug)), None)


def _all(store: Store, kind: str, slug: str) -> list[Overview]:
    """Those that are open first. There is one at most, unless the command line and a page began theirs at the same moment."""
    found = [store.overview(name) for name in store.slugs() if is_tried_as(name, kind, slug)]
    return sorted((one for one in found if one.kind is not None), key=lambda one: one.state != "open")


def is_of_now(store: Store, tried: Overview, asked: Questionnaire) -> bool:
    """Whether what is tried is the questionnaire as it is now."""
    frozen = store.version(tried.slug).questionnaire
    return json.dumps(frozen, sort_keys=True) == json.dumps(trial_of(asked, tried.slug).to_json(), sort_keys=True)


def open_trial(store: Store, asked: Questionnaire, by: Actor | None = None) -> Tried:
    """Open a trial for colleagues. One that is open with the same questions stays as it is; any other gives way, with its answers."""
    asked.check_last_day(datetime.date.today())
    before = find_trial(store, TRIAL, asked.slug)
    if before is not None and before.state == "open" and is_of_now(store, before, asked):
        return Tried(before.slug, before.number, replaced=False)
    return _begun(store, asked, TRIAL, by)


def make_up(store: Store, asked: Questionnaire, people: int = PEOPLE, by: Actor | None = None) -> Tried:
    """Fill a survey with made-up people, whose answers take the way of real ones, and close it. An earlier one gives way."""
    if not 1 <= people <= MOST_PEOPLE:
        raise RefusedError(
            "made_up_people", "1 to {most:,} people can be made up at once, got {got:,}.", most=MOST_PEOPLE, got=people
        )
    columns = len(asked.schema)
    if people * columns > MOST_CELLS:
        raise RefusedError(
            "made_up_cells", "{got:,} people would be too many for {columns:,} columns: {most:,} can be made up at once.",
            got=people, columns=columns, most=MOST_CELLS // columns,
        )  # fmt: skip
    asked.check_last_day(datetime.date.today())
    made = _begun(store, asked, MADE_UP, by)
    try:
        answering, _ = store.current(made.slug)
        for begin in range(0, people, GROUP):
            numbers = range(begin + 1, min(begin + GROUP, people) + 1)
            bodies = _bodies(answering, numbers, made_up_reports(asked, len(numbers)))
            for refused in store.submit([read_submission(answering, body) for body in bodies]):
                if isinstance(refused, DeniableError):
                    raise refused
        store.close_survey(made.slug, by)
    except BaseException:
        # By its number, too: another may have taken its place, and is not ours to delete.
        with contextlib.suppress(RefusedError):
            store.delete_survey(made.slug, by, trial=made.number)
        raise
    return made


def delete_trial(store: Store, slug: str, by: Actor | None = None) -> None:
    """Delete a trial or made-up answers, open or closed; whatever else has that name is refused."""
    store.delete_survey(slug, by, trial=store.overview(slug).number)


def _begun(store: Store, asked: Questionnaire, kind: str, by: Actor | None) -> Tried:
    tried, before = trial_of(asked, new_slug(kind, asked.slug)), _all(store, kind, asked.slug)
    for one in before:
        delete_trial(store, one.slug, by)
    until = datetime.date.today() + datetime.timedelta(CONTACT_DAYS) if asked.linkage == "register" else None
    number = store.open_survey(tried, until, by=by, trial=True)
    return Tried(tried.slug, number, bool(before))


def _bodies(asked: Asked, numbers: Iterable[int], reports: list[dict[str, int]]) -> Iterator[dict[str, Any]]:
    """What the page would send for each of them."""
    for i, report in zip(numbers, reports, strict=True):
        body: dict[str, Any] = {"version": asked.number, "id": secrets.token_hex(16), "report": report}
        if asked.linkage != "none":
            body["code"] = "-".join("".join(secrets.choice(_LETTERS) for _ in range(5)) for _ in range(3))
        if asked.linkage == "register":
            body["contact"] = {"name": f"Made-up resident {i}", "email": f"resident{i}@example.invalid"}
        yield body
