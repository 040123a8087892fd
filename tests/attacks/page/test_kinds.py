"""A server that sends the released page and says, in place of the survey, that it is another kind of page.

It wants a real survey's page to keep the answers back, or to say that they do not count; a trial's page to hide that it is one; and the
preview of a draft, in which an organiser types whatever comes to mind, to send it. Only the address tells the page what it is. With a page
that asks the survey instead, each of them wins.
"""

from __future__ import annotations

import json
import threading

import pytest

from deniable.survey import trials
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.trials import open_trial
from deniable.web.app import Settings
from deniable.web.released import STATIC
from deniable.web.serve import Service

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

ASKED = Questionnaire.parse(
    """
survey: town
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
pages:
- elements:
  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
"""
)


TRIAL = "trial--town--0123456789ab"


def place(kind, slug):
    """All that a page knows of itself, as a server would like to tell it."""
    answers = None if kind == "preview" else f"/api/surveys/{slug}/answers"
    return {
        "kind": kind,
        "survey": f"/api/surveys/{slug}",
        "answers": answers,
        "name": slug,
        "draft": "/organiser" if answers is None else None,
    }


# Numbers of versions are those that the other survey takes.
CLAIMS = {
    "preview": {
        "kind": "preview",
        "preview": True,
        "previewed": True,
        "answers": None,
        "trial": True,
        "place": place("preview", "town"),
    },
    "trial": {
        "kind": "trial",
        "trial": True,
        "survey": TRIAL,
        "version": 1_000_001,
        "place": place("trial", TRIAL),
    },
    "real": {"kind": None, "preview": False, "trial": False, "survey": "town", "version": 1, "place": place(None, "town")},
}


def believing(folder):
    """The same page, but it takes what it is from what the server says of the survey."""
    for path in STATIC.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    script = folder / "respond.js"
    text = script.read_text()
    for before, after in (
        ("const here = placeOf(", "let here = placeOf("),
        ("const previewed = ", "let previewed = "),
        (
            "    told = readJson(await answer.arrayBuffer());\n",
            "    told = readJson(await answer.arrayBuffer());\n"
            "    if (told.place) { here = told.place; previewed = here.answers === null; }\n",
        ),
    ):
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    script.write_text(text)
    return folder


@pytest.fixture(scope="module", params=["released", "believing"])
def town(request, tmp_path_factory):
    """A survey, its trial and its draft, served with the released page or with one that believes."""
    folder = tmp_path_factory.mktemp("town")
    static = STATIC if request.param == "released" else believing(tmp_path_factory.mktemp("static"))
    store = Store(str(folder / "town.db"), None)
    store.open_survey(ASKED)
    with pytest.MonkeyPatch.context() as drawn:
        drawn.setattr(trials, "new_slug", lambda *_: TRIAL)
        open_trial(store, ASKED)
    draft = store.add_draft(ASKED.to_json(), COMMAND_LINE)
    service = Service(store, port=0, settings=Settings(burst=0, static=static))
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    store.add_account("Anna", "owner", "link", COMMAND_LINE)
    service.cookie = service.app.state.accounts._new_session(store.choose_password("link", "no password has this hash"))
    service.paths = {"real": "/s/town", "trial": f"/s/{TRIAL}", "preview": f"/organiser/drafts/{draft.key}/preview"}
    service.released = request.param == "released"
    yield service
    service.server.should_exit = True
    thread.join(20)
    store.close()


RELEASED = pytest.mark.parametrize("town", ["released"], indirect=True)


def goes_through(chromium, town, kind, claim):
    """What somebody sees and sends who answers everything, on a page of one kind that is told that it is another."""
    context = chromium.new_context(locale="en-GB")
    context.add_cookies([{"name": "deniable_organiser", "value": town.cookie, "domain": "127.0.0.1", "path": "/organiser"}])
    page, posted, later = context.new_page(), [], []
    page.on("request", lambda request: posted.append(request) if request.method != "GET" else None)

    def told(route):
        client = route.fetch().json()
        if claim is not None:
            client.update(CLAIMS[claim])
        route.fulfill(status=200, content_type="application/json", body=json.dumps(client))

    page.route("**/api/surveys/*", told)
    page.route("**/preview/survey", told)
    page.goto(f"{town.url}{town.paths[kind]}")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("form")
    marks = page.locator(".mark").all_inner_texts()
    page.locator("fieldset", has_text="Do you smoke?").get_by_label("Yes", exact=True).check()
    page.locator("fieldset", has_text="District").get_by_label("north").check()
    page.on("request", lambda request: later.append(request.url))
    page.get_by_role("button", name="Send").click()
    page.locator("main > [role=alert], main > .strong[role=status]").wait_for()
    banner = page.locator(".banner").inner_text() if page.locator(".banner").count() else ""
    said = page.locator("main > [role=alert], main > .strong[role=status]").inner_text()
    context.close()
    seen = "preview" if "Preview" in banner else "trial" if "Trial" in banner else "real"
    sent = [(request.url.removeprefix(town.url), json.loads(request.post_data)) for request in posted]
    return seen, [path for path, _ in sent], [body["report"] for _, body in sent], marks, said, later


WAYS = {"real": ["/api/surveys/town/answers"], "trial": [f"/api/surveys/{TRIAL}/answers"], "preview": []}


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("claim", [None, *CLAIMS])
def test_only_the_address_says_what_a_page_is(chromium, town, kind, claim):
    seen, sent, reports, marks, said, later = goes_through(chromium, town, kind, claim)
    believed = kind if town.released or claim is None else claim
    assert (seen, sent) == (believed, WAYS[believed])
    # Whatever it is, what is private is marked and drawn as such.
    assert marks == ["randomly changed before sending", "sent as it is"]
    assert all(report["smokes"] in (0, 1, 2) and report["district"] == 0 for report in reports)
    if believed == "preview":
        assert "Nothing was sent" in said
        assert later == []


@RELEASED
def test_what_is_private_is_mixed_in_each_of_them(chromium, town):
    """Forty people who all say Yes: without mixing all reports would be Yes; with it a third are not, and that no one is has odds of
    one in five million."""
    context = chromium.new_context(locale="en-GB")
    page = context.new_page()
    reports = []
    page.on(
        "request", lambda request: reports.append(json.loads(request.post_data)["report"]) if request.method == "POST" else None
    )
    page.goto(f"{town.url}/s/{TRIAL}")
    for i in range(40):
        page.get_by_role("button", name="Start").click()
        page.locator("fieldset", has_text="Do you smoke?").get_by_label("Yes", exact=True).check()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Thank you").wait_for()
        if i < 39:
            page.get_by_role("button", name="Next person").click()
    context.close()
    assert {report["smokes"] for report in reports} > {1}


@RELEASED
def test_a_preview_leaves_nothing_in_the_tab_and_takes_nothing_from_it(chromium, town):
    """What a real page of this tab has drawn and not delivered yet is not sent by a preview; and draws of a preview do not count."""
    context = chromium.new_context(locale="en-GB")
    context.add_cookies([{"name": "deniable_organiser", "value": town.cookie, "domain": "127.0.0.1", "path": "/organiser"}])
    page, posted = context.new_page(), []
    page.on("request", lambda request: posted.append(request.url) if request.method != "GET" else None)
    page.goto(f"{town.url}/s/nowhere")
    waiting = json.dumps({"payload": {"version": 1, "id": "a" * 22, "report": {"smokes": 1, "district": 0}}, "odds": 3})
    keys = ["deniable-unsent-preview", "deniable-unsent-null", "deniable-unsent-town", "deniable-unsent-"]
    page.evaluate("([keys, value]) => keys.forEach((key) => sessionStorage.setItem(key, value))", [keys, waiting])
    before = page.evaluate("JSON.stringify([window.name, {...sessionStorage}])")
    page.goto(f"{town.url}{town.paths['preview']}#a-token")
    for _ in range(4):
        page.get_by_role("button", name="Start").click()
        page.locator("fieldset", has_text="Do you smoke?").get_by_label("Yes", exact=True).check()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("This is the end of the preview").wait_for()
        page.get_by_role("button", name="Go through it again").click()
    assert posted == []
    assert page.evaluate("JSON.stringify([window.name, {...sessionStorage}])") == before
    context.close()


@pytest.mark.parametrize(
    "address", [TRIAL.replace("--", "%2D%2D"), f"{TRIAL}?preview=1", f"{TRIAL}#preview", f"{TRIAL}?survey=town"]
)
@RELEASED
def test_however_the_address_is_written_the_banner_is_that_of_where_answers_go(chromium, town, address):
    context = chromium.new_context(locale="en-GB")
    page = context.new_page()
    posted = []
    page.on("request", lambda request: posted.append(request.url) if request.method != "GET" else None)
    page.goto(f"{town.url}/s/{address}")
    page.get_by_role("button", name="Start").click()
    assert "Trial" in page.locator(".banner").inner_text()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    assert posted == [f"{town.url}/api/surveys/{TRIAL}/answers"]
    context.close()


EVIL = """<script>window.taken = 1</script>"><img src=x onerror="window.taken = 1"> {{ 7 * 7 }}"""


@RELEASED
def test_hostile_texts_run_neither_in_a_preview_nor_in_a_trial(chromium, town):
    texts = dict.fromkeys(("title", "description", "organiser", "contact", "other_way"), EVIL)
    question = {"title": EVIL, "description": EVIL}
    hostile = {
        **texts, "survey": "hostile", "linkage": "register",
        "pages": [{"title": EVIL, "elements": [
            {"type": "radiogroup", "name": "a", **question, "privacy": "none",
             "choices": [{"value": one, "text": EVIL + one} for one in "xy"]},
            {"type": "boolean", "name": "b", **question, "labelTrue": EVIL, "labelFalse": EVIL},
            {"type": "checkbox", "name": "c", **question, "choices": [{"value": "x", "text": EVIL}]},
            {"type": "number", "name": "d", **question, "grid": True, "min": 0, "max": 9, "unit": EVIL},
        ]}],
    }  # fmt: skip
    store = town.app.state.collector.store
    draft = store.add_draft(hostile, COMMAND_LINE)
    tried = open_trial(store, Questionnaire.from_json(hostile)).slug
    context = chromium.new_context(locale="en-GB")
    context.add_cookies([{"name": "deniable_organiser", "value": town.cookie, "domain": "127.0.0.1", "path": "/organiser"}])
    page = context.new_page()
    for path in (f"/organiser/drafts/{draft.key}/preview", f"/s/{tried}"):
        page.goto(f"{town.url}{path}")
        page.get_by_role("button", name="Start").click()
        page.locator("[name=contact-name]").fill(EVIL)
        page.locator("[name=contact-email]").fill("a@town.example")
        page.get_by_role("button", name="Send").click()
        page.locator("main > .strong[role=status]").wait_for()
        assert "window.taken" in page.locator("main").inner_text()
        assert page.evaluate("[window.taken, document.images.length, document.querySelectorAll('main script').length]") == [
            None,
            0,
            0,
        ]
    page.goto(f"{town.url}/organiser/drafts/{draft.key}/preview?other-way")
    assert page.evaluate("[window.taken, document.images.length]") == [None, 0]
    context.close()
