"""What the pages of the report and of released results say, in English and Polish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PUBLISHING_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "report": "Report",
            "report_of": "Report on {survey}",
            "report_about": "Choose what the report and the public page show, put it in order, and add your own words. Whatever you "
            "choose, no group of fewer than 50 people is shown.",
            "report_read": "An owner chose what this report shows. No group of fewer than 50 people is in it.",
            "report_saved": "Everything on this page is saved whenever you press one of its buttons.",
            "report_open": "Open the report {language}",
            "report_file": "The report {language} as a file",
            "report_print": "To print it, or to make a PDF, use your browser's “Print”.",
            "chosen_views": "What is shown, in this order",
            "nothing_chosen": "Nothing is chosen yet.",
            "view_place": "Place: {view}",
            "move_up": "Move up: {view}",
            "move_down": "Move down: {view}",
            "remove_view": "Remove: {view}",
            "words_for": "Your words on: {view}",
            "words_button": "Words",
            "add_a_view": "Add",
            "add_to_report": "Add to the report",
            "put_into_report": "Put this view into the report",
            "your_words": "Your words",
            "text_title": "Title (that of the survey if it is left empty)",
            "text_words": "Before the results",
            "text_asked": "Who was asked",
            "text_closing": "After the results",
            "text_in": "{text}, {language}",
            "text_hint": "Plain text; an empty line begins a new paragraph.",
            "text_most": "At most {most} characters.",
            "in_en": "English",
            "in_pl": "Polish",
            "spoken_en": "in English",
            "spoken_pl": "in Polish",
            "something_wrong": "Something was not right. What you typed is still here; nothing was saved.",
            "wrong_place": "A place is a whole number from 1 to 999.",
            "text_long": "At most {most} characters; there are {got}.",
            "words_bad": "The text holds a character that cannot be printed.",
            "fix_again": "Go back, load the page again, and try once more.",
            "back_to_report": "Back to the report",
            "draft_changed": "Somebody changed the report meanwhile. Below are the views as they are now and the texts as you typed "
            "them; save again to keep your texts.",
            "many_views": "At most {most} views can be chosen; remove one first.",
            "not_chosen": "This view cannot be part of a report.",
            "one_version": "The report is of the newest version that has answers; other versions cannot be chosen.",
            "no_place": "This view is no longer there.",
            "view_cannot": "One of the views cannot be shown. It is marked below.",
            "not_in_report_too_few": "The report and the public page will say “too few answers” here: this view would show groups of fewer "
            "than 50 people, and they are made for everyone. You can remove it.",
            "not_in_report_reopened": "The report and the public page will not show this view: the survey was reopened after it had been "
            "closed, so they show private questions, each by itself, and no groups. You can remove it.",
            "public_page": "Public page",
            "publish_of": "Public page of {survey}",
            "publish_about": "Results that anyone can read, without an account. The page is made once, when you release it, and stays "
            "as it is until you release it again or take it back.",
            "publish_rule": "It shows what you chose for the report, in {languages}. No group of fewer than 50 people is on it, and "
            "nothing from which an earlier public page could be subtracted to find one.",
            "publish_everyone": "This time only private questions of everyone, each by itself, can be shown: the answers, or the "
            "groups people are divided into, are no longer those of the first closing or of an earlier public page.",
            "is_released": "Released on {day}. Anyone can read it:",
            "is_not_released": "Nothing is released.",
            "preview_in": "Preview {language}",
            "preview_note": "Preview: this is what everyone will see once you release it.",
            "do_release": "Release",
            "do_release_again": "Release again",
            "do_take_back": "Withdraw",
            "release_it": "Release the results of “{survey}”?",
            "release_sure": "Anyone will be able to read them. Look at the preview first. What others have read or copied cannot be "
            "taken back: taking the page back removes it from this server only, and backups keep it.",
            "release_later": "What is released now also limits what can be released later, even if it is taken back.",
            "release_differs": "What would be released has changed since you looked. Please look at the preview again.",
            "take_back_it": "Take back the results of “{survey}”?",
            "take_back_sure": "The page will be gone at once, as if it had never been there. Copies that others have made keep it, and "
            "so do backups of this server.",
            "leave_as_is": "Leave it as it is",
            "release_after_closing": "Results can be released when the survey is closed.",
            "few_to_release": "There are fewer than {fewest} answers: too few to be released.",
            "few_apart": "Answers were erased after results had been released. Whoever has both pages could learn what they were. "
            "Results can be released again when there are {fewest} answers more than then.",
            "release_moved": "The survey or its results were changed meanwhile. Please look at the preview again.",
            "public_kind": "Results of a survey",
            "public_released": "Released on {day}. The figures are those of that day.",
            "public_rule": "No results are given for groups of fewer than 50 people, and rare answers to open questions are shown "
            "together, marked with an asterisk (“A or B*”). Shares of private answers are estimates.",
            "public_answered": "The figures come from {n} answers.",
            "public_few": "There are too few answers to show any figure.",
            "public_version": "The questionnaire was changed while the survey was open. These results are of version {number}.",
            "public_footer": "Computed by Deniable from the answers as they were sent.",
            "public_verdicts": "This page compares groups {count} times. The verdicts are adjusted for their number.",
            "public_untrue": "Answers to private questions were changed at random before they were sent, so nobody's true answer to "
            "them is known. The figures take "
            "that into account. They cannot correct untrue answers.",
            "public_describes": "The results describe those who answered. Those who did not may think and live differently.",
            "public_reading": "How to read the results",
        },
        "pl": {
            "report": "Raport",
            "report_of": "Raport: {survey}",
            "report_about": "Tu wybiera się, co pokazują raport i strona publiczna, ustala kolejność i dodaje własne słowa. "
            "Niezależnie od wyboru nie ma w nich grup mniejszych niż 50 osób.",
            "report_read": "Zawartość raportu wybrał właściciel. Nie ma w nim grup mniejszych niż 50 osób.",
            "report_saved": "Każdy przycisk na tej stronie zapisuje wszystko, co na niej jest.",
            "report_open": "Otwórz raport {language}",
            "report_file": "Raport {language} jako plik",
            "report_print": "Do druku albo do pliku PDF służy polecenie „Drukuj” w przeglądarce.",
            "chosen_views": "Co jest pokazane, w tej kolejności",
            "nothing_chosen": "Nic jeszcze nie wybrano.",
            "view_place": "Miejsce: {view}",
            "move_up": "W górę: {view}",
            "move_down": "W dół: {view}",
            "remove_view": "Usuń: {view}",
            "words_for": "Własne słowa do: {view}",
            "words_button": "Słowa",
            "add_a_view": "Dodaj",
            "add_to_report": "Dodaj do raportu",
            "put_into_report": "Dodaj ten widok do raportu",
            "your_words": "Własne słowa",
            "text_title": "Tytuł (jeśli jest pusty, będzie to tytuł ankiety)",
            "text_words": "Przed wynikami",
            "text_asked": "Kogo pytano",
            "text_closing": "Po wynikach",
            "text_in": "{text}, {language}",
            "text_hint": "Zwykły tekst; pusty wiersz zaczyna nowy akapit.",
            "text_most": "Najwyżej {most} znaków.",
            "in_en": "angielski",
            "in_pl": "polski",
            "spoken_en": "po angielsku",
            "spoken_pl": "po polsku",
            "something_wrong": "Coś jest nie tak. Wszystko, co wpisano, nadal tu jest; nic nie zostało zapisane.",
            "wrong_place": "Miejsce to liczba całkowita od 1 do 999.",
            "text_long": "Najwyżej {most} znaków; jest ich {got}.",
            "words_bad": "Tekst zawiera znak, którego nie można wydrukować.",
            "fix_again": "Proszę wrócić, wczytać stronę ponownie i spróbować jeszcze raz.",
            "back_to_report": "Wróć do raportu",
            "draft_changed": "Ktoś zmienił tymczasem raport. Poniżej są widoki w obecnej postaci i teksty tak, jak je wpisano; ponowne "
            "zapisanie zachowa te teksty.",
            "many_views": "Można wybrać najwyżej {most} widoków; trzeba najpierw jakiś usunąć.",
            "not_chosen": "Ten widok nie może być częścią raportu.",
            "one_version": "Raport dotyczy najnowszej wersji, która ma odpowiedzi; innych wersji nie można wybrać.",
            "no_place": "Tego widoku już tu nie ma.",
            "view_cannot": "Jednego z widoków nie można pokazać. Jest zaznaczony poniżej.",
            "not_in_report_too_few": "W raporcie i na stronie publicznej będzie tu „zbyt mało odpowiedzi”: ten widok pokazałby grupy "
            "mniejsze niż 50 osób, a raport i strona są dla wszystkich. Można go usunąć.",
            "not_in_report_reopened": "Raport i strona publiczna nie pokażą tego widoku: ankietę po zamknięciu otwarto ponownie, więc "
            "pokazują pytania prywatne, każde osobno, a nie grupy. Można go usunąć.",
            "public_page": "Strona publiczna",
            "publish_of": "Strona publiczna: {survey}",
            "publish_about": "Wyniki, które może przeczytać każdy, bez konta. Strona powstaje raz, w chwili udostępnienia, i nie "
            "zmienia się, dopóki nie zostanie udostępniona ponownie albo wycofana.",
            "publish_rule": "Pokazuje to, co wybrano do raportu; języki: {languages}. Nie ma na niej grup mniejszych niż 50 osób ani "
            "niczego, od czego można by odjąć wcześniejszą stronę publiczną, żeby taką grupę znaleźć.",
            "publish_everyone": "Tym razem można pokazać tylko prywatne pytania, każde osobno i dla wszystkich: odpowiedzi albo grupy, "
            "na które dzieli się osoby, nie są już te same co przy pierwszym zamknięciu albo na wcześniejszej stronie publicznej.",
            "is_released": "Udostępniono: {day}. Może ją przeczytać każdy:",
            "is_not_released": "Nic nie jest udostępnione.",
            "preview_in": "Podgląd {language}",
            "preview_note": "Podgląd: to zobaczą wszyscy, gdy strona zostanie udostępniona.",
            "do_release": "Udostępnij",
            "do_release_again": "Udostępnij ponownie",
            "do_take_back": "Wycofaj",
            "release_it": "Udostępnić wyniki ankiety „{survey}”?",
            "release_sure": "Przeczyta je każdy, kto zechce. Najpierw warto obejrzeć podgląd. Tego, co inni przeczytali albo "
            "skopiowali, nie da się cofnąć: wycofanie usuwa stronę tylko z tego serwera, a kopie zapasowe ją zachowują.",
            "release_later": "To, co zostanie teraz udostępnione, ogranicza też późniejsze strony, nawet po wycofaniu.",
            "release_differs": "To, co miało być udostępnione, zmieniło się od obejrzenia. Proszę jeszcze raz obejrzeć podgląd.",
            "take_back_it": "Wycofać wyniki ankiety „{survey}”?",
            "take_back_sure": "Strona zniknie od razu, jakby jej nigdy nie było. Zachowają ją kopie, które ktoś zrobił, i kopie zapasowe "
            "serwera.",
            "leave_as_is": "Zostaw bez zmian",
            "release_after_closing": "Wyniki można udostępnić, gdy ankieta jest zamknięta.",
            "few_to_release": "Odpowiedzi jest mniej niż {fewest}: zbyt mało, by je udostępnić.",
            "few_apart": "Po udostępnieniu wyników usunięto czyjeś odpowiedzi. Kto ma obie strony, mógłby je poznać. Wyniki będzie można "
            "udostępnić ponownie, gdy odpowiedzi będzie o {fewest} więcej niż wtedy.",
            "release_moved": "Ankieta albo jej wyniki zmieniły się tymczasem. Proszę jeszcze raz obejrzeć podgląd.",
            "public_kind": "Wyniki ankiety",
            "public_released": "Udostępniono: {day}. Liczby pochodzą z tego dnia.",
            "public_rule": "Nie podajemy wyników grup mniejszych niż 50 osób, a rzadkie odpowiedzi na pytania jawne są pokazane razem i "
            "oznaczone gwiazdką („A lub B*”). "
            "Udziały odpowiedzi prywatnych to oszacowania.",
            "public_answered": "Liczba odpowiedzi, z których pochodzą te wyniki: {n}.",
            "public_few": "Odpowiedzi jest zbyt mało, by pokazać jakiekolwiek liczby.",
            "public_version": "W czasie trwania ankiety zmieniono pytania. Wyniki dotyczą wersji {number}.",
            "public_footer": "Obliczono w programie Deniable z odpowiedzi w takiej postaci, w jakiej je wysłano.",
            "public_verdicts": "Liczba porównań grup na tej stronie: {count}. We wnioskach uwzględniono, że jest ich wiele.",
            "public_untrue": "Odpowiedzi na pytania prywatne były losowo zmieniane przed wysłaniem, więc niczyjej prawdziwej "
            "odpowiedzi na nie nie znamy. Liczby to "
            "uwzględniają. Nieprawdziwych odpowiedzi nie poprawią.",
            "public_describes": "Wyniki opisują osoby, które odpowiedziały. Pozostałe mogą myśleć i żyć inaczej.",
            "public_reading": "Jak czytać wyniki",
        },
    }
)
