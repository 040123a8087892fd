"""The page as one file in a real Chromium: from the disk and from another site, old and tampered, and what it sends."""

from __future__ import annotations

import functools
import http.server
import json
import threading

import pytest

from deniable.survey.invitations import invite
from deniable.web.single_page import check_single_page, single_page

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

QUESTIONS = """survey: {slug}
title: {{en: Habits, pl: Nawyki}}
organiser: Town hall
contact: survey@town.example
other_way: {{en: Call 555 0100., pl: Zadzwoń 555 0100.}}
languages: [en, pl]
offline: true
{more}
pages:
- elements:
  - {{type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}}
  - {{type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}}
"""


@pytest.fixture
def filed(served, tmp_path):
    """Opens a survey and writes its page; gives its path."""

    def write(slug, more="", version=None):
        served(QUESTIONS.format(slug=slug, more=more))
        told = json.loads(served.store.current(slug)[1])
        path = tmp_path / f"{slug}.html"
        path.write_bytes(single_page(told, served.url))
        return path

    return write


@pytest.fixture
def elsewhere(tmp_path):
    """Another site on this machine that has the file."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        asked = []

        def log_message(self, *_):
            Quiet.asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Quiet.asked
    server.shutdown()
    server.server_close()
    thread.join(10)


def sent_by(page, url):
    return [one for one in page.seen if one.url.startswith(url) and one.method == "POST"]


def answer(page, smokes="Yes", district="north"):
    page.get_by_role("button", name="Start").click()
    page.get_by_role("group", name="Do you smoke?").get_by_label(smokes, exact=True).check()
    page.get_by_role("group", name="District").get_by_label(district, exact=True).check()
    page.get_by_role("button", name="Send").click()


@pytest.mark.parametrize("place", ["disk", "site"])
def test_a_file_asks_and_sends_only_mixed_answers_wherever_it_comes_from(page, served, filed, elsewhere, place):
    path = filed(f"from-{place}")
    site, asked = elsewhere
    page.goto(path.as_uri() if place == "disk" else f"{site}/{path.name}")
    draws = []
    for _ in range(32):
        answer(page)
        page.get_by_text("Thank you").wait_for()
        draws.append(json.loads(sent_by(page, served.url)[-1].post_data))
        page.get_by_role("button", name="Next person").click()
    api = f"{served.url}/api/offline/from-{place}"
    went = {one.url for one in page.seen if not one.url.startswith(("data:", "file:", site))}
    assert went == {api, f"{api}/answers"}
    assert all(one["report"]["district"] == 0 and set(one) == {"version", "id", "report"} for one in draws)
    # "Yes" is sent by 60 of 100: never all 32, but for one try in twelve million; never none.
    smokes = [one["report"]["smokes"] for one in draws]
    assert 0 < smokes.count(1) < 32
    assert sum(served.store.waiting()[served.store.version(f"from-{place}").id]) == 32
    headers = sent_by(page, served.url)[-1].all_headers()
    assert headers["origin"] == ("null" if place == "disk" else site)
    assert "cookie" not in headers
    assert "referer" not in headers
    assert [one for one in asked if one != f"/{path.name}"] == []


def test_the_token_of_a_link_or_typed_goes_to_the_server_alone(page, served, filed, elsewhere):
    path = filed("by-letter", "invited: true")
    people = [{"email": f"{i}@town.example", "token": ""} for i in range(2)]
    tokens = [row["token"] for row in invite(served.store, "by-letter", people, False)]
    site, asked = elsewhere
    page.goto(f"{site}/{path.name}#{tokens[0]}")
    page.get_by_role("button", name="Start").wait_for()
    assert tokens[0] not in page.url
    answer(page)
    page.get_by_text("Thank you").wait_for()
    page.goto(path.as_uri())
    page.get_by_label("Code from your invitation").fill("no code!")
    page.get_by_role("button", name="Next").click()
    assert page.get_by_text("This is not an invitation code").is_visible()
    page.get_by_label("Code from your invitation").fill(f"{site}/{path.name}#{tokens[1]}")
    page.get_by_role("button", name="Next").click()
    answer(page)
    page.get_by_text("Thank you").wait_for()
    assert [json.loads(one.post_data)["token"] for one in sent_by(page, served.url)] == tokens
    assert not any(token in line for line in asked for token in tokens)


def test_a_file_on_the_disk_takes_the_token_of_its_link(page, served, filed):
    path = filed("by-mail", "invited: true")
    [row] = invite(served.store, "by-mail", [{"email": "a@town.example", "token": ""}], False)
    page.goto(f"{path.as_uri()}#{row['token']}")
    page.get_by_role("button", name="Start").wait_for()
    assert row["token"] not in page.url
    answer(page)
    page.get_by_text("Thank you").wait_for()


@pytest.mark.parametrize(
    ("language", "said"), [("en", "has changed since this page was made"), ("pl", "zmieniła się od czasu")]
)
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_an_old_file_says_so_and_sends_nothing(page, served, filed, when, language, said):
    slug = f"old-{when}-{language}"
    path = filed(slug)
    words = {"en": ("Start", "Send"), "pl": ("Rozpocznij", "Wyślij")}[language]

    def renew():
        served(QUESTIONS.format(slug=slug, more="").replace("Do you smoke?", "Do you drink?"))

    if when == "before":
        renew()
    page.goto(f"{path.as_uri()}?lang={language}")
    if when == "meanwhile":
        page.get_by_role("button", name=words[0]).click()
        page.wait_for_timeout(1100)
        renew()
        page.wait_for_timeout(1100)  # the server looks once a second
        page.get_by_role("button", name=words[1]).click()
    page.get_by_role("alert").filter(has_text=said).wait_for()
    assert page.get_by_text("555 0100").is_visible()
    assert page.get_by_role("button").count() == 0
    assert sent_by(page, served.url) == []


@pytest.mark.parametrize("change", ["version", "closed"])
@pytest.mark.parametrize("how", ["again", "reload"])
def test_what_was_drawn_and_did_not_arrive_is_not_sent_once_the_survey_has_changed(page, served, filed, change, how):
    """The file looks before every sending, not before the first alone."""
    slug = f"late-{change}-{how}"
    path = filed(slug)
    page.goto(path.as_uri())
    page.route("**/answers", lambda route: route.abort())
    answer(page)
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute("**/answers")
    if change == "version":
        served(QUESTIONS.format(slug=slug, more="").replace("Do you smoke?", "Do you drink?"))
    else:
        served.store.close_survey(slug)
    page.wait_for_timeout(1200)  # the server looks once a second
    before = len(sent_by(page, served.url))
    page.reload() if how == "reload" else page.get_by_role("button", name="Try again").click()
    page.get_by_text("has changed since" if change == "version" else "This survey is closed").wait_for()
    assert len(sent_by(page, served.url)) == before


def test_a_file_of_a_closed_survey_says_so_and_sends_nothing(page, served, filed):
    path = filed("over")
    page.goto(path.as_uri())
    page.get_by_role("button", name="Start").click()
    served.store.close_survey("over")
    page.wait_for_timeout(1200)
    page.get_by_role("button", name="Send").click()
    page.get_by_text("This survey is closed").wait_for()
    page.goto(path.as_uri())
    page.get_by_text("This survey is closed").wait_for()
    assert sent_by(page, served.url) == []


def test_a_server_that_cannot_be_reached_gets_nothing_and_the_answers_stay_on_the_page(page, served, filed):
    path = filed("lost")
    page.goto(path.as_uri())
    page.get_by_role("button", name="Start").wait_for()
    page.route("**/api/offline/lost", lambda route: route.abort())
    answer(page)
    page.get_by_role("alert").filter(has_text="The server cannot be reached").wait_for()
    assert sent_by(page, served.url) == []
    assert page.get_by_role("group", name="Do you smoke?").get_by_label("Yes", exact=True).is_checked()
    page.unroute("**/api/offline/lost")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    page.route("**/api/offline/lost", lambda route: route.abort())
    page.goto(path.as_uri())
    page.get_by_role("alert").filter(has_text="The server cannot be reached").wait_for()
    assert page.get_by_text("Call 555 0100").is_visible()


def test_the_policy_lets_a_tampered_file_run_nothing_and_verify_finds_it(page, served, filed):
    path = filed("tampered")
    content = path.read_bytes()
    evil = content.replace(b'<script type="module">', b'<script>document.title = "evil"</script><script type="module">//', 1)
    path.write_bytes(evil)
    page.goto(path.as_uri())
    page.wait_for_timeout(500)
    assert page.title() == "Survey"
    assert page.get_by_role("button").count() == 0
    assert [finding for finding in check_single_page(evil, path.name) if not finding.good]
    assert all(finding.good for finding in check_single_page(content, path.name))


def test_a_server_cannot_make_a_file_ask_something_else(page, served, filed):
    path = filed("stubborn")

    def lie(route):
        told = json.loads(served.store.current("stubborn")[1])
        told["pages"][0]["elements"][0]["private"] = False
        told["recipe"]["blocks"][0].update(law="table", denominator=1, weights=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        route.fulfill(json=told, headers={"Access-Control-Allow-Origin": "*"})

    page.route("**/api/offline/stubborn", lie)
    page.goto(path.as_uri())
    page.get_by_role("button", name="Start").click()
    assert "randomly changed before sending" in page.get_by_role("group", name="Do you smoke?").inner_text()
