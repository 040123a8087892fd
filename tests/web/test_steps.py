"""What the organiser's pages say before something is opened, closed or deleted, and after it was done; and what they refuse."""

import re

import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.web.done import DONE, OPENED
from deniable.web.organiser_words import WORDS
from tests.web.draft_writer import YAML, Form, Person, content, draft

FACTS = {
    "en": ("what analysts see, the report and new public pages", "private questions only, each by itself and of everyone: no groups",
           "A public page that is there already stays as it is."),
    "pl": ("analitycy, raport i nowe strony publiczne pokażą", "tylko pytania prywatne, każde osobno i dla wszystkich razem, bez grup",
           "Istniejąca strona publiczna pozostaje bez zmian."),
}  # fmt: skip


@pytest.fixture
def town(serve):
    return serve()


@pytest.fixture
def anna(town):
    return Person(town)


def test_a_new_survey_needs_a_language_and_a_title_that_is_not_cut(town, anna):
    begin = {"template": "blank", "title": "Życie w mieście", "language.pl": "yes"}
    ticked = re.findall(r'name="language\.(\w+)" value="yes" checked', anna.get("/organiser/drafts?lang=pl").text)
    assert ticked == ["pl"]
    for changed, key, said in (
        ({"language.pl": None}, "languages", "Zaznacz co najmniej jeden język."),
        ({"title": " \u00a0 "}, "title", "Wpisz tytuł."),
        ({"title": "x" * 301}, "title", "Tytuł może mieć najwyżej 300 znaków, a ten ma 301."),
    ):
        given = {name: text for name, text in {**begin, **changed}.items() if text is not None}
        reply = anna.post("/organiser/drafts?lang=pl", given)
        assert (reply.status_code, town.store.drafts()) == (422, [])
        assert f'id="wrong-{key}" role="alert">{said}<' in reply.text
        # What was ticked and typed is still there.
        assert ("checked" in reply.text.split('name="language.pl"')[1][:30]) == ("language.pl" in given)
        assert f'value="{given["title"]}"' in reply.text
    assert anna.post("/organiser/drafts?lang=pl", {**begin, "title": "x" * 300}).status_code == 303
    assert content(town)["title"] == "x" * 300


def test_two_answers_that_look_alike_are_a_mistake_at_their_field(town, anna):
    places = "[{value: a, text: {en: Library, pl: Biblioteka}}, {value: b, text: {en: Reading room, pl: ' Biblioteka'}}]"
    path = draft(anna, f"{YAML}  - {{type: radiogroup, name: where, title: Where?, choices: {places}}}\n")
    at = f"{path}/questions/0-2"
    for language, said in (
        ("en", "People would see “Biblioteka” twice"),
        ("pl", "Odpowiadający zobaczą „Biblioteka” dwa razy"),
    ):
        page = anna.get(f"{at}?lang={language}").text
        assert re.search(rf'id="wrong-choices">\s*<li>{said}', page)
    assert anna.get(at).text.count('class="answer bad"') == 1
    # Such a survey that an earlier release opened is still read.
    assert Questionnaire.from_json(content(town)).languages == ["en", "pl"]
    anna.post(at, {**anna.form(at), "choices.1.pl": "Czytelnia", "do": "stay"})
    assert "The survey can be opened as it is." in anna.get(path).text


def test_a_draft_says_at_once_whose_questions_it_replaces(town, anna):
    town.store.open_survey(Questionnaire.parse(YAML))
    path = draft(anna, YAML.replace("Habits", "Other <habits>"))
    page = anna.get(path).text
    assert "belongs to a survey that is there already: “Habits” (open)" in page
    assert "will replace its questions by those written here (version 2)" in page
    assert "„Zwyczaje” (otwarta)" in anna.get(f"{path}?lang=pl").text
    opening = anna.get(f"{path}/open").text
    assert "version 2 of “Habits”, a survey that is there already (open)" in opening
    # The box that deletes stands in a block of its own, and what will happen between it and the button.
    box, block, happens, button = (
        opening.index(text)
        for text in ('name="discard"', "</fieldset>", "will be replaced by those of this draft", ">Open it<")
    )
    assert box < block < happens < button
    town.store.close_survey("habits")
    assert "“Habits” (closed)" in anna.get(path).text
    # A draft of the survey itself, unchanged, replaces nothing; one with a name of its own is told nothing.
    same = draft(anna)
    assert "with nothing changed since version 1" in anna.get(same).text
    assert "discard" not in anna.get(f"{same}/open").text
    other = draft(anna, YAML.replace("survey: habits", "survey: other"))
    assert 'class="taken"' not in anna.get(other).text + anna.get(f"{other}/open").text


def test_closing_says_what_opening_again_will_cost(town, anna):
    town.store.open_survey(Questionnaire.parse(YAML))
    for language, said in (("en", "a price for good: what analysts see"), ("pl", "trwałą cenę: analitycy")):
        assert said in anna.post(f"/organiser/surveys/habits/close?lang={language}").text
    for language in ("en", "pl"):
        # The same facts, word for word, as on the page that opens it again.
        for said in FACTS[language]:
            assert said in WORDS[language]["reopen_public"]
            assert said in WORDS[language]["close_later"]


def test_what_was_done_is_said_once(town, anna):
    path = draft(anna)
    fields = Form(anna.get(f"{path}/open").text, f'{path}/open"').fields
    opened = anna.post(f"{path}/open", fields).headers["location"]
    assert f'Open. Send people this address: <a href="{town.url}/s/habits">{town.url}/s/habits</a>' in anna.get(opened).text
    assert "Open. Send" not in anna.get("/organiser").text
    for verb, given, said in (
        ("close", {"sure": "yes"}, "The survey is closed."),
        ("open", {"sure": "yes"}, "The survey is open again."),
        ("close", {"sure": "yes"}, "The survey is closed."),
        ("delete", {"typed": "habits"}, "The survey was deleted"),
    ):
        where = anna.post(f"/organiser/surveys/habits/{verb}", given).headers["location"]
        assert said in anna.get(where).text
        if verb == "close":
            assert ">Open again</button>" in anna.get("/organiser").text
            # A survey that is not open any more is nobody's to send.
            assert "Open. Send" not in anna.get(opened).text
    made = draft(anna)
    assert "The draft was deleted." in anna.get(anna.post(f"{made}/delete", {"sure": "yes"}).headers["location"]).text


def test_an_address_that_somebody_made_up_says_nothing_of_its_own(town, anna):
    town.store.open_survey(Questionnaire.parse(YAML))
    plain = anna.get("/organiser").text
    for query in (
        "done=<b>sent</b>",
        "done=",
        "done=opened",
        "done=opened&survey=<b>",
        "done=opened&survey=other",
        "done=delete_it",
    ):
        assert anna.get(f"/organiser?{query}").text == plain
    assert all(f"done_{code}" in WORDS[language] for code in (*DONE, OPENED) for language in WORDS)


def test_the_list_tells_nothing_of_answers_that_wait_and_no_clerk_to_type_commands(town, anna, standin):
    town.store.open_survey(standin.Standin())
    before = anna.get("/organiser").text
    assert "No answers to show yet: the first are shown when 50 have come" in before
    version = town.store.overview("town").number
    assert town.post(standin.body(version=version)).status_code == 201
    assert anna.get("/organiser").text == before
    town.store.close_survey("town")
    page = anna.get("/organiser").text
    assert "“See results” estimates the true ones." in page
    assert "deniable distribution" not in page
