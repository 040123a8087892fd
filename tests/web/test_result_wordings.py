"""What result pages and the report tell people who are no programmers: reasons, titles, and what an asterisk means."""

import html
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.results.draft import Draft
from deniable.results.material import Spoken
from deniable.results.remarks import remarks
from deniable.results.report.words import ENGLISH, POLISH
from deniable.results.words import said_in
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.audit import COMMAND_LINE
from tests.results import council as answers
from tests.results import visiting

PATH = "/organiser/surveys/council"
WOMEN, MEN = "sex+%3D%3D+%27F%27", "sex+%3D%3D+%27M%27"
COMPARED = f"view=compare&of=smokes&first={WOMEN}&second={MEN}"


def town(tmp_path, silent=20, n=400):
    """The survey, closed; a few people did not say their sex."""
    store = Store(str(tmp_path / "a.db"))
    store.open_survey(Questionnaire.parse(answers.YAML))
    codes = answers.reports_of(store.version("council").schema, n, np.random.default_rng(1))
    codes[:silent, 0] = 2
    answers.insert(store, "council", codes)
    store.close_survey("council")
    return visiting.Visitors(store)


@pytest.fixture
def council(tmp_path):
    made = town(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def reopened(council):
    council.store.reopen_survey("council")
    more = answers.reports_of(council.store.version("council").schema, 60, np.random.default_rng(2))
    answers.insert(council.store, "council", more)
    council.store.close_survey("council")
    return council


def text_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", page, flags=re.DOTALL))).split())


def test_rare_answers_that_are_put_together_are_marked_and_explained_once(council):
    for language, label, words in (("en", "Female or no answer*", ENGLISH), ("pl", "Kobieta lub brak odpowiedzi*", POLISH)):
        report = text_of(council.get(f"{PATH}/report/{language}", "owner").text)
        assert label in report
        assert report.count(words["merged"]) == 1
        assert not re.search(r"(Female|Kobieta), ", report)
    for path, role in ((f"{PATH}/results?view=question&of=sex&lang=en", "analyst"), (f"{PATH}/publish/en", "owner")):
        page = text_of(council.get(path, role).text)
        assert "Female or no answer*" in page
        assert "asterisk (“A or B*”)" in page
    assert "asterisk" not in text_of(council.get(f"{PATH}/results?view=question&of=sex&lang=en", "owner").text)


def test_without_rare_answers_no_asterisk_is_explained(tmp_path):
    made = town(tmp_path, silent=0)
    assert ENGLISH["merged"] not in text_of(made.get(f"{PATH}/report/en", "owner").text)
    made.store.close()


def test_a_view_that_the_report_cannot_show_is_said_to_be_so_at_once(council):
    address = "view=question&of=smokes&by=age&where=owes+%3D%3D+%27yes%27+and+mood+%3D%3D+1"
    assert "%</span>" in council.get(f"{PATH}/results?{address}", "owner").text  # the owner sees figures
    added = council.post(f"{PATH}/report/add?lang=en", address=html.unescape(address))
    assert added.status_code == 303
    page = council.get(added.headers["location"].partition("#")[0], "owner").text
    place = added.headers["location"].partition("#view-")[2]
    own = page.split(f'<li id="view-{place}">')[1].split("</li>")[0]
    assert "groups of fewer than 50 people" in own
    assert f'value="remove:{int(place) - 1}"' in own
    assert page.count("groups of fewer than 50 people") == 1
    assert "Too few answers" in text_of(council.get(f"{PATH}/report/en", "owner").text)


def test_after_a_reopening_that_reason_is_given_and_headings_say_what_is_missing(reopened):
    assert reopened.post(f"{PATH}/report/add?lang=pl", address=COMPARED.replace("+", " ")).status_code == 303
    draft = Draft.from_json(reopened.store.report_draft("council"))
    assert draft.views[-1].question.view == "compare"
    listed = text_of(reopened.get(f"{PATH}/report?lang=pl", "owner").text)
    assert "Czy pali Pan/Pani? Płeć: Kobieta / Płeć: Mężczyzna" in listed
    assert "otwarto ponownie" in listed
    for path in (f"{PATH}/report/en", f"{PATH}/publish/en"):
        page = reopened.get(path, "owner").text
        (heading,) = [one for one in re.findall(r"<h3>(.*?)</h3>", page) if "Female" in one]
        assert heading == "Do you smoke? Your sex: Female / Your sex: Male"
        assert "survey was reopened after it had been closed: groups are not shown" in page
        assert "oo few answers" not in page
    form = text_of(reopened.get(f"{PATH}/results/choose?view=compare&lang=en", "analyst").text)
    assert form.count("The survey was reopened after it had been closed") == 2  # at both groups
    assert "reopened" not in text_of(reopened.get(f"{PATH}/results/choose?view=compare&lang=en", "owner").text)


MISTAKES = {
    "/choose?view=together&ask=yes": ("Please tick 2 to 8 questions.", "Proszę zaznaczyć od 2 do 8 pytań."),
    "/choose?view=question&ask=yes": ("Please choose a question.", "Proszę wybrać pytanie."),
    "/choose?view=question&ask=yes&of=smokes&where=kobiety": (
        "The condition “kobiety” cannot be understood. Conditions are written like this: sex == 'F'",
        "Warunek „kobiety” jest niezrozumiały. Warunki pisze się tak: sex == 'F'",
    ),
    "?view=question&of=smokes&where=sex+=": ("Conditions are written like this: sex == 'F'", "pisze się tak: sex == 'F'"),
    "/choose?view=cross&ask=yes&of=smokes&by=smokes": ("“Do you smoke?” by itself says nothing", "„Czy pali Pan/Pani?” samo ze sobą"),
    f"/choose?{COMPARED.replace('M', 'F')}&ask=yes": ("Both groups are the same", "Obie grupy są takie same"),
    f"?{COMPARED.replace('M', 'F')}": ("Both groups are the same", "Obie grupy są takie same"),
}  # fmt: skip


@pytest.mark.parametrize("address", MISTAKES)
def test_mistakes_are_told_in_the_readers_language_and_the_surveys_words(council, address):
    for language, said in zip(("en", "pl"), MISTAKES[address], strict=True):
        reply = council.get(f"{PATH}/results{address}&lang={language}", "owner")
        assert reply.status_code == 400
        alert = text_of(re.search(r'<p class="error" role="alert">(.*?)</p>', reply.text, re.DOTALL)[1])
        assert said in alert
        assert not re.search(r"'of'|'together'|Expected|oczekiwano", alert)


def test_fields_for_conditions_show_an_example(council):
    form = council.get(f"{PATH}/results/choose?view=compare&lang=en", "owner").text
    for place in ("first", "second"):
        assert f'aria-describedby="{place}-hint"' in form
    assert text_of(form).count("For example: sex == 'F'") == 2


def test_the_report_leads_back_says_how_to_print_and_explains_its_columns_first(council):
    page = council.get(f"{PATH}/report/pl", "owner").text
    assert f'<a href="{PATH}/report?lang=pl">' in page
    assert "„Drukuj”" in page.partition("<header>")[0]
    assert page.count(POLISH["forged_columns"]) == 1
    assert page.index(POLISH["forged_columns"]) < page.index(POLISH["if1"])
    assert "<script" not in page
    file = council.get(f"{PATH}/report/pl/file", "owner").text
    assert "/organiser/" not in file


def test_of_whom_shares_are_stands_above_a_cross_table(council):
    page = council.get(f"{PATH}/results?view=cross&of=smokes&by=sex&lang=en", "owner").text
    assert page.count("Shares of everyone.") == 1
    assert page.index("Shares of everyone.") < page.index('<table class="cross">')


def test_what_was_done_names_surveys_by_their_titles(council):
    council.store.record(COMMAND_LINE, "exported", "council")
    council.store.record(COMMAND_LINE, "exported", "gone")
    council.store.record(COMMAND_LINE, "removed", "council")  # an account
    for language, title in (("en", "“Our council” (council)"), ("pl", "„Nasza rada” (council)")):
        page = re.sub("[\u2068\u2069]", "", text_of(council.get(f"/organiser/audit?lang={language}", "owner").text))
        assert page.count(title) == 1
        assert " gone" in page


def test_sentences_are_said_as_people_say_them(council):
    draft = text_of(council.get(f"{PATH}/report?lang=pl", "owner").text)
    assert "Otwórz raport po polsku" in draft
    assert "Raport po angielsku jako plik" in draft
    report = {language: text_of(council.get(f"{PATH}/report/{language}", "owner").text) for language in ("en", "pl")}
    assert "We cannot rule out that somebody answered more than once." in report["en"]
    assert re.search(r"these 400 answers are about as informative as \d+ direct answers\.", report["en"])
    assert re.search(r"400 odpowiedzi mówi mniej więcej tyle, co \d+ odpowiedzi jawn(e|ych)\.", report["pl"])
    assert "Wcale: pytanie jest jawne" in report["pl"]
    assert "Not at all: it is asked openly" in report["en"]
    shown = {language: text_of(council.get(f"{PATH}/results?lang={language}", "owner").text) for language in ("en", "pl")}
    assert re.search(r"as informative as \d+ direct answers?", shown["en"])
    assert "before correcting for the randomisation" in shown["en"]
    assert re.search(r"jak \d+ jawn(a|e|ych) odpowied", shown["pl"])
    assert "They cannot correct untrue answers." in text_of(council.get(f"{PATH}/publish/en", "owner").text)
    compared = text_of(council.get(f"{PATH}/results?{COMPARED}&lang=en", "owner").text)
    assert "the first group minus the second" in compared
    rules = text_of(council.get(f"{PATH}/results/choose?view=together&lang=pl", "owner").text)
    assert "Jak często reguła się sprawdza" in rules


def test_too_few_answers_of_everyone_are_said_to_be_that():
    """Nearly nobody said a number: there is no group to speak of."""
    schema = dn.Schema({"mood": dn.KRR(dn.Ordinal([1, 2, 3, 4, 5], missing="no answer"), 0.6)})
    sample = dn.Sample(pd.DataFrame({"mood": ["no answer"] * 40}), schema)
    said = remarks([sample.mean("mood")], Spoken(said_in("pl"), {}))
    assert "Uwaga: odpowiedzi jest zbyt mało, aby cokolwiek stwierdzić." in said
