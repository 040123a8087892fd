"""What a page is, by its address: of every way to write one, only a survey's has somewhere to send to."""

from __future__ import annotations

import json
import subprocess

import pytest

from deniable.web.released import STATIC

DRAFT = "/organiser/drafts/0123456789abcdef"


@pytest.fixture(scope="module")
def placed(node_program):
    """What `placeOf` says of (carried, pathname) pairs."""
    script = f"""
import {{ readFileSync }} from "node:fs";
import {{ placeOf }} from "{STATIC.as_uri()}/kind.js";
const places = JSON.parse(readFileSync(0)).map(([carried, pathname]) => placeOf(carried, pathname));
if (!places.every(Object.isFrozen)) throw new Error("a place can be changed");
console.log(JSON.stringify(places));
"""

    def run(*pairs):
        command = [node_program, "--input-type=module", "-e", script]
        done = subprocess.run(command, input=json.dumps(pairs), capture_output=True, text=True, timeout=100, check=True)
        return json.loads(done.stdout)

    return run


def test_surveys_and_trials_send_to_their_own_address_and_say_what_they_are(placed):
    slugs = ["town", "trial--town", "made-up--town", "trial-lane", "trial%2D%2Dtown", "preview", "x--trial--town", "organiser"]
    found = placed(*[(None, f"/s/{slug}") for slug in slugs])
    assert [one["kind"] for one in found] == [None, "trial", "madeUp", None, "trial", None, None, None]
    assert [one["answers"] for one in found[:3]] == [f"/api/surveys/{slug}/answers" for slug in slugs[:3]]
    # However it is written, the banner is that of where answers go.
    assert found[4]["answers"] == found[1]["answers"]
    assert all(one["answers"] == f"{one['survey']}/answers" and one["draft"] is None for one in found)


def test_a_preview_has_nowhere_to_send_to(placed):
    [found] = placed((None, f"{DRAFT}/preview"))
    assert found == {"kind": "preview", "survey": f"{DRAFT}/preview/survey", "answers": None, "name": None, "draft": DRAFT}


@pytest.mark.parametrize(
    "pathname",
    [
        f"{DRAFT}/preview/", f"{DRAFT}/preview/town", f"{DRAFT}/Preview", "/organiser/drafts/0/preview", "/organiser", "/organiser/",
        "/organiser/s/town", "/Organiser/drafts/x/preview", "/%6Frganiser/drafts/0123456789abcdef/preview", "/organiser%2Fs/town",
    ],
)  # fmt: skip
def test_nor_has_anything_else_below_the_organisers_pages(placed, pathname):
    [found] = placed((None, pathname))
    assert (found["kind"], found["answers"], found["draft"]) == ("preview", None, None)


def test_a_file_is_what_the_address_says_that_it_sends_to(placed):
    carried = [
        {"address": f"https://town.example/api/offline/{slug}", "survey": {"survey": "other"}}
        for slug in ("town", "trial--town")
    ]
    found = placed(*[(one, path) for one in carried for path in ("/home/anna/page.html", f"{DRAFT}/preview")])
    assert [one["kind"] for one in found] == [None, None, "trial", "trial"]
    assert [one["answers"] for one in found] == [f"{one['address']}/answers" for one in carried for _ in range(2)]
    assert [one["name"] for one in found] == [one["address"] for one in carried for _ in range(2)]
