"""Where those who write surveys in forms could stumble: words of a format, languages that come and go, rows of lists, reopening."""

import dataclasses
import html
import re
from pathlib import Path

import pytest

from deniable import web
from deniable.survey.drafts import parts
from deniable.survey.drafts.checked import check
from deniable.survey.drafts.fields import PAGE, QUESTION, SETTINGS
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.accounts import Account
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.draft_views import said
from deniable.web.mistake_words import MISTAKES
from deniable.web.pages import Speech, reopening_page
from tests.web.draft_writer import YAML, Form, Person, content, draft

WHOLE = {
    "survey": "town", "title": "Town", "organiser": "x", "contact": "y", "other_way": "z",
    "pages": [{"elements": [{"type": "boolean", "name": "open", "title": "?", "privacy": "none"},
    {"type": "boolean", "name": "own", "title": "?"}]}],
}  # fmt: skip
# What people can bring about in a form, or take over from a file: of the survey, and of one question.
SETTINGS_WRONG = [
    {"survey": "Town Hall"}, {"survey": "!"}, {"languages": ["x"]}, {"languages": []}, {"linkage": "maybe"}, {"show_sent": "x"},
    {"invited": "x"}, {"closes": "soon"}, {"closes": "2001-01-01"}, {"budget": "x"}, {"budget": 0.1}, {"privacy": "iron"}, {"title": ""},
    {"title": "\u202e"}, {"title": [1]}, {"colour": "red"}, {"pages": "x"}, {"languages": ["en", "pl"], "title": {"en": "Town"}},
    {"title": {"en": "Town", "pl": "Miasto"}},
]  # fmt: skip
CHOICES = {"type": "radiogroup", "choices": ["a", "b"]}
QUESTIONS_WRONG = [
    {"type": "number"}, {"type": "number", "bands": [5, 3]}, {"type": "number", "grid": True},
    {"type": "number", "grid": True, "min": 0, "max": 9, "step": 4},
    {"type": "rating", "rateMin": 1, "rateMax": 90}, {"type": "rating", "for": "x"}, {"type": "boolean", "name": "2 much"},
    {**CHOICES, "for": "mean"}, {"type": "rating", "for": "mean", "privacy": {"design": "krr", "p": 0.5}},
    {"type": "age", "for": "mean"}, {**CHOICES, "choices": ["a"]}, {**CHOICES, "choices": list(range(600))},
    {**CHOICES, "choices": ["a", "a"]},
    {**CHOICES, "choices": ["a", "no answer"]}, {**CHOICES, "choices": ["a", {"b": "c"}]}, {**CHOICES, "choices": ["a", {"text": "b"}]},
    {"type": "checkbox", "choices": ["a b", "a_b"]}, {"type": "checkbox", "choices": ["x" * 300]}, {"type": "ranking"},
    {"type": "guess"}, {"type": ""},
    {"type": "boolean", "privacy": "iron"}, {"type": "boolean", "privacy": ["x"]}, {"type": "boolean", "privacy": {"design": "iron"}},
    {"type": "boolean", "privacy": {"design": "krr"}}, {"type": "boolean", "privacy": {"design": "krr", "p": 0.99}},
    {"type": "boolean", "privacy": {"design": "neighbours", "level": "strong"}},
    {"type": "boolean", "privacy": {"design": "krr", "p": 1}}, {"type": "boolean", "privacy": {"design": "krr", "odds": 1}},
    {"type": "boolean", "privacy": {"design": "krr", "odds": 4, "p": 0.5}}, {"type": "boolean", "privacy": {"design": "krr", "odds": 21}},
    {"type": "boolean", "visibleIf": "always"}, {"type": "boolean", "visibleIf": "{nobody} = 'x'"},
    {"type": "boolean", "visibleIf": "{own} = 'yes'"},
    {"type": "boolean", "visibleIf": "{open} = 'perhaps'"}, {"type": "boolean", "showOtherItem": True},
    {"type": "boolean", "labelTruth": "x"},
    {"type": "boolean", "name": "own"}, {"type": "boolean", "title": ""},
    {"type": "radiogroup", "ordered": "perhaps", "choices": ["a", "b"]},
]  # fmt: skip
KEYS = {field.key for field in (*SETTINGS, *PAGE, *QUESTION)} | {"elements", "pages", "text"}
# Keys that are words of their own, too, are no keys unless they are written as such.
PLAIN = {"title", "description", "survey", "name", "type", "rows", "columns", "choices", "step", "unit", "for", "min", "max", "text",
         "pages",
         "languages", "privacy", "contact", "organiser", "budget", "practice", "ordered", "elements", "closes", "invited",
         "grid"}  # fmt: skip
AS_KEYS = re.compile(
    rf"\b(?:{'|'.join(sorted(KEYS - PLAIN))})\b|\b(?:{'|'.join(sorted(PLAIN))}):|\[en, pl\]|\b(?:true|false|mapping)\b"
    rf"|\b(?:survey|languages|closes|budget|bands|privacy|grid) (?:is|are|to)\b|\bgot\b"
)


def drafts():
    for wrong in SETTINGS_WRONG:
        yield {**WHOLE, **wrong}
    for wrong in QUESTIONS_WRONG:
        question = {"name": "q", "title": "Q?", **wrong}
        yield {**WHOLE, "pages": [{"elements": [*WHOLE["pages"][0]["elements"], question]}]}
    yield {**WHOLE, "pages": [{"elements": [7]}]}
    yield {**WHOLE, "pages": [{"elements": []}]}
    yield {**WHOLE, "pages": [{"elements": [{"type": "information", "name": "i", "title": "I"}]}]}
    yield {"pages": []}


@pytest.mark.parametrize("language", ["en", "pl"])
def test_forms_speak_of_fields_and_yaml_of_keys(language):
    speech, told, codes = Speech(language), [], set()
    for content_ in drafts():
        _, mistakes = check(content_)
        assert mistakes, content_
        for mistake in mistakes:
            codes.add(mistake.error.code)
            sentence = said(mistake, speech, content_)
            told += [(mistake.error.code, sentence)] if AS_KEYS.search(sentence) or "{" in sentence else []
    assert told == []
    assert len(codes) > 35
    # Every mistake that was made here has words of its own, so none of them is told as in YAML.
    assert {code for code in codes if code not in MISTAKES[language] and code != "choices"} == set()
    keyed = [one.sentence(language) for content_ in drafts() for one in check(content_)[1]]
    assert sum(AS_KEYS.search(sentence) is not None for sentence in keyed) > 15


def test_both_languages_have_words_for_the_same_mistakes():
    assert MISTAKES["en"].keys() == MISTAKES["pl"].keys()
    for code, sentences in MISTAKES["en"].items():
        fields = [[set(re.findall(r"\{(.*?)[:}]", one)) for one in MISTAKES[language][code]] for language in ("en", "pl")]
        assert fields[0] == fields[1], (code, sentences)


@pytest.fixture
def town(serve):
    return serve()


BUSES = {"type": "rating", "name": "buses", "title": {"en": "The buses?", "pl": "Autobusy?"}, "privacy": "none"}


def _shown_to_smokers(content):
    return parts.with_question(content, parts.question_at(content, (0, 1)), {**BUSES, "visibleIf": "{smokes} = 'yes'"})


def test_the_form_names_fields_and_the_yaml_page_keys(town):
    anna = Person(town)
    path = draft(anna, YAML + "  - {type: number, name: income, title: {en: Income?, pl: Dochód?}}\n")
    page = anna.get(f"{path}/questions/0-2").text
    assert re.search(r'id="wrong-bands">\s*<li>Write where the ranges begin', page)
    assert "bands: [1000" not in page
    assert "bands: [1000, 2000, 4000]" in anna.get(f"{path}/yaml").text
    assert f"{path}/questions/0-2#f-bands" in anna.get(path).text
    # A condition on a private answer names the question by its text.
    town.store.change_draft(path.split("/")[-1], _shown_to_smokers, COMMAND_LINE)
    assert "The answer to “Do you smoke?” is private" in anna.get(f"{path}/questions/0-1").text
    assert "Odpowiedź na „Czy palisz?” jest prywatna" in anna.get(f"{path}?lang=pl").text
    town.store.change_draft(
        path.split("/")[-1], lambda old: parts.with_question(old, parts.question_at(old, (0, 1)), BUSES), COMMAND_LINE
    )
    # A question's own mark does not run into a colon.
    assert "?:" not in re.sub(r"<[^>]*>", "", anna.get(path).text)
    # A condition that is typed as YAML has an example, made of what this survey asks.
    assert "visibleIf: \"{buses} = '1'\"" in html.unescape(anna.get(f"{path}/yaml").text)


def test_a_title_is_in_the_language_it_was_typed_in(town):
    anna = Person(town)
    begun = {"template": "blank", "title": "Plac zabaw", "language.en": "yes", "language.pl": "yes"}
    path = anna.post("/organiser/drafts?lang=pl", begun).headers["location"].split("?")[0]
    assert content(town)["title"] == {"pl": "Plac zabaw"}
    page = anna.get(f"{path}?lang=en").text
    assert re.search(r'settings\?lang=en#f-title">About the survey, Title</a>: Still to be written: English\.', page)


def test_a_language_that_comes_copies_nothing_and_one_that_goes_can_be_forgotten(town):
    anna = Person(town)
    plain = """
survey: town
title: Town
organiser: Town hall
contact: t@town.example
other_way: Call us.
pages:
- elements:
  - {type: radiogroup, name: where, title: Where?, choices: [North, {value: s, text: South}, '3'], privacy: none}
"""
    path = draft(anna, plain)
    settings = {**anna.form(f"{path}/settings"), "languages": "en, pl", "do": "stay"}
    saved = anna.post(f"{path}/settings", settings)
    now = content(town)
    assert (now["title"], now["contact"]) == ({"en": "Town"}, "t@town.example")
    assert now["pages"][0]["elements"][0]["choices"] == [
        {"value": "North", "text": {"en": "North"}}, {"value": "s", "text": {"en": "South"}}, "3",
    ]  # fmt: skip
    assert "Still to be written: Polski." in saved.text
    # A form that was opened before says nothing of the new language, and takes nothing away.
    assert anna.post(f"{path}/settings", {**settings, "seen": parts.mark_of(parts.settings_of(now))}).status_code == 200
    assert content(town) == now
    # Without the language its texts are left over: one button forgets them.
    filled = {**anna.form(f"{path}/settings"), "title.pl": "Miasto", "do": "stay"}
    anna.post(f"{path}/settings", filled)
    anna.post(f"{path}/settings", {**anna.form(f"{path}/settings"), "languages": "en", "do": "stay"})
    page = anna.get(path).text
    assert "There is a text in a language that the survey does not have: Polski." in page
    assert "Remove all texts in: pl" in page
    assert anna.post(path, {"do": "forget", "languages": "pl en"}).status_code == 303
    assert content(town)["title"] == {"en": "Town"}
    assert "The survey can be opened as it is." in anna.get(path).text


def test_rows_are_added_and_removed_by_buttons(town):
    anna = Person(town)
    path = draft(
        anna, YAML + "  - {type: radiogroup, name: where, title: Where?, choices: [a, {value: b, text: B}, c, null]}\n"
    )
    at = f"{path}/questions/0-2"

    def rows(page):
        return len(re.findall(r'<div class="answer', page))

    first = anna.get(at).text
    assert (rows(first), 'value="more choices"' in first, f'formaction="{at}#f-choices"' in first) == (5, True, True)
    # More rows, twice; what was typed is kept.
    more = anna.post(at, {**Form(first).fields, "choices.4.en": "e", "do": "more choices"})
    assert (rows(more.text), content(town)["pages"][0]["elements"][2]["choices"][4]) == (6, {"value": "e", "text": {"en": "e"}})
    again = anna.post(at, {**Form(more.text).fields, "do": "more choices"})
    assert (rows(again.text), again.text.count("autofocus")) == (7, 1)
    # One goes with what is typed in others; also one of which the form shows nothing.
    gone = anna.post(at, {**Form(again.text).fields, "choices.2.en": "C", "do": "drop choices 1"})
    assert content(town)["pages"][0]["elements"][2]["choices"][:2] == ["a", {"value": "c", "text": {"en": "C"}}]
    anna.post(at, {**Form(gone.text).fields, "do": "drop choices 2"})
    values = [one if isinstance(one, str) else one["value"] for one in content(town)["pages"][0]["elements"][2]["choices"]]
    assert values == ["a", "c", "e"]


def test_what_is_added_to_answers_is_said_in_the_words_that_people_read(town):
    anna = Person(town)
    kinds = ["radiogroup", "checkbox"]
    questions = "".join(f"  - {{type: {kind}, name: {kind}, title: Which?, choices: [a, b]}}\n" for kind in kinds)
    path = draft(anna, YAML + questions)
    words = (Path(web.__file__).parent / "static" / "words.js").read_text()
    for language, marks, one_by_one in (("en", "“”", "are asked one by one"), ("pl", "„”", "pyta po kolei")):
        for number, kind in enumerate(kinds, 2):
            page = anna.get(f"{path}/questions/0-{number}?lang={language}").text
            added = re.search(rf"{marks[0]}([^{marks[1]}]+){marks[1]} (?:is added by itself|jest dodawane automatycznie)", page)
            assert f'noAnswer: "{added.group(1)}"' in words
            assert (one_by_one in page) is (kind == "checkbox")


def test_reopening_is_explained_before_it_happens(town):
    anna = Person(town)
    asked = Questionnaire.parse(YAML + "invited: true\n")
    town.store.open_survey(asked)
    town.store.close_survey("habits")
    path = "/organiser/surveys/habits/open"
    for language, heading in (("en", "Open “Habits” again?"), ("pl", "Otworzyć „Zwyczaje” ponownie?")):
        page = anna.post(f"{path}?lang={language}")
        assert (page.status_code, heading in page.text, town.store.overview("habits").state) == (200, True, "closed")
    assert "Invitations that have not been used" in anna.post(path).text
    assert anna.post(path, {"sure": "yes"}).status_code == 303
    assert town.store.overview("habits").state == "open"
    assert anna.post("/organiser/surveys/nowhere/open").status_code == 404


def test_a_survey_whose_last_day_is_over_gets_a_new_version_instead(town):
    town.store.open_survey(Questionnaire.parse(YAML))
    town.store.close_survey("habits")
    late = dataclasses.replace(town.store.overview("habits"), closes="2001-01-01")
    page = reopening_page(late, Account("Anna", "owner", "mark", True, None), Speech("en"))
    assert "Its last day, 1 January 2001, is over, so it cannot be opened again as it is." in page
    assert 'name="sure"' not in page
    assert Form(page, '/organiser/drafts"').fields == {"survey": "habits"}


def test_looking_at_a_draft_changes_nothing(town):
    anna = Person(town)
    made = town.store.add_draft(WHOLE, COMMAND_LINE)
    for where in ("", "/settings", "/questions/0-1", "/yaml", "/open", "/plan"):
        assert anna.get(f"/organiser/drafts/{made.key}{where}").status_code == 200
    assert town.store.draft(made.key).revision == 1
