"""What a report says in its own words, English and Polish, key by key."""

from __future__ import annotations

ENGLISH = {
    "kind": "Report of the survey",
    "trial": "This is the report of a trial. Its answers count in no survey.",
    "made-up": "The answers in this report are made up: nobody gave them. It shows what a report will look like, and nothing else.",
    "organiser": "Organiser",
    "made": "Made on",
    "short": "Before you read",
    "describes": "This report describes those who answered. Those who did not may think and live differently.",
    "untrue": "Answers to private questions were changed at random before they were sent, so nobody's true answer to them is known. "
    "That can be reckoned with; untrue "
    "answers cannot: randomising does not correct them.",
    "interval": "Every figure is an estimate and stands with an interval: if such surveys were made again and again, 95 of 100 intervals "
    "would hold the true figure. Where an interval is wide, the figure is known that roughly and no better.",
    "merged": "Rare answers to open questions are shown together and marked with an asterisk (*), so that no group of fewer than 50 "
    "people is shown: “A or B*” counts everyone who answered A or B.",
    "asked": "Who was asked, and how many answered",
    "asked_unknown": "The file of answers does not say who was asked or how.",
    "invited": "{invitations} people were invited, each by a link of their own that works once.",
    "anyone": "Anyone who had the address could take part. We cannot rule out that somebody answered more than once.",
    "answered": "{n} answers are in this report.",
    "few": "Fewer than 50 answers are in this report: too few to show any figure.",
    "used": "Of the invitations, {used} were used.",
    "open": "The survey is still open: answers that came later are not in this report.",
    "closed": "The survey is closed.",
    "version": "The questionnaire was changed while the survey was open. This report is of version {number}; answers to other "
    "versions are "
    "not in it.",
    "found": "What was found",
    "most": "The most frequent answer is “{label}”: {percent}, {between}.",
    "nobody_most": "Which answer is the most frequent cannot be told: the intervals overlap.",
    "mean": "Mean",
    "the_mean": "The mean is {value}, {between}.",
    "worth": "Hiding has its price: these {n} are about as informative as {worth}.",
    "worth_group": "Hiding has its price: the answers of this group (about {n}) are about as informative as {worth}.",
    "worth_open": "This question was asked openly.",
    "answer": "Answer",
    "estimate": "Estimate",
    "95": "95% interval",
    "if1": "1% forged",
    "if5": "5% forged",
    "up_to": "± {shift}",
    "not_worked_out": "–",
    "remarks": "Remarks",
    "comparisons": "Groups compared",
    "compared": "“{answer}”: {one} in the first group, {two} in the second",
    "compared_means": "The mean is {one} in the first group, {two} in the second",
    "difference": "Difference",
    "adjusted": "This report holds {count} verdicts of this kind. They are adjusted for their number (Holm's method): if nothing "
    "differed at all, even one of them would say otherwise in at most 5 of 100 such reports. So a difference may lack a verdict "
    "although its own interval does not hold 0.",
    "one_verdict": "If the groups did not differ, this verdict would say otherwise in at most 5 of 100 such reports.",
    "cannot": "What cannot be said",
    "cannot_others": "Anything about those who did not answer, and anything about a single person.",
    "cannot_figure": "{title}, “{what}”: {why}.",
    "cannot_block": "{title}: {why}.",
    "cannot_rank": "{title}: which answer is the most frequent.",
    "cannot_compare": "{title}: whether “{first}” and “{second}” differ ({what}).",
    "cause": "Why groups differ: a difference says nothing about its cause.",
    "hidden": "How answers were hidden",
    "question": "Question",
    "how": "How it was hidden",
    "odds": "A report changes anyone's odds",
    "asked_openly": "asked openly",
    "not_hidden": "not at all: it is asked openly and sent as it is",
    "forged": "If answers were forged",
    "forged_columns": "The last two columns say how far a figure would move, at most, if 1% or 5% of the answers had been forged to push "
    "it: see “If answers were forged” below.",
    "back": "Back to what is in the report",
    "print": "To print it, or to make a PDF, use your browser's “Print” (Ctrl+P). This line is not printed.",
    "forged_what": "Somebody who leaves out the random draw and sends a chosen answer weighs more than an honest person: what "
    "hides answers "
    "also magnifies forged ones. The last columns of the tables above say how far each figure would move, at most, if "
    "1% or 5% of the {n} answers "
    "had been replaced by answers sent to push that figure alone.",
    "forged_worst": "Of the shares of everyone, the one that could be moved most is {title}, “{what}”: by up to {one} points with "
    "1% and up to {five} points with 5% of forged answers. In groups, and in differences of groups, forged answers weigh more, "
    "because groups are smaller.",
    "forged_lies": "People who lie but let the draw happen move figures less: 1% of them move a share of everyone by at most 1 point.",
    "forged_invited": "Every invitation could be used once, so forging many answers takes as many invitations.",
    "forged_anyone": "Nothing kept anyone from answering many times, so we cannot rule out such a share.",
    "everything": "For those who may export the answers: this report may show groups of fewer than 50 people. Do not publish it.",
    "footer": "Computed by Deniable from the answers as they were sent. Schema fingerprint `{fingerprint}`.",
    "estimates": "Estimates with 95% intervals",
    "differences": "Difference with its 95% interval",
    "picture": "Dots are estimates, lines their intervals; an empty diamond marks what was reported before chance was reckoned with.",
    "introduced": "The survey was introduced with these words: “{text}”",
    "in_points": "{heading}\n(points)",
    "group": "Group",
    "groups": "First group: “{first}”. Second group: “{second}”.",
    "not_told": "whether they differ cannot be told with these answers.",
    "not_told_more": "whether they differ cannot be told with these answers ({more} would be needed).",
    "needed": "Where it is said how many more answers would be needed: so many would show a difference as large as the estimated "
    "one 8 times out of 10.",
    "cannot_rank_in": "{title}: which answer is the most frequent in these groups: {groups}.",
    "hidden_what": "A hidden answer was changed at random on the respondent's own device before it was sent, as the table says; "
    "nobody, not even the organiser, has the true one. What a sent answer still tells about a person is measured by odds: if an "
    "answer was thought 10% likely (odds of 1 to 9) and the odds grow fourfold, it is then 31% likely (odds of 4 to 9). The table "
    "holds for the most revealing answer; no other tells more.",
    "all_open": "All questions were asked openly: answers were sent as they are.",
    "quoted": "“{text}”",
    "else_other": "{how}, otherwise the other one",
    "else_others": "{how}, otherwise one of the others, picked at random",
    "else_another": "{how}, otherwise another one",
    "cross": "Two questions at once",
    "cross_how": "Each figure is a share of everyone: those who gave the answer of its row to one question and that of its column to "
    "the other.",
    "cross_rows": "Rows: “{rows}”. Columns: “{columns}”.",
    "cross_most": "The most frequent combination is “{row}” with “{column}”: {percent}, {between}.",
    "cross_nobody_most": "Which combination is the most frequent cannot be told: the intervals overlap.",
    "cannot_rank_cross": "{title}: which combination is the most frequent.",
    "cross_forged": "If 1% of the answers were forged to push one figure of this table, it would move by at most {one} points; with "
    "5%, by at most {five} points.",
    "rules": "What goes together",
    "rules_how": "Of those who gave one answer, so many gave another one, too. Listed is only what goes together more often than by "
    "chance at the lower end of its interval, too. The intervals are adjusted for the number of rules that were looked at (Benjamini and "
    "Yekutieli): if nothing went together at all, even one rule would be listed in at most 5 of 100 such surveys; and of all rules that "
    "are found in this way, listed or not, on average at most 5 in 100 do not hold. "
    "How far forged answers could move them was not worked out.",
    "rules_cause": "Why answers go together: that says nothing about what causes what.",
}
POLISH = {
    "kind": "Raport z ankiety",
    "trial": "To raport z próby. Jej odpowiedzi nie liczą się w żadnej ankiecie.",
    "made-up": "Odpowiedzi w tym raporcie są zmyślone: nikt ich nie udzielił. Raport pokazuje tylko, jak będzie wyglądać.",
    "organiser": "Organizator",
    "made": "Data raportu",
    "short": "Zanim zaczną Państwo czytać",
    "describes": "Raport opisuje osoby, które odpowiedziały. Pozostałe mogą myśleć i żyć inaczej.",
    "untrue": "Odpowiedzi na pytania prywatne były losowo zmieniane przed wysłaniem, więc niczyjej prawdziwej odpowiedzi na nie nie "
    "znamy. Wpływ losowania można "
    "uwzględnić w obliczeniach, nieprawdziwych odpowiedzi – nie: losowanie ich nie poprawia.",
    "interval": "Każda liczba jest oszacowaniem i ma swój przedział: gdyby takie ankiety powtarzać wiele razy, 95 na 100 przedziałów "
    "zawierałoby prawdziwą wartość. Gdzie przedział jest szeroki, tam wartość znamy tylko z taką dokładnością.",
    "merged": "Rzadkie odpowiedzi na pytania jawne są pokazane razem i oznaczone gwiazdką (*), aby nie pokazywać grup mniejszych niż 50 "
    "osób: „A lub B*” to wszystkie osoby, które odpowiedziały A albo B.",
    "asked": "Kogo pytano i ile osób odpowiedziało",
    "asked_unknown": "Plik z odpowiedziami nie mówi, kogo i jak pytano.",
    "invited": "Liczba zaproszonych osób: {invitations}. Każda dostała własny odnośnik, który działa jeden raz.",
    "anyone": "Udział mógł wziąć każdy, kto znał adres. Nie można wykluczyć, że ktoś odpowiedział więcej niż raz.",
    "answered": "Liczba odpowiedzi w tym raporcie: {n}.",
    "few": "W tym raporcie jest mniej niż 50 odpowiedzi: zbyt mało, by pokazać jakiekolwiek liczby.",
    "used": "Liczba wykorzystanych zaproszeń: {used}.",
    "open": "Ankieta jest nadal otwarta: późniejszych odpowiedzi w raporcie nie ma.",
    "closed": "Ankieta jest zamknięta.",
    "version": "W czasie trwania ankiety zmieniono pytania. Raport dotyczy wersji {number}; odpowiedzi na inne wersje w nim nie ma.",
    "found": "Co ustalono",
    "most": "Najczęstsza odpowiedź to „{label}”: {percent}, {between}.",
    "nobody_most": "Nie można stwierdzić, która odpowiedź jest najczęstsza: przedziały zachodzą na siebie.",
    "mean": "Średnia",
    "the_mean": "Średnia wynosi {value}; przedział: {between}.",
    "worth": "Ukrywanie ma swoją cenę: {n} mniej więcej tyle, co {worth}.",
    "worth_group": "Ukrywanie ma swoją cenę: odpowiedzi tej grupy (około {n}) mówią mniej więcej tyle, co {worth}.",
    "worth_open": "To pytanie zadano jawnie.",
    "answer": "Odpowiedź",
    "estimate": "Oszacowanie",
    "95": "Przedział 95%",
    "if1": "1% fałszywych",
    "if5": "5% fałszywych",
    "up_to": "± {shift}",
    "not_worked_out": "–",
    "remarks": "Uwagi",
    "comparisons": "Porównanie grup",
    "compared": "„{answer}”: {one} w pierwszej grupie, {two} w drugiej",
    "compared_means": "Średnia wynosi {one} w pierwszej grupie, {two} w drugiej",
    "difference": "Różnica",
    "adjusted": "Takich wniosków jest w raporcie {count}. Uwzględniono, że jest ich wiele (metoda Holma): gdyby nic się nie "
    "różniło, choćby jeden błędny wniosek pojawiłby się najwyżej w 5 na 100 takich raportów. Dlatego o różnicy czasem nic nie "
    "można stwierdzić, choć jej własny przedział nie obejmuje zera.",
    "one_verdict": "Gdyby grupy się nie różniły, ten wniosek byłby błędny najwyżej w 5 na 100 takich raportów.",
    "cannot": "Czego nie można powiedzieć",
    "cannot_others": "Niczego o tych, którzy nie odpowiedzieli, i niczego o pojedynczej osobie.",
    "cannot_figure": "{title}, „{what}”: {why}.",
    "cannot_block": "{title}: {why}.",
    "cannot_rank": "{title}: która odpowiedź jest najczęstsza.",
    "cannot_compare": "{title}: czy grupy „{first}” i „{second}” się różnią ({what}).",
    "cause": "Dlaczego grupy się różnią: sama różnica nic nie mówi o przyczynie.",
    "hidden": "Jak ukryto odpowiedzi",
    "question": "Pytanie",
    "how": "Jak je ukryto",
    "odds": "Wysłana odpowiedź zmienia czyjeś szanse",
    "asked_openly": "pytanie jawne",
    "not_hidden": "wcale: pytanie jest jawne, a odpowiedź wysyłana bez zmian",
    "forged": "Gdyby odpowiedzi sfałszowano",
    "forged_columns": "Dwie ostatnie kolumny podają, o ile najwyżej przesunęłaby się liczba, gdyby 1% albo 5% odpowiedzi sfałszowano, by "
    "ją przesunąć: zobacz niżej „Gdyby odpowiedzi sfałszowano”.",
    "back": "Wróć do zawartości raportu",
    "print": "Do druku albo do pliku PDF służy polecenie „Drukuj” w przeglądarce (Ctrl+P). Ten wiersz się nie drukuje.",
    "forged_what": "Kto pomija losowanie i wysyła wybraną przez siebie odpowiedź, waży więcej niż uczciwa osoba: to, co ukrywa "
    "odpowiedzi, "
    "wzmacnia też sfałszowane. Ostatnie kolumny tabel powyżej podają, o ile najwyżej przesunęłaby się każda liczba, "
    "gdyby 1% albo 5% odpowiedzi "
    "(wszystkich jest {n}) zastąpiono wysłanymi po to, by przesunąć właśnie ją.",
    "forged_worst": "Spośród udziałów wśród wszystkich najbardziej można by przesunąć {title}, „{what}”: najwyżej o {one} pkt "
    "proc. przy 1% i o {five} pkt proc. przy 5% sfałszowanych odpowiedzi. W grupach i w różnicach między grupami sfałszowane "
    "odpowiedzi ważą więcej, bo grupy są mniejsze.",
    "forged_lies": "Kto kłamie, ale nie pomija losowania, przesuwa liczby mniej: 1% takich osób zmienia udział wśród wszystkich "
    "najwyżej o 1 pkt proc.",
    "forged_invited": "Każde zaproszenie działało jeden raz, więc sfałszowanie wielu odpowiedzi wymaga tyluż zaproszeń.",
    "forged_anyone": "Nic nie przeszkadzało odpowiadać wiele razy, więc takiej liczby fałszerstw nie można wykluczyć.",
    "everything": "Tylko dla osób, które mogą pobierać odpowiedzi: raport może pokazywać grupy mniejsze niż 50 osób. Proszę go "
    "nie publikować.",
    "footer": "Obliczono w programie Deniable z odpowiedzi w takiej postaci, w jakiej je wysłano. Odcisk schematu `{fingerprint}`.",
    "estimates": "Oszacowania z przedziałami 95%",
    "differences": "Różnica z przedziałem 95%",
    "picture": "Kropki to oszacowania, linie – ich przedziały; pusty romb pokazuje, co zgłoszono, zanim uwzględniono losowanie.",
    "introduced": "Ankietę zapowiadały słowa: „{text}”",
    "in_points": "{heading}\n(pkt proc.)",
    "group": "Grupa",
    "groups": "Grupa pierwsza: „{first}”. Grupa druga: „{second}”.",
    "not_told": "z tych odpowiedzi nie wynika, czy grupy się różnią.",
    "not_told_more": "z tych odpowiedzi nie wynika, czy grupy się różnią (potrzeba jeszcze {more}).",
    "needed": "Gdzie podano, ilu odpowiedzi jeszcze potrzeba: tyle ich wykazałoby różnicę tak dużą jak oszacowana 8 razy na 10.",
    "cannot_rank_in": "{title}: która odpowiedź jest najczęstsza w grupach: {groups}.",
    "hidden_what": "Ukrytą odpowiedź zmieniało losowanie na urządzeniu osoby pytanej, zanim została wysłana, tak jak podaje "
    "tabela; prawdziwej nie ma nikt, także organizator. To, co wysłana odpowiedź mimo to mówi o osobie, mierzy się szansami: "
    "jeśli prawdopodobieństwo jakiejś odpowiedzi szacowano na 10% (szanse 1 do 9), a szanse rosną czterokrotnie, to wynosi ono "
    "potem 31% (szanse 4 do 9). Tabela dotyczy odpowiedzi, która zdradza najwięcej; żadna inna nie mówi więcej.",
    "all_open": "Wszystkie pytania zadano jawnie: odpowiedzi wysyłano bez zmian.",
    "quoted": "„{text}”",
    "else_other": "{how}, w pozostałych ta druga",
    "else_others": "{how}, w pozostałych jedna z innych, wylosowana",
    "else_another": "{how}, w pozostałych inna",
    "cross": "Dwa pytania naraz",
    "cross_how": "Każda liczba to udział wśród wszystkich: osób, które na jedno pytanie odpowiedziały tak jak w nagłówku wiersza, a na "
    "drugie tak jak w nagłówku kolumny.",
    "cross_rows": "Wiersze: „{rows}”. Kolumny: „{columns}”.",
    "cross_most": "Najczęstsze połączenie to „{row}” i „{column}”: {percent}, {between}.",
    "cross_nobody_most": "Nie można stwierdzić, które połączenie jest najczęstsze: przedziały zachodzą na siebie.",
    "cannot_rank_cross": "{title}: które połączenie jest najczęstsze.",
    "cross_forged": "Gdyby 1% odpowiedzi sfałszowano, by przesunąć jedną liczbę tej tabeli, przesunęłaby się najwyżej o {one} pkt "
    "proc.; przy 5% – najwyżej o {five} pkt proc.",
    "rules": "Co idzie w parze",
    "rules_how": "Ile osób spośród tych, które udzieliły jednej odpowiedzi, udzieliło też innej. Wymieniono tylko to, co idzie w parze "
    "częściej niż przypadkiem także na dolnym końcu przedziału. Przedziały uwzględniają, ile reguł przejrzano (Benjamini i Yekutieli): "
    "gdyby nic nie szło w parze, choćby jedna reguła pojawiłaby się najwyżej w 5 na 100 takich ankiet, a spośród wszystkich reguł "
    "znalezionych w ten sposób, także niewymienionych, średnio najwyżej 5 na 100 jest nieprawdziwych. "
    "Nie obliczono, o ile mogłyby je przesunąć sfałszowane odpowiedzi.",
    "rules_cause": "Dlaczego odpowiedzi idą w parze: to nic nie mówi o tym, co jest przyczyną.",
}


def words_in(language: str) -> dict[str, str]:
    """The words of a language; English where there are none.

    >>> words_in("pl")["group"], words_in("de")["group"]
    ('Grupa', 'Group')
    """
    return POLISH if language == "pl" else ENGLISH
