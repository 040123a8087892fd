"""Stores with the survey of council.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deniable.survey.store import Store
from tests.results.council import YAML, open_council


@pytest.fixture
def new_store(tmp_path: Path) -> Any:
    """Makes a store with the survey, so many answers that are out, open or closed."""
    made = []

    def make(n: int = 3_000, seed: int = 1, closed: bool = True, text: str = YAML) -> Store:
        store = Store(str(tmp_path / f"survey{len(made)}.db"))
        made.append(store)
        slug = open_council(store, n, seed, text)
        if closed:
            store.close_survey(slug)
        return store

    yield make
    for store in made:
        store.close()
