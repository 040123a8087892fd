"""A submission: checked against the survey it answers, and reduced to what may be stored."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import struct
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deniable.core.schema import Schema
from deniable.errors import RefusedError

ID = re.compile(r"[A-Za-z0-9_-]{22,64}")
CODE = re.compile(r"[A-Za-z0-9-]{10,40}")
TOKEN = re.compile(r"[A-Za-z0-9_~-]{1,128}")
CODE_LENGTH = 40
RESERVED = ("code", "erased_after")
"""Columns of the register that nobody can enter; earlier releases took any name."""
CONTACT_FIELDS, CONTACT_LENGTH = ("name", "email"), 300
"""What the page asks for where a survey keeps a register. Nothing else is taken, or anybody could make thousands of columns."""
_KEYS = {"version", "id", "token", "code", "contact", "report"}


@dataclass(frozen=True)
class Asked:
    """What a survey's current version asks: all that is needed to check and pack a submission."""

    slug: str
    survey: int
    version: int  # the row of the version
    number: int  # the version as people count it: 1, 2, ...
    linkage: str
    invited: bool
    sizes: Mapping[str, int]  # how many labels may be reported, by attribute, in the order of the columns


@dataclass(frozen=True)
class Submission:
    """What goes to the store. Nothing in it tells two people apart but what they chose to send."""

    survey: int
    version: int
    id_hash: str
    body_mac: str
    token_hash: str | None
    content: bytes  # the codes, and the receipt code if there is one; equally long for everyone
    code: str | None = None
    contact: str | None = None


def label_counts(schema: Schema) -> dict[str, int]:
    """How many labels may be reported, by attribute."""
    return {name: schema[name].reported.size for name in schema}


def token_hash(slug: str, token: str) -> str:
    """What is stored of an invitation. Tokens have 128 bits or more, so a plain hash cannot be reversed by trying.

    >>> token_hash("town", "a") == token_hash("village", "a")
    False
    """
    return hashlib.sha256(f"token\0{slug}\0{token}".encode()).hexdigest()


def read_submission(asked: Asked, given: Any) -> Submission:
    """Check a parsed body; whatever does not fit is refused with a code and a sentence, and nothing is stored."""
    if not isinstance(given, dict):
        raise RefusedError("not_an_object", "The body must be a JSON object with version, id and report.")
    unknown = sorted(set(given) - _KEYS)
    if unknown:
        raise RefusedError(
            "unknown_field", "The body has no field {got}; it has {allowed}.", got=unknown[:10], allowed=sorted(_KEYS)
        )
    if type(given.get("version")) is not int:
        raise RefusedError("no_version", "The body needs version, a whole number: the version of the survey that was shown.")
    if given["version"] != asked.number:
        raise RefusedError(
            "wrong_version",
            "The survey has changed since the page was opened (now version {now}). Load the page again and answer there.",
            now=asked.number,
        )
    identity = given.get("id")
    if not isinstance(identity, str) or not ID.fullmatch(identity):
        raise RefusedError("bad_id", "The body needs id: 22 to 64 random letters, digits, - or _, made anew for each person.")
    token = _token(asked, given)
    code = _code(asked, given)
    contact = _contact(asked, given)
    codes = _codes(asked, given.get("report"))
    content = struct.pack(f"<{len(codes)}I", *codes)
    if asked.linkage != "none":
        content += (code or "").encode().ljust(CODE_LENGTH)
    # The id is the key of the MAC: anyone who has only the database can test no guess of what was sent under it.
    canonical = json.dumps([asked.number, token, code, contact, codes], ensure_ascii=True, sort_keys=True).encode()
    return Submission(
        survey=asked.survey,
        version=asked.version,
        id_hash=hashlib.sha256(f"id\0{asked.slug}\0{identity}".encode()).hexdigest(),
        body_mac=hmac.digest(identity.encode(), canonical, "sha256").hex(),
        token_hash=None if token is None else token_hash(asked.slug, token),
        content=content,
        code=code,
        contact=None if contact is None else json.dumps(contact, sort_keys=True),
    )


def unpack(content: bytes, columns: int, linkage: str) -> list[Any]:
    """The row of the wide table: one code per attribute, then the receipt code if there is one."""
    codes = list(struct.unpack_from(f"<{columns}I", content))
    if linkage == "none":
        return codes
    return [*codes, content[4 * columns :].decode().rstrip() or None]


def _codes(asked: Asked, report: Any) -> list[int]:
    if not isinstance(report, dict):
        raise RefusedError("no_report", "The body needs report: an object from question to the number of the reported label.")
    missing = [name for name in asked.sizes if name not in report]
    extra = sorted(set(report) - set(asked.sizes))
    if missing or extra:
        raise RefusedError(
            "questions_differ",
            "The report must answer every question once; missing: {missing}, unknown: {extra}.",
            missing=missing[:10],
            extra=extra[:10],
        )
    for name, size in asked.sizes.items():
        if type(report[name]) is not int or not 0 <= report[name] < size:
            raise RefusedError(
                "unknown_label",
                "The report of {name!r} must be the number of one of its labels, 0 to {last}.",
                name=name,
                last=size - 1,
            )
    return [report[name] for name in asked.sizes]


def _token(asked: Asked, given: dict[str, Any]) -> str | None:
    token = given.get("token")
    if not asked.invited:
        if token is not None:
            raise RefusedError("token_not_wanted", "This survey is open to everyone and takes no token.")
        return None
    if token is None:
        raise RefusedError("token_missing", "This survey is by invitation: the link in the invitation carries a token.")
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise RefusedError("token_unknown", "This invitation is not known here. Please check that you have the whole link.")
    return token


def _code(asked: Asked, given: dict[str, Any]) -> str | None:
    code = given.get("code")
    if asked.linkage == "none":
        if code is not None:
            raise RefusedError("code_not_wanted", "This survey keeps no receipt codes.")
        return None
    if not isinstance(code, str) or not CODE.fullmatch(code):
        raise RefusedError("bad_code", "The body needs code: 10 to 40 random letters, digits or -, made by the page.")
    return code


def _contact(asked: Asked, given: dict[str, Any]) -> dict[str, str] | None:
    contact = given.get("contact")
    if asked.linkage != "register":
        if contact is not None:
            raise RefusedError("contact_not_wanted", "This survey keeps no contact details.")
        return None
    fits = (
        isinstance(contact, dict)
        and len(contact) >= 1
        and set(contact) <= set(CONTACT_FIELDS)
        and all(isinstance(value, str) and len(value) <= CONTACT_LENGTH for value in contact.values())
    )
    if not fits:
        raise RefusedError(
            "bad_contact",
            "The body needs contact: an object of {fields}, texts of at most {length} characters.",
            fields=" and ".join(CONTACT_FIELDS),
            length=CONTACT_LENGTH,
        )
    for value in (contact or {}).values():
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
            raise RefusedError(
                "bad_text", "The contact details hold a control character or half of a character. Type them again."
            )
    return dict(contact or {})
