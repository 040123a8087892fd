"""Sealing: an answer that waits in the inbox can be read only with a key that is destroyed once the answers are mixed.

The database sees a submission's token and its answer in one transaction, and its log remembers that. So the waiting answer is
encrypted (ChaCha20-Poly1305); the keys lie in a folder outside the database, one file per key, named by what they are called there.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from deniable.engines.extras import not_installed
from deniable.errors import Setting, StoreError

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
except ImportError:
    raise not_installed("cryptography", "serve") from None

NONCE = 12
SAFE_SECONDS = 3_600
MARKS = "databases"
_NAME = re.compile(r"[0-9a-f]{32}\.key")


def seal(key: bytes, contents: Sequence[bytes]) -> list[str]:
    """Encrypt each with a fresh nonce; equal lengths in, equal lengths out.

    >>> key = os.urandom(32)
    >>> [unseal(key, sealed) for sealed in seal(key, [b"an answer", b"another"])]
    [b'an answer', b'another']
    """
    cipher = ChaCha20Poly1305(key)
    # Drawn together: each call of the operating system gives up Python's global lock, and getting it back can take milliseconds.
    drawn = os.urandom(NONCE * len(contents))
    nonces = [drawn[start : start + NONCE] for start in range(0, len(drawn), NONCE)]
    return [
        base64.b64encode(nonce + cipher.encrypt(nonce, content, None)).decode()
        for nonce, content in zip(nonces, contents, strict=True)
    ]


def unseal(key: bytes, sealed: str) -> bytes:
    """Decrypt; what was changed since is refused."""
    return _open(ChaCha20Poly1305(key), sealed)


def unseal_all(keys: KeyFolder, rows: Sequence[tuple[str, str] | list[str]]) -> list[bytes]:
    """Decrypt many, each with the name of its key."""
    ciphers = {name: ChaCha20Poly1305(keys.get(name)) for name in {name for name, _ in rows}}
    return [_open(ciphers[name], sealed) for name, sealed in rows]


def _open(cipher: ChaCha20Poly1305, sealed: str) -> bytes:
    raw = base64.b64decode(sealed)
    try:
        return cipher.decrypt(raw[:NONCE], raw[NONCE:], None)
    except InvalidTag:
        raise StoreError(
            "inbox_damaged",
            "An answer that waits in the inbox was changed on the disk and cannot be read. Restore the last backup.",
        ) from None


def name_of(key: bytes) -> str:
    """The name tells keys apart and says nothing about the key."""
    return hashlib.sha256(b"name of " + key).hexdigest()[:32]


class KeyFolder:
    """Keys as files in a folder that nobody else may read; made durable before they are used, overwritten when destroyed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[str, bytes] = {}

    def create(self) -> str:
        """A new key on the disk; its name."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = os.urandom(32)
        self.put(name_of(key), key)
        return name_of(key)

    def put(self, name: str, key: bytes) -> None:
        """Write a key under its name."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self.folder / f".{name}.part"
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path(name))
        self._sync_folder()
        self._loaded[name] = key

    def get(self, name: str) -> bytes:
        """The key of that name, or a sentence about what is missing."""
        key = self._loaded.get(name)
        if key is None:
            with contextlib.suppress(FileNotFoundError):
                key = self._path(name).read_bytes()
            # One that is being destroyed at this moment is all zeros.
            if key is None or name_of(key) != name:
                raise StoreError(
                    "key_missing",
                    "The key {name} is not in {folder}, so answers that wait in the inbox cannot be read. "
                    "Bring that folder back, or name it: {setting}.",
                    name=f"{name}.key",
                    folder=str(self.folder),
                    setting=Setting("keys", "FOLDER"),
                )
            self._loaded[name] = key
        return key

    def has(self, name: str) -> bool:
        """Whether that key is here."""
        return name in self._loaded or self._path(name).is_file()

    def destroy(self, name: str) -> None:
        """Overwrite a key and remove it."""
        self._loaded.pop(name, None)
        with contextlib.suppress(FileNotFoundError):
            with self._path(name).open("r+b") as file:
                file.write(b"\0" * 32)
                file.flush()
                os.fsync(file.fileno())
            self._path(name).unlink()
            self._sync_folder()

    def marks(self) -> set[str]:
        """The marks of the databases whose keys are here."""
        with contextlib.suppress(FileNotFoundError):
            return set((self.folder / MARKS).read_text(encoding="ascii").split())
        return set()

    def mark(self, mark: str) -> None:
        """Note that the keys of that database are here."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self.folder / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            file.write(f"{mark}\n".encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        self._sync_folder()

    def forget_destroyed(self) -> None:
        """Forget the keys that others, a second server or a command, have destroyed."""
        for name in list(self._loaded):
            if not self._path(name).is_file():
                self._loaded.pop(name, None)

    def leftover(self) -> set[str]:
        """Keys that may have been left behind by a crash: those that are old enough.

        A key is made before the transaction that names it commits, and another server, or a command, cannot tell one that is about to
        be named from one that never will be. A transaction waits a minute at most for its turn and then takes seconds, so what is
        an hour old and still unnamed stays so.
        """
        before = time.time() - SAFE_SECONDS
        old = set()
        for path in self.folder.glob("*.key") if self.folder.is_dir() else ():
            with contextlib.suppress(FileNotFoundError):
                if _NAME.fullmatch(path.name) and path.stat().st_mtime < before:
                    old.add(path.stem)
        return old

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def _sync_folder(self) -> None:
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
