"""Addresses of databases, and where their passwords come from."""

import pytest

from deniable.errors import StoreError
from deniable.survey.store.engine import parse

URL = "postgresql://town@localhost/survey"


@pytest.fixture(autouse=True)
def no_password(monkeypatch):
    for name in ("DENIABLE_DB_PASSWORD", "DENIABLE_DB_PASSWORD_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_a_password_comes_from_the_address_the_environment_or_a_file(monkeypatch, tmp_path):
    assert parse(URL).password is None
    monkeypatch.setenv("DENIABLE_DB_PASSWORD", "of the environment")
    assert parse(URL).password == "of the environment"
    (tmp_path / "secret").write_text("of a file\n")
    monkeypatch.setenv("DENIABLE_DB_PASSWORD_FILE", str(tmp_path / "secret"))
    assert parse(URL).password == "of a file"
    assert parse("postgresql://town:own@localhost/survey").password == "own"
    assert parse(str(tmp_path / "town.db")).password is None


def test_a_file_that_cannot_be_read_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("DENIABLE_DB_PASSWORD_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(StoreError, match="nowhere, which DENIABLE_DB_PASSWORD_FILE names, cannot be read"):
        parse(URL)
