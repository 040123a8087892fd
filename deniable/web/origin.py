"""Where a request comes from, by the headers that browsers set and pages cannot; and where it went."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from deniable.errors import RefusedError


def same_site(request: Request, required: bool) -> None:
    """Refuse a request that another site's page made. `required`: also one that does not say where it comes from."""
    fetched = request.headers.get("sec-fetch-site")
    if fetched is not None:
        # The plainest statement there is; beside it, Origin may be "null" on strict pages.
        if fetched not in ("same-origin", "none"):
            raise _cross_site()
        return
    origin = request.headers.get("origin")
    if origin is None:
        if required:
            raise _cross_site()
        return
    try:
        fits = urlsplit(origin).netloc == request.headers.get("host", "")
    except ValueError:
        fits = False
    if not fits:
        raise _cross_site()


def _cross_site() -> RefusedError:
    return RefusedError("cross_site", "This request came from a page of another site and was refused.")


def host_of(request: Request) -> str:
    """The address of this server as the reader's browser has it, to be shown to that reader alone: whoever asks may write any host."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"
