"""Days as people write them, English and Polish."""

from __future__ import annotations

import datetime

_MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "pl": [
        "stycznia",
        "lutego",
        "marca",
        "kwietnia",
        "maja",
        "czerwca",
        "lipca",
        "sierpnia",
        "września",
        "października",
        "listopada",
        "grudnia",
    ],
}


def day(iso: str, language: str) -> str:
    """A day as people write it.

    >>> day("2026-11-16", "en"), day("2026-11-16", "pl")
    ('16 November 2026', '16 listopada 2026')
    """
    given = datetime.date.fromisoformat(iso)
    return f"{given.day} {_MONTHS[language][given.month - 1]} {given.year}"
