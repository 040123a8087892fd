"""A draft is previewed, tried by colleagues, filled with made-up residents and rid of both, in a real browser: axe, narrow and wide
screens, both colour schemes, both languages, and by the keyboard."""

import json

import pytest

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import Watch, opened

pytestmark = pytest.mark.xdist_group("browser")
TEXT = """
survey: {slug}
title: {{en: Life in town, pl: Życie w mieście}}
description: {{en: A few questions about the town., pl: Kilka pytań o miasto.}}
languages: [en, pl]
organiser: {{en: Town hall, pl: Urząd miasta}}
contact: survey@town.example
other_way: {{en: Call 555 0100., pl: 'Telefon: 555 0100.'}}
pages:
- title: {{en: About you, pl: O Tobie}}
  elements:
  - {{type: radiogroup, name: district, title: {{en: Where do you live?, pl: Gdzie mieszkasz?}}, privacy: none,
     choices: [{{value: n, text: {{en: North, pl: Północ}}}}, {{value: s, text: {{en: South, pl: Południe}}}}]}}
- title: {{en: About the town, pl: O mieście}}
  elements:
  - {{type: boolean, name: smokes, title: {{en: Do you smoke?, pl: Czy palisz?}}, privacy: strong}}
  - {{type: rating, name: buses, title: {{en: How are the buses?, pl: Jak oceniasz autobusy?}}, privacy: standard}}
"""
WORDS = {
    "en": {"preview": "See it as respondents do", "try": "Try it with colleagues", "start": "Start", "next": "Next", "send": "Send",
           "banner": "Preview: nothing is sent.", "end": "This is the end of the preview", "back": "Back to the draft", "yes": "Yes",
           "north": "North", "smokes": "Do you smoke?", "open": "Open a trial", "trial": "Trial: this is not the real survey",
           "thanks": "Thank you", "close": "Close the trial and read its results", "results": "This is a trial.",
           "delete": "Delete the trial", "people": "How many made-up residents", "make": "Make up their answers", "see": "See results",
           "made": "These answers are made up", "report": "Report", "public": "Preview of the public page",
           "never": "never released to everyone", "rid": "Delete the made-up answers", "nav": "Try it", "list": "Trials"},
    "pl": {"preview": "Zobacz ją oczami odpowiadających", "try": "Wypróbuj ją ze współpracownikami", "start": "Rozpocznij",
           "next": "Dalej", "send": "Wyślij", "banner": "Podgląd: nic nie jest wysyłane.", "end": "To koniec podglądu",
           "back": "Wróć do szkicu", "yes": "Tak", "north": "Północ", "smokes": "Czy palisz?", "open": "Otwórz próbę",
           "trial": "Próba: to nie jest właściwa ankieta", "thanks": "Dziękujemy", "close": "Zamknij próbę i obejrzyj wyniki",
           "results": "To jest próba.", "delete": "Usuń próbę", "people": "Ilu zmyślonych mieszkańców",
           "make": "Utwórz zmyślone odpowiedzi",
           "see": "Zobacz wyniki", "made": "Te odpowiedzi są zmyślone", "report": "Raport", "public": "Podgląd strony publicznej",
           "never": "nigdy nie są udostępniane wszystkim", "rid": "Usuń zmyślone odpowiedzi", "nav": "Wypróbuj", "list": "Próby"},
}  # fmt: skip


@pytest.fixture(scope="module")
def owner(served):
    served.store.add_account("Anna Nowak", "owner", "trials", COMMAND_LINE)
    return served.accounts._new_session(served.store.choose_password("trials", "no password has this hash"))


def answer(page, words):
    """Answer as somebody does who lives in the north and smokes."""
    page.get_by_role("button", name=words["start"], exact=True).click()
    page.get_by_label(words["north"], exact=True).check()
    page.get_by_role("button", name=words["next"], exact=True).click()
    page.locator("fieldset", has_text=words["smokes"]).get_by_label(words["yes"], exact=True).check()


def drafted(served, slug):
    made = served.store.add_draft(Questionnaire.parse(TEXT.format(slug=slug)).to_json(), COMMAND_LINE)
    return f"{served.url}/organiser/drafts/{made.key}"


SCREENS = [(1280, "light", "en"), (320, "dark", "pl"), (320, "light", "en"), (1280, "dark", "pl")]


@pytest.mark.parametrize(("width", "scheme", "language"), SCREENS)
def test_a_draft_is_seen_as_respondents_do(page, served, owner, width, scheme, language):
    one, words = opened(page, owner, viewport={"width": width, "height": 900}, color_scheme=scheme), WORDS[language]
    watch, path = Watch(one, f"preview-{width}-{scheme}-{language}"), drafted(served, f"seen-{width}-{scheme}")
    one.goto(f"{path}?lang={language}")
    watch.look("draft")
    one.get_by_role("link", name=words["preview"]).click()
    one.get_by_text(words["banner"]).wait_for()
    watch.look("introduction")
    answer(one, words)
    watch.look("questions")
    one.get_by_role("button", name=words["send"], exact=True).click()
    one.get_by_text(words["end"]).wait_for()
    watch.look("end")
    said = one.locator("main dl").inner_text()
    assert words["smokes"] in said
    assert words["north"] in said  # asked openly: it would have been sent as it is
    # The other language shows the same end.
    other = WORDS["pl" if language == "en" else "en"]
    one.locator("#page-language").select_option("pl" if language == "en" else "en")
    one.get_by_text(other["end"]).wait_for()
    assert other["north"] in one.locator("main dl").inner_text()
    one.get_by_role("link", name=other["back"]).click()
    one.wait_for_url(f"{path}?lang=*")
    assert watch.posted == []
    assert watch.wrong == []
    one.context.close()


@pytest.mark.parametrize(("width", "scheme", "language"), SCREENS[:2])
def test_a_draft_is_tried_and_filled_with_made_up_residents(page, served, owner, width, scheme, language):
    one, words = opened(page, owner, viewport={"width": width, "height": 900}, color_scheme=scheme), WORDS[language]
    slug = f"tried-{width}-{scheme}"
    watch, path = Watch(one, f"trial-{width}-{scheme}-{language}"), drafted(served, slug)
    one.goto(f"{path}?lang={language}")
    one.get_by_role("link", name=words["try"]).click()
    watch.look("nothing-yet")
    one.get_by_role("button", name=words["open"]).click()
    one.get_by_text(f"/s/trial--{slug}").wait_for()
    watch.look("open")
    # A colleague answers; the language is that of the browser or of the address.
    colleague = opened(page, "nobody", viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Watch(colleague, f"colleague-{width}-{scheme}-{language}")
    [trial] = [name for name in served.store.slugs() if name.startswith(f"trial--{slug}--")]
    colleague.goto(f"{served.url}/s/{trial}?lang={language}")
    colleague.get_by_text(words["trial"]).wait_for()
    seen.look("introduction")
    answer(colleague, words)
    colleague.get_by_role("button", name=words["send"], exact=True).click()
    colleague.get_by_text(words["thanks"]).wait_for()
    assert colleague.get_by_text(words["trial"]).is_visible()
    seen.look("thanks")
    assert [json.loads(request.post_data)["version"] for request in seen.posted] == [1_000_001]
    colleague.context.close()
    one.goto(f"{served.url}/organiser?lang={language}")
    one.get_by_role("heading", name=words["list"]).wait_for()
    watch.look("list")
    one.goto(f"{path}/trial?lang={language}")
    one.get_by_role("button", name=words["close"]).click()
    one.get_by_text(words["results"]).wait_for()
    watch.look("results-of-the-trial")
    one.goto(f"{path}/trial?lang={language}")
    watch.look("closed")
    one.get_by_role("button", name=words["delete"]).click()
    one.get_by_role("heading", level=1, name="?").wait_for()
    one.get_by_role("button", name=words["delete"]).click()
    one.get_by_role("button", name=words["open"]).wait_for()
    assert trial not in served.store.slugs()
    # Made-up residents.
    assert one.get_by_label(words["people"]).input_value() == "500"
    one.get_by_role("button", name=words["make"]).click()
    one.get_by_role("button", name=words["rid"]).wait_for()
    watch.look("made-up")
    assert served.store.overview(f"made-up--{slug}").mixed == 500
    here = one.url
    for link, said, what in (("see", "made", "results"), ("report", "made", "report"), ("public", "never", "public")):
        one.get_by_role("link", name=words[link], exact=True).click()
        one.get_by_text(words[said]).first.wait_for()
        watch.look(f"made-up-{what}")
        one.goto(here)
    one.goto(f"{served.url}/organiser/surveys/made-up--{slug}/publish/{language}")
    one.get_by_text(words["made"]).wait_for()
    watch.look("made-up-public-page")
    one.goto(here)
    one.get_by_role("button", name=words["rid"]).click()
    one.get_by_role("heading", level=1, name="?").wait_for()
    watch.look("made-up-sure")
    one.get_by_role("button", name=words["rid"]).click()
    one.get_by_role("button", name=words["make"], exact=True).wait_for()
    assert f"made-up--{slug}" not in served.store.slugs()
    assert watch.wrong + seen.wrong == []
    one.context.close()


def test_everything_is_reached_by_the_keyboard(page, served, owner):
    one, path = opened(page, owner, viewport={"width": 900, "height": 800}, locale="en-GB"), drafted(served, "by-keys")

    def tab_to(name):
        for _ in range(80):
            one.keyboard.press("Tab")
            focused = one.evaluate("(({ tagName, innerText, id }) => [tagName, innerText, id])(document.activeElement)")
            if focused[0] != "BODY" and name in focused[1:]:
                return
        raise AssertionError(f"{name} is not reached")

    one.goto(f"{path}/trial?lang=en")
    tab_to("See it as respondents do")
    one.keyboard.press("Enter")
    one.get_by_text("Preview: nothing is sent.").wait_for()
    tab_to("Start")
    one.keyboard.press("Enter")
    tab_to("Next")
    one.keyboard.press("Enter")
    tab_to("Send")
    one.keyboard.press("Enter")
    one.get_by_text("This is the end of the preview").wait_for()
    tab_to("Back to the draft")
    one.keyboard.press("Enter")
    one.get_by_role("link", name="Try it", exact=True).wait_for()
    tab_to("Try it with colleagues")
    one.keyboard.press("Enter")
    one.get_by_role("heading", name="Try it with colleagues").wait_for()
    tab_to("Open a trial")
    one.keyboard.press("Enter")
    one.get_by_text("/s/trial--by-keys").wait_for()
    tab_to("people")
    one.keyboard.press("Control+a")
    one.keyboard.type("60")
    # Enter in the field makes them up.
    one.keyboard.press("Enter")
    one.get_by_role("button", name="Delete the made-up answers").wait_for()
    assert served.store.overview("made-up--by-keys").mixed == 60
    for button in ("Delete the made-up answers", "Delete the trial"):
        tab_to(button)
        one.keyboard.press("Enter")
        # It is asked once before.
        one.get_by_role("heading", level=1, name="?").wait_for()
        tab_to(button)
        one.keyboard.press("Enter")
        one.get_by_role("button", name=button).wait_for(state="detached")
    assert not [slug for slug in served.store.slugs() if "by-keys" in slug]
    one.context.close()


def test_a_draft_that_is_gone_or_wrong_by_now_is_told_on_the_page(page, served, owner):
    one, path = opened(page, owner, locale="en-GB"), drafted(served, "gone")
    key = path.rsplit("/", 1)[1]
    one.goto(f"{path}/preview?lang=en")
    one.get_by_role("button", name="Start").wait_for()
    served.store.change_draft(key, lambda content: {**content, "organiser": ""}, COMMAND_LINE)
    one.get_by_role("button", name="Start").click()
    one.get_by_role("button", name="Next").click()
    one.get_by_role("button", name="Send").click()
    one.get_by_role("button", name="Go through it again").click()
    one.get_by_text("The draft cannot be shown").wait_for()
    one.reload()
    one.get_by_text("There is no preview yet").wait_for()
    one.context.close()
