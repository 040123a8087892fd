"""Errors of plans in Polish, by their code (`deniable plan` and `survey check` with `--language pl`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PLANS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "answers": ("Liczba odpowiedzi to liczba całkowita większa od 0; podano {got!r}.",),
        "group": ("group to udział osób w grupie, między 0 a 1; podano {got!r}.",),
        "group_share": ("--group to udział osób w grupie, między 0 a 1, na przykład 0.3; podano {got:g}.",),
        "margin_points": ("--margin podaje się w punktach procentowych, powyżej 0 i poniżej 50, na przykład 5; podano {got:g}.",),
        "budget_odds": ("--budget to szanse wszystkich pytań razem, powyżej 1; podano {got:g}.",),
        "budget_too_small": (
            "Budżet szans {odds:,.2f} (epsilon {epsilon:.2f}) jest za mały na tyle pytań ({k}): każde potrzebuje szans co najmniej "
            "{least}.",
        ),
        "budget_design": ("„{name}”: takiego sposobu ukrywania nie da się zmieścić w budżecie ({problem})",),
        "budget_questions": (
            "Budżet dzieli się między ukryte pytania, z których każde ma własne losowanie; tu nic nie jest ukryte albo pytania mają "
            "losowanie wspólne.",
        ),
        "against": ("--against to answers (liczba odpowiedzi) albo odds (szanse); podano {got}.",),
        "nothing_to_plan": ("Nie ma czego planować: {names} – te liczby nie mają kroku albo możliwa jest tylko jedna odpowiedź.",),
        "nothing_asked_for": ("W tym planie żadne pytanie nie służy poznaniu tego ({what}).",),
        "nothing_hidden": ("Nic tu nie jest ukryte, więc nie ma szans do narysowania; można rysować względem answers.",),
        "too_few_to_draw": ("Przy tej liczbie odpowiedzi ({n}) nie ma czego rysować: wszystkiego jest za mało.",),
        "never_to_draw": (
            "Nie ma czego rysować: tych udziałów nigdy się nie pozna, choćby odpowiedzi było bardzo dużo ({names}).",
        ),
        "divided_by_itself": ("„{name}” nie można podzielić według „{by}”: to to samo pytanie albo mają wspólne losowanie.",),
        "asked_for": (
            "„{name}” nie może służyć do „{got}”: możliwe są {allowed}, średnie mają tylko liczby, a kwantyle to, co ma kolejność.",
        ),
        "language": ("To jest po angielsku (en) albo po polsku (pl); podano „{got}”.",),
        "picture_suffix": ("Nazwa rysunku musi kończyć się na jedno z: {allowed}; podano „{got}”.",),
        "no_folder": ("Nie ma katalogu {folder}; trzeba go najpierw utworzyć.",),
    }
)  # fmt: skip
