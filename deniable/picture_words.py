"""The words and numbers of pictures, by language: those of a survey's pages where they are spoken, else English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Words:
    """What pictures say in one language."""

    language: str
    decimal: str
    thousands: str
    share: str
    estimate: str
    with_whiskers: str
    interval: str
    band: str
    between: str
    largest_first: str
    compared: str
    size: str
    reports: str
    worth: str
    in_the_group: str
    method: str
    error_bars: Mapping[str, str]
    of_everyone: str
    within_groups: str
    by: str
    too_few: str
    too_few_for: str
    not_all_drawn: str

    def percent(self, share: float) -> str:
        """A share, to a tenth of a percent."""
        return self._written(f"{share:.1%}")

    def number(self, number: float, digits: str = ",.6g") -> str:
        """A number, with its thousands apart."""
        return self._written(f"{number:{digits}}")

    def _written(self, english: str) -> str:
        return english.translate({ord(","): self.thousands, ord("."): self.decimal})

    @property
    def locale(self) -> dict[str, Any] | None:
        """Vega's settings for the numbers on axes; None where they are Vega's own."""
        if self.language == "en":
            return None
        return {"number": {"decimal": self.decimal, "thousands": self.thousands, "grouping": [3], "currency": ["", ""]}}


ENGLISH = Words(
    language="en",
    decimal=".",
    thousands=",",
    share="share",
    estimate="estimate",
    with_whiskers="estimate with {whiskers}",
    interval="{level}% interval",
    band="{level}% variability band",
    between="({low} to {high})",
    largest_first="{what} of {count} labels, the largest first",
    compared="Compared with",
    size="estimated size: {size} of {n}",
    reports="{n} reports",
    worth="worth {n} direct answers",
    in_the_group="an estimated {n} of them in the group",
    method="method {method}",
    error_bars=MappingProxyType(
        {"population": "error bars for the population", "respondents": "error bars for the respondents"}
    ),
    of_everyone="shares of everyone",
    within_groups="shares within each group",
    by="by",
    too_few="Not drawn, too few answers to say anything (estimated): {groups}.",
    too_few_for="too few answers to say anything of: {labels}",
    not_all_drawn="Drawn are the {drawn} largest of {count} groups.",
)
POLISH = Words(
    language="pl",
    decimal=",",
    thousands="\N{NO-BREAK SPACE}",
    share="udział",
    estimate="oszacowanie",
    with_whiskers="oszacowanie i {whiskers}",
    interval="przedział ufności {level}%",
    band="pasmo zmienności {level}%",
    between="(od {low} do {high})",
    largest_first="{what}, {count} etykiet, od największych",
    compared="Dla porównania",
    size="szacowana liczebność: {size} z {n}",
    reports="liczba odpowiedzi: {n}",
    worth="tyle warte co {n} udzielonych wprost",
    in_the_group="w tym w grupie szacunkowo {n}",
    method="metoda: {method}",
    error_bars=MappingProxyType(
        {"population": "przedziały dotyczą populacji", "respondents": "przedziały dotyczą respondentów"}
    ),
    of_everyone="udziały wśród wszystkich",
    within_groups="udziały w każdej grupie",
    by="według",
    too_few="Nie narysowano, bo odpowiedzi jest zbyt mało, aby coś powiedzieć (szacunkowo): {groups}.",
    too_few_for="odpowiedzi jest zbyt mało, aby coś powiedzieć o: {labels}",
    not_all_drawn="Narysowano {drawn} największe z {count} grup.",
)


def words_of(language: str | None) -> Words:
    """The words of a language; English where there are none.

    >>> words_of("pl").percent(0.125), words_of("pl").number(1234.5, ",.1f"), words_of(None).percent(0.125)
    ('12,5%', '1\\xa0234,5', '12.5%')
    """
    return POLISH if language == "pl" else ENGLISH
