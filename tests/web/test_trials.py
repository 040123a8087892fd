"""Preview, trial and made-up answers on the pages of a draft."""

import json
import re
import threading
import time

import httpx
import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.trials import make_up, open_trial
from deniable.web import draft_trial
from deniable.web.accounts import COOKIE
from deniable.web.headers import POLICY
from deniable.web.released import SHELL, STATIC
from tests.web.draft_writer import YAML


class Person:
    """Somebody who has logged in."""

    def __init__(self, town, name="Anna", role="owner"):
        town.store.add_account(name, role, name, COMMAND_LINE)
        self.town, made = town, town.store.choose_password(name, "no password has this hash")
        self.cookie = town.service.app.state.accounts._new_session(made)

    def ask(self, verb, path, data=None):
        self.town.client.cookies.clear()
        headers = {"Origin": self.town.url, "Cookie": f"{COOKIE}={self.cookie}"}
        return self.town.client.request(verb, path, data=data, headers=headers)

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, **data):
        return self.ask("POST", path, data or {"x": ""})


@pytest.fixture
def town(serve):
    return serve()


@pytest.fixture
def anna(town):
    return Person(town)


def drafted(town, text=YAML, **changes):
    content = {**Questionnaire.parse(text).to_json(), **changes}
    made = town.store.add_draft(content, COMMAND_LINE)
    return f"/organiser/drafts/{made.key}"


def body(number, **report):
    return {"version": number, "id": "i" * 22, "report": {"smokes": 1, "buses": 2, **report}}


def test_the_preview_is_the_released_page_with_its_own_policy(town, anna):
    path = drafted(town)
    reply, real = anna.get(f"{path}/preview"), town.client.get("/s/nowhere")
    assert (reply.status_code, reply.content) == (200, (STATIC / SHELL).read_bytes())
    assert reply.headers["content-security-policy"] == POLICY == real.headers["content-security-policy"]
    told = anna.get(f"{path}/preview/survey")
    assert told.headers["cache-control"] == "no-store"
    expected = {**Questionnaire.parse(YAML).client(), "version": 1, "open": True, "contacts_until": None}
    assert told.json() == json.loads(json.dumps(expected))
    without = anna.get(f"{path}/preview?other-way").text
    assert ("Call 555 0100." in without, "apart-banner" in without) == (True, False)
    # Nothing takes answers there, or anywhere else for a draft.
    for where in (f"{path}/preview", f"{path}/preview/survey", f"{path}/preview/answers", f"{path}/preview/survey/answers"):
        assert anna.ask("POST", where, {"x": ""}).status_code in (404, 405)
    assert town.store.slugs() == []
    assert {line.action for line in town.store.audit_lines()} == {"added_owner", "chose_password"}


def test_a_draft_with_mistakes_leads_to_the_list_of_them(town, anna):
    path = drafted(town, organiser="")
    for language, said in (("en", "There is no preview yet"), ("pl", "Podglądu jeszcze nie ma")):
        reply = anna.get(f"{path}/preview?lang={language}")
        assert (reply.status_code, said in reply.text, "#f-organiser" in reply.text) == (422, True, True)
    told = anna.get(f"{path}/preview/survey")
    assert (told.status_code, told.json()["code"]) == (422, "draft_wrong")
    trial = anna.get(f"{path}/trial")
    assert (trial.status_code, "Something is still to be done" in trial.text) == (200, True)
    assert 'value="try"' not in trial.text
    for verb in ("try", "make-up"):
        assert anna.post(f"{path}/trial", do=verb).status_code == 422
    assert town.store.slugs() == []


def test_a_draft_that_is_gone_says_so(town, anna):
    for path in ("preview", "preview/survey", "trial"):
        assert anna.get(f"/organiser/drafts/{'0' * 16}/{path}").status_code == 404
    assert anna.post(f"/organiser/drafts/{'0' * 16}/trial", do="try").status_code == 404


def test_a_trial_from_its_button_to_its_end(town, anna):
    path = drafted(town)
    assert "Open a trial" in anna.get(f"{path}/trial").text
    assert anna.post(f"{path}/trial", do="try").headers["location"] == f"{path}/trial"
    page = anna.get(f"{path}/trial").text
    [slug] = town.store.slugs()
    assert re.fullmatch("trial--habits--[0-9a-f]{12}", slug)
    assert f"{town.url}/s/{slug}" in page
    assert "once you close it" in page
    assert town.client.get(f"/s/{slug}").content == (STATIC / SHELL).read_bytes()
    without = town.client.get(f"/s/{slug}?other-way").text
    assert ("This is a trial." in without, "To jest próba." in without) == (True, True)
    assert town.post(body(1_000_001), slug).status_code == 201
    # The draft is changed: that is said, and a new trial begins only if it is wanted.
    key = path.rsplit("/", 1)[1]
    town.store.change_draft(key, lambda content: {**content, "title": "Other habits"}, COMMAND_LINE)
    assert "The draft has changed" in anna.get(f"{path}/trial").text
    assert town.store.overview(slug).number == 1_000_001
    assert anna.post(f"{path}/trial", do="close").headers["location"] == f"/organiser/surveys/{slug}/results"
    results = anna.get(f"/organiser/surveys/{slug}/results").text
    assert '<p class="apart-banner">This is a trial. Its answers count in no survey.</p>' in results
    assert "To jest próba." in anna.get(f"/organiser/surveys/{slug}/results?lang=pl").text
    # The survey itself is opened from the same draft; the trial is in nobody's way, and stays until it is deleted.
    opening = anna.get(f"{path}/open").text
    assert "A trial of this survey is still there." in opening
    mark = re.search(r'name="seen" value="(\w+)"', opening)[1]
    assert anna.post(f"{path}/open", sure="yes", seen=mark).headers["location"] == "/organiser?done=opened&survey=habits"
    assert town.store.slugs() == ["habits", slug]
    asked = anna.post(f"/organiser/surveys/{slug}/delete")
    assert (asked.status_code, "Delete the trial of “Habits”?" in asked.text) == (200, True)
    assert town.store.slugs() == ["habits", slug]
    gone = anna.post(f"/organiser/surveys/{slug}/delete", sure="yes").headers["location"]
    assert "The trial was deleted, with its answers." in anna.get(gone).text
    assert town.store.slugs() == ["habits"]
    assert town.client.get(f"/s/{slug}").status_code == 404


def test_made_up_residents_from_their_button_to_their_end(town, anna):
    path = drafted(town)
    assert 'value="500"' in anna.get(f"{path}/trial").text
    assert anna.post(f"{path}/trial", do="make-up", people="500").headers["location"] == f"{path}/trial"
    seen = town.store.overview("made-up--habits")
    assert (seen.mixed, seen.state) == (500, "closed")
    page = anna.get(f"{path}/trial").text
    for view in ("results", "report", "publish"):
        assert f'href="/organiser/surveys/made-up--habits/{view}"' in page
    banner = "These answers are made up. Nobody gave them."
    assert banner in anna.get("/organiser/surveys/made-up--habits/results").text
    assert banner in anna.get("/organiser/surveys/made-up--habits/results?view=cross&of=smokes&by=buses").text
    assert "nobody gave them" in anna.get("/organiser/surveys/made-up--habits/report/en").text
    assert "nikt ich nie udzielił" in anna.get("/organiser/surveys/made-up--habits/report/pl").text
    publish = anna.get("/organiser/surveys/made-up--habits/publish").text
    assert "never released to everyone" in publish
    assert "<button>Release" not in publish
    assert banner in anna.get("/organiser/surveys/made-up--habits/publish/en").text
    # Others can be made up; nobody else adds to them, and nobody exports them.
    assert town.post(body(seen.number), "made-up--habits").json()["code"] == "unknown_survey"
    assert anna.post("/organiser/surveys/made-up--habits/open").json()["code"] == "made_up_closed"
    assert anna.get("/organiser/surveys/made-up--habits/export.zip").json()["code"] == "trial_not_exported"
    assert anna.post(f"{path}/trial", do="make-up", people="60").status_code == 303
    assert town.store.overview("made-up--habits").mixed == 60
    asked = anna.post(f"{path}/trial?lang=pl", do="delete-made-up").text
    assert "Usunąć zmyślone odpowiedzi na ankietę „Zwyczaje”?" in asked
    assert town.store.slugs() == ["made-up--habits"]
    gone = anna.post(f"{path}/trial", do="delete-made-up", sure="yes").headers["location"]
    assert "The made-up answers were deleted." in anna.get(gone).text
    assert town.store.slugs() == []


@pytest.mark.parametrize("people", ["0", "-5", "many", "1e3", "10001", "99999999999", "٥"])
def test_so_many_are_not_made_up(town, anna, people):
    path = drafted(town)
    for language, said in (("en", "Between 1 and 10000"), ("pl", "od 1 do 10000")):
        reply = anna.post(f"{path}/trial?lang={language}", do="make-up", people=people)
        assert (reply.status_code, said in reply.text) == (422, True)
    assert town.store.slugs() == []


def test_verbs_that_do_not_fit_change_nothing(town, anna):
    path = drafted(town)
    for verb in ("close", "delete", "delete-made-up"):
        assert anna.post(f"{path}/trial", do=verb, sure="yes").status_code in (404, 422)
    assert anna.post(f"{path}/trial", do="burn").status_code == 422
    assert town.store.slugs() == []


def test_the_list_shows_them_apart_and_analysts_delete_none(town, anna):
    jan = Person(town, "Jan", "analyst")
    town.store.open_survey(Questionnaire.parse(YAML.replace("habits", "real")))
    asked = Questionnaire.parse(YAML)
    tried = open_trial(town.store, asked, COMMAND_LINE).slug
    make_up(town.store, asked, 120, COMMAND_LINE)
    page = anna.get("/organiser").text
    table, _, apart = page.partition("<h2>Trials</h2>")
    assert ("/s/real" in table, "--habits" in table, "/s/real" in apart) == (True, False, False)
    assert all(part in apart for part in (f'"/s/{tried}"', "(made-up--habits)", "Made up", "120 released"))
    assert "/s/made-up--habits" not in page  # there is no such page
    assert "export." not in apart
    assert "Próby" in anna.get("/organiser?lang=pl").text
    read = jan.get("/organiser").text
    assert (f"/s/{tried}" in read, "/delete" in read, "100 or more released" in read) == (True, False, True)
    assert jan.post(f"/organiser/surveys/{tried}/delete").status_code == 403
    assert "apart-banner" in jan.get("/organiser/surveys/made-up--habits/results").text
    assert len(town.store.slugs()) == 3


def test_a_real_survey_still_needs_its_name_typed(town, anna):
    town.store.open_survey(Questionnaire.parse(YAML))
    town.store.close_survey("habits")
    assert "type its short name" in anna.post("/organiser/surveys/habits/delete").text
    assert town.store.slugs() == ["habits"]


def test_a_draft_may_not_take_the_name_of_a_trial(town, anna):
    path = drafted(town, survey="trial--habits")
    page = anna.get(path).text
    assert "are kept for trials. Write for example: habits" in page
    assert "są dla prób. Można wpisać na przykład: habits" in anna.get(f"{path}?lang=pl").text
    mark = "x"
    for where in ("open", "trial"):
        assert anna.post(f"{path}/{where}", sure="yes", seen=mark, do="try").status_code == 422
    assert town.store.slugs() == []


def test_who_answers_waits_for_nobody_who_makes_up_people(town, anna, monkeypatch):
    """Somebody makes up people for a long while: answers are stored meanwhile, and others who want to try something come again."""
    town.store.open_survey(Questionnaire.parse(YAML.replace("habits", "real")))
    path, begun, go_on = drafted(town), threading.Event(), threading.Event()

    def slowly(*given):
        begun.set()
        assert go_on.wait(30)
        return make_up(*given)

    monkeypatch.setattr(draft_trial, "make_up", slowly)
    replies = []
    cookies = {"Origin": town.url, "Cookie": f"{COOKIE}={anna.cookie}"}

    def press():
        replies.append(httpx.post(f"{town.url}{path}/trial", data={"do": "make-up"}, headers=cookies, timeout=60))

    pressing = [threading.Thread(target=press) for _ in range(4)]
    for one in pressing:
        one.start()
    assert begun.wait(30)
    assert town.post(body(1), "real").status_code == 201
    assert anna.get(f"{path}/trial").status_code == 200
    until = time.monotonic() + 30
    while not replies and time.monotonic() < until:
        time.sleep(0.01)
    assert [reply.status_code for reply in replies] == [503]
    go_on.set()
    for one in pressing:
        one.join()
    # One works and two wait; the fourth is told to come again.
    assert sorted(reply.status_code for reply in replies) == [303, 303, 303, 503]


def test_so_many_columns_allow_fewer_people_and_the_page_says_how_many(town, anna):
    boxes = {
        "type": "checkbox",
        "name": "which",
        "title": "Which?",
        "choices": [f"a{i}" for i in range(400)],
        "privacy": "strong",
    }
    path = drafted(town, languages=["en"], title="Habits", pages=[{"elements": [boxes]}])
    for language, said in (("en", "5000 residents at most"), ("pl", "najwyżej 5000")):
        reply = anna.post(f"{path}/trial?lang={language}", do="make-up", people="5001")
        assert (reply.status_code, said in reply.text, "400" in reply.text) == (422, True, True)
    assert town.store.slugs() == []


def test_files_of_results_say_that_they_are_made_up_or_of_a_trial(town, anna):
    asked = Questionnaire.parse(YAML)
    town.store.open_survey(Questionnaire.parse(YAML.replace("habits", "real")))
    tried = open_trial(town.store, asked).slug
    for slug, number in (("real", 1), (tried, 1_000_001)):
        assert town.post(body(number), slug).status_code == 201
        town.store.close_survey(slug)
    make_up(town.store, asked, 60)
    for slug, kind, english, polish in (
        ("real", None, "", ""),
        (tried, "trial", "This is a trial.", "To jest próba."),
        ("made-up--habits", "made-up", "These answers are made up. Nobody gave them.", "Te odpowiedzi są zmyślone."),
    ):
        for view in ("view=question&of=smokes", "", "view=cross&of=smokes&by=buses"):
            path = f"/organiser/surveys/{slug}/results"
            for language, said in (("en", english), ("pl", polish)):
                found = {one: anna.get(f"{path}.{one}?{view}&lang={language}") for one in ("json", "csv", "svg", "png", "py")}
                assert [found[one].status_code for one in ("json", "csv", "svg", "png")] == [200] * 4
                told = found["json"].json()
                head, *lines = found["csv"].text.splitlines()
                assert (told.get("kind"), "mark" in told, "mark" in head) == (kind, kind is not None, kind is not None)
                if kind is None:
                    assert found["py"].status_code == 200
                    continue
                assert told["mark"].startswith(said)
                assert (len(lines) > 0, all(said in line for line in lines)) == (True, True)
                assert f">{said}" in found["svg"].text
                assert found["png"].content.startswith(b"\x89PNG")
                assert (found["py"].status_code, found["py"].json()["code"]) == (409, "trial_no_code")
                assert ("eksportować" if language == "pl" else "not exported") in found["py"].json()["message"]


def test_a_draft_from_the_command_line_says_so_in_the_list(town, anna):
    drafted(town)
    assert "(saved on the command line)" in anna.get("/organiser").text
    assert "(ostatni zapis: z wiersza poleceń)" in anna.get("/organiser?lang=pl").text


def test_what_is_remembered_of_trials_is_changed_by_the_thread_that_remembers_it(town, anna, monkeypatch):
    """Another would change it while it is gone through, and somebody who answers would be told of a fault."""
    collector, threads = town.service.app.state.collector, {"asks": set(), "forgets": set()}
    asked_by, forgotten_by = type(collector).asked, type(collector).forget

    async def asks(one, slug, sent):
        threads["asks"].add(threading.get_ident())
        return await asked_by(one, slug, sent)

    def forgets(one, slug, deleted=False):
        threads["forgets"].add(threading.get_ident())
        forgotten_by(one, slug, deleted)

    monkeypatch.setattr(type(collector), "asked", asks)
    monkeypatch.setattr(type(collector), "forget", forgets)
    path = drafted(town)
    anna.post(f"{path}/trial", do="try")
    [slug] = town.store.slugs()
    assert town.post(body(1_000_001), slug).status_code == 201
    for verb in ("close", "try", "delete"):
        assert anna.post(f"{path}/trial", do=verb, sure="yes").status_code == 303
    assert town.post(body(1_000_001), slug).status_code == 404
    assert threads["forgets"] == threads["asks"]
