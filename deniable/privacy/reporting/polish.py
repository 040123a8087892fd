"""The privacy report in Polish: every sentence and heading by its English one (`core/polish.py` says what stands in braces)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from deniable.core.polish import Polish, polish_number
from deniable.privacy.reporting.warnings import MEANS_ALONE
from deniable.privacy.reporting.words import FIGURES_DIFFER, FOR_SCALE, HOW_TO_READ, ONE_LIE, ONE_REPORT

NAMED_DESIGN = re.compile(r"(?P<how>.+) \((?P<design>[A-Z]\w+(?:, [A-Z]\w+)*)\)", re.DOTALL)
"""How an answer is hidden, and the name of the design behind it."""
_HIDE_MORE = "Proszę mocniej ukryć odpowiedź albo dać mniej odpowiedzi do wyboru."
_POLISH = {
    # Headings.
    "column": "kolumna",
    "a report changes anyone's odds by a factor of": "odpowiedź zmienia czyjeś szanse najwyżej",
    "{number} answers are worth how many direct answers": "ile jawnych odpowiedzi mówi tyle samo co {number}",
    "1 answer is worth how many direct answers": "ile jawnych odpowiedzi mówi tyle samo co jedna",
    "margin of error for a share of 20%": "margines błędu dla udziału 20%",
    "one lie shifts a count by up to": "jedno kłamstwo przesuwa liczbę osób najwyżej o",
    "± {number} points": "± {number} pkt proc.",
    "± {number}": "± {number}",
    "mean: {said}": "średnia: {said}",
    "lowest fifth: {said}": "najniższa jedna piąta: {said}",
    "median: {said}": "mediana: {said}",
    "margin of error for a share of 20%, or for what is said": "margines błędu dla udziału 20% albo dla tego, co podano",
    "cannot be told": "nie da się ustalić",
    "less than one": "mniej niż jedna",
    "How answers are hidden:": "Jak ukrywane są odpowiedzi:",
    "one draw decides for all of them together": "jedno losowanie rozstrzyga o wszystkich razem",
    "question": "pytanie",
    "hidden by": "jak ukryte",
    "epsilon": "epsilon",
    "a report changes\nanyone's odds\nby a factor of": "odpowiedź zmienia\nczyjeś szanse\nnajwyżej",
    "in the worst case": "w najgorszym razie",
    "Privacy report: what these questions give away": "Raport o prywatności: co zdradzają te pytania",
    "What these questions give away": "Co zdradzają te pytania",
    "How to read this": "Jak to czytać",
    "Question by question": "Pytanie po pytaniu",
    "Warnings": "Ostrzeżenia",
    "Warning": "Ostrzeżenie",
    "Notes": "Uwagi",
    "None.": "Brak.",
    "Question": "Pytanie",
    "Hidden by": "Jak ukryte",
    "Epsilon": "Epsilon",
    "A report changes\nanyone's odds\nby a factor of": "Odpowiedź zmienia\nczyjeś szanse\nnajwyżej",
    "Odds change by a factor of": "Szanse zmieniają się najwyżej",
    "In the worst case": "W najgorszym razie",
    "Answers": "Odpowiedzi",
    "What one report to each question can say about the person who sent it": (
        "Co jedna wysłana odpowiedź na każde pytanie może powiedzieć o osobie, która ją wysłała"
    ),
    "Private questions": "Pytania prywatne",
    "All together": "Wszystkie razem",
    "Published deployments": "Dane innych",
    "Who": "Kto",
    "Year": "Rok",
    "Of what": "Czego dotyczy",
    "warning": "ostrzeżenie",
    "Report written to {path}.": "Raport zapisano w {path}.",
    "note": "uwaga",
    "all questions together": "wszystkie pytania razem",
    FOR_SCALE: "Dla porównania, co podali inni",
    FIGURES_DIFFER: (
        "Liczby podane przez same te organizacje. Dotyczą różnych rzeczy (jednej odpowiedzi, dnia, całego spisu), więc dają skalę, a nie "
        "ranking."
    ),
    "Schema fingerprint {code}. Epsilons and odds are rounded up.": (
        "Odcisk schematu {code}. Wartości epsilon i szanse są zaokrąglone w górę."
    ),
    HOW_TO_READ: (
        "Ukryta odpowiedź jest losowo zmieniana, zanim zostanie wysłana, więc tego, co przyszło, nie można brać dosłownie. To, co wysłana "
        "odpowiedź mimo to mówi o osobie, mierzy się tym, jak zmienia **szanse**: jeśli prawdopodobieństwo jakiejś odpowiedzi "
        "szacowano na 10% (szanse 1 do 9), a szanse rosną czterokrotnie, to wynosi ono potem 31% (szanse 4 do 9). "
        "**Epsilon** to logarytm tego mnożnika: 0 znaczy, że odpowiedź nic nie mówi, każde następne 0,7 podwaja mnożnik, a "
        "wartości epsilon kilku pytań się sumują. Wszystkie liczby dotyczą odpowiedzi, która zdradza najwięcej; żadna inna nie mówi więcej."
    ),
    ONE_REPORT: (
        "Epsilon ogranicza to, co odpowiedź jednej osoby mówi o tej osobie. Nie obejmuje tego, co wiersze zdradzają o sobie nawzajem, na "
        "przykład w posortowanym pliku; dlatego wiersze są tasowane, gdy odpowiedzi są losowo zmieniane."
    ),
    "one report, randomised on the device (ln 3)": "jedna odpowiedź, zmieniana na urządzeniu (ln 3)",
    "per person, feature and day, randomised on the device": "na osobę, funkcję i dzień, zmieniane na urządzeniu",
    "app usage over six hours, randomised on the device": "używanie aplikacji przez sześć godzin, zmieniane na urządzeniu",
    "all published tables together, noise added by the bureau": "wszystkie opublikowane tabele razem, szum dodał urząd",
    "Apple, iOS and macOS": "Apple, iOS i macOS",
    "Microsoft, Windows telemetry": "Microsoft, telemetria systemu Windows",
    "US Census, redistricting data": "Spis powszechny USA, dane do wyznaczania okręgów wyborczych",
    "{number_low} to {number_high}": "od {number_low} do {number_high}",
    # How an answer is hidden.
    "nothing: it is asked openly and reported as it is": "nic: pytanie jest jawne, a odpowiedź podawana bez zmian",
    "the true answer is reported {number_low} to {number_high} of the time": (
        "prawdziwa odpowiedź jest podawana w {number_low}–{number_high} przypadków"
    ),
    "the true answer is reported {number} of the time": "prawdziwa odpowiedź jest podawana w {number} przypadków",
    "one draw for all: {number} of the time all true answers are reported, otherwise all are replaced": (
        "jedno losowanie dla wszystkich: w {number} przypadków podawane są wszystkie prawdziwe odpowiedzi, w pozostałych wszystkie są "
        "zastępowane"
    ),
    "one draw for all: {number} of the time all true answers are reported, otherwise all are reversed": (
        "jedno losowanie dla wszystkich: w {number} przypadków podawane są wszystkie prawdziwe odpowiedzi, w pozostałych wszystkie są "
        "odwracane"
    ),
    "{number} values, {label_low} to {label_high}, or {label_silent}": (
        "liczba wartości: {number}, od {label_low} do {label_high}, albo {label_silent}"
    ),
    "{number} values, {label_low} to {label_high}": "liczba wartości: {number}, od {label_low} do {label_high}",
    # How much it tells.
    "open": "jawne",
    "infinite": "nieskończony",
    "not protected": "bez ochrony",
    "without limit": "bez ograniczeń",
    "at most {number}": "{number}-krotnie",
    "by a factor of at most {number}": "najwyżej {number}-krotnie",
    "asked openly: not protected by randomisation. Anyone who sees the report knows the true answer": (
        "pytanie jawne: nie chroni go losowanie. Kto zobaczy odpowiedź, zna prawdę"
    ),
    "the draw is made in floating point, whose last digits can betray the true answer": (
        "losowanie odbywa się na liczbach zmiennoprzecinkowych, których ostatnie cyfry mogą zdradzić prawdziwą odpowiedź"
    ),
    "if someone reports {label_a}, the true answer is certainly {label_b}; before, its chance was {number}": (
        "jeśli ktoś podaje {label_a}, prawdziwą odpowiedzią jest na pewno {label_b}; przedtem prawdopodobieństwo tego wynosiło {number}"
    ),
    "if someone reports {label_a}, the chance that the true answer is {label_b} rises from {number_a} to at most {number_b}": (
        "jeśli ktoś podaje {label_a}, prawdopodobieństwo, że prawdziwą odpowiedzią jest {label_b}, rośnie z {number_a} do najwyżej "
        "{number_b}"
    ),
    "whatever someone reports, the chance of any true answer rises from {number_a} to at most {number_b}": (
        "cokolwiek ktoś poda, prawdopodobieństwo każdej prawdziwej odpowiedzi rośnie z {number_a} do najwyżej {number_b}"
    ),
    "whatever someone reports, the chance that the true answer to {label_q} is {label} rises from {number_a} to at most {number_b}": (
        "cokolwiek ktoś poda, prawdopodobieństwo, że prawdziwą odpowiedzią na {label_q} jest {label}, rośnie z {number_a} do najwyżej "
        "{number_b}"
    ),
    "whatever someone reports, the chance that the true answer is {label} rises from {number_a} to at most {number_b}": (
        "cokolwiek ktoś poda, prawdopodobieństwo, że prawdziwą odpowiedzią jest {label}, rośnie z {number_a} do najwyżej {number_b}"
    ),
    "whatever someone reports to these questions together, the chance of any true answer, or combination of answers, rises from {number_a} "
    "to at most {number_b}": (
        "cokolwiek ktoś odpowie łącznie na te pytania, prawdopodobieństwo każdej prawdziwej odpowiedzi lub kombinacji odpowiedzi rośnie z "
        "{number_a} do najwyżej {number_b}"
    ),
    "the reports to these questions together can rule out combinations of true answers": (
        "odpowiedzi na te pytania łącznie mogą wykluczyć niektóre kombinacje prawdziwych odpowiedzi"
    ),
    "assuming that {number} of people have that answer, whatever the others have": (
        "zakładając, że taką odpowiedź ma {number} osób, niezależnie od pozostałych"
    ),
    "assuming that all answers are equally likely": "zakładając, że wszystkie odpowiedzi są równie prawdopodobne",
    "assuming it was thought {number} likely before": "zakładając, że przedtem szacowano je na {number}",
    "with the given distribution of answers": "przy podanym rozkładzie odpowiedzi",
    f"{ONE_LIE} {{said}}.": "Jedna nieuczciwa odpowiedź może przesunąć oszacowaną liczbę osób o najwyżej {said}.",
    "{number} people": "{number} osoby",
    "one person": "jedną osobę",
    "all who answer": "wszystkich, którzy odpowiedzą",
    # All together.
    "{said} Asked openly: not protected by randomisation ({names}).": "{said} Jawne, bez ochrony przez losowanie: {names}.",
    "Nothing is hidden.": "Nic nie jest ukryte.",
    "Together: epsilon {said_epsilon} per respondent; the odds change {said}.": (
        "Razem: epsilon {said_epsilon} na osobę; szanse zmieniają się {said}."
    ),
    "Together: epsilon {said_epsilon} per respondent; the odds may change by a factor of more than a million: they prove practically "
    "everything.": "Razem: epsilon {said_epsilon} na osobę; szanse mogą się zmienić ponad milion razy: dowodzi to praktycznie wszystkiego.",
    "Private answers together: epsilon {said_epsilon} per respondent; the odds may change by a factor of more than a million: they prove "
    "practically everything.": (
        "Odpowiedzi prywatne razem: epsilon {said_epsilon} na osobę; szanse mogą się zmienić ponad milion razy: dowodzi to praktycznie "
        "wszystkiego."
    ),
    "Private answers together: epsilon {said_epsilon} per respondent; the odds change {said}.": (
        "Odpowiedzi prywatne razem: epsilon {said_epsilon} na osobę; szanse zmieniają się {said}."
    ),
    "The one question is asked openly: not protected by randomisation. Anyone who sees the reports knows the true answers.": (
        "Jedyne pytanie jest jawne: nie chroni go losowanie. Kto zobaczy odpowiedzi, zna prawdę."
    ),
    "All questions are asked openly: not protected by randomisation. Anyone who sees the reports knows the true answers.": (
        "Wszystkie pytania są jawne: nie chroni ich losowanie. Kto zobaczy odpowiedzi, zna prawdę."
    ),
    "Someone who answers {said} is guaranteed nothing: some reports rule out true answers ({names}).": (
        "Kto odpowiada na {said}, nie ma żadnej gwarancji: niektóre podane odpowiedzi wykluczają pewne prawdziwe ({names})."
    ),
    "Whatever someone reports to {said_which}, and whatever else is known about them, the odds of any true answer change {said_how}. "
    "Something that was thought 10% likely before is then at most {number} likely.": (
        "Cokolwiek ktoś odpowie na {said_which} i cokolwiek jeszcze o nim wiadomo, szanse każdej prawdziwej odpowiedzi zmieniają się "
        "{said_how}. To, czego prawdopodobieństwo szacowano przedtem na 10%, ma potem prawdopodobieństwo najwyżej {number}."
    ),
    "Something that was thought 10% likely before is then at most {number} likely.": (
        "To, czego prawdopodobieństwo szacowano przedtem na 10%, ma potem prawdopodobieństwo najwyżej {number}."
    ),
    "Some reports rule out true answers.": "Niektóre podane odpowiedzi wykluczają pewne prawdziwe.",
    "the one private question": "jedyne prywatne pytanie",
    "the one question": "jedyne pytanie",
    "all {count} private questions": "wszystkie pytania prywatne ({count})",
    "all {count} questions": "wszystkie pytania ({count})",
    # Notes and warnings.
    "asked openly (privacy: none): the answer is sent and stored as it is, not protected by randomisation.": (
        "pytanie jawne (privacy: none): odpowiedź jest wysyłana i zapisywana bez zmian, bez ochrony przez losowanie."
    ),
    "assumed: {said}.": "założono: {said}.",
    "chosen for what it is asked for ({use}): {design}; no other design at these odds tells it better.": (
        "sposób ukrywania dobrany do celu ({use}): {design}; żaden inny przy tych szansach nie mówi o nim więcej."
    ),
    "chosen for what it is asked for ({use}): {design}. With {number} answers: {said_known} (without `for`: {said_other}).": (
        "sposób ukrywania dobrany do celu ({use}): {design}. Przy liczbie odpowiedzi {number}: {said_known} (bez `for`: {said_other})."
    ),
    "chosen for what it is asked for ({use}): {design}. With 1 answer: {said_known} (without `for`: {said_other}).": (
        "sposób ukrywania dobrany do celu ({use}): {design}. Przy jednej odpowiedzi: {said_known} (bez `for`: {said_other})."
    ),
    "hidden so well that {number_n} answers pin down {said_share} only to within ± {number}. {said_more}": (
        "ukryte tak dobrze, że przy {number_n} odpowiedziach {said_share} będzie wiadomo tylko z dokładnością do ± {number}. {said_more}"
    ),
    "hidden so well that 1 answer pins down {said_share} only to within ± {number}. {said_more}": (
        "ukryte tak dobrze, że przy jednej odpowiedzi {said_share} będzie wiadomo tylko z dokładnością do ± {number}. {said_more}"
    ),
    "the mean": "o średniej",
    "the share below the median": "udział poniżej mediany",
    "weak protection: a report can raise a chance of 10% to {number}. Hide the answer more, or offer fewer answers to choose from.": (
        "słaba ochrona: odpowiedź może podnieść prawdopodobieństwo z 10% do {number}. " + _HIDE_MORE
    ),
    "weak protection: all of someone's reports together can raise a chance of 10% to {number}. Ask fewer questions, or hide the answers "
    "more.": (
        "słaba ochrona: wszystkie odpowiedzi jednej osoby razem mogą podnieść prawdopodobieństwo z 10% do {number}. Proszę zadać mniej "
        "pytań albo mocniej ukryć odpowiedzi."
    ),
    "weak protection: a report can change someone's odds by a factor of up to {number_odds} (the lightest level of a questionnaire: "
    "{level}), so a chance of 10% may become {number}. Hide the answer more, or offer fewer answers to choose from.": (
        "słaba ochrona: odpowiedź może zmienić czyjeś szanse nawet {number_odds}-krotnie (najlżejszy poziom w ankiecie: {level}), więc "
        "prawdopodobieństwo 10% może zmienić się w {number}. " + _HIDE_MORE
    ),
    "{said} The nearest design with a finite epsilon ({number}): {said_what}.": (
        "{said} Najbliższy sposób ukrywania, przy którym epsilon jest skończony ({number}): {said_what}."
    ),
    "replace 5% of the reports with an even draw from all answers": "zastąpić 5% odpowiedzi równomiernym losowaniem spośród wszystkich",
    "{noise} noise with the same standard deviation": "szum {noise} o tym samym odchyleniu standardowym",
    "it is reported as it is.": "odpowiedź jest podawana bez zmian.",
    "epsilon is infinite: a report of {label_z} can come from {label_a}, but proves that the true answer is not {label_b}.": (
        "epsilon jest nieskończony: odpowiedź {label_z} może wynikać z prawdziwej odpowiedzi {label_a}, ale dowodzi, że prawdą nie jest "
        "{label_b}."
    ),
    "bounded noise: {number} of the reports (if all answers are equally frequent) prove that the true value lies near an end of the "
    "range.": (
        "szum ograniczony: {number} odpowiedzi (jeśli wszystkie są równie częste) dowodzi, że prawdziwa wartość leży blisko krańca zakresu."
    ),
    MEANS_ALONE: (
        "z tych odpowiedzi można odczytać tylko średnie: ani udziałów, ani kwantyli nie da się z nich obliczyć."
    ),
    "cannot be undone: different distributions of answers give the same reports.": (
        "nie da się odtworzyć: różne rozkłady odpowiedzi wyglądają tak samo."
    ),
    "the shares of single answers can hardly be estimated (condition number {number}): ask for the mean or for wide bins.": (
        "udziałów poszczególnych odpowiedzi prawie nie da się oszacować (wskaźnik uwarunkowania {number}): lepiej pytać o średnią albo o "
        "szerokie klasy."
    ),
    "the shares of single answers can hardly be estimated (condition number {number}): error bars will be very wide.": (
        "udziałów poszczególnych odpowiedzi prawie nie da się oszacować (wskaźnik uwarunkowania {number}): przedziały będą bardzo szerokie."
    ),
    "anyone who knows someone's answer to the second question learns more: a report then changes the odds of the first answer {said} if "
    "the respondent's page makes the draw; if the second answer itself is sent whenever the first is not, a report can prove the first.": (
        "kto zna czyjąś odpowiedź na drugie pytanie, dowie się więcej: odpowiedź zmienia wtedy szanse pierwszej {said}, jeśli losuje "
        "strona ankiety; jeśli zamiast pierwszej zawsze wysyłana jest druga, odpowiedź może dowieść pierwszej."
    ),
    "hidden so well that {number_n} answers pin down {said_share} only to within ± {number} points. {said_more}": (
        "ukryte tak dobrze, że przy {number_n} odpowiedziach {said_share} będzie znany tylko z dokładnością do ± {number} pkt proc. "
        "{said_more}"
    ),
    "hidden so well that 1 answer pins down {said_share} only to within ± {number} points. {said_more}": (
        "ukryte tak dobrze, że przy jednej odpowiedzi {said_share} będzie znany tylko z dokładnością do ± {number} pkt proc. {said_more}"
    ),
    "hidden so well that {said_share} cannot be estimated from {number} answers: it might be anything. {said_more}": (
        "ukryte tak dobrze, że {said_share} pozostaje nieznany (liczba odpowiedzi: {number}): może być dowolny. {said_more}"
    ),
    "hidden so well that {said_share} cannot be estimated from 1 answer: it might be anything. {said_more}": (
        "ukryte tak dobrze, że {said_share} pozostaje nieznany (liczba odpowiedzi: 1): może być dowolny. {said_more}"
    ),
    "asked openly, but {number_n} answers pin down a share of 20% only to within ± {number} points. {said_more}": (
        "pytanie jawne, ale przy {number_n} odpowiedziach udział 20% będzie znany tylko z dokładnością do ± {number} pkt proc. "
        "{said_more}"
    ),
    "asked openly, but 1 answer pins down a share of 20% only to within ± {number} points. {said_more}": (
        "pytanie jawne, ale przy jednej odpowiedzi udział 20% będzie znany tylko z dokładnością do ± {number} pkt proc. {said_more}"
    ),
    "About {number_n} would pin it down to within ± {number}.": "Około {number_n} dałoby dokładność ± {number} pkt proc.",
    "About {number_n} would pin it down to within ± {number}; or {said}.": (
        "Około {number_n} dałoby dokładność ± {number} pkt proc.; można też {said}."
    ),
    "Not even {number_n} would pin it down to within ± {number}; so {said}.": (
        "Nawet {number_n} nie dałoby dokładności ± {number} pkt proc., więc trzeba {said}."
    ),
    "About {number_n} would pin the mean down to within ± {number}.": "Około {number_n} dałoby dokładność ± {number}.",
    "About {number_n} would pin the mean down to within ± {number}; or {said}.": (
        "Około {number_n} dałoby dokładność ± {number}; można też {said}."
    ),
    "Not even {number_n} would pin the mean down to within ± {number}; so {said}.": (
        "Nawet {number_n} nie dałoby dokładności ± {number}, więc trzeba {said}."
    ),
    "asked openly, but {number_n} answers pin down the mean only to within ± {number}. {said_more}": (
        "pytanie jawne, ale przy {number_n} odpowiedziach o średniej będzie wiadomo tylko z dokładnością do ± {number}. {said_more}"
    ),
    "asked openly, but 1 answer pins down the mean only to within ± {number}. {said_more}": (
        "pytanie jawne, ale przy jednej odpowiedzi o średniej będzie wiadomo tylko z dokładnością do ± {number}. {said_more}"
    ),
    "a share of 20%": "udział 20%",
    "a share of 20% (of the lowest fifth of the values)": "udział 20% (najniższej jednej piątej wartości)",
    "hide it less, or ask with fewer choices": "słabiej ukryć odpowiedź albo dać mniej odpowiedzi do wyboru",
    "add less noise (a smaller scale), or ask with a few choices, such as ranges": (
        "dodać mniej szumu (mniejsze scale) albo dać kilka odpowiedzi do wyboru, na przykład przedziały"
    ),
    "withhold fewer answers (a larger answered), or ask with a few choices, such as ranges": (
        "rzadziej wstrzymywać odpowiedź (większe answered) albo dać kilka odpowiedzi do wyboru, na przykład przedziały"
    ),
    "add less noise (a smaller scale) or withhold fewer answers (a larger answered), or ask with a few choices, such as ranges": (
        "dodać mniej szumu (mniejsze scale) lub rzadziej wstrzymywać odpowiedź (większe answered), albo dać kilka odpowiedzi do wyboru, na "
        "przykład przedziały"
    ),
    "add less noise (a smaller scale) and withhold fewer answers (a larger answered), or ask with a few choices, such as ranges": (
        "dodać mniej szumu (mniejsze scale) i rzadziej wstrzymywać odpowiedź (większe answered), albo dać kilka odpowiedzi do wyboru, na "
        "przykład przedziały"
    ),
}  # fmt: skip


def sayer(language: str, titles: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """What puts a report's English sentences and headings into a language: Polish, or English as they are. Columns are shown by their
    titles where these are given.

    >>> say = sayer("pl")
    >>> say("the true answer is reported 53% of the time (KRR)"), say("by a factor of at most 5.0")
    ('prawdziwa odpowiedź jest podawana w 53% przypadków (KRR)', 'najwyżej 5,0-krotnie')
    >>> sayer("en")("without limit")
    'without limit'
    """
    if language != "pl":
        return lambda english: english
    polish = Polish(titles or {}, _POLISH)

    def say(english: str) -> str:
        named = NAMED_DESIGN.fullmatch(english)
        # The names of designs are those of schemas; what stands before them is a sentence.
        return f"{polish.sentence(named['how'])} ({named['design']})" if named else polish.sentence(english)

    return say


def number(english: str, language: str) -> str:
    """A number, or the word that stands in its place.

    >>> number("2.198", "pl"), number("infinite", "pl"), number("2.198", "en")
    ('2,198', 'nieskończony', '2.198')
    >>> number("1,234", "pl").replace("\\xa0", " ")
    '1 234'
    """
    said = sayer(language)(english)
    return polish_number(said) if language == "pl" else said


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]
