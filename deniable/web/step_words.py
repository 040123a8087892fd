"""What opening, closing and deleting mean before they happen, and what was done afterwards, English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

STEP_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "done_opened": "Open. Send people this address:",
            "done_opened_invited": "Open. Only people with an invitation can answer, at this address:",
            "done_reopened": "The survey is open again.",
            "done_closed": "The survey is closed. Nobody can answer any more.",
            "done_deleted": "The survey was deleted, with all that belonged to it.",
            "done_draft_deleted": "The draft was deleted.",
            "done_trial_deleted": "The trial was deleted, with its answers.",
            "done_made_up_deleted": "The made-up answers were deleted.",
            "done_protected": "The draft now has this protection.",
            "taken_draft": "The short name “{slug}” belongs to a survey that is there already: “{survey}” ({state}). Opening this draft "
            "will replace its questions by those written here (version {number}). If this is to be a survey of its own, give it another "
            "short name under “About the survey”.",
            "taken_same": "This is the survey “{survey}” ({state}), with nothing changed since version {number}.",
            "open_version": "This becomes version {number} of “{survey}”, a survey that is there already ({state}). The version before "
            "takes no more answers; the answers it has stay and are read by themselves. Anyone who has the old page open is asked to load "
            "it again.",
            "open_sealed": "Answers that are still sealed",
            "open_sealed_about": "If fewer than 50 answers to the version before are still sealed, the new version cannot be opened until "
            "there are 50. If you tick this, it can be opened at once, and those answers are lost for good.",
            "discard": "Delete the answers to the version before that are still sealed, if there are any",
            "happens_new": "“{survey}” will be opened, and people can answer it.",
            "happens_version": "The questions of “{survey}” will be replaced by those of this draft.",
            "happens_again": "“{survey}” will be open, with the questions and the answers that it has.",
            "close_later": "It can be opened again later, but if it has had answers, that has a price for good: what analysts see, the "
            "report "
            "and new public pages then show private questions only, each by itself and of everyone: no groups, also after it is closed "
            "again. A public page that is there already stays as it is.",
            "close_again": "It was closed with answers before, and answers could come since. So what analysts see, the report and new "
            "public "
            "pages stay as they are: private questions only, each by itself and of everyone, without groups.",
            "close_invited": "Invitations that have not been used cannot be used while it is closed.",
            "no_language": "Tick at least one language.",
            "no_title": "Write a title.",
            "title_too_long": "The title may have {most} characters at most; this one has {got}.",
            "delete_trial_it": "Delete the trial of “{survey}”?",
            "delete_trial_note": "The trial and its answers will be gone for good. The draft and the survey itself stay.",
            "delete_made_up_it": "Delete the made-up answers to “{survey}”?",
            "delete_made_up_note": "The made-up answers and what is shown of them will be gone. New ones can be made up.",
            "do_open_again": "Open again",
            "next_none_yet": "No answers to show yet: the first are shown when 50 have come",
        },
        "pl": {
            "done_opened": "Ankieta jest otwarta. Ten adres można wysłać ludziom:",
            "done_opened_invited": "Ankieta jest otwarta. Odpowiadać mogą tylko osoby z zaproszeniem, pod tym adresem:",
            "done_reopened": "Ankieta jest znów otwarta.",
            "done_closed": "Ankieta jest zamknięta. Nikt nie może już odpowiadać.",
            "done_deleted": "Ankieta została usunięta ze wszystkim, co do niej należało.",
            "done_draft_deleted": "Szkic został usunięty.",
            "done_trial_deleted": "Próba została usunięta razem z odpowiedziami.",
            "done_made_up_deleted": "Zmyślone odpowiedzi zostały usunięte.",
            "done_protected": "Szkic ma teraz tę ochronę.",
            "taken_draft": "Krótka nazwa „{slug}” należy do ankiety, która już istnieje: „{survey}” ({state}). Otwarcie tego szkicu "
            "zastąpi "
            "jej pytania pytaniami stąd (wersja {number}). Jeśli to ma być osobna ankieta, trzeba jej nadać inną krótką nazwę na stronie "
            "„O ankiecie”.",
            "taken_same": "To ankieta „{survey}” ({state}), bez zmian od wersji {number}.",
            "open_version": "Będzie to wersja {number} ankiety „{survey}”, która już istnieje ({state}). Poprzednia wersja nie przyjmie "
            "więcej "
            "odpowiedzi; te, które ma, pozostają i są liczone osobno. Kto ma otwartą starą stronę, zostanie poproszony o jej odświeżenie.",
            "open_sealed": "Odpowiedzi jeszcze zapieczętowane",
            "open_sealed_about": "Jeśli mniej niż 50 odpowiedzi na poprzednią wersję jest jeszcze zapieczętowanych, nowej wersji nie da "
            "się "
            "otworzyć, dopóki nie zbierze się 50 odpowiedzi. Po zaznaczeniu tego pola można ją otworzyć od razu, a te odpowiedzi przepadną "
            "na zawsze.",
            "discard": "Usuń odpowiedzi na poprzednią wersję, które są jeszcze zapieczętowane, jeśli takie są",
            "happens_new": "Ankieta „{survey}” zostanie otwarta i będzie można na nią odpowiadać.",
            "happens_version": "Pytania ankiety „{survey}” zostaną zastąpione pytaniami z tego szkicu.",
            "happens_again": "Ankieta „{survey}” będzie otwarta, z tymi samymi pytaniami i odpowiedziami.",
            "close_later": "Można ją później otworzyć ponownie, ale jeśli miała odpowiedzi, ma to trwałą cenę: analitycy, raport i nowe "
            "strony "
            "publiczne pokażą wtedy tylko pytania prywatne, każde osobno i dla wszystkich razem, bez grup, także po ponownym zamknięciu. "
            "Istniejąca strona publiczna pozostaje bez zmian.",
            "close_again": "Zamknięto ją już wcześniej, gdy miała odpowiedzi, i potem mogły napływać nowe. Dlatego dla analityków, w "
            "raporcie "
            "i na nowych stronach publicznych nic się nie zmieni: tylko pytania prywatne, każde osobno i dla wszystkich razem, bez grup.",
            "close_invited": "Niewykorzystanych zaproszeń nie można użyć, dopóki jest zamknięta.",
            "no_language": "Zaznacz co najmniej jeden język.",
            "no_title": "Wpisz tytuł.",
            "title_too_long": "Tytuł może mieć najwyżej {most} znaków, a ten ma {got}.",
            "delete_trial_it": "Usunąć próbę ankiety „{survey}”?",
            "delete_trial_note": "Próba i jej odpowiedzi znikną na zawsze. Szkic i sama ankieta pozostaną.",
            "delete_made_up_it": "Usunąć zmyślone odpowiedzi na ankietę „{survey}”?",
            "delete_made_up_note": "Znikną zmyślone odpowiedzi i to, co z nich pokazano. Można utworzyć nowe.",
            "do_open_again": "Otwórz ponownie",
            "next_none_yet": "Nie ma jeszcze odpowiedzi do pokazania: pierwsze pojawią się, gdy zbierze się ich 50",
        },
    }
)
