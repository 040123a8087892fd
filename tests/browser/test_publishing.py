"""Pages of the report and of released results, with views of every kind: axe, and without script. The way to them is in test_walk.py."""

import numpy as np
import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import Reader
from tests.results import council as answers

pytestmark = pytest.mark.xdist_group("browser")


def closed(store, slug):
    """The survey under another name, closed."""
    store.open_survey(Questionnaire.parse(answers.YAML.replace("survey: council", f"survey: {slug}")))
    answers.insert(store, slug, answers.reports_of(store.version(slug).schema, 1_200, np.random.default_rng(1)))
    store.close_survey(slug)


@pytest.fixture(scope="module")
def council(served):
    """The address of the server, and the cookie of an owner."""
    store = served.store
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


@pytest.mark.parametrize(("browser", "read"), [("de", "pl"), ("pl", "pl"), ("en-GB", "en")])
def test_the_public_page_is_read_without_script_cookie_or_account(page, released, browser, read):
    """In the language of the browser where the survey has it, else in the survey's first."""
    url, _ = released
    reader = Reader(page, None, viewport={"width": 320, "height": 800}, java_script_enabled=False, locale=browser)
    reader.page.goto(f"{url}/s/board/results?lang=xx&where=sex")
    assert reader.page.locator("html").get_attribute("lang") == read
    assert reader.page.locator("svg.strip title").count() > 10
    assert reader.context.cookies() == []
    reader.context.close()
