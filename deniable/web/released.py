"""The files that browsers run: the same bytes for everyone, known by their SHA-256."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).parent / "static"
SHELL = "respond.html"
"""The respondent's page."""
FRONT = "front.html"
"""The page of the server itself."""
FOR_ORGANISERS = frozenset({"editor.css", "editor.js", "results.css", "results.js", "unsaved.js"})
"""Files of pages that only those see who have logged in; no respondent's page uses them."""
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Released:
    """A file as it is served."""

    name: str
    content: bytes
    media_type: str

    @property
    def sha256(self) -> str:
        """In hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def digest(self) -> str:
        """As RFC 9530 writes it in a header."""
        return f"sha-256=:{base64.b64encode(hashlib.sha256(self.content).digest()).decode()}:"


def released(folder: Path = STATIC) -> dict[str, Released]:
    """All files of the folder by name.

    >>> len(released()["randomise.js"].sha256)
    64
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix in TYPES)
    return {path.name: Released(path.name, path.read_bytes(), TYPES[path.suffix]) for path in paths}
