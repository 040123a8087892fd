"""Stores in SQLite and in a real PostgreSQL."""

from __future__ import annotations

import importlib.util
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from deniable.survey.store import Store

SERVERS = pytest.mark.xdist_group("servers")


def _standin() -> ModuleType:
    spec = importlib.util.spec_from_file_location("standin", Path(__file__).with_name("standin.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["standin"] = module
    spec.loader.exec_module(module)
    return module


STANDIN = _standin()


@pytest.fixture(scope="session")
def standin() -> ModuleType:
    """Standin, body() and code()."""
    return STANDIN


def new_database(url: str) -> str:
    """The URL of a fresh namespace of a PostgreSQL server: much cheaper than a database of its own."""
    import sqlalchemy as sa

    # Not counted: other folders of tests load this file a second time, against the same server.
    name = f"survey_{secrets.token_hex(6)}"
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    return sa.make_url(url).update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=SERVERS)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "survey.db")
    return new_database(request.getfixturevalue("postgresql"))


@pytest.fixture
def open_store(database: str, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the database again and again; all are closed at the end."""
    opened: list[Store] = []

    def open_() -> Store:
        opened.append(Store(database, keys=tmp_path / "keys"))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    """A store in an empty database."""
    return open_store()


@pytest.fixture
def send(standin: ModuleType) -> Callable[..., Any]:
    """Submits bodies to a store in one group; the outcomes."""
    from deniable.survey.submission import read_submission

    def call(store: Store, *bodies: dict[str, Any], slug: str = "town") -> list[Any]:
        asked, _ = store.current(slug)
        return store.submit([read_submission(asked, body) for body in bodies])

    return call


@pytest.fixture
def stored() -> Callable[[Store, str], list[list[Any]]]:
    """All rows of the current version, mixed ones and (with their keys) waiting ones."""
    import sqlalchemy as sa

    from deniable.survey.sealing import unseal
    from deniable.survey.store.tables import inbox
    from deniable.survey.submission import unpack

    def rows(store: Store, slug: str = "town") -> list[list[Any]]:
        version = store.version(slug)
        found = [list(row) for piece in store.mixed_rows(version) for row in piece]
        with store.engine.connect() as connection:
            waiting = connection.execute(sa.select(inbox).where(inbox.c.version_id == version.id)).all()
        return found + [
            unpack(unseal(store.keys.get(row.key_name), row.sealed), len(version.schema), version.linkage) for row in waiting
        ]

    return rows
