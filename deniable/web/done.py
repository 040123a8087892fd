"""What was just done, said once on the page that follows. The address carries a code of this list, never a text: whoever makes up an
address can have only our own sentences shown."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from deniable.survey.store import Store
from deniable.web.origin import host_of
from deniable.web.pages import Speech

DONE = frozenset({"reopened", "closed", "deleted", "draft_deleted", "trial_deleted", "made_up_deleted", "protected"})
OPENED = "opened"


def after(path: str, code: str) -> str:
    """The path of a page that says what was done.

    >>> after("/organiser", "closed"), after("/organiser/drafts/1/plan?answers=9", "protected")
    ('/organiser?done=closed', '/organiser/drafts/1/plan?answers=9&done=protected')
    """
    return f"{path}{'&' if '?' in path else '?'}done={code}"


def done(request: Request, speech: Speech) -> str:
    """The sentence for the code of an address; empty for any that we do not have."""
    code = request.query_params.get("done", "")
    return speech[f"done_{code}"] if code in DONE else ""


def opened(store: Store, request: Request, speech: Speech) -> dict[str, Any] | None:
    """The address to send to people, of a survey that was just opened. None unless it is there and open: the list shows that, too."""
    slug = request.query_params.get("survey", "")
    if request.query_params.get("done") != OPENED or slug not in store.slugs():
        return None
    seen = store.overview(slug)
    if seen.state != "open" or seen.kind is not None:
        return None
    said = speech["done_opened_invited" if seen.invited else "done_opened"]
    return {"said": said, "address": f"{host_of(request)}/s/{slug}"}
