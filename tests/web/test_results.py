"""Pages of results, asked through the application: every view in both languages, by owners and analysts; twins; bad addresses."""

import asyncio
import json
import re
import threading
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from deniable.errors import RefusedError
from deniable.results import asking
from deniable.results.questions import KINDS, Together
from deniable.survey.store import Store
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web import results
from deniable.web.accounts import COOKIE
from deniable.web.app import Settings, create_app
from tests.results.council import open_council

WOMEN, MEN = "sex+%3D%3D+'F'", "sex+%3D%3D+'M'"
VIEWS = [
    "view=overview",
    f"view=overview&where={WOMEN}",
    "view=question&of=smokes",
    f"view=question&of=owes&by=smokes&where={WOMEN}",
    "view=question&of=age",
    "view=mean&of=mood&by=sex",
    "view=cross&of=smokes&by=sex",
    f"view=compare&of=smokes&first={WOMEN}&second={MEN}",
    f"view=compare&of=mood&mean=yes&first={WOMEN}&second={MEN}",
    "view=versions&of=owes",
]
CODES = {"smokes", "owes", "mood"}


def in_own_loop(asked):
    """What a coroutine gives, in a thread of its own: in this one a browser's loop may be running."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, asked).result()


class Council:
    """The survey of the workbench's own tests, closed, with somebody who looks at its pages."""

    def __init__(self, store, n=2_000):
        self.store = store
        open_council(store, n)
        self.app = create_app(store, Settings(burst=0))
        self.cookies = {}
        for role in ("owner", "analyst"):
            store.add_account(role.title(), role, role, COMMAND_LINE)
            made = store.choose_password(role, "no password has this hash")
            self.cookies[role] = self.app.state.accounts._new_session(made)

    def get(self, more="", role="owner", slug="council"):
        return self.page(f"/surveys/{slug}/results{more}", role)

    def page(self, path, role):
        async def asked():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://council.example", timeout=60) as client:
                cookie = {"Cookie": f"{COOKIE}={self.cookies[role]}"} if role else {}
                return await client.get(f"/organiser{path}", headers=cookie)

        return in_own_loop(asked())


@pytest.fixture(scope="module")
def council(tmp_path_factory):
    with Store(str(tmp_path_factory.mktemp("council") / "a.db")) as store:
        made = Council(store)
        store.close_survey("council")
        yield made


def check_pictures(page):
    """Every point lies on a line, and all of it inside the picture."""
    strips = re.findall(r'<svg class="strip".*?</svg>(?!<line)', page, re.S)
    for strip in strips:
        (dot,) = re.findall(r'cx="([\d.]+)%"', strip)
        ((low, high),) = re.findall(r'class="interval" x1="([\d.]+)%" x2="([\d.]+)%"', strip)
        assert 3 <= float(low) <= float(dot) <= float(high) <= 97
        assert "<title>" in strip
    assert len(strips) == len(re.findall(r'class="value"', page)) == page.count('class="dot"')
    return len(strips)


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("role", ["owner", "analyst"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_in_both_languages(council, view, role, language):
    reply = council.get(f"?{view}&lang={language}", role)
    assert reply.status_code == 200, reply.text
    page = reply.text
    assert f'<html lang="{language}">' in page
    if check_pictures(page) == 0:
        assert role == "analyst"
        assert ("too few answers" if language == "en" else "zbyt mało odpowiedzi") in page
    shares = [float(share.replace(",", ".")) for share in re.findall(r'class="value">([\d.,]+)%<', page)]
    assert all(0 <= share <= 100 for share in shares)
    texts = set(re.findall(r'<(?:span class="label"|h[123]|th[^>]*)>([^<]*)<', page))
    assert not texts & {"yes", "no", "F", "M", *CODES, *(["no answer"] if language == "pl" else [])}
    assert ("Our council" if language == "en" else "Nasza rada") in page
    assert "style=" not in page
    assert (".py?" in page) == (role == "owner")


def test_the_numbers_of_the_page_are_those_of_the_answer(council):
    told = json.loads(council.get(".json?view=question&of=smokes&by=sex").text)
    page = council.get("?view=question&of=smokes&by=sex&lang=en").text
    figures = told["blocks"][0]["figures"]
    assert re.findall(r'class="value">([\d.]+%)<', page) == [f"{figure['value']:.1%}" for figure in figures]
    assert [figure["sentence"] in page for figure in figures] == [True] * len(figures)
    # Less than one direct answer is not worth saying.
    assert page.count("direct answers") >= sum((figure["worth"] or 0) >= 1 for figure in figures) > 0


def test_a_comparison_says_its_verdict_and_that_verdicts_are_adjusted(council):
    page = council.get(f"?view=compare&of=smokes&first={WOMEN}&second={MEN}&lang=en").text
    assert "is larger than chance explains" in page
    # Of yes and no one is compared; of an answer's five levels all.
    assert "adjusted for their number" not in page
    assert "adjusted for their number" in council.get(f"?view=compare&of=mood&first={WOMEN}&second={MEN}&lang=en").text
    assert "większa, niż można wyjaśnić" in council.get(f"?view=compare&of=smokes&first={WOMEN}&second={MEN}&lang=pl").text


def test_twins(council):
    replies = {kind: council.get(f".{kind}?view=question&of=smokes&by=sex&lang=pl") for kind in results.MEDIA_TYPES}
    assert {reply.status_code for reply in replies.values()} == {200}
    assert all(reply.headers["cache-control"] == "no-store" for reply in replies.values())
    assert json.loads(replies["json"].text)["question"] == {"view": "question", "of": "smokes", "by": "sex"}
    assert ET.fromstring(replies["svg"].text).tag.endswith("svg")
    assert "sandbox" in replies["svg"].headers["content-security-policy"]
    assert replies["png"].content[:4] == b"\x89PNG"
    assert "sample.distribution('smokes', by='sex')" in replies["py"].text
    for kind in ("csv", "py"):
        assert replies[kind].headers["content-disposition"] == f'attachment; filename="council-question.{kind}"'
    assert "Kobieta" in replies["csv"].text
    refused = council.get(".py?view=overview", "analyst")
    assert (refused.status_code, refused.json()["code"]) == (403, "no_export")
    assert council.get(".exe").status_code == 404


BAD = {
    "?view=question&of=nope": (404, "nope"),
    "?view=nope": (404, "nope"),
    "?view=question": (400, "view=question"),
    "?view=question&of=smokes&of=owes": (400, "of"),
    "?view=question&of=smokes&where=age+%3E": (400, "age"),
    "?view=question&of=smokes&where=nope+%3D%3D+1": (404, "nope"),
    "?view=question&of=smokes&by=smokes": (400, "smokes"),
    "?view=mean&of=sex": (400, "sex"),
    "?view=together&of=smokes": (400, "together"),
    "?view=together&of=smokes,owes&support=nan": (400, "support"),
    "?view=together&of=smokes,owes&support=1e999": (400, "support"),
    "?view=question&of=smokes&version=7": (404, "7"),
    "?view=question&of=smokes&version=" + "9" * 5000: (400, ""),
    "?%ff": (400, ""),
    "?view=question&of=smokes&where=" + "(" * 900: (400, ""),
    "?" + "a" * 5000: (400, ""),
    "/choose?view=nope": (404, "nope"),
    "/choose?view=question&ask=yes": (400, ""),
    "/choose?view=question&ask=yes&of=smokes&number=age&value=many": (400, "many"),
    "/choose?view=question&ask=yes&of=smokes&where=%27": (400, ""),
    "/choose?view=together&ask=yes&of=smokes": (400, ""),
}


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("address", BAD)
def test_bad_addresses_are_told_what_where_and_the_fix(council, address, language):
    status, named = BAD[address]
    for role in ("owner", "analyst"):
        reply = council.get(f"{address}{'&' if '?' in address else '?'}lang={language}", role)
        assert reply.status_code == status, reply.text
        assert 'class="error" role="alert"' in reply.text
        assert named in reply.text
        if not address.startswith("/choose?"):
            twin = council.get(f".csv{address}", role)
            assert (twin.status_code, set(twin.json())) == (status, {"code", "message"})


def test_forms_lead_to_addresses(council):
    made = council.get(f"/choose?view=question&ask=yes&of=smokes&by=&where=&add={WOMEN}&number=age&is=at_most&value=30&lang=pl")
    assert made.status_code == 303
    assert made.headers["location"] == (
        "/organiser/surveys/council/results?view=question&of=smokes&where=sex+%3D%3D+%27F%27+and+age+%3C%3D+30&lang=pl"
    )
    rules = council.get("/choose?view=together&ask=yes&of=smokes&of=owes&support=0.1&confidence=0.5&longest=2")
    assert rules.headers["location"].endswith("view=together&of=smokes%2Cowes")
    typed = council.get(f"/choose?view=compare&ask=yes&of=mood&mean=yes&first={WOMEN}&second={WOMEN}&second_typed={MEN}")
    assert "mean=yes" in typed.headers["location"]
    assert typed.headers["location"].count("%27M%27") == 1
    shown = council.get(f"?view=question&of=smokes&where={WOMEN}+and+age+%3E+30&lang=en").text
    assert "Remove this condition: Your sex: Female" in shown


def test_there_is_a_form_for_every_view(council):
    for view in KINDS:
        page = council.get(f"/choose?view={view}&lang=pl").text
        assert "<select" in page
        assert f'name="view" value="{view}"' in page


def test_analysts_see_nothing_before_the_first_closing_and_owners_what_is_out(tmp_path):
    with Store(str(tmp_path / "a.db")) as store:
        town = Council(store, 200)
        waits = town.get("", "analyst")
        assert (waits.status_code, "can be seen when it is closed" in waits.text) == (409, True)
        assert "200" not in waits.text.replace('"200', "")
        assert town.get("", "owner").status_code == 200
        listed = town.page("", "analyst").text
        assert "council/results" not in listed
        store.close_survey("council")
        listed = town.page("", "analyst").text
        assert "council/results" in listed
        assert town.get("", "analyst").status_code == 200
        assert town.get("", slug="elsewhere").status_code == 404
        assert town.get(".csv", slug="elsewhere").status_code == 404
        assert town.get("", None).headers["location"] == "/organiser/login"


@pytest.mark.parametrize(("long", "queue"), [(False, results.MOST_WAITING), (True, results.MOST_WAITING_LONG)])
def test_one_at_a_time_and_not_many_in_the_queue(long, queue):
    async def ask():
        made, inside, most, threads = results.Results(None), 0, 0, set()

        def work():
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            threads.add(threading.current_thread())
            time.sleep(0.01)
            inside -= 1

        told = await asyncio.gather(*(made.run(work, long) for _ in range(queue + 3)), return_exceptions=True)
        return most, threads, [one for one in told if one is not None]

    most, threads, refused = in_own_loop(ask())
    assert most == 1
    assert threading.main_thread() not in threads
    assert [(type(one), one.code) for one in refused] == [(RefusedError, "busy")] * 3


def test_nobody_waits_for_rules_who_wants_a_share(tmp_path, monkeypatch):
    """Rules that take as long as they like, more who want some than may wait, and meanwhile all other pages; then those who came first."""
    began, go_on = threading.Event(), threading.Event()
    found_by = asking._VIEWS[Together]

    def takes_long(*given):
        began.set()
        assert go_on.wait(60)
        return found_by(*given)

    monkeypatch.setitem(asking._VIEWS, Together, takes_long)
    rules, busy = "?view=together&of=smokes%2Cowes&lang={}", results.MOST_WAITING_LONG

    async def asked(town):
        path = "/organiser/surveys/council/results"
        transport, cookie = httpx.ASGITransport(town.app), {"Cookie": f"{COOKIE}={town.cookies['owner']}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://council.example", timeout=60, headers=cookie
        ) as client:
            long = [asyncio.create_task(client.get(path + rules.format("en"))) for _ in range(busy)]
            try:
                assert await asyncio.to_thread(began.wait, 30)
                quick = [
                    await asyncio.wait_for(client.get(path + one), 30)
                    for one in ("", "?view=question&of=smokes&by=sex", "/choose?view=together")
                ]
                refused = [
                    await asyncio.wait_for(client.get(path + one), 30)
                    for one in (rules.format("pl"), f".csv{rules.format('pl')}")
                ]
            finally:
                go_on.set()
            return quick, refused, await asyncio.gather(*long)

    with Store(str(tmp_path / "a.db")) as store:
        town = Council(store, 600)
        quick, refused, long = in_own_loop(asked(town))
    assert [reply.status_code for reply in (*quick, *long)] == [200] * (3 + busy)
    assert [(reply.status_code, reply.headers["retry-after"]) for reply in refused] == [(503, results.AFTER_SECONDS)] * 2
    assert "Proszę odświeżyć tę stronę za minutę." in refused[0].text
    assert refused[1].json()["code"] == "busy"
