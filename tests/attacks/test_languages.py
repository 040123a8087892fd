"""A stranger who plays with the language of pages: does a choice of language come back in the page, stay in the browser, or tell who reads?

A language that was kept in a cookie would travel with every visit; one that was repeated as it was given would be anyone's HTML.
"""

import pytest

from deniable.pages import render
from deniable.web import languages

EVIL = ("<script>alert(1)</script>", '"><img src=x>', "pl-PL", "PL", "", "xx", "en\r\nSet-Cookie: a=b")


@pytest.mark.parametrize("given", EVIL)
def test_what_is_no_language_is_neither_taken_nor_repeated(serve, standin, given):
    town = serve(standin.Standin())
    for path in ("/organiser/login", "/organiser", "/organiser/first/none", "/s/none", "/"):
        reply = town.client.get(
            path, params={"lang": given}, headers={"Accept-Language": given.encode("ascii", "replace").split(b"\r")[0]}
        )
        assert "set-cookie" not in reply.headers
        assert "alert(1)" not in reply.text
        assert "lang=" not in reply.headers.get("location", "")
        assert reply.text.count("<img") == 0


def test_respondents_get_the_same_bytes_whatever_they_read(serve, standin):
    """What depends on the reader would let a server tell readers apart; the page chooses its words itself."""
    town = serve(standin.Standin())
    for path in ("/", "/s/town", "/s/none", "/s/town?other-way", "/static/respond.js", "/api/surveys/town"):
        replies = [town.client.get(path, headers={"Accept-Language": one}) for one in ("pl", "en", "de;q=0.5", "")]
        assert len({reply.content for reply in replies}) == 1
        assert not any("set-cookie" in reply.headers or "content-language" in reply.headers for reply in replies)


def test_a_header_without_end_is_read_in_no_time():
    assert languages.preferred("pl;q=0.1," * 200_000) == "pl"
    assert languages.preferred("a" * 1_000_000) == "en"
    assert languages.preferred(";;;q=,,,==") == "en"
    # What stands behind the first 500 letters is not read at all.
    assert languages.preferred("de;q=0.5," * 60 + "pl") == "en"


def test_a_language_is_no_html_even_where_it_was_not_checked():
    evil = '"><script>alert(1)</script>'
    assert "<script>" not in render("server_page.html", language=evil, title=evil)


def test_a_language_travels_on_only_if_the_address_asked_for_it(serve, standin):
    """A link that carried the language of the browser would tell anyone it is sent to."""
    town = serve(standin.Standin())
    polish = {"Accept-Language": "pl"}
    assert town.client.get("/organiser", headers=polish).headers["location"] == "/organiser/login"
    assert town.client.get("/organiser?lang=pl").headers["location"] == "/organiser/login?lang=pl"
    login = town.client.get("/organiser/login", headers=polish).text
    assert '<html lang="pl">' in login
    assert "?lang=pl" not in login


def test_a_language_that_nobody_wants_is_not_taken():
    assert languages.preferred("pl;q=0") == "en"
    assert languages.preferred("pl;q=0.0, de") == "en"
    assert languages.preferred("xx, *") == "en"
