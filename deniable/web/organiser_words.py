"""What the organiser's pages say, in English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deniable.errors import DeniableError
from deniable.picture_words import words_of
from deniable.plurals import counted, counted_in_polish, grouped_in_polish
from deniable.survey.store.mixing import BATCH
from deniable.web.account_words import ACCOUNT_WORDS
from deniable.web.editor_words import EDITOR_WORDS
from deniable.web.publishing_words import PUBLISHING_WORDS
from deniable.web.results_words import RESULT_WORDS

_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "language": "Language",
            "organiser": "Organiser",
            "choose_password": "Choose a password",
            "repeat_password": "Repeat the password",
            "save": "Save",
            "password": "Password",
            "log_in": "Log in",
            "log_out": "Log out",
            "surveys": "Surveys",
            "survey": "Survey",
            "state": "State",
            "answers": "Answers",
            "invitations": "Invitations used",
            "last_day": "Last day",
            "results": "Results",
            "no_survey": "No survey is open yet. On the server: `deniable survey open FILE.yaml`.",
            "note": "Answers are released together, 50 or more at a time: half an hour to an hour and a half after enough have "
            "arrived, or when the survey is closed. The numbers of answers and of used invitations change only then, so"
            " that they never show that one person has answered. Until then people may have answered although no "
            "answers have been released. If one person sends many answers, the others are hidden among "
            "fewer.",
            "open": "open",
            "closed": "closed",
            "none_released": "none released yet",
            "too_few": "too few to be shown",
            "no_invitations": "no invitations",
            "not_yet": "not yet",
            "zip": "CSV (zip)",
            "spreadsheet.zip": "CSV for spreadsheets (zip)",
            "parquet": "Parquet",
            "randomised": "Private answers in these files are randomised: a row does not show what somebody answered, and counting "
            "rows gives wrong shares. “{see}” estimates the true ones.",
            "file_of": "{kind} of {survey}",
            "version": "version {number}",
            "do_close": "Close",
            "close_it": "Close “{survey}”?",
            "nobody_can": "Nobody can answer while it is closed.",
            "rest_shown": "The remaining answers were released at an earlier closing: those that have arrived since are released only"
            " if there are 50 or more of them.",
            "rest_shows": "The answers that are waiting will then be released, however few they are. This happens only once: after "
            "that, results are released in batches of 50 or more, even if the survey is opened again.",
            "leave_open": "Leave it open",
            "reopen_it": "Open “{survey}” again?",
            "do_reopen": "Open it again",
            "leave_closed": "Leave it closed",
            "reopen_same": "People can answer again, at the same address and with the same questions (version {number}). To change "
            "something, begin a new version instead.",
            "reopen_kept": "They are kept, and new ones are added to them.",
            "reopen_batches": "New answers are released only 50 or more at a time. Fewer stay sealed, also when the survey is "
            "closed again.",
            "reopen_rest": "New answers are released 50 or more at a time; the first closing with answers releases the rest, however few.",
            "reopen_invited": "Invitations that have not been used can be used again.",
            "reopen_public": "For good, what analysts see, the report and new public pages show private questions only, each by itself and "
            "of everyone: no groups, also after the survey is closed again. A public page that is there already stays as it is.",
            "reopen_until": "Its last day is {day}.",
            "reopen_no_last_day": "It has no last day: it stays open until you close it.",
            "reopen_over": "Its last day, {day}, is over, so it cannot be opened again as it is. Begin a new version with a later "
            "last day: "
            "it is counted by itself, and the answers so far are kept.",
            "link_used": "This link has already been used, or is not valid. Ask for a new one.",
            "link_gone": "This link has already been used, or is not valid.",
            "password_length": "A password needs at least {least} characters.",
            "passwords_differ": "The two passwords are not the same.",
            "wrong_password": "The name or the password is not right.",
        },
        "pl": {
            "language": "Język",
            "organiser": "Organizator",
            "choose_password": "Ustal hasło",
            "repeat_password": "Powtórz hasło",
            "save": "Zapisz",
            "password": "Hasło",
            "log_in": "Zaloguj się",
            "log_out": "Wyloguj się",
            "surveys": "Ankiety",
            "survey": "Ankieta",
            "state": "Stan",
            "answers": "Odpowiedzi",
            "invitations": "Wykorzystane zaproszenia",
            "last_day": "Ostatni dzień",
            "results": "Wyniki",
            "no_survey": "Żadna ankieta nie jest jeszcze otwarta. Na serwerze: `deniable survey open FILE.yaml`.",
            "note": "Odpowiedzi są udostępniane razem, co najmniej po 50: od pół godziny do półtorej godziny po tym, jak "
            "zbierze się ich wystarczająco dużo, albo po zamknięciu ankiety. Liczby odpowiedzi i wykorzystanych "
            "zaproszeń zmieniają się dopiero wtedy, żeby nigdy nie zdradziły, że odpowiedziała jedna osoba. Do tego "
            "czasu mogły już nadejść odpowiedzi, choć żadnej nie udostępniono. Jeśli ktoś wyśle wiele odpowiedzi, "
            "pozostałe są ukryte w mniejszej grupie.",
            "open": "otwarta",
            "closed": "zamknięta",
            "none_released": "brak udostępnionych odpowiedzi",
            "too_few": "zbyt mało, by je pokazać",
            "no_invitations": "bez zaproszeń",
            "not_yet": "jeszcze nie",
            "zip": "CSV (zip)",
            "spreadsheet.zip": "CSV dla arkuszy (zip)",
            "parquet": "Parquet",
            "randomised": "Prywatne odpowiedzi w tych plikach są losowo zmienione: wiersz nie pokazuje, co ktoś odpowiedział, a zliczanie "
            "wierszy daje błędne udziały. Prawdziwe szacuje strona „{see}”.",
            "file_of": "{kind}: {survey}",
            "version": "wersja {number}",
            "do_close": "Zamknij",
            "close_it": "Zamknąć ankietę „{survey}”?",
            "nobody_can": "Dopóki jest zamknięta, nikt nie może odpowiadać.",
            "rest_shown": "Pozostałe odpowiedzi udostępniono przy wcześniejszym zamknięciu: te, które nadeszły później, zostaną "
            "udostępnione tylko wtedy, gdy będzie ich co najmniej 50.",
            "rest_shows": "Czekające odpowiedzi zostaną wtedy udostępnione, choćby było ich niewiele. Dzieje się to tylko raz: potem "
            "wyniki są udostępniane co najmniej po 50, także po ponownym otwarciu ankiety.",
            "leave_open": "Zostaw otwartą",
            "reopen_it": "Otworzyć „{survey}” ponownie?",
            "do_reopen": "Otwórz ponownie",
            "leave_closed": "Zostaw zamkniętą",
            "reopen_same": "Znów będzie można odpowiadać, pod tym samym adresem i na te same pytania (wersja {number}). Aby coś zmienić, "
            "trzeba zacząć nową wersję.",
            "reopen_kept": "Pozostają, a nowe zostaną do nich dodane.",
            "reopen_batches": "Nowe odpowiedzi będą udostępniane tylko co najmniej po 50. Mniejsza liczba pozostanie zapieczętowana, także "
            "po ponownym zamknięciu.",
            "reopen_rest": "Nowe odpowiedzi będą udostępniane co najmniej po 50; pierwsze zamknięcie z odpowiedziami udostępni "
            "resztę, choćby "
            "było ich niewiele.",
            "reopen_invited": "Niewykorzystanych zaproszeń znów będzie można użyć.",
            "reopen_public": "Od tej chwili na stałe: analitycy, raport i nowe strony publiczne pokażą tylko pytania prywatne, "
            "każde osobno i "
            "dla wszystkich razem, bez grup, także po ponownym zamknięciu. Istniejąca strona publiczna pozostaje bez zmian.",
            "reopen_until": "Ostatni dzień: {day}.",
            "reopen_no_last_day": "Nie ma ostatniego dnia: pozostanie otwarta, dopóki jej nie zamkniesz.",
            "reopen_over": "Ostatni dzień ({day}) już minął, więc nie można jej otworzyć w tej postaci. Można zacząć nową wersję z "
            "późniejszym "
            "ostatnim dniem: jest liczona osobno, a dotychczasowe odpowiedzi pozostają.",
            "link_used": "Ten link został już użyty albo jest nieprawidłowy. Można poprosić o nowy.",
            "link_gone": "Ten link został już użyty albo jest nieprawidłowy.",
            "password_length": "Hasło musi mieć co najmniej {least} znaków.",
            "passwords_differ": "Hasła nie są takie same.",
            "wrong_password": "Nazwa lub hasło są nieprawidłowe.",
        },
    }
)

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        one: {**RESULT_WORDS[one], **_WORDS[one], **ACCOUNT_WORDS[one], **EDITOR_WORDS[one], **PUBLISHING_WORDS[one]}
        for one in _WORDS
    }
)


def answers_released(count: int, language: str) -> str:
    """How many answers have been released, as it stands in a table.

    >>> answers_released(1234, "en"), answers_released(3, "pl"), answers_released(0, "en")
    ('1,234 released', 'udostępniono 3', 'none released yet')
    """
    if not count:
        return WORDS[language]["none_released"]
    return f"udostępniono {grouped_in_polish(count)}" if language == "pl" else f"{count:,} released"


def at_least_released(count: int, language: str) -> str:
    """The same for those who may not export: in whole batches, so that no two looks differ by a few people.

    >>> at_least_released(1234, "en"), at_least_released(53, "pl"), at_least_released(49, "en"), at_least_released(0, "en")
    ('1,200 or more released', 'udostępniono co najmniej 50', 'too few to be shown', 'none released yet')
    """
    if not count:
        return WORDS[language]["none_released"]
    whole = count // BATCH * BATCH
    if not whole:
        return WORDS[language]["too_few"]
    return f"udostępniono co najmniej {grouped_in_polish(whole)}" if language == "pl" else f"{whole:,} or more released"


def released_to(count: int, number: int, language: str) -> str:
    """How many answers have been released, and to which version, as a sentence.

    >>> released_to(2, 1, "en"), released_to(2, 1, "pl")
    ('2 answers to version 1 have been released.', 'Udostępniono 2 odpowiedzi na wersję 1.')
    >>> released_to(0, 1, "en"), released_to(0, 1, "pl")
    ('No answers to version 1 have been released yet.', 'Nie udostępniono jeszcze żadnej odpowiedzi na wersję 1.')
    """
    if language == "pl":
        number_of = f"Udostępniono {_answers_in_polish(count)}" if count else "Nie udostępniono jeszcze żadnej odpowiedzi"
        return f"{number_of} na wersję {number}."
    if not count:
        return f"No answers to version {number} have been released yet."
    return f"{counted(count, 'answer')} to version {number} {'has' if count == 1 else 'have'} been released."


def _answers_in_polish(count: int) -> str:
    return counted_in_polish(count, "odpowiedź", "odpowiedzi", "odpowiedzi")


def earlier(count: int, language: str) -> str:
    """Answers to versions before.

    >>> earlier(2, "en"), earlier(0, "en")
    (', and 2 to earlier versions', '')
    """
    if not count:
        return ""
    return (
        f", a na wcześniejsze wersje {grouped_in_polish(count)}" if language == "pl" else f", and {count:,} to earlier versions"
    )


def in_words(error: DeniableError, language: str) -> str:
    """A refusal in the reader's language where it is known, else in English."""
    known = WORDS[language].get(error.code)
    if known is None:
        return str(error)
    number = words_of(language).number
    # Nobody is to read 1e+07, or a decimal point in Polish.
    written = {
        name: number(value, ",.0f" if value.is_integer() else ",.10g") if isinstance(value, float) else value
        for name, value in error.parameters.items()
    }
    return known.format(**written)
