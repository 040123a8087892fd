"""A server that sends the released page and, in place of the survey, whatever an attacker likes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.app import Settings
from deniable.web.released import STATIC
from deniable.web.serve import Service

# The page of another release can be attacked, to see that an attack does win where nothing stands against it.
ATTACKED = Path(os.environ.get("DENIABLE_ATTACKED", STATIC))
ROUNDS = int(os.environ.get("DENIABLE_ROUNDS", "1"))

HEAD = """survey: {slug}
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
pages:
- elements:
"""
SMOKES = "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}\n"
DISTRICT = "  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Open a questionnaire by its questions; its address."""
    store = Store(str(tmp_path_factory.mktemp("service") / "answers.db"), None)
    service = Service(store, port=0, settings=Settings(burst=0, static=ATTACKED))
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()

    def open_(slug, questions=SMOKES + DISTRICT, head=""):
        store.open_survey(Questionnaire.parse(head + HEAD.format(slug=slug) + questions))
        return f"{service.url}/s/{slug}"

    open_.store, open_.url, open_.rounds = store, service.url, ROUNDS
    yield open_
    service.server.should_exit = True
    thread.join(20)
    store.close()


class Victim:
    """Someone who answers every question that is shown, truthfully, and presses what can be pressed."""

    def __init__(self, chromium):
        self.context = chromium.new_context(locale="en-GB")
        self.page = self.context.new_page()
        self.reports = []
        self.page.on("request", self._seen)

    def _seen(self, request):
        if request.method == "POST":
            self.reports.append(json.loads(request.post_data)["report"])

    def told(self, slug, change):
        """What the server says of the survey is changed on the way."""

        def fulfil(route):
            client = route.fetch().json()
            told = change(client)
            body = told if isinstance(told, str) else json.dumps(client)
            route.fulfill(status=200, content_type="application/json", body=body)

        self.page.route(f"**/api/surveys/{slug}", fulfil)

    def opens(self, address):
        """Whether the page asks anything at all."""
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.locator("button, [role=alert]").first.wait_for()
        return self.page.get_by_role("button", name="Start").count() > 0

    def answers(self, smokes):
        """Answer truthfully, what is visible, and send."""
        self.page.get_by_role("button", name="Start").click()
        self.page.wait_for_selector("form")
        self.page.locator("fieldset", has_text="Do you smoke?").get_by_label("Yes" if smokes else "No", exact=True).check()
        for fieldset in self.page.locator("fieldset", has_text="District").all():
            if fieldset.is_visible():
                fieldset.get_by_label("north").check()
        self.page.get_by_role("button", name="Send").click()
        self.page.locator("main > [role=alert], main > .strong[role=status]").wait_for()


@pytest.fixture
def victim(chromium):
    """A fresh browser for a fresh person."""
    people = []

    def new():
        people.append(Victim(chromium))
        return people[-1]

    yield new
    for one in people:
        one.context.close()
