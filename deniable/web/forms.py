"""Fields of forms, as browsers send them."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import Request

from deniable.errors import RefusedError


async def form(request: Request, most: int = 20) -> dict[str, list[str]]:
    """All fields of a form that has at most so many, those that were left empty, too."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise RefusedError("content_type", "Forms are sent as application/x-www-form-urlencoded.")
    try:
        return parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise RefusedError("not_a_form", "The form could not be read.") from None


async def field(request: Request, name: str) -> str:
    """A field of a form; empty if the form has none of that name."""
    return (await form(request)).get(name, [""])[0]


async def optional_field(request: Request, name: str) -> str:
    """The same of a request that may be sent without a form."""
    return await field(request, name) if "content-type" in request.headers else ""
