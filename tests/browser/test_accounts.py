"""The pages about accounts in a real browser: axe, narrow screens, both languages and colour schemes, and the keyboard alone."""

import pytest

from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import opened, wrong_with

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


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "light"), (320, "dark")])
def test_axe_finds_nothing_and_no_name_does_anything(page, served, sessions, width, scheme):
    wrong, ran = [], []
    for role, cookie in sessions.items():
        one = opened(page, cookie, viewport={"width": width, "height": 700}, color_scheme=scheme)
        one.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
        for language in ("en", "pl"):
            for path in ("", "/accounts", "/audit", "/password"):
                one.goto(f"{served.url}/organiser{path}?lang={language}")
                wrong += [(f"{role} {path}", fault) for fault in wrong_with(one)]
            if role == "owner":
                one.goto(f"{served.url}/organiser/accounts?lang={language}")
                one.locator(".actions form:nth-child(3) button").first.click()
                wrong += [("sure", fault) for fault in wrong_with(one)]
        one.context.close()
    assert (wrong, ran) == ([], [])


def test_an_account_is_made_by_the_keyboard_alone(page, served, sessions):
    one = opened(page, sessions["owner"], viewport={"width": 1280, "height": 700}, color_scheme="light")
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
