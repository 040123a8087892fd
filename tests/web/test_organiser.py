"""The organiser: a one-time link, a password, sessions, and nothing of those who answer but in batches."""

import io
import re
import zipfile

import httpx
import pytest

import deniable as dn
from deniable.web.organiser_words import WORDS

PASSWORD = "correct horse battery"


@pytest.fixture
def town(serve, standin):
    return serve(standin.Standin())


def same_origin(town):
    return {"Origin": town.url}


def set_password(town, password=PASSWORD):
    path = town.service.first_link[len(town.url) :]
    return town.client.post(path, data={"password": password, "again": password}, headers=same_origin(town))


def close(town):
    return town.client.post("/organiser/surveys/town/close", data={"sure": "yes"}, headers=same_origin(town))


def test_the_one_time_link_works_once(town):
    path = town.service.first_link[len(town.url) :]
    assert "Choose a password" in town.client.get(path).text
    refused = set_password(town, "short")
    # The rule stands on the page once, before and after it refuses.
    assert (refused.status_code, refused.text.count("at least 10 characters")) == (422, 1)
    for again in ("", "something else"):
        slip = town.client.post(path, data={"password": PASSWORD, "again": again}, headers=same_origin(town))
        assert (slip.status_code, "The two passwords are not the same." in slip.text) == (422, True)
        assert (town.store.accounts(), town.service.first_link is None) == ([], False)
    reply = set_password(town)
    assert reply.status_code == 303
    cookie = reply.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/organiser"))
    assert town.service.first_link is None
    assert town.client.get(path).status_code == 404
    assert town.client.post(path, data={"password": "another password"}, headers=same_origin(town)).status_code == 422
    account, hashed = town.store.account_by_name("organiser")
    assert account.role == "owner"
    assert PASSWORD not in hashed
    assert hashed.startswith("$argon2id$")


def test_nothing_is_shown_or_done_without_logging_in(town, standin):
    set_password(town)
    town.client.cookies.clear()
    for path in ("/organiser", "/organiser/surveys/town/export.zip", "/organiser/surveys/town/export.parquet"):
        reply = town.client.get(path)
        assert (reply.status_code, reply.headers["location"]) == (303, "/organiser/login")
    town.client.post("/organiser/surveys/town/close", headers=same_origin(town))
    assert town.store.overview("town").state == "open"
    town.client.cookies.set("deniable_organiser", "forged", path="/organiser")
    assert town.client.get("/organiser").status_code == 303


def test_logging_in_and_out(town):
    set_password(town)
    town.client.cookies.clear()
    wrong = town.client.post("/organiser/login", data={"password": "wrong"}, headers=same_origin(town))
    assert (wrong.status_code, "The name or the password is not right." in wrong.text) == (403, True)
    right = town.client.post("/organiser/login", data={"password": PASSWORD}, headers=same_origin(town))
    assert right.status_code == 303
    assert "town" in town.client.get("/organiser").text
    session = town.client.cookies["deniable_organiser"]
    assert town.client.post("/organiser/logout", headers=same_origin(town)).status_code == 303
    town.client.cookies.set("deniable_organiser", session, path="/organiser")
    assert town.client.get("/organiser").status_code == 303


def test_guessing_passwords_is_slowed_down(town):
    codes = [
        town.client.post("/organiser/login", data={"password": "wrong"}, headers=same_origin(town)).status_code
        for _ in range(14)
    ]
    assert codes[:10] == [403] * 10
    assert 429 in codes[10:]


def test_forms_of_other_sites_are_refused(town):
    set_password(town)
    for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        reply = town.client.post("/organiser/surveys/town/close", headers=headers)
        assert reply.status_code == 403
    assert town.store.overview("town").state == "open"


def test_nothing_is_shown_before_fifty_and_results_after_closing(town, standin):
    set_password(town)
    for _ in range(3):
        town.post(standin.body())
    page = town.client.get("/organiser").text
    assert '<td data-label="Answers">none released yet</td>' in page
    assert "not yet" in page
    assert town.client.get("/organiser/surveys/town/export.zip").json()["code"] == "nothing_to_export"
    asked = town.client.post("/organiser/surveys/town/close", headers=same_origin(town))
    assert (asked.status_code, "Close “Town”?" in asked.text, 'name="sure" value="yes"' in asked.text) == (200, True, True)
    assert "<script" not in asked.text
    empty = {"Content-Type": "application/x-www-form-urlencoded", **same_origin(town)}
    assert "Close “Town”?" in town.client.post("/organiser/surveys/town/close", headers=empty).text
    assert town.store.overview("town").state == "open"
    assert close(town).status_code == 303
    listed = town.client.get("/organiser").text
    assert '<td data-label="Answers">3 released</td>' in listed
    assert '<td data-label="Invitations used">no invitations</td>' in listed
    assert all(
        text in listed for text in (">CSV (zip)</a>", ">CSV for spreadsheets (zip)</a>", "counting rows gives wrong shares")
    )
    assert town.post(standin.body()).json()["code"] == "closed"
    reply = town.client.get("/organiser/surveys/town/export.zip")
    assert reply.headers["content-disposition"] == 'attachment; filename="town-v1.zip"'
    names = zipfile.ZipFile(io.BytesIO(reply.content)).namelist()
    assert names == ["town-v1.csv", "town-v1.schema.json"]
    reply = town.client.get("/organiser/surveys/town/export.spreadsheet.zip")
    assert reply.headers["content-disposition"] == 'attachment; filename="town-v1-spreadsheet.zip"'
    assert zipfile.ZipFile(io.BytesIO(reply.content)).read("town-v1.csv").startswith(b'\xef\xbb\xbf"smokes";"age"')
    asked = town.client.post("/organiser/surveys/town/open", headers=same_origin(town))
    assert (asked.status_code, town.store.overview("town").state) == (200, "closed")
    assert all(
        text in asked.text for text in ("again?", "3 answers to version 1 have been released.", "only 50 or more at a time")
    )
    sure = {"sure": "yes"}
    assert town.client.post("/organiser/surveys/town/open", data=sure, headers=same_origin(town)).status_code == 303
    assert town.post(standin.body()).status_code == 201
    assert town.client.get("/organiser/surveys/town/export.pdf").status_code == 404
    assert town.client.post("/organiser/surveys/town/burn", headers=same_origin(town)).status_code == 404


def test_an_export_from_the_page_opens(town, standin, tmp_path):
    set_password(town)
    for _ in range(5):
        town.post(standin.body())
    close(town)
    (tmp_path / "out.parquet").write_bytes(town.client.get("/organiser/surveys/town/export.parquet").content)
    assert dn.read(tmp_path / "out.parquet").count("smokes == 'yes'").n == 5


def test_pages_have_no_script_and_escape_what_they_show(town):
    set_password(town)
    for path in ("/organiser", "/organiser/login"):
        text = town.client.get(path).text
        assert "<script" not in text
        assert not re.search(r"\son\w+=|style=", text)


def test_a_second_start_keeps_the_password_and_can_reset_it(serve, standin, tmp_path):
    first = serve(standin.Standin())
    set_password(first)
    first.stop()
    first.client = httpx.Client(base_url=first.url)
    again = serve()
    assert again.service.first_link is None
    assert again.client.post("/organiser/login", data={"password": PASSWORD}, headers=same_origin(again)).status_code == 303
    again.stop()
    again.client = httpx.Client(base_url=again.url)
    reset = serve(reset_password=True)
    assert set_password(reset, "an entirely new one").status_code == 303
    old = reset.client.post("/organiser/login", data={"password": PASSWORD}, headers=same_origin(reset))
    assert old.status_code == 403


def test_answers_to_earlier_versions_are_counted_on_the_page(town, standin):
    set_password(town)
    for _ in range(50):
        assert town.client.post("/api/surveys/town/answers", json=standin.body()).status_code == 201
    town.store.open_survey(standin.Standin(title="Town, asked better"))
    assert "none released yet, and 50 to earlier versions" in town.client.get("/organiser").text


def test_behind_a_proxy_limits_see_the_respondent_and_the_cookie_is_secure(serve, standin):
    town = serve(standin.Standin(), burst=1, per_second=0.01)
    codes = [town.post(standin.body(), headers={"X-Forwarded-For": f"203.0.113.{i}"}).status_code for i in (1, 1, 2)]
    assert codes == [201, 429, 201]
    path = town.service.first_link[len(town.url) :]
    headers = {**same_origin(town), "X-Forwarded-Proto": "https"}
    reply = town.client.post(path, data={"password": PASSWORD, "again": PASSWORD}, headers=headers)
    assert "Secure" in reply.headers["set-cookie"]


def test_the_pages_speak_the_language_of_the_browser_or_that_of_the_address(town, standin):
    login = town.client.get("/organiser/login", headers={"Accept-Language": "de,pl;q=0.8,en;q=0.7"}).text
    assert '<html lang="pl">' in login
    assert "Zaloguj się" in login
    assert 'href="/organiser/login?lang=en"' in login
    assert 'action="/organiser/login"' in login
    set_password(town)
    wrong = town.client.post("/organiser/login?lang=pl", data={"password": "wrong"}, headers=same_origin(town))
    assert "Nazwa lub hasło są nieprawidłowe." in wrong.text
    right = town.client.post("/organiser/login?lang=pl", data={"password": PASSWORD}, headers=same_origin(town))
    assert right.headers["location"] == "/organiser?lang=pl"
    for _ in range(3):
        town.post(standin.body())
    listed = town.client.get("/organiser?lang=pl").text
    assert '<td data-label="Odpowiedzi">brak udostępnionych odpowiedzi</td>' in listed
    asked = town.client.post("/organiser/surveys/town/close?lang=pl", headers=same_origin(town)).text
    assert "Zamknąć ankietę „Town”?" in asked
    assert 'action="/organiser/surveys/town/close?lang=en"><button lang="en">English</button>' in asked
    # In another language it is asked again; nothing is closed by that.
    assert "Close “Town”?" in town.client.post("/organiser/surveys/town/close?lang=en", headers=same_origin(town)).text
    assert town.store.overview("town").state == "open"
    town.client.post("/organiser/surveys/town/close?lang=pl", data={"sure": "yes"}, headers=same_origin(town))
    assert '<td data-label="Odpowiedzi">udostępniono 3</td>' in town.client.get("/organiser?lang=pl").text
    assert (
        town.client.post("/organiser/logout?lang=pl", headers=same_origin(town)).headers["location"]
        == "/organiser/login?lang=pl"
    )


def test_both_languages_say_the_same_things():
    assert set(WORDS["en"]) == set(WORDS["pl"])
    assert all(
        "{" not in text or re.findall(r"{\w+}", text) == re.findall(r"{\w+}", WORDS["pl"][key])
        for key, text in WORDS["en"].items()
    )


def test_whoever_chooses_a_password_reads_the_rule_before_it_refuses():
    from deniable.web.pages import Speech, choosing_page, login_page

    assert "A password needs at least 10 characters." in choosing_page("/organiser/first/key", "organiser")
    assert "Hasło musi mieć co najmniej 10 znaków." in choosing_page("/organiser/first/key", "organiser", None, Speech("pl"))
    assert "10" not in login_page()


def test_what_to_do_next_and_the_response_in_steps():
    from deniable.survey.store.accounts import Account
    from deniable.survey.store.surveys import Overview
    from deniable.web.pages import Speech, _next, _response

    owner, analyst = (Account("x", role, "m", True, None) for role in ("owner", "analyst"))
    known = {
        "slug": "town",
        "state": "open",
        "number": 1,
        "versions": 1,
        "mixed": 0,
        "earlier": 0,
        "shown": False,
        "linkage": "none",
    }
    rest = {"invited": True, "invitations": 400, "used": 0, "closes": None, "view": "v1"}

    def seen(**changed):
        return Overview(**{**known, **rest, **changed})

    steps = {
        "next_none_yet": seen(), "next_invite": seen(invitations=0), "next_open_results": seen(mixed=60),
        "next_close": seen(state="closed", due=True), "next_results": seen(state="closed", mixed=3, shown=True),
        "next_nothing": seen(state="closed"), "next_wait": seen(state="closed", shown=True),
    }  # fmt: skip
    assert [_next(one, owner) for one in steps.values()] == list(steps)
    # Before the first closing there is nothing for those who may not export.
    assert [_next(steps[name], analyst) for name in ("next_open_results", "next_invite")] == ["next_come_in", "next_none_yet"]
    assert _response(seen(used=171), owner, Speech()) == "171 of 400 invited (43%)"
    # The numbers of 150 to 199 people look alike, and so do shares within a tenth.
    assert {_response(seen(used=used), analyst, Speech()) for used in range(150, 200)} == {"at least 30% of those invited"}
    assert _response(seen(used=49), analyst, Speech()) == "too few to be shown"
    assert _response(seen(invited=False), owner, Speech()) == "no invitations"
