"""A small questionnaire for tests of the store and the service, and submissions that fit it."""

from __future__ import annotations

import datetime
import itertools
import secrets
from typing import Any

import deniable as dn

NUMBER = itertools.count(1)
PAGE = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"], missing="no answer"), 0.75)})


class Standin:
    """What the store needs of a questionnaire, without reading one."""

    show_sent = "after"

    def __init__(
        self,
        slug: str = "town",
        schema: dn.Schema | None = None,
        linkage: str = "none",
        invited: bool = False,
        closes: datetime.date | None = None,
        budget: float | None = None,
        title: str = "Town",
    ) -> None:
        self.slug, self.linkage, self.invited, self.closes, self.budget = slug, linkage, invited, closes, budget
        self.title = title
        self.schema = schema or dn.Schema(
            {
                "smokes": dn.KRR(dn.Nominal(["no", "yes"], missing="no answer"), 0.75),
                "age": dn.Retention(dn.Integer(18, 90), 0.5),
            }
        )
        self.epsilon = self.schema.epsilon

    def check_last_day(self, today):
        """Its last day, if it has one, is looked at by the store."""

    def client(self) -> dict[str, Any]:
        """What pages accept: one question, whatever the schema is. No store looks at both."""
        words = {key: {"en": self.title} for key in ("title", "organiser", "contact", "otherWay")}
        yes_no = [{"value": value, "text": {"en": value}} for value in ("no", "yes")]
        smokes = {
            "type": "boolean", "name": "smokes", "title": {"en": "?"}, "private": True, "attributes": ["smokes"], "choices": yes_no,
            "rows": [],
        }  # fmt: skip
        return {
            "survey": self.slug,
            "languages": ["en"],
            **words,
            "linkage": self.linkage,
            "showSent": self.show_sent,
            "invited": self.invited,
            "practice": True,
            "pages": [{"title": None, "elements": [smokes]}],
            "recipe": PAGE.recipe(),
        }

    def to_json(self) -> dict[str, Any]:
        return {"survey": self.slug, "title": self.title, "linkage": self.linkage, "invited": self.invited}


def body(codes: dict[str, int] | None = None, **more: Any) -> dict[str, Any]:
    """What a respondent's page sends."""
    report = {"smokes": secrets.randbelow(3), "age": secrets.randbelow(73)} if codes is None else codes
    return {"version": 1, "id": secrets.token_urlsafe(16), "report": report, **more}


def acknowledged(store: Any, slug: str = "town", number: int | None = None) -> int:
    """How many answers to a version a store has, with those that wait: what no organiser is shown."""
    return sum(store.waiting()[store.version(slug, number).id])


def code() -> str:
    """A receipt code as a page makes it."""
    return f"R{next(NUMBER):06d}-{secrets.token_hex(6)}"
