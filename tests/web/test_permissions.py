"""Every page and verb against everyone who may come: nobody, an analyst, an owner, and sessions that are over."""

import pytest
from fastapi import FastAPI, Response

from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.accounts import COOKIE
from deniable.web.permissions import ANYONE, NEEDS, needs

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# A text for each {part} of a path: something that is there, and a verb that would change it.
PARTS = {
    "slug": "town", "verb": "close", "kind": "zip", "key": "none", "mark": "none", "name": "organiser.css", "draft": "none", "at": "0-0",
    "place": "1", "language": "en", "part": "en",
}  # fmt: skip
# What an analyst may have, beyond what anyone may. Results go here; files, closing and accounts never do.
OF_ANALYSTS = {
    "GET /organiser", "GET /organiser/password", "POST /organiser/password", "GET /organiser/surveys/{slug}/results",
    "GET /organiser/surveys/{slug}/results/choose", "GET /organiser/surveys/{slug}/results.{kind}", "GET /organiser/report.css",
    "GET /organiser/surveys/{slug}/report", "GET /organiser/surveys/{slug}/report/{language}",
    "GET /organiser/surveys/{slug}/report/{language}/file",
}  # fmt: skip


def routes_of(app: FastAPI):
    """All routes, also those of routers that are included."""
    for route in getattr(app, "routes", []):
        inside = getattr(route, "original_router", None)
        yield from routes_of(inside) if inside is not None else [route]


def pages_of(app):
    return sorted({(verb, route.path) for route in routes_of(app) for verb in route.methods or {"GET"}})


@pytest.fixture
def town(serve, standin):
    return serve(standin.Standin())


def session(town, name, role="analyst"):
    """Somebody new who has logged in: the account, and the cookie of the session."""
    town.store.add_account(name, role, f"link of {name}", COMMAND_LINE)
    made = town.store.choose_password(f"link of {name}", "no password has this hash")
    return made, town.service.app.state.accounts._new_session(made)


def ask(town, verb, path, cookie, origin=None, **data):
    headers = {"Origin": town.url} if origin is None else origin
    town.client.cookies.clear()
    filled = path.format(**PARTS)
    sent = {"Cookie": f"{COOKIE}={cookie}"} if cookie else {}
    return town.client.request(verb, filled, headers={**headers, **sent}, data=data if verb == "POST" else None)


def outcome(reply):
    if reply.status_code == 303 and reply.headers["location"] == "/organiser/login":
        return "led to log in"
    return "turned away" if reply.status_code == 403 else "let in"


def expected(role, needed):
    if role is None:
        return "led to log in"
    return "let in" if role == "owner" or needed == "analyst" else "turned away"


def test_every_route_is_declared_and_everything_declared_is_a_route(town):
    found = {f"{'GET' if verb == 'HEAD' else verb} {path}" for verb, path in pages_of(town.service.app)}
    assert found == set(NEEDS)


def test_an_analyst_may_have_exactly_this(town):
    assert {page for page, role in NEEDS.items() if role == "analyst"} == OF_ANALYSTS
    inside = {page for page, role in NEEDS.items() if role == ANYONE and "/organiser" in page}
    assert {page.split(" ")[1] for page in inside} == {
        "/organiser/", "/organiser/login", "/organiser/first/{key}", "/organiser/logout",
    }  # fmt: skip


def test_every_page_and_verb_against_every_visitor(town):
    owner, analyst = session(town, "Owner", "owner")[1], session(town, "Analyst")[1]
    changed, removed, over = (
        session(town, "Changed", "owner"),
        session(town, "Removed", "owner"),
        session(town, "Over", "owner"),
    )
    raised = session(town, "Raised")
    town.store.set_role(changed[0].mark, "analyst", COMMAND_LINE)
    town.store.set_role(raised[0].mark, "owner", COMMAND_LINE)
    town.store.remove_account(removed[0].mark, COMMAND_LINE)
    town.service.app.state.accounts.log_out(over[1])
    visitors = {
        "nobody": (None, None), "a forged cookie": ("x" * 43, None), "a role that was changed": (changed[1], None),
        "a role that was raised": (raised[1], None), "a removed account": (removed[1], None), "a session that is over": (over[1], None),
        "an analyst": (analyst, "analyst"), "an owner": (owner, "owner"),
    }  # fmt: skip
    wrong = []
    for verb, path in pages_of(town.service.app):
        needed = needs(verb, path)
        for name, (cookie, role) in visitors.items() if needed != ANYONE else ():
            got = outcome(ask(town, verb, path, cookie))
            if got != expected(role, needed):
                wrong.append((verb, path, name, got))
    assert wrong == []
    assert town.store.overview("town").state == "open"


def test_no_other_verb_reaches_anything(town):
    owner = session(town, "Owner", "owner")[1]
    known = pages_of(town.service.app)
    paths = {path for _, path in known}
    other = [(verb, path) for path in paths for verb in VERBS if (verb, path) not in known and "organiser" in path]
    assert {ask(town, verb, path, owner).status_code for verb, path in other} <= {404, 405}


@pytest.mark.parametrize("path", ["/organiser/tomorrow", "/tomorrow"])
def test_what_is_not_declared_is_for_owners(town, path):
    @town.service.app.get(path)
    async def tomorrow() -> Response:
        return Response("a page that nobody declared")

    visitors = {None: None, "analyst": session(town, "Analyst")[1], "owner": session(town, "Owner", "owner")[1]}
    assert {role: outcome(ask(town, "GET", path, cookie)) for role, cookie in visitors.items()} == {
        role: expected(role, "owner") for role in visitors
    }


def test_every_form_of_the_organisers_is_refused_from_other_sites(town):
    owner = session(town, "Owner", "owner")[1]
    forms = [path for verb, path in pages_of(town.service.app) if verb == "POST" and path.startswith("/organiser")]
    assert len(forms) >= 7
    for path in forms:
        for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            reply = ask(town, "POST", path, owner, headers, sure="yes")
            assert (path, reply.status_code, reply.json()["code"]) == (path, 403, "cross_site")
