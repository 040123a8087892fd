"""What is typed on the organiser's pages and not yet saved when somebody leaves: saved at once, or asked about."""

import numpy as np
import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import Watch, opened
from tests.results import council as answers

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def account(served):
    served.store.add_account("Leaving", "owner", "leaving", COMMAND_LINE)
    return served.store.choose_password("leaving", "no password has this hash")


@pytest.fixture
def owner(served, account):
    return served.accounts._new_session(account)


@pytest.fixture
def writing(page, served, owner):
    """A page on which a question is written, what was asked before it was left, and the title as it is saved."""
    made = served.store.add_draft(
        {"survey": "typed", "title": "T", "pages": [{"elements": [{"type": "boolean", "name": "a"}]}]}, COMMAND_LINE
    )
    one = opened(page, owner, viewport={"width": 900, "height": 800})
    one.set_default_timeout(20_000)
    watch = Watch(one, "unsaved")
    watch.asked = []
    one.on("dialog", lambda dialog: (watch.asked.append(dialog.type), dialog.accept()))
    one.goto(f"{served.url}/organiser/drafts/{made.key}?lang=en")
    one.goto(f"{served.url}/organiser/drafts/{made.key}/questions/0-0?lang=en")
    yield one, watch, lambda: served.store.draft(made.key).content["pages"][0]["elements"][0].get("title")
    assert watch.wrong == []
    one.context.close()
    served.store.remove_draft(made.key)


def test_a_link_that_is_followed_at_once_loses_nothing(writing):
    one, watch, title = writing
    one.locator('[name="title.en"]').fill("Typed and left")
    one.get_by_role("link", name="About the survey").first.click()
    one.locator("#f-organiser").wait_for()
    assert (title(), watch.asked) == ("Typed and left", [])
    # Pressing a button of another form is leaving, too.
    one.go_back()
    one.locator('[name="title.en"]').fill("Typed and logged out")
    one.get_by_role("button", name="Log out").click()
    one.get_by_role("button", name="Log in").wait_for()
    assert (title(), watch.asked) == ("Typed and logged out", [])


def test_going_back_at_once_loses_nothing_and_the_field_shows_what_is_saved(writing):
    one, watch, title = writing
    one.locator('[name="title.en"]').fill("Typed and gone back")
    one.go_back()
    one.get_by_text("This is a draft").wait_for()
    one.wait_for_timeout(500)
    assert (title(), watch.asked) == ("Typed and gone back", [])
    one.go_forward()
    field = one.locator('[name="title.en"]')
    field.wait_for()
    assert field.input_value() == "Typed and gone back"
    # The page goes on with the mark of what is saved.
    field.fill("And on")
    one.get_by_text("Saved.").wait_for()
    assert title() == "And on"


def test_what_cannot_be_saved_is_asked_about(writing):
    one, watch, title = writing
    one.route("**/questions/0-0*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    one.locator('[name="title.en"]').fill("Nowhere to go")
    one.get_by_role("link", name="About the survey").first.click()
    one.locator("#f-organiser").wait_for()
    assert (title(), watch.asked) == (None, ["beforeunload"])
    one.go_back()
    one.locator('[name="title.en"]').wait_for()
    assert one.locator('[name="title.en"]').input_value() == ""


def test_words_of_the_report_are_asked_about_until_a_button_saves_them(page, served, owner):
    store = served.store
    store.open_survey(Questionnaire.parse(answers.YAML.replace("survey: council", "survey: left")))
    answers.insert(store, "left", answers.reports_of(store.version("left").schema, 300, np.random.default_rng(1)))
    store.close_survey("left")
    one = opened(page, owner, viewport={"width": 900, "height": 800})
    watch, asked = Watch(one, "report"), []
    one.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    one.goto(f"{served.url}/organiser/surveys/left/report?lang=en")
    text = one.locator("form.draft textarea").first
    text.fill("Before the results")
    one.locator("nav.views a").first.click()
    one.wait_for_timeout(300)
    # Whoever stays still has the words, and a button saves them without a question.
    assert (asked, text.input_value()) == (["beforeunload"], "Before the results")
    with one.expect_navigation():
        one.get_by_role("button", name="Save", exact=True).first.click()
    with one.expect_navigation():
        one.locator("nav.views a").first.click()
    assert asked == ["beforeunload"]
    assert "Before the results" in store.report_draft("left")
    assert watch.wrong == []
    one.context.close()
