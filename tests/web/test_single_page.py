"""The page as one file: made of released files and its survey alone, and found out if anything else is in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from deniable.errors import DeniableError, ParameterError, RefusedError
from deniable.survey.questionnaire import Questionnaire
from deniable.web.bundle import bundle
from deniable.web.released import FOR_ORGANISERS, released
from deniable.web.single_page import check_single_page, server_address, single_page

QUESTIONS = """
survey: town
title: {en: Town </script> & <b>, pl: Miasto}
organiser: Town hall
contact: a@town.example
other_way: {en: 'Call <us> & more', pl: 'Zadzwoń "teraz"'}
languages: [en, pl]
offline: true
pages:
- elements:
  - {type: boolean, name: smokes, title: Smoke?, privacy: strong}
  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}
"""
SERVER = "https://survey.town.example"
URL = f"{SERVER}/api/offline/town"


def survey(**more):
    return {**Questionnaire.parse(QUESTIONS).client(), "version": 3, "open": True, "contacts_until": None, **more}


def wrong(content):
    return [finding for finding in check_single_page(content, "page.html") if not finding.good]


def policy_of(page):
    return dict(part.split(" ", 1) for part in re.search(r'Security-Policy" content="([^"]*)"', page)[1].split("; "))


def test_the_page_allows_its_own_script_and_style_by_hash_and_its_own_two_addresses():
    page = single_page(survey(), SERVER).decode()
    [script] = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)

    def hashed(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert policy_of(page) == {
        "default-src": "'none'",
        "script-src": hashed(script),
        "style-src": hashed(style),
        "img-src": "data:",
        "connect-src": f"{URL} {URL}/answers",
        "form-action": "'none'",
        "base-uri": "'none'",
    }
    # Nothing is loaded, from anywhere.
    assert re.findall(r'(?:src|href)="(?!data:)[^"]*"', page) == []
    assert page.count("<script") == 2
    assert "Call &lt;us&gt; &amp; more / Zadzwoń &quot;teraz&quot;" in page
    [carried] = re.findall(r'id="carried">([^<]*)</script>', page)
    assert json.loads(carried) == {"address": URL, "survey": survey()}


def test_an_untouched_file_is_good_and_says_where_answers_go_and_how_they_are_mixed():
    content = single_page(survey(), SERVER)
    found = {
        finding.what: finding.found
        for finding in check_single_page(content, "page.html", Questionnaire.parse(QUESTIONS).client())
    }
    assert wrong(content) == []
    assert found["page.html (where answers go)"].startswith("https://survey.town.example, and nowhere else.")
    assert "by a factor of at most 3.0" in found["page.html (smokes)"]
    assert found["page.html (questions)"] == "as in the questionnaire"
    other = Questionnaire.parse(QUESTIONS.replace("Smoke?", "Drink?")).client()
    assert check_single_page(content, "page.html", other)[-1].found == "different: pages"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"getRandomValues", b"getRandomvalues"),
        (b"</head>", b"<script>alert(1)</script></head>"),
        (b"connect-src ", b"connect-src https://evil.example "),
        (b"default-src 'none'; ", b""),
        (b"</body>", b"<img src='https://evil.example/x'></body>"),
        (b"<!doctype html>", b""),
        (b"</html>\n", b"</html>\n<!-- -->"),
        (b'{"address":"https://survey.town.example', b'{"address":"https://evil.example'),
        (b'"version":3', b'"version": 3'),
        (b'"version":3', b'"version":3,"version":4'),
        (b'"survey":"town"', b'"survey":"town;script-src *"'),
        (b'id="carried"', b'id="carried" '),
        (b"#00558c", b"#00558d"),
    ],
)
def test_a_file_with_anything_else_in_it_is_found(before, after):
    content = single_page(survey(), SERVER)
    assert before in content
    assert wrong(content.replace(before, after, 1))


def test_a_survey_that_gives_answers_away_is_found_though_the_bytes_are_those_of_the_release():
    told = json.loads(json.dumps(survey()))
    size = len(told["recipe"]["blocks"][0]["replacement"])
    told["recipe"]["blocks"][0].update(denominator=1_000 + size, diagonal=1_000, replacement=[1] * size)
    assert "NOT MIXED" in wrong(single_page(told, SERVER))[0].found


@pytest.mark.parametrize("name", ['x"><script>alert(1)</script>', "x; script-src *", "X", "", "a" * 64, "../x", 7, None])
def test_no_name_of_a_survey_gets_into_the_policy(name):
    with pytest.raises(RefusedError, match="not the name of a survey"):
        single_page(survey(survey=name), SERVER)


def test_random_changes_of_one_byte_are_all_found():
    import random

    content, choose = single_page(survey(), SERVER), random.Random(7)
    for _ in range(150):
        place = choose.randrange(len(content))
        changed = bytearray(content)
        changed[place] = (changed[place] + 1 + choose.randrange(255)) % 256
        found = wrong(bytes(changed))
        # A changed word of a question is another survey: its page is good, and its SHA-256 is not that of the letter.
        inside = b'id="carried">' in content[:place] and place < content.index(b"</script>", content.index(b'id="carried">'))
        assert found or inside


def test_a_file_of_another_release_is_told_to_be_one():
    content = re.sub(rb"deniable [\d.]+\"", b'deniable 99.0"', single_page(survey(), SERVER))
    assert "deniable 99.0 made it" in wrong(content)[0].found
    for nothing in (b"", b"<html>", b'<script type="application/json" id="carried">{}</script>', b"\xff" * 100):
        assert "not a page that deniable makes" in wrong(nothing)[0].found


@pytest.mark.parametrize("change", [{"offline": False}, {"offline": "yes"}, {"open": False}])
def test_a_page_is_made_of_open_surveys_that_say_so_alone(change):
    with pytest.raises(RefusedError, match=r"offline: true|is closed"):
        single_page(survey(**change), SERVER)


@pytest.mark.parametrize(
    "given",
    ["http://town.example", "https://town.example/x", "https://", "ftp://a", "https://a;b", "https://a b", "https://u@a", "https://a?x",
     "https://a#b", "https://[::1]", "https://a:99999", "https://a:0", "http://10.0.0.1", "javascript:alert(1)", "https://ż.example", ""],
)  # fmt: skip
def test_only_addresses_that_keep_answers_from_others_are_taken(given):
    with pytest.raises(ParameterError, match="not an address that a page can send answers to"):
        server_address(given)
    assert server_address("http://127.0.0.1:8000/") == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        ({"a.js": 'import { b } from "./b.js";', "b.js": 'import { a } from "./a.js";'}, "in a circle"),
        ({"a.js": 'import { b } from "./b.js";'}, "not there"),
        ({"a.js": 'import "./b.js";'}, "not an import or export"),
        ({"a.js": "export default 3;"}, "not an import or export"),
        ({"a.js": "export let x = 3;"}, "not an import or export"),
        ({"a.js": 'await import("./b.js")'}, "not an import or export"),
        ({"a.js": 'const x = "</script>";'}, "would end the script"),
    ],
)
def test_what_cannot_be_put_into_one_script_is_refused(modules, reason):
    with pytest.raises(DeniableError, match=reason):
        bundle(modules, "a.js")


def test_the_bundle_holds_every_line_of_the_released_modules():
    page = single_page(survey(), SERVER).decode()
    for name, file in released().items():
        if name.endswith(".js") and name not in FOR_ORGANISERS:
            lines = [
                line.removeprefix("export ") for line in file.content.decode().splitlines() if not line.startswith("import ")
            ]
            assert [line for line in lines if line not in page] == [], name
