"""The respondent's page in a real browser: what it asks, what it sends, what it never tells."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

HEAD = """survey: {slug}
title: {{en: Habits, pl: Nawyki}}
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
languages: [en, pl]
closes: 2099-03-31
pages:
- elements:
"""
EVERY = """
  - {type: information, name: hello, title: {en: Welcome, pl: Witamy}}
  - {type: consent, name: agree, title: I take part of my own will}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
  - {type: boolean, name: smokes, title: {en: 'Do you smoke?', pl: 'Czy pali Pan/Pani?'}, privacy: strong}
  - {type: dropdown, name: credit, title: Credit, choices: [none, late, repaid]}
  - {type: rating, name: mayor, title: The mayor, rateMax: 5, minRateDescription: bad, maxRateDescription: good}
  - {type: rating, name: roads, title: Roads, choices: [bad, fair, good], privacy: {design: neighbours, level: standard}}
  - {type: age, name: age, title: Age}
  - {type: number, name: income, title: Income, bands: [1000, 2000, 4000], unit: zł}
  - {type: number, name: children, title: Children, grid: true, min: 0, max: 6}
- title: The second page
  elements:
  - {type: checkbox, name: drugs, title: Which, choices: [alcohol, tobacco]}
  - {type: matrix, name: trust, title: Trust, rows: [police, courts], columns: [little, some, much]}
  - type: boolean
    name: debt
    title: Debt
    privacy: {design: unrelated, theta: 0.6, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true, question: 'Born in May?'}
    visibleIf: "{district} = 'north'"
"""
CONSENT = "  - {type: consent, name: agree, title: I take part of my own will}\n"
ONE = "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}\n"
WORDS = [("en-GB", "Start", "Send", "Next"), ("pl-PL", "Rozpocznij", "Wyślij", "Dalej")]
STUB = """
window.byte = %d;
window.asked = 0;
crypto.getRandomValues = (array) => {
  // Ids, and what the page looks at to see that the bytes vary, have 16 of them; draws have fewer.
  if (array.length < 16) return array.fill(window.byte);
  window.asked += 1;
  return array.map((_, i) => window.asked + i).forEach((byte, i) => (array[i] = byte)) ?? array;
};
Math.random = () => { window.guessed = true; return 0.5; };
"""


def posts(page):
    return [request for request in page.seen if request.method == "POST"]


def start(page, address):
    page.goto(address)
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("form")


def answer_smokes(page, address, label):
    start(page, address)
    if label is not None:
        page.get_by_label(label, exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()


def test_every_type_of_question_arrives_randomised(page, served):
    address = served(HEAD.format(slug="every") + EVERY)
    start(page, address)
    page.get_by_label("I take part").check()
    page.get_by_label("north").check()
    page.locator("#q-smokes-1").check()
    page.locator("#q-credit-select").select_option(label="late")
    page.locator("#q-mayor-2").check()
    page.locator("#q-roads-0").check()
    page.locator("#q-age-3").check()
    page.locator("#q-income-1").check()
    page.locator("#q-children-number").fill("9")
    page.get_by_role("button", name="Next").click()
    page.locator("#q-drugs_tobacco-1").check()
    page.locator("#q-trust_police-1").check()
    page.locator("#q-debt-0").check()
    page.locator("#q-debt--other-1").check()
    assert posts(page) == []
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    [sent] = posts(page)
    body = json.loads(sent.post_data)
    assert set(body) == {"version", "id", "report"}
    client = json.loads(page.evaluate("fetch('/api/surveys/every').then((r) => r.text())"))
    names = [name for block in client["recipe"]["blocks"] for name in block["attributes"]]
    assert list(body["report"]) == names
    assert body["report"]["district"] == 0
    details = page.locator("details")
    assert details.get_attribute("open") is None
    details.locator("summary").click()
    assert page.get_by_text("It may differ from what you answered").is_visible()
    assert {request.url.split("/")[2] for request in page.seen} == {address.split("/")[2]}
    assert page.context.cookies() == []
    assert page.locator("input").count() == 0
    page.get_by_role("button", name="Next person").click()
    page.get_by_role("button", name="Start").wait_for()


@pytest.mark.parametrize(("first", "byte", "second", "other"), [("No", 4, "Yes", 4), ("No", 3, None, 4), ("Yes", 3, None, 3)])
def test_with_the_output_forced_requests_for_different_answers_are_the_same_bytes(page, served, first, byte, second, other):
    """strong over no, yes and silence: 5 cases, 3 for the true label first, then one for each of the others in order."""
    address = served(HEAD.format(slug=f"forced-{first}-{byte}-{other}".lower()) + ONE)
    bodies = []
    for label, drawn in ((first, byte), (second, other)):
        opened = page.context.browser.new_context(locale="en-GB").new_page()
        sent = []
        opened.on("request", lambda request, kept=sent: kept.append(request) if request.method == "POST" else None)
        opened.add_init_script(STUB % drawn)
        answer_smokes(opened, address, label)
        [request] = sent
        bodies.append((request.url, request.post_data, {k: v for k, v in request.headers.items() if k != "content-length"}))
        assert opened.evaluate("window.guessed") is None
        opened.context.close()
    assert bodies[0] == bodies[1]


def test_without_cryptographic_randomness_nothing_is_sent(page, served):
    page.add_init_script("Object.defineProperty(crypto, 'getRandomValues', {value: undefined});")
    start(page, served(HEAD.format(slug="norandom") + ONE))
    page.locator("#q-smokes-1").check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("no reliable source of cryptographic random numbers").wait_for()
    assert page.get_by_text("Call 555 0100").is_visible()
    assert posts(page) == []


def test_before_send_neither_page_nor_requests_depend_on_random_bytes(page, served):
    address = served(HEAD.format(slug="quiet") + ONE)
    trees, requests = [], []
    for byte in (0, 200):
        opened = page.context.browser.new_context(locale="en-GB").new_page()
        seen = []
        opened.on("request", lambda request, kept=seen: kept.append((request.method, request.url)))
        opened.add_init_script(STUB % byte)
        start(opened, address)
        opened.locator("#q-smokes-1").check()
        trees.append(opened.locator("body").aria_snapshot() + opened.content())
        requests.append(sorted(seen))
        opened.context.close()
    assert trees[0] == trees[1]
    assert requests[0] == requests[1]
    assert all(method == "GET" for method, _ in requests[0])


def test_a_failed_sending_is_repeated_with_the_same_payload_even_after_a_reload(page, served):
    address = served(HEAD.format(slug="retry") + ONE)
    page.route("**/answers", lambda route: route.abort())
    start(page, address)
    page.locator("#q-smokes-1").check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("did not arrive").wait_for()
    assert page.locator("input").count() == 0
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("did not arrive").wait_for()
    page.unroute("**/answers")
    page.reload()
    page.get_by_text("Thank you").wait_for()
    bodies = [request.post_data for request in posts(page)]
    assert len(bodies) == 3
    assert len(set(bodies)) == 1
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    page.get_by_role("button", name="Start").wait_for()
    assert sum(served.store.waiting()[served.store.version("retry").id]) == 1


def test_silence_has_the_same_shape_as_an_answer(page, served):
    address = served(HEAD.format(slug="silence") + EVERY.replace(CONSENT, ""))
    shapes = []
    for answered in (False, True):
        page.seen.clear()
        start(page, address)
        if answered:
            page.locator("#q-smokes-1").check()
            page.locator("#q-age-2").check()
        page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Thank you").wait_for()
        [sent] = posts(page)
        body = json.loads(sent.post_data)
        shapes.append((list(body), list(body["report"]), len(body["id"]), [r.method for r in page.seen]))
    assert shapes[0] == shapes[1]


def test_mistakes_are_listed_and_the_list_has_the_focus(page, served):
    start(page, served(HEAD.format(slug="mistakes") + EVERY))
    page.locator("#q-children-number").fill("many")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Send").click()
    summary = page.get_by_role("alert")
    assert summary.locator("li").count() == 2
    assert summary.evaluate("node => node === document.activeElement")
    summary.get_by_role("link").nth(1).click()
    assert page.locator("#q-children-number").evaluate("node => node === document.activeElement")
    assert page.locator("#q-children-number").is_visible()
    assert posts(page) == []


def test_the_keyboard_is_enough(page, served):
    page.goto(served(HEAD.format(slug="keyboard") + ONE))
    page.get_by_role("button", name="Start").wait_for()

    def tab_to(name):
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent || document.activeElement.id") == name:
                return
        raise AssertionError(f"{name} cannot be reached")

    tab_to("Start")
    page.keyboard.press("Enter")
    page.wait_for_selector("form")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    tab_to("q-smokes-0")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert page.locator("#q-smokes-1").is_checked()
    tab_to("Send")
    page.keyboard.press("Enter")
    page.get_by_text("Thank you").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("locale", "begin", "send", "onward"), WORDS)
def test_axe_finds_nothing_and_a_narrow_screen_needs_no_sideways_scrolling(page, served, scheme, locale, begin, send, onward):
    """320 px is also a 1280 px screen at 400%."""
    address = served(HEAD.format(slug="axe") + EVERY)
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    opened = page.context.browser.new_context(
        viewport={"width": 320, "height": 640}, color_scheme=scheme, locale=locale
    ).new_page()

    def check():
        opened.evaluate(axe)
        found = opened.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
        )
        assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= 320

    opened.goto(address)
    opened.get_by_role("button", name=begin).wait_for()
    assert opened.locator("html").get_attribute("lang") == locale[:2]
    check()
    opened.get_by_role("button").nth(1).click()
    opened.locator("#practice-0").check()
    opened.get_by_role("button").first.click()
    assert opened.get_by_role("status").inner_text()
    check()
    opened.get_by_role("button", name=begin).click()
    opened.get_by_role("button", name=onward).click()
    opened.get_by_role("button", name=send).click()
    opened.get_by_role("alert").wait_for()
    check()
    opened.get_by_role("alert").get_by_role("link").first.click()
    opened.locator("#q-agree-yes").check()
    opened.get_by_role("button", name=onward).click()
    opened.get_by_role("button", name=send).click()
    opened.locator("details").wait_for()
    opened.locator("summary").click()
    check()
    opened.context.close()


def test_without_javascript_there_is_a_message_and_another_way(page, served):
    address = served(HEAD.format(slug="noscript") + ONE)
    opened = page.context.browser.new_context(java_script_enabled=False).new_page()
    opened.goto(address)
    assert "nothing is sent" in opened.locator("body").inner_text().replace("\n", " ")
    opened.get_by_role("link", name="Another way").click()
    assert "Call 555 0100." in opened.locator("body").inner_text()
    opened.context.close()


def test_an_invited_person_sends_the_token_and_others_are_told(page, served):
    address = served("invited: true\n" + HEAD.format(slug="invited") + ONE)
    page.goto(address)
    page.get_by_text("by invitation").wait_for()
    from deniable.survey.invitations import invite

    [row] = invite(served.store, "invited", [{"firstname": "Ada"}])
    page.goto("about:blank")
    answer_smokes(page, f"{address}#{row['token']}", "Yes")
    assert row["token"] in posts(page)[-1].post_data
    assert all(row["token"] not in request.url for request in page.seen)
    page.goto("about:blank")
    start(page, f"{address}#{row['token']}")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("not accepted").wait_for()


def test_a_receipt_code_is_made_in_the_browser_and_shown_once(page, served):
    address = served("linkage: code\n" + HEAD.format(slug="coded") + ONE)
    answer_smokes(page, address, "Yes")
    shown = page.locator(".code").inner_text()
    assert json.loads(posts(page)[-1].post_data)["code"] == shown
    assert len(shown) == 17
    for width in (1000, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("new Set([...document.querySelectorAll('.code span')].map((one) => one.offsetTop)).size") == 1
    # Where not even that fits, no group is broken.
    page.set_viewport_size({"width": 120, "height": 800})
    assert page.evaluate("[...document.querySelectorAll('.code span')].every((one) => one.getClientRects().length === 1)")


def test_contact_details_are_asked_only_where_a_register_is_kept(page, served):
    address = served("linkage: register\n" + HEAD.format(slug="register") + ONE)
    start(page, address)
    page.get_by_role("button", name="Send").click()
    assert page.get_by_role("alert").locator("li").count() == 2
    page.locator("#contact-name").fill("Ada")
    page.locator("#contact-email").fill("ada@example.org")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    assert json.loads(posts(page)[-1].post_data)["contact"] == {"name": "Ada", "email": "ada@example.org"}


def test_a_closed_survey_says_so(page, served):
    address = served(HEAD.format(slug="shut") + ONE)
    served.store.close_survey("shut")
    page.goto(address)
    page.get_by_text("This survey is closed").wait_for()


ASKED = """  - type: boolean
    name: debt
    title: Debt
    privacy: {design: unrelated, theta: 0.6, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true, question: 'Born in May?'}
"""


@pytest.mark.parametrize(("other", "expected"), [(None, 0), ("Yes", 1)])
def test_a_second_question_left_open_is_drawn_from_its_table_and_not_sent_as_silence(page, served, other, expected):
    """25 cases: 15 tell the truth; left open, 2 + 4 + 4 replace it by silence, no and yes: case 18 is a no."""
    address = served(HEAD.format(slug=f"asked-{expected}") + ASKED)
    page.add_init_script(STUB % 18)
    start(page, address)
    if other is not None:
        page.locator("#q-debt--other-1").check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    assert json.loads(posts(page)[-1].post_data)["report"]["debt"] == expected


def test_a_question_may_be_called_anything(page, served):
    address = served(HEAD.format(slug="names") + ONE.replace("smokes", "constructor"))
    start(page, address)
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()


def pick(page, language):
    page.get_by_label({"pl": "Language", "en": "Język"}[language]).select_option(language)


def test_a_language_can_be_picked_on_every_screen_and_answers_are_kept(page, served):
    address = served(HEAD.format(slug="switch") + EVERY)
    page.goto(address)
    page.get_by_role("button", name="Try it first").click()
    pick(page, "pl")
    page.get_by_role("heading", name="Ćwiczenie").wait_for()
    pick(page, "en")
    page.get_by_role("button", name="Start").click()
    page.get_by_label("I take part").check()
    page.get_by_label("north").check()
    page.locator("#q-smokes-1").check()
    page.locator("#q-credit-select").select_option(label="late")
    page.locator("#q-children-number").fill("4")
    page.get_by_role("button", name="Next").click()
    page.locator("#q-drugs_tobacco-1").check()
    assert page.locator("#q-debt-0").is_visible()
    pick(page, "pl")
    # The same page, with what was answered on both, and the question that depends on one of them.
    assert page.get_by_text("Strona 2 z 2").is_visible()
    assert page.evaluate("document.activeElement.id") == "page-language"
    assert page.locator("#q-drugs_tobacco-1").is_checked()
    assert page.locator("#q-debt-0").is_visible()
    page.get_by_role("button", name="Wstecz").click()
    assert page.locator("#q-smokes-1").is_checked()
    assert not page.locator("#q-smokes-0").is_checked()
    assert page.locator("#q-credit-select").input_value() == "1"
    assert page.locator("#q-children-number").input_value() == "4"
    page.get_by_role("button", name="Dalej").click()
    page.get_by_role("button", name="Wyślij").click()
    page.get_by_text("Dziękujemy").wait_for()
    pick(page, "en")
    page.get_by_text("Thank you").wait_for()
    assert len(posts(page)) == 1
    assert json.loads(posts(page)[0].post_data)["report"]["district"] == 0
    assert page.context.cookies() == []


def test_fields_that_are_not_the_same_take_over_nothing(page, served):
    """Were they copied by their place alone, an answer could land in another question."""
    start(page, served(HEAD.format(slug="switch-other") + ONE))
    page.locator("#q-smokes-1").check()
    page.evaluate("document.getElementById('q-smokes-0').id = 'another'")
    pick(page, "pl")
    assert page.locator("input:checked").count() == 0


def test_while_answers_are_on_their_way_no_second_form_appears(page, served):
    start(page, served(HEAD.format(slug="switch-sending") + ONE))
    page.locator("#q-smokes-1").check()
    held = []
    page.route("**/api/surveys/switch-sending", lambda route: held.append(route))
    page.get_by_role("button", name="Send").click()
    page.wait_for_function("document.querySelector('form').inert")
    assert page.get_by_label("Language").is_disabled()
    page.wait_for_timeout(200)
    held[0].continue_()
    page.get_by_text("Thank you").wait_for()
    assert len(posts(page)) == 1


def test_a_switch_is_there_where_the_survey_cannot_be_loaded(page, served):
    page.route("**/api/surveys/*", lambda route: route.fulfill(status=500, body="{}"))
    page.goto(served(HEAD.format(slug="switch-broken") + ONE))
    page.get_by_text("could not be loaded").wait_for()
    pick(page, "pl")
    page.get_by_text("Nie udało się wczytać ankiety").wait_for()
    assert page.locator("html").get_attribute("lang") == "pl"


@pytest.mark.parametrize(("language", "day"), [("en", "31 March 2099"), ("pl", "31 marca 2099")])
def test_days_are_written_as_in_the_readers_language(page, served, language, day):
    page.goto(served(HEAD.format(slug="days") + ONE) + f"?lang={language}")
    page.get_by_text(day, exact=True).wait_for()


def test_on_a_narrow_screen_a_long_question_stands_inside_its_box(page, served):
    long = (
        "  - {type: boolean, name: a, title: 'Do you sometimes drive faster than is allowed in residential neighbourhoods?'}\n"
    )
    opened = page.context.browser.new_context(viewport={"width": 320, "height": 640}).new_page()
    start(opened, served(HEAD.format(slug="legend") + long))
    box, legend = (opened.locator(which).bounding_box() for which in ("fieldset", "legend"))
    assert legend["height"] > 60
    assert box["y"] < legend["y"]
    assert legend["x"] + legend["width"] <= box["x"] + box["width"]
    assert opened.locator("#q-a-0").bounding_box()["y"] > legend["y"] + legend["height"]
    opened.context.close()
