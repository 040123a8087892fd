"""What plans say, in English and in Polish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deniable import picture_words
from deniable.errors import ParameterError


@dataclass(frozen=True)
class Words:
    """The words of one language; numbers are written as its pictures write them."""

    numbers: picture_words.Words
    heading: str
    attribute: str
    odds: str
    worth: str
    share: str
    quantile: str
    mean: str
    in_group: str
    mean_in_group: str
    difference: str
    mean_difference: str
    group_of: Mapping[str, str]
    open: str
    no_limit: str
    margin: str
    points: str
    too_few: str
    never: str
    reading: str
    reading_groups: str
    reading_means: str
    reading_quantiles: str
    reading_few: str
    reading_never: str
    left_out: str
    needs: str
    needs_none: str
    needs_never: str
    needs_not: str
    strongest: str
    strongest_none: str
    strongest_never: str
    strongest_heading: str
    budget: str
    budget_column: str
    proposed_odds: str
    proposed_design: str
    proposed_margin: str
    proposed_mean: str
    proposed_quantile: str
    budget_mixed: str
    title: str
    against_answers: str
    against_odds: str
    margin_axis: str
    planned: str
    not_drawn: str
    never_drawn: str
    note_answers: str
    note_odds: str
    picture: str


ENGLISH = Words(
    numbers=picture_words.ENGLISH,
    heading="What {n} answers will tell",
    attribute="attribute",
    odds="odds change by a factor of at most",
    worth="worth how many direct answers",
    share="share of {share}",
    quantile="share below the median",
    mean="mean",
    in_group="share of {share} in the group",
    mean_in_group="mean in the group",
    difference="difference found, from {share}",
    mean_difference="difference of means found",
    group_of=MappingProxyType(
        {
            "open": "The group is {share} of the answers, told openly",
            "hidden": "The group is the {share} of the people who give one answer to “{by}”, which is hidden itself",
        }
    ),
    open="open",
    no_limit="without limit",
    margin="± {margin}",
    points="{number} points",
    too_few="too few",
    never="never",
    reading=(
        "Margins are half the length of the 95% interval that is expected for the population. Those of shares are in percentage points, "
        "for the answer that is hardest to tell if all others are equally frequent; behind noise, and where a questionnaire says "
        "“for: share”, for the lowest values."
    ),
    reading_groups="{group}; it is compared with everyone else. A difference of this size would be found 8 times out of 10.",
    reading_means="Means are in units of the answer, if all answers are equally frequent unless you say otherwise.",
    reading_quantiles="The median and other quantiles are known as well as the share below them, in percentage points.",
    reading_few="“Too few”: worth fewer than {fewest} direct answers; more answers would help.",
    reading_never="“Never”: these reports say nothing about it, however many answers there are. Another design would tell it.",
    left_out="Not planned, since their numbers have no step or there is only one answer: {names}.",
    needs="To know a {what} to within ± {margin}: {answers} answers ({name} needs most).",
    needs_none="To know a {what} to within ± {margin}: not even {most} answers are enough for {name}.",
    needs_never="However many answers there are, they never tell a share of {name}.",
    needs_not="Not asked for a share, so nothing is said about them here: {names}.",
    strongest="{name}: odds of at most {odds} ({design}) give ± {margin}.",
    strongest_none="{name}: no protection of its kind gives it with {n} answers.",
    strongest_never="{name}: no protection of its kind tells shares, however many answers there are.",
    strongest_heading="The strongest protection that gives ± {margin} with {n} answers:",
    budget="Odds of at most {odds} for all questions together (epsilon {epsilon}), shared so that the shares are known about equally well:",
    budget_column="question",
    proposed_odds="odds",
    proposed_design="hidden by",
    proposed_margin="margin for a share of {share}",
    proposed_mean="mean: {margin}",
    proposed_quantile="below the median: {margin}",
    budget_mixed=(
        "Where a mean or a quantile is asked for, the margin is that of the mean or quantile, and “equally well” means worth as many "
        "direct answers."
    ),
    title="How well a share of {share} will be known",
    against_answers="answers",
    against_odds="a report changes anyone's odds by a factor of at most",
    margin_axis="margin (percentage points, 95%)",
    planned="planned",
    not_drawn="Not drawn: {names}.",
    never_drawn="Shares can never be told: {names}.",
    note_answers="Curves begin where the answers are worth {fewest} direct ones.",
    note_odds="With {n} answers. Marks are the protection chosen now. Curves begin where the answers are worth {fewest} direct ones.",
    picture="Picture: {path}",
)
POLISH = Words(
    numbers=picture_words.POLISH,
    heading="Co powiedzą odpowiedzi (ich liczba: {n})",
    attribute="atrybut",
    odds="szanse zmieniają się najwyżej tyle razy",
    worth="ile jawnych odpowiedzi mówi tyle samo",
    share="udział {share}",
    quantile="udział poniżej mediany",
    mean="średnia",
    in_group="udział {share} w grupie",
    mean_in_group="średnia w grupie",
    difference="wykrywana różnica od {share}",
    mean_difference="wykrywana różnica średnich",
    group_of=MappingProxyType(
        {
            "open": "Grupa to {share} odpowiedzi i jest jawna",
            "hidden": "Grupa to {share} osób, które dają jedną z odpowiedzi na „{by}”, także ukrytą",
        }
    ),
    open="jawne",
    no_limit="bez ograniczeń",
    margin="± {margin}",
    points="{number} pkt proc.",
    too_few="za mało",
    never="nigdy",
    reading=(
        "Margines to połowa długości oczekiwanego przedziału ufności 95% dla populacji: udziałów w punktach procentowych, dla odpowiedzi "
        "najtrudniejszej do oszacowania, jeśli wszystkie inne są równie częste; przy szumie i tam, gdzie w ankiecie jest „for: share”, dla "
        "najniższych wartości."
    ),
    reading_groups="{group}; porównuje się ją ze wszystkimi pozostałymi. Różnica tej wielkości zostałaby wykryta 8 razy na 10.",
    reading_means="Średnie są w jednostkach odpowiedzi, przy równie częstych odpowiedziach, o ile nie podano inaczej.",
    reading_quantiles="Medianę i inne kwantyle zna się tak dobrze jak udział poniżej nich, w punktach procentowych.",
    reading_few="„Za mało”: mówi tyle, co mniej niż {fewest} jawnych odpowiedzi; pomogłoby więcej odpowiedzi.",
    reading_never="„Nigdy”: te odpowiedzi nic o tym nie mówią, choćby było ich bardzo dużo. Trzeba by ukrywać je w inny sposób.",
    left_out="Poza planem, bo ich liczby nie mają kroku albo jest tylko jedna odpowiedź: {names}.",
    needs="Aby znać {what} z dokładnością ± {margin}: {answers} odpowiedzi (najwięcej wymaga {name}).",
    needs_none="Aby znać {what} z dokładnością ± {margin}: nawet {most} odpowiedzi nie wystarczy dla {name}.",
    needs_never="Choćby odpowiedzi było bardzo dużo, udziałów nigdy się z nich nie pozna: {name}.",
    needs_not="Te pytania nie służą poznaniu udziału, więc nie ma tu o nich mowy: {names}.",
    strongest="{name}: szanse zmienione najwyżej {odds}-krotnie ({design}) dają ± {margin}",
    strongest_none="{name}: przy {n} odpowiedziach nie daje tego żadna ochrona tego rodzaju.",
    strongest_never="{name}: przy żadnej ochronie tego rodzaju nie da się poznać udziałów, choćby odpowiedzi było bardzo dużo.",
    strongest_heading="Najmocniejsza ochrona, która przy {n} odpowiedziach daje ± {margin}:",
    budget=(
        "Szanse zmienione najwyżej {odds}-krotnie przez wszystkie pytania razem (epsilon {epsilon}), rozdzielone tak, by udziały były "
        "znane mniej więcej równie dobrze:"
    ),
    budget_column="pytanie",
    proposed_odds="szanse",
    proposed_design="jak ukryte",
    proposed_margin="margines dla udziału {share}",
    proposed_mean="średnia: {margin}",
    proposed_quantile="poniżej mediany: {margin}",
    budget_mixed=(
        "Gdzie pytanie służy poznaniu średniej albo kwantyla, margines dotyczy właśnie tego, a „równie dobrze” znaczy: tyle, co tyle samo "
        "jawnych odpowiedzi."
    ),
    title="Jak dobrze będzie znany udział {share}",
    against_answers="liczba odpowiedzi",
    against_odds="odpowiedź zmienia czyjeś szanse najwyżej tyle razy",
    margin_axis="margines (punkty procentowe, 95%)",
    planned="w planie",
    not_drawn="Nie narysowano: {names}.",
    never_drawn="Udziałów nigdy się nie pozna: {names}.",
    note_answers="Krzywe zaczynają się tam, gdzie odpowiedzi mówią tyle, co {fewest} jawnych.",
    note_odds=(
        "Liczba odpowiedzi: {n}. Zaznaczono ochronę wybraną teraz. Krzywe zaczynają się tam, gdzie odpowiedzi mówią tyle, co "
        "{fewest} jawnych."
    ),
    picture="Rysunek: {path}",
)


def words_of(language: str) -> Words:
    """The words of a language: English or Polish.

    >>> words_of("pl").too_few
    'za mało'
    """
    if language not in ("en", "pl"):
        raise ParameterError("language", "This is said in en (English) or pl (Polish), got {got!r}.", got=language)
    return POLISH if language == "pl" else ENGLISH
