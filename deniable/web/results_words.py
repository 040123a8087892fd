"""What the pages of results say, in English and Polish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from deniable.errors import DeniableError
from deniable.results.questions import MOST_TOGETHER
from deniable.web.publishing_words import PUBLISHING_WORDS
from deniable.web.trial_words import TRIAL_WORDS

RESULT_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "see_results": "See results",
            "results_of": "Results of {survey}",
            "views": "Views",
            "view_overview": "All questions",
            "view_question": "One question",
            "view_mean": "Means",
            "view_cross": "Cross table",
            "view_compare": "Two groups",
            "view_together": "What goes together",
            "view_prediction": "Prediction",
            "view_versions": "Versions",
            "about_overview": "Every question by itself, of everyone or of those who meet a condition.",
            "about_question": "How often each answer was given; by the groups of another question if you like.",
            "about_mean": "The mean of a rating or of a number.",
            "about_cross": "How often each pair of answers to two questions was given.",
            "about_compare": "Whether two groups differ, and whether chance alone could explain it.",
            "about_together": "Which answers are often given by the same people. Choose 2 to 8 questions. "
            "It may take up to a minute.",
            "about_prediction": "How well an answer can be told from others, by a classifier that learns from the randomised "
            "answers. It may take up to a minute.",
            "about_versions": "One question in each version of the survey, side by side.",
            "change_view": "Change this view",
            "of_field": "Question",
            "by_field": "By the groups of",
            "rows_field": "Rows",
            "columns_field": "Columns",
            "everyone": "everyone",
            "nothing": "–",
            "condition": "Only some people (may be left empty)",
            "condition_typed": "A condition, typed",
            "condition_hint": "For example: {example}",
            "condition_add": "Those who answered",
            "condition_number": "Those whose number",
            "condition_is": "is",
            "number_value": "number",
            "at_least": "at least",
            "at_most": "at most",
            "exactly": "exactly",
            "drop": "Remove this condition: {part}",
            "first_group": "First group",
            "second_group": "Second group",
            "group_choose": "Those who answered",
            "group_typed": "or a condition, typed",
            "compare_means": "Compare means instead of answers",
            "compare_answer": "Answer",
            "every_answer": "every answer",
            "together_of": "Questions",
            "support_field": "Share of people who gave all of these answers, at least",
            "confidence_field": "How often the rule holds, at least",
            "longest_field": "Answers in a rule, at most",
            "predicted_field": "Answer to be told",
            "given_field": "From the answers to",
            "version_field": "Version",
            "newest": "the newest",
            "show": "Show",
            "how_to_read": "A dot is the estimate, its line the interval in which the true number lies 95 times in 100.",
            "how_to_read_marks": "The faint diamond is what was reported, before correcting for the randomisation.",
            "cross_caption": "Rows: “{rows}”, columns: “{columns}”",
            "describes": "This describes those who answered. Randomising cannot correct untrue answers.",
            "both_groups": "Both groups",
            "differences": "Differences: the first group minus the second",
            "reported_was": "reported: {share}",
            "this_view_as": "This view as",
            "kind_json": "JSON",
            "kind_csv": "table (CSV)",
            "kind_svg": "picture (SVG)",
            "kind_png": "picture (PNG)",
            "kind_py": "Python code",
            "cannot_show": "This view cannot be shown",
            "what_was_wrong": "What was wrong",
            "where_it_was": "In this address",
            "what_helps": "What helps",
            "fix_form": "Choose one of the views above and fill in its form, or go back to all questions.",
            "fix_wait": "Come back when answers have been released or the survey has been closed.",
            "fix_busy": "Load this page again in a minute. Other results can be looked at meanwhile.",
            "fix_owner": "Ask an owner of the survey.",
            "fix_list": "Choose a survey from the list.",
            "to_overview": "All questions",
            "analyst_note": "Groups of fewer than 50 people are not shown. Rare answers to open questions are shown together, marked "
            "with an asterisk (“A or B*”).",
            "busy": "The server is computing other results. Please try again in a moment.",
            "results_after_closing": "Results of {slug} can be seen when it is closed.",
            "nothing_released": "No answers to {slug} have been released yet.",
            "unknown_attribute": "There is no question “{got}”; there are {allowed}.",
            "condition_unreadable": "The condition “{_text}” cannot be understood. Conditions are written like this: {example}",
            "missing_of": "Please choose a question.",
            "missing_by": "Please choose two questions.",
            "missing_first": "Please choose two groups.",
            "missing_second": "Please choose two groups.",
            "how_many_questions": "Please tick {least} to {most} questions.",
            "same_group": "Both groups are the same: please choose two different ones.",
            "needs_export": "A classifier learns from whole rows, which only owners may use.",
        },
        "pl": {
            "see_results": "Zobacz wyniki",
            "results_of": "Wyniki: {survey}",
            "views": "Widoki",
            "view_overview": "Wszystkie pytania",
            "view_question": "Jedno pytanie",
            "view_mean": "Średnie",
            "view_cross": "Tabela krzyżowa",
            "view_compare": "Dwie grupy",
            "view_together": "Co idzie w parze",
            "view_prediction": "Przewidywanie",
            "view_versions": "Wersje",
            "about_overview": "Każde pytanie osobno, dla wszystkich albo dla osób, które spełniają warunek.",
            "about_question": "Jak często padała każda odpowiedź; jeśli trzeba, w grupach według innego pytania.",
            "about_mean": "Średnia oceny albo liczby.",
            "about_cross": "Jak często padała każda para odpowiedzi na dwa pytania.",
            "about_compare": "Czy dwie grupy się różnią i czy może to wyjaśnić sam przypadek.",
            "about_together": "Których odpowiedzi często udzielają te same osoby. Proszę wybrać od 2 do 8 pytań. "
            "Może to potrwać do minuty.",
            "about_prediction": "Jak dobrze można odgadnąć jedną odpowiedź z innych; klasyfikator uczy się z losowo zmienionych "
            "odpowiedzi. Może to potrwać do minuty.",
            "about_versions": "Jedno pytanie w każdej wersji ankiety, obok siebie.",
            "change_view": "Zmień ten widok",
            "of_field": "Pytanie",
            "by_field": "W grupach według pytania",
            "rows_field": "Wiersze",
            "columns_field": "Kolumny",
            "everyone": "wszyscy",
            "nothing": "–",
            "condition": "Tylko niektóre osoby (można pominąć)",
            "condition_typed": "Warunek, wpisany ręcznie",
            "condition_hint": "Na przykład: {example}",
            "condition_add": "Osoby, które odpowiedziały",
            "condition_number": "Osoby, których liczba",
            "condition_is": "wynosi",
            "number_value": "liczba",
            "at_least": "co najmniej",
            "at_most": "co najwyżej",
            "exactly": "dokładnie",
            "drop": "Usuń ten warunek: {part}",
            "first_group": "Pierwsza grupa",
            "second_group": "Druga grupa",
            "group_choose": "Osoby, które odpowiedziały",
            "group_typed": "albo warunek, wpisany ręcznie",
            "compare_means": "Porównaj średnie zamiast odpowiedzi",
            "compare_answer": "Odpowiedź",
            "every_answer": "każda odpowiedź",
            "together_of": "Pytania",
            "support_field": "Udział osób, które udzieliły wszystkich tych odpowiedzi, co najmniej",
            "confidence_field": "Jak często reguła się sprawdza, co najmniej",
            "longest_field": "Odpowiedzi w regule, najwyżej",
            "predicted_field": "Odgadywana odpowiedź",
            "given_field": "Na podstawie odpowiedzi na pytania",
            "version_field": "Wersja",
            "newest": "najnowsza",
            "show": "Pokaż",
            "how_to_read": "Kropka to oszacowanie, a linia to przedział, w którym prawdziwa liczba leży 95 razy na 100.",
            "how_to_read_marks": "Blady romb pokazuje, co zgłoszono, zanim uwzględniono losowe zmiany.",
            "cross_caption": "Wiersze: „{rows}”, kolumny: „{columns}”",
            "describes": "Wyniki opisują osoby, które odpowiedziały. Losowanie nie poprawia nieprawdziwych odpowiedzi.",
            "both_groups": "Obie grupy",
            "differences": "Różnice: pierwsza grupa minus druga",
            "reported_was": "zgłoszono: {share}",
            "this_view_as": "Ten widok jako",
            "kind_json": "JSON",
            "kind_csv": "tabela (CSV)",
            "kind_svg": "rysunek (SVG)",
            "kind_png": "rysunek (PNG)",
            "kind_py": "kod w Pythonie",
            "cannot_show": "Tego widoku nie można pokazać",
            "what_was_wrong": "Co jest nie tak",
            "where_it_was": "W tym adresie",
            "what_helps": "Co pomoże",
            "fix_form": "Proszę wybrać jeden z widoków powyżej i wypełnić jego formularz albo wrócić do wszystkich pytań.",
            "fix_wait": "Proszę wrócić, gdy odpowiedzi zostaną udostępnione albo ankieta zostanie zamknięta.",
            "fix_busy": "Proszę odświeżyć tę stronę za minutę. Inne wyniki można oglądać już teraz.",
            "fix_owner": "Proszę zapytać właściciela ankiety.",
            "fix_list": "Proszę wybrać ankietę z listy.",
            "to_overview": "Wszystkie pytania",
            "analyst_note": "Grupy mniejsze niż 50 osób nie są pokazywane. Rzadkie odpowiedzi na pytania jawne są pokazane razem i "
            "oznaczone gwiazdką („A lub B*”).",
            "busy": "Serwer oblicza teraz inne wyniki. Proszę spróbować ponownie za chwilę.",
            "results_after_closing": "Wyniki ankiety {slug} będą widoczne, gdy zostanie zamknięta.",
            "nothing_released": "Nie udostępniono jeszcze żadnych odpowiedzi na ankietę {slug}.",
            "unknown_attribute": "Nie ma pytania „{got}”; są: {allowed}.",
            "condition_unreadable": "Warunek „{_text}” jest niezrozumiały. Warunki pisze się tak: {example}",
            "missing_of": "Proszę wybrać pytanie.",
            "missing_by": "Proszę wybrać dwa pytania.",
            "missing_first": "Proszę wybrać dwie grupy.",
            "missing_second": "Proszę wybrać dwie grupy.",
            "how_many_questions": "Proszę zaznaczyć od {least} do {most} pytań.",
            "same_group": "Obie grupy są takie same: proszę wybrać dwie różne.",
            "needs_export": "Klasyfikator uczy się z całych wierszy, których mogą używać tylko właściciele.",
        },
    }
)

POLISH_ERRORS: Mapping[str, str] = MappingProxyType(
    {
        "unknown_survey": "Nie ma takiej ankiety.",
        "unknown_version": "Ankieta {slug} nie ma wersji {got}.",
        "no_version": "Nie ma odpowiedzi na wersję {got}; są na: {allowed}.",
        "value_outside": "„{name}” nie może mieć wartości {got!r}; dozwolone: {allowed}.",
        "empty": "Warunek jest pusty.",
        "empty_condition": "Nikt nie może spełniać warunku {got}: nie ma takiej wartości.",
        "no_order": "Wartości „{name}” nie są uporządkowane, więc {op} nie ma sensu; można użyć == albo in.",
        "wrong_type": "Wartości „{name}” to słowa, a podano liczbę {got}.",
        "cuts_a_cell": "Warunek {condition} dzieli ludzi dokładniej, niż można pokazać; o „{name}” można pytać według: {allowed}.",
        "many_attributes": "Widok dotyczy najwyżej {most} pytań razem z warunkami; podano {got}.",
        "unknown_view": "Nie ma widoku {got!r}; są: {allowed}.",
        "unknown_key": "Widok {view!r} nie ma {got!r}; może mieć: {allowed}.",
        "repeated_key": "Każdą część pytania podaje się raz; {got} powtórzono.",
        "bad_address": "Tego adresu nie można odczytać: {got!r}.",
        "long_address": "Adres może mieć najwyżej {most} znaków.",
        "long_condition": "Warunek może mieć najwyżej {most} znaków i niewiele nawiasów w nawiasach.",
        "out_of_range": "{name!r} musi leżeć między {low} a {high}, podano {got}.",
        "wrong_kind": "Wartość {got!r} nie pasuje do pola „{name}”.",
        "same_attribute": "„{name}” samo ze sobą nic nie mówi: proszę wybrać inne pytanie.",
        "mean_or_label": "Porównuje się średnie albo jedną odpowiedź, nie obie naraz.",
        "shared_draw": "{got}: losowane razem z innymi pytaniami, więc ten widok ich nie pokaże.",
        "many_classes": "„{name}” ma więcej niż {most} odpowiedzi, zbyt wiele, by je przewidywać.",
        "too_many_labels": "„{name}” ma {k} wartości; można porównać średnie albo jedną z nich.",
        "not_numeric": "„{name}” to słowa, a potrzebne są liczby.",
    }
)
"""What is wrong with an address, by the code of the error."""


UNREADABLE = (
    "unexpected", "bad_character", "unquoted_name", "python_method", "not_attribute_and_value", "not_an_attribute",
)  # fmt: skip
"""Conditions that make no sense as they are typed: an example says more than what a parser expected."""
EXAMPLE = "age >= 30"
TICKED = {"together": 2, "prediction": 1}
"""Views whose questions are ticked, and how many must be."""


def said_of(error: DeniableError, language: str, titles: Mapping[str, str] = MappingProxyType({}), example: str = "") -> str:
    """What was wrong, in the reader's language where it is known, else in English.

    Parameters
    ----------
    error
        What was wrong.
    language
        "en" or "pl".
    titles
        The questions of the survey by their names, which readers do not know.
    example
        A condition on one of them.

    Returns
    -------
    str

    Examples
    --------
    >>> from deniable.errors import ParameterError
    >>> said_of(ParameterError("empty", "The condition is empty."), "pl")
    'Warunek jest pusty.'
    >>> said_of(ParameterError("same_attribute", "{name!r} by itself says nothing.", name="sex"), "en", {"sex": "Your sex"})
    '“Your sex” by itself says nothing.'
    """
    ours = {**RESULT_WORDS[language], **PUBLISHING_WORDS[language], **TRIAL_WORDS[language]}
    known = {**(POLISH_ERRORS if language == "pl" else {}), **ours}
    given = {name: _listed(value, titles) if isinstance(value, list) else value for name, value in error.parameters.items()}
    code, name = error.code, str(given.get("name", ""))
    if code == "missing_key":
        ticked = TICKED.get(str(given.get("view"))) if name in ("of", "given") else None
        code = f"missing_{name}" if ticked is None or (name, ticked) == ("of", 1) else "how_many_questions"
        given |= {"least": ticked, "most": MOST_TOGETHER}
    elif code in UNREADABLE:
        code, given["example"] = "condition_unreadable", example or EXAMPLE
    try:
        return known[code].format(**{**given, "name": titles.get(name, name)})
    except (KeyError, ValueError):
        return str(error).replace(repr(name), f"“{titles[name]}”") if name in titles else str(error)


def _listed(names: Sequence[Any], titles: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({titles[name]})" if name in titles else str(name) for name in names)
