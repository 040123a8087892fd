"""Numbers that are asked for their mean, in a real browser: what the page says of them, what it sends, and what comes of it."""

from __future__ import annotations

import json

import pytest

import deniable as dn

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

SURVEY = """survey: {slug}
title: {{en: Habits, pl: Nawyki}}
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
languages: [en, pl]
pages:
- elements:
  - {{type: number, name: hours, title: {{en: 'How many hours?', pl: 'Ile godzin?'}}, grid: true, min: 0, max: 99, for: mean}}
  - {{type: number, name: pay, title: {{en: 'How much pay?', pl: 'Ile?'}}, grid: true, min: 0, max: 9, for: mean, privacy: strong}}
  - {{type: number, name: age, title: {{en: 'How old?', pl: 'Ile lat?'}}, grid: true, min: 0, max: 99, for: share}}
"""
POST = """async ([slug, truth, times]) => {
  const { randomise } = await import('/static/randomise.js');
  const told = await (await fetch(`/api/surveys/${slug}`)).json();
  const random = (n) => Array.from(crypto.getRandomValues(new Uint8Array(n)), (b) => b.toString(16).padStart(2, '0')).join('');
  const statuses = [];
  for (let i = 0; i < times; i++) {
    const body = JSON.stringify({ version: told.version, id: random(16), report: randomise(told.recipe, truth) });
    const sent = await fetch(`/api/surveys/${slug}/answers`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    statuses.push(sent.status);
  }
  return statuses;
}"""


def test_the_page_says_what_is_sent_instead_of_a_number(page, served):
    page.goto(served(SURVEY.format(slug="means")))
    page.get_by_role("button", name="Start").wait_for()
    said = page.locator(".panel").inner_text()
    assert "How many hours? Your number is not sent, only one of 3 values from 0 to 99." in said
    assert "How much pay? Your number is not sent, only “low” or “high”." in said
    assert "How old? Your number is not sent, only one of 144 values from -22 to 121." in said
    # Of eight parts, five are sent as they are, two as another number and one as silence.
    assert "Of 100 people whose answer is “0”, about 13 send “50”. So a “50” proves nothing." in said
    page.goto(served(SURVEY.format(slug="means")) + "?lang=pl")
    page.get_by_role("button", name="Rozpocznij").wait_for()
    said = page.locator(".panel").inner_text()
    assert "Ile? Twoja liczba nie jest wysyłana, tylko „nisko” albo „wysoko”." in said
    assert "tylko jedna z 3 wartości od 0 do 99" in said


def test_what_was_sent_is_shown_as_what_it_is(page, served):
    page.goto(served(SURVEY.format(slug="sent")))
    page.get_by_role("button", name="Start").click()
    page.locator("#q-hours-number").fill("42")
    page.locator("#q-pay-number").fill("7")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    [sent] = [request for request in page.seen if request.method == "POST"]
    report = json.loads(sent.post_data)["report"]
    page.locator("details summary").click()
    hours, pay, age = page.locator("details dd").all_inner_texts()
    silent = "I prefer not to answer"
    assert hours == ["0", "50", "99", silent][report["hours"]]
    assert pay == ["low", "high", silent][report["pay"]]
    assert age == (silent if report["age"] == 144 else str(report["age"] - 22))
    version = served.store.version("sent")
    assert [str(version.schema["hours"].outputs[report["hours"]]).replace("no answer", silent)] == [hours]


def test_means_come_back_from_what_browsers_draw(page, served):
    page.goto(served(SURVEY.format(slug="drawn")))
    page.get_by_role("button", name="Start").wait_for()
    for truth, times in (({"hours": 99, "pay": 0, "age": 20}, 240), ({"hours": 0, "pay": 9, "age": 100}, 240)):
        assert set(page.evaluate(POST, ["drawn", truth, times])) == {201}
    store = served.store
    store.close_survey("drawn")
    sample = dn.read(f"{store.place}#{store.overview('drawn').view}", store.version("drawn").schema)
    for name, truth in (("hours", 49.5), ("pay", 4.5), ("age", 20.0)):
        # Browsers take no seed: one of the three is wrong by chance once in three hundred million runs.
        low, high = sample.mean(name).interval(1 - 1e-9)
        assert low[0] <= truth <= high[0], name
