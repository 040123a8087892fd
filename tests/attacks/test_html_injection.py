"""A stranger whose words a page shows (texts of a survey, names and answers of a schema, a link that was tampered with) writes HTML into
them: does the page run it, or carry it as a tag?

The attacker reads what a browser would read: tags and their attributes, not letters.
"""

import re
from html.parser import HTMLParser

import pytest

import deniable as dn
from deniable.core.question_texts import Question
from deniable.pages import TEMPLATES, render, renderer
from deniable.survey.store.accounts import ROLES, Account
from deniable.survey.store.audit import ACTIONS, Actor, Line
from deniable.survey.store.surveys import Overview
from deniable.web import account_pages, pages

EVIL = """<script>alert(1)</script>"><img src=x onerror="alert(2)">' autofocus onfocus='alert(3)' {{ 7 * 7 }} **`<svg onload=alert(4)>`**"""


class Tags(HTMLParser):
    """Every tag that a browser would see, with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.names, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attributes}

    @property
    def taken_over(self):
        return bool(self.names & {"script", "img", "svg"}) or any(name.startswith("on") for name in self.attributes)


def survey(**changed):
    known = {"slug": "town", "state": "open", "number": 1, "versions": 1, "mixed": 60, "earlier": 0, "shown": False}
    rest = {"linkage": "none", "invited": False, "invitations": 0, "used": 0, "closes": None, "view": "v1"}
    return Overview(**{**known, **rest, **changed})


def written():
    """Every page, with the attacker's words wherever one shows what others wrote."""
    for language in ("en", "pl"):
        speech = pages.Speech(language, True)
        yield "login", pages.login_page(EVIL, EVIL, speech)
        yield "choosing", pages.choosing_page(f"/organiser/first/{EVIL}", EVIL, EVIL, speech)
        for role in ROLES:
            me = Account(EVIL, role, "mark", True, None)
            yield "surveys", pages.list_page([survey(slug=EVIL, state=EVIL)], me, speech)
            titled, drafts = survey(slug=EVIL, title={"en": EVIL, "": EVIL}), [{"key": EVIL, "title": EVIL, "by": EVIL}]
            yield "surveys with drafts", pages.list_page([titled], me, speech, drafts)
            tried = [
                survey(slug=kind + EVIL, title={"en": EVIL}, number=number)
                for kind, number in (("trial--", 1_000_001), ("made-up--", 2_000_001))
            ]
            yield "trials", pages.list_page(tried, me, speech)
            yield "deleting", pages.delete_page(titled, me, EVIL, speech)
            yield "closing", pages.closing_page(survey(slug=EVIL), me, speech)
            yield "reopening", pages.reopening_page(survey(slug=EVIL, title={"en": EVIL}, state="closed"), me, speech)
            yield "reopening too late", pages.reopening_page(survey(slug=EVIL, closes="2001-01-01"), me, speech)
            yield "not allowed", pages.not_allowed_page(speech, me)
            yield "own password", account_pages.own_password_page(me, EVIL, speech)
            yield "accounts", account_pages.accounts_page([Account(EVIL, role, EVIL, False, "2099-01-01")], me, EVIL, speech)
            yield "link", account_pages.link_page(Account(EVIL, role, EVIL, False, "2099-01-01"), EVIL, me, speech)
            for verb in ("remove", "link"):
                yield verb, account_pages.sure_page(Account(EVIL, role, EVIL, True, None), verb, me, speech)
            lines = [Line(1, "2026-11-16", Actor("account", EVIL), action, EVIL, 1) for action in ACTIONS]
            yield "audit", account_pages.audit_page(lines, 1, me, speech)
    texts = {key: {EVIL: EVIL, "pl": EVIL} for key in ("title", "otherWay", "organiser", "contact")}
    yield "other way", pages.other_way_page({"languages": [EVIL, "pl"], **texts})
    yield "any page of the server", render("server_page.html", language=EVIL, title=EVIL)
    schema = dn.Schema({EVIL: dn.KRR(dn.Nominal([EVIL, "no"]), 0.95), "sex": dn.Identity(dn.Nominal([EVIL, "m"]))})
    for language in ("en", "pl", EVIL):
        report = dn.privacy.report(schema, texts={EVIL: Question(EVIL, {EVIL: EVIL, "no": "no"})})
        report.language, report.notes = language, ((EVIL, EVIL),)
        yield "privacy report", report.to_html()
        yield "privacy report in a notebook", report._repr_html_()


def test_no_page_is_taken_over():
    seen = list(written())
    assert [name for name, text in seen if Tags(text).taken_over] == []
    # What was written is there to be read, as letters, and nothing in it was computed.
    assert [name for name, text in seen if "alert(1)" not in text or "{{ 7 * 7 }}" not in text] == []


def test_without_escaping_every_page_would_be(monkeypatch):
    monkeypatch.setattr(renderer._environment(), "autoescape", False)
    renderer._environment().cache.clear()
    try:
        assert [name for name, text in written() if not Tags(text).taken_over] == []
    finally:
        renderer._environment().cache.clear()


@pytest.mark.parametrize("path", sorted(TEMPLATES.iterdir()), ids=lambda path: path.name)
def test_no_template_exempts_a_value_from_escaping(path):
    assert not re.search(r"\|\s*safe\b|\bautoescape\b|\bMarkup\b|\bxmlattr\b", path.read_text(encoding="utf-8"))


def test_a_value_that_was_forgotten_is_an_error_and_no_empty_place():
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError, match="title"):
        render("server_page.html", language="en")
