"""An estimate as the answer to a question: it names what it takes for granted besides the channels themselves, attributes whose reports do
not fit these, and what is remarked beside it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

from deniable.core.estimate import Estimate
from deniable.statistics.conditions import Condition
from deniable.statistics.remarks import with_remarks
from deniable.statistics.reports import Reports


class Subject(NamedTuple):
    """What a question is about: conditions, attributes, and the attribute whose labels are groups."""

    conditions: Sequence[Condition | None]
    attributes: Sequence[str] = ()
    by: str | None = None

    @property
    def given(self) -> list[Condition]:
        """The conditions that were given."""
        return [condition for condition in self.conditions if condition is not None]

    @property
    def names(self) -> list[str]:
        """All attributes that the question is about, each once; those of the conditions first."""
        of_conditions = [name for condition in self.given for name in condition.attributes()]
        return list(dict.fromkeys([*of_conditions, *self.attributes, *([] if self.by is None else [self.by])]))


def answer(reports: Reports, subject: Subject, estimate: Estimate, notes: Sequence[str] = ()) -> Estimate:
    """The estimate with all that needs saying: the notes of its question, assumptions, warnings and remarks."""
    told, names = copy.copy(estimate), subject.names
    told.assumes = (*_stand_for_all(reports, names), *estimate.assumes, *_assumed_of_channels(reports, names))
    told.warnings = (*estimate.warnings, *reports.parts.misfits(names))
    said = [*estimate.notes, *notes]
    if reports.weights is not None:
        said.append(f"respondents stand for as many people as {reports.weights!r} says")
    elif estimate.has_interval and estimate.target == "respondents" and not reports.hides(names):
        told.exact = True
    told.notes = with_remarks(said, told, reports.channels, subject.given, subject.by)
    return told


def _stand_for_all(reports: Reports, names: Sequence[str]) -> list[str]:
    """That only some parts were asked, if so."""
    parts = reports.parts.all
    asking = sum(all(name in schema for name in names) for _, schema in parts)
    return [] if asking == len(parts) else [f"asked in {asking} of {len(parts)} parts, whose people stand for all"]


def _assumed_of_channels(reports: Reports, names: Sequence[str]) -> list[str]:
    """What the channels of these attributes take for granted, part by part."""
    channels = [(name, schema[name]) for name in names for _, schema in reports.parts.all if name in schema]
    return list(
        dict.fromkeys(f"{name!r}: {channel.assumption}" for name, channel in channels if channel.assumption is not None)
    )
