"""What the workbench shows are the numbers of `dn.Sample`, in the survey's own words."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError, RefusedError
from deniable.results.address import from_address
from deniable.results.questions import Overview
from deniable.results.workbench import Workbench
from deniable.survey.export import export

VIEWS = [
    "view=overview",
    "view=overview&where=sex+==+'F'",
    "view=question&of=smokes",
    "view=question&of=smokes&by=sex&where=age+>=+30",
    "view=question&of=mood&by=age",
    "view=question&of=age",
    "view=mean&of=mood&by=sex",
    "view=mean&of=age&where=smokes+==+'yes'",
    "view=cross&of=owes&by=smokes",
    "view=compare&of=smokes&first=sex+==+'F'&second=sex+==+'M'",
    "view=compare&of=mood&first=smokes+==+'yes'&second=smokes+==+'no'",
    "view=compare&of=mood&mean=yes&first=sex+==+'F'&second=sex+==+'M'",
    "view=versions&of=owes",
]

CUTTING = ("view=question&of=smokes&by=sex&where=age+>=+30", "view=mean&of=age&where=smokes+==+'yes'")
"""Conditions that cut through the cells of those who may not export, and means of numbers that they see in cells."""


def question(text):
    from urllib.parse import quote

    return from_address(
        "&".join(f"{part.partition('=')[0]}={quote(part.partition('=')[2], safe='+')}" for part in text.split("&"))
    )


@pytest.fixture
def bench(new_store):
    return Workbench(new_store())


@pytest.mark.parametrize("text", VIEWS)
@pytest.mark.parametrize("exporting", [True, False])
def test_every_point_has_an_interval_and_texts_not_codes(bench, text, exporting):
    if not exporting and text in CUTTING:
        with pytest.raises(ParameterError):
            bench.ask("council", question(text), "pl", exporting)
        return
    answer = bench.ask("council", question(text), "pl", exporting)
    assert answer.blocks
    for block in answer.blocks:
        assert block.figures or block.sentences
        for figure in block.figures:
            assert (figure.value is None) == (figure.low is None) == (figure.high is None)
            if figure.value is not None:
                assert figure.low <= figure.value <= figure.high
                if block.kind == "share":
                    assert 0 <= figure.low <= figure.high <= 1
            assert figure.sentence
            assert figure.label not in ("yes", "no", "F", "M", "smokes", "owes", "no answer")
            assert figure.group not in ("yes", "no", "F", "M", "no answer")
    said = " ".join([answer.title, *answer.sentences, *(s for block in answer.blocks for s in (block.title, *block.sentences))])
    assert not any(code in said for code in ("smokes", "owes", "sex", "mood", "'F'", "'yes'"))
    json.loads(answer.json())
    ET.fromstring(answer.svg())
    assert answer.csv().startswith("\ufeffquestion")


def test_numbers_are_those_of_a_sample(bench, tmp_path):
    export(bench.store, "council", tmp_path / "answers.csv")
    sample = dn.read(tmp_path / "answers.csv")
    answer = bench.ask("council", question("view=question&of=smokes&by=sex&where=age+>=+30"), exporting=True)
    estimate = sample.distribution("smokes", by="sex", where="age >= 30")
    low, high = estimate.interval()
    figures = answer.blocks[0].figures
    np.testing.assert_array_equal([figure.value for figure in figures], estimate.shown)
    np.testing.assert_array_equal([figure.low for figure in figures], low)
    np.testing.assert_array_equal([figure.high for figure in figures], high)
    assert {figure.group for figure in figures} == {"Kobieta", "Mężczyzna"}


def test_what_was_reported_is_counted(bench):
    rows = np.array([list(row) for piece in bench.store.mixed_rows(bench.store.version("council")) for row in piece])
    answer = bench.ask("council", question("view=question&of=smokes&where=sex+==+'F'"), exporting=True)
    women = rows[rows[:, 0] == 0]
    expected = [(women[:, 2] == code).mean() for code in range(3)]
    np.testing.assert_allclose([figure.reported for figure in answer.blocks[0].figures], expected)


def test_a_large_difference_is_told_and_a_small_one_is_not(bench):
    told = bench.ask("council", question("view=compare&of=smokes&label=yes&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert told.blocks[1].figures[0].told
    assert "larger than chance explains" in told.blocks[1].sentences[0]
    assert "Your sex: Female" in told.blocks[1].sentences[0]
    not_told = bench.ask("council", question("view=compare&of=mood&mean=yes&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert not not_told.blocks[1].figures[0].told
    assert "cannot be told with these answers" in not_told.blocks[1].sentences[0]


def test_several_verdicts_are_adjusted_and_it_is_said(bench):
    answer = bench.ask("council", question("view=compare&of=mood&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert answer.blocks[1].extra["verdicts"] == len(answer.blocks[1].figures) > 1
    assert "adjusted for their number" in answer.blocks[1].sentences[-1]


def test_an_open_survey_shows_nothing_to_those_who_may_not_export(new_store):
    bench = Workbench(new_store(closed=False))
    assert bench.ask("council", Overview(), exporting=True).blocks
    with pytest.raises(RefusedError, match="when it is closed"):
        bench.ask("council", Overview())


def test_an_empty_survey_says_so(new_store):
    with pytest.raises(RefusedError, match="No answers"):
        Workbench(new_store(0, closed=False)).ask("council", Overview(), exporting=True)


def test_answers_that_come_out_are_in_the_next_answer(new_store, tools):
    store = new_store(500, closed=False)
    bench = Workbench(store)
    assert bench.ask("council", Overview(), exporting=True).blocks[0].n == 500
    tools["insert"](store, "council", tools["reports_of"](store.version("council").schema, 60, np.random.default_rng(2)))
    assert bench.ask("council", Overview(), exporting=True).blocks[0].n == 560
    assert bench.tallies.looks == 1


def test_menus_have_texts(bench):
    menu = {choice.name: choice for choice in bench.menu("council", "en", exporting=True)}
    assert menu["sex"].labels[0] == ("F", "Female")
    assert menu["sex"].open
    assert not menu["smokes"].open
    assert menu["mood"].has_mean
    seen = {choice.name: choice for choice in bench.menu("council", "en")}
    assert seen["sex"].groups
    assert len(seen["age"].labels) > 1
