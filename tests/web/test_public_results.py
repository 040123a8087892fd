"""Results that everyone may see: released, frozen, taken back; the same bytes for all, and nothing where nothing is released."""

import re

import numpy as np
import pytest

from deniable.results.draft import Draft
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.pages import missing_page
from tests.results import council as answers
from tests.results import visiting

PUBLISH, PUBLIC = "/organiser/surveys/council/publish", "/s/council/results"


@pytest.fixture
def council(tmp_path):
    with Store(str(tmp_path / "a.db")) as store:
        store.open_survey(Questionnaire.parse(answers.YAML))
        answers.insert(store, "council", answers.reports_of(store.version("council").schema, 800, np.random.default_rng(1)))
        store.close_survey("council")
        town = visiting.Visitors(store)
        town.report = "/organiser/surveys/council/report"
        yield town


def chosen(council):
    page = council.get(f"{council.report}?lang=en", "owner").text
    mark = re.search(r'name="mark" value="(\w*)"', page)[1]
    council.post(
        council.report, mark=mark, do="remove:1", title_en="Life here", title_pl="Życie tutaj", words_pl="Dzień dobry."
    )
    council.post(f"{council.report}/add", view="compare", of="smokes", first="sex == 'F'", second="sex == 'M'")
    council.post(f"{council.report}/add", view="compare", of="mood", first="sex == 'F'", second="sex == 'M'")
    council.post(f"{council.report}/add", view="cross", of="smokes", by="sex")
    council.post(f"{council.report}/add", view="mean", of="mood", by="sex", words_en="Our aim was 4.")
    council.post(f"{council.report}/add", view="together", of=["smokes", "owes"], support="0.05", confidence="0.3", longest="2")


def test_the_way_of_a_release(council):
    chosen(council)
    for language in ("en", "pl"):
        preview = council.get(f"{PUBLISH}/{language}", "owner")
        assert preview.status_code == 200
        assert ("this is what everyone will see" in preview.text) == (language == "en")
    assert council.get(PUBLIC).status_code == 404
    asked = council.post(f"{PUBLISH}?lang=en")
    assert (asked.status_code, council.get(PUBLIC).status_code) == (200, 404)
    assert "backups keep it" in asked.text
    assert council.released("council").headers["location"] == PUBLISH
    english, polish, first = (council.get(path) for path in (f"{PUBLIC}/en", f"{PUBLIC}/pl", PUBLIC))
    assert first.content == polish.content != english.content
    assert '<html lang="pl">' in polish.text
    for page, texts in (
        (english, ["Life here", "Our aim was 4.", "Do you smoke?", "800 answers", "describe those who answered", "cannot correct",
                   "groups of fewer than 50", "How answers were hidden", "Released on", "direct answers", "reported:",
                   "adjusted for their number", "Both groups"]),
        (polish, ["Życie tutaj", "Dzień dobry.", "Czy pali Pan/Pani?", "opisują osoby, które odpowiedziały", "Kobieta", "Udostępniono"]),
    ):  # fmt: skip
        assert [text for text in texts if text not in page.text] == []
        for tag in ("<script", "<form", "<input", "<button", "style=", "<style", "results.csv", "/organiser"):
            assert tag not in page.text
        assert page.text.count('class="dot"') == page.text.count('class="value"') > 20
        assert set(re.findall(r'href="([^"]*)"', page.text)) <= {f"{PUBLIC}/style", f"{PUBLIC}/en", f"{PUBLIC}/pl"}
    # What is shown is what was previewed.
    preview = council.get(f"{PUBLISH}/en", "owner").text
    assert english.text.split("<h1>")[1] == preview.split("<h1>")[1]
    lines = [line.action for line in council.store.audit_lines()]
    assert lines.count("released_results") == 1
    assert "released the results of" in council.get("/organiser/audit?lang=en", "owner").text


def test_the_list_and_the_page_of_the_release_lead_to_it(council):
    listed = 'href="/s/council/results"'
    assert listed not in council.get("/organiser", "owner").text
    council.released("council")
    for role in ("owner", "analyst"):
        assert council.get("/organiser", role).text.count(listed) == 1
    assert f"{visiting.HOST}{PUBLIC}</a>" in council.get(f"{PUBLISH}?lang=en", "owner").text
    council.post("/organiser/surveys/council/take-back", sure="yes")
    assert listed not in council.get("/organiser", "owner").text


def test_it_is_served_like_a_file_to_everyone_alike(council):
    council.released("council")
    page = council.get(PUBLIC)
    assert page.headers["cache-control"] == "no-cache"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "set-cookie" not in page.headers
    head = council.ask("HEAD", PUBLIC)
    assert (head.status_code, head.headers["content-length"]) == (200, page.headers["content-length"])
    same = council.ask("GET", PUBLIC, headers={"If-None-Match": page.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert "style-src 'self'" in page.headers["content-security-policy"]
    style = council.get(f"{PUBLIC}/style")
    assert style.headers["content-type"].startswith("text/css")
    assert ".interval" in style.text
    assert council.get(f"{PUBLIC}/").headers["location"] == PUBLIC


def test_it_stays_as_it_was_whatever_is_done_to_the_survey_and_says_its_day(council, monkeypatch):
    council.released("council")
    before = council.get(PUBLIC).content
    council.post(council.report, mark="", do="remove:0", title_pl="Inny tytuł")
    council.store.reopen_survey("council")
    codes = answers.reports_of(council.store.version("council").schema, 60, np.random.default_rng(2))
    answers.insert(council.store, "council", codes)
    assert council.get(PUBLIC).content == before
    # Nothing more is released until it is closed again; taking back can be done at any time.
    refused = council.released("council")
    assert refused.status_code == 409
    state = council.get(f"{PUBLISH}?lang=en", "owner").text
    assert "can be released when the survey is closed" in state
    assert "Withdraw" in state
    with Store(council.store.place.removeprefix("sqlite:///")) as again:
        assert again.released_part("council", "results").encode() == before


def test_taken_back_it_is_gone_as_if_it_had_never_been(council):
    council.released("council")
    asked = council.post("/organiser/surveys/council/take-back?lang=en")
    assert "backups of this server" in asked.text
    assert council.get(PUBLIC).status_code == 200
    assert council.post("/organiser/surveys/council/take-back", sure="yes").headers["location"] == PUBLISH
    for path in (
        PUBLIC,
        f"{PUBLIC}/pl",
        f"{PUBLIC}/style",
        f"{PUBLIC}/de",
        "/s/nowhere/results",
        "/s/NO SLUG/results",
        "/s/nowhere",
    ):
        reply = council.get(path)
        assert (reply.status_code, reply.text) == (404, missing_page())
    assert council.get(PUBLIC).headers.raw == council.get("/s/nowhere/results").headers.raw
    assert [line.action for line in council.store.audit_lines()][:2] == ["took_back_results", "released_results"]
    council.post("/organiser/surveys/council/take-back", sure="yes")
    assert council.store.audit_lines()[0].repeats == 1
    assert council.released("council").status_code == 303
    assert council.get(PUBLIC).status_code == 200


def test_what_was_looked_at_is_what_is_released(council):
    asked = council.post(PUBLISH).text
    seen = re.search(r'name="seen" value="(\w+)"', asked)[1]
    council.store.keep_report_draft("council", Draft.of_all(["smokes"]).to_json(), "")
    reply = council.post(f"{PUBLISH}?lang=en", sure="yes", seen=seen)
    assert (reply.status_code, "has changed since you looked" in reply.text) == (409, True)
    assert council.post(PUBLISH, sure="yes").status_code == 409
    assert council.get(PUBLIC).status_code == 404


def test_the_respondents_page_does_not_change(council):
    def seen():
        return [
            (reply.status_code, reply.content, sorted(reply.headers.items())) for reply in map(council.get, ("/s/council", "/"))
        ]

    before = seen()
    council.released("council")
    assert seen() == before


def test_fewer_than_fifty_answers_are_not_released(tmp_path):
    with Store(str(tmp_path / "a.db")) as store:
        store.open_survey(Questionnaire.parse(answers.YAML))
        answers.insert(store, "council", answers.reports_of(store.version("council").schema, 49, np.random.default_rng(1)))
        store.close_survey("council")
        town = visiting.Visitors(store)
        assert town.released("council").status_code in (400, 409)
        assert "fewer than 50 answers" in town.get(f"{PUBLISH}?lang=en", "owner").text
        assert town.get(PUBLIC).status_code == 404
