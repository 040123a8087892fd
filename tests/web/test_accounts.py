"""Pages about accounts: adding somebody, their own password, roles, removing, and what was done."""

import html
import re

import httpx
import pytest

PASSWORD, HERS = "correct horse battery", "another battery horse"


OPENED = []


@pytest.fixture(autouse=True)
def _closed():
    yield
    while OPENED:
        OPENED.pop().close()


class Browser:
    """Somebody with cookies of their own."""

    def __init__(self, town):
        self.client, self.origin = httpx.Client(base_url=town.url, timeout=60, verify=False), {"Origin": town.url}
        OPENED.append(self.client)

    def get(self, path):
        return self.client.get(path)

    def post(self, path, **data):
        return self.client.post(path, data=data, headers=self.origin)

    def path(self, name, verb):
        """Where the button of an account leads."""
        row = next(
            row for row in self.get("/organiser/accounts").text.split("<tr>")[1:] if f"<bdi>{html.escape(name)}</bdi>" in row
        )
        return re.search(rf'action="(/organiser/accounts/\w+/{verb})"', row)[1]


@pytest.fixture
def town(serve, standin):
    return serve(standin.Standin())


@pytest.fixture
def owner(town):
    owner = Browser(town)
    owner.post(town.service.first_link[len(town.url) :], password=PASSWORD, again=PASSWORD)
    return owner


def added(town, owner, name="Anna Nowak", role="analyst"):
    """Somebody new, who has used their link."""
    reply = owner.post("/organiser/accounts", name=name, role=role)
    link = html.unescape(re.search(r"<code>(.*?)</code>", reply.text)[1])
    assert link.startswith(f"{town.url}/organiser/first/")
    person = Browser(town)
    assert html.escape(name) in person.get(link).text
    assert person.post(link, password=HERS, again=HERS).status_code == 303
    assert person.get(link).status_code == 404
    return person


def test_an_owner_adds_an_analyst_who_sees_surveys_and_no_more(town, owner, standin):
    for _ in range(3):
        town.post(standin.body())
    owner.post("/organiser/surveys/town/close", sure="yes")
    anna = added(town, owner)
    page = anna.get("/organiser").text
    # Three answered, which nobody who may not export is told.
    assert '<td data-label="Answers">too few to be shown</td>' in page
    assert not re.search(r"export|Invitations|/organiser/accounts|/organiser/audit|action=\"/organiser/surveys", page)
    assert "Anna Nowak</bdi> (analyst)" in page
    refused = anna.get("/organiser/surveys/town/export.zip")
    assert (refused.status_code, "Your account (analyst) may not do this." in refused.text) == (403, True)
    assert "3 released" in owner.get("/organiser").text


def test_the_old_account_logs_in_without_a_name_and_others_with_theirs(town, owner):
    added(town, owner)
    for name, password, status in [
        ("", PASSWORD, 303), ("organiser", PASSWORD, 303), ("ORGANISER ", PASSWORD, 303), ("anna nowak", HERS, 303),
        ("", HERS, 403), ("Anna Nowak", PASSWORD, 403), ("<b>", HERS, 403), ("nobody\x00", HERS, 403),
    ]:  # fmt: skip
        assert (name, Browser(town).post("/organiser/login", username=name, password=password).status_code) == (name, status)


@pytest.mark.parametrize("change", ["role", "remove", "link"])
def test_a_change_logs_the_person_out_at_once(town, owner, change):
    anna = added(town, owner)
    assert anna.get("/organiser").status_code == 200
    path = owner.path("Anna Nowak", change)
    if change != "role":
        asked = owner.post(path, sure="")
        assert (asked.status_code, 'name="sure" value="yes"' in asked.text, anna.get("/organiser").status_code) == (
            200,
            True,
            200,
        )
    owner.post(path, sure="yes", role="owner")
    assert anna.get("/organiser").status_code == 303
    again = anna.post("/organiser/login", username="Anna Nowak", password=HERS).status_code
    assert again == (303 if change == "role" else 403)
    assert anna.get("/organiser/audit").status_code == (200 if change == "role" else 303)
    assert owner.get("/organiser").status_code == 200


def test_ones_own_password_ends_all_other_sessions_and_needs_the_current_one(town, owner):
    anna, elsewhere = added(town, owner), Browser(town)
    elsewhere.post("/organiser/login", username="Anna Nowak", password=HERS)
    new = "a third battery staple"
    for current, password, again, said in [
        ("wrong", new, new, "That is not your current password."), (HERS, "short", "short", "at least 10 characters"),
        (HERS, new, "other", "The two passwords are not the same."),
    ]:  # fmt: skip
        reply = anna.post("/organiser/password", current=current, password=password, again=again)
        assert (reply.status_code, said in reply.text) == (422, True)
    assert elsewhere.get("/organiser").status_code == 200
    assert anna.post("/organiser/password", current=HERS, password=new, again=new).status_code == 303
    assert (anna.get("/organiser").status_code, elsewhere.get("/organiser").status_code) == (200, 303)
    assert Browser(town).post("/organiser/login", username="Anna Nowak", password=HERS).status_code == 403
    assert Browser(town).post("/organiser/login", username="Anna Nowak", password=new).status_code == 303


def test_the_last_owner_stays_and_what_is_wrong_is_said_on_the_page(town, owner):
    for verb in ("role", "remove", "link"):
        reply = owner.post(owner.path("organiser", verb), sure="yes", role="analyst")
        assert (reply.status_code, "is the last owner with a password" in reply.text) == (422, True)
    for name, role, said in [
        ("", "analyst", "A name has 1 to 60 characters."), ("organiser", "analyst", "already"),
        ("Jan", "boss", "A role is owner or analyst"), ("Command line", "owner", "Nobody can be called"),
    ]:  # fmt: skip
        reply = owner.post("/organiser/accounts", name=name, role=role)
        assert (reply.status_code, said in reply.text) == (422, True)
    stale = owner.post("/organiser/accounts/0123/remove", sure="yes")
    assert (stale.status_code, "changed or removed meanwhile" in stale.text) == (422, True)
    polish = owner.post("/organiser/accounts?lang=pl", name="organiser", role="analyst").text
    assert "Konto „organiser” już istnieje." in polish
    assert owner.post("/organiser/accounts/0123/burn", sure="yes").status_code == 404


def test_what_was_done_is_on_the_page_without_a_time_of_day(town, owner, standin):
    added(town, owner)
    owner.post("/organiser/surveys/town/close", sure="yes")
    Browser(town).post("/organiser/login", username="Anna Nowak", password="wrong")
    Browser(town).post("/organiser/login", username="my secret password", password="typed in the wrong box")
    page = owner.get("/organiser/audit").text
    said = re.sub("[\u2068\u2069]|<[^>]+>", "", page)
    for line in (
        "added Anna Nowak as an analyst", "chose a password", "failed to log in as Anna Nowak",
        "failed to log in under a name that nobody has",
    ):  # fmt: skip
        assert line in said
    assert re.search(r"closed the survey “[^”]+” \(town\)", said)
    assert "my secret password" not in page
    assert not re.search(r"\d\d:\d\d", page)
    assert "zamknięcie ankiety" in owner.get("/organiser/audit?lang=pl").text
    for i in range(210):
        town.store.record(town.store.accounts()[0].actor, "exported", f"survey-{i}")
    older = re.search(r'href="(/organiser/audit\?before=\d+&amp;lang=pl)"', owner.get("/organiser/audit?lang=pl").text)[1]
    assert "zamknięcie ankiety" in owner.get(html.unescape(older)).text
    assert owner.get("/organiser/audit?before=drop").status_code == 200


def test_tries_are_counted_for_a_name_too(town, owner, monkeypatch):
    """Whoever has many addresses does not have many tries; a name that nobody has is counted in the same way."""
    from deniable.web import login
    from deniable.web.accounts import Accounts

    monkeypatch.setattr(Accounts, "_verified", lambda *_: None)
    assert login.Tries()._of_name.allows("name x")
    for name in ("organiser", "nobody"):
        codes = [
            town.client.post(
                "/organiser/login",
                data={"username": name, "password": "wrong"},
                headers={"Origin": town.url, "X-Forwarded-For": f"203.0.113.{i}"},
            ).status_code
            for i in range(60)
        ]
        assert codes[:50] == [403] * 50
        assert 429 in codes[50:]


def test_an_account_that_was_made_on_the_command_line_works_on_the_page(town, owner, run, tmp_path):
    out = run("survey", "accounts", "add", "Jan", "--db", tmp_path / "town.db", "--address", town.url)[1]
    link = re.search(r"http\S+", out)[0]
    jan = Browser(town)
    assert jan.post(link, password=HERS, again=HERS).status_code == 303
    assert jan.get("/organiser").status_code == 200
    assert run("survey", "accounts", "role", "jan", "owner", "--db", tmp_path / "town.db")[0] == 0
    assert jan.get("/organiser").status_code == 303
    code, _, err = run("survey", "accounts", "remove", "nobody", "--db", tmp_path / "town.db")
    assert (code, "there are: Jan, organiser" in err) == (2, True)
    said = re.sub("[\u2068\u2069]", "", owner.get("/organiser/audit").text)
    assert '<em>command line</em></td><td data-label="What" class="what">made Jan an owner' in said
