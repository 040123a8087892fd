"""What the respondent's page tells people is true of the survey before them, and it asks nothing by a recipe that gives answers away."""

from __future__ import annotations

import json

import pytest

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")

HEAD = """survey: {slug}
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: {{en: Call 555 0100., pl: Zadzwoń 555 0100.}}
languages: [en, pl]
pages:
- elements:
"""
SMOKES = "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}\n"
DISTRICT = "  - {type: radiogroup, name: district, title: District, choices: [north, south], privacy: none}\n"
STREET = "  - {type: dropdown, name: street, title: Street, choices: [" + ", ".join(f"s{i}" for i in range(1, 301)) + "]}\n"
WEAK = "  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: {design: krr, p: 0.9}}\n"
BOXES = "  - {type: checkbox, name: took, title: 'Took?', choices: [alcohol, tobacco], privacy: strong}\n"
GRID = "  - {type: number, name: cups, title: 'Cups?', grid: true, min: 0, max: 6, privacy: strong}\n"
MATRIX = "  - {type: matrix, name: trust, title: Trust, rows: [police, courts], columns: [little, some], privacy: strong}\n"


def changed(page, slug, change):
    """The server tells the page something else."""

    def fulfil(route):
        client = route.fetch().json()
        change(client)
        route.fulfill(status=200, content_type="application/json", body=json.dumps(client))

    page.route(f"**/api/surveys/{slug}", fulfil)


def block(law):
    def change(client):
        [one] = client["recipe"]["blocks"]
        one.clear()
        one.update(attributes=["smokes"], **law)

    return change


def twice(client):
    client["recipe"]["blocks"].append(
        {"attributes": ["smokes"], "law": "table", "denominator": 1, "weights": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
    )


@pytest.mark.parametrize(
    "change",
    [
        block({"law": "table", "denominator": 1, "weights": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}),
        block({"law": "mixture", "denominator": 5, "diagonal": 5, "replacement": [0, 0, 0]}),
        block({"law": "table", "denominator": 5, "weights": [[4, 0, 1], [1, 3, 1], [1, 1, 3]]}),
        block({"law": "shift", "denominator": 1, "inputs": 3, "outputs": 3, "lowest": 0, "kernel": [1]}),
        block({"law": "group", "sizes": [3], "denominator": 5, "tell": 5, "innocuous": [[1, 1, 1]]}),
        # The cases of the first row do not add up: what lies beyond them would be a label of its own.
        block({"law": "table", "denominator": 9, "weights": [[1, 1, 1], [3, 3, 3], [3, 3, 3]]}),
        block({"law": "magic", "denominator": 5}),
        twice,
    ],
    ids=["identity", "undiluted", "zero", "unmoved", "group", "short", "unknown", "drawn-twice"],
)
def test_the_page_refuses_to_ask_by_a_recipe_that_gives_answers_away(page, served, change):
    address = served(HEAD.format(slug="crooked") + SMOKES)
    changed(page, "crooked", change)
    page.goto(address)
    page.get_by_role("alert").wait_for()
    assert "give some of them away" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button").count() == 0
    page.get_by_role("link", name="Another way").click()
    assert page.get_by_text("Call 555 0100").first.is_visible()


def test_the_numbers_told_are_those_of_the_recipe_and_of_nothing_sent_beside_it(page, served):
    address = served(HEAD.format(slug="counted") + SMOKES)

    def change(client):
        client["recipe"]["blocks"][0].update(denominator=100, diagonal=85, replacement=[5, 5, 5])
        client["pages"][0]["elements"][0]["mixing"] = {"second": 40, "another": 60}

    changed(page, "counted", change)
    page.goto(address)
    told = page.locator(".panel").inner_text()
    assert "Of 100 people whose answer is “No”, about 5 send “Yes”." in told
    assert "proves nothing" not in told
    assert "Changed only lightly: Do you smoke?" in told
    page.get_by_role("button", name="Try it first").click()
    page.get_by_label("Yes").check()
    page.get_by_role("button", name="Draw an example").click()
    assert "about 1 of 10 people with your answer " in page.get_by_role("status").inner_text()


@pytest.mark.parametrize(
    ("name", "question", "sentence"),
    [
        ("yes-no", SMOKES, "Do you smoke? Of 10 people whose answer is “No”, about 2 send “Yes”. So a “Yes” proves nothing."),
        ("many", STREET, "Of 1,000 people whose answer is “s1”, about 3 send “s2”. So a “s2” proves nothing."),
        ("weak", WEAK, "Of 100 people whose answer is “No”, about 5 send “Yes”."),
        ("boxes", BOXES, "Took? alcohol: Of 10 people whose answer is “No”, about 2 send “Yes”. So a “Yes” proves nothing."),
        ("grid", GRID, "Cups? Of 10 people whose answer is “0”, about 1 sends “1”."),
        ("matrix", MATRIX, "Trust police: Of 10 people whose answer is “little”, about 2 send “some”."),
    ],
)
def test_every_kind_of_private_question_has_an_example_with_somebody_in_it(page, served, name, question, sentence):
    page.goto(served(HEAD.format(slug=f"example-{name}") + question))
    page.get_by_role("button", name="Start").wait_for()
    assert sentence in page.locator(".panel").inner_text()


@pytest.mark.parametrize(
    ("part", "questions"), [("all", SMOKES), ("some", SMOKES + DISTRICT), ("none", DISTRICT)], ids=["all", "some", "none"]
)
def test_nothing_is_said_to_be_mixed_that_is_not(page, served, part, questions):
    said = []
    page.goto(served(HEAD.format(slug=f"part-{part}") + questions))
    page.get_by_role("button", name="Start").wait_for()
    said.append(page.locator("main").inner_text())
    assert page.get_by_role("button", name="Try it first").count() == (part != "none")
    page.get_by_role("button", name="Start").click()
    said.append(page.locator("form > .hint").inner_text())
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    page.locator("summary").click()
    said.append(page.locator("main").inner_text())
    said = "\n".join(said)
    assert ("Of your answers, only the changed ones leave your device" in said) == (part == "all")
    assert ("Your randomly changed answers have arrived" in said) == (part == "all")
    assert ("exactly what you answer" in said) == (part != "all")
    assert ("page itself changes answers at random" in said) == (part != "none")
    assert ("that is your protection" in said) == (part != "none")
    if part == "none":
        assert "changed" not in said.replace("Nothing is randomly changed in this survey", "")


def test_practice_shows_nothing_before_a_choice_and_no_number_of_an_unlike_question(page, served):
    page.goto(served(HEAD.format(slug="practice") + STREET))
    page.get_by_role("button", name="Try it first").click()
    page.get_by_role("button", name="Explain the random change").click()
    status = page.get_by_role("status")
    assert status.inner_text() == "Please choose an answer first."
    page.get_by_label("No").check()
    page.get_by_role("button", name="Explain the random change").click()
    assert "some of the people with your answer" in status.inner_text()
    assert not any(character.isdigit() for character in status.inner_text())
    page.goto(served(HEAD.format(slug="practice-alike") + STREET + SMOKES))
    page.get_by_role("button", name="Try it first").click()
    page.get_by_label("No").check()
    page.get_by_role("button", name="Draw an example").click()
    assert "like those to “Do you smoke?”, about 4 of 10 people with your answer " in status.inner_text()


BYTES = """
window.byte = 0;
const real = crypto.getRandomValues.bind(crypto);
// Draws of a yes or no take one byte; ids, and what the page looks at to see that the bytes vary, take 16.
crypto.getRandomValues = (array) => (array.length === 1 ? array.fill(window.byte) : real(array));
"""


def test_an_example_is_a_real_draw_that_is_never_the_one_sent_and_leaves_nothing_behind(page, served):
    """strong over no, yes and silence: of 5 cases 3 keep the answer, then one for each of the others in order."""
    page.add_init_script(BYTES)
    page.goto(served(HEAD.format(slug="practice-draw") + SMOKES))
    before = page.evaluate("[window.name, JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]")
    page.get_by_role("button", name="Try it first").click()
    page.get_by_label("No").check()
    status = page.get_by_role("status")
    for times, (byte, sent) in enumerate([(0, "No"), (3, "Yes"), (4, "I prefer not to answer"), (3, "Yes")], start=1):
        page.evaluate(f"window.byte = {byte}")
        page.get_by_role("button", name="Draw an example").click()
        assert (
            f"Example draw {times}: you chose “No”, and “{sent}” would be sent. This is only an example" in status.inner_text()
        )
    assert [request for request in page.seen if request.method == "POST"] == []
    assert (
        page.evaluate("[window.name, JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]") == before
    )
    page.get_by_role("button", name="Start").click()
    page.get_by_label("No", exact=True).check()
    # The last example sent a yes. What is sent is drawn anew, at Send: now the answer is kept.
    page.evaluate("window.byte = 2")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you").wait_for()
    [sent] = [request for request in page.seen if request.method == "POST"]
    assert json.loads(sent.post_data)["report"] == {"smokes": 0}


def test_without_random_numbers_no_example_is_made_up(page, served):
    page.add_init_script("Object.defineProperty(crypto, 'getRandomValues', {value: undefined});")
    page.goto(served(HEAD.format(slug="practice-norandom") + SMOKES))
    page.get_by_role("button", name="Try it first").click()
    page.get_by_label("No").check()
    page.get_by_role("button", name="Draw an example").click()
    assert "no reliable source of cryptographic random numbers" in page.get_by_role("status").inner_text()


REGISTER = {
    "en": (
        "can see which randomly changed answers came with which contact details",
        "stay changed",
        "kept until 1 January 2099",
    ),
    "pl": (
        "może zobaczyć, które losowo zmienione odpowiedzi przyszły z którymi danymi kontaktowymi",
        "pozostają losowo zmienione",
        "przechowywane do 1 stycznia 2099",
    ),
}


@pytest.mark.parametrize("language", REGISTER)
def test_a_register_says_that_the_organiser_sees_whose_mixed_answers_are_whose(page, served, language):
    sees, mixed, until = REGISTER[language]
    address = served("linkage: register\n" + HEAD.format(slug="registered") + SMOKES)
    changed(page, "registered", lambda client: client.update(contacts_until="2099-01-01"))
    page.goto(f"{address}?lang={language}")
    page.locator(".panel").wait_for()
    told = page.locator(".panel").inner_text()
    assert [part for part in (sees, mixed, until) if part not in told] == []
    page.get_by_role("button", name="Start" if language == "en" else "Rozpocznij").click()
    assert sees in page.locator("form").inner_text()
