"""A real server on a loopback address, in a thread, over a store of its own."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from deniable.survey.store import Store
from deniable.web.app import Settings
from deniable.web.connections import Patience
from deniable.web.released import STATIC
from deniable.web.serve import Service


@pytest.fixture(scope="session")
def standin() -> ModuleType:
    """Standin, body() and code()."""
    spec = importlib.util.spec_from_file_location("standin", Path(__file__).parents[1] / "survey" / "standin.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["standin"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The released files, with a respondent's page whether or not there is one yet."""
    folder = tmp_path_factory.mktemp("static")
    for path in STATIC.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    if not (folder / "respond.html").exists():
        (folder / "respond.html").write_text("<!doctype html><title>Survey</title>\n")
    return folder


class Running:
    """A service that runs in a thread."""

    def __init__(self, store: Store, settings: Settings, patience: Patience | None = None) -> None:
        self.store = store
        self.service = Service(store, port=0, settings=settings, patience=patience)
        self.url = self.service.url
        self._thread = threading.Thread(target=self.service.run)
        self._thread.start()
        while not self.service.server.started:
            time.sleep(0.01)
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def post(self, body: Any, slug: str = "town", **more: Any) -> httpx.Response:
        return self.client.post(f"/api/surveys/{slug}/answers", json=body, **more)

    def stop(self) -> None:
        self.client.close()
        self.service.server.should_exit = True
        self._thread.join()


@pytest.fixture
def serve(tmp_path: Path, static: Path) -> Iterator[Callable[..., Running]]:
    """Starts servers; all are stopped at the end."""
    running: list[Running] = []

    def start(*questionnaires: Any, db: str = "town.db", patience: Patience | None = None, **settings: Any) -> Running:
        store = Store(str(tmp_path / db))
        for questionnaire in questionnaires:
            store.open_survey(questionnaire)
        running.append(Running(store, Settings(static=static, **settings), patience))
        return running[-1]

    yield start
    for one in running:
        one.stop()
        one.store.close()
