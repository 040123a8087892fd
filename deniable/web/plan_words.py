"""Words of the plan beside the editor, English and Polish; the figures' own words are those of `deniable/planning/words.py`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PLAN_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "plan_note": "Protection costs accuracy. Here you see what the answers will tell before anyone is asked, and how strong "
            "the protection can be.",
            "plan_field_answers": "Expected number of answers",
            "plan_field_margin": "Margin you want (± percentage points)",
            "plan_field_group": "Share of a group that you look at by itself (%)",
            "plan_field_people": "How many people live there (for the open questions; may be left empty)",
            "plan_field_budget": "Largest factor by which all private questions together may change odds (may be left empty)",
            "plan_do": "Calculate",
            "plan_nothing": "No question of this draft is private, so there is nothing to plan.",
            "plan_nothing_yet": "Nothing can be worked out yet.",
            "plan_told": "People are told:",
            "plan_proves": "What is sent changes anyone's odds by a factor of at most {odds}: an answer that was thought 50% likely "
            "before is "
            "at most {percent}% likely afterwards.",
            "plan_several": "That holds for each of its {count} columns; together they give away more.",
            "plan_together": "All private answers of one person together change anyone's odds by a factor of at most {odds}.",
            "plan_together_many": "All private answers of one person together may change anyone's odds by a factor of more than a million: "
            "they prove practically everything. Ask fewer private questions, or protect them more.",
            "plan_together_left": "All private answers of one person to the questions planned here together change anyone's odds by a "
            "factor of at most {odds}. The questions that are left out come on top.",
            "plan_together_left_many": "All private answers of one person to the questions planned here together may change anyone's odds "
            "by a factor of more than a million: they prove practically everything. Ask fewer private questions, or protect them more.",
            "plan_worth": "{answers} are as informative as {worth}.",
            "plan_needs": "To know a share of 20% to within ± {margin}: {answers} answers.",
            "plan_needs_none": "No number of answers that a survey gets is enough to know a share of 20% to within ± {margin}.",
            "plan_not_needed": "This question is not meant for estimating shares.",
            "plan_strongest": "The strongest protection for ± {margin}: odds change by a factor of at most {odds} (± {reached}).",
            "plan_strongest_none": "No protection that respondents' pages accept gives ± {margin} with so many answers.",
            "plan_use": "Use this protection",
            "plan_use_all": "Use this proposal",
            "plan_budget": "A proposal that shares the odds",
            "plan_reading": "How to read this",
            "plan_alone": "The open questions single people out: their answers have {combinations} combinations, so there are "
            "{people} people for each "
            "on average, and some are alone with theirs. Ask fewer of them, put answers together, or ask them privately.",
            "plan_wrong": "Something is still to be done in the draft, so nothing can be planned yet.",
            "plan_whole": "All private questions in one picture",
            "plan_not_drawn": "Not drawn: {names}.",
            "plan_left_out": "Left out, because something is still to be done there:",
            "plan_unfinished": "Something is still to be done in this draft. What can be worked out already is worked out here.",
            "plan_see_todo": "See what is to be done",
            "plan_busy": "Working it out… This can take a minute.",
            "plan_weaker": "Weaker than now: for one answer, what is sent may be up to {then} times as likely as for another; now it is "
            "{now} times.",
            "plan_stronger": "Stronger than now: for one answer, what is sent may be up to {then} times as likely as for another; now it "
            "is {now} times.",
            "plan_same": "As strong as now.",
            "plan_weaker_shortly": "weaker: {now} → {then}",
            "plan_stronger_shortly": "stronger: {now} → {then}",
            "plan_same_shortly": "as now",
            "plan_compared": "compared with now",
            "plan_fixed": "Stays as it is: its protection follows from what it will be asked for, or is a design of your own.",
            "plan_weaker_it": "Make the protection weaker?",
            "plan_weaker_note": "With this proposal people are protected less than in the draft now:",
            "plan_weaker_all": "All private answers together: {then} as likely, now {now}.",
            "plan_weaker_many": "All private answers together: already more than a million times as likely now, and then even more.",
            "plan_stronger_many": "All private answers together: less than now, but still more than a million times as likely.",
            "plan_times": "at most {odds} times",
            "plan_times_many": "more than a million times",
            "plan_weaker_do": "Make it weaker",
            "curve_share": "a share of 20%",
            "curve_quantile": "the share below the median",
            "curve_mean": "the mean",
            "curve_by_answers": "Margin of {what} by number of answers, protected as now.",
            "curve_by_odds": "Margin of {what} by strength of protection, with {answers} answers. Across: how many times as likely, "
                             "at most, "
            "what is sent is for one answer as for another.",
            "curve_answers_axis": "number of answers",
            "curve_stronger": "← stronger",
            "curve_weaker": "weaker →",
            "curve_odds_column": "times as likely, at most",
            "curve_margin_column": "margin",
            "curve_unit": "± points",
            "curve_unit_mean": "± units",
            "curve_now": "now",
            "curve_at_answers": "{place} answers: {margin}",
            "curve_at_odds": "at most {place} times as likely: {margin}",
            "curve_table": "These curves as a table",
            "curve_none": "There is no curve to draw: these answers are too few, or never tell it.",
            "plan_answers": "The number of answers lies between {low} and {high}.",
            "plan_margin": "The margin lies between {low} and {high} percentage points.",
            "plan_group": "The share of the group lies between {low}% and {high}%.",
            "plan_people": "The number of people lies between {low} and {high}.",
            "plan_budget_outside": "The odds lie between {low} and {high}.",
            "budget_too_small": "These odds are too small for {k} questions: each needs {least} at least.",
            "budget_fixed": "Odds of {budget} for all private questions together are too small. Questions that stay as they are change "
            "odds by a factor of {fixed} already, and each of the others ({k}) needs at least {least}. Give larger odds, or change the "
            "questions that stay as they are in the editor.",
            "budget_all_fixed": "There are no odds to share: the protection of every private question follows from what it will be asked "
            "for, or is a design of your own. It can be changed in the editor.",
            "plan_budget_left": "The questions that are left out are not counted here: the odds that they will have come on top.",
        },
        "pl": {
            "plan_note": "Ochrona kosztuje dokładność. Tu widać, co powiedzą odpowiedzi, zanim ktokolwiek zostanie zapytany, i jak "
            "mocna może być ochrona.",
            "plan_field_answers": "Oczekiwana liczba odpowiedzi",
            "plan_field_margin": "Pożądany margines (± punkty procentowe)",
            "plan_field_group": "Udział grupy rozpatrywanej osobno (%)",
            "plan_field_people": "Liczba mieszkańców (dla pytań jawnych; może pozostać puste)",
            "plan_field_budget": "Ile razy najwyżej mogą zmienić szanse wszystkie pytania prywatne razem (może pozostać puste)",
            "plan_do": "Oblicz",
            "plan_nothing": "Żadne pytanie tego szkicu nie jest prywatne, więc nie ma czego planować.",
            "plan_nothing_yet": "Niczego nie da się jeszcze obliczyć.",
            "plan_told": "Osoby pytane przeczytają:",
            "plan_proves": "To, co zostaje wysłane, zmienia czyjeś szanse najwyżej {odds} razy: odpowiedź prawdopodobna przedtem na "
            "50% jest "
            "potem prawdopodobna najwyżej na {percent}%.",
            "plan_several": "Dotyczy to każdej z kolumn (jest ich {count}); razem zdradzają więcej.",
            "plan_together": "Wszystkie prywatne odpowiedzi jednej osoby razem zmieniają czyjeś szanse najwyżej {odds} razy.",
            "plan_together_many": "Wszystkie prywatne odpowiedzi jednej osoby razem mogą zmienić czyjeś szanse ponad milion razy: "
            "dowodzą praktycznie wszystkiego. Trzeba zadać mniej pytań prywatnych albo mocniej je chronić.",
            "plan_together_left": "Wszystkie prywatne odpowiedzi jednej osoby na pytania, które tu zaplanowano, razem zmieniają czyjeś "
            "szanse najwyżej {odds} razy. Pominięte pytania trzeba będzie doliczyć.",
            "plan_together_left_many": "Wszystkie prywatne odpowiedzi jednej osoby na pytania, które tu zaplanowano, razem mogą zmienić "
            "czyjeś szanse ponad milion razy: dowodzą praktycznie wszystkiego. Trzeba zadać mniej pytań prywatnych albo mocniej je "
            "chronić.",
            "plan_worth": "{answers} tyle, co {worth}.",
            "plan_needs": "Aby znać udział 20% z dokładnością ± {margin}, potrzeba tylu odpowiedzi: {answers}.",
            "plan_needs_none": "Żadna osiągalna liczba odpowiedzi nie wystarczy, by znać udział 20% z dokładnością ± {margin}",
            "plan_not_needed": "To pytanie nie służy do szacowania udziałów.",
            "plan_strongest": "Najmocniejsza ochrona przy ± {margin}: szanse zmienią się najwyżej {odds} razy (± {reached}).",
            "plan_strongest_none": "Żadna ochrona, którą przyjmuje strona ankiety, nie daje ± {margin} przy tylu odpowiedziach.",
            "plan_use": "Użyj tej ochrony",
            "plan_use_all": "Użyj tej propozycji",
            "plan_budget": "Propozycja podziału szans",
            "plan_reading": "Jak to czytać",
            "plan_alone": "Pytania jawne wskazują pojedyncze osoby: liczba kombinacji odpowiedzi to {combinations}, więc na każdą "
            "przypada średnio {people} "
            "osoby, a niektórzy są w swojej sami. Można zadać ich mniej, połączyć odpowiedzi albo pytać prywatnie.",
            "plan_wrong": "W szkicu trzeba jeszcze coś zrobić, więc niczego nie da się zaplanować.",
            "plan_whole": "Wszystkie pytania prywatne na jednym rysunku",
            "plan_not_drawn": "Nie narysowano: {names}.",
            "plan_left_out": "Pominięto, bo trzeba tam jeszcze coś zrobić:",
            "plan_unfinished": "W szkicu trzeba jeszcze coś zrobić. Poniżej jest to, co można obliczyć już teraz.",
            "plan_see_todo": "Zobacz, co jest do zrobienia",
            "plan_busy": "Trwa obliczanie… Może potrwać minutę.",
            "plan_weaker": "Słabsza ochrona niż teraz: to, co zostaje wysłane, może być przy jednej odpowiedzi najwyżej {then} razy "
                           "bardziej "
            "prawdopodobne niż przy innej; teraz {now} razy.",
            "plan_stronger": "Mocniejsza ochrona niż teraz: to, co zostaje wysłane, może być przy jednej odpowiedzi najwyżej {then} razy "
            "bardziej prawdopodobne niż przy innej; teraz {now} razy.",
            "plan_same": "Ochrona taka jak teraz.",
            "plan_weaker_shortly": "słabsza: {now} → {then}",
            "plan_stronger_shortly": "mocniejsza: {now} → {then}",
            "plan_same_shortly": "bez zmian",
            "plan_compared": "w porównaniu z obecną",
            "plan_fixed": "Bez zmian: ochrona wynika z tego, do czego posłuży pytanie, albo jest własnym sposobem ukrywania.",
            "plan_weaker_it": "Osłabić ochronę?",
            "plan_weaker_note": "Ta propozycja chroni ludzi słabiej niż szkic w obecnej postaci:",
            "plan_weaker_all": "Wszystkie prywatne odpowiedzi razem: {then} bardziej prawdopodobne, teraz {now}.",
            "plan_weaker_many": "Wszystkie prywatne odpowiedzi razem: już teraz ponad milion razy bardziej prawdopodobne, a potem jeszcze "
            "bardziej.",
            "plan_stronger_many": "Wszystkie prywatne odpowiedzi razem: mniej niż teraz, ale nadal ponad milion razy bardziej "
            "prawdopodobne.",
            "plan_times": "najwyżej {odds} razy",
            "plan_times_many": "ponad milion razy",
            "plan_weaker_do": "Osłab ochronę",
            "curve_share": "udziału 20%",
            "curve_quantile": "udziału poniżej mediany",
            "curve_mean": "średniej",
            "curve_by_answers": "Margines {what} w zależności od liczby odpowiedzi, przy obecnej ochronie.",
            "curve_by_odds": "Margines {what} w zależności od siły ochrony; liczba odpowiedzi: {answers}. W poziomie: ile razy "
                             "najwyżej to, co "
            "zostaje wysłane, jest bardziej prawdopodobne przy jednej odpowiedzi niż przy innej.",
            "curve_answers_axis": "liczba odpowiedzi",
            "curve_stronger": "← mocniejsza",
            "curve_weaker": "słabsza →",
            "curve_odds_column": "ile razy najwyżej",
            "curve_margin_column": "margines",
            "curve_unit": "± pkt proc.",
            "curve_unit_mean": "± jednostki",
            "curve_now": "teraz",
            "curve_at_answers": "liczba odpowiedzi {place}: {margin}",
            "curve_at_odds": "najwyżej {place} razy: {margin}",
            "curve_table": "Te krzywe w tabeli",
            "curve_none": "Nie ma krzywej do narysowania: odpowiedzi jest za mało albo nigdy tego nie powiedzą.",
            "plan_answers": "Liczba odpowiedzi leży między {low} a {high}.",
            "plan_margin": "Margines leży między {low} a {high} punktami procentowymi.",
            "plan_group": "Udział grupy leży między {low}% a {high}%.",
            "plan_people": "Liczba mieszkańców leży między {low} a {high}.",
            "plan_budget_outside": "Szanse leżą między {low} a {high}.",
            "budget_too_small": "Te szanse są za małe dla tylu pytań ({k}): każde potrzebuje co najmniej {least}.",
            "budget_fixed": "Szanse {budget} dla wszystkich pytań prywatnych razem są za małe. Pytania, które pozostają bez zmian, "
            "zmieniają szanse już {fixed} razy, a każde z pozostałych (liczba: {k}) potrzebuje co najmniej {least}. Można podać większe "
            "szanse albo zmienić w edytorze te pytania, które pozostają bez zmian.",
            "budget_all_fixed": "Nie ma szans do podziału: ochrona każdego pytania prywatnego wynika z tego, do czego posłuży, albo jest "
            "własnym sposobem ukrywania. Można ją zmienić w edytorze.",
            "plan_budget_left": "Pominiętych pytań tu nie policzono: ich szanse trzeba będzie doliczyć.",
        },
    }
)  # fmt: skip
