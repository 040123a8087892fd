"""The pages of results in a real browser: axe, narrow screens, both languages and colour schemes, without script, and by the keyboard."""

import pytest

from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import opened, wrong_with
from tests.results.council import open_council

pytestmark = pytest.mark.xdist_group("browser")

WOMEN, MEN = "sex+%3D%3D+'F'", "sex+%3D%3D+'M'"
PAGES = [
    "?view=overview",
    f"?view=question&of=smokes&by=sex&where={WOMEN}",
    "?view=mean&of=mood&by=sex",
    "?view=cross&of=mood&by=sex",
    f"?view=compare&of=smokes&first={WOMEN}&second={MEN}",
    "?view=question&of=nope",
    "/choose?view=question",
    "/choose?view=compare",
    "/choose?view=together",
    "/choose?view=prediction",
]


@pytest.fixture(scope="module")
def council(served):
    """The address of the results, and the cookie of an owner."""
    store = served.store
    open_council(store, 2_000)
    store.close_survey("council")
    store.add_account("Results", "owner", "results", COMMAND_LINE)
    cookie = served.accounts._new_session(store.choose_password("results", "no password has this hash"))
    return f"{served.url}/organiser/surveys/council/results", cookie


@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "en"), (320, "dark", "pl")])
def test_axe_finds_nothing_and_nothing_is_asked_of_others(page, council, width, scheme, language):
    url, cookie = council
    one = opened(page, cookie, viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong, asked, refused = [], set(), []
    one.on("request", lambda request: asked.add(request.url.split("/")[2]))
    one.on("console", lambda said: refused.append(said.text) if "Content Security" in said.text else None)
    for path in PAGES:
        one.goto(f"{url}{path}&lang={language}")
        for details in one.locator("details").all():
            details.locator("summary").click()
        wrong += [(path, fault) for fault in wrong_with(one)]
    assert wrong == []
    assert (asked, refused) == ({url.split("/")[2]}, [])
    one.context.close()


def test_a_comparison_is_asked_for_without_script_and_by_the_keyboard(page, council):
    url, cookie = council
    one = opened(page, cookie, viewport={"width": 900, "height": 800}, java_script_enabled=False)
    one.goto(f"{url}/choose?view=compare&lang=en")
    one.locator("#of").focus()
    one.keyboard.type("Do you smoke")
    one.locator("#first").focus()
    one.keyboard.type("Your sex: F")
    one.locator("#second").focus()
    one.keyboard.type("Your sex: M")
    one.locator("button[name=ask]").focus()
    one.keyboard.press("Enter")
    one.get_by_text("is larger than chance explains").first.wait_for()
    assert "view=compare&of=smokes" in one.url
    assert one.locator("svg.strip title").count() > 0
    one.context.close()


def test_what_a_picture_says_stands_beside_the_pointer(page, council):
    url, cookie = council
    one = opened(page, cookie, viewport={"width": 900, "height": 800})
    one.goto(f"{url}?view=question&of=smokes&lang=en")
    one.locator("svg.strip").first.hover()
    shown = one.locator(".hover")
    assert shown.inner_text().startswith("No: ")
    assert "reported" in shown.inner_text()
    one.locator("h1").hover()
    assert shown.is_hidden()
    one.context.close()
