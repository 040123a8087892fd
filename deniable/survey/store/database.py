"""`Store`: everything that is kept, behind one name."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa

from deniable.errors import FileError, StoreError
from deniable.survey.sealing import KeyFolder
from deniable.survey.store import dump, engine, folder, migrations, mixing, people, submissions, surveys
from deniable.survey.submission import Asked, Submission


class Store:
    """Surveys, answers and invitations in a SQLite file (a path) or PostgreSQL (a URL).

    Keys of waiting answers lie in a folder of their own: beside a SQLite file, else `deniable.keys` unless it is named.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/town.db") as store:
    ...     store.slugs()
    []
    """

    def __init__(self, url: str, keys: str | Path | None = None, create: bool = True) -> None:
        parsed = engine.parse(url)
        if not create and parsed.get_backend_name() == "sqlite" and not Path(str(parsed.database)).exists():
            # A mistyped name must not become an empty database.
            raise FileError("no_file", "{path} does not exist.", path=str(parsed.database))
        self.place = parsed.render_as_string(hide_password=True)
        self.keys = KeyFolder(self.places(url, keys)[1])
        self._mark: str | None = None
        self._engine = engine.create(parsed)
        with self._explained():
            migrations.migrate(self._engine)

    @staticmethod
    def places(url: str, keys: str | Path | None = None) -> tuple[Path | None, Path]:
        """Where a store lies, or would: its file (none for PostgreSQL) and the folder of its keys.

        >>> [str(place) for place in Store.places("town.db")]
        ['town.db', 'town.db.keys']
        """
        parsed = engine.parse(url)
        file = Path(str(parsed.database)) if parsed.get_backend_name() == "sqlite" else None
        return file, Path(keys or ("deniable.keys" if file is None else f"{file}.keys"))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        with engine.explained(self.place):
            yield

    @contextlib.contextmanager
    def _keyed(self) -> Iterator[None]:
        """The same for what makes, uses or destroys keys, which has to be done in the right folder."""
        with self._explained():
            if self._mark is None:
                self._mark = folder.adopt(self._engine, self.keys, self.place)
            yield

    def check(self, discard_unreadable: bool = False) -> int:
        """Look whether the database is whole and every waiting answer has its key; sweep keys that nobody needs.

        Returns how many waiting answers were discarded for want of their key, if that was wished.
        """
        with self._explained():
            if self._engine.dialect.name == "sqlite":
                with self._engine.connect() as connection:
                    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
                if found != "ok":
                    raise StoreError(
                        "damaged", "{place} is damaged: {reason}. Restore a backup.", place=self.place, reason=found
                    )
            self._mark = folder.adopt(self._engine, self.keys, self.place, discard_unreadable)
            sealing, sealed = self._named_keys()
            lost = {name for name in sealed if not self.keys.has(name)}
            if lost:
                # Another server may have mixed those answers, and destroyed their key, since we looked.
                sealing, sealed = self._named_keys()
                lost &= sealed
            discarded = dump.discard_sealed(self._engine, lost) if lost and discard_unreadable else 0
            for name in lost if not discard_unreadable else ():
                self.keys.get(name)
            dump.renew_keys(self._engine, self.keys, {name for name in sealing if not self.keys.has(name)})
            self.sweep()
            return discarded

    def _named_keys(self) -> tuple[set[str], set[str]]:
        with self._engine.connect() as connection:
            return surveys.named_keys(connection)

    def logged_statements(self) -> list[str]:
        """The settings by which the database writes its statements to a log of its own."""
        with self._explained():
            return engine.logged_statements(self._engine)

    def sweep(self) -> None:
        """Destroy keys that a crash left behind: those that no survey and no waiting answer names, nor is about to.

        And empty SQLite's log, if somebody who read it has hindered a mixing in that.
        """
        with self._keyed():
            mixing.forget(self._engine)
            self.keys.forget_destroyed()
            # In this order: a key that is named between the two looks is among the named. Where databases share a folder none is swept: the
            # others' keys are not known here.
            old = self.keys.leftover() if self.keys.marks() == {self._mark} else set()
            if old:
                sealing, sealed = self._named_keys()
                for name in old - sealing - sealed:
                    self.keys.destroy(name)

    # Surveys

    def open_survey(
        self, questionnaire: surveys.Frozen, contacts_until: datetime.date | None = None, discard: bool = False
    ) -> int:
        """Freeze a questionnaire and take answers; the number of the version. `discard`: what is too few for a batch goes."""
        with self._keyed():
            return surveys.open_survey(self._engine, self.keys, questionnaire, contacts_until, discard)

    def close_survey(self, slug: str) -> int:
        """Take no more answers and mix in what waits; how many answers are out."""
        with self._keyed():
            return surveys.close_survey(self._engine, self.keys, slug)

    def reopen_survey(self, slug: str) -> None:
        """Take answers to the current version again."""
        with self._explained():
            surveys.reopen_survey(self._engine, slug)

    def close_due(self) -> list[str]:
        """Close the surveys whose last day is over."""
        with self._keyed():
            found = surveys.due(self._engine)
            for slug in found:
                surveys.close_survey(self._engine, self.keys, slug)
            return found

    def slugs(self) -> list[str]:
        """The names of all surveys."""
        with self._explained():
            return surveys.slugs(self._engine)

    def overview(self, slug: str) -> surveys.Overview:
        """State and count."""
        with self._explained():
            return surveys.overview(self._engine, slug)

    def overviews(self, slug: str) -> list[surveys.Overview]:
        """State and count of every version, oldest first."""
        with self._explained():
            return surveys.overviews(self._engine, slug)

    def current(self, slug: str) -> tuple[Asked, str]:
        """What is asked now, and the JSON for the respondent's page."""
        with self._explained():
            return surveys.current(self._engine, slug)

    def asked_before(self, slug: str, number: int) -> Asked:
        """What an earlier version asked."""
        with self._explained():
            return surveys.asked_before(self._engine, slug, number)

    def version(self, slug: str, number: int | None = None) -> surveys.Version:
        """A frozen version."""
        with self._explained():
            return surveys.frozen(self._engine, slug, number)

    def mixed_rows(self, version: surveys.Version) -> Iterator[list[sa.Row[Any]]]:
        """The mixed answers in pieces."""
        with self._explained():
            yield from surveys.mixed_rows(self._engine, version)

    # Answers

    def submit(self, group: Sequence[Submission]) -> list[submissions.Outcome]:
        """Store a group of submissions in one transaction; it is on the disk when this returns."""
        with self._keyed():
            return submissions.commit_group(self._engine, self.keys, group)

    def waiting(self) -> dict[int, tuple[int, int]]:
        """By version: how many answers wait, and how many are mixed."""
        with self._explained():
            return surveys.waiting_counts(self._engine)

    def mix(self, version: int, least: int = mixing.BATCH) -> int:
        """Mix waiting answers in, if there are enough; how many."""
        with self._keyed():
            return mixing.mix(self._engine, self.keys, version, least)

    # People

    def add_invitations(self, slug: str, rows: Sequence[tuple[str, str | None, str | None]]) -> None:
        """Store hashes of tokens with their first and last day."""
        with self._explained():
            people.add_invitations(self._engine, slug, rows)

    def invitation_states(self, hashes: Sequence[str]) -> dict[str, bool]:
        """Whether each known token is seen to be used."""
        with self._explained():
            return people.invitation_states(self._engine, hashes)

    def revoke_invitations(self, slug: str, hashes: Sequence[str]) -> int:
        """Delete invitations that are not seen to be used; how many."""
        with self._explained():
            return people.revoke_invitations(self._engine, slug, hashes)

    def contacts(self, slug: str) -> list[dict[str, Any]]:
        """The register of a survey that keeps one: of those whose answers are out."""
        with self._explained():
            return people.contacts(self._engine, slug)

    def erase(self, slug: str, code: str) -> tuple[int, int]:
        """Erase contact details and answers of a receipt code: how many of each."""
        with self._keyed():
            return people.erase(self._engine, self.keys, slug, code)

    def expire_contacts(self, today: datetime.date | None = None) -> int:
        """Erase contact details whose last day is over."""
        with self._explained():
            return people.expire_contacts(self._engine, today)

    def password(self) -> str | None:
        """The hash of the organiser's password."""
        with self._explained():
            return people.password(self._engine)

    def set_password(self, hashed: str) -> None:
        """Replace it."""
        with self._explained():
            people.set_password(self._engine, hashed)

    # Backup

    def dump(self, file: IO[str]) -> dict[str, bytes]:
        """Write all rows of one moment as lines of JSON; the keys of the answers that waited then."""
        with self._explained():
            return dump.dump(self._engine, self.keys, file)

    def load(self, file: IO[str], keys: dict[str, bytes]) -> int:
        """Read what `dump` wrote into an empty database; how many rows."""
        with self._explained():
            rows = dump.load(self._engine, self.keys, file, keys)
            self._mark = folder.adopt(self._engine, self.keys, self.place)
            return rows
