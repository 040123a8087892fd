"""Mistakes in questionnaires in Polish, by their code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deniable.errors import DeniableError

_ONE_OF = "{key} to jedno z: {allowed}; podano {got!r}."
MISTAKES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "not_yaml": ("tego nie da się odczytać jako YAML ({problem})",),
        "no_space": ("po myślniku brakuje odstępu: - {key}:",),
        "key_twice": ("„{key}” podano dwa razy.",),
        "not_a_questionnaire": ("ankieta składa się z survey, title i pages.",),
        "nothing_asked": ("ankieta o nic nie pyta.",),
        "keys_missing": ("w ankiecie brakuje: {missing}.",),
        "unknown_key": (
            "{kind} nie ma „{key}”; czy chodziło o „{meant}”?",
            "{kind} nie ma „{key}”; może mieć: {allowed}.",
            "ankieta nie ma „{key}”; czy chodziło o „{meant}”?",
            "ankieta nie ma „{key}”; może mieć: {allowed}.",
            "element nie ma „{key}”; czy chodziło o „type”?",
        ),
        "closes_in_the_past": (
            "closes: {closes} już minął, więc nikt nie mógłby odpowiedzieć. Trzeba wpisać późniejszy dzień albo usunąć ten wiersz.",
        ),
        "bad_date": ("closes to dzień, na przykład 2027-03-31; podano {got!r}.",),
        "bad_slug": ("survey to krótka nazwa z małych liter a–z (bez znaków diakrytycznych), cyfr i -; podano {got!r}{instead}.",),
        "reserved_slug": ("nazwy, które zaczynają się od {first} albo {second}, są dla prób; podano {got!r}, trzeba wpisać {better}.",),
        "bad_name": (
            "name składa się z liter a–z (bez znaków diakrytycznych), cyfr i _, i zaczyna się od litery; podano "
            "{got!r}{instead}.",
        ),
        "languages": (
            "languages to lista kodów z dwóch lub trzech małych liter, na przykład [en, pl]; {bad} nim nie jest.",
            "languages to lista, na przykład [en, pl]; podano {got!r}.",
        ),
        "not_allowed": (_ONE_OF, "{key} to true albo false; podano {got!r}."),
        "bad_budget": ("budget to epsilon większy od 0; podano {got!r}.",),
        "over_budget": (
            "wszystkie prywatne odpowiedzi razem mają epsilon {epsilon:.2f}, więcej niż budget: {budget}. Trzeba zadać mniej pytań "
            "prywatnych albo mocniej je ukryć.",
        ),
        "privacy_level": (
            "privacy to jedno z: {allowed}, none albo sposób ukrywania; podano {got!r}.",
            "takiego privacy nie można użyć: {problem}",
        ),
        "privacy_kind": (
            "privacy to jedno z: {allowed}, none albo sposób ukrywania, na przykład {{design: krr, odds: 4}}; podano {got!r}.",
        ),
        "privacy_design": ("privacy: design to jedno z: {allowed}; podano {got!r}.",),
        "privacy_order": ("privacy: {got} wymaga odpowiedzi, które mają kolejność, albo liczb.",),
        "privacy_keys": ("privacy: {design} wymaga: {needed}; brakuje: {missing}; nieznane: {unknown}.",),
        "privacy_odds": ("odds w privacy to liczba większa od 1, na przykład 2.7; podano {got!r}.",),
        "privacy_twice": ("privacy: krr ma p albo odds, nie jedno i drugie; jedno trzeba usunąć.",),
        "privacy_numbers": ("takich liczb w privacy nie można użyć: {got}.",),
        "too_many_neighbours": ("neighbours jest dla najwyżej {most} odpowiedzi, a jest ich {got}; trzeba wybrać inny sposób ukrywania.",),
        "channel_refused": ("takiego privacy nie można użyć: {reason}.",),
        "odds": ("takiego pytania strona ankiety nie przyjmie: {problem}",),
        "pages": ("pages to lista stron, a każda ma elements.",),
        "page": ("strona ma title i listę elements.",),
        "name_too_long": ("kolumna „{name}” ma nazwę dłuższą niż {most} bajtów; trzeba podać krótsze wartości.",),
        "name_twice": ("nazwy „{name}” użyto dwa razy.",),
        "visible_if": ("visibleIf zapisuje się jako {{nazwa}} = 'wartość' albo {{nazwa}} <> 'wartość'; podano {got!r}.",),
        "visible_if_unknown": ("visibleIf wymienia „{name}”, o co wcześniej się nie pyta.",),
        "visible_if_private": (
            "visibleIf nie może zależeć od „{name}”, bo ta odpowiedź jest prywatna; oba pytania trzeba zadać wszystkim.",
        ),
        "visible_if_value": ("„{name}” nie ma odpowiedzi {value!r}.",),
        "choices": ("{key} to lista od {least} do {most} odpowiedzi; podano {got}.",),
        "choice_value": ("{got!r} nie może być odpowiedzią do wyboru; „no answer” ma każde pytanie samo z siebie.",),
        "choice_keys": (
            "odpowiedź ma value i text; tekst z dwukropkiem trzeba ująć w cudzysłów: {whole}.",
            "odpowiedź ma value i text; podano {got}.",
        ),
        "choice_twice": ("odpowiedź {got!r} podano dwa razy.",),
        "choice_text_twice": ("tekst {got!r} mają dwie odpowiedzi: odpowiadający nie odróżnią ich od siebie.",),
        "not_an_element": ("element ma type, name i title; podano {got!r}.",),
        "no_type": ("element potrzebuje type: jednego z {allowed}.",),
        "type_refused": ("o „{kind}” nie pyta się w ankiecie z pytaniami prywatnymi: taka odpowiedź może wskazać osobę.",),
        "unknown_type": ("nie ma pytania typu „{kind}”; {asks}są: {allowed}.",),
        "other_refused": ("„inne: jakie?” to dowolny tekst, który może zdradzić autora; zamiast tego można dodać odpowiedź „inna”.",),
        "bands": (
            "bands to od 2 do {most} rosnących liczb całkowitych, na przykład [18, 30, 45, 60]; podano {got!r}.",
            "o liczbę pyta się na dwa sposoby: przedziałami (bands: [1000, 2000, 4000]) albo wprost (grid: true oraz min, max i step).",
        ),
        "grid_ends": (
            "grid ma liczby całkowite min, max i step, krok dzieli odległość między nimi, a wartości jest najwyżej {most}; podano {low!r}, "
            "{high!r}, {step!r}.",
        ),
        "use": ("for mówi, do czego posłuży odpowiedź: jedno z {allowed}; podano {got!r}{asks}.",),
        "use_and_design": (
            "for: {use} wybiera sposób ukrywania, a privacy już go podaje ({design}): jedno trzeba usunąć albo podać w privacy poziom, "
            "jeden z {allowed}.",
        ),
        "use_of_order": (
            "for: {use} dotyczy odpowiedzi, które mają kolejność: rating, ordered: true albo liczba. Bez kolejności udział każdej "
            "odpowiedzi jest znany równie dobrze, więc `for` trzeba usunąć.",
        ),
        "use_of_numbers": (
            "for: mean dotyczy liczb: liczby na siatce (grid: true oraz min, max i step) albo oceny o więcej niż dwóch odpowiedziach, "
            "które są liczbami. Z przedziałów i słów można poznać tylko udziały i kwantyle.",
        ),
        "box_names": ("dwie odpowiedzi albo dwa wiersze są zbyt podobne, by nazwać ich kolumny; trzeba dać im inne value.",),
        "asked_where": ("drugie pytanie zadaje się tylko obok jednego wyboru (przyciski), nie na liście rozwijanej.",),
        "rating_ends": ("rateMin i rateMax to liczby całkowite oddalone o 1 do 20; podano {low!r} i {high!r}.",),
        "no_text": ("brakuje tekstu: {what}.",),
        "not_text": ("tekst to napis albo po jednym napisie na język ({allowed}); podano {got!r}.",),
        "bad_text": ("tekst zawiera znak sterujący albo znak odwracający kierunek pisma: {got!r}.",),
        "languages_differ": ("{what}: języki tekstu nie zgadzają się z językami ankiety ({allowed}).",),
    }
)  # fmt: skip
"""What is wrong in a line of a questionnaire; which file and line stands before it."""
_HINTS = (
    ("; write ", "; można napisać "),
    ("; did you mean ", "; czy chodziło o "),
    ("did you mean ", "czy chodziło o "),
    ("Otherwise there", ""),
    ("Otherwise ", ""),
)


def mistake_in_polish(error: DeniableError) -> str | None:
    """What is wrong, without the file and the line; None if there is no Polish sentence for it.

    >>> from deniable.errors import QuestionnaireError
    >>> mistake_in_polish(QuestionnaireError("nothing_asked", "{where}: nothing is asked.", where="s.yaml", line=1))
    'ankieta o nic nie pyta.'
    """
    given = {
        name: ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in error.parameters.items()
    }
    for hint in ("instead", "asks"):
        for english, polish in _HINTS:
            given[hint] = str(given.get(hint, "")).replace(english, polish)
    for sentence in MISTAKES.get(error.code, ()):
        try:
            return sentence.format(**given)
        except (KeyError, ValueError):  # another mistake of the same code, with other parameters
            continue
    return None
