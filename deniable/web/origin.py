"""Cross-site requests are told by the headers that browsers set and pages cannot."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from deniable.errors import RefusedError


def same_site(request: Request, required: bool) -> None:
    """Refuse a request that another site's page made. `required`: also one that does not say where it comes from."""
    origin, fetched = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if fetched is not None and fetched not in ("same-origin", "none"):
        raise _cross_site()
    if origin is not None:
        try:
            fits = urlsplit(origin).netloc == request.headers.get("host", "")
        except ValueError:
            fits = False
        if not fits:
            raise _cross_site()
    if required and origin is None and fetched is None:
        raise _cross_site()


def _cross_site() -> RefusedError:
    return RefusedError("cross_site", "This request came from a page of another site and was refused.")
