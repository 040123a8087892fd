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
    for language, words in (("en", "mixed at random in your browser"), ("pl", "losowo mieszane w Twojej przeglądarce")):
        assert words in " ".join(page.locator(f"section:lang({language})").inner_text().split())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Organisers log in here"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('[lang]').lang") == "pl"
    page.keyboard.press("Enter")
    page.get_by_label("Password").wait_for()
    assert page.url == f"{served.url}/organiser/login"
    assert page.context.cookies() == []
