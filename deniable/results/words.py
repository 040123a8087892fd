"""What answers say in sentences, English and Polish."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from deniable.picture_words import ENGLISH, POLISH, Words, as_direct
from deniable.plurals import counted_in_polish

MINUS = "\N{MINUS SIGN}"
"""Stands before numbers that people read."""


def for_programs(text: str) -> str:
    """A sentence in a file that programs read: with the hyphen that they take for a minus.

    >>> for_programs("between \N{MINUS SIGN}0.31 and +0.12")
    'between -0.31 and +0.12'
    """
    return text.replace(MINUS, "-")


@dataclass(frozen=True)
class Said:
    """Sentences around estimates in one language; `words` are those of all pictures and tables."""

    words: Words
    both: str
    either: str
    negated: str
    other_than: str
    compared_by: Mapping[str, str]
    """What stands for an operator before a number."""
    quoted: str
    from_to: str
    from_to_under: str
    everyone: str
    between_in_100: str
    exactly_in_100: str
    between: str
    too_few: str
    reopened: str
    divided: str
    """Why views are not shown though there are enough answers."""
    cannot_be_told: str
    reported: str
    answers: str
    within: str
    version: str
    mean: str
    by_version: str
    overview: str
    compared: str
    compared_means: str
    larger: str
    not_told: str
    not_told_more: str
    adjusted: str
    rules: str
    rule: str
    of_those_with: str
    of_everyone: str
    looked_through: str
    no_rules: str
    searched: str
    predicted: str
    accuracy: str
    baseline: str
    expected: str
    better: str
    not_better: str
    classifiers: Mapping[str, str]
    """What classifiers are called, by their English names."""
    given: str
    group: str
    answer: str
    estimate: str
    low: str
    high: str
    share_of: str
    after_closing: str

    def share(self, low: float, high: float) -> str:
        """Between how many in a hundred, rounded outward.

        >>> said_in("en").share(0.181, 0.219), said_in("pl").share(0.2, 0.2)
        ('between 18 and 22 in 100', '20 na 100')
        """
        # A hair's breadth of rounding is no reason to go to the next number.
        least, most = max(0, math.floor(100 * low + 1e-9)), min(100, math.ceil(100 * high - 1e-9))
        return (self.exactly_in_100 if least == most else self.between_in_100).format(low=least, high=most)

    def points(self, difference: float) -> str:
        """A difference of shares in percentage points, without its sign."""
        return self.words.number(abs(100 * difference), ".1f")

    def points_at_most(self, difference: float) -> str:
        """The same where it is the most that something moves: rounded up.

        >>> said_in("en").points_at_most(0.0412), said_in("pl").points_at_most(-0.3)
        ('4.2', '30,0')
        """
        return self.words.number(math.ceil(abs(1000 * difference) - 1e-6) / 10 + 0.0, ".1f")

    def worth(self, number: float) -> str:
        """How many direct answers would tell as much.

        >>> said_in("en").worth(38.2), said_in("pl").worth(28), said_in("pl").worth(22), said_in("pl").worth(1)
        ('as informative as 38 direct answers', 'jak 28 jawnych odpowiedzi', 'jak 22 jawne odpowiedzi', 'jak 1 jawna odpowiedź')
        """
        return as_direct(round(number), self.words.language)

    def more_answers(self, number: int) -> str:
        """So many answers, with the right plural."""
        if self.words.language == "pl":
            return counted_in_polish(number, "odpowiedź", "odpowiedzi", "odpowiedzi")
        return f"{number:,} more answers"


SAID = {
    "en": Said(
        words=replace(ENGLISH, minus=MINUS),
        both="and",
        either="or",
        negated="not ({part})",
        other_than="other than {labels}",
        compared_by=MappingProxyType({"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}),
        quoted="“{text}”",
        from_to="{low} to {high}",
        from_to_under="{low} to under {high}",
        everyone="everyone",
        between_in_100="between {low} and {high} in 100",
        exactly_in_100="{low} in 100",
        between="between {low} and {high}",
        too_few="too few answers",
        reopened="the survey was reopened after it had been closed: groups are not shown, only private questions, each by itself",
        divided="people are divided otherwise than on an earlier public page: groups are not shown, only private questions, each by itself",
        cannot_be_told="cannot be told with these answers",
        reported="reported",
        answers="{n} answers",
        within="Of the group “{condition}”.",
        version="version {number}",
        mean="Mean: {title}",
        by_version="{title}, by version",
        overview="All questions",
        compared="{answer}: {one} of the group “{first}”, {two} of the group “{second}”",
        compared_means="Mean of the group “{first}”: {one}; of the group “{second}”: {two}",
        larger="the difference of {difference} is larger than chance explains.",
        not_told="whether they differ cannot be told with these answers.",
        not_told_more="whether they differ cannot be told with these answers; if the difference is as large as estimated, {more} would "
        "show it 8 times out of 10.",
        adjusted="The {count} verdicts here are adjusted for their number: if nothing differs, even one of them says otherwise at most 5 "
        "times in 100.",
        rules="What goes together",
        rule="Of those with “{given}”, {share} also have “{then}”; of everyone {everyone}.",
        of_those_with="Of those with “{given}”",
        of_everyone="{share}; of everyone {everyone}",
        looked_through="Looked through: {titles}",
        no_rules="No answers were found that surely go together more often than by chance.",
        searched="The intervals allow for these rules having been searched for.",
        predicted="Telling “{title}” from other answers",
        accuracy="expected to be right",
        baseline="always the most frequent answer",
        expected="A classifier ({chosen}) is expected to be right {share} times.",
        better="That is more often than by always naming the most frequent answer.",
        not_better="Whether that is more often than by always naming the most frequent answer cannot be told.",
        classifiers=MappingProxyType({}),
        given="Given: {titles}",
        group="group",
        answer="answer",
        estimate="estimate",
        low="low",
        high="high",
        share_of="share",
        after_closing="Results can be seen when the survey is closed.",
    ),
    "pl": Said(
        words=replace(POLISH, minus=MINUS),
        both="i",
        either="lub",
        negated="nie ({part})",
        other_than="inna odpowiedź niż {labels}",
        compared_by=MappingProxyType({"<": "mniej niż", "<=": "najwyżej", ">": "więcej niż", ">=": "co najmniej"}),
        quoted="„{text}”",
        from_to="od {low} do {high}",
        from_to_under="od {low} do mniej niż {high}",
        everyone="wszyscy",
        between_in_100="od {low} do {high} na 100",
        exactly_in_100="{low} na 100",
        between="od {low} do {high}",
        too_few="zbyt mało odpowiedzi",
        reopened="ankietę po zamknięciu otwarto ponownie: nie pokazujemy grup, a tylko pytania prywatne, każde osobno",
        divided="osoby są podzielone inaczej niż na wcześniejszej stronie publicznej: nie pokazujemy grup, a tylko pytania prywatne, każde "
        "osobno",
        cannot_be_told="tych odpowiedzi nie wystarczy, by to ustalić",
        reported="zgłoszono",
        answers="liczba odpowiedzi: {n}",
        within="Dotyczy grupy „{condition}”.",
        version="wersja {number}",
        mean="Średnia: {title}",
        by_version="{title}, według wersji",
        overview="Wszystkie pytania",
        compared="{answer}: w grupie „{first}” {one}, w grupie „{second}” {two}",
        compared_means="Średnia w grupie „{first}”: {one}; w grupie „{second}”: {two}",
        larger="różnica, {difference}, jest większa, niż można wyjaśnić przypadkiem.",
        not_told="tych odpowiedzi nie wystarczy, by stwierdzić, czy grupy się różnią.",
        not_told_more="tych odpowiedzi nie wystarczy, by stwierdzić, czy grupy się różnią; jeśli różnica jest taka, jak ją oszacowano, "
        "wykazałoby ją 8 razy na 10 jeszcze {more}.",
        adjusted="Wnioski na tej stronie (liczba: {count}) uwzględniają to, że jest ich wiele: jeśli nic się nie różni, choćby jeden "
        "błędny wniosek pojawia się najwyżej 5 razy na 100.",
        rules="Co idzie w parze",
        rule="Wśród osób z odpowiedzią „{given}” odpowiedź „{then}” ma {share}; wśród wszystkich {everyone}.",
        of_those_with="Wśród osób z odpowiedzią „{given}”",
        of_everyone="{share}; wśród wszystkich {everyone}",
        looked_through="Przejrzano: {titles}",
        no_rules="Nie znaleziono odpowiedzi, które na pewno idą w parze częściej niż przypadkiem.",
        searched="Przedziały uwzględniają to, że tych reguł szukano.",
        predicted="Odgadywanie „{title}” z innych odpowiedzi",
        accuracy="oczekiwana trafność",
        baseline="zawsze najczęstsza odpowiedź",
        expected="Klasyfikator ({chosen}) powinien mieć rację {share} razy.",
        better="To częściej niż wtedy, gdy zawsze podaje się najczęstszą odpowiedź.",
        not_better="Nie da się ustalić, czy to częściej niż wtedy, gdy zawsze podaje się najczęstszą odpowiedź.",
        classifiers=MappingProxyType(
            {
                "naive Bayes": "naiwny Bayes",
                "Bayes with several kinds of people in each class": "Bayes z kilkoma rodzajami osób w każdej klasie",
                "a forest of unbiased weights": "las o nieobciążonych wagach",
                "a forest on reports": "las na zgłoszeniach",
                " and ": " i ",
                ", together": ", razem",
            }
        ),
        given="Na podstawie: {titles}",
        group="grupa",
        answer="odpowiedź",
        estimate="oszacowanie",
        low="od",
        high="do",
        share_of="udział",
        after_closing="Wyniki będą widoczne po zamknięciu ankiety.",
    ),
}


def said_in(language: str | None) -> Said:
    """The sentences of a language; English where there are none.

    >>> said_in("pl").both, said_in("de").both
    ('i', 'and')
    """
    return SAID["pl"] if language == "pl" else SAID["en"]
