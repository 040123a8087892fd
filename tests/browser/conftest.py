"""A real service on a free port of this machine."""

from __future__ import annotations

import datetime
import threading
from pathlib import Path

import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.app import Settings
from deniable.web.serve import Service


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
    open_.accounts = service.app.state.accounts
    open_.url = service.url
    open_.folder = Path(folder)
    yield open_
    service.server.should_exit = True
    thread.join(20)
    store.close()
