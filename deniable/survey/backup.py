"""Backup and restore of a store: one file with a checksum, and a second with keys if answers wait in the inbox."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path

from deniable.core.files import replacing
from deniable.errors import FileError, StoreError
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
        raise FileError("file_exists", "{path} exists already; choose another name, or force it.", path=str(keys_beside(path)))
    with replacing(path, force) as temporary:
        temporary.chmod(0o600)
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
            with replacing(keys_beside(path), force) as keys_file:
                keys_file.write_text(content + "\n", encoding="utf-8")
            keys_beside(path).chmod(0o600)
    path.chmod(0o600)
    return bool(keys)


def restore(store: Store, path: Path) -> int:
    """Fill an empty store from a backup; how many rows. A backup that was changed, or lacks its keys, is refused."""
    if not path.is_file():
        raise FileError("no_file", "{path} does not exist.", path=str(path))
    with path.open("rb") as raw:
        head = raw.read(len(MAGIC) + 65)
        if not head.startswith(MAGIC):
            raise StoreError("not_a_backup", "{path} is no backup of Deniable.", path=str(path))
        if hashlib.file_digest(raw, "sha256").hexdigest().encode() != head[len(MAGIC) : -1]:
            raise StoreError("backup_damaged", "{path} was changed or cut since it was written.", path=str(path))
        raw.seek(len(head))
        with gzip.open(raw, "rt", encoding="utf-8") as text:
            return store.load(text, _keys(keys_beside(path)))


def _keys(path: Path) -> dict[str, bytes]:
    try:
        return {name: bytes.fromhex(key) for name, key in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise StoreError("bad_keys", "{path} holds no keys of a backup.", path=str(path)) from None
