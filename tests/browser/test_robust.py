"""The respondent's page when things go otherwise than planned: keys, names, blocked storage, refusals, leaving."""

from __future__ import annotations

import datetime
import json
import shutil

import pytest

from deniable.survey.invitations import invite
from deniable.survey.questionnaire import Questionnaire

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

HEAD = """survey: {slug}
title: {{en: Habits, pl: Nawyki}}
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
languages: [en, pl]
pages:
- elements:
"""
ONE = "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}\n"
PAGES = """  - {type: number, name: glasses, title: Glasses, grid: true, min: 0, max: 50}
  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}
- elements:
  - {type: boolean, name: drinks, title: 'Do you drink?', privacy: strong}
  - {type: number, name: cups, title: Cups, grid: true, min: 0, max: 50}
"""


def posts(page):
    return [request for request in page.seen if request.method == "POST"]


def start(page, address, word="Start"):
    page.goto(address)
    page.get_by_role("button", name=word).click()
    page.wait_for_selector("form")


def send(page):
    page.get_by_role("button", name="Send").click()


def test_enter_in_a_field_never_sends(page, served):
    start(page, served(HEAD.format(slug="enter") + PAGES))
    page.locator("#q-glasses-number").fill("5")
    page.keyboard.press("Enter")
    page.locator("#q-smokes-1").check()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Next").click()
    page.locator("#q-drinks-1").check()
    page.keyboard.press("Enter")
    page.locator("#q-cups-number").fill("3")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert posts(page) == []
    assert page.locator("#q-cups-number").input_value() == "3"
    page.get_by_role("button", name="Send").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Thank you").wait_for()
    assert len(posts(page)) == 1


@pytest.mark.parametrize("kind", ["boolean", "number"])
def test_enter_in_the_only_field_of_a_survey_never_sends(page, served, kind):
    """Browsers submit a form with one text field on Enter even where it has no button for that."""
    question = ONE if kind == "boolean" else "  - {type: number, name: smokes, title: N, grid: true, min: 0, max: 9}\n"
    start(page, served(HEAD.format(slug=f"enter-{kind}") + question))
    page.locator("#field-smokes input").first.focus()
    page.keyboard.press("Space" if kind == "boolean" else "5")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert posts(page) == []
    assert page.locator("form").count() == 1


def test_questions_may_be_called_like_members_of_a_form(page, served):
    names = [
        "remove", "reset", "querySelector", "querySelectorAll", "submit", "elements", "append", "addEventListener", "isConnected",
        "children", "hidden", "contains", "main", "language",
    ]  # fmt: skip
    questions = "".join(f"  - {{type: boolean, name: {name}, title: '{name}?'}}\n" for name in names)
    start(page, served(HEAD.format(slug="clobber") + questions))
    for name in names:
        page.locator(f"#field-{name} input").nth(1).check()
    send(page)
    page.get_by_text("Thank you").wait_for()
    assert list(json.loads(posts(page)[0].post_data)["report"]) == names


BLOCKED = "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('denied', 'SecurityError'); }});"


def test_with_site_data_blocked_a_failed_sending_is_repeated_from_memory(page, served):
    page.add_init_script(BLOCKED)
    page.route("**/answers", lambda route: route.abort())
    start(page, served(HEAD.format(slug="blocked") + ONE))
    page.locator("#q-smokes-1").check()
    send(page)
    page.get_by_text("did not arrive").wait_for()
    page.unroute("**/answers")
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("Thank you").wait_for()
    bodies = [request.post_data for request in posts(page)]
    assert len(bodies) == 2
    assert len(set(bodies)) == 1


def test_a_browser_that_blocks_all_cookies_and_site_data_can_take_part(chromium, served, tmp_path):
    profile = tmp_path / "Default"
    profile.mkdir()
    (profile / "Preferences").write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    context = chromium.browser_type.launch_persistent_context(
        str(tmp_path), executable_path=found, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], locale="en-GB"
    )
    try:
        page = context.new_page()
        page.goto(served(HEAD.format(slug="cookieless") + ONE))
        page.get_by_role("button", name="Start").click()
        blocked = "() => { try { return sessionStorage.length; } catch { return 'blocked'; } }"
        assert page.evaluate(blocked) == "blocked"
        page.locator("#q-smokes-1").check()
        send(page)
        page.get_by_text("Thank you").wait_for()
    finally:
        context.close()


def test_a_link_that_was_cut_in_the_middle_of_a_character_still_opens(page, served):
    start(page, served(HEAD.format(slug="cut") + ONE) + "#%E0%A4")
    send(page)
    page.get_by_text("Thank you").wait_for()


@pytest.mark.parametrize("body", ["<html>", "{}", "null", '{"languages": ["en"], "title": {"en": "T"}, "open": true}'])
def test_a_survey_that_cannot_be_read_ends_in_a_sentence_and_another_way(page, served, body):
    address = served(HEAD.format(slug="unreadable") + ONE)
    page.route("**/api/surveys/unreadable", lambda route: route.fulfill(status=200, content_type="application/json", body=body))
    page.goto(address)
    page.get_by_role("alert").wait_for()
    assert "Nothing was sent" in page.get_by_role("alert").inner_text()
    page.get_by_role("link", name="Another way").click()
    page.get_by_text("Call 555 0100").first.wait_for()


def test_where_the_script_does_not_start_a_sentence_and_another_way_appear(page, served):
    address = served(HEAD.format(slug="scriptless") + ONE)
    page.route("**/static/form.js", lambda route: route.abort())
    page.goto(address)
    page.get_by_text("has not started").wait_for(timeout=9_000)
    page.get_by_role("link", name="Another way").click()
    page.get_by_text("Call 555 0100").first.wait_for()


def test_a_network_that_answers_in_the_servers_place_is_not_thanked_for(page, served):
    address = served(HEAD.format(slug="portal") + ONE)
    page.route("**/answers", lambda route: route.fulfill(status=200, content_type="text/html", body="<h1>Log in</h1>"))
    start(page, address)
    send(page)
    page.get_by_text("did not arrive").wait_for()


def test_leaving_with_answers_that_are_not_sent_asks_first(page, served):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.goto("about:blank")
    start(page, served(HEAD.format(slug="leaving") + PAGES))
    page.locator("#q-smokes-1").check()
    page.evaluate("history.back()")
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    assert page.locator("#q-smokes-1").is_checked()
    page.get_by_role("button", name="Next").click()
    send(page)
    page.get_by_text("Thank you").wait_for()
    page.reload()
    page.get_by_role("button", name="Start").wait_for()
    assert asked == ["beforeunload"]


def test_the_browsers_back_leads_to_the_page_before_and_keeps_the_answers(page, served):
    start(page, served(HEAD.format(slug="backwards") + PAGES))
    page.locator("#q-smokes-1").check()
    page.get_by_role("button", name="Next").click()
    page.locator("#q-drinks-1").check()
    page.go_back()
    assert page.locator("#q-smokes-1").is_visible()
    assert page.locator("#q-smokes-1").is_checked()
    page.go_forward()
    assert page.locator("#q-drinks-1").is_checked()
    page.get_by_role("button", name="Back").click()
    assert page.locator("#q-smokes-1").is_visible()
    page.go_back()
    assert page.locator("#q-drinks-1").is_visible()
    assert posts(page) == []
    send(page)
    page.get_by_text("Thank you").wait_for()
    page.go_back()
    assert page.get_by_text("Thank you").is_visible()


def test_after_a_change_of_the_survey_it_is_loaded_anew(page, served):
    address = served(HEAD.format(slug="changing") + ONE)
    start(page, address)
    served(HEAD.format(slug="changing") + ONE.replace("Do you smoke?", "Do you smoke now?"))
    page.wait_for_timeout(1_200)
    send(page)
    page.get_by_text("has changed").wait_for()
    page.get_by_role("button", name="Load the survey again").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Do you smoke now?").wait_for()
    send(page)
    page.get_by_text("Thank you").wait_for()


def test_an_invitation_is_for_one_person_and_a_used_one_is_told_plainly(page, served):
    address = served("invited: true\n" + HEAD.format(slug="single") + ONE)
    [row] = invite(served.store, "single", [{"firstname": "Ada"}])
    start(page, f"{address}#{row['token']}")
    send(page)
    page.get_by_text("Thank you").wait_for()
    assert page.get_by_role("button").count() == 0
    page.goto("about:blank")
    start(page, f"{address}?lang=pl#{row['token']}", "Rozpocznij")
    page.get_by_role("button", name="Wyślij").click()
    page.get_by_text("To zaproszenie zostało już wykorzystane").wait_for()
    assert page.get_by_role("button").count() == 0


def refusing(page, status, code):
    body = json.dumps({"code": code, "message": "An English sentence."})
    page.route("**/answers", lambda route: route.fulfill(status=status, content_type="application/json", body=body))


def test_every_refusal_that_a_person_can_meet_is_told_in_polish(page, served):
    address = served(HEAD.format(slug="polish") + ONE)
    codes = {
        "closed": 409, "wrong_version": 409, "token_used": 409, "id_reused": 409, "token_missing": 403, "token_unknown": 403,
        "token_not_now": 403, "code_used": 409, "too_many": 429, "busy": 503, "not_stored": 503, "unknown_survey": 404,
    }  # fmt: skip
    told = set()
    for code, status in codes.items():
        refusing(page, status, code)
        start(page, f"{address}?lang=pl", "Rozpocznij")
        page.get_by_role("button", name="Wyślij").click()
        sentence = page.get_by_role("alert").inner_text()
        assert "English" not in sentence
        told.add(sentence)
        page.unroute("**/answers")
        page.evaluate("sessionStorage.clear(); window.name = ''")
    assert len(told) == len(codes)


def test_an_unknown_refusal_is_told_in_english_and_marked_as_such(page, served):
    address = served(HEAD.format(slug="foreign") + ONE)
    refusing(page, 422, "something_new")
    start(page, f"{address}?lang=pl", "Rozpocznij")
    page.get_by_role("button", name="Wyślij").click()
    assert page.get_by_role("alert").locator("[lang=en]").inner_text() == "An English sentence."


FIELDS = """  - {type: consent, name: adult, title: I am over 16}
  - {type: consent, name: local, title: I live here}
  - {type: number, name: glasses, title: Glasses, grid: true, min: 0, max: 50, step: 5}
  - {type: rating, name: mood, title: Mood, rateMax: 5, minRateDescription: bad, maxRateDescription: good}
"""


def test_a_mended_field_loses_its_message_and_mistakes_are_tied_to_their_fields(page, served):
    start(page, served(HEAD.format(slug="mended") + FIELDS))
    field = page.locator("#q-glasses-number")
    field.fill("7")
    send(page)
    links = page.get_by_role("alert").get_by_role("link").all_inner_texts()
    assert [link.split(":")[0] for link in links] == ["I am over 16", "I live here", "Glasses"]
    assert "0, 5, 10, … up to 50" in links[2]
    assert field.get_attribute("aria-invalid") == "true"
    described = field.get_attribute("aria-describedby").split()
    assert [page.locator(f"#{one}").count() for one in described] == [1, 1]
    assert "steps of 5" in page.locator(f"#{described[0]}").inner_text()
    page.get_by_label("I am over 16").check()
    field.fill("10")
    # Said until it is changed, not until the next Send.
    assert page.get_by_role("alert").get_by_role("link").all_inner_texts() == [links[1]]
    assert page.locator(".problem").count() == 1
    send(page)
    assert page.get_by_role("alert").get_by_role("link").count() == 1
    assert page.locator(".problem").count() == 1
    assert field.get_attribute("aria-invalid") is None
    assert field.get_attribute("aria-describedby").split() == described[:1]
    assert page.locator("[aria-invalid]").get_attribute("id") == "q-local-yes"
    page.get_by_label("I live here").check()
    assert not page.locator(".errors").is_visible()


def test_a_number_that_is_none_is_told_in_the_words_of_the_page_and_once_punctuated(page, served):
    body = "  - {type: number, name: cups, title: Ile filiżanek?, grid: true, min: 0, max: 9}\n"
    start(page, f"{served(HEAD.format(slug='cups') + body)}?lang=pl", "Rozpocznij")
    page.locator("#q-cups-number").fill("4,5")
    page.get_by_role("button", name="Wyślij").click()
    [link] = page.get_by_role("alert").get_by_role("link").all_inner_texts()
    assert link.startswith("Ile filiżanek? Proszę podać liczbę całkowitą (w razie potrzeby zaokrągloną)")
    assert page.get_by_label("Wolę nie odpowiadać").count() == 1
    assert "„Wolę nie odpowiadać”" in link
    assert "liczy się jako „Wolę nie odpowiadać”" in page.locator("form").inner_text()
    page.get_by_label("Wolę nie odpowiadać").check()
    assert page.locator(".problem").count() == 0


def test_not_answering_stands_last_below_the_ends_of_a_scale(page, served):
    start(page, served(HEAD.format(slug="scale") + FIELDS))
    lines = page.locator("#field-mood").inner_text().split("\n")
    assert lines.index("5: good") < lines.index("I prefer not to answer") == len(lines) - 1


BOXES = "  - {type: checkbox, name: took, title: Took, choices: [a, b], privacy: none}\n"


TICKED = [
    ([], [2, 2]),
    (["None of these"], [0, 0]),
    (["a"], [1, 0]),
    (["a", "None of these"], [0, 0]),
    (["None of these", "b"], [0, 1]),
    (["a", "I prefer not to answer"], [2, 2]),
]


@pytest.mark.parametrize(("ticked", "expected"), TICKED)
def test_boxes_left_alone_are_no_answer_and_none_of_these_is_one(page, served, ticked, expected):
    """Asked without privacy here, so that what is sent shows what was read."""
    start(page, served(HEAD.format(slug="boxes") + BOXES))
    for label in ticked:
        page.get_by_label(label, exact=True).check()
    send(page)
    page.get_by_text("Thank you").wait_for()
    assert list(json.loads(posts(page)[-1].post_data)["report"].values()) == expected


def test_contact_details_need_an_address_that_looks_like_one(page, served):
    text = "linkage: register\n" + HEAD.format(slug="addresses") + ONE
    served.store.open_survey(Questionnaire.parse(text), datetime.date(2099, 1, 1))
    start(page, f"{served.url}/s/addresses")
    page.locator("#contact-name").fill("Ada")
    page.locator("#contact-email").fill("nowhere")
    send(page)
    assert page.get_by_role("alert").get_by_role("link").all_inner_texts() == [
        "E-mail: Please enter an e-mail address such as name@example.org."
    ]
