"""Where a question stands in its questionnaire, and what every kind of question reads alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import Domain
from deniable.errors import DeniableError, QuestionnaireError
from deniable.survey.choosing import cheapest
from deniable.survey.levels import LEVELS, cannot_have, channel_for
from deniable.survey.lines import Document, Path
from deniable.survey.texts import Text, text


@dataclass(frozen=True)
class Reading:
    """Where an element stands, and what holds for the whole survey."""

    document: Document
    path: Path
    languages: list[str]
    privacy: Any

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)

    def error(self, steps: Path, code: str, sentence: str, /, **parameters: Any) -> QuestionnaireError:
        return self.document.error((*self.path, *steps), code, sentence, **parameters)

    def text(self, given: dict[str, Any], key: str) -> Text:
        return text(self.document, self.at(key), given.get(key), self.languages)


def privacy_of(reading: Reading, given: dict[str, Any]) -> Any:
    """The level or design of a question: its own, else that of the survey."""
    return given.get("privacy", reading.privacy)


def channel_of(reading: Reading, given: dict[str, Any], domain: Domain, ordered: bool, use: str | None = None) -> Channel:
    """The channel that hides an answer, as the privacy of its question says; of a number with a use, the one that tells that best."""
    privacy = privacy_of(reading, given)
    try:
        level = LEVELS.get(privacy) if use is not None and isinstance(privacy, str) else None
        channel = (
            channel_for(domain, privacy, ordered) if use is None or level is None else cheapest(domain, level, use).channel
        )
        reason = None if privacy == "none" else cannot_have(channel)
    except DeniableError as error:
        raise reading.error(("privacy",), error.code, "{problem}", problem=str(error)) from None
    except (ArithmeticError, TypeError, ValueError):
        raise reading.error(
            ("privacy",), "privacy_numbers", "the numbers of this privacy make no sense: {got}.", got=privacy
        ) from None
    if reason is not None:
        raise reading.error(("privacy",), "channel_refused", "this privacy cannot be used: {reason}.", reason=reason)
    return channel


def yes_no(reading: Reading, steps: Path, given: Any) -> bool:
    """true or false, in whichever of YAML's words."""
    if given not in (True, False, "yes", "no"):
        raise reading.error(steps, "not_allowed", "{key} must be true or false, got {got!r}.", key=steps[-1], got=given)
    return given in (True, "yes")
