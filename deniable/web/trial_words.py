"""What the pages say about trying a survey before it is opened, and about its trials, English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TRIAL_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "draft_trial": "Try it",
            "trial_title": "Try “{survey}” before you open it",
            "preview_it": "See it as respondents do",
            "preview_about": "The page that people will see, with the questions of this draft. Nothing is sent: at the end you are shown "
            "what would have been.",
            "preview_wrong": "There is no preview yet: the page can be shown once nothing is left in the list below.",
            "try_it": "Try it with colleagues",
            "try_about": "A trial is a survey of its own, with an address of its own that nobody can guess. Whoever has it can answer and "
            "sees the real page, with a banner that says that it is a trial. Its answers never count in the survey itself.",
            "try_uninvited": "In the trial nobody needs an invitation.",
            "try_contacts": "The trial asks for contact details, too. They are erased after {days} days, or when you delete the trial.",
            "do_try": "Open a trial",
            "do_try_again": "Begin a new trial",
            "trial_open": "The trial is open. Send this address to your colleagues:",
            "trial_closed": "The trial is closed.",
            "trial_waiting": "Its results can be read once you close it, or once 50 people have answered.",
            "trial_changed": "The draft has changed since this trial began. A new trial has the questions as they are now.",
            "trial_replaces": "A new trial deletes this one and its answers, and has a new address.",
            "do_close_trial": "Close the trial and read its results",
            "do_delete_trial": "Delete the trial",
            "open_beside_trial": "A trial of this survey is still there. It stays as it is, and counts for nothing, until you delete it.",
            "make_up_it": "Fill it with made-up residents",
            "make_up_about": "See the result pages before anyone has answered. Made-up people answer the questions of this draft; what "
            "they answer is mixed and stored as real answers are. It says nothing about real people: only how results will look, and how "
            "wide their intervals will be.",
            "make_up_people": "How many made-up residents",
            "do_make_up": "Make up their answers",
            "do_make_up_again": "Make up new answers",
            "made_up_there": "Made-up answers are there: {count}.",
            "made_up_changed": "The draft has changed since then.",
            "made_up_people": "Between 1 and {most} residents can be made up at once.",
            "made_up_cells": "These questions fill many columns ({columns}), so {most} residents at most can be made up at once.",
            "do_delete_made_up": "Delete the made-up answers",
            "public_preview": "Preview of the public page",
            "apart": "Trials",
            "apart_about": "Trials and made-up answers count in no survey. They can be deleted at any time.",
            "is_trial": "Trial",
            "is_made-up": "Made up",
            "banner_trial": "This is a trial. Its answers count in no survey.",
            "banner_made-up": "These answers are made up. Nobody gave them.",
            "trial_not_released": "This is a trial: what was found in it is never released to everyone. You can look at the page.",
            "trial_taken": "The name {slug} belongs to a survey that was opened before such names were kept for trials. Delete it, or "
            "give this draft another short name.",
            "made_up_closed": "This survey holds made-up answers; nobody can add to them.",
            "not_apart": "These answers belong to a trial, and are no results of this survey.",
        },
        "pl": {
            "draft_trial": "Wypróbuj",
            "trial_title": "Wypróbuj ankietę „{survey}” przed otwarciem",
            "preview_it": "Zobacz ją oczami odpowiadających",
            "preview_about": "Strona, którą zobaczą ludzie, z pytaniami z tego szkicu. Nic nie jest wysyłane: na końcu widać, co zostałoby "
            "wysłane.",
            "preview_wrong": "Podglądu jeszcze nie ma: stronę można pokazać, gdy poniższa lista będzie pusta.",
            "try_it": "Wypróbuj ją ze współpracownikami",
            "try_about": "Próba to osobna ankieta pod osobnym adresem, którego nikt nie odgadnie. Kto go ma, może odpowiedzieć i widzi "
            "prawdziwą stronę z napisem, że to próba. Odpowiedzi z próby nigdy nie liczą się we właściwej ankiecie.",
            "try_uninvited": "W próbie nikt nie potrzebuje zaproszenia.",
            "try_contacts": "Próba także pyta o dane kontaktowe. Zostaną usunięte po {days} dniach albo razem z próbą.",
            "do_try": "Otwórz próbę",
            "do_try_again": "Zacznij nową próbę",
            "trial_open": "Próba jest otwarta. Ten adres można wysłać współpracownikom:",
            "trial_closed": "Próba jest zamknięta.",
            "trial_waiting": "Wyniki będzie można obejrzeć po zamknięciu próby albo gdy odpowie 50 osób.",
            "trial_changed": "Szkic zmienił się od początku tej próby. Nowa próba będzie miała obecne pytania.",
            "trial_replaces": "Nowa próba usuwa tę próbę wraz z odpowiedziami i ma nowy adres.",
            "do_close_trial": "Zamknij próbę i obejrzyj wyniki",
            "do_delete_trial": "Usuń próbę",
            "open_beside_trial": "Jest jeszcze próba tej ankiety. Pozostanie bez zmian i nie będzie się liczyć, dopóki jej nie usuniesz.",
            "make_up_it": "Wypełnij ją zmyślonymi odpowiedziami",
            "make_up_about": "Pozwala zobaczyć strony wyników, zanim ktokolwiek odpowie. Na pytania z tego szkicu odpowiadają zmyślone "
            "osoby, a ich odpowiedzi są losowo zmieniane i zapisywane tak jak prawdziwe. Nic to nie mówi o prawdziwych ludziach: tylko "
            "o tym, jak będą wyglądać wyniki i jak szerokie będą przedziały.",
            "make_up_people": "Ilu zmyślonych mieszkańców ma odpowiedzieć",
            "do_make_up": "Utwórz zmyślone odpowiedzi",
            "do_make_up_again": "Utwórz nowe zmyślone odpowiedzi",
            "made_up_there": "Zmyślone odpowiedzi są gotowe, ich liczba: {count}.",
            "made_up_changed": "Szkic od tego czasu się zmienił.",
            "made_up_people": "Zmyślonych mieszkańców może być od 1 do {most}.",
            "made_up_cells": "Te pytania zajmują wiele kolumn (ich liczba: {columns}), więc "
            "zmyślonych mieszkańców może być najwyżej {most}.",
            "do_delete_made_up": "Usuń zmyślone odpowiedzi",
            "public_preview": "Podgląd strony publicznej",
            "apart": "Próby",
            "apart_about": "Próby i zmyślone odpowiedzi nie liczą się w żadnej ankiecie. Można je usunąć w każdej chwili.",
            "is_trial": "Próba",
            "is_made-up": "Zmyślone",
            "banner_trial": "To jest próba. Jej odpowiedzi nie liczą się w żadnej ankiecie.",
            "banner_made-up": "Te odpowiedzi są zmyślone. Nikt ich nie udzielił.",
            "trial_not_released": "To jest próba: jej wyniki nigdy nie są udostępniane wszystkim. Stronę można obejrzeć.",
            "trial_taken": "Nazwa {slug} należy do ankiety otwartej, zanim takie nazwy zastrzeżono dla prób. Trzeba ją usunąć albo nadać "
            "temu szkicowi inną krótką nazwę.",
            "made_up_closed": "W tej ankiecie są zmyślone odpowiedzi; nikt nie może dodać innych.",
            "not_apart": "Te odpowiedzi pochodzą z próby i nie są wynikami tej ankiety.",
        },
    }
)
