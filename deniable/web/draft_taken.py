"""A draft whose short name belongs to a survey that is there already: opening it makes a version of that survey."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from deniable.survey.drafts.checked import check
from deniable.survey.drafts.parts import Content
from deniable.survey.store import Store
from deniable.web.pages import Speech, called


@dataclass(frozen=True)
class Taken:
    """The survey that is there: `number` is the version that opening the draft makes, or opens again where nothing has changed."""

    slug: str
    survey: str
    state: str
    number: int
    unchanged: bool

    def sentence(self, speech: Speech, changed: str, same: str) -> str:
        """One of two sentences of the page, about this survey."""
        values = {"slug": self.slug, "survey": self.survey, "state": self.state, "number": self.number}
        return speech[same if self.unchanged else changed].format(**values)


def taken(store: Store, content: Content, speech: Speech) -> Taken | None:
    """The survey that has the short name of a draft; None if none has."""
    slug = content.get("survey")
    if not isinstance(slug, str) or slug not in store.slugs():
        return None
    seen, asked = store.overview(slug), check(content)[0]
    unchanged = asked is not None and _same(store.version(slug).questionnaire, asked.to_json())
    state = speech[seen.state] if seen.state in ("open", "closed") else seen.state
    return Taken(slug, called(seen, speech), state, seen.number + (not unchanged), unchanged)


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
