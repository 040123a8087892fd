"""Fields of forms, as browsers send them."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import Request

from deniable.errors import RefusedError


async def field(request: Request, name: str) -> str:
    """A field of a form; empty if the form has none of that name."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise RefusedError("content_type", "Forms are sent as application/x-www-form-urlencoded.")
    try:
        fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise RefusedError("not_a_form", "The form could not be read.") from None
    return fields.get(name, [""])[0]


async def optional_field(request: Request, name: str) -> str:
    """The same of a request that may be sent without a form."""
    return await field(request, name) if "content-type" in request.headers else ""
