"""From a closed survey to its report on paper and to the page that everyone may see: by the keyboard, without script, and with axe."""

import re
from importlib.resources import files

import numpy as np
import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from tests.results import council as answers

pytestmark = pytest.mark.xdist_group("browser")
RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"


def closed(store, slug):
    """The survey under another name, closed."""
    store.open_survey(Questionnaire.parse(answers.YAML.replace("survey: council", f"survey: {slug}")))
    answers.insert(store, slug, answers.reports_of(store.version(slug).schema, 1_200, np.random.default_rng(1)))
    store.close_survey(slug)


@pytest.fixture(scope="module")
def council(served):
    """The address of the server, and the cookie of an owner."""
    store = served.store
    closed(store, "council")
    store.add_account("Publishing", "owner", "publishing", COMMAND_LINE)
    cookie = served.accounts._new_session(store.choose_password("publishing", "no password has this hash"))
    return served.url, cookie


@pytest.fixture(scope="module")
def released(served, council):
    """The same, and a survey whose results are released: views of every kind, with words."""
    from deniable.results.draft import Draft, View
    from deniable.results.questions import Comparison, CrossTable, MeanOf, OneQuestion, Together
    from deniable.results.report.contents import Words
    from deniable.results.workbench import Workbench
    from deniable.web.public_page import made_pages

    closed(served.store, "board")
    words = Words({"en": "First.\n\nSecond.", "pl": "Po pierwsze.\n\nPo drugie."})
    views = (
        View(OneQuestion("smokes", by="sex"), words), View(OneQuestion("owes", where="sex == 'F'")),
        View(MeanOf("mood", by="sex")), View(CrossTable("smokes", "sex"), words),
        View(Comparison("smokes", "sex == 'F'", "sex == 'M'")), View(Comparison("mood", "sex == 'F'", "sex == 'M'", mean=True)),
        View(Together(("smokes", "owes"), support=0.05, confidence=0.3)), View(OneQuestion("mood")),
    )  # fmt: skip
    draft = Draft(views, words=words, asked=words, closing=words)
    served.store.keep_report_draft("board", draft.to_json(), "")
    made = made_pages(Workbench(served.store), "board", draft)
    served.store.release_results("board", made.pages, made.of.moment, made.of.known, COMMAND_LINE)
    return council


class Reader:
    """A browser that remembers what it asked for and what a policy refused."""

    def __init__(self, page, cookie=None, **settings):
        self.context = page.context.browser.new_context(**settings)
        if cookie:
            given = {"name": "deniable_organiser", "value": cookie, "domain": "127.0.0.1", "path": "/organiser"}
            self.context.add_cookies([given])
        self.page, self.asked, self.refused = self.context.new_page(), set(), []
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))
        self.page.on("console", lambda said: self.refused.append(said.text) if "Content Security" in said.text else None)

    def wrong(self):
        """What axe finds, and whether the page is wider than the screen."""
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
        found = self.page.evaluate(f"axe.run(document, {RULES})")["violations"]
        wide = self.page.evaluate("document.documentElement.scrollWidth") > self.page.viewport_size["width"]
        return [(one["id"], one["nodes"][0]["html"]) for one in found] + (["sideways"] if wide else [])


def press(page, name):
    """A button by the keyboard."""
    page.get_by_role("button", name=name, exact=True).first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def fill(page, field, text):
    page.locator(f"#{field}").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def add(page, kind, **fields):
    """A view more: its kind, and what is typed into each field or list."""
    press(page, kind)
    for field, text in fields.items():
        page.locator(f"#{field}").focus()
        page.keyboard.type(text)
    press(page, "Add to the report")


def chosen(page):
    return page.locator(".chosen .what").all_inner_texts()


def test_a_report_is_filled_in_printed_and_released(page, council):
    url, cookie = council
    organiser = Reader(page, cookie, viewport={"width": 1100, "height": 900}, java_script_enabled=False)
    one = organiser.page
    one.goto(f"{url}/organiser?lang=en")
    one.get_by_role("link", name="Report: council").focus()
    one.keyboard.press("Enter")
    one.get_by_role("heading", name="Report on Our council").wait_for()
    press(one, "Remove: How old are you?")
    fill(one, "title_en", "Life in our town")
    fill(one, "title_pl", "Życie w naszym mieście")
    fill(one, "words_en", "Dear councillors,")
    one.keyboard.press("Enter")
    one.keyboard.press("Enter")
    one.keyboard.type("these are the results.")
    fill(one, "words_pl", "Szanowni Państwo,")
    press(one, "Move up: How is life?")  # what was typed is kept, too
    assert chosen(one) == ["Your sex", "Do you smoke?", "How is life?", "Are you in debt?"]
    assert one.locator("#words_en").input_value() == "Dear councillors,\n\nthese are the results."
    add(one, "Two groups", of="Do you smoke", first="Your sex: F", second="Your sex: M")
    add(one, "Means", of="How is life", by="Your sex", words_en="Our aim was 4.")
    add(one, "Cross table", by="Your sex", of="Are you in debt")
    assert len(chosen(one)) == 7
    press(one, "Open the report in English")
    one.get_by_role("heading", name="Life in our town").wait_for()
    assert one.locator("script, style, img").count() == 0
    pdf = one.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 8
    # The style was loaded: letters and paper are those of the report.
    scripted = Reader(page, cookie, viewport={"width": 320, "height": 900}, color_scheme="dark")
    scripted.page.goto(one.url)
    assert scripted.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert (scripted.wrong(), scripted.refused) == ([], [])
    one.goto(f"{url}/organiser/surveys/council/publish?lang=en")
    press(one, "Release")
    one.get_by_role("heading", name="Release the results of Our council?").wait_for()
    press(one, "Release")
    one.get_by_role("link", name="/s/council/results").focus()
    one.keyboard.press("Enter")
    one.get_by_role("heading", name="Życie w naszym mieście").wait_for()
    one.get_by_role("link", name="English").focus()
    one.keyboard.press("Enter")
    one.get_by_role("heading", name="Life in our town").wait_for()
    assert one.url == f"{url}/s/council/results/en"
    assert (organiser.asked, organiser.refused) == ({url.split("/")[2]}, [])
    for reader in (organiser, scripted):
        reader.context.close()


@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "en"), (320, "dark", "pl")])
def test_axe_finds_nothing_and_nothing_is_asked_of_others(page, released, width, scheme, language):
    url, cookie = released
    base = f"{url}/organiser/surveys/board"
    reader = Reader(page, cookie, viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong = []
    for path in (
        f"{base}/report?lang={language}", f"{base}/report/words/1?lang={language}", f"{base}/report/add?view=compare&lang={language}",
        f"{base}/report/add?view=together&lang={language}", f"{base}/publish?lang={language}",
        f"{base}/publish/{language}", f"{url}/s/board/results/en", f"{url}/s/board/results/pl",
    ):  # fmt: skip
        reader.page.goto(path)
        wrong += [(path, one) for one in reader.wrong()]
    reader.page.goto(f"{base}/publish?lang={language}")
    reader.page.locator(".actions button").last.click()  # "really take it back?"
    wrong += [("take back", one) for one in reader.wrong()]
    reader.page.goto(f"{base}/report?lang={language}")
    reader.page.locator("input[name=place_0]").fill("first")
    reader.page.locator("button[value=save]").first.click()
    wrong += [("a mistake", one) for one in reader.wrong()]
    assert wrong == []
    assert (reader.asked, reader.refused) == ({url.split("/")[2]}, [])
    reader.context.close()


def test_the_public_page_is_read_without_script_cookie_or_account(page, released):
    url, _ = released
    reader = Reader(page, None, viewport={"width": 320, "height": 800}, java_script_enabled=False)
    reader.page.goto(f"{url}/s/board/results?lang=en&where=sex")
    assert reader.page.locator("html").get_attribute("lang") == "pl"
    assert reader.page.locator("svg.strip title").count() > 10
    assert reader.context.cookies() == []
    reader.context.close()
