"""All mistakes of a questionnaire at once: fixing one should not merely uncover the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from deniable.errors import QuestionnaireError

T = TypeVar("T")
MOST_SHOWN = 50


class Mistakes:
    """Mistakes as they are met. Reading goes on after each, with something in place of what could not be read.

    >>> def bad():
    ...     raise QuestionnaireError("bad", "{where}, line {line}: {what}.", where="s.yaml", line=3, what="this is wrong")
    >>> mistakes = Mistakes()
    >>> mistakes.read(bad, 0), mistakes.read(lambda: 5, 0), len(mistakes.found)
    (0, 5, 1)
    """

    def __init__(self) -> None:
        self._by_sentence: dict[str, QuestionnaireError] = {}

    @property
    def found(self) -> list[QuestionnaireError]:
        """Every mistake, once."""
        return list(self._by_sentence.values())

    def read(self, what: Callable[[], T], otherwise: T) -> T:
        """What is read, or something else if it holds a mistake."""
        try:
            return what()
        except QuestionnaireError as error:
            self.add(error)
            return otherwise

    def add(self, error: QuestionnaireError) -> None:
        """Remember a mistake, or each of several; none twice."""
        for each in error.parameters.get("mistakes", [error]):
            self._by_sentence.setdefault(str(each), each)

    def raise_all(self) -> None:
        """End with what was found, in the order of the lines; one mistake is told as it is."""
        if not self._by_sentence:
            return
        errors = sorted(self.found, key=lambda error: error.parameters.get("line", 0))
        if len(errors) == 1:
            raise errors[0]
        where = errors[0].parameters["where"]
        lines = [str(error).removeprefix(f"{where}, ") for error in errors[:MOST_SHOWN]]
        if len(errors) > MOST_SHOWN:
            lines.append(f"and {len(errors) - MOST_SHOWN:,} more.")
        raise QuestionnaireError(
            "mistakes", "{where} has {count:,} mistakes:\n  {lines}",
            where=where, count=len(errors), lines="\n  ".join(lines), mistakes=errors,
        )  # fmt: skip


def each(*reads: Callable[[], Any]) -> list[Any]:
    """What all of them read; all their mistakes together, where there are any.

    >>> each(lambda: 1, lambda: 2)
    [1, 2]
    """
    mistakes = Mistakes()
    values = [mistakes.read(read, None) for read in reads]
    mistakes.raise_all()
    return values
