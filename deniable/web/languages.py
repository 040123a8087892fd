"""In which language a page of the server speaks: as its address says, else as the browser is set. No cookie keeps it, nor anything else."""

from __future__ import annotations

import re

from fastapi import Request

from deniable.survey.texts import LANGUAGES

NAMES = {"en": "English", "pl": "Polski"}
_WISH = re.compile(r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9-]{1,40})?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?")


def chosen(request: Request) -> str | None:
    """The language that the address asks for (?lang=pl), if there are texts in it."""
    wanted = request.query_params.get("lang")
    return wanted if wanted in LANGUAGES else None


def language_of(request: Request) -> str:
    """The language of a page."""
    return chosen(request) or preferred(request.headers.get("accept-language", ""))


def preferred(header: str) -> str:
    """What a browser likes best of the languages that there are; English if it says nothing of them.

    >>> preferred("de-DE,de;q=0.9,pl;q=0.8,en;q=0.7"), preferred("en-GB,pl;q=0.5"), preferred("pl;q=0"), preferred("")
    ('pl', 'en', 'en', 'en')
    """
    return wished(header) or "en"


def wished(header: str) -> str | None:
    """What a browser likes best of the languages that there are; None if it says nothing of them.

    >>> wished("pl-PL,pl;q=0.9"), wished("de")
    ('pl', None)
    """
    wishes = [_WISH.fullmatch(part) for part in header[:500].split(",")]
    known = [(-float(wish[2] or 1), wish[1].lower()) for wish in wishes if wish and wish[1].lower() in LANGUAGES]
    best = min((wish for wish in known if wish[0] < 0), default=None, key=lambda wish: wish[0])
    return None if best is None else best[1]
