"""The pages about accounts in a real browser: axe, narrow screens, both languages and colour schemes, and the keyboard alone."""

from importlib.resources import files

import pytest

from deniable.survey.store.audit import COMMAND_LINE

pytestmark = pytest.mark.xdist_group("browser")
HOSTILE = "<img src=x onerror=alert(1)>" + "W" * 30


@pytest.fixture
def sessions(served):
    """Cookies of an owner and of an analyst."""
    store, made = served.store, {}
    for role in ("owner", "analyst"):
        name = f"{role} {HOSTILE}"[:60]
        if store.account_by_name(name) is None:
            store.add_account(name, role, role, COMMAND_LINE)
            store.choose_password(role, "no password has this hash")
        made[role] = served.accounts._new_session(store.account_by_name(name)[0])
    return made


def look(page, path):
    """What axe finds on a page, and whether it has to be scrolled sideways."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    wide = page.evaluate("document.documentElement.scrollWidth") > page.viewport_size["width"]
    return [(path, one["id"], one["nodes"][0]["html"]) for one in found["violations"]] + [(path, "sideways")] * wide


def opened(page, served, cookie, width, scheme):
    context = page.context.browser.new_context(viewport={"width": width, "height": 700}, color_scheme=scheme)
    context.add_cookies([{"name": "deniable_organiser", "value": cookie, "domain": "127.0.0.1", "path": "/organiser"}])
    return context.new_page()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "light"), (320, "dark")])
def test_axe_finds_nothing_and_no_name_does_anything(page, served, sessions, width, scheme):
    wrong, ran = [], []
    for role, cookie in sessions.items():
        one = opened(page, served, cookie, width, scheme)
        one.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
        for language in ("en", "pl"):
            for path in ("", "/accounts", "/audit", "/password"):
                one.goto(f"{served.url}/organiser{path}?lang={language}")
                wrong += look(one, f"{role} {path}")
            if role == "owner":
                one.goto(f"{served.url}/organiser/accounts?lang={language}")
                one.locator(".actions form:nth-child(3) button").first.click()
                wrong += look(one, "sure")
        one.context.close()
    assert (wrong, ran) == ([], [])


def test_an_account_is_made_by_the_keyboard_alone(page, served, sessions):
    one = opened(page, served, sessions["owner"], 1280, "light")
    one.goto(f"{served.url}/organiser/accounts")
    for _ in range(60):
        one.keyboard.press("Tab")
        if one.evaluate("document.activeElement.id") == "name":
            break
    one.keyboard.type("Keyboard")
    one.keyboard.press("Tab")
    assert one.evaluate("document.activeElement.value") == "analyst"
    one.keyboard.press("Tab")
    one.keyboard.press("Enter")
    link = one.locator(".secret").inner_text()
    one.goto(link)
    assert one.evaluate("document.activeElement.id") == "password"
    for _ in range(2):
        one.keyboard.type("a long password")
        one.keyboard.press("Tab")
    one.keyboard.press("Enter")
    one.get_by_text("Keyboard (analyst)").wait_for()
    assert one.locator("nav.menu a").all_inner_texts() == ["Surveys", "Password"]
    one.context.close()
