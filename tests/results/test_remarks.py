"""What estimates assume, remark and warn of is said in the language of the page and in the survey's texts, everywhere in the same way."""

import json
import re

import numpy as np
import pytest

from deniable.core.estimate import Estimate
from deniable.core.question_texts import Question
from deniable.errors import NoIntervalError, NotInvertibleError
from deniable.results.material import Spoken
from deniable.results.questions import Comparison, CrossTable, MeanOf, OneQuestion, Overview
from deniable.results.remarks import remarks, why_not
from deniable.results.report.making import report_of_survey
from deniable.results.words import said_in
from deniable.results.workbench import Workbench
from deniable.survey.store import Store
from tests.results.council import insert
from tests.results.test_report import text_of

SURVEY = """
survey: miasto
title: {pl: Miasto, en: Town}
organiser: {pl: Ratusz, en: Town hall}
contact: ratusz@miasto.example
other_way: {pl: Na papierze., en: Paper.}
languages: [en, pl]
pages:
- elements:
  - {type: radiogroup, name: dist, title: {pl: Dzielnica, en: District}, privacy: none, choices: [
     {value: n, text: {pl: Północ, en: North}}, {value: s, text: {pl: Południe, en: South}}, {value: z, text: {pl: Zachód, en: West}}]}
  - {type: boolean, name: pali, title: {pl: Czy palisz?, en: Do you smoke?}, privacy: {design: krr, p: 0.75}}
  - {type: rating, name: park, title: {pl: Jak park?, en: How is the park?}, rateMax: 5, privacy: {design: krr, p: 0.7}}
  - {type: number, name: wiek, title: {pl: Ile lat?, en: How old?}, grid: true, min: 0, max: 100, step: 5, privacy: {design: krr, p: 0.4}}
  - {type: number, name: godz, title: {pl: Ile godzin?, en: How many hours?}, grid: true, min: 0, max: 30, step: 5,
     privacy: {design: laplace, scale: 25, answered: 0.55}}
  - {type: boolean, name: dlug, title: {pl: Masz długi?, en: Are you in debt?},
     privacy: {design: unrelated, theta: 0.4, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true,
               question: {pl: Lubisz herbatę?, en: Do you like tea?}}}
"""
VIEWS = [
    Overview(),
    Overview(where="dist == 'n'"),
    OneQuestion("pali", by="dist"),
    OneQuestion("park", by="wiek"),
    OneQuestion("wiek", where="wiek < 200"),
    OneQuestion("godz", by="pali"),
    OneQuestion("dlug", by="dist"),
    MeanOf("park", by="dist"),
    MeanOf("godz"),
    MeanOf("wiek", by="pali"),
    CrossTable("pali", "dist"),
    Comparison("pali", "dist == 'n'", "dist == 's'"),
    Comparison("dlug", "pali == 'yes'", "pali == 'no'"),
    Comparison("godz", "dist == 'n'", "dist == 's'", mean=True),
]
ENGLISH = {
    "the",
    "of",
    "is",
    "are",
    "and",
    "that",
    "which",
    "counts",
    "people",
    "nobody",
    "share",
    "mean",
    "with",
    "any",
    "it",
    "its",
}
CODES = {"dist", "pali", "wiek", "godz", "dlug", "yes"}


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Nobody lives in the west, and too many report that they smoke for any truth."""
    with Store(str(tmp_path_factory.mktemp("town") / "a.db")) as store:
        from deniable.survey.questionnaire import Questionnaire

        store.open_survey(Questionnaire.parse(SURVEY))
        rng = np.random.default_rng(4)
        schema = store.version("miasto").schema
        columns = [rng.integers(0, len(channel.outputs), 900) for channel in schema.values()]
        columns[0] = rng.integers(0, 2, 900)
        columns[1] = (rng.random(900) < 0.97).astype(int)
        insert(store, "miasto", np.column_stack(columns))
        store.close_survey("miasto")
        yield store


def words_in(text):
    return {word.lower() for word in re.findall(r"\w+", text)}


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_remarks_are_polish_on_polish_pages_and_twins(town, view):
    bench = Workbench(town)
    notes = {}
    for language in ("en", "pl"):
        answer = bench.ask("miasto", view, language, exporting=True)
        told = json.loads(answer.json())
        notes[language] = [note for block in told["blocks"] for note in block["notes"]]
        said = [answer.title, *answer.sentences, *notes[language], *(one for block in answer.blocks for one in block.sentences)]
        assert not [one for one in said if set(re.findall(r"\w+", one)) & CODES]
    assert len(notes["pl"]) == len(notes["en"])
    assert not [note for note in notes["pl"] if words_in(note) & ENGLISH]
    assert all(note[0].isupper() and note.endswith((".", "?")) for note in notes["pl"] + notes["en"])


def test_there_is_something_to_remark(town):
    bench = Workbench(town)
    said = " ".join(
        note for view in VIEWS for block in bench.ask("miasto", view, "pl", exporting=True).blocks for note in block.notes
    )
    for piece in (
        "„Dzielnica: Zachód”",
        "nie pasują do schematu",
        "na drugie, neutralne pytanie",
        "każda możliwa wartość „Ile lat?”",
    ):
        assert piece in said, piece


def test_the_report_and_the_page_say_the_same(town):
    page = Workbench(town).ask("miasto", Overview(), "pl", exporting=True)
    report = text_of(report_of_survey(town, "miasto", language="pl", everything=True))
    notes = [note for block in page.blocks for note in block.notes]
    assert notes
    assert [note for note in notes if note not in report] == []


def test_groups_labels_and_bins_are_said_in_texts():
    spoken = Spoken(said_in("en"), {"sex": Question("Your sex", {"F": "Female"}), "age": Question("How old are you?", {})})
    notes = [
        "nobody is in the group (sex == 'F' and not (age < 30))",
        "nobody is in the group (age in [18, 25))",
        "of 'sex', 'F' counts as 1 and 'M' as 0",
        "without that it is 3.1 (F), 3.2 (M)",
        "people are odd (see docs/noise.md)",
    ]
    estimate = Estimate([3.0, 3.3], ["F", "M"], n=9, method="joint", covariance=np.eye(2), notes=notes, limits=None)
    estimate.by = "sex"
    assert remarks([estimate, None, estimate], spoken) == (
        "Note: nobody is in the group (“Your sex: Female and not (How old are you? less than 30)”).",
        "Note: nobody is in the group (“How old are you? 18 to under 25”).",
        "Note: of “Your sex”, “Female” counts as 1 and 'M' as 0.",
        "Note: without that it is 3.1 (“Female”), 3.2 (“M”).",
        "Note: people are odd (see docs/noise.md).",
    )


@pytest.mark.parametrize("language", ["en", "pl"])
def test_why_there_is_no_estimate(language):
    spoken = Spoken(said_in(language), {})
    codes = ["rows_coincide", "ill_conditioned", "singular", "wide_domain", "no_information"]
    said = [why_not(NotInvertibleError(code, "English."), spoken) for code in codes]
    said += [
        why_not(NoIntervalError(code, "No share: nobody is in the group (a == 'b')."), spoken)
        for code in ("empty_group", "odd")
    ]
    assert all(one.endswith(".") and "English" not in one and "==" not in one for one in said)
    assert language == "en" or not [one for one in said if words_in(one) & ENGLISH]
