"""Words of the plan beside the editor, English and Polish; the figures' own words are those of `deniable/planning/words.py`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PLAN_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "plan_note": "Protection costs accuracy. Here you see what the answers will tell before anyone is asked, and how strong "
            "the protection can be.",
            "plan_field_answers": "Answers that you expect",
            "plan_field_margin": "Margin that you want (± percentage points)",
            "plan_field_group": "Share of a group that you look at by itself (%)",
            "plan_field_people": "How many people live there (for the open questions; may be left empty)",
            "plan_field_budget": "Largest factor by which all private questions together may change odds (may be left empty)",
            "plan_do": "Work it out",
            "plan_nothing": "No question of this draft is private, so there is nothing to plan.",
            "plan_told": "People are told:",
            "plan_proves": "What is sent changes anyone's odds by a factor of at most {odds}: an answer that was thought 50% likely "
            "before is "
            "at most {percent}% likely afterwards.",
            "plan_several": "That holds for each of its {count} columns; together they give away more.",
            "plan_together": "All private answers of one person together change anyone's odds by a factor of at most {odds}.",
            "plan_worth": "{answers} answers are worth as much as {worth} that are asked openly.",
            "plan_needs": "To know a share of 20% to within ± {margin}: {answers} answers.",
            "plan_needs_none": "No number of answers that a survey gets is enough to know a share of 20% to within ± {margin}.",
            "plan_not_needed": "It is not asked for shares.",
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
            "plan_answers": "The number of answers lies between {low:g} and {high:g}.",
            "plan_margin": "The margin lies between {low:g} and {high:g} percentage points.",
            "plan_group": "The share of the group lies between {low:g}% and {high:g}%.",
            "plan_people": "The number of people lies between {low:g} and {high:g}.",
            "plan_budget_outside": "The odds lie between {low:g} and {high:g}.",
            "budget_too_small": "These odds are too small for {k} questions: each needs {least} at least.",
        },
        "pl": {
            "plan_note": "Ochrona kosztuje dokładność. Tu widać, co powiedzą odpowiedzi, zanim ktokolwiek zostanie zapytany, i jak "
            "mocna może być ochrona.",
            "plan_field_answers": "Oczekiwana liczba odpowiedzi",
            "plan_field_margin": "Pożądany margines (± punkty procentowe)",
            "plan_field_group": "Udział grupy, której przyglądasz się osobno (%)",
            "plan_field_people": "Ilu jest tam mieszkańców (dla pytań jawnych; może pozostać puste)",
            "plan_field_budget": "Ile razy najwyżej mogą zmienić szanse wszystkie pytania prywatne razem (może pozostać puste)",
            "plan_do": "Oblicz",
            "plan_nothing": "Żadne pytanie tego szkicu nie jest prywatne, więc nie ma czego planować.",
            "plan_told": "Osoby pytane przeczytają:",
            "plan_proves": "To, co zostaje wysłane, zmienia czyjeś szanse najwyżej {odds} razy: odpowiedź prawdopodobna przedtem na "
            "50% jest "
            "potem prawdopodobna najwyżej na {percent}%.",
            "plan_several": "Dotyczy to każdej z kolumn (jest ich {count}); razem zdradzają więcej.",
            "plan_together": "Wszystkie prywatne odpowiedzi jednej osoby razem zmieniają czyjeś szanse najwyżej {odds} razy.",
            "plan_worth": "Odpowiedzi w liczbie {answers} mówią tyle, co jawne w liczbie {worth}.",
            "plan_needs": "Aby znać udział 20% z dokładnością ± {margin}, potrzeba tylu odpowiedzi: {answers}.",
            "plan_needs_none": "Żadna osiągalna liczba odpowiedzi nie wystarczy, by znać udział 20% z dokładnością ± {margin}.",
            "plan_not_needed": "To pytanie nie służy poznaniu udziałów.",
            "plan_strongest": "Najmocniejsza ochrona przy ± {margin}: szanse zmienią się najwyżej {odds} razy (± {reached}).",
            "plan_strongest_none": "Żadna ochrona, którą przyjmuje strona ankiety, nie daje ± {margin} przy tylu odpowiedziach.",
            "plan_use": "Użyj tej ochrony",
            "plan_use_all": "Użyj tej propozycji",
            "plan_budget": "Propozycja podziału szans",
            "plan_reading": "Jak to czytać",
            "plan_alone": "Pytania jawne wskazują pojedyncze osoby: ich odpowiedzi dają {combinations} kombinacji, więc na każdą "
            "przypada średnio {people} "
            "osób, a niektórzy są w swojej sami. Można zadać ich mniej, połączyć odpowiedzi albo pytać prywatnie.",
            "plan_wrong": "W szkicu trzeba jeszcze coś zrobić, więc niczego nie da się zaplanować.",
            "plan_answers": "Liczba odpowiedzi leży między {low:g} a {high:g}.",
            "plan_margin": "Margines leży między {low:g} a {high:g} punktami procentowymi.",
            "plan_group": "Udział grupy leży między {low:g}% a {high:g}%.",
            "plan_people": "Liczba mieszkańców leży między {low:g} a {high:g}.",
            "plan_budget_outside": "Szanse leżą między {low:g} a {high:g}.",
            "budget_too_small": "Te szanse są za małe dla tylu pytań ({k}): każde potrzebuje co najmniej {least}.",
        },
    }
)  # fmt: skip
