"""What the organiser's pages say, in English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deniable.errors import DeniableError
from deniable.plurals import counted, counted_in_polish

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "language": "Language",
            "organiser": "Organiser",
            "choose_password": "Choose a password",
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
            "note": "Answers come out together, 50 or more at a time: half an hour to an hour and a half after enough "
            "have come, or when the "
            "survey is closed. The numbers of answers and of used invitations move with them, so that none shows that "
            "one person came; until "
            "then people may have answered though none are out. Whoever sends many answers themselves knows those, and "
            "the others hide "
            "among fewer.",
            "open": "open",
            "closed": "closed",
            "none_out": "none out yet",
            "open_to_all": "open to all",
            "not_yet": "not yet",
            "of": "{used} of {all}",
            "file_of": "{kind} of {survey}",
            "version": "version {number}",
            "do_open": "Open",
            "do_close": "Close",
            "close_it": "Close {survey}?",
            "nobody_can": "Nobody can answer while it is closed.",
            "rest_shown": "Its rest was shown at an earlier closing: answers that came since are shown only if they are "
            "50 or more.",
            "rest_shows": "The answers that wait are then shown, however few they are. This is done once: after that, "
            "results come in batches "
            "of 50 or more, also if the survey is opened again.",
            "leave_open": "Leave it open",
            "link_used": "This link has already been used, or is not valid. The server prints a new one on request.",
            "link_gone": "This link has already been used.",
            "password_length": "A password has {least} characters or more.",
            "wrong_password": "That is not the password.",
        },
        "pl": {
            "language": "Język",
            "organiser": "Organizator",
            "choose_password": "Ustal hasło",
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
            "note": "Odpowiedzi pokazują się razem, co najmniej po 50: od pół godziny do półtorej godziny po tym, jak "
            "zbierze się ich dość, albo "
            "po zamknięciu ankiety. Liczby odpowiedzi i wykorzystanych zaproszeń zmieniają się razem z nimi, żeby żadna "
            "nie zdradziła, że "
            "ktoś odpowiedział; do tego czasu mogły już nadejść odpowiedzi, choć żadnej nie widać. Kto sam wysyła wiele "
            "odpowiedzi, zna je, "
            "a pozostałe kryją się wśród mniejszej liczby.",
            "open": "otwarta",
            "closed": "zamknięta",
            "none_out": "jeszcze żadnej",
            "open_to_all": "otwarta dla wszystkich",
            "not_yet": "jeszcze nie",
            "of": "{used} z {all}",
            "file_of": "{kind}: {survey}",
            "version": "wersja {number}",
            "do_open": "Otwórz",
            "do_close": "Zamknij",
            "close_it": "Zamknąć {survey}?",
            "nobody_can": "Dopóki jest zamknięta, nikt nie może odpowiadać.",
            "rest_shown": "Pozostałe odpowiedzi pokazano przy wcześniejszym zamknięciu: te, które nadeszły później, "
            "pokażą się tylko, jeśli "
            "jest ich co najmniej 50.",
            "rest_shows": "Pokażą się wtedy odpowiedzi, które czekają, choćby było ich niewiele. Dzieje się to raz: "
            "potem wyniki przychodzą "
            "co najmniej po 50, także gdy ankieta zostanie otwarta ponownie.",
            "leave_open": "Zostaw otwartą",
            "link_used": "Ten odnośnik został już użyty albo jest nieprawidłowy. Serwer wypisze nowy na żądanie.",
            "link_gone": "Ten odnośnik został już użyty.",
            "password_length": "Hasło ma co najmniej {least} znaków.",
            "wrong_password": "To nie jest właściwe hasło.",
        },
    }
)


def answers_out(count: int, language: str) -> str:
    """How many answers are out.

    >>> answers_out(1, "en"), answers_out(3, "pl")
    ('1 answer is out', '3 odpowiedzi')
    """
    if language == "pl":
        return counted_in_polish(count, "odpowiedź", "odpowiedzi", "odpowiedzi")
    return f"{counted(count, 'answer')} {'is' if count == 1 else 'are'} out"


def out_to(count: int, number: int, language: str) -> str:
    """How many answers are out, and to which version.

    >>> out_to(2, 1, "en"), out_to(2, 1, "pl")
    ('2 answers are out, to version 1.', 'Widać 2 odpowiedzi na wersję 1.')
    """
    if language == "pl":
        return f"Widać {answers_out(count, language)} na wersję {number}." if count else "Nie widać jeszcze żadnej odpowiedzi."
    return f"{answers_out(count, language)}, to version {number}."


def earlier(count: int, language: str) -> str:
    """Answers to versions before.

    >>> earlier(2, "en"), earlier(0, "en")
    (', and 2 to earlier versions', '')
    """
    if not count:
        return ""
    return (
        f", oraz {answers_out(count, language)} na wcześniejsze wersje"
        if language == "pl"
        else f", and {count:,} to earlier versions"
    )


def in_words(error: DeniableError, language: str) -> str:
    """A refusal in the reader's language where it is known, else in English."""
    known = WORDS[language].get(error.code)
    return known.format(**error.parameters) if known is not None else str(error)
