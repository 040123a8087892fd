"""Writing a survey on the page: from blank to open, mistakes at their fields, two people at once, files, YAML, versions, deleting."""

import datetime
import html
import json
import re

import pytest

from deniable.survey.drafts import parts
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.body_limits import LARGEST_DRAFT
from tests.web.draft_writer import YAML, Form, Person, content, draft


@pytest.fixture
def town(serve):
    return serve()


def test_a_survey_is_written_from_blank_and_opened(town):
    anna = Person(town)
    assert "Write a new survey" in anna.get("/organiser").text
    began = anna.post(
        "/organiser/drafts", {"template": "blank", "title": "Życie w mieście", "language.en": "yes", "language.pl": "yes"}
    )
    path = began.headers["location"]
    page = anna.get(path).text
    assert "Still to be done (5)" in page
    assert f"{path}/settings#f-organiser" in page
    settings = anna.form(f"{path}/settings")
    assert settings["survey"] == "zycie-w-miescie"
    # The title was typed on an English page: nobody has written it in Polish yet.
    assert (settings["title.en"], settings["title.pl"]) == ("Życie w mieście", "")
    settings |= {
        "title.en": "Life in town",
        "title.pl": "Życie w mieście",
        "organiser.en": "Town hall",
        "organiser.pl": "Urząd",
        "closes": "2099-12-31",
    }
    settings |= {f"{key}.{language}": key for key in ("contact", "other_way") for language in ("en", "pl")}
    assert anna.post(f"{path}/settings", {**settings, "do": "back"}).headers["location"] == path
    for kind, title in (("boolean", "Do you smoke?"), ("radiogroup", "Where?")):
        at = anna.post(path, {"do": "add", "kind": kind}).headers["location"]
        fields = {**anna.form(at), "title.en": title, "title.pl": f"{title} (pl)"}
        if kind == "radiogroup":
            fields |= {
                "choices.0.en": "North",
                "choices.0.pl": "Północ",
                "choices.0.value": "n",
                "choices.1.en": "South",
                "choices.1.pl": "Południe",
            }
        saved = anna.post(at, {**fields, "do": "stay"})
        assert (saved.status_code, "Saved." in saved.text) == (200, True)
    assert "The survey can be opened as it is." in anna.get(path).text
    opening = anna.get(f"{path}/open").text
    assert f"{town.url}/s/zycie-w-miescie" in opening
    assert all(
        said in opening
        for said in ("Life in town", "anyone who knows the address", "31 December 2099", "2, of which 2 private")
    )
    assert town.store.slugs() == []
    fields = Form(opening, f'{path}/open"').fields
    assert anna.post(f"{path}/open", fields).headers["location"] == "/organiser?done=opened&survey=zycie-w-miescie"
    assert (town.store.slugs(), town.store.drafts()) == (["zycie-w-miescie"], [])
    client = json.loads(town.store.current("zycie-w-miescie")[1])
    assert client["pages"][0]["elements"][1]["choices"] == [
        {"value": "n", "text": {"en": "North", "pl": "Północ"}}, {"value": "South", "text": {"en": "South", "pl": "Południe"}},
    ]  # fmt: skip
    assert [(line.actor.name, line.action) for line in town.store.audit_lines() if line.action == "opened"] == [
        ("Anna", "opened")
    ]


def test_mistakes_stand_at_their_fields_and_do_not_keep_a_draft_from_being_saved(town):
    anna = Person(town)
    path = draft(anna)
    at = f"{path}/questions/0-0"
    fields = {**anna.form(at), "title.pl": "", "name": "2 much", "privacy": "design", "privacy.design": "{design: iron"}
    for language, missing in (("en", "Still to be written: Polski"), ("pl", "Brakuje jeszcze: Polski")):
        said = anna.post(f"{at}?lang={language}", {**fields, "do": "stay"}).text
        assert re.search(rf'id="wrong-title">\s*<li>[^<]*{missing}', said)
        assert re.search(r'id="wrong-name">\s*<li>', said)
        assert re.search(r'id="wrong-privacy">\s*<li>', said)
        fields["seen"] = Form(said).fields["seen"]
    assert content(town)["pages"][0]["elements"][0]["privacy"] == "{design: iron"
    page = anna.get(path).text
    assert f"{at}#f-title" in page
    assert "Something is still to be done before it can be opened (3)" in anna.get(f"{path}/open").text
    opened = anna.post(f"{path}/open", {"sure": "yes", "seen": parts.mark_of(content(town))})
    assert (opened.status_code, town.store.slugs()) == (422, [])


def test_saving_while_typing(town):
    anna = Person(town)
    at = f"{draft(anna)}/questions/0-0"
    fields = {**anna.form(at), "title.en": "Do you smoke at all?"}
    script = {"Accept": "application/json"}
    first = anna.post(at, fields, headers=script).json()
    assert (first["said"], first["wrong"]["title"]) == ("Saved.", [])
    fields |= {"seen": first["seen"], "title.en": ""}
    second = anna.post(at, fields, headers=script).json()
    assert second["wrong"]["title"] != []
    late = anna.post(at, {**fields, "title.en": "late"}, headers=script)
    assert (late.status_code, "Nothing was overwritten" in late.json()["said"]) == (409, True)
    assert content(town)["pages"][0]["elements"][0]["title"] == {"pl": "Czy palisz?"}


def test_two_people_at_once_choose_and_nothing_is_overwritten(town):
    anna, jan = Person(town), Person(town, "Jan")
    path = draft(anna)
    at = f"{path}/questions/0-0"
    first, second = anna.form(at), jan.form(at)
    other = jan.form(f"{path}/questions/0-1")
    assert anna.post(at, {**first, "title.en": "Anna's", "do": "back"}).status_code == 303
    assert jan.post(f"{path}/questions/0-1", {**other, "title.en": "The trams?", "do": "back"}).status_code == 303
    conflict = jan.post(at, {**second, "title.en": "Jan's", "do": "back"})
    assert conflict.status_code == 409
    assert all(text in conflict.text for text in ("has changed the same part", "Anna&#39;s", "Jan&#39;s"))
    assert [one.given["title"]["en"] for one in parts.questions_of(content(town))] == ["Anna's", "The trams?"]
    mine = {name: html.unescape(text) for name, text in Form(conflict.text, f'{at}"').fields.items()}
    assert jan.post(at, {**mine, "do": "back"}).status_code == 303
    assert [one.given["title"]["en"] for one in parts.questions_of(content(town))] == ["Jan's", "The trams?"]
    # Somebody removes what another writes on: it can be added again.
    late = anna.form(at)
    marks = [one.mark for one in parts.questions_of(content(town))]
    gone = {"do": "remove", "at": "0-0", "seen": marks[0]}
    assert "Remove this question?" in jan.post(path, gone).text
    assert len(list(parts.questions_of(content(town)))) == 2
    assert jan.post(path, {**gone, "sure": "yes"}).status_code == 303
    conflict = anna.post(at, {**late, "title.en": "Anna again", "do": "back"})
    assert (conflict.status_code, "has removed this part" in conflict.text) == (409, True)
    mine = Form(conflict.text, f'{at}"').fields
    assert anna.post(at, {**mine, "do": "again"}).status_code == 303
    assert [one.given["title"]["en"] for one in parts.questions_of(content(town))] == ["The trams?", "Anna again"]
    # Both settings, and both as YAML.
    for page, field in ((f"{path}/settings", "title.en"), (f"{path}/yaml", "text")):
        marked = 'class="part"' if field == "title.en" else f'{path}/yaml"'
        one, two = (Form(person.get(page).text, marked).fields for person in (anna, jan))
        assert anna.post(page, {**one, field: one[field].replace("Habits", "Ours")}).status_code in (200, 303)
        assert jan.post(page, {**two, field: two[field].replace("Habits", "Mine")}).status_code == 409
        assert content(town)["title"]["en"] == "Ours"
        changed = {**content(town), "title": {"en": "Habits", "pl": "Zwyczaje"}}
        town.store.change_draft(path.split("/")[-1], lambda _, changed=changed: changed, COMMAND_LINE)


def test_questions_are_moved_copied_and_put_on_pages(town):
    anna = Person(town)
    path = draft(anna)

    def names():
        return [[one["name"] for one in page["elements"]] for page in content(town)["pages"]]

    def do(verb, at, **more):
        mark = parts.question_at(content(town), parts.place_of(at)).mark
        return anna.post(path, {"do": verb, "at": at, "seen": mark, **more})

    do("down", "0-0")
    assert names() == [["buses", "smokes"]]
    do("copy", "0-1")
    assert names() == [["buses", "smokes", "smokes2"]]
    do("split", "0-1")
    assert names() == [["buses"], ["smokes", "smokes2"]]
    do("up", "1-0")
    assert names() == [["buses", "smokes"], ["smokes2"]]
    stale = anna.post(path, {"do": "up", "at": "1-0", "seen": "another mark"})
    assert (stale.status_code, names()) == (409, [["buses", "smokes"], ["smokes2"]])
    assert anna.post(path, {"do": "join", "page": "1", "seen": parts.mark_of({})}).status_code == 303
    assert names() == [["buses", "smokes", "smokes2"]]
    heading = {**anna.form(f"{path}/pages/0"), "title.en": "You", "title.pl": "Ty", "do": "back"}
    assert anna.post(f"{path}/pages/0", heading).status_code == 303
    assert content(town)["pages"][0]["title"] == {"en": "You", "pl": "Ty"}
    up = anna.form(f"{path}/questions/0-0")
    assert up["visibleIf"] == ""
    assert 'value="{buses} = &#39;1&#39;"' in anna.get(f"{path}/questions/0-1").text


def test_answers_of_a_list_are_moved_up(town):
    anna = Person(town)
    path = draft(anna, YAML + "  - {type: radiogroup, name: where, title: Where?, choices: [a, {value: b, text: B}, c]}\n")
    at = f"{path}/questions/0-2"
    anna.post(at, {**anna.form(at), "do": "up choices 1"})
    assert content(town)["pages"][0]["elements"][2]["choices"] == [{"value": "b", "text": "B"}, "a", "c"]


def test_yaml_is_shown_downloaded_and_brought_back(town):
    anna = Person(town)
    path = draft(anna)
    got = anna.get(f"{path}/draft.yaml")
    assert 'filename="habits.yaml"' in got.headers["content-disposition"]
    assert Questionnaire.parse(got.text).client() == Questionnaire.parse(YAML).client()
    before = content(town)
    uploaded = anna.ask(
        "POST", "/organiser/drafts", files={"file": ("q.yaml", got.content, "application/yaml"), "text": (None, "")}
    )
    assert uploaded.status_code == 303
    assert anna.post(f"{uploaded.headers['location']}/delete", {"sure": "yes"}).status_code == 303
    assert content(town) == before
    fields = Form(anna.get(f"{path}/yaml").text, f'{path}/yaml"').fields
    broken = anna.post(f"{path}/yaml", {**fields, "text": "survey: a\n  title: [b"})
    assert (broken.status_code, "Line " in broken.text, "title: [b" in broken.text) == (422, True, True)
    assert content(town) == before
    kept = anna.post(f"{path}/yaml", {**fields, "text": fields["text"].replace("rating", "ranking")})
    assert (kept.status_code, "Line 13: " in kept.text) == (200, True)
    assert content(town)["pages"][0]["elements"][1]["type"] == "ranking"
    for nothing in ("", "- a list", "a: &a [*a]", "x" * 600_000):
        assert anna.post("/organiser/drafts", {"text": nothing}).status_code == 422


def test_a_new_version_and_a_register(town):
    anna = Person(town)
    path = draft(anna, YAML + "linkage: register\n")
    page = anna.get(f"{path}/open").text
    fields = Form(page, f'{path}/open"').fields
    assert anna.post(f"{path}/open", {**fields, "until": ""}).status_code == 422
    assert anna.post(f"{path}/open", {**fields, "until": "2099-01-31"}).status_code == 303
    assert json.loads(town.store.current("habits")[1])["contacts_until"] == "2099-01-31"
    again = anna.post("/organiser/drafts", {"survey": "habits"}).headers["location"]
    assert "Nothing has changed since version 1" in anna.get(f"{again}/open").text
    settings = {**anna.form(f"{again}/settings"), "title.en": "New habits", "do": "back"}
    anna.post(f"{again}/settings", settings)
    page = anna.get(f"{again}/open").text
    assert "This becomes version 2" in page
    fields = Form(page, f'{again}/open"').fields
    assert anna.post(f"{again}/open", {**fields, "until": "2099-01-31"}).status_code == 303
    assert (town.store.overview("habits").number, town.store.overview("habits").title["en"]) == (2, "New habits")


def test_the_page_that_was_read_is_what_is_opened(town):
    anna = Person(town)
    path = draft(anna)
    fields = Form(anna.get(f"{path}/open").text, f'{path}/open"').fields
    town.store.change_draft(path.split("/")[-1], lambda old: {**old, "title": "Other"}, COMMAND_LINE)
    assert anna.post(f"{path}/open", fields).status_code == 422
    assert town.store.slugs() == []
    assert anna.post(f"{path}/open", {"seen": parts.mark_of(content(town))}).status_code == 303
    assert town.store.slugs() == []


def test_surveys_by_title_with_what_to_do_next(town):
    anna, analyst = Person(town), Person(town, "Jan", "analyst")
    asked = Questionnaire.parse(YAML)
    town.store.open_survey(asked)
    draft(anna, YAML.replace("Habits", "In the drawer"))
    for person, sees in ((anna, True), (analyst, False)):
        page = person.get("/organiser").text
        assert all(text in page for text in (">Habits</a>", "No answers to show yet"))
        assert [text in page for text in ("Go on writing", "In the drawer", "Write a new survey", "New version")] == [sees] * 4
    assert ">Zwyczaje</a>" in anna.get("/organiser?lang=pl").text
    town.store.close_survey("habits")
    assert "No answers came" in anna.get("/organiser").text
    invited = Questionnaire.parse(YAML.replace("habits", "by-invitation") + "invited: true\n")
    town.store.open_survey(invited)
    assert "deniable survey invite by-invitation" in anna.get("/organiser").text


def test_a_survey_is_deleted_by_typing_its_name(town):
    anna = Person(town)
    town.store.open_survey(Questionnaire.parse(YAML))
    path = "/organiser/surveys/habits/delete"
    assert "It is still open" in anna.post(path, {"typed": "habits"}).text
    town.store.close_survey("habits")
    page = anna.post(path)
    assert (page.status_code, "Backups and files that were exported keep" in page.text) == (200, True)
    wrong = anna.post(path, {"typed": "habit"})
    assert (wrong.status_code, town.store.slugs()) == (422, ["habits"])
    assert anna.post(path, {"typed": "habits"}).status_code == 303
    assert town.store.slugs() == []
    assert town.client.get("/s/habits").status_code == 404
    assert "deleted the survey \u2068habits\u2069 with all that belongs to it" in anna.get("/organiser/audit").text


def test_large_drafts_are_taken_from_those_who_have_logged_in(town):
    anna = Person(town)
    choices = ", ".join(f"'choice number {i} {'x' * 200}'" for i in range(500))
    large = YAML + f"  - {{type: dropdown, name: long, title: Long, choices: [{choices}]}}\n"
    assert len(large) > 64 * 1024
    path = draft(anna, large)
    at = f"{path}/questions/0-2"
    fields = {**anna.form(at), "title.en": "Longer", "do": "back"}
    assert anna.post(at, fields).status_code == 303
    assert len(content(town)["pages"][0]["elements"][2]["choices"]) == 500
    assert anna.post("/organiser/drafts", {"text": "x" * (LARGEST_DRAFT + 1)}).status_code == 413
    assert anna.post("/organiser/accounts", {"name": "x" * 70_000, "role": "owner"}).status_code == 413


def test_the_last_day_is_over(town):
    anna = Person(town)
    yesterday, today = ((datetime.date.today() - datetime.timedelta(days=days)).isoformat() for days in (1, 0))
    path = draft(anna)
    settings = anna.form(f"{path}/settings")
    late, said = {**settings, "closes": yesterday, "do": "stay"}, "This day is over, so nobody could answer."
    page = anna.post(f"{path}/settings", late).text
    assert re.search(rf'id="wrong-closes">\s*<li>{said}', page)
    typed = {**Form(page).fields, "title.en": "Typed"}
    assert said in anna.post(f"{path}/settings", typed, headers={"Accept": "application/json"}).json()["wrong"]["closes"][0]
    assert f"{path}/settings#f-closes" in anna.get(path).text
    assert "Something is still to be done before it can be opened (1)" in anna.get(f"{path}/open").text
    # As YAML it is said by its key, and whoever opens it all the same is refused.
    assert "Closes: " in anna.get(f"{path}/yaml").text
    refused = anna.post(f"{path}/open", {"sure": "yes", "seen": parts.mark_of(content(town))})
    assert (refused.status_code, town.store.slugs()) == (422, [])
    on_time = {**anna.form(f"{path}/settings"), "closes": today, "do": "stay"}
    assert said not in anna.post(f"{path}/settings", on_time).text
