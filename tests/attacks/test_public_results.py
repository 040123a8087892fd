"""Visitors of the page of results that everyone may see, who want more than it shows; and people of the house who want to release it.

A visitor types what the organiser's pages understand. Somebody keeps the page of one release and subtracts it from the next: for a group,
for a batch, for a person whose answers were erased. An analyst releases results, or has an owner do so by a page of another site. And
whoever writes texts has them run. Each of them wins where one protection is taken away.
"""

import html
import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from deniable.pages import renderer
from deniable.results import releasing, workbench
from deniable.results.draft import Draft, View
from deniable.results.questions import OneQuestion
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk, releases
from deniable.survey.store.engine import writing
from deniable.survey.store.published import draft_mark
from deniable.web import permissions
from deniable.web.pages import missing_page
from tests.attacks import test_results_pages as hostile
from tests.results import visiting

YAML = """
{survey: town, title: Town, organiser: Town hall, contact: a@b.example, other_way: Call us., languages: [en], linkage: code,
 pages: [{elements: [
 {type: radiogroup, name: sex, title: Sex, privacy: none, choices: [F, M]},
 {type: radiogroup, name: district, title: District, privacy: none, choices: [north, south, hamlet]},
 {type: boolean, name: owes, title: Debts, privacy: {design: krr, p: 0.8}},
 {type: boolean, name: ill, title: Ill, privacy: {design: krr, p: 0.8}}]}]}
"""
PUBLIC, PUBLISH = "/s/town/results", "/organiser/surveys/town/publish"
BY_SEX = OneQuestion("owes", by="sex")


class Town(visiting.Visitors):
    """A survey of 320 people, closed; twelve live in the hamlet."""

    yaml = YAML

    def __init__(self, store):
        super().__init__(store)
        store.open_survey(Questionnaire.parse(self.yaml))
        rng = np.random.default_rng(6)
        self.sizes = [len(channel.outputs) for channel in store.version("town").schema.values()]
        codes = np.column_stack([np.arange(320) % 2, rng.integers(0, 2, 320), rng.integers(0, 2, 320), rng.integers(0, 2, 320)])
        codes[:12, 1] = 2
        self.let_out(codes)
        store.close_survey("town")

    def let_out(self, codes):
        read = self.store.version("town")
        before = self.store.count_released(read)
        rows = [[*row, f"CODE{before + i}"] for i, row in enumerate(codes.tolist())]
        with writing(self.store.engine) as connection:
            bulk.insert(connection, read.table, [*(f"c{i}" for i in range(codes.shape[1])), "code"], rows)
        releases.tell(self.store.engine, read.id, before, codes)

    def choose(self, *questions):
        kept = self.store.report_draft("town")
        draft = Draft(tuple(View(question) for question in questions))
        self.store.keep_report_draft("town", draft.to_json(), draft_mark(kept))

    def figures(self):
        """What the page tells of what was reported: by view and group, the share of each answer."""
        found = {}
        for section in self.get(PUBLIC).text.split('<section class="chosen-view">')[1:]:
            view, group = html.unescape(re.search(r"<h3>([^<]*)</h3>", section)[1]), None
            for heading, title in re.findall(r'<h4 class="group">([^<]*)</h4>|<title>([^<]*)</title>', section):
                if heading:
                    group = heading
                elif "reported: " in title:
                    label, share = title.split(":")[0], title.split("reported: ")[1].rstrip("%")
                    found[view, group, label] = float(share) / 100
        return found

    def women_with_debts(self):
        """How many women there are, and how many of them reported debts, as the page tells; None where it does not."""
        page, total = self.figures(), int(re.search(r"come from ([\d,]+) answers", self.get(PUBLIC).text)[1].replace(",", ""))
        women = next((share for (view, _, label), share in page.items() if view == "Sex" and label == "F"), None)
        debts = next((share for (view, group, label), share in page.items() if group == "F" and label == "Yes"), None)
        if women is None or debts is None:
            return None
        size = round(women * total)
        return size, round(debts * size)


@pytest.fixture
def town(tmp_path):
    with Store(str(tmp_path / "town.db")) as store:
        yield Town(store)


TYPED = [
    "?view=question&of=owes&where=" + quote("district == 'hamlet'"), "?view=cross&of=owes&by=district", "?lang=pl",
    "?lang=en&view=overview",
    "?where=" + quote("sex == 'F'"), "?version=1", "?other-way", "?exporting=yes&role=owner", "?%ff", "?" + "a" * 5000,
]  # fmt: skip


def test_a_visitor_types_conditions_at_the_public_address(town):
    """Without the page that is frozen, an address of this kind tells what the twelve of the hamlet reported: it does so to owners."""
    few = town.get(f"/organiser/surveys/town/results.json{TYPED[0]}", "owner").json()
    assert few["blocks"][0]["figures"][0]["value"] is not None
    town.choose(OneQuestion("owes"), OneQuestion("sex"))
    town.released("town")
    page = town.get(PUBLIC)
    for query in TYPED:
        for role in (None, "analyst", "owner"):
            for path, expected in ((PUBLIC, page.content), (f"{PUBLIC}/en", page.content)):
                reply = town.get(f"{path}{query}", role)
                assert (reply.status_code, reply.content) == (200, expected)
                assert "set-cookie" not in reply.headers
        assert town.get(f"{PUBLIC}/pl{query}").text == missing_page()
        assert town.get(f"/s/nowhere/results{query}").text == missing_page()
    for path in (
        f"{PUBLIC}.csv",
        f"{PUBLIC}.json",
        f"{PUBLIC}/choose",
        f"{PUBLIC}/en/more",
        f"{PUBLIC}/results",
        f"{PUBLIC}/..%2f..%2fen",
    ):
        assert town.get(path).status_code == 404
    for verb in ("POST", "PUT", "DELETE", "PATCH"):
        assert town.ask(verb, PUBLIC).status_code == 405
    languages = {"Accept-Language": "pl", "Cookie": "lang=pl", "Range": "bytes=0-9"}
    assert town.ask("GET", PUBLIC, headers=languages).content == page.content


class Polite(Town):
    """The same town, which asks in two languages."""

    yaml = YAML.replace("languages: [en]", "languages: [pl, en]")


def test_a_visitor_plays_with_the_language_of_the_browser(tmp_path):
    """It chooses between frozen pages, and changes no byte of either; nothing of it is repeated, or kept by a browser or a cache."""
    with Store(str(tmp_path / "town.db")) as store:
        town = Polite(store)
        town.choose(OneQuestion("owes"))
        assert town.get(PUBLIC).text == missing_page()
        for language in ("pl", "en"):
            assert town.ask("GET", PUBLIC, headers={"Accept-Language": language}).text == missing_page()
        town.released("town")
        first, frozen = town.get(PUBLIC), {language: town.get(f"{PUBLIC}/{language}") for language in ("pl", "en")}
        assert first.content == frozen["pl"].content != frozen["en"].content
        evil = ("de", "pl-PL", "en\t;q=9", "en;q=0", '"><script>', "//evil.example", "en/../../organiser", "e" * 5_000, "")
        for given in (*evil, "pl,en;q=0.9"):
            reply = town.ask("GET", f"{PUBLIC}?lang=en", headers={"Accept-Language": given, "Host": "evil.example"})
            assert (reply.status_code, reply.content) == (200, first.content)
        for given in ("en", "en-GB,pl;q=0.8", "de,en;q=0.5"):
            reply = town.ask("GET", f"{PUBLIC}?where=sex", headers={"Accept-Language": given, "Host": "evil.example"})
            assert (reply.status_code, reply.headers["location"], reply.content) == (307, f"{PUBLIC}/en", b"")
            assert (reply.headers["cache-control"], reply.headers["vary"]) == ("no-store", "Accept-Language")
            assert "set-cookie" not in reply.headers
            for language, page in frozen.items():
                again = town.ask("GET", f"{PUBLIC}/{language}", headers={"Accept-Language": given})
                assert (again.status_code, again.content) == (200, page.content)
        assert town.get(PUBLIC).headers["vary"] == "Accept-Language"


def in_classes_whatever_came(monkeypatch):
    """The protection taken away: groups are shown after a reopening as before it, and earlier releases are not looked at."""
    monkeypatch.setattr(
        workbench, "ready", lambda number, data, schema, may, grown: releasing.ready(number, data, schema, may, False)
    )
    monkeypatch.setattr(Store, "once_released", lambda *_: set())
    monkeypatch.setattr("deniable.survey.store.published._once", lambda *_: set())


@pytest.mark.parametrize("protected", [True, False])
@pytest.mark.parametrize("taken_back", [True, False])
def test_two_releases_with_a_batch_between_them(town, monkeypatch, protected, taken_back):
    """One woman is among 60 who answered after the survey was opened again. Both pages show debts by sex: their difference is hers."""
    if not protected:
        in_classes_whatever_came(monkeypatch)
    town.choose(OneQuestion("sex"), BY_SEX, OneQuestion("ill"))
    assert town.released("town").status_code == 303
    before = town.women_with_debts()
    assert before[0] == 160
    if taken_back:
        town.post("/organiser/surveys/town/take-back", sure="yes")
    town.store.reopen_survey("town")
    assert town.released("town").status_code == 409
    batch = np.zeros((60, 4), dtype=np.int64)
    batch[:, 0] = 1
    batch[17] = [0, 0, 1, 1]
    town.let_out(batch)
    town.store.close_survey("town")
    assert town.released("town").status_code == 303
    after = town.women_with_debts()
    if not protected:
        assert (after[0] - before[0], after[1] - before[1]) == (1, 1)  # the one woman of the batch, and that she reported debts
        return
    assert after is None
    shown = town.figures()
    assert {(view, group) for view, group, _ in shown} == {("Ill", None)}
    # What is left to subtract are 60 people.
    assert "come from 380 answers" in town.get(PUBLIC).text


@pytest.mark.parametrize("protected", [True, False])
def test_two_releases_with_an_erasure_between_them(town, monkeypatch, protected):
    """A woman has her answers erased. Both pages show everyone's debts: their difference is what she had reported."""
    if not protected:
        in_classes_whatever_came(monkeypatch)
    town.choose(OneQuestion("sex"), BY_SEX)
    town.released("town")
    before = town.women_with_debts()
    kept = town.get(PUBLIC).content
    read = town.store.version("town")
    with town.store.engine.connect() as connection:
        code, owes = connection.exec_driver_sql(f"SELECT code, c2 FROM {read.table.name} WHERE c0 = 0 AND c2 = 1 LIMIT 1").one()
    assert town.store.erase("town", code) == (0, 1)
    again = town.released("town")
    if protected:
        assert again.status_code == 409
        assert town.get(PUBLIC).content == kept
        town.post("/organiser/surveys/town/take-back", sure="yes")
        assert town.released("town").status_code == 409  # what was seen once stays seen
    else:
        after = town.women_with_debts()
        assert (before[0] - after[0], before[1] - after[1]) == (1, owes)


def test_other_selections_of_the_same_answers_are_made_of_the_same_classes(town):
    """Releases one after the other: whatever they show of groups is shown of whole classes, the same ones each time."""
    groups = set()
    for question in (OneQuestion("owes", by="district"), OneQuestion("owes", by="sex"), OneQuestion("ill", where="sex == 'F'")):
        town.choose(question)
        assert town.released("town").status_code == 303
        groups |= {group for _, group, _ in town.figures() if group}
        town.post("/organiser/surveys/town/take-back", sure="yes")
    assert "hamlet" not in groups
    assert any("hamlet" in group for group in groups)
    town.choose(OneQuestion("owes", where="district == 'hamlet'"))
    assert town.released("town").status_code == 409
    assert town.get(PUBLIC).status_code == 404


def releases_it(town, role, headers=None):
    """Whether somebody gets the page out."""
    asked = town.ask("POST", PUBLISH, role, {}, headers)
    seen = re.search(r'name="seen" value="(\w+)"', asked.text)
    town.ask("POST", PUBLISH, role, {"sure": "yes", "seen": seen[1] if seen else ""}, headers)
    return town.get(PUBLIC).status_code == 200


@pytest.mark.parametrize("protected", [True, False])
def test_an_analyst_releases_results(town, monkeypatch, protected):
    if not protected:
        monkeypatch.setattr(permissions, "may", lambda *_: True)
    assert releases_it(town, "analyst") is not protected
    if protected:
        assert not releases_it(town, None)
        town.released("town")
        town.ask("POST", "/organiser/surveys/town/take-back", "analyst", {"sure": "yes"})
        town.ask("POST", "/organiser/surveys/town/report", "analyst", {"mark": "", "do": "remove:0"})
        assert (town.get(PUBLIC).status_code, town.store.report_draft("town")) == (200, None)


@pytest.mark.parametrize("protected", [True, False])
def test_a_page_of_another_site_has_an_owner_release_results(town, monkeypatch, protected):
    """It sends the owner's browser here with a form of its own. What would be released it may know: it is computed from what is public."""
    if not protected:
        monkeypatch.setattr(permissions, "same_site", lambda *_, **__: None)
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert releases_it(town, "owner", headers) is not protected
        for path, sent in (
            ("report", {"do": "remove:0", "mark": ""}),
            ("report/add", {"view": "question", "of": "owes"}),
            ("report/words/1", {"words_en": "x", "mark": ""}),
            ("take-back", {"sure": "yes"}),
        ):
            reply = town.ask("POST", f"/organiser/surveys/town/{path}", "owner", sent, headers)
            assert (reply.status_code == 403) is protected
    assert (town.store.report_draft("town") is None) is protected


EVIL = hostile.EVIL


@pytest.fixture
def evil(tmp_path):
    """Hostile texts in the survey, and in every word of the organiser."""
    with Store(str(tmp_path / "evil.db")) as store:
        made = hostile.Town(store)
        visitors = visiting.Visitors.__new__(visiting.Visitors)
        visitors.store, visitors.app, visitors.cookies = store, made.app, made.cookies
        yield visitors


def fill(evil):
    report = "/organiser/surveys/town/report"
    listed = evil.get(f"{report}/add?view=compare", "owner").text
    first, second = (html.unescape(one) for one in re.findall(r'<option value="(sex [^"]*)"', listed)[:2])
    words = {"words_en": EVIL, "words_pl": f"{EVIL}\n\n{EVIL}"}
    for sent in (
        {"view": "question", "of": "owes", "by": "sex"}, {"view": "mean", "of": "mood", "by": "sex"},
        {"view": "cross", "of": "owes", "by": "sex"},
        {"view": "question", "of": "ill", "where": first}, {"view": "compare", "of": "owes", "first": first, "second": second},
        {"view": "compare", "of": "mood", "mean": "yes", "first": first, "second": second},
        {"view": "together", "of": ["owes", "ill"], "support": "0.05", "confidence": "0.3", "longest": "2"},
    ):  # fmt: skip
        assert evil.post(f"{report}/add", **sent, **words).status_code == 303
    mark = re.search(r'name="mark" value="(\w*)"', evil.get(report, "owner").text)[1]
    texts = {f"{name}_{language}": EVIL for name in ("title", "words", "asked", "closing") for language in ("en", "pl")}
    assert evil.post(report, mark=mark, do="save", **texts).status_code == 303
    return report


def pages(evil, report):
    """Every page that shows texts of the survey or of the organiser, by what is asked and who asks."""
    yield evil.post(f"{report}/add?lang=en", view="question", of=EVIL, where=EVIL, words_en=EVIL)
    yield evil.post(f"{report}/add?lang=pl", view="compare", of="owes", first_typed=EVIL, second_typed=EVIL, label=EVIL)
    yield evil.post(f"{report}/add", address=f"view=question&of={quote(EVIL)}")
    yield evil.post(report, mark=EVIL, do=EVIL, place_0=EVIL, words_en=EVIL, title_pl=EVIL)
    yield evil.post(report, mark="", do=f"add:{EVIL}", place_0=EVIL)
    yield evil.post(f"{report}/words/1", mark=EVIL, words_en=EVIL)
    yield evil.get(f"{report}/add?view={quote(EVIL)}", "owner")
    for language in ("en", "pl"):
        for role in ("owner", "analyst"):
            yield evil.get(f"{report}?lang={language}", role)
            yield evil.get(f"{report}/{language}", role)
        yield evil.get(f"{report}/words/1?lang={language}", "owner")
        yield evil.get(f"{report}/add?view=compare&lang={language}", "owner")
        yield evil.get(f"{PUBLISH}?lang={language}", "owner")
        yield evil.get(f"{PUBLISH}/{language}", "owner")
        yield evil.post(f"{PUBLISH}?lang={language}")
        yield evil.post(f"/organiser/surveys/town/take-back?lang={language}")
        yield evil.get(f"{PUBLIC}/{language}")
    yield evil.get(PUBLIC)


def taken_over(reply):
    """What the attacker got; the report's own picture and style are no one else's."""
    return [one for one in hostile.Tags(reply.text).taken_over if one != ("style", {})]


def test_no_text_takes_a_page_over(evil):
    report = fill(evil)
    assert evil.released("town").status_code == 303
    seen = 0
    for reply in pages(evil, report):
        assert reply.status_code in (200, 400, 409, 422), reply.text
        assert taken_over(reply) == []
        assert "<script>alert" not in reply.text
        assert "script-src 'self'" in reply.headers["content-security-policy"]
        seen += reply.text.count("&lt;script&gt;alert(1)")
    assert seen > 100
    for language in ("en", "pl"):
        assert taken_over(evil.get(f"{report}/{language}/file", "owner")) == []


def test_without_escaping_they_do(evil, monkeypatch):
    from jinja2 import Environment

    plain = renderer._environment()
    made = Environment(loader=plain.loader, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(plain.filters)
    monkeypatch.setattr(renderer, "_environment", lambda: made)
    report = fill(evil)
    evil.released("town")
    for reply in (
        evil.get(PUBLIC),
        evil.get(f"{PUBLISH}/en", "owner"),
        evil.get(report, "owner"),
        evil.get(f"{report}/en", "analyst"),
    ):
        assert taken_over(reply)


def test_what_is_kept_of_releases_tells_nothing_of_people(town):
    """A thief of the database reads the tables: pages that everyone read, how many answers they were of, and a mark of the classes."""
    town.released("town")
    with town.store.engine.connect() as connection:
        rows = [dict(row) for row in connection.exec_driver_sql("SELECT * FROM once_released").mappings()]
    assert [row["total"] for row in rows] == [320]
    assert set(json.dumps(rows[0]["division"])) <= set('"0123456789abcdef')
