"""Trials and made-up answers are surveys of their own, told from real ones by their short names and by the numbers of their versions.

No row, and nothing that the respondent's page is told, has a mark that could be set or taken away. A short name that begins with one of
the prefixes is no real survey's, and a version of a trial has a number that no real one reaches: an answer names the version it was drawn
for, so that a trial's is refused by every real survey, and a trial under another name is not read.
"""

from __future__ import annotations

import hashlib
import re
import secrets

from deniable.errors import RefusedError

TRIAL, MADE_UP = "trial", "made-up"
PREFIXES = {TRIAL: "trial--", MADE_UP: "made-up--"}
"""Two hyphens: an ordinary name (trial-lane) keeps its meaning. The respondent's page knows the same prefixes (static/kind.js)."""
NUMBERS = {TRIAL: 1_000_000, MADE_UP: 2_000_000}
"""The versions of each kind are numbered from the next number on; those of real surveys from 1."""
_LONGEST, _LONGEST_TRIED = 45, 33
"""Of what follows a prefix, and of what stands before a random part, too: the view of a version in the database is named by all of it, and
such names have 63 bytes."""
_RANDOM = re.compile(r"--[0-9a-f]{12}$")
"""How the name of a trial ends. No word looks like this, so a name that an earlier release gave is not taken for such a one."""


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


def new_slug(kind: str, slug: str) -> str:
    """The short name under which a survey is tried. That of a trial is its address, which only those know who were told it: whoever can
    guess it reads the questions of a draft. Made-up answers have no address, so theirs needs no secret.

    >>> new_slug(MADE_UP, "town"), len(new_slug(MADE_UP, "a" * 63)), len(new_slug(TRIAL, "a" * 63))
    ('made-up--town', 54, 54)
    >>> new_slug(TRIAL, "town") == new_slug(TRIAL, "town")
    False
    """
    if kind == TRIAL:
        return f"{PREFIXES[kind]}{_cut(slug, _LONGEST_TRIED)}--{secrets.token_hex(6)}"
    return PREFIXES[kind] + _cut(slug, _LONGEST)


def is_tried_as(name: str, kind: str, slug: str) -> bool:
    """Whether a short name is one under which that survey is tried. Trials of earlier releases have no random part.

    >>> is_tried_as(new_slug(TRIAL, "town"), TRIAL, "town"), is_tried_as("trial--town", TRIAL, "town")
    (True, True)
    >>> is_tried_as(new_slug(TRIAL, "town"), TRIAL, "town-2"), is_tried_as(new_slug(TRIAL, "town"), MADE_UP, "town")
    (False, False)
    """
    end = _RANDOM.search(name) if kind == TRIAL else None
    if end is not None:
        return name[: end.start()] == PREFIXES[kind] + _cut(slug, _LONGEST_TRIED)
    return name == PREFIXES[kind] + _cut(slug, _LONGEST)


def _cut(slug: str, longest: int) -> str:
    """A name that is shorter than that, or one that is just so long: of a long one the end is told by its hash. So no two have the same."""
    if len(slug) < longest:
        return slug
    return f"{slug[: longest - 9]}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"


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
