"""The words and numbers of pictures and tables, by language: those of a survey's pages where they are spoken, else English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from deniable.plurals import counted, counted_in_polish


@dataclass(frozen=True)
class Words:
    """What pictures and tables say in one language."""

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
    in_the_group: str
    methods: Mapping[str, str]
    known_in_the_group: str
    known_size: str
    exact: str
    people: str
    error_bars: Mapping[str, str]
    of_everyone: str
    within_groups: str
    one_by_other: str
    where: str
    among_answers: str
    not_drawn: str
    curve: str
    not_all_drawn: str
    estimated: str
    ends: str
    points: str
    percentage_points: str
    above_zero: str
    below_zero: str
    near_zero: str
    verdict: str
    linked: str
    differences: Mapping[str, str]
    the_correlation: str
    compare_groups: str
    compared_shares: Mapping[bool, str]
    compared_means: Mapping[bool, str]
    few_answers: str
    cannot_be_told: str
    no_interval: str
    assumed: str
    note: str
    warning: str
    picture: str
    binned: str
    binned_without_step: str
    each_value: str
    people_estimated: str
    total: str
    too_wide: str
    turned: str
    below_each: str
    no_room: str
    no_sum: str
    missing_columns: str
    minus: str = "-"
    """The sign before numbers below 0: a hyphen in terminals and for programs, a real minus on pages."""

    def percent(self, share: float) -> str:
        """A share, to a tenth of a percent."""
        return self._written(f"{share:.1%}")

    def number(self, number: float, digits: str = ",.6g") -> str:
        """A number, with its thousands apart."""
        return self._written(f"{number:{digits}}")

    def _written(self, english: str) -> str:
        return english.translate({ord(","): self.thousands, ord("."): self.decimal, ord("-"): self.minus})

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
    in_the_group="an estimated {n} of them in the group",
    methods=MappingProxyType(
        {
            "joint": "",
            "bounded bias": "the intervals count the bias",
            "em": "maximum likelihood",
            "em, regularised": "smoothed",
            "em, not converged": "maximum likelihood, not converged",
            "eq": "unbiased",
            "eq, clip": "shares below 0 shown as 0",
            "eq, project": "nearest possible shares",
            "iterative": "iterative, as published",
            "em/as": "maximum likelihood, stopped early as published",
            "as": "as published by Agrawal and Srikant",
        }
    ),
    known_in_the_group="{n} of them in the group",
    known_size="size: {size} of {n}",
    exact="exact",
    people="people",
    error_bars=MappingProxyType(
        {"population": "error bars for the population", "respondents": "error bars for the respondents"}
    ),
    of_everyone="shares of everyone",
    within_groups="shares within each group",
    one_by_other="“{one}” by “{other}”",
    where=" where {condition}",
    among_answers="among those who answered",
    not_drawn="Not drawn – {groups}.",
    curve="One step for each of {count} values. For fewer and more certain numbers, ask with bins (how many, or their edges).",
    not_all_drawn="Only the {drawn} largest of {count} groups are drawn.",
    estimated="estimated",
    ends="{low} to {high}",
    points="points",
    percentage_points="percentage points",
    above_zero="above 0",
    below_zero="below 0",
    near_zero="cannot be told from 0",
    verdict="{found}: {value} ({interval} {ends})",
    linked="is ",
    differences=MappingProxyType(
        {
            "means": "The difference between the two means",
            "groups": "The difference between the two groups",
            "shares": "The difference between these two shares of everyone",
        }
    ),
    the_correlation="The correlation",
    compare_groups="To compare how frequent it is in the two groups: {command}",
    compared_shares=MappingProxyType(
        {
            False: "It is less frequent where {first} than where {second}.",
            True: "It is more frequent where {first} than where {second}.",
        }
    ),
    compared_means=MappingProxyType(
        {
            False: "The mean is lower where {first} than where {second}.",
            True: "The mean is higher where {first} than where {second}.",
        }
    ),
    few_answers="too few answers ({size})",
    cannot_be_told="cannot be told",
    no_interval="No confidence interval: {reason}",
    assumed="Assumed: {what}.",
    note="Note: {what}.",
    warning="Warning: {what}",
    picture="Picture: {path}",
    binned="{values} values were put into {bins} bins{each}; your own bins: {option} with their edges.",
    binned_without_step="Values were put into {bins} bins; your own: {option} with how many, or their edges.",
    each_value="; each by itself: {option} {every}",
    people_estimated="people (estimated)",
    total="total",
    too_wide="The table is wider than the terminal, so its cells are listed.",
    turned="Rows and columns are swapped so that the table fits the terminal.",
    below_each="Below each share of everyone is its {what}; --list shows a list with bars.",
    no_room="Shares of everyone. There is no room for their intervals; --list shows them.",
    no_sum="Cells need not add up to the totals: where some were below 0, the nearest possible shares are shown.",
    missing_columns="The schema also has {names}, which the data has no column for: is it the schema of this data?",
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
    largest_first="{what}, od największych (liczba etykiet: {count})",
    compared="Dla porównania",
    size="szacowana liczebność: {size} z {n}",
    reports="liczba odpowiedzi: {n}",
    in_the_group="w tym w grupie szacunkowo {n}",
    methods=MappingProxyType(
        {
            "joint": "",
            "bounded bias": "przedziały uwzględniają obciążenie",
            "em": "metoda największej wiarygodności",
            "em, regularised": "wygładzone",
            "em, not converged": "metoda największej wiarygodności, nie osiągnęła zbieżności",
            "eq": "nieobciążone",
            "eq, clip": "ujemne udziały jako 0",
            "eq, project": "najbliższe możliwe udziały",
            "iterative": "metoda iteracyjna z publikacji",
            "em/as": "metoda największej wiarygodności, zakończona wcześniej jak w publikacji",
            "as": "metoda Agrawala i Srikanta",
        }
    ),
    known_in_the_group="w tym w grupie {n}",
    known_size="liczebność: {size} z {n}",
    exact="dokładnie",
    people="osoby",
    error_bars=MappingProxyType(
        {"population": "przedziały dotyczą populacji", "respondents": "przedziały dotyczą respondentów"}
    ),
    of_everyone="udziały wśród wszystkich",
    within_groups="udziały w każdej grupie",
    one_by_other="„{one}” według „{other}”",
    where=", tylko osoby, dla których {condition}",
    among_answers="spośród osób, które odpowiedziały",
    not_drawn="Nie narysowano – {groups}.",
    curve="Każda z {count} wartości to jeden stopień. Mniej liczb, za to pewniejszych, daje podział na klasy (ich liczba albo granice).",
    not_all_drawn="Narysowano tylko największe grupy: {drawn} z {count}.",
    estimated="oszacowanie",
    ends="od {low} do {high}",
    points="pkt proc.",
    percentage_points="punkty procentowe",
    above_zero="większa od 0",
    below_zero="mniejsza od 0",
    near_zero="nie do odróżnienia od 0",
    verdict="{found}: {value} ({interval}: {ends})",
    linked="jest ",
    differences=MappingProxyType(
        {
            "means": "Różnica między tymi średnimi",
            "groups": "Różnica między tymi grupami",
            "shares": "Różnica między tymi udziałami wśród wszystkich",
        }
    ),
    the_correlation="Korelacja",
    compare_groups="Aby porównać, jak często zdarza się to w obu grupach: {command}",
    compared_shares=MappingProxyType(
        {
            False: "Zdarza się to rzadziej wśród osób, dla których {first}, niż wśród osób, dla których {second}.",
            True: "Zdarza się to częściej wśród osób, dla których {first}, niż wśród osób, dla których {second}.",
        }
    ),
    compared_means=MappingProxyType(
        {
            False: "Średnia jest niższa wśród osób, dla których {first}, niż wśród osób, dla których {second}.",
            True: "Średnia jest wyższa wśród osób, dla których {first}, niż wśród osób, dla których {second}.",
        }
    ),
    few_answers="zbyt mało odpowiedzi ({size})",
    cannot_be_told="nie da się ustalić",
    no_interval="Bez przedziału ufności: {reason}",
    assumed="Założono: {what}.",
    note="Uwaga: {what}.",
    warning="Ostrzeżenie: {what}",
    picture="Rysunek: {path}",
    binned="Liczba wartości: {values}; zebrano je w {bins} klasach{each}; własne klasy: {option} i ich granice.",
    binned_without_step="Wartości zebrano w {bins} klasach; własne klasy: {option} i ich liczba albo granice.",
    each_value="; każda z osobna: {option} {every}",
    people_estimated="osoby (szacunkowo)",
    total="razem",
    too_wide="Tabela jest szersza niż terminal, więc komórki są wypisane jedna pod drugą.",
    turned="Wiersze zamieniono z kolumnami, aby tabela zmieściła się na ekranie.",
    below_each="Pod każdym udziałem wśród wszystkich: {what}; lista ze słupkami: --list.",
    no_room="Udziały wśród wszystkich. Na przedziały nie ma tu miejsca; są na liście: --list.",
    no_sum="Komórki nie muszą sumować się do podanych wartości: zamiast ujemnych pokazano najbliższe możliwe udziały.",
    missing_columns="W schemacie są też {names}, a w danych nie ma takich kolumn: czy to jest schemat tych danych?",
)


def answers_say(number: int, language: str) -> str:
    """So many answers, in Polish with the form of "say" that the number needs.

    >>> answers_say(800, "en"), answers_say(800, "pl"), answers_say(22, "pl"), answers_say(1, "pl")
    ('800 answers', '800 odpowiedzi mówi', '22 odpowiedzi mówią', '1 odpowiedź mówi')
    """
    if language == "pl":
        return counted_in_polish(number, "odpowiedź mówi", "odpowiedzi mówią", "odpowiedzi mówi")
    return counted(number, "answer")


def direct_answers(number: int, language: str) -> str:
    """So many answers that are not hidden.

    >>> direct_answers(1, "en"), direct_answers(102, "pl"), direct_answers(105, "pl")
    ('1 direct answer', '102 odpowiedzi jawne', '105 odpowiedzi jawnych')
    """
    if language == "pl":
        return counted_in_polish(number, "odpowiedź jawna", "odpowiedzi jawne", "odpowiedzi jawnych")
    return counted(number, "direct answer")


def as_direct(number: int, language: str) -> str:
    """How many direct answers would tell as much, beside a figure.

    >>> as_direct(38, "en"), as_direct(28, "pl")
    ('as informative as 38 direct answers', 'jak 28 jawnych odpowiedzi')
    """
    if language == "pl":
        return f"jak {counted_in_polish(number, 'jawna odpowiedź', 'jawne odpowiedzi', 'jawnych odpowiedzi')}"
    return f"as informative as {direct_answers(number, language)}"


def answer_to(question: str, answer: str) -> str:
    """A question with what is said to it, a colon between them unless the question has a mark of its own.

    >>> answer_to("Sex", "female"), answer_to("Do you smoke?", "no")
    ('Sex: female', 'Do you smoke? no')
    """
    return f"{question} {answer}" if question.endswith(("?", "!", ":", "…")) else f"{question}: {answer}"


def words_of(language: str | None) -> Words:
    """The words of a language; English where there are none.

    >>> words_of("pl").percent(0.125), words_of("pl").number(1234.5, ",.1f"), words_of(None).percent(0.125)
    ('12,5%', '1\\xa0234,5', '12.5%')
    """
    return POLISH if language == "pl" else ENGLISH
