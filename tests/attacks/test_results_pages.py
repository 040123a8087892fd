"""Texts that want to run in the pages of results and in their twins, and an analyst with the address bar, through HTTP.

Titles and labels are written by whoever writes the questionnaire, addresses by whoever sends a link. Neither may become a tag, an
attribute, a formula or a statement of Python, in any field of any page. With escaping switched off the same texts do become tags.
"""

import ast
import asyncio
import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from urllib.parse import quote

import httpx
import numpy as np
import pytest

from deniable.pages import renderer
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk, releases
from deniable.survey.store.audit import COMMAND_LINE
from deniable.survey.store.engine import writing
from deniable.web.accounts import COOKIE
from deniable.web.app import Settings, create_app
from deniable.web.results import MEDIA_TYPES

EVIL = "<script>alert(1)</script>\"><img src=x onerror=\"alert(2)\">' autofocus onfocus='alert(3)' {{ 7 * 7 }} **`<b onclick=alert(4)>`**"
FORMULA = '=HYPERLINK("https://evil.example";1)'
CODE = "'); import os; os.system('x') #\n"
ALLOWED_SVG = {"svg", "title", "line", "polygon", "circle", "text", "g"}


def text(words):
    return {"en": f"{words} en", "pl": f"{words} pl"}


def choices(*texts):
    return [{"value": f"v{i}", "text": text(words)} for i, words in enumerate(texts)]


SURVEY = {
    "survey": "town", "title": text(EVIL), "organiser": text("Town"), "contact": "a@b.example", "other_way": text("Call us."),
    "languages": ["en", "pl"],
    "pages": [{"elements": [
        {"type": "radiogroup", "name": "sex", "title": text(EVIL), "privacy": "none", "choices": choices(EVIL, FORMULA)},
        {"type": "radiogroup", "name": "owes", "title": text(CODE), "privacy": {"design": "krr", "p": 0.8}, "choices": choices(CODE, EVIL)},
        {"type": "boolean", "name": "ill", "title": text(FORMULA), "privacy": {"design": "krr", "p": 0.8}},
        {"type": "rating", "name": "mood", "title": text(EVIL), "privacy": {"design": "krr", "p": 0.6}},
    ]}],
}  # fmt: skip
FIRST, SECOND = quote("sex == 'v0'"), quote("sex == 'v1'")
VIEWS = [
    "?view=overview", f"?view=overview&where={FIRST}", "?view=question&of=owes&by=sex", f"?view=question&of=ill&where={FIRST}",
    "?view=mean&of=mood&by=sex", "?view=cross&of=owes&by=sex", f"?view=compare&of=owes&first={FIRST}&second={SECOND}",
    "?view=versions&of=owes",
]  # fmt: skip
FORMS = [f"/choose?view={view}" for view in ("question", "mean", "cross", "compare", "together", "prediction", "versions")]
LINKS = [
    f"?view={quote(EVIL)}", f"?view=question&of={quote(EVIL)}", f"?view=question&of=owes&where={quote(EVIL)}",
    f"?{quote(EVIL)}={quote(EVIL)}",
    f"?view=question&of=owes&by={quote(EVIL)}", f"?view=compare&of=owes&first={quote(EVIL)}&second={quote(CODE)}",
    f"?view=compare&of=owes&first={FIRST}&second={SECOND}&label={quote(EVIL)}", f"?view=together&of={quote(EVIL)},owes",
    f"?view=question&of=owes&version={quote(EVIL)}", f"?view=question&of=owes&where={quote(CODE)}", f"?lang={quote(EVIL)}",
    f"/choose?view={quote(EVIL)}", f"/choose?view=question&ask={quote(EVIL)}&of={quote(EVIL)}&where={quote(EVIL)}",
    f"/choose?view=question&ask=yes&of=owes&where={quote(EVIL)}&add={quote(EVIL)}&number={quote(EVIL)}&value={quote(EVIL)}",
    f"/choose?view=compare&ask=yes&of={quote(EVIL)}&first_typed={quote(EVIL)}&second_typed={quote(EVIL)}&label={quote(EVIL)}",
    f"/choose?view=together&ask=yes&of={quote(EVIL)}&support={quote(EVIL)}", f"/choose?view=question&of=owes&lang={quote(EVIL)}",
]  # fmt: skip


OURS = [{"type": "module", "src": f"/static/{name}.js"} for name in ("results", "unsaved")]


class Tags(HTMLParser):
    """Every tag that a browser would see, with its attributes."""

    def __init__(self, page):
        super().__init__()
        self.seen = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    @property
    def taken_over(self):
        """What the attacker got: an own script, picture or handler, a style, an address of another site."""
        return [
            (tag, given) for tag, given in self.seen
            if tag in ("img", "b", "iframe", "style", "base")
            or any(name.startswith("on") or name in ("autofocus", "style") for name in given)
            or (tag == "script" and given not in OURS)
            or any(not given[name].startswith(("/", "?")) for name in ("href", "src", "action") if name in given)
        ]  # fmt: skip


class Town:
    """The survey with hostile texts, closed, and those who look at it."""

    def __init__(self, store):
        self.store = store
        store.open_survey(Questionnaire.parse(json.dumps(SURVEY)))
        rng = np.random.default_rng(3)
        read = store.version("town")
        codes = np.column_stack([rng.integers(0, len(channel.outputs), 1_500) for channel in read.schema.values()])
        codes[:, 0] = rng.integers(0, 2, 1_500)
        codes[:7, 0] = 2
        with writing(store.engine) as connection:
            bulk.insert(connection, read.table, [f"c{i}" for i in range(codes.shape[1])], codes.tolist())
        releases.tell(store.engine, read.id, 0, codes)
        store.close_survey("town")
        self.app, self.cookies = create_app(store, Settings(burst=0)), {}
        for role in ("owner", "analyst"):
            store.add_account(role, role, role, COMMAND_LINE)
            self.cookies[role] = self.app.state.accounts._new_session(store.choose_password(role, "no password has this hash"))

    def get(self, more, role):
        async def asked():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://town.example", timeout=60) as client:
                headers = {"Cookie": f"{COOKIE}={self.cookies[role]}"}
                return await client.get(f"/organiser/surveys/town/results{more}", headers=headers)

        # In a thread of its own: in this one a browser's loop may be running.
        with ThreadPoolExecutor(1) as own:
            return own.submit(asyncio.run, asked()).result()


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    with Store(str(tmp_path_factory.mktemp("town") / "a.db")) as store:
        yield Town(store)


def test_no_text_of_a_survey_or_link_takes_a_page_over(town):
    won, statuses = [], set()
    for role in town.cookies:
        for address in [*VIEWS, *FORMS, *LINKS]:
            for language in ("en", "pl"):
                reply = town.get(f"{address}&lang={language}", role)
                statuses.add(reply.status_code)
                assert "script-src 'self'" in reply.headers["content-security-policy"]
                assert not reply.headers.get("location", "/").startswith(("//", "http"))
                won += [(address, one) for one in Tags(reply.text).taken_over]
    assert won == []
    assert statuses <= {200, 303, 400, 403, 404}


def test_without_escaping_they_would(town, monkeypatch):
    from jinja2 import Environment

    plain = renderer._environment()
    made = Environment(loader=plain.loader, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(plain.filters)
    monkeypatch.setattr(renderer, "_environment", lambda: made)
    for address in ("?view=overview&lang=en", "/choose?view=compare&lang=en", f"?view=question&of={quote(EVIL)}&lang=en"):
        assert Tags(town.get(address, "owner").text).taken_over


def test_twins_hold_texts_and_nothing_that_runs(town):
    for address in VIEWS:
        for language in ("en", "pl"):
            replies = {kind: town.get(f".{kind}{address}&lang={language}", "owner") for kind in MEDIA_TYPES if kind != "png"}
            assert {reply.status_code for reply in replies.values()} == {200}
            assert all(reply.headers["x-content-type-options"] == "nosniff" for reply in replies.values())
            tags = {node.tag.rpartition("}")[2] for node in ET.fromstring(replies["svg"].text).iter()}
            assert tags <= ALLOWED_SVG
            handlers = [
                name for node in ET.fromstring(replies["svg"].text).iter() for name in node.attrib if name.startswith("on")
            ]
            assert handlers == []
            assert "sandbox" in replies["svg"].headers["content-security-policy"]
            rows = list(csv.reader(io.StringIO(replies["csv"].text.removeprefix("\ufeff"))))
            assert not [cell for row in rows for cell in row if re.match(r"[=@\t]", cell)]
            assert replies["csv"].headers["content-disposition"].startswith("attachment")
            json.loads(replies["json"].text)
            code = ast.parse(replies["py"].text)
            imported = {alias.name for node in ast.walk(code) if isinstance(node, ast.Import) for alias in node.names}
            assert imported == {"json", "sys", "deniable"}
            assert "evil" not in replies["py"].text


def test_a_link_with_code_gives_no_code(town):
    """Conditions are written as they were read, by `repr`; what cannot be read gives no twin at all."""
    for where in (CODE, EVIL, 'sex == "v0\\n" ); import os', "sex == 'v0'\n\nimport os"):
        reply = town.get(f".py?view=question&of=owes&where={quote(where)}", "owner")
        if reply.status_code == 200:
            code = ast.parse(reply.text)
            assert "os" not in {alias.name for node in ast.walk(code) if isinstance(node, ast.Import) for alias in node.names}
        else:
            assert reply.status_code in (400, 404)


def test_an_analyst_is_not_told_by_any_address_what_the_seven_are(town):
    """Seven people did not tell their sex. The owner sees them; an analyst gets no figure and no size of them, in no twin."""
    few = quote("sex == 'no answer'")
    owner = json.loads(town.get(f".json?view=question&of=owes&where={few}", "owner").text)
    assert owner["blocks"][0]["figures"][0]["value"] is not None
    tried = [
        f"?view=question&of=owes&where={few}",
        f"?view=question&of=owes&where={quote('not sex in (' + repr('v0') + ', ' + repr('v1') + ')')}",
        f"?view=question&of=owes&where={quote('sex != ' + repr('no answer'))}", f"?view=mean&of=mood&where={few}",
        f"?view=compare&of=owes&first={few}&second={FIRST}", f"?view=overview&where={few}", "?view=prediction&of=owes&given=sex,ill",
        f"?view=question&of=owes&where={few}&exporting=yes", f"?view=question&of=owes&where={few}&role=owner",
    ]  # fmt: skip
    for address in tried:
        page = town.get(f"{address}&lang=en", "analyst").text
        assert 'class="dot"' not in page, address
        for kind in MEDIA_TYPES:
            twin = town.get(f".{kind}{address}", "analyst")
            if kind == "json" and twin.status_code == 200:
                blocks = json.loads(twin.text)["blocks"]
                assert [figure for block in blocks for figure in block["figures"]] == []
                assert {block["n"] for block in blocks} == {None}
            if kind == "svg" and twin.status_code == 200:
                assert "<circle" not in twin.text
            if kind == "py":
                assert twin.status_code in (400, 403)
    by_sex = json.loads(town.get(".json?view=question&of=owes&by=sex", "analyst").text)
    groups = {figure["codes"][0] for figure in by_sex["blocks"][0]["figures"]}
    assert "no answer" not in groups
