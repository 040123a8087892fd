"""A real service on a free port of this machine, and a real Chromium."""

from __future__ import annotations

import datetime
import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.app import Settings
from deniable.web.serve import Service

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def chromium():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "These tests need Chromium: install your system's package `chromium`."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page that remembers its requests and complains of errors."""
    context = chromium.new_context(viewport={"width": 900, "height": 900}, locale="en-GB")
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.seen = []
    opened.on("request", lambda request: opened.seen.append(request))
    yield opened
    assert opened.faults == []
    context.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Open questionnaires by their text; gives the address of each, and the store."""
    folder = tmp_path_factory.mktemp("service")
    store = Store(str(folder / "answers.db"), None)
    service = Service(store, port=0, settings=Settings(burst=0))
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()

    def open_(text: str) -> str:
        questionnaire = Questionnaire.parse(text)
        store.open_survey(questionnaire, datetime.date(2099, 1, 1) if questionnaire.linkage == "register" else None)
        return f"{service.url}/s/{questionnaire.slug}"

    open_.store = store
    open_.url = service.url
    open_.folder = Path(folder)
    yield open_
    service.server.should_exit = True
    thread.join(20)
    store.close()
