"""What is still wrong in a draft, in the words of its forms, English and Polish; in YAML and on the command line mistakes name keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from deniable.survey.drafts.checked import Mistake
from deniable.web.languages import NAMES

MISTAKES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "en": {
            "keys_missing": ("Fill this in.",),
            "no_text": ("Write a text.",),
            "not_text": ("Write a text.",),
            "bad_text": ("The text has a character that cannot be shown, or one that turns letters round. Delete it and type it anew.",),
            "languages_differ": ("Still to be written: {missing}.", "There is a text in a language that the survey does not have: "
                                 "{unknown}."),
            "choices_one": ("Give at least one answer.",),
            "choices_few": ("Give at least {least} answers.",),
            "choices_many": ("Give at most this many answers: {most}.",),
            "choice_value": ("An answer is a short text. “I prefer not to answer” is added by itself.",),
            "choice_keys": ("An answer has its texts and “{label[value]}”, and nothing else. Put it right on the page "
                            "“{label[draft_yaml]}”.",),
            "choice_twice": ("“{got}” stands there twice. Write something else under “{label[value]}”.",),
            "choice_text_twice": ("People would see “{got}” twice and could not tell the two apart. Change one of the texts.",),
            "box_names": ("Two of them are too much alike. Write something else under “{label[value]}”.",),
            "unknown_key": ("“{key}” means nothing here. Remove it under “{label[other_keys]}”.",),
            "nothing_asked": ("Nothing is asked yet. Add a question.",),
            "pages": ("The pages cannot be read. Put them right on the page “{label[draft_yaml]}”.",),
            "page": ("A page has at least one question, a title if you like, and nothing else.",),
            "reserved_slug": ("Short names that begin with “{first}” or “{second}” are kept for trials. Write for example: {better}",),
            "bad_slug": ("Small letters a to z (without accents), digits and -, at most 63. For example: {better}.",
                         "Small letters a to z (without accents), digits and -, at most 63."),
            "bad_name": ("Letters a to z (without accents), digits and _, at most 40; first a letter. For example: {better}.",
                         "Letters a to z (without accents), digits and _, at most 40; first a letter."),
            "languages": ("Write codes of two or three small letters, each once, such as en, pl.",),
            "not_allowed": ("“{got}” cannot be chosen here. Choose again.",),
            "bad_date": ("Write the day like this: 2027-03-31.",),
            "closes_in_the_past": ("This day is over, so nobody could answer. Choose a later one, or leave it empty.",),
            "bad_budget": ("Write a number above 0, such as 3.",),
            "over_budget": ("All private answers together give away {epsilon:.2f}, which is more than {budget}. Ask fewer private "
                            "questions, "
                            "protect them better, or allow more here.",),
            "privacy_level": ("“{got}” is no protection. Choose one.",),
            "privacy_kind": ("“{got}” is no protection. Choose one.",),
            "privacy_design": ("The design of your own begins with “design:” and one of these: {allowed}.",),
            "privacy_order": ("The design {got} needs answers in an order, or numbers.",),
            "privacy_keys": ("The design {design} needs: {needed}. Missing: {missing}. Unknown: {unknown}.",),
            "privacy_odds": ("The odds of the design are a number above 1, such as 2.7, not {got}.",),
            "privacy_twice": ("The design has a p or odds, not both. Take one of them away.",),
            "privacy_numbers": ("The numbers of the design make no sense: {got}.",),
            "too_many_neighbours": ("Moving to neighbours is for at most {most} answers, and there are {got}. Choose another protection.",),
            "channel_refused": ("This protection cannot be used: {reason}.",),
            "odds": ("The page of the survey refuses protection that is so weak: what is sent may change odds by a factor of 20 at most. "
                     "Choose “{label[level_light]}” or stronger.",),
            "name_too_long": ("“{name}” is too long for the data. Write something shorter under “{label[value]}”.",),
            "name_twice": ("Another question has the name “{name}” already.",),
            "visible_if": ("“{got}” cannot be read as a condition. Choose one from the list.",),
            "visible_if_unknown": ("“{name}” is not asked before this question. Choose another condition, or “{label[pick_visibleIf]}”.",),
            "visible_if_private": ("The answer to “{name}” is private, so nothing may depend on it. Ask both questions of everyone.",),
            "visible_if_value": ("“{name}” has no answer “{value}”. Choose another condition, or “{label[pick_visibleIf]}”.",),
            "not_an_element": ("This is no question. Remove it, or put it right on the page “{label[draft_yaml]}”.",),
            "no_type": ("Choose the kind of question.",),
            "type_refused": ("“{kind}” is not asked in a survey with private questions: such an answer can tell who wrote it. "
                             "Choose another kind.",),
            "unknown_type": ("There is no kind of question called “{kind}”. Choose one.",),
            "other_refused": ("“Other: which?” is free text, which can tell who wrote it. Add an answer such as “something else” "
                              "instead.",),
            "bands": ("Write 2 to {most} whole numbers, each larger than the one before, such as 18, 30, 45, 60.",
                      "Write where the ranges begin, such as 1000, 2000, 4000. Or tick “{label[field_grid]}”, and give the smallest "
                      "and the "
                      "largest number."),
            "grid_ends": ("“{label[field_min]}”, “{label[field_max]}” and “{label[field_step]}” are whole numbers. The steps lead from the "
                          "smallest exactly to the largest, and there are at most {most} of them.",),
            "use": ("“{got}” cannot be chosen here. Choose again.",),
            "use_and_design": ("What it will be asked for chooses how it is hidden. Choose “{label[pick_for]}” here, or a plain protection "
                               "instead of the design of your own.",),
            "use_of_order": ("This matters only for answers in an order. Choose “{label[pick_for]}”, or tick “{label[field_ordered]}” if "
                             "they have one.",),
            "use_of_numbers": ("Only numbers have a mean. Choose “{label[for_share]}” or “{label[for_quantile]}”, or ask for the "
                               "number itself.",),
            "asked_where": ("A second question stands only beside one of several answers (buttons).",),
            "rating_ends": ("“{label[field_rateMin]}” and “{label[field_rateMax]}” are whole numbers, 1 to 20 apart.",),
        },
        "pl": {
            "keys_missing": ("Wypełnij to pole.",),
            "no_text": ("Trzeba wpisać tekst.",),
            "not_text": ("Trzeba wpisać tekst.",),
            "bad_text": ("W tekście jest znak, którego nie da się pokazać albo który odwraca kolejność liter. Trzeba go usunąć i "
                         "wpisać tekst "
                         "od nowa.",),
            "languages_differ": ("Brakuje jeszcze: {missing}.", "Jest tekst w języku, którego ankieta nie ma: {unknown}."),
            "choices_one": ("Wpisz co najmniej jedną odpowiedź.",),
            "choices_few": ("Wpisz co najmniej {least} odpowiedzi.",),
            "choices_many": ("Największa liczba odpowiedzi: {most}.",),
            "choice_value": ("Odpowiedź to krótki tekst. „Wolę nie odpowiadać” jest dodawane automatycznie.",),
            "choice_keys": ("Odpowiedź ma teksty i pole „{label[value]}”, nic więcej. Można to poprawić na stronie "
                            "„{label[draft_yaml]}”.",),
            "choice_twice": ("„{got}” występuje dwa razy. W polu „{label[value]}” trzeba wpisać coś innego.",),
            "choice_text_twice": ("Odpowiadający zobaczą „{got}” dwa razy i nie odróżnią tych pozycji. Trzeba zmienić jeden z tekstów.",),
            "box_names": ("Dwie pozycje są zbyt podobne. W polu „{label[value]}” trzeba wpisać coś innego.",),
            "unknown_key": ("„{key}” nic tu nie znaczy. Można to usunąć niżej: „{label[other_keys]}”.",),
            "nothing_asked": ("Ankieta jeszcze o nic nie pyta. Trzeba dodać pytanie.",),
            "pages": ("Stron nie da się odczytać. Można je poprawić na stronie „{label[draft_yaml]}”.",),
            "page": ("Strona ma co najmniej jedno pytanie, może mieć tytuł, i nic więcej.",),
            "reserved_slug": ("Krótkie nazwy, które zaczynają się od „{first}” albo „{second}”, są dla prób. Można wpisać na przykład: "
                              "{better}",),
            "bad_slug": ("Małe litery a–z (bez polskich znaków), cyfry i -, najwyżej 63 znaki. Na przykład: {better}.",
                         "Małe litery a–z (bez polskich znaków), cyfry i -, najwyżej 63 znaki."),
            "bad_name": ("Litery a–z (bez polskich znaków), cyfry i _, najwyżej 40 znaków; na początku litera. Na przykład: {better}.",
                         "Litery a–z (bez polskich znaków), cyfry i _, najwyżej 40 znaków; na początku litera."),
            "languages": ("Trzeba wpisać kody z dwóch lub trzech małych liter, każdy raz, na przykład en, pl.",),
            "not_allowed": ("Nie można tu wybrać „{got}”. Trzeba wybrać ponownie.",),
            "bad_date": ("Dzień zapisuje się tak: 2027-03-31.",),
            "closes_in_the_past": ("Ten dzień już minął, więc nikt nie mógłby odpowiedzieć. Trzeba wybrać późniejszy albo zostawić "
                                   "puste pole.",),
            "bad_budget": ("Trzeba wpisać liczbę większą od 0, na przykład 3.",),
            "over_budget": ("Wszystkie prywatne odpowiedzi razem zdradzają {epsilon:.2f}, czyli więcej niż {budget}. Trzeba zadać "
                            "mniej pytań "
                            "prywatnych, lepiej je chronić albo pozwolić tu na więcej.",),
            "privacy_level": ("„{got}” nie jest ochroną. Trzeba wybrać jedną z podanych.",),
            "privacy_kind": ("„{got}” nie jest ochroną. Trzeba wybrać jedną z podanych.",),
            "privacy_design": ("Własny sposób ukrywania zaczyna się od „design:” i jednego z tych słów: {allowed}.",),
            "privacy_order": ("Sposób {got} wymaga odpowiedzi, które mają kolejność, albo liczb.",),
            "privacy_keys": ("Sposób {design} wymaga: {needed}. Brakuje: {missing}. Nieznane: {unknown}.",),
            "privacy_odds": ("Szanse (odds) we własnym sposobie ukrywania to liczba większa od 1, na przykład 2.7, a nie {got}.",),
            "privacy_twice": ("Własny sposób ukrywania ma p albo odds, nie jedno i drugie. Jedno trzeba usunąć.",),
            "privacy_numbers": ("Liczby we własnym sposobie ukrywania nie mają sensu: {got}.",),
            "too_many_neighbours": ("Przesuwanie do sąsiednich odpowiedzi jest dla najwyżej {most}, a jest ich {got}. Trzeba wybrać "
                                    "inną ochronę.",),
            "channel_refused": ("Takiej ochrony nie można użyć: {reason}.",),
            "odds": ("Strona ankiety nie przyjmie tak słabej ochrony: to, co zostaje wysłane, może zmienić szanse najwyżej 20 razy. Trzeba "
                     "wybrać ochronę „{label[level_light]}” albo mocniejszą.",),
            "name_too_long": ("„{name}” to za długa nazwa w danych. W polu „{label[value]}” trzeba wpisać coś krótszego.",),
            "name_twice": ("Nazwę „{name}” ma już inne pytanie.",),
            "visible_if": ("„{got}” nie da się odczytać jako warunku. Trzeba wybrać warunek z listy.",),
            "visible_if_unknown": ("O „{name}” nie pyta się przed tym pytaniem. Trzeba wybrać inny warunek albo "
                                   "„{label[pick_visibleIf]}”.",),
            "visible_if_private": ("Odpowiedź na „{name}” jest prywatna, więc nic nie może od niej zależeć. Oba pytania trzeba "
                                   "zadać wszystkim.",),
            "visible_if_value": ("„{name}” nie ma odpowiedzi „{value}”. Trzeba wybrać inny warunek albo „{label[pick_visibleIf]}”.",),
            "not_an_element": ("To nie jest pytanie. Trzeba je usunąć albo poprawić na stronie „{label[draft_yaml]}”.",),
            "no_type": ("Trzeba wybrać rodzaj pytania.",),
            "type_refused": ("O „{kind}” nie pyta się w ankiecie z pytaniami prywatnymi: taka odpowiedź może zdradzić autora. "
                             "Trzeba wybrać inny "
                             "rodzaj.",),
            "unknown_type": ("Nie ma rodzaju pytania „{kind}”. Trzeba wybrać jeden z podanych.",),
            "other_refused": ("„Inne: jakie?” to dowolny tekst, który może zdradzić autora. Zamiast tego można dodać odpowiedź „coś "
                              "innego”.",),
            "bands": ("Trzeba wpisać od 2 do {most} liczb całkowitych, każdą większą od poprzedniej, na przykład 18, 30, 45, 60.",
                      "Trzeba wpisać, gdzie zaczynają się przedziały, na przykład 1000, 2000, 4000. Albo zaznaczyć "
                      "„{label[field_grid]}” i podać "
                      "najmniejszą i największą liczbę."),
            "grid_ends": ("„{label[field_min]}”, „{label[field_max]}” i „{label[field_step]}” to liczby całkowite. Kroki prowadzą od "
                          "najmniejszej dokładnie do największej; jest ich najwyżej {most}.",),
            "use": ("Nie można tu wybrać „{got}”. Trzeba wybrać ponownie.",),
            "use_and_design": ("Sposób ukrywania zależy od tego, do czego posłuży pytanie. Trzeba wybrać tu „{label[pick_for]}” "
                               "albo zwykły poziom "
                               "ochrony zamiast własnego sposobu.",),
            "use_of_order": ("Ma to znaczenie tylko dla odpowiedzi, które mają kolejność. Trzeba wybrać „{label[pick_for]}” albo zaznaczyć "
                             "„{label[field_ordered]}”, jeśli ją mają.",),
            "use_of_numbers": ("Średnią mają tylko liczby. Trzeba wybrać „{label[for_share]}” albo „{label[for_quantile]}”, albo "
                               "pytać o samą "
                               "liczbę.",),
            "asked_where": ("Drugie pytanie może stać tylko obok wyboru jednej z kilku odpowiedzi (przyciski).",),
            "rating_ends": ("„{label[field_rateMin]}” i „{label[field_rateMax]}” to liczby całkowite oddalone o 1 do 20.",),
        },
    }
)  # fmt: skip


def in_form(mistake: Mistake, language: str, label: Mapping[str, str], titles: Mapping[str, str] = MappingProxyType({})) -> str:
    """What is wrong, for those who fill in the form: `label` has its words, `titles` the texts of questions by name. What no form can
    cause is said as in YAML."""
    given = _readable(mistake.error.parameters)
    given |= {"name": titles[given["name"]]} if given.get("name") in titles else {}
    for sentence in MISTAKES[language].get(_kind(mistake), ()):
        try:
            return sentence.format(label=label, **given)
        except (KeyError, ValueError):  # another mistake of the same code, with other parameters
            continue
    return mistake.sentence(language)


def _kind(mistake: Mistake) -> str:
    code, given = mistake.error.code, mistake.error.parameters
    if code != "choices" or "most" not in given:
        return code
    listed = str(given["got"]).replace(",", "")
    if listed.isdigit() and int(listed) > given["most"]:
        return "choices_many"
    return "choices_one" if given.get("least") == 1 else "choices_few"


def _readable(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Lists with commas, languages by their names; what there is nothing of is left out, so that no sentence speaks of it."""
    given: dict[str, Any] = {}
    for name, value in parameters.items():
        if name in ("missing", "unknown") and isinstance(value, (list, tuple)) and not value and "wrong" in parameters:
            continue
        given[name] = (
            ", ".join(NAMES.get(str(one), str(one)) for one in value) or "–" if isinstance(value, (list, tuple)) else value
        )
    better = str(parameters.get("instead", "")).removeprefix("; write ")
    return {**given, **({"better": better} if better else {})}
