"""Pages on which an organiser chooses what is in the report: nothing that was typed is lost, mistakes stand at their place."""

import html
import re

import numpy as np
import pytest

from deniable.results.draft import Draft
from deniable.results.report.making import report_of_survey
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web import report_routes
from tests.results import council as answers
from tests.results import visiting

REPORT = "/organiser/surveys/council/report"


@pytest.fixture(scope="module")
def council(tmp_path_factory):
    with Store(str(tmp_path_factory.mktemp("council") / "a.db")) as store:
        store.open_survey(Questionnaire.parse(answers.YAML))
        codes = answers.reports_of(store.version("council").schema, 1_500, np.random.default_rng(1))
        answers.insert(store, "council", codes)
        store.close_survey("council")
        yield visiting.Visitors(store)


@pytest.fixture(autouse=True)
def without_draft(council):
    import sqlalchemy as sa

    from deniable.survey.store.engine import writing
    from deniable.survey.store.tables import report_draft

    with writing(council.store.engine) as connection:
        connection.execute(sa.delete(report_draft))


def mark_of(page):
    return re.search(r'name="mark" value="(\w*)"', page)[1]


def titles(page):
    return [html.unescape(one) for one in re.findall(r'<span class="what">([^<]*)</span>', page)]


def press(council, do, **typed):
    page = council.get(f"{REPORT}?lang=en", "owner").text
    return council.post(f"{REPORT}?lang=en", mark=mark_of(page), do=do, **typed)


def test_every_question_is_chosen_until_something_else_is(council):
    page = council.get(f"{REPORT}?lang=en", "owner").text
    assert titles(page) == ["Your sex", "How old are you?", "Do you smoke?", "Are you in debt?", "How is life?"]
    assert council.store.report_draft("council") is None


def test_views_move_by_buttons_and_by_numbers_and_are_kept(council):
    moved = press(council, "up:2")
    assert (moved.status_code, moved.headers["location"]) == (303, f"{REPORT}?lang=en#view-2")
    assert press(council, "down:0").headers["location"].endswith("#view-2")
    press(council, "save", place_4="1")
    press(council, "remove:4")
    with Store(council.store.place.removeprefix("sqlite:///")) as again:  # what a restart finds
        kept = [view.question.of for view in Draft.from_json(again.report_draft("council")).views]
    assert kept == ["mood", "smokes", "sex", "age"]
    assert titles(council.get(f"{REPORT}?lang=pl", "owner").text)[0] == "Jak się żyje?"


def test_nothing_that_was_typed_is_lost_where_something_is_wrong(council):
    page = council.get(f"{REPORT}?lang=en", "owner").text
    typed = {
        "words_en": "Dear <b>all</b>,\r\n\r\nread this.",
        "asked_pl": "Każdy",
        "place_0": "first",
        "closing_en": "odd \x07 sign",
    }
    reply = council.post(f"{REPORT}?lang=en", mark=mark_of(page), do="save", **typed)
    assert reply.status_code == 422
    assert 'id="place-0-wrong">A place is a whole number' in reply.text
    assert 'id="closing_en-wrong">The text holds a character' in reply.text
    assert reply.text.count('aria-invalid="true"') == 2
    for text in ("Dear &lt;b&gt;all&lt;/b&gt;,", "Każdy", 'value="first"'):
        assert text in reply.text
    assert council.store.report_draft("council") is None
    long = council.post(f"{REPORT}?lang=pl", mark=mark_of(page), do="save", title_pl="x" * 201)
    assert (long.status_code, "Najwyżej 200 znaków; jest ich 201." in long.text) == (422, True)


def test_two_who_change_the_report_do_not_overwrite_each_other(council):
    page = council.get(f"{REPORT}?lang=en", "owner").text
    press(council, "remove:0")
    reply = council.post(f"{REPORT}?lang=en", mark=mark_of(page), do="remove:0", words_en="Typed by the second.")
    assert reply.status_code == 409
    assert "Typed by the second." in reply.text
    assert len(titles(reply.text)) == 4
    again = council.post(f"{REPORT}?lang=en", mark=mark_of(reply.text), do="save", words_en="Typed by the second.")
    assert again.status_code == 303


def test_views_are_added_by_forms_and_from_the_pages_that_show_them(council):
    added = council.post(
        f"{REPORT}/add?lang=en", view="compare", of="smokes", first="sex == 'F'", second_typed="sex == 'M'", label=""
    )
    assert (added.status_code, added.headers["location"]) == (303, f"{REPORT}?lang=en#view-6")
    assert council.post(f"{REPORT}/add", view="mean", of="mood", by="sex", words_pl="Ważne.").status_code == 303
    assert council.post(f"{REPORT}/add", view="cross", of="smokes", by="sex").status_code == 303
    shown = council.get("/organiser/surveys/council/results?view=question&of=owes&by=sex&lang=en", "owner").text
    address = html.unescape(re.search(r'name="address" value="([^"]*)"', shown)[1])
    assert council.post(f"{REPORT}/add?lang=en", address=address).status_code == 303
    page = council.get(f"{REPORT}?lang=en", "owner").text
    assert titles(page)[5] == "Do you smoke? Your sex: Female / Your sex: Male"
    assert len(titles(page)) == 9
    assert all("Your sex" in title for title in titles(page)[6:])
    assert "Ważne." in page
    # The view of all questions is no view of a report.
    assert "put_into" not in council.get("/organiser/surveys/council/results?lang=en", "owner").text
    assert council.post(f"{REPORT}/add", address="view=overview").status_code == 400


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"view": "question", "of": "smokes", "where": "age == 30", "words_en": "Kept."}, "more finely than may be shown"),
        ({"view": "question", "of": "nope"}, "nope"),
        ({"view": "compare", "of": "smokes", "first_typed": "sex =", "second_typed": "sex == 'M'"}, "sex"),
        ({"view": "mean", "of": "sex", "words_en": "Kept."}, "sex"),
        ({"view": "question", "of": "smokes", "number": "age", "is": "at_most", "value": "many"}, "many"),
    ],
)
def test_a_view_that_cannot_be_shown_is_refused_with_what_was_typed(council, sent, said):
    reply = council.post(f"{REPORT}/add?lang=en", **sent)
    assert reply.status_code == 422
    assert said in re.search(r'role="alert">([^<]*)<', reply.text)[1]
    for name, text in sent.items():
        if name in ("where", "words_en", "first_typed", "second_typed", "value"):
            assert html.escape(text, quote=True).replace("&#x27;", "&#39;") in reply.text
    assert council.store.report_draft("council") is None


def test_the_report_is_that_of_the_command_line(council):
    press(council, "save", title_en="Life here", words_en="One.\r\n\r\nTwo.", words_pl="Raz.")
    council.post(f"{REPORT}/add", view="compare", of="smokes", first="sex == 'F'", second="sex == 'M'")
    contents = Draft.from_json(council.store.report_draft("council")).contents()
    for language in ("en", "pl"):
        expected = report_of_survey(council.store, "council", contents, language)
        file = council.get(f"{REPORT}/{language}/file", "owner")
        assert file.text == expected
        assert file.headers["content-disposition"] == f'attachment; filename="council-report-{language}.html"'
        for role in ("owner", "analyst"):
            page = council.get(f"{REPORT}/{language}", role)
            assert page.status_code == 200
            assert "<style" not in page.text
            assert "style=" not in page.text

            def body(text):
                # The page has a line more, which leads back.
                return re.sub(r"<nav class=.screen soft.>.*?</nav>\n", "", text[text.index("<body") :])

            assert body(page.text) == body(expected)
    assert "Life here" in council.get(f"{REPORT}/en", "analyst").text
    style = council.get("/organiser/report.css", "analyst")
    assert style.headers["content-type"].startswith("text/css")
    assert style.text in report_of_survey(council.store, "council", contents, "en")
    assert council.get(f"{REPORT}/de", "owner").status_code == 404


def test_a_view_that_can_no_longer_be_shown_is_marked_in_the_list(council):
    draft = Draft.of_all(["smokes", "gone"])
    council.store.keep_report_draft("council", draft.to_json(), "")
    for path in (f"{REPORT}/en?lang=en", "/organiser/surveys/council/publish/en?lang=en"):
        reply = council.get(path, "owner")
        assert reply.status_code == 409
        assert re.findall(r'<p class="error">([^<]*gone[^<]*)<', reply.text)


def test_analysts_read_the_report_and_change_nothing(council):
    page = council.get(f"{REPORT}?lang=en", "analyst").text
    assert "<textarea" not in page
    assert 'name="do"' not in page
    assert titles(page)
    assert council.post(REPORT, "analyst", mark="", do="save").status_code == 403
    assert "put_into" not in council.get("/organiser/surveys/council/results?view=question&of=owes&lang=en", "analyst").text


def test_words_on_a_view_have_a_page_of_their_own(council):
    assert press(council, "words:2").headers["location"] == f"{REPORT}/words/3?lang=en"
    page = council.get(f"{REPORT}/words/3?lang=en", "owner").text
    assert "Your words on: Do you smoke?" in page
    kept = council.post(f"{REPORT}/words/3?lang=en", mark=mark_of(page), words_en="A habit.", words_pl="Nałóg.")
    assert kept.headers["location"] == f"{REPORT}?lang=en#view-3"
    assert "A habit." in council.get(f"{REPORT}/en", "owner").text
    assert "Nałóg." in council.get(f"{REPORT}/pl", "owner").text
    stale = council.post(f"{REPORT}/words/3?lang=en", mark=mark_of(page), words_en="Typed late.")
    assert (stale.status_code, "Typed late." in stale.text) == (409, True)
    assert council.get(f"{REPORT}/words/77", "owner").status_code in (400, 404)


def test_before_the_first_closing_there_is_no_report(tmp_path):
    with Store(str(tmp_path / "a.db")) as store:
        store.open_survey(Questionnaire.parse(answers.YAML))
        answers.insert(store, "council", answers.reports_of(store.version("council").schema, 200, np.random.default_rng(1)))
        town = visiting.Visitors(store)
        assert town.get(REPORT, "owner").status_code == 409
        assert town.get(f"{REPORT}/en", "analyst").status_code == 409
        assert "council/report" not in town.get("/organiser", "owner").text
        store.close_survey("council")
        assert "council/report" in town.get("/organiser", "analyst").text
        assert town.get("/organiser/surveys/nowhere/report", "owner").status_code == 404


@pytest.mark.parametrize(
    ("fields", "long"),
    [
        ({"address": ["view=together&of=smokes,owes"]}, True),
        ({"address": ["view=to%67ether&of=smokes,owes"]}, True),
        ({"address": ["view=question&of=together"]}, False),
        ({"view": ["together"], "of": ["smokes", "owes"]}, True),
        ({"view": ["question"], "of": ["together"]}, False),
        ({"view": ["", "together"], "of": ["smokes", "owes"]}, True),
        ({"view": ["nothing"]}, False),
        ({}, False),
    ],
)
def test_what_takes_long_is_known_by_what_is_asked_not_by_how_it_is_written(fields, long):
    """Who wants a share must not wait for rules that came by another spelling."""
    assert report_routes._takes_long(fields) is long
