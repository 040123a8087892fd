"""The page of the server itself, in a real browser: nothing to type, nothing to run, in two languages and two colour schemes."""

from importlib.resources import files

import pytest

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_narrow_screen_needs_no_sideways_scrolling(page, served, scheme):
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    opened = page.context.browser.new_context(viewport={"width": 320, "height": 640}, color_scheme=scheme).new_page()
    opened.goto(served.url)
    opened.evaluate(axe)
    found = opened.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= 320
    background = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 23, 27)"}[scheme]
    opened.context.close()


def test_it_says_in_both_languages_what_it_is_and_the_keyboard_leads_organisers_on(page, served):
    page.goto(served.url)
    assert page.locator("form, input, script").count() == 0
    for language, words in (("en", "randomly changed in your browser"), ("pl", "losowo zmieniane w Twojej przeglądarce")):
        assert words in " ".join(page.locator(f"section:lang({language})").inner_text().split())
    focused = []
    for _ in range(4):
        page.keyboard.press("Tab")
        focused.append(page.evaluate("document.activeElement.textContent"))
    assert focused == ["English", "Polski", "Organisers log in here", "Logowanie dla organizatorów"]
    page.keyboard.press("Enter")
    page.get_by_label("Hasło").wait_for()
    assert page.url == f"{served.url}/organiser/login?lang=pl"
    assert page.context.cookies() == []


def test_a_language_can_be_picked_without_a_script_or_a_cookie(page, served):
    page.goto(served.url)
    page.get_by_role("link", name="Polski").click()
    assert page.locator("section:lang(pl)").is_visible()
    assert not page.locator("section:lang(en)").is_visible()
    page.get_by_role("link", name="English").click()
    assert not page.locator("section:lang(pl)").is_visible()
    page.goto(f"{served.url}/s/no-such-survey")
    assert page.locator("section").count() == 2
    page.get_by_role("link", name="Polski").click()
    assert page.get_by_text("Nie ma tu takiej ankiety").is_visible()
    assert not page.get_by_text("There is no such survey").is_visible()
    assert page.context.cookies() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_login_page_has_two_boxes_and_axe_finds_nothing_in_either_language(page, served, scheme):
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    opened = page.context.browser.new_context(viewport={"width": 320, "height": 640}, color_scheme=scheme).new_page()
    for language, label in (("en", "Password"), ("pl", "Hasło")):
        opened.goto(f"{served.url}/organiser/login?lang={language}")
        assert [box.get_attribute("name") for box in opened.locator("input").all() if box.is_visible()] == [
            "username",
            "password",
        ]
        assert opened.get_by_label(label).is_visible()
        assert opened.locator("html").get_attribute("lang") == language
        opened.evaluate(axe)
        found = opened.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
        )
        assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= 320
    opened.context.close()
