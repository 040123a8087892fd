"""Errors of questions in Polish, by their code, for commands with `--language pl`; errors that are not here stay English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from deniable.cli.polish_plan_errors import PLANS
from deniable.core.polish import polish_number
from deniable.errors import DeniableError, QuestionnaireError
from deniable.survey.polish_mistakes import mistake_in_polish

BEGINS = "błąd"
MOST_SHOWN = 50
SENTENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Conditions.
        "unknown_attribute": ("Nie ma atrybutu „{got}”; są: {allowed}.",),
        "no_attribute": ("W schemacie nie ma atrybutu „{got}”; są: {allowed}.",),
        "value_outside": ("„{name}” nie może mieć wartości {got!r}; dozwolone: {allowed}.",),
        "empty": ("Warunek jest pusty.",),
        "empty_condition": ("Nikt nie może spełniać warunku {got}: nie ma takiej wartości.",),
        "no_condition": ("To pytanie wymaga warunku.",),
        "bad_character": ("Znak „{got}” jest tu niezrozumiały.{hint}",),
        "unexpected": ("Oczekiwano: {what}; jest: {got}.",),
        "python_method": ("Tak: {meant}.",),
        "unquoted_name": ("Nazwę taką jak {got} trzeba ująć w cudzysłów: {double} albo {back}.",),
        "not_attribute_and_value": (
            "Porównanie wymaga atrybutu po jednej stronie i wartości po drugiej (słowa w 'pojedynczych cudzysłowach' to "
            "wartości; dwóch atrybutów nie da się porównać).",
        ),
        "not_an_attribute": ("Przed „in” musi stać atrybut.",),
        "no_order": ("Wartości „{name}” nie są uporządkowane, więc {op} nie ma sensu; można użyć == albo in.",),
        "wrong_type": ("Wartości „{name}” to słowa, a podano liczbę {got}.",),
        "no_grid": ("„{name}” nie ma ustalonego kroku, więc warunku o tym atrybucie nie da się policzyć.",),
        # Data and options.
        "not_numeric": (
            "„{name}” to słowa ({allowed}), a potrzebne są liczby. Można zapytać o rozkład (deniable distribution) albo policzyć osoby z "
            'jedną odpowiedzią: "{example}".',
        ),
        "no_column": (
            "W {path} nie ma kolumn: {got}; są: {found}.",
            "W {path} nie ma kolumny „{got}”; są: {allowed}.",
            "W danych nie ma kolumn: {got}; są: {found}.",
        ),
        "no_weights": ("Nie ma kolumny „{name}”, z której miałyby pochodzić wagi; są: {found}.",),
        "no_file": ("Nie ma pliku {path}.",),
        "no_schema": (
            "{path} nie ma schematu: plik {beside} nie istnieje. Schemat podaje się przez --schema; schemat ankiety zapisuje: deniable "
            "survey schema ANKIETA -o PLIK",
            "{source} nie ma schematu. Schemat podaje się przez --schema; schemat ankiety zapisuje: deniable survey schema ANKIETA -o PLIK",
        ),
        "means_only": (
            "Z odpowiedzi na „{name}” można odczytać tylko średnie, sumy i różnice średnich; udziałów ani kwantyli nie da się z nich "
            "obliczyć. Można zapytać o średnią (deniable mean).",
        ),
        "level": ("Poziom ufności (--level) to liczba między 0 a 1, na przykład 0.95; podano {got}.",),
        "method": ("Metoda (--method) to jedna z: {allowed}; podano „{got}”.",),
    }
)  # fmt: skip
_EXPECTED = {
    "'and', 'or' or the end": "„and”, „or” albo koniec",
    "')'": "„)”",
    "'in'": "„in”",
    "a comparison (==, !=, <, <=, >, >=, in)": "porównanie (==, !=, <, <=, >, >=, in)",
    "an attribute or a value": "atrybut albo wartość",
    "'(' and a list of values": "„(” i lista wartości",
    "a value (a number, or a word in 'single quotes')": "wartość (liczba albo słowo w 'pojedynczych cudzysłowach')",
    "',' or ')'": "„,” albo „)”",
    "the end": "koniec",
}
_MEANT = {
    "=": " Równość zapisuje się jako ==.",
    "&": " „I” zapisuje się jako and.",
    "|": " „Lub” zapisuje się jako or.",
    "!": " Zaprzeczenie zapisuje się jako not, a nierówność jako !=.",
    **dict.fromkeys("[]{}", " Listę wartości ujmuje się w nawiasy okrągłe: partia in ('lewica', 'prawica')."),
    **dict.fromkeys("'\"`", " Otwarty tu cudzysłów nie jest zamknięty."),
}
_PART_OF_A_NAME = ' Jeśli to część nazwy atrybutu, nazwę trzeba ująć w cudzysłów podwójny albo grawisy: "a.b" albo `a.b`.'
_ALLOWED = (
    (r" \(a missing cell is read as [^)]*\)", ""),
    (r", or ('[^']*')$", r" albo \1"),
    (r" and ([\d,]+) more", r" i jeszcze \1"),
    (r"([-\d.,]+) to ([-\d.,]+)", r"od \1 do \2"),
    (r" in steps of ([\d.,/]+)", r" co \1"),
)


def in_polish(error: DeniableError) -> str | None:
    """The sentence of an error in Polish, with the place in the condition that it points at; None if there is none.

    >>> from deniable.statistics.condition_parser import parse
    >>> from deniable.errors import ParameterError
    >>> try:
    ...     parse("sex = 'F'")
    ... except ParameterError as error:
    ...     print(in_polish(error))
    Znak „=” jest tu niezrozumiały. Równość zapisuje się jako ==. (znak 5)
        sex = 'F'
            ^
    """
    if isinstance(error, QuestionnaireError):
        return _of_questionnaire(error)
    given = {name: _worded(name, value) for name, value in error.parameters.items()}
    given["hint"] = _MEANT.get(str(given.get("got")), _PART_OF_A_NAME)
    for sentence in (*SENTENCES.get(error.code, ()), *PLANS.get(error.code, ())):
        try:
            worded = sentence.format(**given)
        except KeyError:  # another error of the same code, with other parameters
            continue
        pointer = " (znak {_at})\n    {_text}\n    {_arrow}".format(**given) if "_arrow" in given else ""
        return worded + pointer
    return None


def _of_questionnaire(error: QuestionnaireError) -> str | None:
    """All mistakes, each with its line; those that have no Polish sentence in English."""
    parameters = error.parameters
    if "mistakes" in parameters:
        told = [_line(each) or _in_english(each) for each in parameters["mistakes"][:MOST_SHOWN]]
        if len(parameters["mistakes"]) > MOST_SHOWN:
            told.append(f"i jeszcze {len(parameters['mistakes']) - MOST_SHOWN}.")
        return f"{parameters['where']}: liczba błędów: {parameters['count']}\n  " + "\n  ".join(told)
    line = _line(error)
    return None if line is None else f"{parameters['where']}, {line}"


def _line(error: DeniableError) -> str | None:
    """What is wrong in a line; None if there is no Polish sentence for it."""
    sentence = mistake_in_polish(error)
    return None if sentence is None else f"wiersz {error.parameters['line']}: {sentence}"


def _in_english(error: DeniableError) -> str:
    return str(error).removeprefix(f"{error.parameters.get('where')}, ").replace("line ", "wiersz ", 1)


def wanted(arguments: Sequence[str]) -> bool:
    """Whether a command was asked to speak Polish.

    >>> wanted(["count", "--language", "pl"]), wanted(["count", "--language=pl"]), wanted(["count", "pl"])
    (True, True, False)
    """
    given = [*arguments, ""]
    return "--language=pl" in given or any(given[i : i + 2] == ["--language", "pl"] for i in range(len(given) - 1))


def _worded(name: str, value: Any) -> Any:
    if name in ("what", "got") and isinstance(value, str) and (known := _known(value)):
        return known
    if name == "allowed" and isinstance(value, str):
        for english, polish in _ALLOWED:
            value = re.sub(english, polish, value)
        return value
    if name in ("odds", "epsilon", "least") and isinstance(value, float):
        return _Worked(value)
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


class _Worked(float):
    """A number that was worked out, written as in Polish; what somebody typed is shown as it was typed."""

    def __format__(self, digits: str) -> str:
        return polish_number(super().__format__(digits))


def _known(text: str) -> str | None:
    # After a known comparison there may be a hint for those who wrote several.
    return next(
        (
            polish
            for english, polish in _EXPECTED.items()
            if text == english or (len(english) > 20 and text.startswith(english))
        ),
        None,
    )
