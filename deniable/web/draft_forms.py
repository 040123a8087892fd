"""What the forms of drafts send: many fields, and files."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl

from fastapi import Request

from deniable.errors import RefusedError
from deniable.web.collecting import body_of

MOST_FIELDS = 20_000
Fields = dict[str, str]


async def sent(request: Request) -> Fields:
    """The fields of a form by name. Of those with one name the last counts: a box that is ticked follows what it is otherwise. Names
    that were ticked in `drop` are joined by line ends."""
    said = request.headers.get("content-type", "")
    kind = said.partition(";")[0].strip().lower()
    body = bytes(await body_of(request))
    if kind == "application/x-www-form-urlencoded":
        pairs = _encoded(body)
    elif kind == "multipart/form-data":
        pairs = _parts(said, body)
    else:
        raise RefusedError("content_type", "Forms are sent as application/x-www-form-urlencoded or multipart/form-data.")
    fields = dict(pairs)
    dropped = [value for name, value in pairs if name == "drop"]
    return {**fields, **({"drop": "\n".join(dropped)} if dropped else {})}


def _encoded(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise _unreadable() from None


def _parts(content_type: str, body: bytes) -> list[tuple[str, str]]:
    """The parts of a form with a file."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    if not message.is_multipart():
        raise _unreadable()
    pairs = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise _unreadable()
        try:
            pairs.append((name, content.decode("utf-8-sig")))
        except UnicodeDecodeError as error:
            raise RefusedError(
                "not_utf8", "The file is not saved as UTF-8: the byte at {start:,} is no letter of it.", start=error.start
            ) from None
    return pairs


def _unreadable() -> RefusedError:
    return RefusedError("not_a_form", "The form could not be read.")
