"""Every page of results that can be reached, in both languages, as owner and as analyst: nothing on it is wrong (`results_reader.py`)."""

import itertools
import json
from urllib.parse import quote_plus

import pytest

from deniable.survey.store import Store
from tests.web.results_reader import Reading, faults
from tests.web.test_results import Council

NAMES = ["sex", "age", "smokes", "owes", "mood"]
CODES = {*NAMES, "F", "M", "yes", "no"}
PATH = "/organiser/surveys/council/results"


def views(owner):
    """An address for every view of every question, by every other."""
    groups = ["sex == 'F'", "sex == 'M'", "smokes == 'yes'", "smokes == 'no'"]
    first, second = quote_plus(groups[0]), quote_plus(groups[1])
    yield from ("", f"?view=overview&where={first}", f"?view=overview&where={quote_plus(groups[2])}")
    for of, by in itertools.permutations(NAMES, 2):
        yield f"?view=question&of={of}&by={by}"
        yield f"?view=cross&of={of}&by={by}"
    for of in NAMES:
        yield f"?view=question&of={of}&where={first}" if of != "sex" else "?view=question&of=sex"
        yield f"?view=versions&of={of}"
        if of in ("age", "mood"):
            yield from (f"?view=mean&of={of}", f"?view=mean&of={of}&by=sex", f"?view=mean&of={of}&by=smokes")
            yield f"?view=compare&of={of}&mean=yes&first={first}&second={second}"
        if of not in ("age", "sex"):
            yield f"?view=compare&of={of}&first={first}&second={second}"
    yield f"?view=compare&of=owes&first={quote_plus(groups[2])}&second={quote_plus(groups[3])}"
    yield "?view=together&of=smokes%2Cowes%2Csex&support=0.05&confidence=0.3"
    if owner:
        yield "?view=prediction&of=owes&given=smokes%2Csex"
    yield from (f"/choose?view={view}" for view in ("question", "mean", "cross", "compare", "together", "prediction"))


@pytest.fixture(scope="module")
def council(tmp_path_factory):
    with Store(str(tmp_path_factory.mktemp("walk") / "a.db")) as store:
        made = Council(store, 1_500)
        store.close_survey("council")
        yield made


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("role", ["owner", "analyst"])
def test_nothing_is_wrong_on_any_page(council, role, language):
    """From the views that can be asked for, on to whatever they link to."""
    codes = CODES | ({"no answer"} if language == "pl" else set())
    waiting = [f"{PATH}{view}{'&' if '?' in view else '?'}lang={language}" for view in views(role == "owner")]
    seen, wrong, pictures, refused = set(), [], 0, 0
    while waiting:
        address = waiting.pop(0)
        if address in seen or not address.startswith((f"{PATH}?", f"{PATH}/")) or f"lang={language}" not in address:
            continue
        seen.add(address)
        reply = council.page(address.removeprefix("/organiser"), role)
        assert reply.status_code in ((200,) if role == "owner" else (200, 400)), (address, reply.status_code)
        if reply.status_code == 400:  # numbers that analysts see in cells have no mean
            refused += 1
            continue
        wrong += [(address, fault) for fault in faults(reply.text, codes)]
        read = Reading(reply.text)
        pictures += len(read.pictures)
        waiting += read.links
    assert wrong == []
    assert pictures > (500 if role == "owner" else 150)
    assert len(seen) > 80
    assert refused < 10


def test_numbers_for_machines_have_intervals_too(council):
    for role in ("owner", "analyst"):
        for view in (f"?view=question&of={of}&by={by}" for of, by in itertools.permutations(NAMES, 2)):
            for block in json.loads(council.get(f".json{view}", role).text)["blocks"]:
                for figure in block["figures"]:
                    numbers = [figure[key] for key in ("low", "value", "high")]
                    assert numbers == [None] * 3 or 0 <= numbers[0] <= numbers[1] <= numbers[2] <= 1


PLANTED = {
    "a point without its interval": ('<line class="interval"', '<line class="other"'),
    "a dot beside its line": ('class="dot" cx="', 'class="dot" cx="1'),
    "a mark outside its picture": ('<svg x="', '<svg x="9'),
    "an impossible share": ('<span class="value">', '<span class="value">1'),
    "a share in words": ("between ", "between 1"),
    "a code instead of an answer": ('<span class="label">Yes<', '<span class="label">yes<'),
    "a code instead of a question": ("Do you smoke?", "smokes"),
    "a bin": ('<span class="label">Yes<', '<span class="label">[18, 25)<'),
    "an estimate that is not drawn": ("</section>", '<span class="value">3</span></section>'),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_is_wrong_is_seen(council, what):
    page = council.get("?view=question&of=smokes&by=sex&lang=en").text
    assert faults(page, CODES) == []
    before, after = PLANTED[what]
    assert before in page
    assert faults(page.replace(before, after), CODES)
