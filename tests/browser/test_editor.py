"""A survey of three questions in two languages, written from blank in a real browser: axe, narrow screens, both colour schemes, without
script and with it, and by the keyboard."""

import re

import pytest

from deniable.survey.drafts import parts
from deniable.survey.store.audit import COMMAND_LINE
from tests.browser.walking import Watch, opened

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def owner(served):
    served.store.add_account("Anna Nowak", "owner", "editor", COMMAND_LINE)
    return served.accounts._new_session(served.store.choose_password("editor", "no password has this hash"))


def fill(page, **texts):
    for name, text in texts.items():
        page.locator(f'[name="{name.replace("__", ".")}"]').last.fill(text)


WORDS = {
    "en": {"begin": "Begin", "settings": "About the survey", "back": "Save and go back", "add": "Add",
           "plan": "What the answers will tell you", "open": "Open",
           "new": "Write a new survey", "really": "Open it", "do": "Calculate", "ready": "can be opened as it is"},
    "pl": {"begin": "Zacznij", "settings": "O ankiecie", "back": "Zapisz i wróć", "add": "Dodaj", "plan": "Co powiedzą odpowiedzi",
           "open": "Otwórz", "new": "Utwórz nową ankietę", "really": "Otwórz ankietę", "do": "Oblicz", "ready": "można otworzyć"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("width", "scheme", "language", "script"),
    [(1280, "light", "en", True), (320, "dark", "pl", True), (320, "light", "en", False)],
)
def test_a_survey_is_written_from_blank(page, served, owner, width, scheme, language, script):
    one = opened(page, owner, viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script)
    watch, words = Watch(one, f"{width}-{scheme}-{language}-{'script' if script else 'plain'}"), WORDS[language]
    look = watch.look if script else lambda what: None
    title = f"Life in town {width} {scheme}"
    one.goto(f"{served.url}/organiser?lang={language}")
    look("list")
    one.get_by_role("link", name=words["new"]).click()
    look("new")
    fill(one, title=title)
    one.locator('[name="language.en"]').check()
    one.locator('[name="language.pl"]').check()
    one.get_by_role("button", name=words["begin"], exact=True).click()
    look("blank")
    path = re.sub(r"\?.*", "", one.url)
    one.get_by_role("link", name=words["settings"], exact=True).first.click()
    look("settings")
    fill(one, title__en=title, title__pl="Życie w mieście", organiser__en="Town hall", organiser__pl="Urząd miasta",
         contact__en="t@town.example", contact__pl="t@town.example", other_way__en="Call 555 0100.",
         other_way__pl="Telefon: 555 0100.", closes="2099-12-31")  # fmt: skip
    one.get_by_role("button", name=words["back"]).click()
    for kind, texts in (
        ("boolean", {"title__en": "Do you smoke?", "title__pl": "Czy palisz?"}),
        ("radiogroup", {"title__en": "Where do you live?", "title__pl": "Gdzie mieszkasz?", "choices__0__en": "North",
                        "choices__0__pl": "Północ", "choices__1__en": "South", "choices__1__pl": "Południe"}),
        ("rating", {"title__en": "How are the buses?", "title__pl": "Jak oceniasz autobusy?", "rateMax": "5"}),
    ):  # fmt: skip
        one.locator("#kind").select_option(kind)
        one.get_by_role("button", name=words["add"], exact=True).click()
        one.locator("form.part").wait_for()
        fill(one, **texts)
        if kind == "radiogroup":
            one.locator('[name="privacy"]').select_option("none")
        if kind == "rating":
            one.locator('[name="visibleIf"]').select_option("{q2} = 'North'")
        look(f"question-{kind}")
        one.get_by_role("button", name=words["back"]).click()
    one.get_by_text(words["ready"]).wait_for()
    look("written")
    one.goto(f"{path}/yaml?lang={language}")
    look("yaml")
    one.goto(f"{path}/plan?lang={language}&people=150&budget=20")
    look("plan")
    one.get_by_role("link", name=words["open"], exact=True).first.click()
    look("open")
    one.get_by_role("button", name=words["really"]).click()
    one.get_by_text("Życie w mieście" if language == "pl" else title).first.wait_for()
    look("opened")
    slug = f"life-in-town-{width}-{scheme}"
    asked = served.store.version(slug).questionnaire
    assert [element["title"]["pl"] for element in asked["pages"][0]["elements"]] == [
        "Czy palisz?",
        "Gdzie mieszkasz?",
        "Jak oceniasz autobusy?",
    ]
    assert asked["pages"][0]["elements"][1]["choices"][0]["text"] == {"en": "North", "pl": "Północ"}
    # People can answer it.
    one.goto(f"{served.url}/s/{slug}?lang=pl")
    if script:
        one.get_by_text("Życie w mieście").first.wait_for()
    assert watch.wrong == []
    one.context.close()


def test_what_is_typed_is_saved_and_a_conflict_is_shown(page, served, owner):
    made = served.store.add_draft(
        {"survey": "typed", "pages": [{"elements": [{"type": "boolean", "name": "a"}]}]}, COMMAND_LINE
    )
    one = opened(page, owner, viewport={"width": 900, "height": 800})
    watch = Watch(one, "conflict")
    one.goto(f"{served.url}/organiser/drafts/{made.key}/questions/0-0?lang=en")
    one.locator('[name="title.en"]').fill("Typed <b>text</b>")
    one.get_by_text("Saved.").wait_for()
    assert served.store.draft(made.key).content["pages"][0]["elements"][0]["title"] == "Typed <b>text</b>"
    assert one.locator("#wrong-title").is_hidden()
    # A second save follows the first; then somebody else comes between.
    one.locator('[name="title.en"]').fill("Typed again")
    one.get_by_text("Saved.").wait_for()
    question = parts.question_at(served.store.draft(made.key).content, (0, 0))
    assert question.given["title"] == "Typed again"
    other = {**question.given, "title": "By somebody else"}
    served.store.change_draft(made.key, lambda content: parts.with_question(content, question, other), COMMAND_LINE)
    one.locator('[name="title.en"]').fill("Mine")
    one.get_by_text("Nothing was overwritten").wait_for()
    assert served.store.draft(made.key).content["pages"][0]["elements"][0]["title"] == "By somebody else"
    one.get_by_role("button", name="Save and go back").click()
    one.get_by_text("What is there now").wait_for()
    watch.look("conflict")
    one.get_by_role("button", name="Use what I wrote").click()
    one.get_by_text("This is a draft").wait_for()
    assert served.store.draft(made.key).content["pages"][0]["elements"][0]["title"] == "Mine"
    watch.look("draft")
    one.get_by_role("button", name="Remove: Mine").click()
    watch.look("remove")
    one.goto(f"{served.url}/organiser/drafts/{made.key}/delete?lang=en")
    watch.look("delete")
    assert watch.wrong == []
    one.context.close()


def test_a_question_is_added_by_the_keyboard_alone(page, served, owner):
    made = served.store.add_draft({"survey": "keys", "pages": [{"elements": []}]}, COMMAND_LINE)
    one = opened(page, owner, viewport={"width": 900, "height": 800})
    one.goto(f"{served.url}/organiser/drafts/{made.key}?lang=en")

    def tab_to(selector):
        for _ in range(80):
            one.keyboard.press("Tab")
            if one.evaluate(f"document.activeElement.matches({selector!r})"):
                return
        raise AssertionError(f"{selector} is not reached")

    tab_to("#kind")
    one.keyboard.type("Rating")
    tab_to("button[value=add]")
    one.keyboard.press("Enter")
    one.locator("form.part").wait_for()
    tab_to("[name='title.en']")
    one.keyboard.type("How are the buses?")
    tab_to("[name='rateMax']")
    one.keyboard.type("7")
    # Enter saves what is in the form.
    one.keyboard.press("Enter")
    one.get_by_text("Saved.").first.wait_for()
    tab_to("button[value=back]")
    one.keyboard.press("Enter")
    one.get_by_role("link", name="How are the buses?").first.wait_for()
    assert served.store.draft(made.key).content["pages"][0]["elements"][0] == {
        "type": "rating", "name": "q1", "title": "How are the buses?", "rateMax": 7,
    }  # fmt: skip
    one.context.close()


def test_rows_come_and_go_on_the_page_and_are_saved(page, served, owner):
    question = {
        "type": "radiogroup",
        "name": "a",
        "title": "Where?",
        "choices": ["north", {"value": "s", "text": "South"}, "west"],
    }
    made = served.store.add_draft({"survey": "rows", "pages": [{"elements": [question]}]}, COMMAND_LINE)
    one = opened(page, owner, viewport={"width": 320, "height": 800})
    watch = Watch(one, "rows")
    one.goto(f"{served.url}/organiser/drafts/{made.key}/questions/0-0?lang=en")

    def choices():
        return served.store.draft(made.key).content["pages"][0]["elements"][0]["choices"]

    one.get_by_role("button", name="Add a row").focus()
    one.keyboard.press("Enter")
    # The new row has the focus, so that it can be typed at once.
    assert one.evaluate("document.activeElement.name") == "choices.4.en"
    one.keyboard.type("East")
    one.get_by_text("Saved.").wait_for()
    assert choices()[3] == "East"
    watch.look("added")
    one.get_by_role("button", name="Remove: Row 2").click()
    assert one.evaluate("document.activeElement.name") == "choices.1.en"
    one.get_by_text("Saved.").wait_for()
    assert choices() == ["north", "west", "East"]
    assert one.locator("[name='choices.1.value']").input_value() == "west"
    assert one.locator("label[for='choices.1.value']").count() == 1
    one.get_by_role("button", name="Move up: Row 2").click()
    one.get_by_text("Saved.").first.wait_for()
    assert choices() == ["west", "north", "East"]
    # The last row is emptied, never taken away: otherwise the form would say nothing about the list.
    while one.locator("button.drop").count() > 1:
        one.locator("button.drop").last.click()
    one.locator("button.drop").click()
    one.get_by_text("Saved.").wait_for()
    one.get_by_text("Give at least 2 answers.").wait_for()
    assert "choices" not in served.store.draft(made.key).content["pages"][0]["elements"][0]
    assert watch.wrong == []
    one.context.close()


def plan_draft(served, survey, **more):
    """A draft with private questions of several kinds, whose plan has pictures of each and of all."""
    text = lambda en, pl: {"en": en, "pl": pl}  # noqa: E731
    elements = [
        {"type": "boolean", "name": "smokes", "title": text("Do you smoke?", "Czy palisz?"), "privacy": "strong"},
        {"type": "radiogroup", "name": "party", "title": text("Which party would you vote for?", "Na którą partię oddałbyś głos?"),
         "choices": ["A", "B", "C", "D"], "privacy": "light"},
        {"type": "rating", "name": "trams", "title": text("How are the trams?", "Jak oceniasz tramwaje?"), "for": "mean"},
        {"type": "checkbox", "name": "goes", "title": text("Where do you go?", "Dokąd chodzisz?"), "choices": ["park", "pool"]},
    ]  # fmt: skip
    content = {
        "survey": survey, "title": text("Life in town", "Życie w mieście"), "languages": ["en", "pl"], "organiser": "x", "contact": "y",
        "other_way": "z", "pages": [{"elements": elements}], **more,
    }  # fmt: skip
    return served.store.add_draft(content, COMMAND_LINE)


@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(1280, "light", "en"), (320, "dark", "pl"), (1280, "dark", "en"), (320, "light", "pl")]
)
def test_the_plan_is_drawn(page, served, owner, width, scheme, language):
    made = plan_draft(served, f"plan-{width}-{scheme}", closes="2001-01-01")
    one = opened(page, owner, viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch = Watch(one, f"plan-{width}-{scheme}-{language}")
    path = f"{served.url}/organiser/drafts/{made.key}"
    one.goto(f"{path}/settings?lang={language}")
    watch.look("late")
    one.goto(f"{path}/plan?lang={language}&answers=700&budget=40&people=500")
    watch.look("plan")
    # Letters of the pictures can be read on a narrow screen.
    smallest = one.evaluate(
        "Math.min(...[...document.querySelectorAll('.curve text')].map((text) => text.getBoundingClientRect().height))"
    )
    assert smallest >= 10
    assert one.locator(".curve").count() == 10
    outside = one.evaluate(
        "[...document.querySelectorAll('.curve')].filter((svg) => [...svg.querySelectorAll('text, path, circle')].some((part) => {"
        " const a = part.getBoundingClientRect(), b = svg.getBoundingClientRect();"
        " return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1; })).length"
    )
    assert outside == 0
    for details in one.locator("details").all():
        details.locator("summary").click()
    watch.look("plan-tables")
    one.locator("button[value=use]").first.click()
    one.get_by_role("heading", name="Make the protection weaker?" if language == "en" else "Osłabić ochronę?").wait_for()
    watch.look("weaker")
    assert watch.wrong == []
    one.context.close()


def test_a_plan_that_takes_long_says_so(page, served, owner):
    made = plan_draft(served, "busy")
    one = opened(page, owner, viewport={"width": 900, "height": 800})
    one.goto(f"{served.url}/organiser/drafts/{made.key}?lang=en")
    assert one.locator(".busy").inner_text() == ""
    assert one.locator(".busy").get_attribute("role") == "status"
    # The page stays, as it does while the server works.
    one.evaluate("for (const verb of ['click', 'submit']) addEventListener(verb, (event) => event.preventDefault())")
    one.get_by_role("link", name="What the answers will tell you").click()
    one.get_by_text("Working it out…").wait_for()
    one.goto(f"{served.url}/organiser/drafts/{made.key}/plan?lang=en")
    assert one.locator(".busy").inner_text() == ""
    one.evaluate("addEventListener('submit', (event) => event.preventDefault())")
    one.get_by_role("button", name="Calculate").press("Enter")
    one.get_by_text("Working it out…").wait_for()
    one.context.close()


def test_reopening_looks_right(page, served, owner):
    from deniable.survey.questionnaire import Questionnaire

    served.store.open_survey(Questionnaire.from_json(plan_draft(served, "again", invited=True).content))
    served.store.close_survey("again")
    for width, scheme, language in ((1280, "light", "en"), (320, "dark", "pl")):
        one = opened(page, owner, viewport={"width": width, "height": 900}, color_scheme=scheme)
        watch = Watch(one, f"again-{width}-{scheme}-{language}")
        one.goto(f"{served.url}/organiser?lang={language}")
        one.get_by_role("button", name="Open again again" if language == "en" else "Otwórz ponownie again").click()
        one.get_by_role("button", name="Open it again" if language == "en" else "Otwórz ponownie", exact=True).wait_for()
        watch.look("reopening")
        assert watch.wrong == []
        one.context.close()
    assert served.store.overview("again").state == "closed"
