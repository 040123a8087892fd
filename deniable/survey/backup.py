"""Backup and restore of a store: one file with a checksum, and a second with keys if answers wait in the inbox."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

from deniable.errors import FileError, Setting, StoreError
from deniable.files.atomic import file_exists, replacing
from deniable.survey.sealing import MARKS
from deniable.survey.store import Store

MAGIC = b"deniable backup 1 sha256 "


def keys_beside(path: Path) -> Path:
    """Where the keys of a backup lie.

    >>> keys_beside(Path("town.backup")).name
    'town.backup.keys'
    """
    return path.with_name(path.name + ".keys")


def backup(store: Store, path: Path, force: bool = False) -> bool:
    """Write everything of one moment, while the server goes on; whether a file of keys was needed too."""
    if keys_beside(path).exists() and not force:
        raise file_exists(path) if path.exists() else file_exists(keys_beside(path), path)
    with replacing(path, force, private=True) as temporary:
        with temporary.open("wb") as raw:
            raw.write(MAGIC + b"0" * 64 + b"\n")
            # No name and no time of day inside.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
            with io.TextIOWrapper(packed, encoding="utf-8") as text:
                keys = store.dump(text)
        with temporary.open("r+b") as raw:
            raw.seek(len(MAGIC) + 65)
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
            raw.seek(len(MAGIC))
            raw.write(digest.encode())
        if keys:
            content = json.dumps({name: key.hex() for name, key in keys.items()})
            with replacing(keys_beside(path), force, private=True) as keys_file:
                keys_file.write_text(content + "\n", encoding="utf-8")
    return bool(keys)


def restore(store: Store, path: Path) -> int:
    """Fill an empty store from a backup; how many rows. A backup that was changed, or whose keys are missing, is refused."""
    check(path)
    with path.open("rb") as raw:
        raw.seek(len(MAGIC) + 65)
        with gzip.open(raw, "rt", encoding="utf-8") as text:
            try:
                return store.load(text, _keys(keys_beside(path)))
            except StoreError as error:
                if error.code != "key_missing":
                    raise
                raise StoreError(
                    "backup_keys_missing",
                    "{path} holds answers that are not mixed yet, which cannot be read without the keys that were written with "
                    "it. Put that file back as {beside}, or name the folder of the service's keys: {setting}.",
                    path=str(path),
                    beside=str(keys_beside(path)),
                    setting=Setting("keys", "FOLDER"),
                ) from None


def check(path: Path) -> None:
    """Refuse a file that is no backup, or not the one that was written."""
    if not path.is_file():
        raise FileError("no_file", "{path} does not exist.", path=str(path))
    with path.open("rb") as raw:
        head = raw.read(len(MAGIC) + 65)
        if not head.startswith(MAGIC):
            raise StoreError("not_a_backup", "{path} is no backup of Deniable.", path=str(path))
        if hashlib.file_digest(raw, "sha256").hexdigest().encode() != head[len(MAGIC) : -1]:
            raise StoreError("backup_damaged", "{path} was changed or cut since it was written.", path=str(path))


@contextlib.contextmanager
def new_store(db: str, keys: Path | None) -> Iterator[Store]:
    """A store to restore into, or to open a first survey in; if that fails, whatever was made on the way is taken away again.

    Otherwise the next command would find an empty store and take it for the real one. What was there before stays, and so does a
    store into which somebody else has put a survey meanwhile. Tables in PostgreSQL stay too: they are empty.
    """
    file, folder = Store.places(db, keys)
    had_file = file is not None and file.exists()
    was_blank = file is not None and had_file and file.stat().st_size == 0
    # Folders that making the keys' folder would make, innermost first.
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    blank = True
    try:
        with Store(db, keys) as store:
            try:
                yield store
            except BaseException:
                blank = False  # what cannot be looked at is not taken away
                with contextlib.suppress(StoreError):
                    blank = not store.slugs()
                raise
    except BaseException:
        if file is not None and blank and (was_blank or not had_file):
            for ending in ("-wal", "-shm", "-journal"):
                file.with_name(file.name + ending).unlink(missing_ok=True)
            if was_blank:
                os.truncate(file, 0)
            else:
                file.unlink(missing_ok=True)
        if file is not None and blank and folder in made and [one.name for one in folder.glob("*")] == [MARKS]:
            # The mark of the database that is gone.
            (folder / MARKS).unlink(missing_ok=True)
        for one in made:
            # Refused by the system if anything lies in it.
            with contextlib.suppress(OSError):
                one.rmdir()
        raise


def _keys(path: Path) -> dict[str, bytes]:
    try:
        return {name: bytes.fromhex(key) for name, key in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise StoreError("bad_keys", "{path} holds no keys of a backup.", path=str(path)) from None
