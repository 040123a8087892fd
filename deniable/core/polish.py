"""What estimates say besides their numbers, in Polish: every English sentence has its Polish one here.

Estimates are made and stored in English, so that programs can rely on it; they are put into Polish when they are shown. What stands in
braces is carried over, and the beginning of its name says how: `name` is an attribute, shown by its question; `number` gets a decimal
comma, and so do `numbers`, among which there are words; `label` is an answer, in Polish quotes; `group` is a condition or everyone; `said`
is a sentence of its own; all else stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

_LABELS = {
    "count": "liczba osób",
    "share": "udział",
    "difference": "różnica",
    "correlation": "korelacja",
    "covariance": "kowariancja",
    "intercept": "wyraz wolny",
}
_NAMES = {
    "mean of {name}: ({group_a}) minus ({group_b})": "średnia: {name} – wśród {group_a} minus wśród {group_b}",
    "mean of {name} by {name_b}": "średnia: {name} według {name_b}",
    "mean of {name}": "średnia: {name}",
    "quantile 0.5 of {name}": "mediana: {name}",
    "quantile {number} of {name}": "kwantyl {number}: {name}",
    "quantiles {number} of {name}": "kwantyle {number}: {name}",
    "correlation of {name_a} and {name_b}": "korelacja: {name_a} i {name_b}",
    "covariance of {name_a} and {name_b}": "kowariancja: {name_a} i {name_b}",
    "share of everyone for whom ({first}) minus share of everyone for whom ({second})": (
        "różnica udziałów wśród wszystkich: osoby, dla których {first}, minus osoby, dla których {second}"
    ),
    "share of ({condition}) among ({group_a}) minus that among ({group_b})": (
        "udział osób, dla których {condition}: wśród {group_a} minus wśród {group_b}"
    ),
    "share of everyone for whom ({condition})": "udział osób, dla których {condition}, wśród wszystkich",
    "share of ({condition}) among ({group})": "udział osób, dla których {condition}, wśród {group}",
    "{name} on {names}": "regresja: {name} względem {names}",
}
_VARIES = "pasmo zmienności mówi tylko, jak bardzo się ono waha."
_SENTENCES = {
    # Why there is no interval.
    "it stops early, which biases it toward the uniform distribution it starts from; its variability band says how much it varies.": (
        "metoda zatrzymuje się wcześnie, więc oszacowanie jest przesunięte w stronę równych udziałów, od których zaczyna; " + _VARIES
    ),
    "undoing noise is ill-posed, so the estimate is smoothed, which biases it; its variability band says how much it varies.": (
        "szumu nie da się odjąć dokładnie, więc oszacowanie jest wygładzone, a przez to przesunięte; " + _VARIES
    ),
    "truths were taken as uniform inside each bin, which biases it; a lumpable channel or no bins would not.": (
        "przyjęto, że wewnątrz każdej klasy wszystkie wartości są równie częste, co przesuwa oszacowanie; bez klas by tak nie było."
    ),
    "truths are taken as uniform inside bins, which biases it; its variability band says how much it varies.": (
        "przyjęto, że wewnątrz każdej klasy wszystkie wartości są równie częste, co przesuwa oszacowanie; " + _VARIES
    ),
    "maximum likelihood is biased where shares are near 0; its variability band says how much it varies.": (
        "metoda największej wiarygodności jest obciążona tam, gdzie udziały są bliskie 0; " + _VARIES
    ),
    "the iterative method chooses rows by their reports, and chosen rows are not the true members: it is biased.": (
        "metoda iterative wybiera wiersze według zniekształconych odpowiedzi, a to nie są prawdziwi członkowie grupy: jest obciążona."
    ),
    "error bars are computed for at most {number} labels; give bins.": (
        "przedziały liczy się dla najwyżej {number} wartości; proszę podać klasy (--bins)."
    ),
    # What is assumed.
    "any distribution of {name} is possible": "możliwy jest każdy rozkład odpowiedzi na {name}",
    "no single value of {name} holds more than {number} of the people": "żadnej wartości {name} nie ma więcej niż {number} osób",
    "no stretch of {name} that is {number_wide} wide holds more than {number} of the people": (
        "w żadnym zakresie wartości {name} o szerokości {number_wide} nie ma więcej niż {number} osób"
    ),
    "people answer the unrelated question as declared ({numbers_shares} and {number_more} more); if they do not, the estimate is off and "
    "its interval does not show it": (
        "na drugie, neutralne pytanie ludzie odpowiadają tak, jak podano ({numbers_shares} i jeszcze {number_more}); jeśli nie, "
        "oszacowanie jest błędne, a przedział tego nie pokazuje"
    ),
    "people answer the unrelated question as declared ({numbers_shares}); if they do not, the estimate is off and its interval does not "
    "show it": (
        "na drugie, neutralne pytanie ludzie odpowiadają tak, jak podano ({numbers_shares}); jeśli nie, oszacowanie jest błędne, a "
        "przedział tego nie pokazuje"
    ),
    "asked in {some} of {all} parts, whose people stand for all": (
        "o to pytano w {some} z {all} części danych, a osoby z tych części reprezentują wszystkich"
    ),
    "the {some} parts are alike, so that each counts by its precision ({numbers_shares}); a test at the 1% level does not find them "
    "different (p = {number})": (
        "części danych ({some}) są do siebie podobne, więc każda liczy się według swojej dokładności ({numbers_shares}); test na poziomie "
        "1% nie wykrywa różnic (p = {number})"
    ),
    "the {some} parts are alike, so that each counts by its precision ({numbers_shares}); but a test at the 1% level finds that they "
    "differ (p = {number}): ask each part alone, or take alike=False": (
        "części danych ({some}) są do siebie podobne, więc każda liczy się według swojej dokładności ({numbers_shares}); test na poziomie "
        "1% wykrywa jednak różnice (p = {number}): lepiej pytać każdą część osobno"
    ),
    # What else is to be said.
    "nobody is in the group ({group})": "nie ma {group}",
    "the group ({group}) is estimated to have nobody": "według oszacowania nie ma {group}",
    "every possible value of {name} is below {number} ({numbers})": "każda możliwa wartość {name} jest mniejsza niż {number} ({numbers})",
    "every possible value of {name} is at most {number} ({numbers})": "każda możliwa wartość {name} wynosi najwyżej {number} ({numbers})",
    "every possible value of {name} is above {number} ({numbers})": "każda możliwa wartość {name} jest większa niż {number} ({numbers})",
    "every possible value of {name} is at least {number} ({numbers})": (
        "każda możliwa wartość {name} wynosi co najmniej {number} ({numbers})"
    ),
    "only {labels} are possible values of {name}, so that the interval may be a single one": (
        "możliwe są tylko wartości {name}: {labels}, więc przedział może być tylko jedną z nich"
    ),
    "the value and its interval come from different methods, so that it may lie near an end (docs/noise.md)": (
        "wartość i przedział pochodzą z różnych metod, więc wartość może leżeć blisko końca (docs/noise.md)"
    ),
    "{label} to {name} counts as any other answer": "brak odpowiedzi na {name} liczy się jak każda inna odpowiedź",
    "of {name}, {yes} counts as 1 and {no} as 0": "w pytaniu {name} {yes} liczy się jako 1, a {no} jako 0",
    "moved toward the likeliest value, which varies less and may be off in one direction; without that it is {numbers_values}, which "
    "intervals are about": (
        "przesunięto w stronę wartości najbardziej wiarygodnej, która mniej się waha, ale może odbiegać w jedną stronę; bez tego jest to "
        "{numbers_values} i tego dotyczą przedziały"
    ),
    "respondents stand for as many people as {column} says": "każda osoba liczy się za tyle osób, ile podaje kolumna {column}",
    "there are too few answers to tell anything": "odpowiedzi jest zbyt mało, aby cokolwiek stwierdzić",
    "too few people are in the group ({group}) to tell it from an empty one": (
        "{group} jest zbyt mało, aby odróżnić tę grupę od pustej"
    ),
    "both shares are of everyone, so the larger group has more people for whom {shared}, even where it is no more frequent; ask for the "
    "difference of ({_}) between the groups ({first}) and ({second}) to compare how frequent it is in them": (
        "oba udziały są udziałami wśród wszystkich, więc w większej grupie jest więcej osób, dla których {shared}, nawet jeśli nie zdarza "
        "się to częściej; aby porównać częstość w grupach, trzeba zapytać o różnicę między grupami ({first}) i ({second})"
    ),
    "{some} of {all} rows with the same probability are listed, as drawn": (
        "na liście są wylosowane wiersze spośród tych o tym samym prawdopodobieństwie: {some} z {all}"
    ),
    "Every probability is 0, or shown as 0: of all the ways in which these reports could have come about, the likeliest is that nobody "
    "meets the condition, and that chance made the reports that look as if somebody did. There are too few who do to be told from "
    "nobody, so the list is hardly better than a draw. Widen the condition, or ask more people.": (
        "Każde prawdopodobieństwo wynosi 0 albo jest tak pokazane: najbardziej prawdopodobne jest to, że nikt nie spełnia warunku, a "
        "odpowiedzi, które na to wyglądają, powstały przypadkiem. Spełniających jest zbyt mało, aby odróżnić to od braku takich osób, więc "
        "lista jest niewiele lepsza od losowania. Warto rozszerzyć warunek albo zapytać więcej osób."
    ),
    # Why the numbers may mean nothing.
    "the reports of {name} do not fit the schema: no true answers can give them ({said}). Are they true answers, or randomised under "
    "another schema?": (
        "odpowiedzi na {name} nie pasują do schematu: nie mogą wynikać z żadnych prawdziwych odpowiedzi ({said}). Czy są to prawdziwe "
        "odpowiedzi, czy zniekształcone według innego schematu?"
    ),
    "the reports do not fit the schema: no true answers can give them ({said}). Are they true answers, or randomised under another "
    "schema?": (
        "te odpowiedzi nie pasują do schematu: nie mogą wynikać z żadnych prawdziwych odpowiedzi ({said}). Czy są to prawdziwe "
        "odpowiedzi, czy zniekształcone według innego schematu?"
    ),
    "at least {number} of them would be {label}, {number_seen} are": (
        "odpowiedź {label} miałaby udział co najmniej {number}, a ma {number_seen}"
    ),
    "at most {number} of them would be {label}, {number_seen} are": (
        "odpowiedź {label} miałaby udział co najwyżej {number}, a ma {number_seen}"
    ),
    "their shares contradict each other": "ich udziały przeczą sobie nawzajem",
    # How an answer is hidden.
    "nothing is hidden, the true answer is reported": "nic nie jest ukryte, podawana jest prawdziwa odpowiedź",
    "the true answer is kept with probability {number}, else {said}": (
        "prawdziwa odpowiedź jest zachowywana z prawdopodobieństwem {number}, w przeciwnym razie {said}"
    ),
    "the other one is reported": "podawana jest ta druga",
    "one of the others is drawn, all equally likely": "losowana jest jedna z pozostałych, każda z równą szansą",
    "any answer is drawn, all equally likely": "losowana jest dowolna odpowiedź, każda z równą szansą",
    "an answer is drawn with probabilities that are known": "odpowiedź jest losowana ze znanymi prawdopodobieństwami",
    "the next one is reported": "podawana jest sąsiednia",
    "one up to {far} steps away is reported": "podawana jest któraś z sąsiednich (najdalej o tyle miejsc: {far})",
    "another is drawn from a table of probabilities": "losowana jest inna, według tabeli prawdopodobieństw",
    "a table gives the probability of each report for each true answer": (
        "tabela podaje prawdopodobieństwo każdej podanej odpowiedzi dla każdej prawdziwej"
    ),
    "{yes} is kept with probability {number_yes} and {no} with {number_no}, else the other is reported": (
        "{yes} jest zachowywane z prawdopodobieństwem {number_yes}, a {no} z prawdopodobieństwem {number_no}, w przeciwnym razie odpowiedź "
        "jest odwracana"
    ),
    "{yes} is reported with probability {number_yes} and {no} with {number_no}, whatever is true, else the true answer": (
        "{yes} jest podawane z prawdopodobieństwem {number_yes}, a {no} z prawdopodobieństwem {number_no}, niezależnie od prawdy, w "
        "przeciwnym razie podawana jest prawdziwa odpowiedź"
    ),
    "the report says only whether the true answer is the same as that to an innocuous question, which is {yes} with probability {number}": (
        "podawane jest tylko to, czy prawdziwa odpowiedź jest taka sama jak odpowiedź na neutralne pytanie, która brzmi {yes} z "
        "prawdopodobieństwem {number}"
    ),
    "the question is answered with probability {number}, else an innocuous one, which the person is asked too": (
        "odpowiedź dotyczy tego pytania z prawdopodobieństwem {number}, w przeciwnym razie neutralnego, które też jest zadawane"
    ),
    "the question is answered with probability {number}, else an innocuous one, whose answer is drawn": (
        "odpowiedź dotyczy tego pytania z prawdopodobieństwem {number}, w przeciwnym razie neutralnego, na które odpowiedź jest losowana"
    ),
    "only {label_low} or {label_high} is reported; {label_h} with probability {number_a} if the number is {number_b}, rising evenly to "
    "{number_c} if it is {number_d}": (
        "podawane jest tylko {label_low} albo {label_high}; {label_h} z prawdopodobieństwem {number_a}, jeśli liczbą jest {number_b}, i "
        "coraz większym aż do {number_c}, jeśli jest nią {number_d}"
    ),
    "the number, rounded at random to one of {number_n} from {number_a} to {number_b}, is reported with probability {number_p}, else any "
    "of {number_m} numbers from {number_c} to {number_d}": (
        "z prawdopodobieństwem {number_p} podawana jest prawdziwa liczba zaokrąglona losowo do jednej z {number_n} od {number_a} do "
        "{number_b}, w przeciwnym razie dowolna z {number_m} liczb od {number_c} do {number_d}"
    ),
    "a number at most {number_r} away from the true one is reported with probability {number_p}, else any of {number_m} numbers from "
    "{number_c} to {number_d}": (
        "z prawdopodobieństwem {number_p} podawana jest liczba odległa od prawdziwej najwyżej o {number_r}, w przeciwnym razie dowolna z "
        "{number_m} liczb od {number_c} do {number_d}"
    ),
    "random noise is added, {said}, cut off at the ends of the range": (
        "dodawany jest losowy szum, {said}, a wynik nie wychodzi poza zakres"
    ),
    "random noise is added, {said}": "dodawany jest losowy szum, {said}",
    "the true number is multiplied by 1 plus random noise, {said}": "prawdziwa liczba jest mnożona przez 1 plus losowy szum, {said}",
    "uniform, up to {number} either way": "równomierny, najwyżej o {number} w każdą stronę",
    "normal with a standard deviation of {number}": "normalny o odchyleniu standardowym {number}",
    "Laplace with a scale of {number}": "Laplace'a o skali {number}",
    "of {noise}": "według {noise}",
    "whether someone answered is kept with probability {number}, else an answer becomes {missing} and a missing answer becomes any answer; "
    "for answers, {said}": (
        "to, czy ktoś odpowiedział, pozostaje bez zmian z prawdopodobieństwem {number}, w przeciwnym razie odpowiedź staje się brakiem "
        "odpowiedzi, a brak odpowiedzi dowolną odpowiedzią; jeśli ktoś odpowiedział, {said}"
    ),
    "it is randomised": "jest losowo zmieniana",
}  # fmt: skip
_AMONG = re.compile(r" \(among those who answered (.+)\)")
_AGAINST = re.compile(r"(?P<name>.+?): (?P<label>.+) \(against (?P<reference>.+)\)", re.DOTALL)
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")
_NUMBER = re.compile(r"[\d.,]+")
_NUMERIC = r"(?:[-+\d.,%^ex/ ]| to )+?"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


class Polish:
    """Puts what estimates say into Polish, with attributes by the titles of their questions.

    >>> polish = Polish({"income": "Ile zarabiasz?"})
    >>> polish.name("mean of income where sex == 'F' (among those who answered income)")
    "średnia: „Ile zarabiasz?”, tylko osoby, dla których sex == 'F' (spośród osób, które odpowiedziały)"
    >>> polish.sentence("no single value of 'income' holds more than 0.98% of the people")
    'żadnej wartości „Ile zarabiasz?” nie ma więcej niż 0,98% osób'
    """

    def __init__(self, titles: Mapping[str, str], more: Mapping[str, str] | None = None) -> None:
        self._titles, self._more = titles, more or {}

    def sentence(self, english: str) -> str:
        """A sentence; one that is not known stays English, for it may matter."""
        attribute, colon, rest = english.partition(": ")
        if colon and attribute.strip("'") in self._titles:
            return f"{self._attribute(attribute)}: {self.sentence(rest)}"
        return self._put(english, self._more) or self._put(english, _SENTENCES) or english

    def name(self, english: str) -> str:
        """What an estimate is called."""
        answered = _AMONG.search(english)
        base, where, condition = _AMONG.sub("", english).partition(" where ")
        polish = self._put(base, _NAMES) or base
        polish += f", tylko osoby, dla których {condition}" if where else ""
        if answered:
            names = " i ".join(map(self._attribute, answered[1].split(" and ")))
            # With only one question, it need not be named again.
            polish += (
                " (spośród osób, które odpowiedziały"
                + ("" if base.startswith(("mean of ", "quantile")) else f" na {names}")
                + ")"
            )
        return polish

    def label(self, english: Any) -> str:
        """What a number is called that is not the share of an answer.

        >>> Polish({"town": "Miasto"}).label("town: south (against north)")
        'Miasto: south (zamiast north)'
        """
        if not isinstance(english, str):
            return str(english).replace(".", ",")
        against = _AGAINST.fullmatch(english)
        if against:
            return f"{self._titles.get(against['name'], against['name'])}: {against['label']} (zamiast {against['reference']})"
        return _LABELS.get(english) or self._titles.get(english, english)

    def _put(self, english: str, known: Mapping[str, str]) -> str | None:
        for template, polish in known.items():
            match = _pattern(template).fullmatch(english)
            if match:
                return polish.format(**{key: self._carried(key, text) for key, text in match.groupdict().items()})
        return None

    def _carried(self, key: str, text: str) -> str:
        kind = key.split("_")[0]
        if kind == "name":
            return self._attribute(text)
        if kind == "names":
            return ", ".join(map(self._attribute, text.split(", ")))
        if kind == "group":
            return "wszystkich" if text == "everyone" else f"osób, dla których {text}"
        if kind in ("number", "numbers"):
            return polish_number(text.replace(" to ", "–"))
        if kind == "label":
            return f"„{text[1:-1]}”" if text[0] == text[-1] == "'" else _DECIMAL.sub(",", text)
        if kind != "said":
            return text
        # A number may stand where a word for it may.
        return _DECIMAL.sub(",", text) if _NUMBER.fullmatch(text) else self.sentence(text)

    def _attribute(self, name: str) -> str:
        bare = name.strip("'")
        return f"„{self._titles.get(bare, bare)}”"


def polish_number(english: str) -> str:
    """Numbers with decimal commas; digits are grouped by a space that does not break.

    >>> polish_number("1,234.5").replace("\\xa0", " ")
    '1 234,5'
    """
    return _DECIMAL.sub(",", _THOUSANDS.sub("\N{NO-BREAK SPACE}", english))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(_group(part) if i % 2 else re.escape(part) for i, part in enumerate(parts)), re.DOTALL)


def _group(name: str) -> str:
    # What a number may be is narrow, so that no sentence takes another for one.
    return f"(?P<{name}>{_NUMERIC if name.split('_')[0] == 'number' else '.+?'})"
