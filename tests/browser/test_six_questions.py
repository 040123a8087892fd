"""The organiser's whole side in one go, by the keyboard and without a terminal: a survey of six questions in two languages is written,
planned, previewed, tried, opened, answered, closed, and its results are read. Every page on the way is looked at."""

import pytest

from deniable.survey.made_up import made_up_reports
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.pages import Speech
from tests.browser.walking import Reader, choose, follow, kept_in, press

pytestmark = pytest.mark.xdist_group("browser")
RESIDENTS = 400
ABOUT = {
    "organiser": ("Town hall", "Urząd miasta"),
    "contact": ("survey@town.example", "ankieta@miasto.example"),
    "other_way": ("Call 555 0100.", "Telefon: 555 0100."),
}
DISTRICTS = [("North", "Północ"), ("South", "Południe"), ("Riverside", "Nadrzecze")]
PASTIMES = [("Walks", "Spacery"), ("Betting", "Zakłady"), ("Music", "Muzyka")]
QUESTIONS = {
    "radiogroup": {"title": ("Where do you live?", "Gdzie mieszkasz?"), "rows": DISTRICTS, "privacy": "none"},
    "boolean": {"title": ("Do you smoke?", "Czy palisz?"), "privacy": "standard"},
    "rating": {"title": ("How good are the buses?", "Jak oceniasz autobusy?"), "privacy": "light", "rateMax": "4"},
    "checkbox": {"title": ("What do you do in the evening?", "Co robisz wieczorem?"), "rows": PASTIMES, "privacy": "light"},
    "number": {"title": ("Hours of television a week", "Godziny przed telewizorem w tygodniu"), "privacy": "light", "grid": True,
               "min": "0", "max": "20", "for": "mean"},
    "dropdown": {"title": ("How do you travel?", "Czym jeździsz?"), "privacy": "light",
                 "rows": [("By car", "Samochodem"), ("By bus", "Autobusem")]},
}  # fmt: skip
PAGE = {
    "en": {"start": "Start", "next": "Next", "send": "Send", "preview": "This is the end of the preview", "thanks": "Thank you",
           "back": "Back to the draft"},
    "pl": {"start": "Rozpocznij", "next": "Dalej", "send": "Wyślij", "preview": "To koniec podglądu", "thanks": "Dziękujemy",
           "back": "Wróć do szkicu"},
}  # fmt: skip


class Organiser:
    """Somebody at the keyboard who looks at every page."""

    def __init__(self, reader, language, pictures, name):
        self.reader, self.page, self.words, self.language = reader, reader.page, Speech(language), language
        self.pictures, self.name, self.wrong, self.seen = pictures, name, [], 0

    def look(self, what):
        self.seen += 1
        self.wrong += [(what, fault) for fault in self.reader.wrong()]
        self.page.screenshot(path=self.pictures / f"{self.name}-{self.seen:02}-{what}.png", full_page=True)

    def press(self, word, what):
        press(self.page, self.words[word])
        self.look(what)

    def follow(self, word, what):
        follow(self.page, self.words[word])
        self.look(what)

    def type(self, name, text):
        self.page.locator(f'[name="{name}"]').last.focus()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def both(self, name, texts):
        for language, text in zip(("en", "pl"), texts, strict=True):
            self.type(f"{name}.{language}", text)

    def pick(self, name, value):
        """A line of a list: arrows go through them until it is there."""
        self.page.locator(f'select[name="{name}"]').focus()
        self.page.keyboard.press("Home")
        for _ in range(40):
            if self.page.locator(f'select[name="{name}"]').input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{name} has no {value}")

    def tick(self, name):
        self.page.locator(f'input[type=checkbox][name="{name}"]').focus()
        self.page.keyboard.press("Space")

    def add_rows(self, texts):
        for i, both in enumerate(texts):
            if not self.page.locator(f'[name="choices.{i}.en"]').count():
                self.page.get_by_role("button", name=self.words["row_more"]).focus()
                self.page.keyboard.press("Enter")
                self.page.locator(f'[name="choices.{i}.en"]').wait_for()
            self.both(f"choices.{i}", both)

    def add_question(self, kind, asked):
        self.pick("kind", kind)
        press(self.page, self.words["add"])
        for key, given in asked.items():
            if key == "title":
                self.both(key, given)
            elif key == "rows":
                self.add_rows(given)
            elif key in ("privacy", "for"):
                self.pick(key, given)
            elif given is True:
                self.tick(key)
            else:
                self.type(key, given)
        self.look(f"question-{kind}")
        press(self.page, self.words["save_back"])


def answer(page, language, end):
    """Go through the respondent's page by the keyboard; the first question is answered, the others are left to chance and silence."""
    words = PAGE[language]

    def push(name):
        page.get_by_role("button", name=words[name], exact=True).focus()
        page.keyboard.press("Enter")

    push("start")
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    while page.get_by_role("button", name=words["next"], exact=True).count():
        push("next")
    push("send")
    page.get_by_text(words[end]).first.wait_for()


def write(me, title):
    """From the list to a draft that can be opened; gives its path."""
    me.follow("new_survey", "new")
    me.type("title", title)
    for language in {"en", "pl"} - {me.language}:
        me.tick(f"language.{language}")
    me.press("begin", "blank")
    path = me.page.url.split("?")[0]
    follow(me.page, me.words["draft_settings"])
    me.both("title", (title, "Życie w mieście"))
    for name, texts in ABOUT.items():
        me.both(name, texts)
    me.look("settings")
    press(me.page, me.words["save_back"])
    for kind, asked in QUESTIONS.items():
        me.add_question(kind, asked)
    assert me.page.get_by_text(me.words["nothing_wrong"]).count() == 1
    me.look("written")
    return path


def try_out(me, served, slug, context):
    """Preview, trial with one colleague, made-up residents; both are deleted again."""
    me.follow("draft_plan", "plan")
    assert me.page.locator("svg").count() >= 5
    me.follow("draft_questions", "draft")
    follow(me.page, me.words["preview_it"])
    me.page.get_by_role("button", name=PAGE[me.language]["start"], exact=True).wait_for()
    me.look("preview")
    answer(me.page, me.language, "preview")
    me.look("preview-end")
    follow(me.page, PAGE[me.language]["back"])
    me.follow("draft_trial", "trial")
    me.press("do_try", "trial-open")
    colleague = context(None)
    [trial] = [one for one in served.store.slugs() if one.startswith(f"trial--{slug}--")]
    colleague.page.goto(f"{served.url}/s/{trial}")
    answer(colleague.page, me.language, "thanks")
    colleague.context.close()
    me.press("do_make_up", "made-up")
    follow(me.page, me.words["see_results"])
    me.look("made-up-results")
    me.page.go_back()
    for word in ("do_delete_made_up", "do_delete_trial"):
        me.press(word, f"{word}-sure")
        me.press(word, word)
    assert not [one for one in served.store.slugs() if slug in one]


def answered_by_residents(me, served, slug, context):
    """One at the page, the others as their pages would send it."""
    somebody = context(None)
    somebody.page.goto(f"{served.url}/s/{slug}")
    answer(somebody.page, me.language, "thanks")
    asked = Questionnaire.from_json(served.store.version(slug).questionnaire)
    sent = somebody.context.request
    for number, report in enumerate(made_up_reports(asked, RESIDENTS)):
        body = {"version": 1, "id": f"{slug}-{number:06}-resident"[-40:], "report": report}
        assert sent.post(f"{served.url}/api/surveys/{slug}/answers", data=body).status == 201
    somebody.context.close()


def read_results(me, slug):
    """Close it, and read every question, one by groups, and a cross table."""
    me.page.goto(me.page.url.split("/organiser")[0] + f"/organiser?lang={me.language}")
    me.look("list")
    press(me.page, f"{me.words['do_close']} {slug}")
    me.look("close")
    me.press("do_close", "closed")
    follow(me.page, f"{me.words['see_results']}: {slug}")
    me.look("results")
    assert me.page.get_by_role("heading", level=2).count() >= len(QUESTIONS)
    me.follow("view_cross", "choose-cross")
    choose(me.page, "by", QUESTIONS["radiogroup"]["title"][me.language == "pl"])
    choose(me.page, "of", QUESTIONS["boolean"]["title"][me.language == "pl"])
    me.press("show", "cross")
    assert me.page.locator("table.cross td .strip").count() >= 6
    me.follow("report", "report")


SCREENS = [(1280, "light", "en"), (320, "dark", "pl"), (1280, "dark", "pl"), (320, "light", "en")]


@pytest.mark.parametrize(
    ("width", "scheme", "language"), [*SCREENS[:2], *(pytest.param(*one, marks=pytest.mark.slow) for one in SCREENS[2:])]
)
def test_a_survey_is_written_planned_tried_opened_answered_closed_and_read(page, served, tmp_path, width, scheme, language):
    served.store.add_account(f"Anna {width} {scheme}", "owner", f"six-{width}-{scheme}", COMMAND_LINE)
    cookie = served.accounts._new_session(served.store.choose_password(f"six-{width}-{scheme}", "no password has this hash"))

    def context(session):
        settings = {
            "viewport": {"width": width, "height": 900},
            "color_scheme": scheme,
            "locale": f"{language}-{language.upper()}",
        }
        return Reader(page, session, **settings)

    reader = context(cookie)
    me = Organiser(reader, language, kept_in(tmp_path), f"{width}-{scheme}-{language}")
    title, slug = f"Six questions {width} {scheme}", f"six-questions-{width}-{scheme}"
    me.page.goto(f"{served.url}/organiser?lang={language}")
    path = write(me, title)
    try_out(me, served, slug, context)
    me.page.goto(f"{path}?lang={language}")
    follow(me.page, me.words["draft_open"])
    me.look("open")
    me.press("do_open_draft", "opened")
    answered_by_residents(me, served, slug, context)
    read_results(me, slug)
    assert me.wrong + reader.refused == []
    assert served.store.overview(slug).mixed == RESIDENTS + 1
    asked = served.store.version(slug).questionnaire
    assert [one["type"] for part in asked["pages"] for one in part["elements"]] == list(QUESTIONS)
    reader.context.close()
