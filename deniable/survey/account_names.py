"""Names of accounts: plain text that looks the same to everyone who reads it."""

from __future__ import annotations

import unicodedata

from deniable.errors import RefusedError

FIRST_NAME = "organiser"
"""The name of the first account, and what an empty name means when somebody logs in."""
LONGEST_NAME = 60
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# What the audit trail calls those who are no account, in its languages: nobody may be named so.
_RESERVED = {"command line", "wiersz poleceń", "server", "serwer", "unknown name", "nieznana nazwa"}


def checked_name(given: str) -> str:
    """A name as it is kept: composed letters, single spaces. Refused are marks that are not seen, and names of what is no person.

    >>> checked_name("  Anna   Nowak ")
    'Anna Nowak'
    >>> checked_name("Command line")
    Traceback (most recent call last):
    deniable.errors.RefusedError: Nobody can be called 'Command line' here: what is done on the command line is listed under such a name.
    """
    # Long texts are not normalised first: that could take long.
    name = " ".join(unicodedata.normalize("NFC", given[: 4 * LONGEST_NAME]).split())
    if not 1 <= len(name) <= LONGEST_NAME or len(given) > 4 * LONGEST_NAME:
        raise RefusedError("name_length", "A name has 1 to {most} characters.", most=LONGEST_NAME)
    if any(unicodedata.category(letter) in _UNSEEN for letter in name):
        raise RefusedError("name_letters", "A name has letters, digits, spaces and signs that can be seen, and no others.")
    if folded(name) in _RESERVED:
        raise RefusedError(
            "name_reserved",
            "Nobody can be called {name!r} here: what is done on the command line is listed under such a name.",
            name=name,
        )
    return name


def folded(name: str) -> str:
    """What two names have in common that are taken for the same.

    >>> folded("ANNA Nowak") == folded("Anna NOWAK")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
