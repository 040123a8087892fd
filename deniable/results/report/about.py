"""What is known of a survey besides its answers: who asked, who was asked, and how the answers were hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deniable.core.schema import Schema
from deniable.errors import QuestionnaireError
from deniable.privacy.reporting.report import PrivacyReport
from deniable.privacy.reporting.report import report as privacy_of
from deniable.survey.apart import kind_of
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.reporting import how_it_hides
from deniable.survey.store import Store


@dataclass(frozen=True)
class About:
    """A survey as its report introduces it."""

    title: str
    privacy: PrivacyReport
    description: str = ""
    organiser: str = ""
    invited: bool | None = None
    """Whether people were invited one by one; None where that is not known."""
    invitations: int = 0
    used: int = 0
    state: str = ""
    number: int = 1
    versions: int = 1
    kind: str | None = None
    """Whether it is a trial, or made up (survey/apart.py)."""


def about_export(title: str, schema: Schema, language: str) -> About:
    """What a file of answers says."""
    return About(title, _privacy_of_schema(schema, language))


def about_survey(store: Store, slug: str, number: int, language: str) -> About:
    """What the store says of one version."""
    read = store.version(slug, number)
    seen = next(one for one in store.overviews(slug) if one.number == number)
    known = {"invited": seen.invited, "invitations": seen.invitations, "used": seen.used, "state": seen.state}
    counted = {"number": number, "versions": seen.versions, "kind": kind_of(slug, number)}
    try:
        asked = Questionnaire.from_json(read.questionnaire)
    except QuestionnaireError:  # of an earlier release, which this one would not open
        return replace(about_export(slug, read.schema, language), **known, **counted)  # type: ignore[arg-type]
    spoken = language if language in asked.languages else asked.languages[0]
    given = read.questionnaire

    def text(key: str) -> str:
        found = given.get(key, "")
        return str(found.get(spoken, "") if isinstance(found, dict) else found)

    privacy = how_it_hides(asked, spoken)
    privacy.language = language
    return About(text("title"), privacy, text("description"), text("organiser"), **known, **counted)  # type: ignore[arg-type]


def _privacy_of_schema(schema: Schema, language: str) -> PrivacyReport:
    texts = schema.texts
    questions = {} if texts is None else texts.questions(language if language in texts.languages else None)
    plain = privacy_of(schema, texts=questions)
    rows = tuple(replace(row, text=questions[row.name].title if row.name in questions else "") for row in plain.rows)
    return PrivacyReport(schema, rows, notes=plain.notes, language=language)
