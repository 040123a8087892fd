"""Trials and made-up answers are surveys of their own, told from real ones by their short names and by the numbers of their versions.

No row, and nothing that the respondent's page is told, has a mark that could be set or taken away. A short name that begins with one of
the prefixes is no real survey's, and a version of a trial has a number that no real one reaches: an answer names the version it was drawn
for, so that a trial's is refused by every real survey, and a trial under another name is not read.
"""

from __future__ import annotations

import hashlib

from deniable.errors import RefusedError

TRIAL, MADE_UP = "trial", "made-up"
PREFIXES = {TRIAL: "trial--", MADE_UP: "made-up--"}
"""Two hyphens: an ordinary name (trial-lane) keeps its meaning. The respondent's page knows the same prefixes (static/kind.js)."""
NUMBERS = {TRIAL: 1_000_000, MADE_UP: 2_000_000}
"""The versions of each kind are numbered from the next number on; those of real surveys from 1."""
_LONGEST = 45
"""Of what follows a prefix: the view of a version in the database is named by all of it, and such names have 63 bytes."""


def reserved_for(slug: str) -> str | None:
    """What a short name is kept for; None for an ordinary one.

    >>> reserved_for("trial--town"), reserved_for("made-up--town"), reserved_for("trial-lane")
    ('trial', 'made-up', None)
    """
    return next((kind for kind, prefix in PREFIXES.items() if slug.startswith(prefix)), None)


def kind_of(slug: str, number: int) -> str | None:
    """What a version is: a trial's, made up, or None for a real survey's, also of one that took such a name before these were reserved.

    >>> kind_of("trial--town", 1_000_001), kind_of("trial--town", 1), kind_of("town", 1)
    ('trial', None, None)
    """
    kind = reserved_for(slug)
    return kind if kind is not None and kind == _numbered(number) else None


def slug_apart(kind: str, slug: str) -> str:
    """The short name of a survey's trial, or of its made-up answers. Of a long one the end is told by its hash.

    >>> slug_apart(TRIAL, "town"), len(slug_apart(MADE_UP, "a" * 63))
    ('trial--town', 54)
    """
    if len(slug) > _LONGEST:
        slug = f"{slug[: _LONGEST - 9]}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"
    return PREFIXES[kind] + slug


def first_number(slug: str) -> int:
    """The number of the first version under a short name.

    >>> first_number("town"), first_number("made-up--town")
    (1, 2000001)
    """
    kind = reserved_for(slug)
    return 1 if kind is None else NUMBERS[kind] + 1


def check_kept_apart(slug: str, number: int) -> None:
    """Refuse a version of a trial under the name of another survey: somebody has moved it there by hand, or in a backup.

    >>> check_kept_apart("town", 1_000_001)
    Traceback (most recent call last):
    deniable.errors.RefusedError: Version 1000001 of town is a trial's, so its answers are no results of town.
    """
    if _numbered(number) not in (None, reserved_for(slug)):
        raise RefusedError(
            "not_apart", "Version {number} of {slug} is a trial's, so its answers are no results of {slug}.", slug=slug, number=number
        )  # fmt: skip


def reserved_slug(slug: str) -> tuple[str, dict[str, str]]:
    """The sentence that refuses such a name for a real survey, and its parameters.

    >>> sentence, given = reserved_slug("trial--town")
    >>> given
    {'got': 'trial--town', 'first': 'trial--', 'second': 'made-up--', 'better': 'town'}
    """
    better = slug.partition("--")[2].strip("-") or "town"
    given = {"got": slug, "first": PREFIXES[TRIAL], "second": PREFIXES[MADE_UP], "better": better}
    return "names that begin with {first} or {second} are kept for trials, got {got!r}; write {better}.", given


def _numbered(number: int) -> str | None:
    return next((kind for kind in (MADE_UP, TRIAL) if number > NUMBERS[kind]), None)
