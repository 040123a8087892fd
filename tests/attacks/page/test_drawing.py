"""Attackers who want more draws than one, or draws that are none."""

from __future__ import annotations

import json

import pytest

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

LEVELS = {"strong": 3, "standard": 5, "light": 9}
MOST = 20


def greedy(person, slug, reply):
    """Takes every report, answers `reply`, and says each time that the survey has changed a little: name, title and version."""
    turn = {"n": 1}

    def change(client):
        [element] = client["pages"][0]["elements"]
        name = f"smokes{turn['n']}"
        client["version"] = turn["n"]
        element.update(name=name, attributes=[name])
        element["title"]["en"] = "Do you smoke?" + " " * turn["n"]
        client["recipe"]["blocks"][0]["attributes"] = [name]

    def take(route):
        turn["n"] += 1
        route.fulfill(status=reply[0], content_type="application/json", body=json.dumps(reply[1]))

    person.told(slug, change)
    person.page.route(f"**/api/surveys/{slug}/answers", take)


@pytest.mark.parametrize("level", LEVELS)
def test_a_server_that_always_says_that_the_survey_has_changed_gets_no_more_than_one_draws_worth(served, victim, level):
    slug = f"again-{level}"
    address = served(slug, f"  - {{type: boolean, name: smokes, title: 'Do you smoke?', privacy: {level}}}\n")
    person = victim()
    greedy(person, slug, (409, {"code": "wrong_version", "message": "The survey has changed."}))
    for i in range(6):
        if i % 2 and person.page.get_by_role("button", name="Load the survey again").count():
            person.page.get_by_role("button", name="Load the survey again").click()
            person.page.locator("button, [role=alert]").first.wait_for()
        elif not person.opens(address):
            break
        if not person.page.get_by_role("button", name="Start").count():
            break
        person.answers(True)
    assert LEVELS[level] ** len(person.reports) <= MOST < LEVELS[level] ** (len(person.reports) + 1)
    assert not person.opens(address)
    said = person.page.get_by_role("alert").inner_text()
    assert "already left this page once" in said
    assert "will not send anything more" in said
    assert person.page.get_by_text("Call 555 0100").is_visible()


def test_another_survey_of_the_same_server_is_no_way_round(served, victim):
    first, second = served("round-a"), served("round-b")
    person = victim()
    person.page.route(
        "**/answers", lambda route: route.fulfill(status=409, content_type="application/json", body='{"code": "closed"}')
    )
    for address in (first, second):
        assert person.opens(address)
        person.answers(True)
    assert len(person.reports) == 2
    assert not person.opens(first)
    assert not person.opens(second)


@pytest.mark.parametrize("storage", ["cleared", "blocked"])
def test_a_tab_without_its_storage_still_remembers(served, victim, storage):
    """A server can have the browser clear it (Clear-Site-Data); some people let no site keep any."""
    address = served(f"forgetful-{storage}", "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: standard}\n")
    person = victim()
    if storage == "blocked":
        person.page.add_init_script(
            "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no'); }});"
        )
    person.page.route(
        "**/answers", lambda route: route.fulfill(status=409, content_type="application/json", body='{"code": "closed"}')
    )
    assert person.opens(address)
    person.answers(True)
    if storage == "cleared":
        person.page.evaluate("sessionStorage.clear()")
    person.page.reload()
    person.page.get_by_text("will not send anything more").wait_for()
    assert len(person.reports) == 1


def test_what_is_acknowledged_counts_no_more_and_a_retry_never_did(served, victim):
    address = served("counted", "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: light}\n")
    person = victim()
    person.page.route("**/answers", lambda route: route.abort())
    assert person.opens(address)
    person.answers(True)
    for _ in range(3):
        person.page.get_by_role("button", name="Try again").click()
        person.page.get_by_role("alert").wait_for()
    person.page.unroute("**/answers")
    person.page.reload()
    person.page.get_by_text("Thank you").wait_for()
    assert len(person.reports) == 5
    assert all(report == person.reports[0] for report in person.reports)
    person.page.get_by_role("button", name="Next person").click()
    person.answers(False)
    person.page.get_by_text("Thank you").wait_for()
    assert len(person.reports) == 6


def test_a_harmless_survey_in_between_does_not_make_denied_draws_forgotten(served, victim):
    """Two denied draws at strong, an open question that is acknowledged, and the private one again: nothing more is sent."""
    address = served("between", "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}\n")
    person = victim()
    deny = {"status": 409, "content_type": "application/json", "body": '{"code": "wrong_version", "message": "no"}'}
    person.page.route("**/answers", lambda route: route.fulfill(**deny))
    for _ in range(2):
        assert person.opens(address)
        person.answers(True)
        person.page.get_by_role("alert").wait_for()
    person.page.unroute("**/answers")
    other = served("harmless", "  - {type: boolean, name: tea, title: 'Tea?', privacy: none}\n")
    person.page.goto(other)
    person.page.get_by_role("button", name="Start").click()
    person.page.get_by_label("Yes", exact=True).check()
    person.page.get_by_role("button", name="Send").click()
    person.page.get_by_text("Thank you").wait_for()
    before = len(person.reports)
    person.page.goto(address)
    person.page.get_by_text("will not send anything more").wait_for()
    assert len(person.reports) == before


@pytest.mark.parametrize("level", ["standard", "light"])
def test_after_an_honest_change_nothing_was_drawn_and_the_new_version_can_be_answered(served, victim, level):
    question = f"  - {{type: boolean, name: smokes, title: 'Do you smoke?', privacy: {level}}}\n"
    address = served(f"honest-{level}", question)
    person = victim()
    assert person.opens(address)
    person.page.get_by_role("button", name="Start").click()
    served(f"honest-{level}", question.replace("title: 'Do", "description: Really, title: 'Do"))
    person.page.wait_for_timeout(1_200)  # the server remembers a survey for a second
    person.page.get_by_label("Yes", exact=True).check()
    person.page.get_by_role("button", name="Send").click()
    person.page.get_by_text("has changed").wait_for()
    assert person.reports == []
    person.page.get_by_role("button", name="Load the survey again").click()
    person.page.get_by_role("button", name="Start").wait_for()
    person.answers(True)
    person.page.get_by_text("Thank you").wait_for()


@pytest.mark.parametrize(
    "bytes_", ["array.fill(0)", "array.fill(255)", "array.fill(77)", "array.set(array.map((_, i) => i * 7)) ?? array"],
    ids=["zeros", "ones", "constant", "the-same-again"],
)  # fmt: skip
def test_random_numbers_that_do_not_vary_send_nothing_and_do_not_hang(served, victim, bytes_):
    """All zeros sent the truth as it was; all ones were thrown away without end."""
    address = served("constant")
    person = victim()
    person.page.add_init_script(f"crypto.getRandomValues = (array) => {bytes_};")
    assert person.opens(address)
    person.page.set_default_timeout(8_000)
    person.answers(True)
    assert person.reports == []
    assert "no reliable source of cryptographic random numbers" in person.page.get_by_role("alert").inner_text()
