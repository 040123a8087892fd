"""How long contact details are kept: until the day that people were told, and never longer."""

from __future__ import annotations

import datetime
from typing import Any

import sqlalchemy as sa

from deniable.errors import RefusedError, Setting
from deniable.survey.store.tables import contact, version

_DAY = Setting("contacts_until", "YYYY-MM-DD")


def check_retention(linkage: str, contacts_until: datetime.date | None) -> None:
    """A register needs its last day from the beginning."""
    if linkage == "register" and contacts_until is None:
        raise RefusedError(
            "no_retention",
            "A survey that keeps contact details needs the day on which they are erased, which people are told: {setting}.",
            setting=_DAY,
        )


def keep_until(connection: sa.Connection, here: sa.Row[Any], wanted: datetime.date | None) -> None:
    """An earlier day holds for the details that are there, too; a later one would break what people were told."""
    if here.linkage != "register":
        return
    day = here.contacts_until if wanted is None else wanted.isoformat()
    if day < datetime.date.today().isoformat():
        raise RefusedError(
            "retention_over", "Contact details were to be erased on {day}, which is over, so no more can be taken. Change the "
            "questionnaire, or its name, and open it with a later day: {setting}.", day=day, setting=_DAY,
        )  # fmt: skip
    if day > here.contacts_until:
        raise RefusedError(
            "retention_longer", "People were told that their contact details are erased on {told}; they cannot be kept until {day}. Only a "
            "changed questionnaire, which people answer again, can have a later day.", told=here.contacts_until, day=day,
        )  # fmt: skip
    connection.execute(sa.update(version).where(version.c.id == here.id).values(contacts_until=day))
    sooner = sa.update(contact).where(contact.c.survey_id == here.survey_id, contact.c.until > day)
    connection.execute(sooner.values(until=day))
