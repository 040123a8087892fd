"""Somebody who writes surveys on the page: what their browser would send of the forms that it shows."""

from html.parser import HTMLParser

from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.accounts import COOKIE

YAML = """
survey: habits
title: {en: Habits, pl: Zwyczaje}
languages: [en, pl]
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
pages:
- elements:
  - {type: boolean, name: smokes, title: {en: Do you smoke?, pl: Czy palisz?}, privacy: strong}
  - {type: rating, name: buses, title: {en: The buses?, pl: Autobusy?}, privacy: none}
"""


class Form(HTMLParser):
    """The fields of the form of a part, as a browser would send them."""

    def __init__(self, text, marked='class="part"'):
        super().__init__()
        self.fields, self.inside, self.area, self.select = {}, False, None, None
        self.marked = marked
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.inside = self.marked in self.get_starttag_text()
        if not self.inside:
            return
        if tag == "input" and (given.get("type") not in ("checkbox", "radio") or "checked" in given):
            self.fields[given["name"]] = given.get("value", "on")
        if tag == "textarea":
            self.area, self.fields[given["name"]] = given["name"], ""
        if tag == "select":
            self.select = given["name"]
        if tag == "option" and self.select and (self.select not in self.fields or "selected" in given):
            self.fields[self.select] = given["value"]

    def handle_data(self, data):
        if self.area:
            self.fields[self.area] += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self.area:
            self.fields[self.area] = self.fields[self.area].removeprefix("\n").replace("\n", "\r\n")
            self.area = None
        if tag == "select":
            self.select = None


class Person:
    """Somebody who has logged in."""

    def __init__(self, town, name="Anna", role="owner"):
        town.store.add_account(name, role, name, COMMAND_LINE)
        self.town, made = town, town.store.choose_password(name, "no password has this hash")
        self.cookie = town.service.app.state.accounts._new_session(made)

    def ask(self, verb, path, data=None, **more):
        self.town.client.cookies.clear()
        headers = {"Origin": self.town.url, "Cookie": f"{COOKIE}={self.cookie}", **more.pop("headers", {})}
        return self.town.client.request(verb, path, data=data, headers=headers, **more)

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, data=None, **more):
        return self.ask("POST", path, data if data is not None else {"x": ""}, **more)

    def form(self, path):
        reply = self.get(path)
        assert reply.status_code == 200, reply.text
        return Form(reply.text).fields


def draft(person, text=YAML):
    reply = person.post("/organiser/drafts", {"text": text})
    assert reply.status_code == 303, reply.text
    return reply.headers["location"]


def content(town):
    (only,) = town.store.drafts()
    return only.content
