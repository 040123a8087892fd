"""An open database, and the folder of its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from deniable.errors import FileError
from deniable.survey.sealing import KeyFolder
from deniable.survey.store import engine, migrations


class Database:
    """A SQLite file (a path) or PostgreSQL (a URL), brought to today's version.

    Keys of waiting answers lie in a folder of their own: beside a SQLite file, else `deniable.keys` unless it is named.
    """

    def __init__(self, url: str, keys: str | Path | None = None, create: bool = True) -> None:
        file, folder = self.places(url, keys)
        if not create and file is not None and not file.exists():
            # A mistyped name must not become an empty database.
            raise FileError("no_file", "{path} does not exist.", path=str(file))
        parsed = engine.parse(url)
        self.place = engine.place_of(parsed)
        self.keys = KeyFolder(folder)
        self.mark: str | None = None
        """What the database and its folder of keys both carry; None until they have been compared (folder.py)."""
        self.engine = engine.create(parsed)
        migrations.migrate(self.engine)

    @staticmethod
    def places(url: str, keys: str | Path | None = None) -> tuple[Path | None, Path]:
        """Where a database is, or would be: its file (none for PostgreSQL) and the folder of its keys.

        >>> [str(place) for place in Database.places("town.db")]
        ['town.db', 'town.db.keys']
        """
        parsed = engine.parse(url)
        file = Path(str(parsed.database)) if parsed.get_backend_name() == "sqlite" else None
        return file, Path(keys or ("deniable.keys" if file is None else f"{file}.keys"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()
