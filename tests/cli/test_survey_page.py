"""`deniable survey page` and `deniable verify --file` as a person meets them."""

import hashlib
import sys

import pytest

QUESTIONS = """survey: town
title: Town
organiser: Town hall
contact: a@town.example
other_way: Call us.
offline: true
pages:
- elements:
  - {type: boolean, name: smokes, title: Smoke?, privacy: strong}
"""
PAGE = ("survey", "page", "town", "-o", "page.html", "--db", "town.db")
SERVER = ("--address", "https://survey.town.example")


@pytest.fixture
def town(run, tmp_path):
    (tmp_path / "q.yaml").write_text(QUESTIONS)
    assert run("survey", "open", "q.yaml", "--db", "town.db")[0] == 0
    return run


def test_a_page_is_written_once_with_the_hash_for_the_letter_and_checked(town, tmp_path):
    code, out, _ = town(*PAGE, *SERVER)
    hashed = hashlib.sha256((tmp_path / "page.html").read_bytes()).hexdigest()
    assert (code, f"SHA-256 {hashed}" in out, "letter" in out) == (0, True, True)
    code, _, err = town(*PAGE, *SERVER)
    assert (code, "exists already" in err) == (2, True)
    assert town(*PAGE, *SERVER, "--force")[0] == 0
    code, out, err = town("verify", "--file", "page.html", "-q", "q.yaml")
    assert (code, err) == (0, "")
    assert f"SHA-256    {hashed}  page.html" in out
    assert "https://survey.town.example, and nowhere else" in out
    assert "as in the questionnaire" in out
    # No page shows a hash of itself.
    assert hashed not in (tmp_path / "page.html").read_text()


def test_a_changed_page_is_different(town, tmp_path):
    town(*PAGE, *SERVER)
    path = tmp_path / "page.html"
    path.write_bytes(path.read_bytes().replace(b"survey.town.example", b"survey.evil.example"))
    # Changed alike everywhere it is a page that sends elsewhere: good bytes, but neither the address nor the hash of the letter.
    code, out, _ = town("verify", "--file", "page.html")
    assert (code, "https://survey.evil.example, and nowhere else" in out) == (0, True)
    path.write_bytes(path.read_bytes().replace(b"getRandomValues", b"getRandomvalues", 1))
    code, out, err = town("verify", "--file", "page.html")
    assert (code, "DIFFERENT" in out, "Do not answer truthfully" in err) == (1, True, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("verify", "--file", "nowhere.html"), "nowhere.html does not exist"),
        (("verify", "--file", "."), "is a folder"),
        (("verify", "https://town.example/s/town", "--file", "q.yaml"), "Give an address or --file FILE"),
        (("verify", "--browser"), "Give the address of a survey"),
        (("verify", "-q", "q.yaml"), "Give the address of a survey"),
        ((*PAGE, "--address", "http://survey.town.example"), "not an address that a page can send answers to"),
        (("survey", "page", "nope", "-o", "page.html", "--db", "town.db", *SERVER), "There is no survey 'nope'"),
        (("survey", "page", "town", "-o", "no/page.html", "--db", "town.db", *SERVER), "folder no does not exist"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(town, tmp_path, arguments, sentence):
    before = sorted(tmp_path.iterdir())
    code, out, err = town(*arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(tmp_path.iterdir()) == before


def test_only_an_open_survey_that_says_so_has_a_page_as_a_file(town, tmp_path):
    assert town("survey", "close", "town", "--db", "town.db")[0] == 0
    code, _, err = town(*PAGE, *SERVER)
    assert (code, "is closed" in err) == (2, True)
    (tmp_path / "q.yaml").write_text(QUESTIONS.replace("offline: true\n", ""))
    assert town("survey", "open", "q.yaml", "--db", "town.db")[0] == 0
    code, _, err = town(*PAGE, *SERVER)
    assert (code, "offline: true" in err, (tmp_path / "page.html").exists()) == (2, True, False)


def test_a_missing_browser_or_package_is_told(run, monkeypatch, tmp_path):
    from deniable.web import verify as verifying

    monkeypatch.setattr(verifying, "verify", lambda *_: [])
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = run("verify", "https://town.example/s/town", "--browser")
    assert (code, "needs Chromium or Chrome" in err) == (2, True)
    monkeypatch.setitem(sys.modules, "playwright", None)
    code, _, err = run("verify", "https://town.example/s/town", "--browser")
    assert (code, 'pip install "deniable[browser]"' in err) == (2, True)
