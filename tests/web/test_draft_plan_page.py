"""The plan beside the editor: its figures and curves are those of `dn.plan`, an unfinished draft is planned as far as it goes, and nobody
is protected less without having been told."""

import html
import math
import re
from fractions import Fraction

import pytest

import deniable as dn
from deniable.planning import plan_text
from deniable.planning.words import words_of
from deniable.survey.drafts import parts
from deniable.survey.drafts.plannable import plannable
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.draft_protection import Change, compared_in_all
from deniable.web.pages import Speech
from tests.web.draft_writer import YAML, Form, Person, content, draft

MORE = """  - {type: radiogroup, name: party, title: {en: Which party?, pl: Jaka partia?}, choices: [a, b, c, d], privacy: light}
  - {type: rating, name: trams, title: {en: The trams?, pl: Tramwaje?}, for: mean}
"""
GIVEN = {"answers": "700", "margin": "5", "group": "50", "people": "", "budget": ""}


@pytest.fixture
def town(serve):
    return serve()


def pictures(page):
    """What stands at the points of every picture of a page, picture by picture."""
    drawn = re.findall(r'<svg class="curve".*?</svg>', page, re.S)
    return [[html.unescape(text) for text in re.findall(r"<title>([^<]*)</title></(?:circle|path)>", one)] for one in drawn]


def privacy(town):
    return content(town)["pages"][0]["elements"][0]["privacy"]


def test_the_plan_stands_beside_the_editor(town):
    anna = Person(town)
    path = draft(anna)
    page = anna.get(f"{path}/plan?answers=2000&margin=5&group=30&people=100&budget=2.5").text
    plan = dn.plan(Questionnaire.parse(YAML), answers=2_000, group=0.3)
    (smokes, _) = plan.rows
    for key, found in smokes.figures.items():
        head, shown = plan_text.head_of(key, words_of("en")), plan_text.figure(key, found, words_of("en"))
        assert f"<dt>{head}</dt><dd>{shown}</dd>" in page
    strongest = plan.strongest(0.05)["smokes"]
    assert f"The strongest protection for ± 5 points: odds change by a factor of at most {strongest.odds:.1f}" in page
    assert f"To know a share of 20% to within ± 5 points: {plan.answers_for(0.05, 'smokes'):,} answers." in page
    assert "Of 10 people whose answer is “No”, about 2 send “Yes”. So a “Yes” proves nothing." in page
    assert "their answers have 5 combinations, so there are 20.0 people for each" in page
    # The buses are asked openly: nothing is planned for them.
    assert "The buses?</a>" not in page
    given = {"answers": "700", "margin": "5", "group": "50", "people": "", "budget": "", "seen": parts.mark_of(content(town))}
    stale = anna.post(f"{path}/plan", {**given, "do": "use", "name": "smokes", "seen": "another"})
    assert (stale.status_code, content(town)["pages"][0]["elements"][0]["privacy"]) == (409, "strong")
    assert anna.post(f"{path}/plan", {**given, "do": "use", "name": "smokes", "sure": "yes"}).status_code == 303
    after = dn.plan(Questionnaire.from_json(content(town)), answers=700)
    assert content(town)["pages"][0]["elements"][0]["privacy"]["design"] == "krr"
    assert after.margin("smokes") <= 0.05
    shared = {**given, "budget": "2.5", "do": "share", "seen": parts.mark_of(content(town))}
    assert anna.post(f"{path}/plan", shared).status_code == 303
    odds = dn.plan(Questionnaire.from_json(content(town))).rows[0].odds
    assert odds == pytest.approx(2.5, abs=1e-9)
    for query, said in (
        ("answers=x", "The number of answers lies between"),
        ("margin=60", "The margin lies"),
        ("budget=0", "The odds lie"),
    ):
        assert said in anna.get(f"{path}/plan?{query}").text
    assert "Liczba odpowiedzi leży" in anna.get(f"{path}/plan?answers=0&lang=pl").text


def test_curves_say_what_plans_say(town):
    anna = Person(town)
    path = draft(anna, YAML + MORE)
    page = anna.get(f"{path}/plan?answers=2000").text
    plan = dn.plan(Questionnaire.parse(YAML + MORE), answers=2_000)
    (smokes_n, smokes_odds, party_n, party_odds, trams_n, _, all_n, all_odds) = pictures(page)
    numbers = [round(2_000 * 10 ** (step / 6 - 1)) for step in range(13)]
    for name, shown in (("smokes", smokes_n), ("party", party_n)):
        known = [(n, plan.margin(name, answers=n)) for n in numbers]
        expected = [f"{n:,} answers: ± {100 * found:.1f}" for n, found in known if found is not None]
        assert shown == [*expected, f"now: 2,000 answers: ± {100 * plan.margin(name):.1f}"]
    # Other odds by hand: randomised response keeps an answer with p = odds / (odds + k - 1).
    for name, k, now, shown in (("smokes", 3, "3", smokes_odds), ("party", 5, "9", party_odds)):
        expected = []
        for odds in (1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 9, 13, 20):
            exact = Fraction(str(odds))
            labels = [str(i) for i in range(k - 1)]
            one = dn.plan(dn.KRR(dn.Nominal(labels, missing="no answer"), exact / (exact + k - 1)), answers=2_000).margin()
            expected += [] if one is None else [f"at most {odds:g} times as likely: ± {100 * one:.1f}"]
        assert shown == [*expected, f"now: at most {now} times as likely: ± {100 * plan.margin(name):.1f}"]
    # What is asked for its mean has curves of its mean, in its units.
    mean = plan_text.figure("mean", plan.margin("trams", what="mean"), words_of("en"))
    assert trams_n[-1] == f"now: 2,000 answers: {mean}"
    assert "Margin of the mean by number of answers" in page
    # All questions in one picture have the same points, by name; a mean has no place among shares.
    assert all_n == [
        text.replace("now: ", f"now: {title} – ") if text.startswith("now: ") else f"{title} – {text}"
        for title, shown in (("Do you smoke?", smokes_n), ("Which party?", party_n))
        for text in shown
    ]
    assert len(all_odds) == len(smokes_odds) + len(party_odds)
    assert "Not drawn: “The trams?”." in page


def test_curves_are_tables_too_and_polish(town):
    anna = Person(town)
    path = draft(anna)
    plan = dn.plan(Questionnaire.parse(YAML), answers=1_000)
    for language, head, now, thousand in (
        ("en", "number of answers", "now", "1,000"),
        ("pl", "liczba odpowiedzi", "teraz", "1 000"),
    ):
        page = anna.get(f"{path}/plan?lang={language}").text.replace("\u00a0", " ").replace("\u202f", " ")
        margin = plan_text.figure("share_20", plan.margin("smokes"), words_of(language))
        assert re.search(rf'<th scope="row">{thousand} \({now}\)</th><td data-label="[^"]+">{re.escape(margin)}</td>', page), (
            language
        )
        assert f'<th scope="col">{head}</th>' in page
        assert page.count('<svg class="curve"') == 2  # one private question: no picture of all
        assert len(re.findall(r'<svg class="curve"[^>]* role="img"[^>]*><title>[^<]{20,}', page)) == 2
    assert "style=" not in page
    assert "data-busy" in page


def test_weaker_protection_is_told_and_confirmed(town):
    anna = Person(town)
    path = draft(anna)
    page = anna.get(f"{path}/plan?answers=700").text
    odds = dn.plan(Questionnaire.parse(YAML), answers=700).strongest(0.05)["smokes"].odds
    assert odds > 3
    said = f"Weaker than now: for one answer, what is sent may be up to {odds:.1f} times as likely as for another; now it is 3.0 times."
    assert said in page
    asked = anna.post(f"{path}/plan", {**GIVEN, "do": "use", "name": "smokes", "seen": parts.mark_of(content(town))})
    assert (asked.status_code, privacy(town)) == (200, "strong")
    assert all(text in asked.text for text in ("Make the protection weaker?", said, "Do you smoke?"))
    assert f'href="{path}/plan?answers=700&amp;margin=5&amp;group=50"' in asked.text
    sure = Form(asked.text, f'{path}/plan"').fields
    assert anna.post(f"{path}/plan", sure).status_code == 303
    assert privacy(town)["design"] == "krr"
    # Stronger protection needs no second page, but it is said, too.
    many = {**GIVEN, "answers": "20000", "do": "use", "name": "smokes", "seen": parts.mark_of(content(town))}
    assert "Stronger than now" in anna.get(f"{path}/plan?answers=20000").text
    assert anna.post(f"{path}/plan", many).status_code == 303
    # A proposal for all questions says it of each, and asks as well.
    share = {**GIVEN, "budget": "15", "do": "share", "seen": parts.mark_of(content(town))}
    table = anna.get(f"{path}/plan?answers=700&budget=15").text
    assert re.search(r'<td data-label="compared with now">weaker: ', table)
    before = privacy(town)
    assert "Make the protection weaker?" in anna.post(f"{path}/plan", share).text
    assert privacy(town) == before
    assert "Osłabić ochronę?" in anna.post(f"{path}/plan?lang=pl", share).text


def test_a_draft_with_mistakes_is_planned_as_far_as_it_goes(town):
    anna = Person(town)
    path = draft(anna, YAML + MORE)
    whole = dn.plan(Questionnaire.parse(YAML + MORE), answers=1_000)

    def spoilt(old):
        pages = parts.pages_of(old)[0]["elements"]
        smokes = {**pages[0], "title": {"en": "Do you smoke?"}, "visibleIf": "{nobody} = 'x'"}
        party = {**pages[2], "choices": ["a", "a", "b"]}
        settings = {"survey": "No Slug", "closes": "2001-01-01", "budget": -1, "organiser": ""}
        return {**old, **settings, "pages": [{"elements": [smokes, pages[1], party, pages[3]]}]}

    town.store.change_draft(path.split("/")[-1], spoilt, COMMAND_LINE)
    page = anna.get(f"{path}/plan").text
    smokes = next(row for row in whole.rows if row.name == "smokes")
    shown = plan_text.figure("share_20", smokes.figures["share_20"], words_of("en"))
    assert f"<dt>share of 20%</dt><dd>{shown}</dd>" in page
    assert "Something is still to be done in this draft" in page
    left = re.search(r"Left out, because something is still to be done there:(.*?)</p>", page, re.S)[1]
    assert re.findall(r"“([^”]*)”", left) == ["Which party?"]
    assert f"{path}/questions/0-2" in left
    assert re.findall(r'<h3 id="plan-([\d-]+)">', page) == ["0-0", "0-3"]
    # Its protection can be changed all the same, in its place.
    given = {**GIVEN, "do": "use", "name": "smokes", "sure": "yes", "seen": parts.mark_of(content(town))}
    assert anna.post(f"{path}/plan", given).status_code == 303
    assert privacy(town)["design"] == "krr"
    assert content(town)["pages"][0]["elements"][2]["privacy"] == "light"


def test_nothing_that_can_be_planned_is_told():
    for broken in ({}, {"pages": "x"}, {"pages": [{"elements": [{"type": "ranking"}, 7, {"type": "rating", "rateMax": 99}]}]}):
        assert plannable(broken)[0] is None


def test_a_plan_is_worked_out_once(town, monkeypatch):
    from deniable.survey.drafts import planned

    counted = []
    real = planned.plan
    monkeypatch.setattr(planned, "plan", lambda *given: counted.append(given) or real(*given))
    anna = Person(town)
    path = draft(anna)
    for _ in range(2):
        anna.get(f"{path}/plan?answers=800")
    assert len(counted) == 1
    anna.get(f"{path}/plan?answers=900")
    assert len(counted) == 2


TOGETHER = {
    "en": ("change anyone's odds by a factor of at most {}.", "may change anyone's odds by a factor of more than a million"),
    "pl": ("zmieniają czyjeś szanse najwyżej {} razy.", "mogą zmienić czyjeś szanse ponad milion razy"),
}


@pytest.mark.parametrize(("language", "here"), [("en", "to the questions planned here"), ("pl", "które tu zaplanowano")])
def test_what_all_answers_give_away_is_said_so_that_people_can_read_it(town, language, here):
    anna = Person(town)
    path = draft(anna, YAML + MORE)
    few, many = TOGETHER[language]
    address = f"{path}/plan?lang={language}&budget=200"

    def page():
        return html.unescape(anna.get(address).text).replace("\u00a0", " ")

    first = page()
    # 3 for smoking, 9 for the party, 5 for the trams.
    assert few.format({"en": "135", "pl": "135"}[language]) in first
    assert here not in first

    def spoilt(old):
        elements = parts.pages_of(old)[0]["elements"]
        return {**old, "pages": [{"elements": [*elements[:2], {**elements[2], "choices": ["a", "a", "b"]}, elements[3]]}]}

    town.store.change_draft(path.split("/")[-1], spoilt, COMMAND_LINE)
    left = page()
    assert here in left
    assert few.format({"en": "15.0", "pl": "15,0"}[language]) in left
    assert {"en": "are not counted here", "pl": "tu nie policzono"}[language] in left

    def widened(old):
        elements = parts.pages_of(old)[0]["elements"]
        rows = [f"r{i}" for i in range(20)]
        matrix = {"type": "matrix", "name": "m", "title": "M", "rows": rows, "columns": ["a", "b", "c"], "privacy": "standard"}
        return {**old, "pages": [{"elements": [*elements[:2], matrix]}]}

    town.store.change_draft(path.split("/")[-1], widened, COMMAND_LINE)
    wide = page()
    assert many in wide
    assert not re.search(r"\d[ ,]\d{3}[ ,]\d{3}", wide[: wide.index("<h3")])


def test_a_proposal_keeps_its_budget_and_says_what_stays(town):
    anna = Person(town)
    path = draft(anna, YAML + MORE)
    page = anna.get(f"{path}/plan?answers=700&budget=40").text
    row = re.search(r'<tr><th scope="row">The trams\?</th>(.*?)</tr>', page, re.S)[1]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", row)[0] == "5.0"
    assert "Stays as it is" in row
    assert page.count("Stays as it is") == 1
    given = {**GIVEN, "budget": "40", "do": "share", "sure": "yes", "seen": parts.mark_of(content(town))}
    assert anna.post(f"{path}/plan", given).status_code == 303
    assert math.exp(plannable(content(town))[0].epsilon) <= 40
    # What stays as it is leaves too little: nothing is done, and it is said why.
    given = {**given, "budget": "5.5", "seen": parts.mark_of(content(town))}
    before = content(town)
    for language, said in (
        ("en", "Odds of 5.5 for all private questions together are too small. Questions that stay as they are change odds by a factor of 5 "
               "already, and each of the others (2) needs at least 1.1."),
        ("pl", "Szanse 5,5 dla wszystkich pytań prywatnych razem są za małe. Pytania, które pozostają bez zmian, zmieniają szanse już 5 "
               "razy, a każde z pozostałych (liczba: 2) potrzebuje co najmniej 1,1."),
    ):  # fmt: skip
        assert said in anna.get(f"{path}/plan?lang={language}&budget=5.5").text
        assert said in anna.post(f"{path}/plan?lang={language}", given).text
    assert content(town) == before


def test_odds_that_pages_refuse_are_not_proposed(town):
    anna = Person(town)
    path = draft(anna)
    page = anna.get(f"{path}/plan?answers=300&budget=1000").text
    assert "weaker: 3.0 → 20.0" in page
    assert "Stays as it is" not in page


@pytest.mark.parametrize(
    ("query", "english", "polish"),
    [
        ("answers=0", "lies between 1 and 10,000,000.", "leży między 1 a 10 000 000."),
        ("margin=60", "lies between 0.1 and 49.9 percentage points.", "leży między 0,1 a 49,9 punktami procentowymi."),
        ("group=100", "lies between 1% and 99%.", "leży między 1% a 99%."),
        ("people=0", "lies between 1 and 1,000,000,000.", "leży między 1 a 1 000 000 000."),
        ("budget=1", "lie between 1.1 and 1,000,000.", "leżą między 1,1 a 1 000 000."),
    ],
)
def test_limits_are_written_as_people_write_numbers(town, query, english, polish):
    anna = Person(town)
    path = draft(anna)
    for language, said in (("en", english), ("pl", polish)):
        assert said in anna.get(f"{path}/plan?lang={language}&{query}").text.replace("\u00a0", " ")


def test_totals_above_a_million_are_compared_in_words():
    speech = {language: Speech(language, True) for language in ("en", "pl")}
    for now, then, english, polish in (
        (45.0, 80.0, "at most 80.0 times as likely, now at most 45.0 times.",
         "najwyżej 80,0 razy bardziej prawdopodobne, teraz najwyżej 45,0 razy."),
        (45.0, 1e9, "more than a million times as likely, now at most 45.0 times.",
         "ponad milion razy bardziej prawdopodobne, teraz najwyżej 45,0 razy."),
        (1e14, 1e15, "already more than a million times as likely now, and then even more.",
         "już teraz ponad milion razy bardziej prawdopodobne, a potem jeszcze bardziej."),
        (1e15, 1e14, "less than now, but still more than a million times as likely.",
         "mniej niż teraz, ale nadal ponad milion razy bardziej prawdopodobne."),
    ):  # fmt: skip
        change = Change(None, math.log(now), math.log(then))
        for language, said in (("en", english), ("pl", polish)):
            assert compared_in_all(change, speech[language]).endswith(f": {said}")
