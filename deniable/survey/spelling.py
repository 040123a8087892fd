"""What somebody probably meant: a key with a slip in it, a name with letters that names do not have."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

NEAR = 0.75
LONGEST = 100
"""Of a text that is shown again."""
_UNDIVIDED = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe"}
)
"""Letters that Unicode does not take apart into a plain one and its accent."""


def meant(got: str, allowed: Iterable[str]) -> str | None:
    """The one of several words that is nearly what was written; None where none is.

    >>> meant("titel", ["title", "type"]), meant("visibleif", ["visibleIf"]), meant("colour", ["title"])
    ('title', 'visibleIf', None)
    """
    by_lower = {one.lower(): one for one in allowed}
    near = difflib.get_close_matches(got.lower(), by_lower, 1, NEAR)
    return by_lower[near[0]] if near else None


def misspelt(given: Collection[Any], allowed: Collection[str]) -> dict[str, str]:
    """Keys that are not allowed, with what each was probably meant to be: a key that is allowed and not there.

    >>> misspelt(["titel", "name", "colour"], ["title", "name", "type"])
    {'titel': 'title'}
    """
    slips: dict[str, str] = {}
    for key in given:
        free = [one for one in allowed if one not in given and one not in slips.values()]
        near = meant(str(key), free) if key not in allowed else None
        if near is not None:
            slips[str(key)] = near
    return slips


def plain_name(got: str, between: str = "_") -> str:
    """The letters a to z and digits of a name, without accents, with a sign between its words.

    >>> plain_name("płeć"), plain_name("Wiek (lata)"), plain_name("Życie w mieście", "-")
    ('plec', 'Wiek_lata', 'Zycie-w-miescie')
    """
    parts = unicodedata.normalize("NFKD", got.translate(_UNDIVIDED))
    letters = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9]+", between, letters).strip(between)


def shown_again(text: str) -> str:
    """A text in the quotes it needs, to be shown on a terminal; the beginning of a long one.

    >>> print(shown_again("Yes: I am"), shown_again("a\\x07"))
    "Yes: I am" 'a\\x07'
    """
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return f'"{shown}"' if shown.isprintable() and '"' not in shown else repr(shown)
