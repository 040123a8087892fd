"""Where a question stands in its questionnaire, and what every kind of question reads alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.domain import Domain
from deniable.errors import DeniableError, QuestionnaireError
from deniable.planning.known_to import USES
from deniable.survey.choosing import cheapest
from deniable.survey.levels import LEVELS, cannot_have, channel_for
from deniable.survey.lines import Document, Path
from deniable.survey.spelling import meant
from deniable.survey.texts import Text, text


@dataclass(frozen=True)
class Reading:
    """Where an element stands, and what holds for the whole survey."""

    document: Document
    path: Path
    languages: list[str]
    privacy: Any
    frozen: bool = False
    """Whether it was opened already: what later releases refuse stays readable."""

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
    """The channel that hides an answer, as the privacy of its question says; with a use, the one that tells that best."""
    privacy = privacy_of(reading, given)
    try:
        level = LEVELS.get(privacy) if use is not None and isinstance(privacy, str) else None
        channel = channel_for(domain, privacy, ordered) if use is None or level is None else _cheapest(domain, level, use)
        reason = None if privacy == "none" else cannot_have(channel)
    except DeniableError as error:
        details = {name: value for name, value in error.parameters.items() if name not in ("where", "line", "problem")}
        raise reading.error(("privacy",), error.code, "{problem}", problem=str(error), **details) from None
    except (ArithmeticError, TypeError, ValueError):
        raise reading.error(
            ("privacy",), "privacy_numbers", "the numbers of this privacy make no sense: {got}.", got=privacy
        ) from None
    if reason is not None:
        raise reading.error(("privacy",), "channel_refused", "this privacy cannot be used: {reason}.", reason=reason)
    return channel


@lru_cache(maxsize=256)
def _cheapest(domain: Domain, level: int, use: str) -> Channel:
    # A draft is read again with every letter that is typed, and this takes seconds.
    return cheapest(domain, level, use).channel


def yes_no(reading: Reading, steps: Path, given: Any) -> bool:
    """true or false, in whichever of YAML's words."""
    if given not in (True, False, "yes", "no"):
        raise reading.error(steps, "not_allowed", "{key} must be true or false, got {got!r}.", key=steps[-1], got=given)
    return given in (True, "yes")


def use_of(reading: Reading, given: dict[str, Any]) -> str | None:
    """What an answer is asked for, where that is said: its design is chosen by that."""
    use = given.get("for")
    if use is None:
        return None
    if use not in USES:
        near = meant(str(use), USES)
        raise reading.error(
            ("for",), "use", "for says what the answer is asked for, one of {allowed}, got {got!r}{asks}.",
            allowed=list(USES), got=use, asks="" if near is None else f"; did you mean {near!r}?",
        )  # fmt: skip
    privacy = privacy_of(reading, given)
    if isinstance(privacy, dict):
        raise reading.error(
            ("for",), "use_and_design",
            "for: {use} chooses the design, and privacy names one ({design}): take one of them away, or give privacy a level, one of "
            "{allowed}.",
            use=use, design=privacy.get("design"), allowed=list(LEVELS),
        )  # fmt: skip
    return str(use)
